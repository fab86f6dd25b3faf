// Where the last edit is kept for a later `tactus undo`: one file of the user's
// own, in the folder that the system clears when the session ends.
//
// It holds what the field held, so it is for its owner alone (0600 in a folder
// of 0700), is replaced by every edit, and is removed by an undo. Nothing is
// kept where there is no such folder, and nothing is read from one that others
// can write to: an undo writes what it finds there.
//
// Example:
//
//   UndoStore store(UndoStore::DefaultFolder());
//   absl::Status kept = store.Save(*editor.undo());
//
// Errors: NotFound (no edit was kept), FailedPrecondition (no folder to keep it
// in; others can write to it; the text is too long, or no UTF-8),
// InvalidArgument (the file is not ours), and what the system says.
#ifndef TACTUS_TOOLS_TACTUS_UNDO_STORE_H_
#define TACTUS_TOOLS_TACTUS_UNDO_STORE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ax/edit/editor.h"

namespace tactus::cli {

class UndoStore {
 public:
  // $XDG_RUNTIME_DIR/tactus; empty where that is not set.
  static std::string DefaultFolder();

  explicit UndoStore(std::string folder) : folder_(std::move(folder)) {}

  // Whole or not at all. On an error nothing is kept any more: what was kept
  // before is not the last edit.
  absl::Status Save(const ax::UndoRecord& undo) const;
  absl::StatusOr<ax::UndoRecord> Load() const;
  absl::Status Clear() const;

 private:
  absl::Status Write(const ax::UndoRecord& undo) const;
  std::string path() const { return folder_ + "/undo.json"; }

  const std::string folder_;
};

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_UNDO_STORE_H_
