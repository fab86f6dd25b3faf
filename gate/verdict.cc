#include "gate/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "boost/json.hpp"

namespace tactus::gate {
namespace {

namespace json = boost::json;

// On a terminal: what a ledger or a program said may hold escape sequences.
std::string Plain(absl::string_view text) {
  std::string plain;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      absl::StrAppendFormat(&plain, "\\x%02x", byte);
    } else {
      plain += c;
    }
  }
  return plain;
}

std::string Xml(absl::string_view text) {
  std::string xml;
  for (const char c : Plain(text)) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml += c;
    }
  }
  return xml;
}

json::string_view View(absl::string_view text) {
  return {text.data(), text.size()};
}

json::array Lines(const std::vector<std::string>& lines) {
  json::array array;
  for (const std::string& line : lines) array.emplace_back(line);
  return array;
}

// JSON has no infinity: the headroom of a figure of zero.
json::value Number(std::optional<double> value) {
  if (!value.has_value() || std::isnan(*value)) return nullptr;
  return std::clamp(*value, -std::numeric_limits<double>::max(),
                    std::numeric_limits<double>::max());
}

std::optional<Outcome> ParseOutcome(absl::string_view name) {
  for (const Outcome outcome :
       {Outcome::kPass, Outcome::kNotMeasurable, Outcome::kBreach}) {
    if (OutcomeName(outcome) == name) return outcome;
  }
  return std::nullopt;
}

std::string Text(const json::value& value) {
  if (!value.is_string()) return "";
  const json::string& text = value.get_string();
  return std::string(text.data(), text.size());
}

std::string Member(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? "" : Text(*value);
}

std::vector<std::string> Members(const json::object& object, const char* key) {
  std::vector<std::string> found;
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return found;
  for (const json::value& one : value->get_array()) found.push_back(Text(one));
  return found;
}

}  // namespace

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "pass";
    case Outcome::kNotMeasurable:
      return "not measurable";
    case Outcome::kBreach:
      return "breach";
  }
  return "breach";
}

Outcome Report::outcome() const {
  if (checks.empty()) return Outcome::kNotMeasurable;
  // In the order of the enumerators.
  Outcome worst = Outcome::kPass;
  for (const Check& check : checks) worst = std::max(worst, check.outcome);
  return worst;
}

std::string Report::reason() const {
  if (checks.empty()) return "there was nothing to judge";
  if (checks.size() == 1) {
    return absl::StrCat(checks[0].name, ": ", checks[0].reason);
  }
  const Outcome worst = outcome();
  std::array<int, 3> count = {};
  const Check* first = nullptr;
  for (const Check& check : checks) {
    ++count[static_cast<size_t>(check.outcome)];
    if (check.outcome != worst) continue;
    // Of those that pass the one with the least headroom.
    if (first == nullptr ||
        (worst == Outcome::kPass && check.headroom.has_value() &&
         (!first->headroom.has_value() ||
          *check.headroom < *first->headroom))) {
      first = &check;
    }
  }
  std::string reason;
  for (size_t i = 0; i < count.size(); ++i) {
    if (count[i] == 0) continue;
    absl::StrAppend(&reason, reason.empty() ? "" : ", ", count[i], " ",
                    OutcomeName(static_cast<Outcome>(i)));
  }
  return absl::StrCat(reason, "; ", first->name, ": ", first->reason);
}

std::optional<double> Report::headroom() const {
  std::optional<double> least;
  for (const Check& check : checks) {
    if (!check.headroom.has_value()) continue;
    if (!least.has_value() || *check.headroom < *least) least = check.headroom;
  }
  return least;
}

int ExitCode(Outcome outcome, bool require_measurement) {
  switch (outcome) {
    case Outcome::kPass:
      return kExitPass;
    case Outcome::kNotMeasurable:
      return require_measurement ? kExitNotMeasured : kExitPass;
    case Outcome::kBreach:
      return kExitBreach;
  }
  return kExitBreach;
}

std::vector<Check> Together(const std::vector<Check>& checks) {
  using Said = std::pair<std::string, std::vector<std::string>>;
  struct Group {
    size_t place;
    size_t more = 0;
  };
  std::vector<Check> together;
  std::map<Said, Group> groups;
  for (const Check& check : checks) {
    if (check.outcome != Outcome::kNotMeasurable) {
      together.push_back(check);
      continue;
    }
    const auto [at, first] =
        groups.insert({{check.reason, check.details}, {together.size()}});
    if (first) {
      together.push_back(check);
    } else {
      ++at->second.more;
    }
  }
  for (const auto& [said, group] : groups) {
    if (group.more == 0) continue;
    absl::StrAppend(&together[group.place].name, " and ", group.more, " more");
  }
  return together;
}

std::string FormatText(const Report& report) {
  std::string text =
      absl::StrCat(report.gate, ": ", OutcomeName(report.outcome()), ": ",
                   Plain(report.reason()), "\n");
  for (const Check& check : Together(report.checks)) {
    if (report.checks.size() > 1) {
      absl::StrAppend(&text, "  ", OutcomeName(check.outcome), "  ",
                      Plain(check.name), ": ", Plain(check.reason), "\n");
    }
    if (check.headroom.has_value()) {
      absl::StrAppend(&text, "    headroom ", Times(*check.headroom), "\n");
    }
    for (const std::string& detail : check.details) {
      absl::StrAppend(&text, "    ", Plain(detail), "\n");
    }
  }
  for (const std::string& detail : report.details) {
    absl::StrAppend(&text, "  ", Plain(detail), "\n");
  }
  return text;
}

std::string FormatJson(const Report& report) {
  json::object object;
  object["gate"] = report.gate;
  object["verdict"] = View(OutcomeName(report.outcome()));
  object["reason"] = report.reason();
  object["headroom"] = Number(report.headroom());
  json::array checks;
  for (const Check& check : report.checks) {
    checks.push_back(json::object{{"name", check.name},
                                  {"verdict", View(OutcomeName(check.outcome))},
                                  {"reason", check.reason},
                                  {"headroom", Number(check.headroom)},
                                  {"details", Lines(check.details)}});
  }
  object["checks"] = std::move(checks);
  object["details"] = Lines(report.details);
  return json::serialize(object) + "\n";
}

std::string FormatJunit(const std::vector<Report>& reports,
                        bool require_measurement) {
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Report& report : reports) {
    // A suite without a case counts as one that passed.
    std::vector<Check> checks = report.checks;
    if (checks.empty()) {
      checks.push_back({.name = report.gate, .reason = report.reason()});
    }
    const auto count = [&](Outcome outcome) {
      return std::count_if(checks.begin(), checks.end(), [&](const Check& c) {
        return c.outcome == outcome;
      });
    };
    const auto not_measured = count(Outcome::kNotMeasurable);
    absl::StrAppend(&xml, "  <testsuite name=\"gate.", Xml(report.gate),
                    "\" tests=\"", checks.size(), "\" failures=\"",
                    count(Outcome::kBreach), "\" errors=\"",
                    require_measurement ? not_measured : 0, "\" skipped=\"",
                    require_measurement ? 0 : not_measured, "\">\n");
    for (const Check& check : checks) {
      absl::StrAppend(&xml, "    <testcase classname=\"gate.", Xml(report.gate),
                      "\" name=\"", Xml(check.name), "\"");
      const char* element = nullptr;
      if (check.outcome == Outcome::kBreach) {
        element = "failure";
      } else if (check.outcome == Outcome::kNotMeasurable) {
        element = require_measurement ? "error" : "skipped";
      }
      if (element == nullptr) {
        xml += "/>\n";
        continue;
      }
      absl::StrAppend(&xml, ">\n      <", element, " message=\"",
                      Xml(check.reason), "\">");
      for (const std::string& detail : check.details) {
        absl::StrAppend(&xml, Xml(detail), "\n");
      }
      absl::StrAppend(&xml, "</", element, ">\n    </testcase>\n");
    }
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::optional<Report> ParseJson(absl::string_view line) {
  json::error_code error;
  const json::value value = json::parse(View(line), error);
  if (error || !value.is_object()) return std::nullopt;
  const json::object& object = value.get_object();
  Report report{.gate = Member(object, "gate"),
                .details = Members(object, "details")};
  const json::value* checks = object.if_contains("checks");
  if (report.gate.empty() || checks == nullptr || !checks->is_array()) {
    return std::nullopt;
  }
  for (const json::value& one : checks->get_array()) {
    if (!one.is_object()) return std::nullopt;
    const json::object& from = one.get_object();
    const std::optional<Outcome> outcome =
        ParseOutcome(Member(from, "verdict"));
    if (!outcome.has_value()) return std::nullopt;
    Check check{.name = Member(from, "name"),
                .outcome = *outcome,
                .reason = Member(from, "reason"),
                .details = Members(from, "details")};
    if (const json::value* headroom = from.if_contains("headroom");
        headroom != nullptr && headroom->is_number()) {
      check.headroom = headroom->to_number<double>();
    }
    report.checks.push_back(std::move(check));
  }
  return report;
}

std::string Figure(double value) {
  if (std::isnan(value)) return "no number";
  if (std::isinf(value)) return value > 0 ? "infinite" : "minus infinite";
  const double size = std::abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) {
    return absl::StrFormat("%.2e", value);
  }
  int decimals = 0;
  if (size > 0) {
    decimals =
        std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 9);
  }
  std::string text = absl::StrFormat("%.*f", decimals, value);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string Times(double headroom) {
  return absl::StrCat(Figure(headroom), " times");
}

}  // namespace tactus::gate
