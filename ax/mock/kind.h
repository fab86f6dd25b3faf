// The name and the factory of one ready-made hostility: a row of the registry
// that hostilities.h puts together. Include that to use one; include this to
// write a family of them.
#ifndef TACTUS_AX_MOCK_KIND_H_
#define TACTUS_AX_MOCK_KIND_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "ax/mock/hostility.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// Which messages a hostility concerns, and how it behaves. What an option does
// not name it does not restrict.
struct HostilityOptions {
  // The kind's own number; its meaning, unit and bounds are in HostilityKind.
  std::optional<int64_t> parameter = {};
  // An Application::id. A hostility with one leaves the registry, the display
  // and every other application alone.
  std::string application = {};
  // Only reads of this attribute.
  std::optional<Attribute> attribute = {};
  // Nothing before the message of this index.
  int after = 0;
  // Of what is random in it.
  uint64_t seed = 0;

  friend bool operator==(const HostilityOptions&,
                         const HostilityOptions&) = default;
};

struct HostilityKind {
  absl::string_view name;         // "caret_negative"
  absl::string_view description;  // what it does, in one line
  absl::string_view parameter;  // what it means, with its unit; empty: nothing
  int64_t default_parameter = 0;
  int64_t least = 0;  // bounds of the parameter, inclusive
  int64_t most = 0;
  // `parameter` is within the bounds.
  std::unique_ptr<Hostility> (*make)(const HostilityOptions& options,
                                     int64_t parameter) = nullptr;
  // Its work and its memory grow with the parameter: a fuzzer keeps it small.
  bool grows = false;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_KIND_H_
