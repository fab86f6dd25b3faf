// Appends rows to a file of the ledger, so that none is lost and none is mixed
// with another.
//
// Use it for whatever writes a ledger; nothing else keeps the promises below.
// From several processes or threads at once as well.
//
// Example:
//
//   const std::string path = folder + "/" + FileNameFor(row.instrument.name);
//   absl::StatusOr<Tail> tail =
//       AppendRow(path, row, absl::Now() + absl::Seconds(10));
//   if (!tail.ok()) return tail.status();
//   if (tail->kind != Tail::Kind::kWhole) Tell(DescribeTail(path, *tail));
//
// What is promised:
//
// - A row whose append answered OK is in the file, whole, on the disk (fsync,
//   and of the folder where the file is new), whoever is killed afterwards.
// - A row whose append answered an error is not in the file, unless the message
//   says otherwise. A row whose writer was killed may be.
// - Writers wait for each other (flock), each until its own deadline.
// - What a killed writer left of a line at the end of the file is put right by
//   the next append, and reported: a row that lacks only its line end gets it;
//   anything else never was reported as written, and is moved to the side file
//   `<path>.torn`, so that nothing is thrown away unseen.
// - Nothing is written through a link, to a pipe, a device or a folder.
//
// What is not: a writer that takes no lock (an editor, `cat >>`) can tear what
// it writes itself; a network file system may have neither flock nor an atomic
// append; and the deadline bounds the wait for others, not that for the disk.
#ifndef TACTUS_LEDGER_FILE_APPEND_H_
#define TACTUS_LEDGER_FILE_APPEND_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// How the file ended when it was locked, and what was done about it.
struct Tail {
  enum class Kind {
    kWhole,  // with a line end, or it was empty
    kEnded,  // with a row that lacked its line end, which it got
    kMoved,  // with something else, which is now in the side file
  };
  Kind kind = Kind::kWhole;
  int64_t bytes = 0;      // of that piece
  std::string side_file;  // kMoved
};

// A sentence for a person; empty for kWhole.
std::string DescribeTail(absl::string_view path, const Tail& tail);

// `path` is made where it is not there, and so are the folders above it.
// Errors: InvalidArgument for a row that FormatRow refuses, DeadlineExceeded
// when others held the lock until then, FailedPrecondition for what is no
// regular file, and what the system says (ENOSPC is ResourceExhausted).
absl::StatusOr<Tail> AppendRow(const std::string& path, const Row& row,
                               absl::Time deadline);

// Several in one write under one lock. An error means that none is there; of a
// writer that was killed, the first ones may be, each whole.
absl::StatusOr<Tail> AppendRows(const std::string& path,
                                absl::Span<const Row> rows,
                                absl::Time deadline);

// Lines as another ledger holds them, with their ends. InvalidArgument for one
// that ParseRow refuses.
absl::StatusOr<Tail> AppendLines(const std::string& path,
                                 absl::Span<const std::string> lines,
                                 absl::Time deadline);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_APPEND_H_
