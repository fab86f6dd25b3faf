#include "ax/mock/input_faults.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::ax::mock {
namespace {

constexpr int64_t kMostMilliseconds = 60'000;
constexpr int64_t kMostUnits = 16 << 20;

constexpr InputFaultKind kFaults[] = {
    {InputFault::kPasteNever, "paste_never", "the key that pastes is swallowed",
     ""},
    {InputFault::kPasteLate, "paste_late",
     "the application pastes late, what the clipboard then holds",
     "how late, in ms", 300, 0, kMostMilliseconds},
    {InputFault::kPasteTruncated, "paste_truncated",
     "only the beginning of the clipboard is pasted", "how many UTF-16 units",
     20, 0, kMostUnits},
    {InputFault::kPasteTwice, "paste_twice", "the clipboard is pasted twice",
     ""},
    {InputFault::kPasteStripsNewlines, "paste_strips_newlines",
     "line ends are left out of what is pasted", ""},
    {InputFault::kFocusMovesBeforePaste, "focus_moves_before_paste",
     "the focus goes to another field just before the key", ""},
    {InputFault::kPressFails, "press_fails",
     "the keyboard has no key that pastes", ""},
    {InputFault::kTypeFails, "type_fails",
     "the keyboard has no key for what is typed", ""},
    {InputFault::kTypeFirstKeyDropped, "type_first_key_dropped",
     "the first key that is typed is dropped", ""},
    {InputFault::kTypeWrongLayout, "type_wrong_layout", "y is typed z, z is y",
     ""},
    {InputFault::kClipboardStolen, "clipboard_stolen",
     "another client takes the clipboard just before the key", ""},
    {InputFault::kClipboardTooLarge, "clipboard_too_large",
     "the clipboard holds more than may be saved", ""},
    {InputFault::kClipboardOwnerHangs, "clipboard_owner_hangs",
     "the owner of the clipboard does not hand it over", ""},
};

}  // namespace

absl::Span<const InputFaultKind> AllInputFaults() { return kFaults; }

const InputFaultKind* FindInputFault(absl::string_view name) {
  for (const InputFaultKind& kind : kFaults) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

absl::StatusOr<int64_t> ParameterOf(const InputFaultSpec& spec) {
  const InputFaultKind* kind = FindInputFault(spec.name);
  if (kind == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("no input fault \"", spec.name, "\""));
  }
  const int64_t parameter = spec.parameter.value_or(kind->default_parameter);
  if (parameter < kind->least || parameter > kind->most) {
    return absl::InvalidArgumentError(
        absl::StrCat(spec.name, ": parameter ", parameter, " is not in [",
                     kind->least, ", ", kind->most, "]"));
  }
  return parameter;
}

}  // namespace tactus::ax::mock
