// A series of numbers from a file, for `//gate:history -- --samples FILE`.
//
// What is read: numbers, separated by white space or commas; an array of JSON;
// or an object of JSON with such an array as "series", "samples" or "values".
#ifndef TACTUS_GATE_SAMPLES_FILE_H_
#define TACTUS_GATE_SAMPLES_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::gate {

// InvalidArgument for anything else, and where there is no number: what cannot
// be read is not a series without changes.
absl::StatusOr<std::vector<double>> ParseSamples(absl::string_view text);

absl::StatusOr<std::vector<double>> ReadSamples(const std::string& path);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_SAMPLES_FILE_H_
