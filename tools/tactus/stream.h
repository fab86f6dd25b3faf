// The command `stream`: lines in, an outcome for each of them out.
//
// Lines come faster than a slow application takes them. A partial behind which
// another one waits already is answered as superseded and not written: what is
// seen is the newest text, and no backlog builds up.
//
// Example:
//
//   ExitCode code = RunStream(stream, lines, clock, options,
//                             [](const std::string& line) {
//                               return WriteResult(line);
//                             });
#ifndef TACTUS_TOOLS_TACTUS_STREAM_H_
#define TACTUS_TOOLS_TACTUS_STREAM_H_

#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/stream.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/lines.h"

namespace tactus::cli {

struct StreamCommand {
  // Of one edit, made anew for each.
  std::function<ax::EditOptions()> options;
  // At the end of input, for what is held: how long to wait for the focus.
  // Where it was stopped, it is not waited for.
  absl::Duration hold_for;
};

// At the end of input the last partial becomes final. kDiverged or kUnknown
// when a line ended so; kFailed when the last text was not written, or a line
// was wrong; else kDone. Errors of `report` end it, as if the input had ended.
ExitCode RunStream(ax::Stream& stream, LineReader& lines, ax::Clock& clock,
                   const StreamCommand& command,
                   absl::FunctionRef<absl::Status(const std::string&)> report);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_STREAM_H_
