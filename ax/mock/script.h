// A desktop, its hostilities and what happens on it, as one piece of text: the
// seeds of the fuzz corpus, the input of the mock process, and the form in
// which a finding is written down.
//
//   absl::StatusOr<Script> script = ParseScript(R"({
//     "latency_ns": {"per_flight": 20000, "per_call": 5000},
//     "applications": [{"id": "app:7", "name": "notes", "pid": 7,
//                       "elements": [{"path": "/body", "text": "hello"}]}],
//     "windows": [{"application": "app:7", "active": true}],
//     "focused": "app:7",
//     "hostilities": [{"name": "slow", "parameter": 30}],
//     "actions": [{"do": "type", "text": "x", "before": 3}]})");
//   World world(script->desktop);
//   MockServer server(&world, &clock, script->latency);
//   absl::Status status = Play(*script, server);
//
// Everything has a default: `{}` is an empty desktop. An unknown key, a value
// of the wrong type and a number out of its bounds are errors that name the
// place. The whole format:
//
//   latency_ns    cold_connection, per_flight, per_call, per_byte
//   applications  id, name, pid, toolkit, toolkit_version, focus (a path; by
//                 default the first focused element), elements:
//                   path, role ("text-area"; RoleName), native, subrole,
//                   subrole_native, states (["focused", ...]; by default those
//                   of a focused, editable, showing text area), text or
//                   code_points ([104, ...] where text cannot hold them), caret
//                   (by default the end), selection ([begin, end]),
//                   other_carets, value_settable, selection_settable,
//                   children, window
//   windows       application, path ("/window"), pid (by default the
//                 application's), title, active; front to back
//   focused       the id of the application that has the keyboard
//   hostilities   name, parameter, application, attribute, after, seed
//   input         name, parameter: the faults of a MockInput
//   actions       do ("type", "move_caret", "select", "set_text", "focus",
//                 "activate", "set_secure", "replace", "remove", "rename",
//                 "quit", "restart", "reuse_pid"), application (by default the
//                 focused one), path (by default its focus), text, range
//                 ([begin, end]), on, and either before (a message's index) or
//                 at_us (time since the script was played)
#ifndef TACTUS_AX_MOCK_SCRIPT_H_
#define TACTUS_AX_MOCK_SCRIPT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// Bounds of what is accepted, so that a hostile script costs little: no test
// needs more, and a text beyond it is what the hostility "huge_text" is for.
inline constexpr size_t kMostScriptBytes = 1 << 20;
inline constexpr size_t kMostApplications = 64;
inline constexpr size_t kMostElements = 20'000;  // of an application
inline constexpr size_t kMostWindows = 256;
inline constexpr size_t kMostHostilities = 64;
inline constexpr size_t kMostInputFaults = 64;
inline constexpr size_t kMostActions = 1024;

enum class ActionKind {
  kType,       // text
  kMoveCaret,  // range.begin
  kSelect,     // range
  kSetText,    // text
  kFocus,
  kActivate,
  kSetSecure,  // on
  kReplace,
  kRemove,
  kRename,  // text
  kQuit,
  kRestart,  // on: under the same process id
  kReusePid,
};

// What a user or an application does, and when. An action whose element or
// application does not exist by then does nothing.
struct Action {
  ActionKind kind = ActionKind::kType;
  std::string application;  // empty: the one with the keyboard
  std::string path;         // empty: the one with the application's focus
  std::string text;
  Range range;
  bool on = true;
  int before = 0;  // the message's index; not used when `at` is given
  std::optional<absl::Duration> at;

  friend bool operator==(const Action&, const Action&) = default;
};

struct HostilitySpec {
  std::string name;
  HostilityOptions options;

  friend bool operator==(const HostilitySpec&, const HostilitySpec&) = default;
};

struct Script {
  Latency latency;
  Desktop desktop;
  std::vector<HostilitySpec> hostilities;
  std::vector<InputFaultSpec> input;
  std::vector<Action> actions;
};

// InvalidArgument, naming the place in the script.
absl::StatusOr<Script> ParseScript(absl::string_view json);

// The script as JSON. ParseScript takes it back to the same script.
std::string FormatScript(const Script& script);

// Some script, whatever the bytes; near bytes make near scripts. Every
// hostility that grows with its parameter is kept small.
Script FromBytes(absl::Span<const uint8_t> bytes);

// Adds the script's hostilities and actions to a server whose world was made
// from its desktop. Errors are those of MakeHostility; nothing is added then.
absl::Status Play(const Script& script, MockServer& server);

// Adds the script's faults to an input on such a world. Errors are those of
// MockInput::Add, after which some may have been added.
absl::Status Play(const Script& script, MockInput& input);

// Does `action` now.
absl::Status Perform(const Action& action, World& world);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_SCRIPT_H_
