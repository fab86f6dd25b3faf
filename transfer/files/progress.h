// How far a transfer is, and who is told.
//
// Implement Observer to show it. It is called by the thread that runs the
// transfer, often (with each chunk, and with all else that a sender says), and
// must not wait.
//
// Example:
//
//   class Bar : public Observer {
//     void OnProgress(const Progress& progress) override { ... }
//   };
//
// Paths are bytes from a disk or a peer: escape them before a terminal.
#ifndef TACTUS_TRANSFER_FILES_PROGRESS_H_
#define TACTUS_TRANSFER_FILES_PROGRESS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"

namespace tactus::transfer::files {

struct Progress {
  // As counted before the transfer; kSizeUnknown where nobody can know. What is
  // sent may turn out more or less, since files change.
  uint64_t total_bytes = kSizeUnknown;
  uint64_t total_files = 0;
  // In this try: bytes that the other side has or was sent, and of those the
  // ones that it had.
  uint64_t bytes = 0;
  uint64_t kept = 0;
  uint64_t files = 0;  // that ended
  // Bytes of content that went over the wire, in all tries together.
  uint64_t fresh = 0;
  int tries = 0;
};

// What became of a transfer, as one side knows it.
struct TransferResult {
  TransferId id;
  Outcome outcome = Outcome::kUnknown;
  // For people; from the peer, maybe: escape it. Empty when it is done.
  std::string reason = {};
  Progress progress = {};
  uint64_t replaced = 0;  // files that were there before
  uint64_t left_out = 0;  // entries that were not sent, and links not made
  // It was not finished and can be gone on with: unfinished files are kept.
  bool parked = false;
};

class Observer {
 public:
  virtual ~Observer() = default;
  // Of one that is received: a try begins, and ends. There is one at a time.
  virtual void OnBegin(const TransferId& id, const Progress& progress) {}
  virtual void OnEnd(const TransferResult& result) {}
  virtual void OnProgress(const Progress& progress) {}
  // A file has ended; with its SHA-256 where that was asked for.
  virtual void OnFile(absl::string_view path, uint64_t size,
                      const std::optional<Sha256Digest>& sha256) {}
  // Something was not sent, or a link not made.
  virtual void OnLeftOut(absl::string_view path, absl::string_view why) {}
  // The connection was lost, and it is tried again.
  virtual void OnRetry(const absl::Status& why) {}
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_PROGRESS_H_
