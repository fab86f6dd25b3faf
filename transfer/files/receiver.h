// Receives what peers send, decides that a transfer is done, and remembers it.
//
// Use one for a device. Serve blocks for as long as a stream lives, so give
// each stream of the kind "file" a thread.
//
// Example:
//
//   Receiver receiver({.clock = &Clock::Real(),
//                      .decide = [](const DeviceId& peer, const Offer& offer,
//                                   const std::function<bool()>& gone) {
//                        return Decision{.accepted = true, .folder = "/inbox"};
//                      }});
//   const std::optional<TransferResult> result =
//       receiver.Serve(*transport.Accept(deadline));
//
// A transfer is done when all of it is verified, in its place and on the disk;
// that is remembered before the sender is told, for kMostRemembered transfers
// of each peer and as long as this lives. A transfer that is cut leaves its
// unfinished files, and is gone on with when the same is offered again, under
// the same id or not: what a sender finds here is what it sent itself, and is
// verified chunk by chunk against what it reads then.
//
// Memory, for each transfer: kMostWaiting packs of frames of 1 MiB and a bit,
// and of files that were declared their paths and hashes, 2 MiB at most.
//
// Safe to call from any thread.
#ifndef TACTUS_TRANSFER_FILES_RECEIVER_H_
#define TACTUS_TRANSFER_FILES_RECEIVER_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/progress.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {

struct Decision {
  bool accepted = false;
  // Told to the sender where it is refused.
  std::string reason = {};
  // Where it goes: a folder of this device that is there, or a pipe. The pipe
  // is not closed, and takes one file and nothing else. It is used until
  // OnEnd of the observer, which comes in any case, and never after: what was
  // written there cannot be written again, so that a connection that is lost
  // is the end of the transfer, and the sender is told so when it asks.
  std::string folder = {};
  int sink = -1;
  // May be null. Called by the thread in Serve.
  std::shared_ptr<Observer> observer = nullptr;
};

struct ReceiverOptions {
  Clock* clock = nullptr;
  // Asked once for each transfer and what it offers, by the thread in Serve;
  // may take its time, but no longer than the sender waits (90 s). `gone` says
  // that nobody waits any more, and what is answered then counts for nothing.
  std::function<Decision(const DeviceId& peer, const Offer& offer,
                         const std::function<bool()>& gone)>
      decide;
  // Null: one in memory.
  Delivered* delivered = nullptr;
  // For a sender that is there to say something; it does every few seconds,
  // also when it has nothing to send.
  absl::Duration patience = absl::Seconds(60);
  DestinationOptions destination = {};
};

class Receiver {
 public:
  static constexpr size_t kMostRemembered = 1024;
  static constexpr size_t kMostWaiting = 4;

  explicit Receiver(ReceiverOptions options);
  // No Serve is in progress any more.
  ~Receiver();

  // Serves a stream to its end. Nothing where it was not about a transfer of
  // its own: a question, or the repetition of a verdict.
  std::optional<TransferResult> Serve(std::unique_ptr<Stream> stream);

  // Ends a transfer; the sender is told when it asks. False when there is none.
  bool Cancel(const DeviceId& peer, const TransferId& id);

  // Cuts what is received, to be gone on with later, and takes nothing more.
  void Stop();

 private:
  class Session;
  using Key = std::pair<DeviceId, TransferId>;
  struct Remembered {
    std::map<TransferId, Verdict> verdicts;
    std::deque<TransferId> verdict_order;
    // With the offer that each was about.
    std::map<TransferId, std::pair<std::string, Decision>> decisions;
    std::deque<TransferId> decision_order;
  };

  // Makes the session the one of that transfer, when none before it is left.
  absl::Status Claim(const Key& key, Session* session, bool* known);
  void Release(const Key& key, Session* session);
  std::optional<Verdict> Find(const Key& key);
  void Remember(const Key& key, const Verdict& verdict);
  // Of that offer; of any where it is null.
  std::optional<Decision> FindDecision(const Key& key, const Offer* offer);
  void RememberDecision(const Key& key, const Offer& offer,
                        const Decision& decision);

  ReceiverOptions options_;
  Delivered own_delivered_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<Key, Session*> active_ ABSL_GUARDED_BY(mutex_);
  std::map<DeviceId, Remembered> remembered_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_RECEIVER_H_
