#include "gate/samples_file.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "boost/json.hpp"

namespace tactus::gate {
namespace {

namespace json = boost::json;

absl::Status NotANumber(size_t index) {
  return absl::InvalidArgumentError(
      absl::StrCat("sample ", index, ", counting from 0, is no finite number"));
}

absl::StatusOr<std::vector<double>> FromArray(const json::array& array) {
  std::vector<double> samples;
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i].is_number()) return NotANumber(i);
    samples.push_back(array[i].to_number<double>());
    if (!std::isfinite(samples.back())) return NotANumber(i);
  }
  if (samples.empty()) return absl::InvalidArgumentError("no samples");
  return samples;
}

}  // namespace

absl::StatusOr<std::vector<double>> ParseSamples(absl::string_view text) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  if (stripped.empty()) return absl::InvalidArgumentError("no samples");
  if (stripped[0] == '[' || stripped[0] == '{') {
    json::error_code error;
    const json::value value =
        json::parse(json::string_view(stripped.data(), stripped.size()), error);
    if (error) return absl::InvalidArgumentError("is no JSON");
    if (value.is_array()) return FromArray(value.get_array());
    for (const char* key : {"series", "samples", "values"}) {
      const json::value* member = value.get_object().if_contains(key);
      if (member != nullptr && member->is_array()) {
        return FromArray(member->get_array());
      }
    }
    return absl::InvalidArgumentError(
        "has no array \"series\", \"samples\" or \"values\"");
  }
  std::vector<double> samples;
  for (const absl::string_view word : absl::StrSplit(
           stripped, absl::ByAnyChar(" \t\r\n,"), absl::SkipEmpty())) {
    double sample = 0;
    if (!absl::SimpleAtod(word, &sample) || !std::isfinite(sample)) {
      return NotANumber(samples.size());
    }
    samples.push_back(sample);
  }
  if (samples.empty()) return absl::InvalidArgumentError("no samples");
  return samples;
}

absl::StatusOr<std::vector<double>> ReadSamples(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("no file ", path));
  absl::StatusOr<std::vector<double>> samples =
      ParseSamples(std::string((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>()));
  if (!samples.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", samples.status().message()));
  }
  return samples;
}

}  // namespace tactus::gate
