// The ledger as a site needs it: every row without its samples, ordered into
// histories.
//
// Use it while the ledger is read, row by row; what it keeps of one is some
// hundred bytes however many samples it had, so a ledger of a hundred thousand
// rows takes less memory than a browser's tab.
//
// Example:
//
//   Book book;
//   reader.Read([&](const ledger::Row& row, ...) { book.Add(row, place); });
//   book.Close();
//   for (const Timeline& timeline : book.timelines()) ...
//
// A timeline is what may be compared over time: one series, one configuration,
// one unit and direction, one device. Its rows are in order of their date, and
// where that is equal in the order in which they were added.
#ifndef TACTUS_SITE_BOOK_BOOK_H_
#define TACTUS_SITE_BOOK_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::site {

// Where a row is: in the ledger, and on the site.
struct Place {
  int32_t file = 0;  // index into whatever list of files the caller has
  int64_t line = 0;  // counting from 1
  int32_t page = 0;  // of the site, index into whatever list the caller has
};

// A row without its samples. Texts that many rows share are kept once.
struct Entry {
  std::string id;
  const std::string* run = nullptr;
  absl::Time date;
  const ledger::Instrument* instrument = nullptr;
  const std::string* commit = nullptr;
  const ledger::Device* device = nullptr;
  ledger::Summary summary;
  int64_t failures = 0;
  ledger::Label label = ledger::Label::kMeasured;
  bool dirty = false;
  Place place;
  size_t timeline = 0;  // index into timelines()
};

struct Timeline {
  std::string series;
  std::map<std::string, std::string> configuration;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Direction direction = ledger::Direction::kLessIsBetter;
  const ledger::Device* device = nullptr;
  // Indexes into entries(), oldest first once the book is closed.
  std::vector<size_t> rows;
};

class Book {
 public:
  Book() = default;
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  void Add(const ledger::Row& row, const Place& place);

  // Puts the rows of each timeline in order; after it nothing is added.
  void Close();

  const std::vector<Entry>& entries() const { return entries_; }
  // In the order of their names: by series, configuration, unit, device.
  const std::vector<Timeline>& timelines() const { return timelines_; }
  const Timeline& TimelineOf(const Entry& entry) const {
    return timelines_[entry.timeline];
  }
  // Each device once, by its id.
  const std::map<std::string, ledger::Device>& devices() const {
    return devices_;
  }

  // Those of one series, a contiguous part of timelines().
  std::vector<const Timeline*> OfSeries(absl::string_view series) const;

  // How a row's timeline is named in addresses of pages: letters, digits, '.'
  // and '-', the same for the same series, configuration, unit and device in
  // every ledger. E.g. "edit.word-1f0c9a2b44d1".
  static std::string Slug(const ledger::Row& row);
  static std::string Slug(const Timeline& timeline);

 private:
  using InstrumentKey = std::tuple<std::string, std::string, std::string>;

  const std::string* Intern(const std::string& text);

  std::vector<Entry> entries_;
  std::vector<Timeline> timelines_;
  std::unordered_map<std::string, size_t> timeline_of_;
  std::map<std::string, ledger::Device> devices_;
  std::map<InstrumentKey, ledger::Instrument> instruments_;
  // Node based: the addresses of its texts stay.
  std::unordered_map<std::string, bool> texts_;
};

// "application=gtk3 text=43"; empty where there is no configuration.
std::string FormatConfiguration(
    const std::map<std::string, std::string>& configuration);

}  // namespace tactus::site

#endif  // TACTUS_SITE_BOOK_BOOK_H_
