// One edit on a hostile desktop, and everything that must hold of how it ended.
//
// Shared by the property test beside it and by the fuzzer (//fuzz:ax_server):
// bytes become a desktop, an edit, what goes wrong and what the user does, and
// the verdict names the promise that was broken.
//
//   const Verdict verdict = Try(TrialFromBytes(bytes));
//   RC_ASSERT(verdict.broken == "");
//
// The promises, by the names that a verdict gives them:
//
//   verified    verified: when the text was read last, the element held exactly
//               what was expected
//   stale       what carries a token or a text is sent only while the text that
//               was read last is the one it names
//   retried     a user's edit that left a trace is never verified over, and
//   ends
//               the ladder
//   unchanged   failed or refused: the world holds what it would hold had the
//               user been alone
//   refused     refused: no change was asked for and no key was sent
//   overtyped   failed or refused: nothing that was typed has replaced what the
//               editor had selected to be pasted over
//   doubled     the new text is there once at most
//   secure      nothing that bears text, and no key, goes to a field that has
//               told that it is secure
//   deadline    the edit ends by its deadline, or half a second later where it
//               gives back what it took
//   clipboard   the clipboard holds what it held, or what another client put
//               there
//
// The last three hold on any server. The others are asked of servers alone of
// which a client can know in principle, see `Provable` in the source.
#ifndef TACTUS_AX_EDIT_TRIAL_H_
#define TACTUS_AX_EDIT_TRIAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/mock/script.h"

namespace tactus::ax {

// Begins every text that a trial writes, and is in no other. ASCII, so that it
// can be typed.
inline constexpr char kMarker[] = "#";

struct Trial {
  // Actions are those of the user or of the application. On the way to the
  // element whose text changes none is the editor's.
  mock::Script script;
  Edit edit;
  // From a snapshot of the honest desktop, taken before the edit.
  bool with_token = false;
  bool with_expect = false;
  absl::Duration time = absl::Seconds(3);  // until the deadline
  EditOptions options;                     // but for its deadline
  // Another client takes the clipboard before the message of this index.
  std::optional<int> clipboard_taken = {};
  absl::Duration modifiers_held = {};
};

struct Verdict {
  // "" or the promise that was broken, with what was and what ought to be.
  std::string broken;
  EditResult result;
  bool provable = false;  // all promises were asked for
  bool user_in_gap = false;
  bool overtyped = false;  // keys replaced what the editor had selected
};

// Some trial, whatever the bytes; zeros are a plain insert into an empty field.
// Of the hostilities it takes those alone of which `verified` can be asked.
Trial TrialFromBytes(absl::Span<const uint8_t> bytes);

// The edit, its options and what happens to the clipboard from bytes, on a
// desktop that is there already.
Trial TrialOn(mock::Script script, absl::Span<const uint8_t> bytes);

Verdict Try(const Trial& trial);

// The trial for a person to read.
std::string Describe(const Trial& trial);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_TRIAL_H_
