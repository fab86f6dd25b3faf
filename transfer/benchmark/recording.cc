#include "transfer/benchmark/recording.h"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boost/json.hpp"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::transfer {
namespace {

namespace json = boost::json;

std::string Text(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return "";
  return {value->get_string().data(), value->get_string().size()};
}

absl::Status Append(ledger::Recorder& recorder, const std::string& line) {
  json::error_code error;
  const json::value value = json::parse(line, error);
  if (error || !value.is_object()) {
    return absl::InvalidArgumentError("the line is no object");
  }
  const json::object& object = value.get_object();
  const absl::StatusOr<ledger::Unit> unit =
      ledger::ParseUnit(Text(object, "unit"));
  if (!unit.ok()) return unit.status();
  ledger::Series series{.name = Text(object, "series"),
                        .unit = *unit,
                        .direction = Text(object, "direction") == "more"
                                         ? ledger::Direction::kMoreIsBetter
                                         : ledger::Direction::kLessIsBetter,
                        .failure = Text(object, "failure")};
  const json::value* samples = object.if_contains("samples");
  if (samples == nullptr || !samples->is_array()) {
    return absl::InvalidArgumentError("no samples");
  }
  for (const json::value& sample : samples->get_array()) {
    if (!sample.is_number()) return absl::InvalidArgumentError("no number");
    series.samples.push_back(sample.to_number<double>());
  }
  const json::value* failures = object.if_contains("failures");
  if (failures != nullptr && failures->is_int64()) {
    series.failures = failures->get_int64();
  }
  std::map<std::string, std::string> configuration;
  if (const json::value* more = object.if_contains("configuration")) {
    if (!more->is_object()) {
      return absl::InvalidArgumentError("no configuration");
    }
    for (const auto& one : more->get_object()) {
      const std::string key(one.key().data(), one.key().size());
      configuration[key] = Text(more->get_object(), key.c_str());
    }
  }
  return recorder.Record(series, configuration);
}

}  // namespace

int RecordLines(const std::string& instrument, const std::string& harness,
                int argc, char** argv) {
  std::string folder;
  CLI::App app("Appends rows for " + instrument + ".");
  app.add_option("--ledger", folder, "the folder")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
      ledger::Recorder::Start(
          {.instrument = instrument, .harness = harness, .ledger = folder});
  if (!recorder.ok()) {
    std::cout << recorder.status().message() << std::endl;
    return 1;
  }
  std::cout << "ok" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const absl::Status recorded = Append(**recorder, line);
    std::cout << (recorded.ok() ? "ok" : recorded.message()) << std::endl;
  }
  return 0;
}

}  // namespace tactus::transfer
