#include "ax/mock/honest.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

Reading HonestOfWindow(const Pane& pane, Attribute attribute) {
  constexpr int64_t kShown = kStateShowing | kStateVisible | kStateEnabled;
  switch (attribute) {
    case Attribute::kRole:
      return Value(RoleValue{Role::kContainer, "frame"});
    case Attribute::kStates:
      return Value(pane.window.active ? kShown | kStateActive : kShown);
    case Attribute::kWindow:
      return Value(pane.element);
    case Attribute::kValueSettable:
    case Attribute::kSelectionSettable:
      return Value(false);
    default:
      return absl::UnimplementedError("a window has no such thing");
  }
}

std::string Slice(const std::u32string& text, Range range) {
  const Range within = Clamp(range, static_cast<int64_t>(text.size()));
  return EncodeUtf8(std::u32string_view(text).substr(
      static_cast<size_t>(within.begin), static_cast<size_t>(within.length())));
}

}  // namespace

Reading HonestReading(const World& world, const Message& message) {
  const Node* node = world.Find(message.element);
  if (node == nullptr) {
    const Pane* pane = world.FindPane(message.element);
    if (pane != nullptr) return HonestOfWindow(*pane, message.attribute);
    return absl::UnavailableError("no such element");
  }
  if (ax::BearsText(message.attribute) &&
      (node->states & kStateSupportsText) == 0) {
    return absl::UnimplementedError("the element has no text");
  }
  switch (message.attribute) {
    case Attribute::kRole:
      return Value(node->role);
    case Attribute::kSubrole:
      if (!node->subrole.has_value()) {
        return absl::UnimplementedError("the element has no subrole");
      }
      return Value(*node->subrole);
    case Attribute::kStates:
      return Value(static_cast<int64_t>(node->states));
    case Attribute::kValueSettable:
      return Value(node->value_settable);
    case Attribute::kSelectionSettable:
      return Value(node->selection_settable);
    case Attribute::kWindow: {
      const std::optional<Element> window = world.WindowOf(message.element);
      if (!window.has_value()) return absl::NotFoundError("no window");
      return Value(*window);
    }
    case Attribute::kText:
      return Value(Slice(node->text, message.range));
    case Attribute::kCharacterCount:
      return Value(static_cast<int64_t>(node->text.size()));
    case Attribute::kCaret:
      return Value(node->caret);
    case Attribute::kSelection:
      if (!node->selection.has_value()) {
        return absl::NotFoundError("nothing is selected");
      }
      return Value(*node->selection);
    case Attribute::kSelectedText:
      if (!node->selection.has_value()) return Value(std::string());
      return Value(Slice(node->text, *node->selection));
  }
  return absl::InvalidArgumentError("no such attribute");
}

Effect HonestEffect(const World& world, const Message& message) {
  Effect effect;
  effect.what = message.what;
  effect.element = message.element;
  effect.range = message.range;
  effect.text = message.text;
  const Node* node = world.Find(message.element);
  const bool places =
      message.what == Change::kSetCaret || message.what == Change::kSelect;
  const State needed = places ? kStateSupportsText : kStateSupportsEditing;
  if (node == nullptr && world.FindPane(message.element) == nullptr) {
    effect.answer = absl::UnavailableError("no such element");
  } else if (node == nullptr || (node->states & needed) == 0) {
    effect.answer = absl::UnimplementedError("the element has no such thing");
  } else if (!(places ? node->selection_settable : node->value_settable)) {
    effect.answer = absl::FailedPreconditionError("it cannot be changed");
  } else {
    effect.lands = true;
  }
  return effect;
}

void Carry(const Effect& effect, World& world) {
  if (!effect.lands) return;
  const auto carry = [&] {
    switch (effect.what) {
      case Change::kDelete:
        return world.ReplaceRange(effect.element, effect.range, "");
      case Change::kInsert:
        return world.ReplaceRange(effect.element,
                                  {effect.range.begin, effect.range.begin},
                                  effect.text);
      case Change::kSetCaret:
        return world.MoveCaret(effect.element, effect.range.begin);
      case Change::kSetValue:
        return world.SetText(effect.element, effect.text);
      case Change::kSelect:
        return world.Select(effect.element, effect.range);
    }
    return absl::InvalidArgumentError("no such change");
  };
  // An element that is gone by then cannot be changed any more.
  if (!carry().ok() || !effect.caret.has_value()) return;
  world.MoveCaret(effect.element, *effect.caret).IgnoreError();
}

absl::StatusOr<std::vector<Element>> HonestFocus(const World& world,
                                                 const std::string& id) {
  const Program* program = world.FindProgram(id);
  if (program == nullptr) {
    return absl::UnavailableError("no such application");
  }
  std::vector<Element> claims;
  if (!program->focus.empty()) claims.push_back({id, program->focus});
  for (const Node& node : program->nodes) {
    if ((node.states & kStateFocused) != 0 && node.path != program->focus) {
      claims.push_back({id, node.path});
    }
  }
  if (claims.empty()) return absl::NotFoundError("nothing has the focus");
  return claims;
}

absl::StatusOr<TextFieldList> HonestFields(const World& world,
                                           const std::string& id,
                                           const FieldLimits& limits) {
  const Program* program = world.FindProgram(id);
  if (program == nullptr) {
    return absl::UnavailableError("no such application");
  }
  constexpr States kTypedInto = kStateEditable | kStateShowing;
  bool active = false;
  for (const Pane& pane : world.desktop().panes) {
    active |= pane.window.active && pane.element.application == id;
  }
  if (!active) return absl::NotFoundError("no window of it is active");
  TextFieldList list;
  for (const Node& node : program->nodes) {
    const Element element{id, node.path};
    const std::optional<Element> window = world.WindowOf(element);
    const Pane* pane = window.has_value() ? world.FindPane(*window) : nullptr;
    if (pane == nullptr || !pane->window.active) continue;
    if ((node.states & kTypedInto) != kTypedInto) continue;
    if (list.fields.size() >= limits.most_fields) {
      list.complete = false;
      break;
    }
    const bool secure = world.IsSecure(element);
    list.fields.push_back(
        {element,
         secure ? RoleValue{Role::kPassword, node.role.native} : node.role,
         node.states, secure ? "" : node.name});
  }
  return list;
}

}  // namespace tactus::ax::mock
