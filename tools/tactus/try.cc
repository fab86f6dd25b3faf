#include "tools/tactus/try.h"

#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/escape.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

std::string Took(absl::Duration duration) {
  return absl::StrFormat("%.1f ms", absl::ToDoubleMilliseconds(duration));
}

std::string Ended(const ax::EditResult& result) {
  return absl::StrCat(ax::OutcomeName(result.outcome), ": ",
                      ax::ForTerminal(result.message));
}

}  // namespace

ExitCode TryField(ax::Server& server, ax::Editor& editor,
                  const std::function<ax::EditOptions()>& options,
                  absl::FunctionRef<void(const std::string&)> say) {
  const ax::EditOptions reading = options();
  const absl::StatusOr<ax::Snapshot> snapshot = ax::SnapshotFocused(
      server, {.deadline = reading.deadline, .max_text = reading.max_text});
  if (!snapshot.ok()) {
    say(absl::StrCat(
        "Nothing could be read: ",
        ax::ForTerminal(std::string(snapshot.status().message()))));
    return ExitCode::kFailed;
  }
  const std::string name = snapshot->application.name.empty()
                               ? "An application without a name"
                               : ax::ForTerminal(snapshot->application.name);
  if (!snapshot->value.ok()) {
    say(absl::StrCat(
        name, " has the focus, and its text was not read: ",
        ax::ForTerminal(std::string(snapshot->value.status().message()))));
    return ExitCode::kFailed;
  }
  say(absl::StrCat(name, " has the focus. Its field was read in ",
                   Took(snapshot->elapsed), ": ", snapshot->window.length(),
                   " characters, caret at ",
                   snapshot->caret.ok() ? absl::StrCat(*snapshot->caret)
                                        : "an unknown place",
                   "."));
  if (snapshot->strategy() == ax::Strategy::kTerminal) {
    say("It is a terminal, which cannot take back what it is given: nothing "
        "was "
        "written. Click into a field of another application.");
    return ExitCode::kFailed;
  }
  if (snapshot->selection.ok() && !snapshot->selection->empty()) {
    say("Something is selected there, which the word would replace: nothing "
        "was "
        "written. Click into the field, so that nothing is selected.");
    return ExitCode::kFailed;
  }

  const ax::EditResult written = editor.Apply(
      {.kind = ax::Edit::Kind::kInsertAtCaret, .text = kTryWord}, options());
  if (written.outcome != ax::Outcome::kVerified) {
    say(absl::StrCat("The word was not written. ", Ended(written)));
    return ExitCodeFor(written.outcome);
  }
  say(absl::StrCat("The word \"", kTryWord, "\" was written by ",
                   ax::RungName(written.rung), " and read back in ",
                   Took(written.elapsed), "."));
  const ax::EditResult undone = editor.UndoLast(options());
  if (undone.outcome != ax::Outcome::kVerified) {
    say(absl::StrCat("It was not taken out again, so it is there still: ",
                     Ended(undone)));
    // The field is not as it was, whatever became of the undo.
    return undone.outcome == ax::Outcome::kUnknown ? ExitCode::kUnknown
                                                   : ExitCode::kDiverged;
  }
  say(absl::StrCat("It was taken out again in ", Took(undone.elapsed),
                   ", and the field holds what it held."));
  return ExitCode::kDone;
}

}  // namespace tactus::cli
