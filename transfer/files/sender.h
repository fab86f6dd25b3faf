// Sends files, folders or a pipe to a peer, and finds out how that ended.
//
// Use one for each transfer, on a thread of its own; Cancel from any other.
//
// Example:
//
//   Sender sender(&transport, &Clock::Real(),
//                 {.peer = peer, .roots = {{"/srv/photos", "photos"}}});
//   const TransferResult result = sender.Run();
//   if (result.outcome == Outcome::kDone) ...
//
// The receiver alone decides that a transfer is done: when all of it is there,
// verified and on its disk. The sender learns that from a verdict. When the
// connection is cut before one came it offers the same transfer anew; a
// receiver that had finished repeats its verdict, another one goes on from what
// it has. Only a sender that sent everything, was told nothing and reaches
// nobody any more says kUnknown. One that was cancelled, or reads a pipe, which
// cannot be read again, asks for the verdict instead of going on, and asking
// ends the transfer where it had not ended.
//
// What is small goes with the offer in the first try, before the receiver has
// answered (kEarlyBytes): a receiver that refuses it has been sent it, and has
// written nothing.
//
// Memory: ChunkReader::kAhead chunks and what FrameWriter packs, whatever is
// sent. CPU: each byte is read and hashed once in each try, those that the
// receiver has included.
#ifndef TACTUS_TRANSFER_FILES_SENDER_H_
#define TACTUS_TRANSFER_FILES_SENDER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/files/frame.h"
#include "transfer/files/frame_io.h"
#include "transfer/files/progress.h"
#include "transfer/files/walk.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {

struct SendOptions {
  DeviceId peer;
  // What is sent; no two of the same name. Empty where there is a pipe.
  std::vector<Root> roots = {};
  // A pipe, a terminal, or anything that can only be read once; -1 is none. It
  // is not closed. The file is called `pipe_name` there.
  int pipe = -1;
  std::string pipe_name = {};
  // Beneath the folder that the receiver chooses.
  std::string folder = {};
  bool sha256 = false;

  TransferId id = TransferId::Random();
  // For a peer that is there to take up a connection, and to go on in the midst
  // of a transfer: it says so while it is busy.
  absl::Duration patience = absl::Seconds(60);
  // For it to take the offer: a person is asked, who has 60 s, and to spare.
  absl::Duration decision = absl::Seconds(90);
  // For it to take what is written. Longer, since what it writes to may be a
  // pipe that a person reads.
  absl::Duration stall = absl::Minutes(10);
  // How long it is tried again while nothing moves.
  absl::Duration give_up = absl::Minutes(10);
  // Between two tries: twice as long each time, at most `most_pause`.
  absl::Duration first_pause = absl::Milliseconds(100);
  absl::Duration most_pause = absl::Seconds(10);
};

class Sender {
 public:
  // All outlive this; `observer` may be null.
  Sender(Transport* transport, Clock* clock, SendOptions options,
         Observer* observer = nullptr);
  ~Sender();

  // Blocks until it has ended, as the options bound it. Once.
  TransferResult Run();

  // Ends it: Run returns kCancelled, or what the receiver had decided by then,
  // within a second; where all was sent and the receiver does not say,
  // kUnknown.
  void Cancel();
  // Leaves it as it is, to be gone on with: Run returns at once, kCancelled and
  // parked, or kUnknown where the receiver may have finished.
  void Park();

  const TransferId& id() const { return options_.id; }

 private:
  class Content;

  absl::Status CheckRoots() const;
  void Count();
  // One connection. OK when there is a verdict.
  absl::Status Try();
  absl::Status Exchange(Stream& stream);
  absl::Status SendContent(Stream& stream, FrameWriter& writer,
                           FrameReader& reader, const Accept* accept);
  void Leave(Stream& stream);
  // Asks how it ended, and ends it.
  void Settle();
  bool Pause(absl::Duration pause);
  bool stopping() const { return cancelled_ || parked_; }
  void Stop(std::atomic<bool>& why);
  TransferResult Result(Outcome outcome, std::string reason);
  TransferResult FromVerdict();
  void Tell();

  Transport* const transport_;
  Clock* const clock_;
  const SendOptions options_;
  Observer* const observer_;
  Observer nobody_;

  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> parked_ = false;
  Mutex mutex_;
  Stream* stream_ ABSL_GUARDED_BY(mutex_) = nullptr;

  Progress progress_;
  uint64_t left_out_ = 0;
  absl::Time moved_;         // when something did last
  bool accepted_ = false;    // the receiver has said so, in some try
  bool all_sent_ = false;    // the end may have arrived, in some try
  bool pipe_begun_ = false;  // what was read of it cannot be read again
  bool have_verdict_ = false;
  Verdict verdict_;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_SENDER_H_
