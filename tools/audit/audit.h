// What peers did with the focused text and with servers here, as lines of a
// file: when, who, which server, which tool, how it ended. Never what was read
// or written.
//
//   $XDG_STATE_HOME/tactus/audit.jsonl, 0600, and audit.jsonl.1 before it
//   $XDG_STATE_HOME/tactus/audit-edits.jsonl, the same, of edits alone
//
//   {"time":"2026-03-01T12:00:00.000Z","peer":"laptop","server":"focused-text",
//    "tool":"insert_text","outcome":"verified"}
//
// Several processes append to it: a line is one write, and a lock is held
// meanwhile. A file that has grown beyond kMostBytes becomes the one before it,
// whose place it takes: so at most twice as much is kept, some ten thousand
// lines. Edits have files of their own, so that nobody who may read, or is
// refused, can push out what tells of them.
//
// Example:
//
//   Audit audit(StateFolder());
//   absl::Status kept = audit.Append({.peer = "laptop", ...});
//   if (!kept.ok()) return Refuse(kept);    // nothing is done that is not kept
#ifndef TACTUS_TOOLS_AUDIT_AUDIT_H_
#define TACTUS_TOOLS_AUDIT_AUDIT_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tactus::audit {

struct Entry {
  absl::Time time;
  std::string peer;     // its name
  std::string server;   // under which it was exposed
  std::string tool;     // or what else was done
  std::string outcome;  // a word
  // It was begun and changes what is there, or may.
  bool edit = false;
};

class Audit {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 20;
  static constexpr char kFile[] = "audit.jsonl";
  static constexpr char kEditsFile[] = "audit-edits.jsonl";

  // `folder` is private (transfer/identity/private_folder.h); empty: there is
  // none, and nothing can be kept.
  explicit Audit(std::string folder, size_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  // FailedPrecondition where it cannot be written.
  absl::Status Append(const Entry& entry) const;

  // All lines that are kept, in order of time; of each file in the order in
  // which they were kept. Empty where there are none.
  absl::StatusOr<std::string> Read() const;

 private:
  const std::string folder_;
  const size_t most_bytes_;
};

}  // namespace tactus::audit

#endif  // TACTUS_TOOLS_AUDIT_AUDIT_H_
