#include "site/book/book.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"
#include "xxhash.h"

namespace tactus::site {
namespace {

// What tells one timeline from another. The separator is no character of any
// part: rows hold no control characters.
std::string Key(absl::string_view series,
                const std::map<std::string, std::string>& configuration,
                ledger::Unit unit, ledger::Direction direction,
                absl::string_view device) {
  std::string key(series);
  for (const auto& [name, value] : configuration) {
    absl::StrAppend(&key, "\n", name, "=", value);
  }
  absl::StrAppend(&key, "\n\n", ledger::UnitName(unit), "\n",
                  ledger::DirectionName(direction), "\n", device);
  return key;
}

std::string KeyOf(const ledger::Row& row) {
  return Key(row.series, row.configuration, row.unit, row.direction,
             row.device.id);
}

std::string KeyOf(const Timeline& timeline) {
  return Key(timeline.series, timeline.configuration, timeline.unit,
             timeline.direction, timeline.device->id);
}

std::string SlugOf(absl::string_view series, absl::string_view key) {
  // A file's name has an end: most systems allow 255 bytes.
  constexpr size_t kLongest = 80;
  std::string slug(series.substr(0, kLongest));
  std::replace(slug.begin(), slug.end(), '/', '.');
  const XXH64_hash_t hash = XXH3_64bits(key.data(), key.size());
  return absl::StrCat(slug, "-", absl::StrFormat("%016x", hash).substr(0, 12));
}

}  // namespace

std::string FormatConfiguration(
    const std::map<std::string, std::string>& configuration) {
  std::string text;
  for (const auto& [key, value] : configuration) {
    absl::StrAppend(&text, text.empty() ? "" : " ", key, "=", value);
  }
  return text;
}

std::string Book::Slug(const ledger::Row& row) {
  return SlugOf(row.series, KeyOf(row));
}

std::string Book::Slug(const Timeline& timeline) {
  return SlugOf(timeline.series, KeyOf(timeline));
}

const std::string* Book::Intern(const std::string& text) {
  return &texts_.emplace(text, true).first->first;
}

void Book::Add(const ledger::Row& row, const Place& place) {
  const auto device = devices_.emplace(row.device.id, row.device).first;
  const auto instrument =
      instruments_
          .emplace(std::make_tuple(row.instrument.name, row.instrument.binary,
                                   row.instrument.harness),
                   row.instrument)
          .first;
  const auto [found, added] =
      timeline_of_.emplace(KeyOf(row), timelines_.size());
  if (added) {
    timelines_.push_back({.series = row.series,
                          .configuration = row.configuration,
                          .unit = row.unit,
                          .direction = row.direction,
                          .device = &device->second});
  }
  timelines_[found->second].rows.push_back(entries_.size());
  entries_.push_back({.id = row.id,
                      .run = Intern(row.run),
                      .date = row.date,
                      .instrument = &instrument->second,
                      .commit = Intern(row.commit),
                      .device = &device->second,
                      .summary = row.summary,
                      .failures = row.failures,
                      .label = row.label,
                      .dirty = row.dirty,
                      .place = place,
                      .timeline = found->second});
}

void Book::Close() {
  std::vector<std::string> keys;
  keys.reserve(timelines_.size());
  for (const Timeline& timeline : timelines_) keys.push_back(KeyOf(timeline));
  std::vector<size_t> order(timelines_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<Timeline> ordered;
  ordered.reserve(order.size());
  for (const size_t old : order) {
    Timeline timeline = std::move(timelines_[old]);
    std::sort(
        timeline.rows.begin(), timeline.rows.end(), [&](size_t a, size_t b) {
          return std::tie(entries_[a].date, a) < std::tie(entries_[b].date, b);
        });
    for (const size_t row : timeline.rows) {
      entries_[row].timeline = ordered.size();
    }
    ordered.push_back(std::move(timeline));
  }
  timelines_ = std::move(ordered);
  timeline_of_.clear();
}

std::vector<const Timeline*> Book::OfSeries(absl::string_view series) const {
  // The separator of a key sorts before every character of a name, so that
  // timelines are in the order of their series as well.
  std::vector<const Timeline*> found;
  for (auto at = std::lower_bound(
           timelines_.begin(), timelines_.end(), series,
           [](const Timeline& timeline, absl::string_view name) {
             return absl::string_view(timeline.series) < name;
           });
       at != timelines_.end() && at->series == series; ++at) {
    found.push_back(&*at);
  }
  return found;
}

}  // namespace tactus::site
