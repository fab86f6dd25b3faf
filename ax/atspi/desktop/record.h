// What an edit of a real application came to, appended for tools/support to
// make docs/support.md of.
//
// Example:
//
//   Record({.application = "gtk3", .operation = "delete", .text = "nothing",
//           .field = "text", .agrees = true}, result);
//
// The file is the one that $TACTUS_EDIT_ROWS names, or else edits.jsonl in
// Bazel's folder for what a test leaves. Without either nothing is recorded.
#ifndef TACTUS_AX_ATSPI_DESKTOP_RECORD_H_
#define TACTUS_AX_ATSPI_DESKTOP_RECORD_H_

#include <string>

#include "ax/edit/outcome.h"

namespace tactus::ax::atspi {

struct EditRow {
  std::string application;
  std::string operation;
  std::string text;   // its kind, in a word
  std::string field;  // "text", "entry", "password", "readonly"
  // What was reported is what the application itself holds.
  bool agrees = false;
  // The application's own undo: how often Ctrl+Z was pressed until the text was
  // as before, 0 where that never came. -1 where it was not tried.
  int own_undo = -1;
};

void Record(const EditRow& row, const EditResult& result);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_DESKTOP_RECORD_H_
