// One edit on a hostile desktop, as bytes make it: what a verdict is found on
// (verdict.h).
//
//   const Trial trial = TrialFromBytes(bytes);
//   const Verdict verdict = Try(trial);
//   RC_ASSERT(verdict.broken == "") << Describe(trial);
#ifndef TACTUS_AX_EDIT_TRIAL_H_
#define TACTUS_AX_EDIT_TRIAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
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

// Some trial, whatever the bytes; zeros are a plain insert into an empty field.
// Of the hostilities it takes those alone of which `verified` can be asked.
Trial TrialFromBytes(absl::Span<const uint8_t> bytes);

// The edit, its options and what happens to the clipboard from bytes, on a
// desktop that is there already.
Trial TrialOn(mock::Script script, absl::Span<const uint8_t> bytes);

// The hostilities are such alone as a client can tell from honest servers in
// principle: what a verdict says of them is proved.
bool Provable(const mock::Script& script);

// A hostility or a fault of the input has that name.
bool Has(const mock::Script& script, absl::string_view name);

// What is typed and written is read so much later than it is done.
absl::Duration ShownLate(const mock::Script& script);

// The trial for a person to read.
std::string Describe(const Trial& trial);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_TRIAL_H_
