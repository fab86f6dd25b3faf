#include "ax/edit/outcome.h"

#include "absl/strings/string_view.h"

namespace tactus::ax {

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kVerified:
      return "verified";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kDiverged:
      return "diverged";
    case Outcome::kUnknown:
      return "unknown";
  }
  return "unknown";
}

absl::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "none";
    case Reason::kNoFocus:
      return "no-focus";
    case Reason::kSecure:
      return "secure";
    case Reason::kReadOnly:
      return "read-only";
    case Reason::kNotText:
      return "not-text";
    case Reason::kAmbiguous:
      return "ambiguous";
    case Reason::kStale:
      return "stale";
    case Reason::kTextChanged:
      return "text-changed";
    case Reason::kSelectionChanged:
      return "selection-changed";
    case Reason::kOutOfRange:
      return "out-of-range";
    case Reason::kNotFound:
      return "not-found";
    case Reason::kNotUnique:
      return "not-unique";
    case Reason::kNewline:
      return "newline";
    case Reason::kControl:
      return "control-character";
    case Reason::kSplitsCharacter:
      return "splits-character";
    case Reason::kBadText:
      return "bad-text";
    case Reason::kClipboard:
      return "clipboard";
    case Reason::kSelectionNotSet:
      return "selection-not-set";
    case Reason::kNoWay:
      return "no-way";
    case Reason::kNothingToUndo:
      return "nothing-to-undo";
    case Reason::kNoTime:
      return "no-time";
    case Reason::kSuperseded:
      return "superseded";
    case Reason::kEnded:
      return "ended";
    case Reason::kRejected:
      return "rejected";
    case Reason::kTypedOver:
      return "typed-over";
    case Reason::kNotLanded:
      return "not-landed";
    case Reason::kPartial:
      return "partial";
    case Reason::kOther:
      return "other";
    case Reason::kNoReply:
      return "no-reply";
    case Reason::kContradiction:
      return "contradiction";
    case Reason::kNotConsumed:
      return "not-consumed";
    case Reason::kUnreadable:
      return "unreadable";
  }
  return "unreadable";
}

absl::string_view RungName(Rung rung) {
  switch (rung) {
    case Rung::kNone:
      return "none";
    case Rung::kRange:
      return "range";
    case Rung::kPaste:
      return "paste";
    case Rung::kWholeValue:
      return "whole-value";
    case Rung::kKeystrokes:
      return "keystrokes";
  }
  return "none";
}

}  // namespace tactus::ax
