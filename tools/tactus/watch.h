// What has the focus, and then what changes.
//
// Applications tell of one change in a burst of events, some of them wrong, so
// an event is never reported as it came: when a burst is over the focus is read
// afresh, and what differs from the last reading is reported. Of two changes in
// one burst only the sum is seen. What events say of elements without the focus
// is not looked at.
//
// Example:
//
//   absl::Status status = Watch(server, *events, {.text = true},
//                               [](const Change& change) {
//                                 return WriteResult(ChangeJson(change));
//                               });
#ifndef TACTUS_TOOLS_TACTUS_WATCH_H_
#define TACTUS_TOOLS_TACTUS_WATCH_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::cli {

struct Change {
  enum class Kind {
    kFocus,      // another element has the focus than at the last line
    kText,       // the text of the focused element
    kSelection,  // its caret or selection, not its text
    kNoFocus,    // nothing has the focus, or what has it does not answer
    kLost,       // events were dropped: changes may have been missed
  };
  Kind kind = Kind::kFocus;
  absl::Duration at;   // since the watch began, until it was read
  int64_t events = 0;  // in the burst that led to it; 0 at the start
  std::optional<ax::Snapshot> snapshot;  // kFocus, kText and kSelection
  absl::Status why;                      // of kNoFocus
};

// "focus", "no-focus".
absl::string_view KindName(Change::Kind kind);

struct WatchOptions {
  bool text = false;  // kText and kSelection too; events must tell of them
  absl::Duration run_for = absl::InfiniteDuration();
  int64_t count = 0;  // changes reported, 0 for no end
  absl::Duration deadline = absl::Milliseconds(500);  // of each reading
  int64_t max_text = 65536;
};

// OK when its time or its count has come, or when `events` was cancelled; else
// what `report` returned, or Unavailable when no event will ever come again.
// The first change, at once, is what has the focus at the start. `events` must
// have been opened before, so that nothing is missed between.
absl::Status Watch(ax::Server& server, ax::EventSource& events,
                   const WatchOptions& options,
                   absl::FunctionRef<absl::Status(const Change&)> report);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_WATCH_H_
