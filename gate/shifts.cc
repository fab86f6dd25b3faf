#include "gate/shifts.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "boost/json.hpp"
#include "gate/histories.h"
#include "gate/process.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

// Two commits of one repository do not agree on so many.
constexpr size_t kDigits = 12;

absl::Status Wrong(size_t index, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("shifts[", index, "]: ", what));
}

}  // namespace

absl::StatusOr<std::vector<Shift>> ParseShifts(absl::string_view text) {
  json::error_code error;
  const json::value value =
      json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) {
    return absl::InvalidArgumentError("is no object of JSON");
  }
  const json::object& object = value.get_object();
  const json::value* schema = object.if_contains("schema");
  const json::value* list = object.if_contains("shifts");
  if (schema == nullptr || !schema->is_int64() || schema->get_int64() != 1 ||
      list == nullptr || !list->is_array() || object.size() != 2) {
    return absl::InvalidArgumentError(
        "must have \"schema\": 1 and \"shifts\", an array, and nothing else");
  }
  std::vector<Shift> shifts;
  for (size_t i = 0; i < list->get_array().size(); ++i) {
    const json::value& one = list->get_array()[i];
    if (!one.is_object()) return Wrong(i, "is no object");
    Shift shift;
    for (const auto& [key, to] : {std::pair("series", &shift.series),
                                  {"commit", &shift.commit},
                                  {"why", &shift.why}}) {
      const json::value* member = one.get_object().if_contains(key);
      if (member == nullptr || !member->is_string() ||
          member->get_string().empty()) {
        return Wrong(i, absl::StrCat("\"", key, "\" must be a text"));
      }
      to->assign(member->get_string().data(), member->get_string().size());
    }
    if (one.get_object().size() != 3) return Wrong(i, "has an unknown key");
    if (shift.commit.size() < kDigits ||
        !std::all_of(shift.commit.begin(), shift.commit.end(), [](char c) {
          return absl::ascii_isxdigit(static_cast<unsigned char>(c)) &&
                 !absl::ascii_isupper(static_cast<unsigned char>(c));
        })) {
      return Wrong(i, absl::StrCat("\"commit\" must be at least ", kDigits,
                                   " digits of a commit"));
    }
    shifts.push_back(std::move(shift));
  }
  return shifts;
}

absl::StatusOr<std::vector<Shift>> OpenShifts(const std::string& option) {
  const std::string path =
      option.empty() ? Runfile("gate/shifts.json") : Typed(option);
  if (path.empty()) return std::vector<Shift>();
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(absl::StrCat("no file ", path, " of shifts"));
  }
  absl::StatusOr<std::vector<Shift>> shifts =
      ParseShifts(std::string((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>()));
  if (!shifts.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", shifts.status().message()));
  }
  return shifts;
}

const Shift* ShiftAt(const std::vector<Shift>& shifts, const History& history,
                     const Entry& entry) {
  for (const Shift& shift : shifts) {
    if (MatchesSeries(shift.series, history.series) &&
        absl::StartsWith(entry.commit, shift.commit)) {
      return &shift;
    }
  }
  return nullptr;
}

size_t Beginning(const std::vector<Shift>& shifts, const History& history) {
  size_t beginning = 0;
  const Shift* last = nullptr;
  for (size_t i = 0; i < history.entries.size(); ++i) {
    const Shift* shift = ShiftAt(shifts, history, history.entries[i]);
    // Of the rows of one commit the first.
    if (shift != nullptr && shift != last) {
      beginning = i;
      last = shift;
    }
  }
  return beginning;
}

}  // namespace tactus::gate
