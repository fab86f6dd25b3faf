#include "ax/mock/script_names.h"

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ax/mock/script.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr StateName kStates[] = {
    {kStateFocused, "focused"},
    {kStateActive, "active"},
    {kStateShowing, "showing"},
    {kStateVisible, "visible"},
    {kStateEditable, "editable"},
    {kStateReadOnly, "read-only"},
    {kStateEnabled, "enabled"},
    {kStateSingleLine, "single-line"},
    {kStateMultiLine, "multi-line"},
    {kStateDefunct, "defunct"},
    {kStateSupportsText, "supports-text"},
    {kStateSupportsEditing, "supports-editing"},
};

constexpr ActionName kActions[] = {
    {ActionKind::kType, "type"},
    {ActionKind::kMoveCaret, "move_caret"},
    {ActionKind::kSelect, "select"},
    {ActionKind::kSetText, "set_text"},
    {ActionKind::kFocus, "focus"},
    {ActionKind::kActivate, "activate"},
    {ActionKind::kSetSecure, "set_secure"},
    {ActionKind::kReplace, "replace"},
    {ActionKind::kRemove, "remove"},
    {ActionKind::kRename, "rename"},
    {ActionKind::kQuit, "quit"},
    {ActionKind::kRestart, "restart"},
    {ActionKind::kReusePid, "reuse_pid"},
};

}  // namespace

absl::Span<const StateName> StateNames() { return kStates; }

absl::Span<const ActionName> ActionNames() { return kActions; }

std::optional<Role> FindRole(absl::string_view name) {
  for (int i = 0; i <= static_cast<int>(Role::kContainer); ++i) {
    if (RoleName(static_cast<Role>(i)) == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

std::optional<Attribute> FindAttribute(absl::string_view name) {
  for (int i = 0; i <= static_cast<int>(Attribute::kSelectedText); ++i) {
    const Attribute attribute = static_cast<Attribute>(i);
    if (AttributeName(attribute) == name) return attribute;
  }
  return std::nullopt;
}

}  // namespace tactus::ax::mock
