// What an edit would change, worked out on a snapshot, and whether it may.
//
// Everything that can be refused without asking anybody is refused here: a
// stale snapshot, a password, a line break for a field of one line, half a
// character. It is pure, so that each refusal can be tested by itself; Editor
// (ax/edit/editor.h) is what callers use.
//
// Example:
//
//   const Planned planned = MakePlan(snapshot, {.text = "Hello"});
//   if (!planned.plan.has_value()) return Refuse(planned.refusal);
//   Write(planned.plan->range, planned.plan->text);
#ifndef TACTUS_AX_EDIT_PLAN_H_
#define TACTUS_AX_EDIT_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"

namespace tactus::ax {

// Why no key is sent where Snapshot::secure_beside is so.
inline constexpr absl::string_view kSecureBeside =
    "another field that claims the focus is secure, or may be, and a key could "
    "go there: click into the field that is meant";

// One edit. Offsets are code points of the whole text.
struct Edit {
  enum class Kind {
    kReplaceSelection,  // what is selected; at the caret where nothing is
    kInsertAtCaret,     // the selection, if any, stays
    kReplaceRange,      // `range`
    kReplaceText,       // `old_text`, which must be in the window exactly once
    kSetValue,          // everything
  };
  Kind kind = Kind::kReplaceSelection;
  std::string text;  // UTF-8
  Range range = {};
  std::string old_text = {};

  // What must still hold, or the edit is refused. Without either the snapshot
  // that the edit takes itself is what it edits.
  std::optional<SnapshotToken> snapshot = {};
  std::optional<std::string> expect = {};  // the text, or its window
  // Where `expect` is only a window of a long text: its first code point. The
  // window that is read now follows the caret, so the two are compared where
  // they overlap, which must hold all that is replaced. Absent: `expect` is
  // exactly what the snapshot reads.
  std::optional<int64_t> expect_begin = {};
  std::optional<Element> element = {};  // what has the focus

  // Where the caret is to be afterwards; absent: behind the new text.
  std::optional<int64_t> caret = {};

  // What is refused unless it is asked for.
  // Line breaks in fields of one line and in terminals, where a tab acts too.
  bool allow_newlines = false;
  bool allow_split_characters = false;
  // Refused for a terminal, which takes what is added and can take nothing
  // back.
  bool must_be_replaceable = false;
};

struct Plan {
  Range range;         // to be replaced, of the whole text
  std::string text;    // by this
  int64_t length = 0;  // of `text`, in code points

  // The window as it is and as it is to become, from `window_begin` on.
  int64_t window_begin = 0;
  std::string before;
  std::string after;
  int64_t before_length = 0;
  int64_t after_length = 0;
  bool whole = false;  // the window is all of the text
  // Of the whole text; absent where the server does not tell.
  std::optional<int64_t> count_before;
  std::optional<int64_t> count_after;
  // Where the caret goes; absent where it is left alone.
  std::optional<int64_t> caret;
  // Another claim of the focus is secure, or may be: no key may be sent, since
  // it could go there. What names the element may be.
  bool no_keys = false;

  bool changes_nothing() const { return before == after; }
};

struct Refusal {
  Reason reason = Reason::kNone;
  std::string message;
};

// Exactly one of the two is set.
struct Planned {
  std::optional<Plan> plan;
  Refusal refusal;
};

Planned MakePlan(const Snapshot& snapshot, const Edit& edit);

// Why `snapshot` is not the one that `token` names; kNone when it is.
Refusal Compare(const SnapshotToken& token, const Snapshot& snapshot);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_PLAN_H_
