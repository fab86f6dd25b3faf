// What `tactus` exits with. The same for every command, and part of its
// interface: a script decides by it whether it may try again.
//
// Example:
//
//   if (!server.ok()) return Complain(server.status());  // output.h
//   return ExitCode::kDone;
#ifndef TACTUS_TOOLS_TACTUS_EXIT_CODE_H_
#define TACTUS_TOOLS_TACTUS_EXIT_CODE_H_

#include "absl/status/status.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::cli {

enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kUsage = 2,
  kCannotRun = 3,
  kUnknown = 4,
  kDiverged = 5,
};

struct ExitCodeMeaning {
  ExitCode code;
  const char* meaning;
};

// In order; --help prints them.
inline constexpr ExitCodeMeaning kExitCodes[] = {
    {ExitCode::kDone, "done"},
    {ExitCode::kFailed,
     "refused or failed, and nothing changed: trying again is safe"},
    {ExitCode::kUsage, "wrong usage"},
    {ExitCode::kCannotRun, "cannot run here; the message says what to do"},
    {ExitCode::kUnknown,
     "unknown: something was sent, with no proof either way"},
    {ExitCode::kDiverged,
     "diverged: an edit changed the text otherwise; of send: some of it was "
     "left out, and the rest is there"},
};

// Of a command that only reads. kUnknown and kDiverged never come of it, since
// nothing was sent that could have changed anything.
ExitCode ExitCodeFor(const absl::Status& status);

// Of an edit.
ExitCode ExitCodeFor(ax::Outcome outcome);

// Of a snapshot that exists. A field that is secure or holds no text has been
// read as far as it ever will be: done. A text or a role that could not be had
// this time is a failure, though the rest is told.
ExitCode ExitCodeFor(const ax::Snapshot& snapshot);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_EXIT_CODE_H_
