// How an edit ended. Every edit ends in one of five ways, and none is called
// good that was not proved.
//
// Use it to decide what to do next: `kRefused` and `kFailed` left the text as
// it was, so trying again is safe; after `kDiverged` and `kUnknown` it is not.
//
// Example:
//
//   switch (result.outcome) {
//     case Outcome::kVerified: break;                // a later read held it
//     case Outcome::kRefused:
//     case Outcome::kFailed: Retry(result.reason); break;
//     case Outcome::kDiverged: Show(result.before, result.after); break;
//     case Outcome::kUnknown: Ask(result.message); break;
//   }
#ifndef TACTUS_AX_EDIT_OUTCOME_H_
#define TACTUS_AX_EDIT_OUTCOME_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

enum class Outcome {
  kVerified,  // a later read held exactly what was asked for
  kRefused,   // no write was sent, and what was selected for one has had no
              // part in what the text is now; the reason says why
  kFailed,    // proved unchanged: the server says no, and nothing has changed
  kDiverged,  // changed, but not as asked: `before` and `after` tell how
  kUnknown,   // sent, and no proof either way
};

absl::string_view OutcomeName(Outcome outcome);

// Why it ended so, for a program; `EditResult::message` says it to a person.
enum class Reason {
  kNone,  // verified
  // Refused.
  kNoFocus,           // nothing has the focus, or it could not be read
  kSecure,            // a password field; unknown where it turned into one
                      // while a range of it was selected to be pasted over
  kReadOnly,          // the element says that it cannot be edited
  kNotText,           // the element holds no text
  kAmbiguous,         // two elements claim the focus with equal right
  kStale,             // the focus is on another element than the snapshot's
  kTextChanged,       // the text is not the expected one
  kSelectionChanged,  // caret or selection are not the snapshot's
  kOutOfRange,        // the range is not within the text, or within its window
  kNotFound,          // the text to replace is not there
  kNotUnique,         // the text to replace is there more than once
  kNewline,           // a line break for a field of one line, or a terminal
  kControl,           // a control character that would act and not be text
  kSplitsCharacter,   // an edge lies inside a character that people see as one
  kBadText,           // not UTF-8, or nothing that the server can carry
  kClipboard,         // the clipboard could not be saved, so it was not taken
  kSelectionNotSet,   // the range could not be selected, so nothing was pasted;
                      // unknown where the server says that it was, and what is
                      // shown never was that far
  kNoWay,             // no rung that is allowed serves here
  kNothingToUndo,     // there is no edit that could be undone
  kNoTime,            // the deadline came first; unknown where a range was
                      // selected by then
  kSuperseded,        // a later partial came before this one was written
  kEnded,             // the stream has ended before
  // Failed.
  kRejected,  // the server said no, and nothing changed
  // Diverged.
  kPartial,    // some of it is there; unknown where the deadline cut the wait
  kOther,      // the text is neither what it was nor what was asked for
  kTypedOver,  // nothing was written, but what was typed has replaced what was
               // selected to be pasted over; unknown where it may have
  // Unknown.
  kNotLanded,      // the server said yes, and the element holds what it held:
                   // what was written may be in another
  kNoReply,        // sent, and not answered
  kContradiction,  // what was read contradicts itself; refused where it did
                   // so before anything was sent
  kNotConsumed,    // the paste was sent, and nobody has taken it yet
  kUnreadable,     // what became of it could not be read
};

absl::string_view ReasonName(Reason reason);

// The ways to carry an edit out, in the order in which they are tried.
enum class Rung {
  kNone,        // nothing was sent
  kRange,       // through the server: just the range
  kPaste,       // select through the server, paste from the clipboard
  kWholeValue,  // through the server: the whole value
  kKeystrokes,  // typed, ASCII alone
};

absl::string_view RungName(Rung rung);

struct Attempt {
  Rung rung = Rung::kNone;
  Outcome outcome = Outcome::kRefused;
  Reason reason = Reason::kNone;
  std::string message;
};

struct EditResult {
  Outcome outcome = Outcome::kRefused;
  Reason reason = Reason::kNone;
  std::string message;  // one sentence for a person, with the remedy
  Rung rung = Rung::kNone;
  // Every rung that was tried, the last one among them.
  std::vector<Attempt> attempts;

  Application application;
  Element element;
  // What was replaced, in code points of the text before; and what stands there
  // now when verified.
  Range replaced;
  Range written;
  // The text, or the window of it that starts at `window_begin`: as it was just
  // before the write, as it was to become, and as it was read last. Absent
  // where it was not read.
  int64_t window_begin = 0;
  std::optional<std::string> before;
  std::optional<std::string> expected;
  std::optional<std::string> after;

  // From when the last check had come back to when the write was handed over.
  // A change in this time is not refused; it shows as diverged.
  absl::Duration gap;
  absl::Duration elapsed;
  Traffic traffic;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_OUTCOME_H_
