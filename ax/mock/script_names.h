// The words that scripts use for the members of enumerations.
#ifndef TACTUS_AX_MOCK_SCRIPT_NAMES_H_
#define TACTUS_AX_MOCK_SCRIPT_NAMES_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ax/mock/script.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

struct StateName {
  State state;
  absl::string_view name;
};

// Every state, in the order of its bits.
absl::Span<const StateName> StateNames();

struct ActionName {
  ActionKind kind;
  absl::string_view name;
};

absl::Span<const ActionName> ActionNames();

std::optional<Role> FindRole(absl::string_view name);
std::optional<Attribute> FindAttribute(absl::string_view name);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_SCRIPT_NAMES_H_
