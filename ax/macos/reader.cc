#include "ax/macos/reader.h"

#include <ApplicationServices/ApplicationServices.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

// `a + b` where both are not negative, or the greatest.
int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return std::numeric_limits<int64_t>::max();
}

std::string Slice(const std::string& text, Range range) {
  const int64_t begin = std::max<int64_t>(range.begin, 0);
  const int64_t end = std::max<int64_t>(range.end, begin);
  return std::string(SubstrByCodePoints(text, static_cast<size_t>(begin),
                                        static_cast<size_t>(end)));
}

bool IsText(Role role) {
  switch (role) {
    case Role::kTextField:
    case Role::kTextArea:
    case Role::kCombo:
    case Role::kPassword:
      return true;
    default:
      return false;
  }
}

}  // namespace

UnitText::UnitText(std::u16string units)
    : utf8_(std::make_unique<std::string>(FromUtf16(units))),
      units_(static_cast<int64_t>(units.size())),
      code_points_(static_cast<int64_t>(CodePointCount(*utf8_))),
      map_(*utf8_) {}

int64_t UnitText::ToCodePoints(int64_t units) {
  if (units < 0) return units;
  if (units > units_) return SaturatingAdd(code_points_, units - units_);
  return static_cast<int64_t>(
      map_.CodePointFromUtf16(static_cast<size_t>(units)).offset);
}

ElementReader::ElementReader(Calls* calls, ElementTable* table,
                             Ref<AXUIElementRef> element,
                             std::string application, absl::Time deadline)
    : calls_(*calls),
      table_(*table),
      element_(std::move(element)),
      application_(std::move(application)),
      deadline_(deadline) {}

Name ElementReader::NameOf(Key key) {
  switch (key) {
    case Key::kRole:
      return {kAXRoleAttribute, "AXRole"};
    case Key::kSubrole:
      return {kAXSubroleAttribute, "AXSubrole"};
    case Key::kFocused:
      return {kAXFocusedAttribute, "AXFocused"};
    case Key::kEnabled:
      return {kAXEnabledAttribute, "AXEnabled"};
    case Key::kMain:
      return {kAXMainAttribute, "AXMain"};
    case Key::kWindow:
      return {kAXWindowAttribute, "AXWindow"};
    case Key::kValue:
      return {kAXValueAttribute, "AXValue"};
    case Key::kCount:
      return {kAXNumberOfCharactersAttribute, "AXNumberOfCharacters"};
    case Key::kRange:
      return {kAXSelectedTextRangeAttribute, "AXSelectedTextRange"};
    case Key::kSelectedText:
      return {kAXSelectedTextAttribute, "AXSelectedText"};
  }
  return {kAXRoleAttribute, "AXRole"};
}

absl::Span<const ElementReader::Key> ElementReader::KeysOf(
    const ReadRequest& request) {
  static constexpr Key kOfRole[] = {Key::kRole};
  static constexpr Key kOfSubrole[] = {Key::kSubrole};
  static constexpr Key kOfStates[] = {Key::kFocused, Key::kEnabled, Key::kMain};
  static constexpr Key kOfWindow[] = {Key::kWindow};
  static constexpr Key kOfText[] = {Key::kValue};
  static constexpr Key kOfLaterText[] = {Key::kCount};
  static constexpr Key kOfCount[] = {Key::kCount, Key::kValue};
  static constexpr Key kOfRange[] = {Key::kRange, Key::kValue};
  static constexpr Key kOfSelectedText[] = {Key::kSelectedText};
  switch (request.attribute) {
    case Attribute::kRole:
      return kOfRole;
    case Attribute::kSubrole:
      return kOfSubrole;
    case Attribute::kStates:
      return kOfStates;
    case Attribute::kWindow:
      return kOfWindow;
    case Attribute::kText:
      if (request.range.begin > 0) return kOfLaterText;
      return kOfText;
    case Attribute::kCharacterCount:
      return kOfCount;
    case Attribute::kCaret:
    case Attribute::kSelection:
      return kOfRange;
    case Attribute::kSelectedText:
      return kOfSelectedText;
    case Attribute::kValueSettable:
    case Attribute::kSelectionSettable:
      break;
  }
  return {};
}

absl::Status ElementReader::Fetch(absl::Span<const ReadRequest> requests) {
  std::vector<Key> keys;
  for (const ReadRequest& request : requests) {
    for (const Key key : KeysOf(request)) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        keys.push_back(key);
      }
    }
  }
  if (keys.empty()) return absl::OkStatus();
  std::vector<Name> names;
  for (const Key key : keys) names.push_back(NameOf(key));
  absl::StatusOr<std::vector<Calls::Answer>> answers =
      calls_.CopyMany(element_.get(), names, deadline_);
  if (!answers.ok()) {
    if (!absl::IsUnimplemented(answers.status())) failed_ = answers.status();
    return answers.status();
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    answers_.emplace(keys[i], std::move((*answers)[i]));
  }
  return absl::OkStatus();
}

const Calls::Answer& ElementReader::Get(Key key) {
  const auto found = answers_.find(key);
  if (found != answers_.end()) return found->second;
  Calls::Answer answer =
      failed_.ok() ? calls_.Copy(element_.get(), NameOf(key), deadline_)
                   : Calls::Answer(failed_);
  return answers_.emplace(key, std::move(answer)).first->second;
}

const absl::StatusOr<bool>& ElementReader::ValueSettable() {
  if (!value_settable_.has_value()) {
    value_settable_ =
        failed_.ok()
            ? calls_.IsSettable(element_.get(), NameOf(Key::kValue), deadline_)
            : absl::StatusOr<bool>(failed_);
  }
  return *value_settable_;
}

const absl::StatusOr<bool>& ElementReader::SelectionSettable() {
  if (!selection_settable_.has_value()) {
    selection_settable_ =
        failed_.ok()
            ? calls_.IsSettable(element_.get(), NameOf(Key::kRange), deadline_)
            : absl::StatusOr<bool>(failed_);
  }
  return *selection_settable_;
}

Reading ElementReader::Answer(const ReadRequest& request) {
  switch (request.attribute) {
    case Attribute::kRole:
      return ReadRole();
    case Attribute::kSubrole:
      return ReadSubrole();
    case Attribute::kStates:
      return ReadStates();
    case Attribute::kValueSettable:
    case Attribute::kSelectionSettable: {
      const absl::StatusOr<bool>& settable =
          request.attribute == Attribute::kValueSettable ? ValueSettable()
                                                         : SelectionSettable();
      if (!settable.ok()) return settable.status();
      return Value(*settable);
    }
    case Attribute::kWindow:
      return ReadWindow();
    case Attribute::kText:
      return ReadTextIn(request.range);
    case Attribute::kCharacterCount:
      return ReadCount();
    case Attribute::kCaret:
      return ReadCaret();
    case Attribute::kSelection:
      return ReadSelection();
    case Attribute::kSelectedText: {
      const Calls::Answer& answer = Get(Key::kSelectedText);
      if (!answer.ok()) return answer.status();
      absl::StatusOr<std::string> text = TextOf(answer->get());
      if (!text.ok()) return text.status();
      return Value(*std::move(text));
    }
  }
  return absl::InvalidArgumentError("no such attribute");
}

Reading ElementReader::ReadRole() {
  const Calls::Answer& answer = Get(Key::kRole);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> native = TextOf(answer->get());
  if (!native.ok()) return native.status();
  return Value(RoleFrom(*std::move(native)));
}

Reading ElementReader::ReadSubrole() {
  const Calls::Answer& answer = Get(Key::kSubrole);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> native = TextOf(answer->get());
  if (!native.ok()) return native.status();
  return Value(SubroleFrom(*std::move(native)));
}

// macOS tells no set of states. What shows and what is visible it does not tell
// at all: what has the focus is taken to be both.
Reading ElementReader::ReadStates() {
  // The role as it was told, or none: were it read anew it could say that the
  // field is secure by now, where nobody would hear of it.
  absl::StatusOr<RoleValue> role = absl::NotFoundError("not asked for");
  if (answers_.contains(Key::kRole)) role = ax::Get<RoleValue>(ReadRole());
  const Calls::Answer& focused = Get(Key::kFocused);
  const Role kind = role.ok() ? role->role : Role::kUnknown;
  ax::States states = kStateShowing | kStateVisible;
  if (focused.ok()) {
    const absl::StatusOr<bool> on = BoolOf(focused->get());
    if (!on.ok()) return on.status();
    if (*on) states |= kStateFocused;
  } else if (absl::IsUnimplemented(focused.status())) {
    // It was told to have the focus, and has no word for it of its own.
    states |= kStateFocused;
  } else {
    return focused.status();
  }
  // What is not in a batch that was read is not worth a trip.
  const auto is_on = [this](Key key) {
    const auto found = answers_.find(key);
    if (found == answers_.end() || !found->second.ok()) return false;
    const absl::StatusOr<bool> on = BoolOf(found->second->get());
    return on.ok() && *on;
  };
  if (is_on(Key::kEnabled)) states |= kStateEnabled;
  const Calls::Answer& main = Get(Key::kMain);
  if (main.ok() && BoolOf(main->get()).ok()) {
    // Only a window has this. The main one of an application keeps being it in
    // the background.
    if (!is_on(Key::kMain)) return Value(int64_t{states});
    pid_t pid = 0;
    if (AXUIElementGetPid(element_.get(), &pid) != kAXErrorSuccess) {
      return absl::UnavailableError("the window names no process");
    }
    const auto application =
        Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
    if (!application) return absl::UnavailableError("no memory");
    const Calls::Answer frontmost = calls_.Copy(
        application.get(), {kAXFrontmostAttribute, "AXFrontmost"}, deadline_);
    if (!frontmost.ok()) return frontmost.status();
    const absl::StatusOr<bool> on = BoolOf(frontmost->get());
    if (!on.ok()) return on.status();
    if (*on) states |= kStateActive;
    return Value(int64_t{states});
  }
  const absl::StatusOr<bool>& value = ValueSettable();
  const absl::StatusOr<bool>& selection = SelectionSettable();
  // Whether a selection can be set is answered by what can have one.
  const bool text = selection.ok() || IsText(kind);
  if (text) {
    states |= kStateSupportsText;
    if (kind == Role::kTextArea) states |= kStateMultiLine;
    if (kind == Role::kTextField) states |= kStateSingleLine;
    if (value.ok()) {
      states |=
          *value ? kStateEditable | kStateSupportsEditing : kStateReadOnly;
    }
  }
  return Value(int64_t{states});
}

Reading ElementReader::ReadWindow() {
  const Calls::Answer& answer = Get(Key::kWindow);
  if (!answer.ok()) return answer.status();
  const absl::StatusOr<Ref<AXUIElementRef>> window = ElementOf(answer->get());
  if (!window.ok()) return window.status();
  return Value(table_.NameOf(*window, application_));
}

absl::StatusOr<UnitText*> ElementReader::Text() {
  if (!text_.has_value()) {
    const Calls::Answer& answer = Get(Key::kValue);
    absl::StatusOr<std::u16string> units = absl::UnknownError("");
    if (answer.ok()) units = UnitsOf(answer->get());
    if (!answer.ok()) {
      text_ = answer.status();
    } else if (!units.ok()) {
      text_ = units.status();
    } else {
      text_ = std::make_unique<UnitText>(*std::move(units));
    }
  }
  if (!text_->ok()) return text_->status();
  return (*text_)->get();
}

Reading ElementReader::ReadTextIn(Range range) {
  if (range.begin > 0 && !answers_.contains(Key::kValue) && failed_.ok()) {
    const Reading later = ReadTextAfterStart(range);
    if (!absl::IsUnimplemented(later.status()) &&
        !absl::IsNotFound(later.status()) &&
        !absl::IsDataLoss(later.status())) {
      return later;
    }
  }
  const absl::StatusOr<UnitText*> text = Text();
  if (!text.ok()) return text.status();
  // A text that is not as long as its count is told whole: cut to what was
  // asked for it would agree with whatever count it is held against.
  const bool cut = (*text)->code_points() > range.end;
  if (cut || answers_.contains(Key::kCount)) {
    const Calls::Answer& counted = Get(Key::kCount);
    const absl::StatusOr<int64_t> count =
        counted.ok() ? NumberOf(counted->get())
                     : absl::StatusOr<int64_t>(counted.status());
    if (count.ok() && *count != (*text)->units()) {
      return Value((*text)->utf8());
    }
  }
  return Value(Slice((*text)->utf8(), range));
}

// Where the range begins in UTF-16 is not known without the text before it, so
// that is read too; what lies behind is not.
Reading ElementReader::ReadTextAfterStart(Range range) {
  const Calls::Answer& counted = Get(Key::kCount);
  if (!counted.ok()) return counted.status();
  const absl::StatusOr<int64_t> count = NumberOf(counted->get());
  if (!count.ok()) return count.status();
  if (*count < 0) return absl::DataLossError("the count is negative");
  const int64_t reach = SaturatingAdd(range.end, range.end);
  const int64_t units = std::min(reach, *count);
  if (units > kMaxTextUnits) {
    return absl::DataLossError("the text is longer than is taken");
  }
  const Calls::Answer answer = calls_.CopyForRange(
      element_.get(),
      {kAXStringForRangeParameterizedAttribute, "AXStringForRange"}, {0, units},
      deadline_);
  if (!answer.ok()) return answer.status();
  absl::StatusOr<std::string> text = TextOf(answer->get());
  if (!text.ok()) return text.status();
  return Value(Slice(*text, range));
}

Reading ElementReader::ReadCount() {
  const Calls::Answer& counted = Get(Key::kCount);
  if (!counted.ok()) return counted.status();
  const absl::StatusOr<int64_t> count = NumberOf(counted->get());
  if (!count.ok()) return count.status();
  const absl::StatusOr<UnitText*> text = Text();
  if (!text.ok()) return text.status();
  // Where the two contradict each other so do the answers.
  return Value((*text)->ToCodePoints(*count));
}

absl::StatusOr<Range> ElementReader::SelectedUnits() {
  const Calls::Answer& answer = Get(Key::kRange);
  if (!answer.ok()) return answer.status();
  return RangeOf(answer->get());
}

// macOS does not tell at which end of a selection the caret is.
Reading ElementReader::ReadCaret() {
  const absl::StatusOr<Range> units = SelectedUnits();
  if (!units.ok()) return units.status();
  const absl::StatusOr<UnitText*> text = Text();
  if (!text.ok()) return text.status();
  return Value((*text)->ToCodePoints(units->end));
}

Reading ElementReader::ReadSelection() {
  const absl::StatusOr<Range> units = SelectedUnits();
  if (!units.ok()) return units.status();
  if (units->empty()) return absl::NotFoundError("nothing is selected");
  const absl::StatusOr<UnitText*> text = Text();
  if (!text.ok()) return text.status();
  return Value(Range{(*text)->ToCodePoints(units->begin),
                     (*text)->ToCodePoints(units->end)});
}

}  // namespace tactus::ax::macos
