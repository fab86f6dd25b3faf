// The commands that edit: replace, insert, set and undo.
//
// Example:
//
//   absl::StatusOr<ax::Edit> edit = MakeEdit(arguments, standard_input);
//   std::string note;  // what could not be kept, for a person
//   ax::EditResult result = RunEdit(editor, &*edit, options, store, &note);
#ifndef TACTUS_TOOLS_TACTUS_EDIT_H_
#define TACTUS_TOOLS_TACTUS_EDIT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/input/input.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/undo_store.h"

namespace tactus::cli {

// The edit that the command line asks for. `read` reads all of standard input,
// and is called only where the text is not an argument.
absl::StatusOr<ax::Edit> MakeEdit(
    const Arguments& arguments,
    const std::function<absl::StatusOr<std::string>()>& read);

ax::EditOptions OptionsOf(const Arguments& arguments, absl::Time deadline);

// Carries `edit` out (null: undoes the last one) and keeps what undoes it in
// `store`. What could not be kept is told in `note`, since the edit itself
// stands.
ax::EditResult RunEdit(ax::Editor& editor, const ax::Edit* edit,
                       const ax::EditOptions& options, const UndoStore& store,
                       std::string* note);

// An input that is opened when it is first needed: most edits need none, and
// opening one costs more than they do. Where it cannot be opened nothing was
// sent, so keys answer FailedPrecondition then, with the reason.
class LateInput : public ax::Input {
 public:
  using Open = std::function<absl::StatusOr<std::unique_ptr<ax::Input>>(
      absl::Time deadline)>;
  LateInput(ax::Clock* clock, Open open)
      : clock_(*clock), open_(std::move(open)) {}

  ax::Clock& clock() override { return clock_; }
  absl::StatusOr<std::unique_ptr<ax::ClipboardLoan>> Lend(
      absl::string_view text, const ax::LendOptions& options) override;
  absl::Status Press(ax::PasteKeys keys, absl::Time deadline) override;
  absl::Status Type(absl::string_view ascii, absl::Time deadline) override;

 private:
  absl::Status Opened(absl::Time deadline);
  absl::Status OpenedForKeys(absl::Time deadline);

  ax::Clock& clock_;
  const Open open_;
  std::unique_ptr<ax::Input> input_;
};

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_EDIT_H_
