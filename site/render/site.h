// A whole site, from the files of a ledger to a folder of pages.
//
// Example:
//
//   absl::StatusOr<SiteReport> report = BuildSite({.ledger = "docs/perf/data",
//                                                  .out = "/tmp/site"});
//
// Everything that a page says comes from `ledger` and from `pages`; neither the
// clock, nor the host, nor git is asked, so the same input gives the same
// bytes. Memory: a few hundred bytes a row, whatever its samples.
#ifndef TACTUS_SITE_RENDER_SITE_H_
#define TACTUS_SITE_RENDER_SITE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tactus::site {

struct SiteOptions {
  // Folder with *.jsonl; or else the files themselves.
  std::string ledger;
  std::vector<std::string> files;
  std::string out;  // made where it is not there
  // Folder with site.txt, declared.txt and the pages of prose; empty: those
  // that the generator carries, which fit every ledger.
  std::string pages;
};

struct SiteReport {
  int64_t rows = 0;
  int64_t duplicates = 0;
  size_t series = 0;
  size_t pages = 0;
  size_t largest_page = 0;  // bytes
  uint64_t bytes = 0;
};

// NotFound, InvalidArgument and so on, with the file and the line that is
// wrong. What was written until then is there, and is no site.
absl::StatusOr<SiteReport> BuildSite(const SiteOptions& options);

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_SITE_H_
