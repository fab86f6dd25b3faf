// Who does the work of the tools: reads and edits the focused text.
//
// Behind it stand the daemon where one runs and this process where none does
// (command_backend.h), or the mock in tests (desk_backend.h).
//
// Example:
//
//   absl::StatusOr<control::Answer> answer =
//       backend.Call("text.snapshot", R"({"max_text":100})", absl::Seconds(1));
//
// One thread at a time.
#ifndef TACTUS_TOOLS_MCP_BACKEND_H_
#define TACTUS_TOOLS_MCP_BACKEND_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"

namespace tactus::mcp {

class Backend {
 public:
  virtual ~Backend() = default;

  // A method of the daemon's (docs/control.md), of `text.snapshot`,
  // `text.replace`, `text.insert`, `text.undo`, `text.fields` and `text.focus`,
  // with its parameters as a
  // JSON object; `patience` is the deadline that they hold. What was refused
  // before anything was done is an answer with an error. A status instead of an
  // answer: it was asked for, and nobody knows how it ended.
  virtual absl::StatusOr<control::Answer> Call(absl::string_view method,
                                               absl::string_view params,
                                               absl::Duration patience) = 0;

  // A `tactus.apps/1` (docs/snapshot-schema.md).
  virtual absl::StatusOr<std::string> Applications(absl::Duration patience) = 0;

  // Nothing waits to be done: time to wait for what the last edit selected.
  virtual void Settle() {}
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_BACKEND_H_
