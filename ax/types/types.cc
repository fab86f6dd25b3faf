#include "ax/types/types.h"

#include "absl/strings/string_view.h"

namespace tactus::ax {

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kUnknown:
      return "unknown";
    case Role::kOther:
      return "other";
    case Role::kTextField:
      return "text-field";
    case Role::kTextArea:
      return "text-area";
    case Role::kDocument:
      return "document";
    case Role::kParagraph:
      return "paragraph";
    case Role::kCombo:
      return "combo";
    case Role::kTerminal:
      return "terminal";
    case Role::kPassword:
      return "password";
    case Role::kContainer:
      return "container";
  }
  return "unknown";
}

absl::string_view AttributeName(Attribute attribute) {
  switch (attribute) {
    case Attribute::kRole:
      return "role";
    case Attribute::kSubrole:
      return "subrole";
    case Attribute::kStates:
      return "states";
    case Attribute::kValueSettable:
      return "value_settable";
    case Attribute::kSelectionSettable:
      return "selection_settable";
    case Attribute::kWindow:
      return "window";
    case Attribute::kText:
      return "text";
    case Attribute::kCharacterCount:
      return "character_count";
    case Attribute::kCaret:
      return "caret";
    case Attribute::kSelection:
      return "selection";
    case Attribute::kSelectedText:
      return "selected_text";
  }
  return "unknown";
}

}  // namespace tactus::ax
