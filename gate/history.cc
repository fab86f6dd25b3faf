// bazel run //gate:history
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "boost/json.hpp"
#include "gate/command_line.h"
#include "gate/configuration.h"
#include "gate/histories.h"
#include "gate/history_check.h"
#include "gate/process.h"
#include "gate/samples_file.h"
#include "gate/shifts.h"
#include "gate/verdict.h"
#include "ledger/stats/changepoints.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

constexpr char kGate[] = "history";
// Of a ledger: what is smaller is told by no p-value from the days on which it
// was measured.
constexpr double kLedgerMagnitude = 0.05;

int ShowSamples(const std::string& path, bool as_json,
                const ledger::ChangePointOptions& options) {
  absl::StatusOr<std::vector<double>> samples = ReadSamples(Typed(path));
  if (!samples.ok()) return UsageError(kGate, samples.status());
  absl::StatusOr<std::vector<ledger::ChangePoint>> points =
      ledger::FindChangePoints(*samples, options);
  if (!points.ok()) return UsageError(kGate, points.status());
  if (!as_json) {
    for (const ledger::ChangePoint& point : *points) {
      printf("%lld: %s to %s, p %.3g\n", static_cast<long long>(point.index),
             Figure(point.mean_before).c_str(),
             Figure(point.mean_after).c_str(), point.pvalue);
    }
    printf("%zu changes in %zu samples\n", points->size(), samples->size());
    return kExitPass;
  }
  json::array indexes, all;
  for (const ledger::ChangePoint& point : *points) {
    indexes.emplace_back(point.index);
    all.push_back({{"index", point.index},
                   {"mean_before", point.mean_before},
                   {"mean_after", point.mean_after},
                   {"pvalue", point.pvalue},
                   {"magnitude", point.magnitude}});
  }
  const json::object object = {{"samples", samples->size()},
                               {"indexes", std::move(indexes)},
                               {"change_points", std::move(all)}};
  printf("%s\n", json::serialize(object).c_str());
  return kExitPass;
}

int Main(int argc, char** argv) {
  Common common;
  HistoryFilter filter;
  std::vector<std::string> pairs;
  std::string shifts_path;
  std::string samples;
  ledger::ChangePointOptions options;
  CLI::App app(
      "Shows where each series changed for good, with the commit, and breaches "
      "where one\nbecame worse and nobody wrote down that it was meant. "
      "E-divisive with Student's t,\nas Apache Otava does it.",
      kGate);
  app.add_option("--series", filter.series,
                 "which; edit/* for all that begin so (default: all)");
  AddConfiguration(app, &pairs);
  app.add_option("--statistic", filter.statistic,
                 "of each row: min, p50, p95, p99, max, mean (default: p50)");
  app.add_option("--device", filter.device,
                 "the id of a device, or any (default: this one)");
  app.add_option("--window-len", options.window_len,
                 "rows in a window (default: 50)");
  app.add_option("--max-pvalue", options.max_pvalue,
                 "a change is kept below this (default: 0.001)");
  CLI::Option* magnitude = app.add_option(
      "--min-magnitude", options.min_magnitude,
      "and above this relative size (default: 0.05, and 0 with --samples)");
  app.add_option("--shifts", shifts_path,
                 "the reviewed file of intended shifts (default: "
                 "gate/shifts.json)");
  app.add_option("--samples", samples,
                 "a file of numbers in the place of a ledger: shows its change "
                 "points and judges nothing");
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  if (!samples.empty()) {
    return ShowSamples(samples, common.json || common.format == "json",
                       options);
  }
  if (magnitude->empty()) options.min_magnitude = kLedgerMagnitude;
  // The options, before any series is read with them.
  if (absl::Status s = ledger::FindChangePoints({1.0}, options).status();
      !s.ok()) {
    return UsageError(kGate, s);
  }
  absl::StatusOr<std::map<std::string, std::string>> configuration =
      ParseConfiguration(pairs);
  if (!configuration.ok()) return UsageError(kGate, configuration.status());
  filter.configuration = *configuration;
  absl::StatusOr<std::string> folder = LedgerFolder(common);
  if (!folder.ok()) return UsageError(kGate, folder.status());
  absl::StatusOr<std::vector<Shift>> shifts = OpenShifts(shifts_path);
  if (!shifts.ok()) return UsageError(kGate, shifts.status());
  absl::StatusOr<std::string> device = DeviceOrThis(filter.device);
  if (!device.ok()) return UsageError(kGate, device.status());
  filter.device = *device;

  Report report{.gate = kGate};
  absl::StatusOr<Histories> read = ReadHistories(*folder, filter);
  if (absl::IsInvalidArgument(read.status())) {
    return UsageError(kGate, read.status());
  }
  if (!read.ok()) {
    report.checks.push_back(
        {.name = "ledger", .reason = std::string(read.status().message())});
    return Finish(report, common);
  }
  report.details = ReadDetails(*read);
  if (const std::string why = WhyNone(*read, filter); !why.empty()) {
    report.checks.push_back({.name = "ledger", .reason = why});
  }
  for (const History& history : read->histories) {
    report.checks.push_back(CheckHistory(history, *shifts, options));
  }
  return Finish(report, common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
