// Ledgers made up for tests: a folder, and rows of which a test says what
// matters to it.
//
//   const std::string folder = MakeLedger("mine");
//   AddRow(folder, {.value = 100, .day = 1});
#ifndef TACTUS_GATE_LEDGER_FOR_TEST_H_
#define TACTUS_GATE_LEDGER_FOR_TEST_H_

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/file/append.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::gate {

struct TestRow {
  std::string series = "edit/gtk3";
  double value = 100;
  std::vector<double> samples = {};  // instead of `value`
  int day = 0;
  int commit = 1;  // its number, spelled in forty digits
  bool dirty = false;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Direction direction = ledger::Direction::kLessIsBetter;
  std::string processor = "Made-up 9000";
};

inline ledger::Device MakeDevice(const std::string& processor) {
  ledger::Device device = {.processor = processor,
                           .cores = 2,
                           .memory = "16-32 GiB",
                           .kernel = "6.1.0",
                           .virtualization = "none"};
  device.id = ledger::DeviceId(device);
  return device;
}

inline std::string TestDevice() { return MakeDevice("Made-up 9000").id; }

inline std::string CommitNumber(int number) {
  return absl::StrFormat("%012x%s", number, std::string(28, '0'));
}

// Empty, and below the folder that Bazel gives to a test.
inline std::string MakeLedger(const std::string& name) {
  const char* base = getenv("TEST_TMPDIR");
  std::string folder =
      absl::StrCat(base == nullptr ? "/tmp" : base, "/ledger-", name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

inline void AddRow(const std::string& folder, const TestRow& test) {
  ledger::Row row;
  row.run = ledger::NewRunId();
  row.date = absl::FromUnixSeconds(1'780'000'000) + absl::Hours(24) * test.day;
  row.instrument = {.name = "//made/up:benchmark"};
  row.commit = CommitNumber(test.commit);
  row.dirty = test.dirty;
  row.device = MakeDevice(test.processor);
  row.series = test.series;
  row.configuration = {{"application", "gtk3"}};
  row.unit = test.unit;
  row.direction = test.direction;
  row.samples =
      test.samples.empty() ? std::vector<double>{test.value} : test.samples;
  row.summary = *ledger::Summarize(row.samples);
  const auto appended = ledger::AppendRow(folder + "/made.up.jsonl", row,
                                          absl::Now() + absl::Seconds(30));
  ASSERT_TRUE(appended.ok()) << appended.status();
}

}  // namespace tactus::gate

#endif  // TACTUS_GATE_LEDGER_FOR_TEST_H_
