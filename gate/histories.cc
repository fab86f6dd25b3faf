#include "gate/histories.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "ledger/file/reader.h"
#include "ledger/provenance/device.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::gate {
namespace {

// Told in full; a damaged ledger has as many as it has lines.
constexpr size_t kRejectionsTold = 5;

std::optional<double> Statistic(const ledger::Summary& summary,
                                absl::string_view name) {
  if (name == "min") return summary.min;
  if (name == "p50") return summary.p50;
  if (name == "p95") return summary.p95;
  if (name == "p99") return summary.p99;
  if (name == "max") return summary.max;
  if (name == "mean") return summary.mean;
  return std::nullopt;
}

bool HasAll(const std::map<std::string, std::string>& has,
            const std::map<std::string, std::string>& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const auto& one) {
    const auto found = has.find(one.first);
    return found != has.end() && found->second == one.second;
  });
}

}  // namespace

std::vector<double> History::values() const {
  std::vector<double> values;
  values.reserve(entries.size());
  for (const Entry& entry : entries) values.push_back(entry.value);
  return values;
}

bool MatchesSeries(absl::string_view asked, absl::string_view series) {
  if (asked.empty()) return true;
  if (absl::ConsumeSuffix(&asked, "*")) {
    return absl::StartsWith(series, asked);
  }
  return asked == series;
}

absl::StatusOr<Histories> ReadHistories(const std::string& folder,
                                        const HistoryFilter& filter) {
  if (!Statistic({}, filter.statistic).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no statistic '", filter.statistic,
                     "' among min, p50, p95, p99, max, mean"));
  }
  Histories read;
  std::map<std::pair<std::string, std::string>, History> found;
  const auto on_row = [&](const ledger::Place&, ledger::Row row) {
    ++read.rows;
    ++read.devices[row.device.id];
    if (row.label != ledger::Label::kMeasured ||
        !MatchesSeries(filter.series, row.series) ||
        !HasAll(row.configuration, filter.configuration) ||
        (filter.device != "any" && filter.device != row.device.id)) {
      return absl::OkStatus();
    }
    std::string key = ledger::SeriesKey(row);
    auto [at, is_new] = found.try_emplace({key, row.device.id});
    History& history = at->second;
    if (is_new) {
      history.key = std::move(key);
      history.series = row.series;
      history.configuration = row.configuration;
      history.device = row.device.id;
      history.unit = row.unit;
      history.direction = row.direction;
    } else if (history.unit != row.unit || history.direction != row.direction) {
      history.mixed = true;
    }
    Entry entry = {.id = row.id,
                   .commit = row.commit,
                   .dirty = row.dirty,
                   .date = row.date,
                   .harness = row.instrument.harness,
                   .value = *Statistic(row.summary, filter.statistic),
                   .n = row.summary.n};
    if (filter.keep_samples) entry.samples = std::move(row.samples);
    // Nearly always at the end. Rows of one second stay in the order of their
    // file.
    const auto place = std::upper_bound(
        history.entries.begin(), history.entries.end(), entry.date,
        [](absl::Time date, const Entry& e) { return date < e.date; });
    history.entries.insert(place, std::move(entry));
    return absl::OkStatus();
  };
  const auto on_rejected = [&](const ledger::Rejection& rejection) {
    if (rejection.kind == ledger::Rejection::Kind::kDuplicate) return;
    ++read.rejected;
    if (read.rejections.size() < kRejectionsTold) {
      read.rejections.push_back(ledger::DescribeRejection(rejection));
    }
  };
  absl::StatusOr<ledger::ReadCounts> counts =
      ledger::ReadFolder(folder, on_row, on_rejected);
  if (!counts.ok()) return counts.status();
  for (auto& [key, history] : found) {
    read.histories.push_back(std::move(history));
  }
  return read;
}

std::string WhyNone(const Histories& read, const HistoryFilter& filter) {
  if (!read.histories.empty()) return "";
  if (read.rows == 0) {
    return read.rejected > 0 ? "no line of the ledger is a row"
                             : "the ledger is empty";
  }
  if (filter.device != "any" && read.devices.count(filter.device) == 0) {
    return absl::StrCat("no row is of this device, ", filter.device, ", but ",
                        read.rows, " of ", read.devices.size(),
                        " others, which compare with nothing here");
  }
  return absl::StrCat("no row of ",
                      filter.series.empty() ? "any series" : filter.series,
                      " on this device");
}

std::vector<std::string> ReadDetails(const Histories& read) {
  std::vector<std::string> details;
  if (read.rejected == 0) return details;
  details.push_back(absl::StrCat(read.rejected,
                                 " lines of the ledger are no rows, and were "
                                 "left out; tactus_ledger verify lists them"));
  details.insert(details.end(), read.rejections.begin(), read.rejections.end());
  return details;
}

absl::StatusOr<std::string> DeviceOrThis(const std::string& option) {
  if (!option.empty()) return option;
  absl::StatusOr<ledger::Device> device = ledger::ReadDevice();
  if (!device.ok()) return device.status();
  return device->id;
}

std::string Describe(const Entry& entry) {
  return absl::StrCat(
      entry.commit.empty() ? "no commit" : entry.commit.substr(0, 12), " of ",
      absl::FormatTime("%Y-%m-%d", entry.date, absl::UTCTimeZone()),
      entry.dirty ? ", from a tree that was not that commit" : "");
}

}  // namespace tactus::gate
