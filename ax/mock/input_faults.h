// Every way in which pasting and typing go wrong that Tactus knows, by name: of
// the keyboard, of the clipboard and of what the application makes of a key.
//
// Use it to give them to a MockInput, and to enumerate them in a test or a
// script:
//
//   input.Add("paste_late", 300).IgnoreError();
//   for (const InputFaultKind& kind : AllInputFaults()) { ... kind.name ... }
#ifndef TACTUS_AX_MOCK_INPUT_FAULTS_H_
#define TACTUS_AX_MOCK_INPUT_FAULTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::ax::mock {

enum class InputFault {
  kPasteNever,
  kPasteLate,
  kPasteTruncated,
  kPasteTwice,
  kPasteStripsNewlines,
  kFocusMovesBeforePaste,
  kPressFails,
  kTypeFails,
  kTypeFirstKeyDropped,
  kTypeWrongLayout,
  kClipboardStolen,
  kClipboardTooLarge,
  kClipboardOwnerHangs,
};

struct InputFaultKind {
  InputFault fault;
  absl::string_view name;         // "paste_late"
  absl::string_view description;  // what it does, in one line
  absl::string_view parameter;  // what it means, with its unit; empty: nothing
  int64_t default_parameter = 0;
  int64_t least = 0;  // bounds of the parameter, inclusive
  int64_t most = 0;
};

// A fault as a script names it.
struct InputFaultSpec {
  std::string name;
  std::optional<int64_t> parameter;

  friend bool operator==(const InputFaultSpec&,
                         const InputFaultSpec&) = default;
};

// All, in the order of the enumeration. Names are unique.
absl::Span<const InputFaultKind> AllInputFaults();

// Null when there is none of that name.
const InputFaultKind* FindInputFault(absl::string_view name);

// The spec's parameter or the kind's own. NotFound for a name that nothing has;
// InvalidArgument when the parameter is out of the kind's bounds.
absl::StatusOr<int64_t> ParameterOf(const InputFaultSpec& spec);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_INPUT_FAULTS_H_
