#ifndef TACTUS_FUZZ_SNAPSHOT_ORACLE_H_
#define TACTUS_FUZZ_SNAPSHOT_ORACLE_H_

// What must hold of any snapshot, whatever server it was taken of: what it says
// is consistent in itself, and of a secure field it says nothing.
//
// Shared by the targets that take snapshots of hostile servers:
//
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(server, {
//       .deadline = deadline, .max_text = kMaxText, .context = kContext});
//   if (snapshot.ok()) CheckConsistent(*snapshot);

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "fuzz/check.h"

namespace tactus::ax {

// Short, so that the fuzzer meets windows without needing long texts.
inline constexpr int64_t kMaxText = 24;
inline constexpr int64_t kContext = 5;
inline constexpr absl::Duration kDeadline = absl::Milliseconds(200);
// Eight claims of five attributes each, a window, and three readings of four
// texts, one by one, for a hint and two attempts; and what finds them.
inline constexpr int64_t kMaxCalls = 3 * (8 * 5 + 1 + 3 * 4 + 8) + 8;

inline int64_t Length(const std::string& text) {
  return static_cast<int64_t>(CodePointCount(text));
}

inline void CheckConsistent(const Snapshot& snapshot) {
  if (snapshot.secure) {
    FUZZ_CHECK(!snapshot.value.ok() && !snapshot.caret.ok() &&
               !snapshot.character_count.ok() && !snapshot.selection.ok() &&
               !snapshot.selected_text.ok());
    FUZZ_CHECK(snapshot.context_before.empty() &&
               snapshot.context_after.empty());
    FUZZ_CHECK(snapshot.strategy() == Strategy::kSecure);
  } else {
    FUZZ_CHECK(snapshot.role.ok());
  }
  const absl::StatusOr<SnapshotToken> token = DecodeToken(snapshot.token());
  FUZZ_CHECK(token.ok());
  FUZZ_CHECK(token->path == snapshot.element.path);
  FUZZ_CHECK(token->window == snapshot.window);

  if (!snapshot.value.ok()) return;
  const Range window = snapshot.window;
  FUZZ_CHECK(window.begin >= 0 && window.length() == Length(*snapshot.value));
  FUZZ_CHECK(Length(snapshot.context_before) <= kContext);
  FUZZ_CHECK(Length(snapshot.context_after) <= kContext);
  FUZZ_CHECK(!snapshot.whole || window.begin == 0);
  if (snapshot.caret.ok()) {
    FUZZ_CHECK(*snapshot.caret >= 0);
    FUZZ_CHECK(!snapshot.whole || *snapshot.caret <= window.end);
  }
  if (snapshot.selection.ok()) {
    const Range selection = *snapshot.selection;
    FUZZ_CHECK(selection.begin >= 0 && selection.begin <= selection.end);
    if (window.Contains(selection)) {
      FUZZ_CHECK(snapshot.selected_text.ok());
      FUZZ_CHECK(*snapshot.selected_text ==
                 SubstrByCodePoints(
                     *snapshot.value,
                     static_cast<size_t>(selection.begin - window.begin),
                     static_cast<size_t>(selection.end - window.begin)));
    }
  }
}

}  // namespace tactus::ax

#endif  // TACTUS_FUZZ_SNAPSHOT_ORACLE_H_
