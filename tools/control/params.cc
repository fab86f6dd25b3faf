#include "tools/control/params.h"

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {

using boost::json::value;

void Params::Flag(const char* name, bool* out) {
  const value* held = Find(name);
  if (held == nullptr) return;
  if (!held->is_bool()) return Wrong(name, "true or false");
  *out = held->get_bool();
}

void Params::Number(const char* name, int64_t least, int64_t most,
                    int64_t* out) {
  const value* held = Find(name);
  if (held == nullptr) return;
  if (!held->is_int64() || held->get_int64() < least ||
      held->get_int64() > most) {
    return Wrong(name, absl::StrCat("an integer from ", least, " to ", most));
  }
  *out = held->get_int64();
}

void Params::Milliseconds(const char* name, absl::Duration most,
                          absl::Duration* out) {
  int64_t number = -1;
  Number(name, 1, absl::ToInt64Milliseconds(most), &number);
  if (number > 0) *out = absl::Milliseconds(number);
}

void Params::String(const char* name, std::string* out) {
  const value* held = Find(name);
  if (held == nullptr) return;
  if (!held->is_string()) return Wrong(name, "a string");
  *out = std::string(held->get_string().data(), held->get_string().size());
}

void Params::Strings(const char* name, size_t most,
                     std::vector<std::string>* out) {
  const value* held = Find(name);
  if (held == nullptr) return;
  const std::string wanted = absl::StrCat("a list of 1 to ", most, " strings");
  if (!held->is_array() || held->get_array().empty() ||
      held->get_array().size() > most) {
    return Wrong(name, wanted);
  }
  std::vector<std::string> strings;
  for (const value& one : held->get_array()) {
    if (!one.is_string()) return Wrong(name, wanted);
    strings.emplace_back(one.get_string().data(), one.get_string().size());
  }
  *out = std::move(strings);
}

const value* Params::Find(const char* name) {
  known_.insert(name);
  return given_.if_contains(name);
}

void Params::Wrong(absl::string_view name, absl::string_view wanted) {
  Fail(absl::StrCat("\"", name, "\" must be ", wanted));
}

void Params::Fail(std::string message) {
  if (!error_.has_value()) error_ = Error{Code::kBadParams, std::move(message)};
}

std::optional<Error> Params::End() {
  for (const auto& member : given_) {
    const absl::string_view key(member.key().data(), member.key().size());
    if (known_.count(std::string(key)) == 0) {
      Fail(absl::StrCat("there is no parameter ", Quoted(key), " here"));
    }
  }
  return error_;
}

}  // namespace tactus::control
