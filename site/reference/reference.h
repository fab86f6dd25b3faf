// A reference of a page to the ledger: what stands where a figure will stand.
//
// Use it to read a page before it is built. No page holds a measured number;
// it holds which row and which statistic it means, between double braces:
//
//   {{figure edit/word application=gtk3 p95}}
//   {{ratio find/libatspi application=gtk3 / find/tactus application=gtk3}}
//   {{plot edit/word application=gtk3}}
//   {{strip edit/word application=gtk3}}
//   {{compare by=application find/tactus / find/libatspi p50}}
//
//   reference  = figure selector [statistic]
//              | ratio selector "/" selector [statistic]     the first by the
//                                                            second, of one run
//              | plot selector                               its history
//              | strip selector                              each sample
//              | compare by=KEY selector { "/" selector } [statistic]
//              | overview                                    the newest of all
//   selector   = SERIES { KEY=VALUE }     device=ID is the device, not a key
//   VALUE      = letters without blanks, or "in quotes"
//   statistic  = n | min | p50 | p95 | p99 | max | mean | failures      or p50
//
// A page holds nothing else between braces: neither a variable nor a section,
// so that all which a page can ask for is listed here.
//
// Example:
//
//   absl::StatusOr<std::vector<Piece>> pieces = ParsePage(text);
//   if (!pieces.ok()) return pieces.status();   // "7: no statistic 'p42': …"
//
// Whether there is such a row is resolver.h's to say.
#ifndef TACTUS_SITE_REFERENCE_REFERENCE_H_
#define TACTUS_SITE_REFERENCE_REFERENCE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::site {

enum class Verb { kFigure, kRatio, kPlot, kStrip, kCompare, kOverview };
absl::string_view VerbName(Verb verb);

enum class Statistic { kN, kMin, kP50, kP95, kP99, kMax, kMean, kFailures };
absl::string_view StatisticName(Statistic statistic);
absl::StatusOr<Statistic> ParseStatistic(absl::string_view name);

// Which rows are meant. A row has to have all of the configuration that is
// named here and may have more.
struct Selector {
  std::string series;
  std::map<std::string, std::string> configuration;
  std::string device;  // its id; empty: that of the newest row

  friend bool operator==(const Selector&, const Selector&) = default;
};

struct Reference {
  Verb verb = Verb::kFigure;
  // One; of a ratio two; of a comparison one to kMaxSelectors; of an overview
  // none.
  std::vector<Selector> selectors;
  Statistic statistic = Statistic::kP50;
  std::string by;  // of a comparison, the key that tells its lines apart

  friend bool operator==(const Reference&, const Reference&) = default;
};

// What stands side by side on the width of a page.
inline constexpr size_t kMaxSelectors = 4;
// Of one reference, in bytes: a sentence, and not a page that lost a brace.
inline constexpr size_t kMaxReference = 1024;

// What stands between the braces. InvalidArgument says what is wrong.
absl::StatusOr<Reference> ParseReference(absl::string_view text);

// As ParseReference reads it; equal references are written alike.
std::string FormatReference(const Reference& reference);

// "edit/word application=gtk3"
std::string FormatSelector(const Selector& selector);

// A part of a page: text that stands as it is, or a reference.
struct Piece {
  std::string text;     // empty where it is a reference
  Reference reference;  // meaningless where it is text
  bool is_reference = false;
  int line = 1;  // where it begins, counting from 1
};

// The pieces of a page, in order. InvalidArgument begins with the line: "7: …".
// Text alone, put together, is the page without its references.
absl::StatusOr<std::vector<Piece>> ParsePage(absl::string_view page);

}  // namespace tactus::site

#endif  // TACTUS_SITE_REFERENCE_REFERENCE_H_
