#include "ledger/import/fields.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

const json::object& NoObject() {
  static const json::object none;
  return none;
}

const json::array& NoArray() {
  static const json::array none;
  return none;
}

json::string_view Boost(absl::string_view text) {
  return {text.data(), text.size()};
}

bool AsNumber(const json::value& value, double* number) {
  if (value.is_int64()) {
    *number = static_cast<double>(value.get_int64());
  } else if (value.is_uint64()) {
    *number = static_cast<double>(value.get_uint64());
  } else if (value.is_double()) {
    *number = value.get_double();
  } else {
    return false;
  }
  return true;
}

}  // namespace

void Fields::Fail(absl::string_view place, absl::string_view key,
                  absl::string_view what) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      absl::StrCat(place.empty() && key.empty() ? "document" : place,
                   place.empty() || key.empty() ? "" : ".", key, ": ", what));
}

bool Fields::Has(const json::object& from, absl::string_view key) {
  const json::value* value = from.if_contains(Boost(key));
  return value != nullptr && !value->is_null();
}

const json::value* Fields::Find(const json::object& from, absl::string_view key,
                                absl::string_view place) {
  const json::value* value = from.if_contains(Boost(key));
  if (value == nullptr) Fail(place, key, "is missing");
  return value;
}

const json::object& Fields::AsObject(const json::value& value,
                                     absl::string_view place) {
  const json::object* object = value.if_object();
  if (object != nullptr) return *object;
  Fail(place, "", "is not an object");
  return NoObject();
}

const json::object& Fields::Object(const json::object& from,
                                   absl::string_view key,
                                   absl::string_view place) {
  const json::value* value = Find(from, key, place);
  if (value == nullptr) return NoObject();
  if (const json::object* object = value->if_object()) return *object;
  Fail(place, key, "is not an object");
  return NoObject();
}

const json::array& Fields::Array(const json::object& from,
                                 absl::string_view key,
                                 absl::string_view place) {
  const json::value* value = Find(from, key, place);
  if (value == nullptr) return NoArray();
  if (const json::array* array = value->if_array()) return *array;
  Fail(place, key, "is not a list");
  return NoArray();
}

std::string Fields::Text(const json::object& from, absl::string_view key,
                         absl::string_view place) {
  const json::value* value = Find(from, key, place);
  if (value == nullptr) return "";
  if (const json::string* text = value->if_string()) {
    return std::string(text->data(), text->size());
  }
  Fail(place, key, "is not a text");
  return "";
}

double Fields::Number(const json::object& from, absl::string_view key,
                      absl::string_view place) {
  const json::value* value = Find(from, key, place);
  double number = 0;
  if (value != nullptr && !AsNumber(*value, &number)) {
    Fail(place, key, "is not a number");
  }
  return number;
}

int64_t Fields::Count(const json::object& from, absl::string_view key,
                      absl::string_view place) {
  const json::value* value = Find(from, key, place);
  if (value == nullptr) return 0;
  if (const int64_t* count = value->if_int64()) return *count;
  Fail(place, key, "is not a whole number");
  return 0;
}

bool Fields::Bool(const json::object& from, absl::string_view key,
                  absl::string_view place) {
  const json::value* value = Find(from, key, place);
  if (value == nullptr) return false;
  if (const bool* truth = value->if_bool()) return *truth;
  Fail(place, key, "is neither true nor false");
  return false;
}

std::vector<double> Fields::Numbers(const json::object& from,
                                    absl::string_view key,
                                    absl::string_view place) {
  const json::array& array = Array(from, key, place);
  std::vector<double> numbers;
  numbers.reserve(array.size());
  for (const json::value& value : array) {
    double number = 0;
    if (!AsNumber(value, &number)) {
      Fail(place, absl::StrCat(key, "[", numbers.size(), "]"),
           "is not a number");
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace tactus::ledger
