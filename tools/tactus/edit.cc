#include "tools/tactus/edit.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/input/input.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/undo_store.h"

namespace tactus::cli {
namespace {

// For a display that is busy, before the first key.
constexpr absl::Duration kOpening = absl::Seconds(1);

}  // namespace

absl::StatusOr<ax::Edit> MakeEdit(
    const Arguments& arguments,
    const std::function<absl::StatusOr<std::string>()>& read) {
  const EditArguments& given = arguments.edit;
  ax::Edit edit;
  edit.snapshot = given.snapshot;
  edit.expect = given.expect;
  edit.allow_newlines = given.newlines;
  edit.allow_split_characters = given.split_characters;
  switch (arguments.command) {
    case Arguments::Command::kInsert:
      edit.kind = ax::Edit::Kind::kInsertAtCaret;
      break;
    case Arguments::Command::kSet:
      edit.kind = ax::Edit::Kind::kSetValue;
      break;
    default:
      edit.kind = ax::Edit::Kind::kReplaceSelection;
      break;
  }
  if (given.range.has_value()) {
    edit.kind = ax::Edit::Kind::kReplaceRange;
    edit.range = *given.range;
  } else if (given.old_text.has_value()) {
    edit.kind = ax::Edit::Kind::kReplaceText;
    edit.old_text = *given.old_text;
  }
  if (given.text.has_value()) {
    edit.text = *given.text;
    return edit;
  }
  absl::StatusOr<std::string> text = read();
  if (!text.ok()) return text.status();
  // What a shell and an editor put at the end of a file.
  if (!text->empty() && text->back() == '\n') text->pop_back();
  edit.text = *std::move(text);
  return edit;
}

ax::EditOptions OptionsOf(const Arguments& arguments, absl::Time deadline) {
  return {.deadline = deadline,
          .max_text = arguments.max_text,
          .allow_paste = arguments.edit.paste,
          .allow_whole_value = arguments.edit.whole_value,
          .allow_keystrokes = arguments.edit.keystrokes};
}

ax::EditResult RunEdit(ax::Editor& editor, const ax::Edit* edit,
                       const ax::EditOptions& options, const UndoStore& store,
                       std::string* note) {
  if (edit != nullptr) {
    editor.set_undo(std::nullopt);
    ax::EditResult result = editor.Apply(*edit, options);
    // What left the field as it was leaves what the edit before it can be
    // undone by.
    if (result.outcome == ax::Outcome::kRefused ||
        result.outcome == ax::Outcome::kFailed ||
        result.reason == ax::Reason::kNotLanded) {
      return result;
    }
    const absl::Status kept =
        editor.undo().has_value() ? store.Save(*editor.undo()) : store.Clear();
    if (!kept.ok()) *note = std::string(kept.message());
    return result;
  }
  absl::StatusOr<ax::UndoRecord> undo = store.Load();
  if (!undo.ok()) {
    ax::EditResult result;
    result.reason = ax::Reason::kNothingToUndo;
    result.message = std::string(undo.status().message());
    return result;
  }
  editor.set_undo(*std::move(undo));
  ax::EditResult result = editor.UndoLast(options);
  if (result.outcome != ax::Outcome::kRefused &&
      result.outcome != ax::Outcome::kFailed) {
    if (absl::Status status = store.Clear(); !status.ok()) {
      *note = std::string(status.message());
    }
  }
  return result;
}

absl::Status LateInput::Opened(absl::Time deadline) {
  if (input_ != nullptr) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<ax::Input>> input = open_(deadline);
  if (!input.ok()) return input.status();
  input_ = *std::move(input);
  return absl::OkStatus();
}

absl::Status LateInput::OpenedForKeys(absl::Time deadline) {
  absl::Status status = Opened(deadline);
  if (status.ok()) return status;
  return absl::FailedPreconditionError(status.message());
}

absl::StatusOr<std::unique_ptr<ax::ClipboardLoan>> LateInput::Lend(
    absl::string_view text, const ax::LendOptions& options) {
  if (absl::Status status = Opened(options.deadline); !status.ok()) {
    return status;
  }
  return input_->Lend(text, options);
}

absl::Status LateInput::Press(ax::PasteKeys keys, absl::Time deadline) {
  // The deadline is that of keys which the user holds.
  if (absl::Status status = OpenedForKeys(deadline + kOpening); !status.ok()) {
    return status;
  }
  return input_->Press(keys, deadline);
}

absl::Status LateInput::Type(absl::string_view ascii, absl::Time deadline) {
  if (absl::Status status = OpenedForKeys(deadline); !status.ok()) {
    return status;
  }
  return input_->Type(ascii, deadline);
}

}  // namespace tactus::cli
