// The rows of a ledger as histories: one for each series, configuration and
// device, oldest first.
//
// Example:
//
//   absl::StatusOr<Histories> read = ReadHistories(
//       folder, {.device = device.id, .series = "edit/gtk3"});
//   if (!read.ok()) return read.status();        // no such folder
//   for (const History& history : read->histories) ...
//
// Rows of another device are counted and never compared: an absolute time
// compares across no machines. Rows that no instrument wrote (verified,
// suspected) are left out. What two rows of one key measure in different units
// is said by `mixed`, and is nobody's to compare.
#ifndef TACTUS_GATE_HISTORIES_H_
#define TACTUS_GATE_HISTORIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/better.h"

namespace tactus::gate {

struct Entry {
  std::string id;
  std::string commit;  // empty where there is no repository
  bool dirty = false;
  absl::Time date;
  std::string harness;
  double value = 0;             // the statistic that was asked for
  int64_t n = 0;                // samples that it is of
  std::vector<double> samples;  // where they are kept
};

struct History {
  std::string key;  // "edit/gtk3 application=gtk3"
  std::string series;
  std::map<std::string, std::string> configuration;
  std::string device;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Direction direction = ledger::Direction::kLessIsBetter;
  bool mixed = false;  // of several units or directions: not to be compared
  std::vector<Entry> entries;

  ledger::Better better() const {
    return direction == ledger::Direction::kLessIsBetter
               ? ledger::Better::kLess
               : ledger::Better::kMore;
  }
  std::vector<double> values() const;
};

struct HistoryFilter {
  std::string device;  // an id, or "any"
  std::string series;  // its name, or "edit/*" for all that begin so; all
  std::map<std::string, std::string> configuration;  // what rows must have
  std::string statistic = "p50";  // min, p50, p95, p99, max or mean
  bool keep_samples = false;
};

struct Histories {
  std::vector<History> histories;          // by key, then device
  std::map<std::string, int64_t> devices;  // rows of each device, of all series
  int64_t rows = 0;                        // of the whole ledger
  int64_t rejected = 0;                    // lines that are no rows
  std::vector<std::string> rejections;     // the first of them
};

// NotFound where there is no such folder, InvalidArgument for a statistic that
// is none.
absl::StatusOr<Histories> ReadHistories(const std::string& folder,
                                        const HistoryFilter& filter);

// Why there is no history: an empty ledger, a device without rows, a series
// without rows. Empty where there is one.
std::string WhyNone(const Histories& read, const HistoryFilter& filter);

// What to tell of the reading: rejected lines. Empty where all was in order.
std::vector<std::string> ReadDetails(const Histories& read);

// "any" stays; empty becomes the id of this device.
absl::StatusOr<std::string> DeviceOrThis(const std::string& option);

// Whether a series is the one that was asked for, as in HistoryFilter.
bool MatchesSeries(absl::string_view asked, absl::string_view series);

// "a1b2c3d4e5f6 of 2026-12-01", and that its tree was dirty.
std::string Describe(const Entry& entry);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_HISTORIES_H_
