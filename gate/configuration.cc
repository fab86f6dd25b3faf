#include "gate/configuration.h"

#include <map>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace tactus::gate {

void AddConfiguration(CLI::App& app, std::vector<std::string>* pairs) {
  app.add_option("--configuration", *pairs,
                 "KEY=VALUE that rows must have; may be given again")
      // One each, or it would take the arguments that follow.
      ->allow_extra_args(false);
}

absl::StatusOr<std::map<std::string, std::string>> ParseConfiguration(
    const std::vector<std::string>& pairs) {
  std::map<std::string, std::string> configuration;
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 ||
        !configuration.emplace(pair.substr(0, equals), pair.substr(equals + 1))
             .second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--configuration ", pair, ": needs KEY=VALUE, each key once"));
    }
  }
  return configuration;
}

}  // namespace tactus::gate
