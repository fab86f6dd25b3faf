// Results as JSON, one line each, in the forms of docs/snapshot-schema.md.
//
// Every line is valid UTF-8: what of an application's text UTF-8 cannot hold is
// U+FFFD there, one for one, so that offsets stay right. It is also safe to
// print: what ax/text/escape.h would not let pass to a terminal is written as
// \uXXXX, which a parser reads as the same character.
//
// Example:
//
//   WriteResult(SnapshotJson(snapshot, connect_time));
//
// Boost.JSON, whose header is costly to compile, stays within a few units.
#ifndef TACTUS_TOOLS_TACTUS_JSON_H_
#define TACTUS_TOOLS_TACTUS_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"
#include "tools/tactus/watch.h"

namespace tactus::cli {

// A change of a form that breaks a reader changes the number. New members do
// not: a reader ignores those that it does not know.
inline constexpr char kSnapshotSchema[] = "tactus.snapshot/1";
inline constexpr char kEventSchema[] = "tactus.event/1";
inline constexpr char kAppsSchema[] = "tactus.apps/1";
inline constexpr char kDoctorSchema[] = "tactus.doctor/1";
inline constexpr char kEditSchema[] = "tactus.edit/1";
inline constexpr char kUndoSchema[] = "tactus.undo/1";

// Each ends with a newline. `connect` is what it took to reach the server.
std::string SnapshotJson(const ax::Snapshot& snapshot, absl::Duration connect);
std::string ChangeJson(const Change& change);
std::string AppsJson(const Apps& apps);
std::string DoctorJson(absl::Span<const Check> checks);
std::string EditJson(const ax::EditResult& result);
// The answer to one line of a stream; `answers` is "partial", "final" or
// "cancel".
std::string StreamJson(const ax::EditResult& result, absl::string_view answers);

// One line of a stream: JSON where it begins with a brace, else a partial as it
// is. InvalidArgument names what is wrong with it.
struct StreamLine {
  enum class Kind { kPartial, kFinal, kCancel };
  Kind kind = Kind::kPartial;
  std::string text;
};
absl::StatusOr<StreamLine> ParseStreamLine(absl::string_view line);

// What `undo` needs of the last edit, to be kept between two commands. Read
// back it is InvalidArgument when it was not written by UndoJson.
std::string UndoJson(const ax::UndoRecord& undo);
absl::StatusOr<ax::UndoRecord> ParseUndo(absl::string_view json);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_JSON_H_
