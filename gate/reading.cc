#include "gate/reading.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "boost/json.hpp"
#include "gate/budgets.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

std::string Text(const json::value* value) {
  if (value == nullptr || !value->is_string()) return "";
  return {value->get_string().data(), value->get_string().size()};
}

double Number(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_number() ? value->to_number<double>()
                                                : 0;
}

bool ReadSeries(const json::object& object, const std::string& name,
                Reading* reading) {
  const json::value* samples = object.if_contains("samples");
  const json::value* failures = object.if_contains("failures");
  const absl::StatusOr<ledger::Unit> unit =
      ledger::ParseUnit(Text(object.if_contains("unit")));
  if (name.empty() || samples == nullptr || !samples->is_array() ||
      failures == nullptr || !failures->is_int64() || !unit.ok()) {
    return false;
  }
  Measured measured{.unit = *unit,
                    .failures = failures->get_int64(),
                    .failure = Text(object.if_contains("failure"))};
  for (const json::value& sample : samples->get_array()) {
    if (!sample.is_number()) return false;
    measured.samples.push_back(sample.to_number<double>());
  }
  return reading->series.emplace(name, std::move(measured)).second;
}

bool ReadFact(const std::string& name, const json::value* value,
              Reading* reading) {
  if (value == nullptr) return false;
  if (name == "end") {
    reading->end = Text(value);
  } else if (name == "no_proof") {
    reading->no_proof = Text(value);
  } else if (name == "recorded") {
    reading->recorded.push_back(Text(value));
  } else if (name == "repaired") {
    reading->repaired = Text(value);
  } else if (name == "optimized") {
    reading->optimized = value->is_bool() && value->get_bool();
  } else if (name == "waited_us") {
    if (!value->is_array()) return false;
    for (const json::value& one : value->get_array()) {
      if (!one.is_number()) return false;
      reading->waited.push_back(one.to_number<double>());
    }
  } else if (name == "excused") {
    if (!value->is_array()) return false;
    for (const json::value& one : value->get_array()) {
      if (!one.is_object()) return false;
      reading->excused.push_back(
          {.took_ms = Number(one.get_object(), "took_ms"),
           .waited_ms = Number(one.get_object(), "waited_ms")});
    }
  } else {
    return false;
  }
  return true;
}

bool ReadLine(absl::string_view line, Reading* reading) {
  json::error_code error;
  const json::value value =
      json::parse(json::string_view(line.data(), line.size()), error);
  if (error || !value.is_object()) return false;
  const json::object& object = value.get_object();
  if (const json::value* series = object.if_contains("series")) {
    return ReadSeries(object, Text(series), reading);
  }
  return ReadFact(Text(object.if_contains("fact")), object.if_contains("value"),
                  reading);
}

// Whether the budget would be kept, had the scheduler not held this process up.
bool KeptButForTheScheduler(const Budget& budget, const Measured& measured,
                            const std::vector<double>& waited) {
  if (!budget.at_most || measured.unit != ledger::Unit::kMicroseconds ||
      waited.size() != measured.samples.size()) {
    return false;
  }
  std::vector<double> rest = measured.samples;
  for (size_t i = 0; i < rest.size(); ++i) {
    rest[i] -= std::clamp(waited[i], 0.0, rest[i]);
  }
  return Judge(budget, rest, measured.unit).outcome == Outcome::kPass;
}

}  // namespace

Reading ReadLines(absl::string_view lines) {
  Reading reading;
  for (const absl::string_view line :
       absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    if (!ReadLine(line, &reading)) ++reading.broken;
  }
  return reading;
}

std::vector<Check> JudgeReading(absl::string_view series,
                                const Budgets& budgets,
                                absl::string_view application,
                                const Reading& reading) {
  const std::string name(series);
  const auto broken = [&](std::string reason) {
    return std::vector<Check>{{.name = absl::StrCat(name, " ", application),
                               .outcome = Outcome::kBreach,
                               .reason = std::move(reason)}};
  };
  if (reading.broken > 0) {
    return broken("the probe printed what cannot be read");
  }
  const auto found = reading.series.find(name);
  if (found == reading.series.end()) return broken("was not measured");
  const Measured& measured = found->second;
  // Speed does not count where the answer does not come.
  if (measured.failures > 0) {
    return broken(absl::StrCat(
        measured.failures, " of ",
        measured.failures + static_cast<int64_t>(measured.samples.size()),
        " failed: ", measured.failure));
  }
  const bool busy = reading.end == "too busy";
  if (measured.samples.empty() && !busy) return broken("no samples");
  std::vector<Check> checks;
  for (const Budget& budget : budgets.budgets) {
    if (budget.series != series) continue;
    const auto on = budget.configuration.find("application");
    if (on != budget.configuration.end() && on->second != application) {
      continue;
    }
    Check check = measured.samples.empty()
                      ? Check{.name = budget.name}
                      : Judge(budget, measured.samples, measured.unit);
    if (check.outcome == Outcome::kBreach && !measured.samples.empty() &&
        KeptButForTheScheduler(budget, measured, reading.waited)) {
      check.outcome = Outcome::kNotMeasurable;
      absl::StrAppend(&check.reason,
                      ", and it would be kept without the time in which the "
                      "scheduler held this process up: the machine is too busy "
                      "to say");
    }
    if (busy && check.outcome != Outcome::kBreach) {
      check.outcome = Outcome::kNotMeasurable;
      check.reason = absl::StrCat(
          "the machine is too busy to say: ", reading.excused.size(),
          " tries, and more than may be, were held up by the scheduler",
          check.reason.empty() ? "" : "; of the rest ", check.reason);
    } else if (check.outcome == Outcome::kNotMeasurable) {
      absl::StrAppend(&check.reason, ", and there were no more: ", reading.end);
    }
    checks.push_back(std::move(check));
  }
  if (checks.empty()) {
    checks.push_back({.name = absl::StrCat(name, " ", application),
                      .reason = "there is no budget for it"});
  }
  return checks;
}

std::vector<std::string> Details(const Reading& reading) {
  std::vector<std::string> details;
  if (!reading.excused.empty()) {
    std::vector<std::string> each;
    for (const Excuse& one : reading.excused) {
      each.push_back(absl::StrCat(Figure(one.took_ms), " ms of which ",
                                  Figure(one.waited_ms)));
    }
    details.push_back(absl::StrCat(
        reading.excused.size(),
        " left out and taken again, since the scheduler held this process up: ",
        absl::StrJoin(each, ", ")));
  }
  if (!reading.no_proof.empty()) {
    details.push_back(absl::StrCat(
        "nothing can be excused here, the kernel keeps no account: ",
        reading.no_proof));
  }
  if (!reading.optimized) {
    details.push_back(
        "not optimized: a user's is faster; -c opt measures what is shipped");
  }
  if (!reading.recorded.empty()) {
    details.push_back(
        absl::StrCat("recorded: ", absl::StrJoin(reading.recorded, ", ")));
  }
  if (!reading.repaired.empty()) details.push_back(reading.repaired);
  return details;
}

}  // namespace tactus::gate
