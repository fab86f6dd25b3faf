// --configuration KEY=VALUE, which several gates take.
#ifndef TACTUS_GATE_CONFIGURATION_H_
#define TACTUS_GATE_CONFIGURATION_H_

#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"

namespace tactus::gate {

void AddConfiguration(CLI::App& app, std::vector<std::string>* pairs);

// InvalidArgument for what has no '=', or names a key twice.
absl::StatusOr<std::map<std::string, std::string>> ParseConfiguration(
    const std::vector<std::string>& pairs);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_CONFIGURATION_H_
