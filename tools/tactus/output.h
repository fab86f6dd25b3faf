// The two streams of a command: results on standard output, everything else on
// standard error.
//
// Example:
//
//   if (!answer.ok()) return Complain(answer.status());
//   return Finish(json, ExitCode::kDone);
#ifndef TACTUS_TOOLS_TACTUS_OUTPUT_H_
#define TACTUS_TOOLS_TACTUS_OUTPUT_H_

#include <string>

#include "absl/status/status.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

// Writes and flushes. Cancelled when whoever read it has gone (a pipe that was
// closed), DataLoss when it could not all be written.
absl::Status WriteResult(const std::string& text);

// A line on standard error, "tactus: " in front. The message may hold words of
// an application: it is escaped here.
void Complain(const std::string& message);

// The message of a status, and the exit code that it means.
ExitCode Complain(const absl::Status& status);

// How a command ends that has a result: writes it, and is `code` where that
// went well.
ExitCode Finish(const std::string& result, ExitCode code);

// A hint that only a person can use: told when standard error is a terminal.
void TellPerson(const std::string& message);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_OUTPUT_H_
