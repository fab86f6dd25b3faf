// Takes what a peer sends to be measured (`tactus bench`), verifies it as any
// file, and keeps nothing of it: no byte reaches a disk.
//
// Streams of the kind file with the label kLabel are for it; FileMethods has
// one, and gives it those.
//
// Example:
//
//   Discards discards(&approvals, {.config = &config,
//                                  .name = NameOf,
//                                  .watch = WatcherFor});
//   if (stream->header().label == Discards::kLabel) {
//     std::optional<TransferResult> result = discards.Serve(std::move(stream));
//   }
//
// What a peer may: what it may with files. Where the configuration refuses
// them, so are these; where it asks, a person is asked once, and the answer
// holds for kConsent, since a measurement is a hundred transfers.
//
// Bounds, of each transfer: one file, of kMost bytes, within kLongest. What a
// peer sends beyond them ends it as cancelled.
//
// Safe to call from any thread.
#ifndef TACTUS_TOOLS_TACTUSD_DISCARDS_H_
#define TACTUS_TOOLS_TACTUSD_DISCARDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/config/config.h"
#include "tools/tactusd/approvals.h"
#include "transfer/clock/clock.h"
#include "transfer/files/frame.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/unique_fd.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"

namespace tactus::daemon {

struct DiscardsOptions {
  transfer::Clock* clock = &transfer::Clock::Real();
  const config::Config* config = nullptr;
  // What a peer is called.
  std::function<std::string(const transfer::DeviceId&)> name;
  // Who watches a transfer of that peer.
  std::function<std::shared_ptr<transfer::files::Observer>(
      const transfer::DeviceId&)>
      watch;
};

class Discards {
 public:
  static constexpr char kLabel[] = "discard";
  // The largest size that is measured; see docs/protocol.md.
  static constexpr uint64_t kMost = uint64_t{128} << 20;
  // That much over the slowest path that is worth measuring, 2 Mbit/s.
  static constexpr absl::Duration kLongest = absl::Minutes(10);
  // As long as a person remembers having agreed, and a measurement takes.
  static constexpr absl::Duration kConsent = absl::Minutes(10);

  // `approvals` must outlive it.
  Discards(Approvals* approvals, DiscardsOptions options);

  // Serves a stream to its end, as Receiver does.
  std::optional<transfer::files::TransferResult> Serve(
      std::unique_ptr<transfer::Stream> stream);

  // False where there is no such transfer.
  bool Cancel(const transfer::DeviceId& peer,
              const transfer::files::TransferId& id) {
    return receiver_.Cancel(peer, id);
  }
  void Stop() { receiver_.Stop(); }

 private:
  class Limited;

  transfer::files::Decision Decide(const transfer::DeviceId& peer,
                                   const transfer::files::Offer& offer,
                                   const std::function<bool()>& gone);
  bool Consented(const transfer::DeviceId& peer);
  absl::Time Now() const { return options_.clock->Now(); }

  Approvals& approvals_;
  const DiscardsOptions options_;
  const transfer::files::UniqueFd nothing_;  // /dev/null
  ax::Mutex mutex_;
  // Until when each peer need not be asked about: at most one for each peer.
  std::map<transfer::DeviceId, absl::Time> consent_ ABSL_GUARDED_BY(mutex_);
  transfer::files::Receiver receiver_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_DISCARDS_H_
