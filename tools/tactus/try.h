// The command `try`: on the user's own desktop, one word written into the field
// that they clicked, proved, and taken out again.
//
// Example:
//
//   ExitCode code = TryField(server, editor, options, Tell);
#ifndef TACTUS_TOOLS_TACTUS_TRY_H_
#define TACTUS_TOOLS_TACTUS_TRY_H_

#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "ax/edit/editor.h"
#include "ax/server/server.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

// What is written: a word that nobody has in a field by chance.
inline constexpr char kTryWord[] = "tactus";

// Says each step as it is done, a line each, escaped. `options` makes the
// options of one edit. kDone when the word was written and taken out, both
// proved; kFailed when nothing was changed; kUnknown and kDiverged say that
// something may be left in the field, and what.
ExitCode TryField(ax::Server& server, ax::Editor& editor,
                  const std::function<ax::EditOptions()>& options,
                  absl::FunctionRef<void(const std::string&)> say);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_TRY_H_
