#include "gate/budgets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "boost/json.hpp"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/quantile_confidence.h"
#include "ledger/stats/summary.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

constexpr struct {
  const char* name;
  double p;
} kStatistics[] = {
    {"min", 0}, {"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};

absl::Status Wrong(absl::string_view place, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", what));
}

std::string String(const json::string& text) {
  return std::string(text.data(), text.size());
}

// Reads the members of an object, each once, and then tells what is left.
class Members {
 public:
  Members(const json::object& object, std::string place)
      : object_(object), place_(std::move(place)) {}

  const json::value* Take(const char* key) {
    taken_.insert(key);
    return object_.if_contains(key);
  }

  absl::Status Text(const char* key, bool needed, std::string* to) {
    const json::value* value = Take(key);
    if (value == nullptr) {
      return needed ? Wrong(place_, absl::StrCat("no \"", key, "\""))
                    : absl::OkStatus();
    }
    if (!value->is_string() || value->get_string().empty()) {
      return Wrong(place_, absl::StrCat("\"", key, "\" is no text"));
    }
    *to = String(value->get_string());
    return absl::OkStatus();
  }

  absl::Status Count(const char* key, int64_t* to) {
    const json::value* value = Take(key);
    if (value == nullptr || !value->is_int64() || value->get_int64() < 0) {
      return Wrong(place_,
                   absl::StrCat("\"", key, "\" must be a whole number from 0"));
    }
    *to = value->get_int64();
    return absl::OkStatus();
  }

  absl::Status Finish() const {
    for (const auto& member : object_) {
      const std::string key(member.key().data(), member.key().size());
      if (taken_.count(key) == 0) {
        return Wrong(place_, absl::StrCat("unknown key \"", key, "\""));
      }
    }
    return absl::OkStatus();
  }

  const std::string& place() const { return place_; }

 private:
  const json::object& object_;
  const std::string place_;
  std::set<std::string> taken_;
};

absl::Status ReadNumber(const json::value& value, absl::string_view place,
                        double* to) {
  if (!value.is_number()) return Wrong(place, "is no number");
  *to = value.to_number<double>();
  if (!std::isfinite(*to)) return Wrong(place, "is no finite number");
  return absl::OkStatus();
}

absl::StatusOr<Budget> ParseBudget(const json::value& value,
                                   const std::string& place) {
  if (!value.is_object()) return Wrong(place, "is no object");
  Members members(value.get_object(), place);
  Budget budget;
  std::string unit;
  for (absl::Status status :
       {members.Text("name", true, &budget.name),
        members.Text("series", true, &budget.series),
        members.Text("statistic", true, &budget.statistic),
        members.Text("unit", true, &unit),
        members.Text("why", true, &budget.why)}) {
    if (!status.ok()) return status;
  }
  if (!ledger::IsSeriesName(budget.series)) {
    return Wrong(place, "\"series\" is no name of a series");
  }
  if (std::none_of(std::begin(kStatistics), std::end(kStatistics),
                   [&](const auto& s) { return budget.statistic == s.name; })) {
    return Wrong(place, "\"statistic\" must be min, p50, p95, p99 or max");
  }
  absl::StatusOr<ledger::Unit> parsed = ledger::ParseUnit(unit);
  if (!parsed.ok()) return Wrong(place, parsed.status().message());
  budget.unit = *parsed;
  if (const json::value* configuration = members.Take("configuration")) {
    if (!configuration->is_object()) {
      return Wrong(place, "\"configuration\" is no object");
    }
    for (const auto& member : configuration->get_object()) {
      if (!member.value().is_string()) {
        return Wrong(place, "\"configuration\" has a value that is no text");
      }
      budget.configuration[std::string(member.key().data(),
                                       member.key().size())] =
          String(member.value().get_string());
    }
  }
  const json::value* at_most = members.Take("at_most");
  const json::value* at_least = members.Take("at_least");
  if ((at_most == nullptr) == (at_least == nullptr)) {
    return Wrong(place, "needs either \"at_most\" or \"at_least\"");
  }
  budget.at_most = at_most != nullptr;
  if (absl::Status s =
          ReadNumber(budget.at_most ? *at_most : *at_least,
                     absl::StrCat(place, ": the bound"), &budget.bound);
      !s.ok()) {
    return s;
  }
  if (budget.bound <= 0) return Wrong(place, "the bound must be above 0");
  const json::value* plausible = members.Take("plausible");
  if (plausible == nullptr || !plausible->is_array() ||
      plausible->get_array().size() != 2) {
    return Wrong(place, "\"plausible\" must be [lowest, highest]");
  }
  for (auto [at, to] : {std::pair(0, &budget.plausible_low),
                        std::pair(1, &budget.plausible_high)}) {
    if (absl::Status s = ReadNumber(plausible->get_array()[at],
                                    absl::StrCat(place, ": plausible"), to);
        !s.ok()) {
      return s;
    }
  }
  if (budget.plausible_low <= 0 ||
      budget.plausible_low > budget.plausible_high ||
      budget.bound < budget.plausible_low ||
      budget.bound > budget.plausible_high) {
    return Wrong(place, "\"plausible\" must be above 0 and hold the bound");
  }
  if (const json::value* confidence = members.Take("confidence")) {
    if (absl::Status s =
            ReadNumber(*confidence, absl::StrCat(place, ": confidence"),
                       &budget.confidence);
        !s.ok()) {
      return s;
    }
    if (budget.confidence <= 0 || budget.confidence >= 1) {
      return Wrong(place, "\"confidence\" must be between 0 and 1");
    }
  }
  if (absl::Status s = members.Finish(); !s.ok()) return s;
  return budget;
}

absl::Status ParseTrips(const json::value& value, Budgets* budgets) {
  if (!value.is_object()) return Wrong("trips", "is no object");
  for (const auto& where : value.get_object()) {
    const std::string place = absl::StrCat(
        "trips.", std::string(where.key().data(), where.key().size()));
    if (!where.value().is_object()) return Wrong(place, "is no object");
    auto& table = budgets->trips[place.substr(sizeof("trips.") - 1)];
    for (const auto& what : where.value().get_object()) {
      const std::string name(what.key().data(), what.key().size());
      const std::string inner = absl::StrCat(place, ".", name);
      if (!what.value().is_object()) return Wrong(inner, "is no object");
      Members members(what.value().get_object(), inner);
      Trips trips;
      for (absl::Status status :
           {members.Count("flights", &trips.flights),
            members.Count("calls", &trips.calls), members.Finish()}) {
        if (!status.ok()) return status;
      }
      table[name] = trips;
    }
  }
  return absl::OkStatus();
}

// What a unit measures, and how much of the first of its kind it is.
struct Dimension {
  char kind;
  double size;
};

Dimension DimensionOf(ledger::Unit unit) {
  switch (unit) {
    case ledger::Unit::kNanoseconds:
      return {'t', 1e-9};
    case ledger::Unit::kMicroseconds:
      return {'t', 1e-6};
    case ledger::Unit::kMilliseconds:
      return {'t', 1e-3};
    case ledger::Unit::kSeconds:
      return {'t', 1};
    case ledger::Unit::kBytes:
      return {'b', 1};
    case ledger::Unit::kBytesPerSecond:
      return {'r', 1};
    case ledger::Unit::kMegabitsPerSecond:
      return {'r', 125000};
    case ledger::Unit::kPerSecond:
      return {'f', 1};
    case ledger::Unit::kCount:
      return {'n', 1};
    case ledger::Unit::kRatio:
      return {'q', 1};
  }
  return {'?', 1};
}

std::string WithUnit(double value, ledger::Unit unit) {
  const std::string figure = Figure(value);
  // "ratio" and "count" say what it is and are no unit to a reader.
  if (unit == ledger::Unit::kRatio || unit == ledger::Unit::kCount) {
    return figure;
  }
  return absl::StrCat(figure, " ", ledger::UnitName(unit));
}

Check Breach(const Budget& budget, std::string reason) {
  return {.name = budget.name,
          .outcome = Outcome::kBreach,
          .reason = std::move(reason)};
}

}  // namespace

double Budget::p() const {
  for (const auto& known : kStatistics) {
    if (statistic == known.name) return known.p;
  }
  return 1;
}

const Budget* Budgets::Find(absl::string_view name) const {
  for (const Budget& budget : budgets) {
    if (budget.name == name) return &budget;
  }
  return nullptr;
}

absl::StatusOr<Budgets> ParseBudgets(absl::string_view text) {
  json::error_code error;
  const json::value value =
      json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return absl::InvalidArgumentError("is no JSON");
  if (!value.is_object()) return absl::InvalidArgumentError("is no object");
  Members members(value.get_object(), "the file");
  int64_t schema = 0;
  if (absl::Status s = members.Count("schema", &schema); !s.ok()) return s;
  if (schema != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("schema ", schema, ", and this program reads 1"));
  }
  Budgets budgets;
  if (const json::value* list = members.Take("budgets")) {
    if (!list->is_array()) return Wrong("budgets", "is no array");
    std::set<std::string> names;
    for (size_t i = 0; i < list->get_array().size(); ++i) {
      const std::string place = absl::StrCat("budgets[", i, "]");
      absl::StatusOr<Budget> budget = ParseBudget(list->get_array()[i], place);
      if (!budget.ok()) return budget.status();
      if (!names.insert(budget->name).second) {
        return Wrong(
            place, absl::StrCat("the name ", budget->name, " is there twice"));
      }
      budgets.budgets.push_back(*std::move(budget));
    }
  }
  if (const json::value* trips = members.Take("trips")) {
    if (absl::Status s = ParseTrips(*trips, &budgets); !s.ok()) return s;
  }
  if (absl::Status s = members.Finish(); !s.ok()) return s;
  return budgets;
}

absl::StatusOr<Budgets> ReadBudgets(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(absl::StrCat("no file ", path, " of budgets"));
  }
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  absl::StatusOr<Budgets> budgets = ParseBudgets(text);
  if (!budgets.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", budgets.status().message()));
  }
  return budgets;
}

absl::StatusOr<double> Convert(double value, ledger::Unit from,
                               ledger::Unit to) {
  const Dimension a = DimensionOf(from);
  const Dimension b = DimensionOf(to);
  if (a.kind != b.kind) {
    return absl::InvalidArgumentError(absl::StrCat(ledger::UnitName(from),
                                                   " cannot be held against ",
                                                   ledger::UnitName(to)));
  }
  return from == to ? value : value * a.size / b.size;
}

std::string BoundText(const Budget& budget) {
  return absl::StrCat(budget.at_most ? "at most " : "at least ",
                      WithUnit(budget.bound, budget.unit));
}

Check Judge(const Budget& budget, absl::Span<const double> samples,
            ledger::Unit unit) {
  if (samples.empty()) return Breach(budget, "no samples");
  std::vector<double> values;
  values.reserve(samples.size());
  for (const double sample : samples) {
    absl::StatusOr<double> value = Convert(sample, unit, budget.unit);
    if (!value.ok()) {
      return Breach(budget, std::string(value.status().message()));
    }
    if (!std::isfinite(*value) || *value < 0) {
      return Breach(budget,
                    absl::StrCat("a sample of ", Figure(*value),
                                 " cannot be: the instrument is broken"));
    }
    values.push_back(*value);
  }
  const double p = budget.p();
  double figure = 0;
  if (p == 0) {
    figure = *std::min_element(values.begin(), values.end());
  } else {
    absl::StatusOr<double> quantile = ledger::Quantile(values, p);
    if (!quantile.ok()) {
      return Breach(budget, std::string(quantile.status().message()));
    }
    figure = *quantile;
  }
  Check check{.name = budget.name};
  check.details.push_back(absl::StrCat(budget.statistic, " of ", values.size(),
                                       " samples of ", budget.series, "; ",
                                       budget.why));
  check.reason =
      absl::StrCat(budget.statistic, " ", WithUnit(figure, budget.unit), " of ",
                   BoundText(budget));
  if (figure < budget.plausible_low || figure > budget.plausible_high) {
    check.outcome = Outcome::kBreach;
    absl::StrAppend(&check.reason, ", and only ",
                    WithUnit(budget.plausible_low, budget.unit), " to ",
                    WithUnit(budget.plausible_high, budget.unit),
                    " can be true: look at the instrument");
    return check;
  }
  check.headroom =
      budget.at_most ? budget.bound / figure : figure / budget.bound;
  const bool within =
      budget.at_most ? figure <= budget.bound : figure >= budget.bound;
  if (!within) {
    check.outcome = Outcome::kBreach;
    return check;
  }
  if (p == 0 || p == 1) {
    check.outcome = Outcome::kPass;
    return check;
  }
  // "At least" mirrored: the quantile of what is turned round.
  const int64_t not_below =
      std::count_if(values.begin(), values.end(), [&](double value) {
        return budget.at_most ? value > budget.bound : value < budget.bound;
      });
  absl::StatusOr<double> confidence =
      ledger::ConfidenceBelow({.n = static_cast<int64_t>(values.size()),
                               .not_below = not_below,
                               .p = budget.at_most ? p : 1 - p});
  if (!confidence.ok()) {
    return Breach(budget, std::string(confidence.status().message()));
  }
  absl::StrAppend(&check.reason, ", ", values.size(), " samples, ",
                  // Rounded down: 94.96 % is not 95 %.
                  absl::StrFormat("%.1f", std::floor(*confidence * 1000) / 10),
                  " % sure");
  if (*confidence >= budget.confidence) {
    check.outcome = Outcome::kPass;
    return check;
  }
  check.outcome = Outcome::kNotMeasurable;
  absl::StrAppend(&check.reason, ", too few to be ",
                  Figure(budget.confidence * 100), " % sure");
  return check;
}

}  // namespace tactus::gate
