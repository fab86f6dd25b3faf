// The tools that `tactus mcp serve` has, as `tools/list` tells them.
//
// Names, schemas and annotations stand in one place, in the order in which they
// are told, which never changes while a process lives. What the tools do is in
// text_tools.h; a test holds every answer to the schema here.
//
// Example:
//
//   for (const auto& tool : ToolDefinitions()) ...   // {"name": ..., ...}
//   if (!IsTool(name)) return NoSuchTool(name);
#ifndef TACTUS_TOOLS_MCP_DEFINITIONS_H_
#define TACTUS_TOOLS_MCP_DEFINITIONS_H_

#include <boost/json/fwd.hpp>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tactus::mcp {

inline constexpr char kReadTool[] = "read_focused_text";
inline constexpr char kReplaceTool[] = "replace_text";
inline constexpr char kInsertTool[] = "insert_text";
inline constexpr char kUndoTool[] = "undo_edit";
inline constexpr char kFieldsTool[] = "list_text_fields";
inline constexpr char kFocusTool[] = "focus_text_field";
inline constexpr char kApplicationsTool[] = "list_applications";

// Bounds of arguments; the schemas say the same.
//
// Of "max_text" and "context", in code points. A code point takes 13 bytes at
// most in an answer, where it stands once as it is and once in the text form;
// an edit that diverged tells three windows. So an answer stays under 6 MiB:
// clients of the official packages give up at 10.
inline constexpr int64_t kMostText = int64_t{1} << 17;
inline constexpr int64_t kMostContext = int64_t{1} << 16;
inline constexpr int64_t kDefaultMaxText = 65536;
inline constexpr int64_t kDefaultContext = 1000;
// Of "deadline_ms", as of the daemon's.
inline constexpr int64_t kMostMilliseconds = 60000;
inline constexpr int64_t kReadMilliseconds = 500;
inline constexpr int64_t kEditMilliseconds = 5000;
inline constexpr int64_t kFocusMilliseconds = 1000;

// An array of objects.
const boost::json::array& ToolDefinitions();

bool IsTool(absl::string_view name);

// Whether a tool does more than read; true for what is none.
bool IsEditing(absl::string_view name);

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_DEFINITIONS_H_
