// What the tools do: arguments in, the result of a `tools/call` out.
//
// Arguments are checked against the schema of definitions.h, and what is wrong
// is a result that says so, which a model can read and mend. Every result is
// told twice, as `structuredContent` and as the same JSON in a text, as the
// protocol asks for.
//
// An edit ends in one of the five outcomes of ax/edit/outcome.h whatever
// happens, also where no daemon answers: then it is refused where nothing was
// asked for yet, and unknown where it was. All but verified are marked
// `isError`, so that an agent which looks at nothing else is not misled.
//
// Example:
//
//   boost::json::object result =
//       CallTool("insert_text", {{"text", "hello"}}, backend);
//   // result["structuredContent"].at("outcome") == "verified"
#ifndef TACTUS_TOOLS_MCP_TEXT_TOOLS_H_
#define TACTUS_TOOLS_MCP_TEXT_TOOLS_H_

#include <boost/json/fwd.hpp>

#include "absl/strings/string_view.h"
#include "tools/mcp/backend.h"

namespace tactus::mcp {

// What an agent does next after an edit that ended so, as the schema names it:
// `outcome` and `reason` are those of docs/edit-schema.md.
absl::string_view NextStep(absl::string_view outcome, absl::string_view reason);

// `name` is one of IsTool.
boost::json::object CallTool(absl::string_view name,
                             const boost::json::object& arguments,
                             Backend& backend);

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_TEXT_TOOLS_H_
