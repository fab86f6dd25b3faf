// What can be asked of the daemon, as plain data.
//
// A request of json_rpc.h becomes one of these, or an error that names the
// parameter and what it may be. Every bound that a client could break is held
// here, so nothing behind it looks at JSON.
//
// Example:
//
//   const std::variant<Call, Error> call = ReadCall(request);
//   if (const auto* snapshot = std::get_if<SnapshotCall>(...)) ...
#ifndef TACTUS_TOOLS_CONTROL_CALLS_H_
#define TACTUS_TOOLS_CONTROL_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "ax/edit/plan.h"
#include "ax/edit/stream.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {

// Of a request. Edits are carried out one after the other, so that a longer one
// would keep all others waiting.
inline constexpr absl::Duration kLongestDeadline = absl::Minutes(1);
// Of "max_text", in code points, so that an answer stays under kMostAnswer.
inline constexpr int64_t kMostText = int64_t{1} << 20;
// Of the handle of a field: a bus name and a path, and none that is longer was
// ever given.
inline constexpr size_t kMostHandle = 1024;

struct SnapshotCall {
  absl::Duration deadline = absl::Milliseconds(500);
  int64_t max_text = 65536;
  int64_t context = 1000;
  bool people = false;  // the form for people too
};

// What replace, insert, set, undo and stream have alike.
struct Means {
  absl::Duration deadline = absl::Seconds(5);
  int64_t max_text = 65536;
  bool paste = true;
  bool whole_value = false;
  bool keystrokes = false;
};

struct EditCall {
  std::optional<ax::Edit> edit;  // absent: undo
  Means means;
  bool people = false;
};

// The fields of the window that has the keyboard.
struct FieldsCall {
  absl::Duration deadline = absl::Milliseconds(500);
};

struct FocusCall {
  std::string field;  // the handle of one of them
  absl::Duration deadline = absl::Seconds(1);
};

struct StreamCall {
  // kEnd: as at the end of input; the next text begins another stream.
  enum class Kind { kPartial, kFinal, kCancel, kEnd };
  Kind kind = Kind::kPartial;
  std::string text;
  ax::WhenMoved when_moved = ax::WhenMoved::kHold;
  bool newlines = false;
  Means means;
};

struct WatchCall {
  bool text = false;
  absl::Duration run_for = absl::InfiniteDuration();
  absl::Duration deadline = absl::Milliseconds(500);  // of each reading
  int64_t max_text = 65536;
};

struct UnwatchCall {
  int64_t watch = 0;
};
struct StatusCall {};
struct PauseCall {};
struct ResumeCall {};
struct CancelCall {
  std::string id;  // as JSON
};

using Call = std::variant<SnapshotCall, EditCall, FieldsCall, FocusCall,
                          StreamCall, WatchCall, UnwatchCall, StatusCall,
                          PauseCall, ResumeCall, CancelCall>;

std::variant<Call, Error> ReadCall(const Request& request);

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_CALLS_H_
