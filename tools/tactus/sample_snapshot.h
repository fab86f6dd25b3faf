// A snapshot made by hand, for the tests of what is printed of one.
#ifndef TACTUS_TOOLS_TACTUS_SAMPLE_SNAPSHOT_H_
#define TACTUS_TOOLS_TACTUS_SAMPLE_SNAPSHOT_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/resolve/resolve.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::cli {

inline ax::Snapshot SampleSnapshot() {
  ax::Snapshot snapshot;
  snapshot.application = {":1.7", "editor", 812, "gtk", "3.24.38"};
  snapshot.element = {":1.7", "/org/a11y/atspi/accessible/3"};
  snapshot.role = ax::RoleValue{ax::Role::kTextArea, "text"};
  snapshot.states = ax::kStateFocused | ax::kStateEditable |
                    ax::kStateSupportsText | ax::kStateSupportsEditing;
  snapshot.value_settable = true;
  snapshot.selection_settable = true;
  snapshot.value = "héllo שלום";
  snapshot.window = {0, 10};
  snapshot.whole = true;
  snapshot.character_count = 10;
  snapshot.caret = 5;
  snapshot.selection = ax::Range{1, 5};
  snapshot.selected_text = "éllo";
  snapshot.context_before = "h";
  snapshot.context_after = " שלום";
  snapshot.elapsed = absl::Microseconds(1850);
  snapshot.traffic = {4, 17, 24, 1};
  return snapshot;
}

// The same field, where nothing of it may be read.
inline ax::Snapshot SecureSnapshot() {
  ax::Snapshot snapshot = SampleSnapshot();
  const absl::Status why = absl::PermissionDeniedError("the field is secure");
  snapshot.role = ax::RoleValue{ax::Role::kPassword, "password text"};
  snapshot.secure = true;
  snapshot.value = why;
  snapshot.window = {};
  snapshot.whole = false;
  snapshot.character_count = why;
  snapshot.caret = why;
  snapshot.selection = why;
  snapshot.selected_text = why;
  snapshot.context_before.clear();
  snapshot.context_after.clear();
  return snapshot;
}

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_SAMPLE_SNAPSHOT_H_
