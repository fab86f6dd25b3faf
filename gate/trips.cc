#include "gate/trips.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "boost/json.hpp"
#include "gate/budgets.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

struct Counted {
  std::vector<Trips> tries;
  std::string failure;
};

std::optional<std::vector<int64_t>> Numbers(const json::object& object,
                                            const char* key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const json::value& one : value->get_array()) {
    if (!one.is_int64() || one.get_int64() < 0) return std::nullopt;
    numbers.push_back(one.get_int64());
  }
  return numbers;
}

std::string Text(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return "";
  return {value->get_string().data(), value->get_string().size()};
}

// False for a line that no probe can have printed.
bool ReadLine(absl::string_view line, std::map<std::string, Counted>* all) {
  json::error_code error;
  const json::value value =
      json::parse(json::string_view(line.data(), line.size()), error);
  if (error || !value.is_object()) return false;
  const json::object& object = value.get_object();
  const std::string name = Text(object, "trips");
  const std::optional<std::vector<int64_t>> flights =
      Numbers(object, "flights");
  const std::optional<std::vector<int64_t>> calls = Numbers(object, "calls");
  const json::value* failures = object.if_contains("failures");
  if (name.empty() || !flights.has_value() || !calls.has_value() ||
      flights->size() != calls->size() || failures == nullptr ||
      !failures->is_int64()) {
    return false;
  }
  Counted counted;
  for (size_t i = 0; i < flights->size(); ++i) {
    counted.tries.push_back({(*flights)[i], (*calls)[i]});
  }
  if (failures->get_int64() != 0) {
    counted.failure = Text(object, "failure");
    if (counted.failure.empty()) counted.failure = "it failed";
  }
  return all->emplace(name, std::move(counted)).second;
}

std::string Say(const Trips& trips) {
  return absl::StrCat(trips.flights, " flights of ", trips.calls, " calls");
}

bool Dearer(const Trips& a, const Trips& b) {
  return a.flights != b.flights ? a.flights < b.flights : a.calls < b.calls;
}

Check JudgeOne(std::string name, bool edit, const Trips& expected,
               const Counted& counted) {
  Check check{.name = std::move(name), .outcome = Outcome::kBreach};
  if (!counted.failure.empty()) {
    check.reason = counted.failure;
    return check;
  }
  if (counted.tries.empty()) {
    check.reason = "nothing was counted";
    return check;
  }
  const auto [least, most] =
      std::minmax_element(counted.tries.begin(), counted.tries.end(), Dearer);
  if (*least != expected || (!edit && *most != expected)) {
    check.reason = absl::StrCat(Say(*least == expected ? *most : *least),
                                ", and the table "
                                "says ",
                                Say(expected));
    return check;
  }
  check.outcome = Outcome::kPass;
  check.reason = absl::StrCat(Say(expected), ", as the table says");
  const auto dearer =
      std::count_if(counted.tries.begin(), counted.tries.end(),
                    [&](const Trips& one) { return one != expected; });
  if (dearer > 0) {
    check.details.push_back(absl::StrCat(
        dearer, " of ", counted.tries.size(),
        " were read back once more, since the application published late"));
  }
  return check;
}

}  // namespace

std::vector<Check> JudgeTrips(absl::string_view where,
                              const std::map<std::string, Trips>& table,
                              absl::string_view lines) {
  std::map<std::string, Counted> counted;
  std::vector<Check> checks;
  for (const absl::string_view line :
       absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    if (!ReadLine(line, &counted)) {
      checks.push_back({.name = std::string(where),
                        .outcome = Outcome::kBreach,
                        .reason = "the probe printed what cannot be read"});
    }
  }
  if (table.empty()) {
    checks.push_back({.name = std::string(where),
                      .outcome = Outcome::kNotMeasurable,
                      .reason = "the table has no row for it"});
    return checks;
  }
  for (const auto& [name, expected] : table) {
    std::string full = absl::StrCat(where, ".", name);
    const auto found = counted.find(name);
    if (found == counted.end()) {
      checks.push_back({.name = std::move(full),
                        .outcome = Outcome::kBreach,
                        .reason = "was not counted"});
      continue;
    }
    checks.push_back(JudgeOne(std::move(full), absl::StartsWith(name, "edit"),
                              expected, found->second));
  }
  for (const auto& [name, one] : counted) {
    if (table.count(name) != 0) continue;
    checks.push_back({.name = absl::StrCat(where, ".", name),
                      .outcome = Outcome::kBreach,
                      .reason = "is in no row of the table"});
  }
  return checks;
}

}  // namespace tactus::gate
