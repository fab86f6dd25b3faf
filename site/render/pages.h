// Writes pages into a folder, each in the layout that all share.
//
// Use it for every file of a site. It holds what a page may not be: larger than
// kMostPage (a phone on a slow network reads it within seconds), or written
// twice.
//
// Example:
//
//   PageWriter pages(templates, folder, site);
//   absl::Status s = pages.Write({.name = "rows.html", .title = "Every row",
//                                 .about = "…", .body = html});
#ifndef TACTUS_SITE_RENDER_PAGES_H_
#define TACTUS_SITE_RENDER_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "site/render/templates.h"

namespace tactus::site {

inline constexpr size_t kMostPage = 300'000;
// Where a list goes on to another page: leaves room for the layout and for the
// item that is the last to fit.
inline constexpr size_t kFullPage = 200'000;

// What all pages of a site say.
struct SiteFacts {
  std::string name;     // "Tactus"
  std::string tagline;  // one sentence
  struct Link {
    std::string href;
    std::string text;
  };
  std::vector<Link> navigation;  // beside what every site has
  std::string footer;            // of what the pages were built
};

struct Page {
  std::string name;  // of the file
  std::string title;
  std::string about;  // for search engines and previews
  std::string here;   // the entry of the navigation that it belongs to
  std::string body;   // HTML
  bool wide = false;  // tables that want the whole window
};

class PageWriter {
 public:
  // `folder` exists. `templates` stays alive longer than this.
  PageWriter(const Templates& templates, std::string folder, SiteFacts site);

  absl::Status Write(const Page& page);

  size_t pages() const { return names_.size(); }
  size_t largest() const { return largest_; }
  uint64_t bytes() const { return bytes_; }

 private:
  const Templates& templates_;
  const std::string folder_;
  const SiteFacts site_;
  std::set<std::string> names_;
  size_t largest_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_PAGES_H_
