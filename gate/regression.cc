// bazel run //gate:regression
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gate/command_line.h"
#include "gate/configuration.h"
#include "gate/histories.h"
#include "gate/measurement.h"
#include "gate/process.h"
#include "gate/regression_check.h"
#include "gate/shifts.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

constexpr char kGate[] = "regression";
// The median of three: one stall is borne.
constexpr int kMeasurements = 3;

struct Options {
  Common common;
  HistoryFilter filter;
  std::vector<std::string> configuration;
  std::string shifts;
  std::string measure;
  std::vector<std::string> arguments;
  int newest = 0;
};

absl::StatusOr<std::vector<double>> MeasureThree(const Options& options,
                                                 const History& history) {
  MeasurementRequest request{.command = {Typed(options.measure)},
                             .filter = options.filter};
  request.command.insert(request.command.end(), options.arguments.begin(),
                         options.arguments.end());
  request.filter.device = history.device;
  request.filter.series = history.series;
  request.filter.configuration = history.configuration;
  std::vector<double> values;
  for (int i = 0; i < kMeasurements; ++i) {
    absl::StatusOr<Measurement> one = MeasureOnce(request);
    if (!one.ok()) return one.status();
    if (one->unit != history.unit || one->better != history.better()) {
      return absl::InvalidArgumentError(
          "it now measures in another unit or direction than its history");
    }
    values.push_back(one->value);
  }
  return values;
}

// Where the rows of the present begin: those of the newest commit, or the
// newest so many.
size_t PresentBegin(const Options& options, const History& history) {
  const size_t n = history.entries.size();
  if (!options.measure.empty()) return n;
  if (options.newest > 0) {
    return n - std::min(n, static_cast<size_t>(options.newest));
  }
  size_t begin = n;
  while (begin > 0 &&
         history.entries[begin - 1].commit == history.entries[n - 1].commit) {
    --begin;
  }
  return begin;
}

Check CheckOne(const Options& options, const std::vector<Shift>& shifts,
               const History& history) {
  Check check{.name = history.key, .outcome = Outcome::kBreach};
  if (history.mixed) {
    check.reason =
        "its rows are in several units or directions, and cannot be "
        "compared: give the new ones a name of their own";
    return check;
  }
  const size_t present_begin = PresentBegin(options, history);
  const size_t beginning = Beginning(shifts, history);
  RegressionQuestion question{
      .name = history.key, .better = history.better(), .unit = history.unit};
  std::vector<std::string> details;
  int dirty = 0;
  for (size_t i = beginning; i < present_begin; ++i) {
    // What was measured of a tree that nobody can have again is no baseline.
    if (history.entries[i].dirty) {
      ++dirty;
    } else {
      question.history.push_back(history.entries[i].value);
    }
  }
  if (beginning > 0) {
    details.push_back(absl::StrCat(
        beginning, " rows are from before an intended shift, and left out"));
  }
  if (dirty > 0) {
    details.push_back(absl::StrCat(
        dirty, " rows of dirty trees are left out of the baseline"));
  }
  Again again;
  if (!options.measure.empty()) {
    again = [&] { return MeasureThree(options, history); };
    absl::StatusOr<std::vector<double>> now = again();
    if (!now.ok()) {
      check.reason = std::string(now.status().message());
      return check;
    }
    question.present = *std::move(now);
    details.push_back(absl::StrCat("measured now by ", options.measure));
  } else {
    for (size_t i = std::max(present_begin, beginning);
         i < history.entries.size(); ++i) {
      question.present.push_back(history.entries[i].value);
    }
    // Of more than three rows the newest, so that a median of three it is.
    if (question.present.size() > kMeasurements) {
      question.present.erase(question.present.begin(),
                             question.present.end() - kMeasurements);
    }
    details.push_back(absl::StrCat("of ", Describe(history.entries.back())));
  }
  check = CheckRegression(question, again);
  check.details.insert(check.details.end(), details.begin(), details.end());
  return check;
}

int Main(int argc, char** argv) {
  Options options;
  options.filter.device = "";
  CLI::App app(
      "Holds each series to its own history on the same device: the median of "
      "three against\nthe recent rows, and against an anchor, so that many "
      "small steps do not pass. Under\n10 % is noise.\n\nThe present is the "
      "rows of the newest commit, of which it takes three; or, "
      "with\n--measure, "
      "what a program measures now, which is measured again before it counts.",
      kGate);
  app.add_option("--series", options.filter.series,
                 "which; edit/* for all that begin so (default: all)");
  AddConfiguration(app, &options.configuration);
  app.add_option("--statistic", options.filter.statistic,
                 "of each row: min, p50, p95, p99, max, mean (default: p50)");
  app.add_option("--device", options.filter.device,
                 "the id of a device, or any (default: this one)");
  app.add_option("--newest", options.newest,
                 "the present is the newest N rows, whatever their commits")
      ->check(CLI::Range(3, 1000));
  app.add_option("--measure", options.measure,
                 "a program that takes --ledger DIR: measures the present, "
                 "three times");
  app.add_option("--shifts", options.shifts,
                 "the reviewed file of intended shifts (default: "
                 "gate/shifts.json)");
  app.add_option("arguments", options.arguments,
                 "after --: what that program is given");
  AddLedger(app, &options.common);
  AddCommon(app, &options.common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<std::map<std::string, std::string>> configuration =
      ParseConfiguration(options.configuration);
  if (!configuration.ok()) return UsageError(kGate, configuration.status());
  options.filter.configuration = *configuration;
  absl::StatusOr<std::string> folder = LedgerFolder(options.common);
  if (!folder.ok()) return UsageError(kGate, folder.status());
  absl::StatusOr<std::vector<Shift>> shifts = OpenShifts(options.shifts);
  if (!shifts.ok()) return UsageError(kGate, shifts.status());
  absl::StatusOr<std::string> device = DeviceOrThis(options.filter.device);
  if (!device.ok()) return UsageError(kGate, device.status());
  options.filter.device = *device;

  Report report{.gate = kGate};
  absl::StatusOr<Histories> read = ReadHistories(*folder, options.filter);
  if (absl::IsInvalidArgument(read.status())) {
    return UsageError(kGate, read.status());
  }
  if (!read.ok()) {
    report.checks.push_back(
        {.name = "ledger", .reason = std::string(read.status().message())});
    return Finish(report, options.common);
  }
  report.details = ReadDetails(*read);
  if (const std::string why = WhyNone(*read, options.filter); !why.empty()) {
    report.checks.push_back({.name = "ledger", .reason = why});
  }
  for (const History& history : read->histories) {
    report.checks.push_back(CheckOne(options, *shifts, history));
  }
  return Finish(report, options.common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
