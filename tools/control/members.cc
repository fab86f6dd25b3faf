#include "tools/control/members.h"

#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

const value* Find(const object* from, const char* name) {
  return from == nullptr ? nullptr : from->if_contains(name);
}

}  // namespace

const object* ResultOf(const Answer& answer) {
  return answer.result == nullptr ? nullptr : answer.result->if_object();
}

const object* ObjectOf(const object* from, const char* name) {
  const value* held = Find(from, name);
  return held == nullptr ? nullptr : held->if_object();
}

const array* ArrayOf(const object* from, const char* name) {
  const value* held = Find(from, name);
  return held == nullptr ? nullptr : held->if_array();
}

std::string TextOf(const object* from, const char* name) {
  const value* held = Find(from, name);
  if (held == nullptr || !held->is_string()) return "";
  return {held->get_string().data(), held->get_string().size()};
}

int64_t NumberOf(const object* from, const char* name) {
  const value* held = Find(from, name);
  return held == nullptr || !held->is_int64() ? 0 : held->get_int64();
}

bool FlagOf(const object* from, const char* name) {
  const value* held = Find(from, name);
  return held != nullptr && held->is_bool() && held->get_bool();
}

value Json(absl::string_view text) {
  return value(boost::json::string(text.data(), text.size()));
}

}  // namespace tactus::control
