// `peers.echo`: a message to the daemon of a peer and back, over a stream that
// stays open between two of them.
//
// Where that stream is there, the message is written by the thread that reads
// the request; another one waits for the answer.
//
// Use it to measure the channel to a peer, and to see that it answers.
//
// Example:
//
//   EchoMethod echo(&peers.transport(), &peers.pinned());
//   echo.Register(methods);
//   peers.Handle(transfer::StreamKind::kMessage, ServeEchoes);
//
// A stream that the peer has ended meanwhile, since nothing was asked for a
// while, is replaced by another one, once: nothing is done twice by that, since
// an echo does nothing.
#ifndef TACTUS_TOOLS_TACTUSD_ECHO_METHOD_H_
#define TACTUS_TOOLS_TACTUSD_ECHO_METHOD_H_

#include <boost/json/fwd.hpp>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/methods.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {

class EchoMethod {
 public:
  static constexpr absl::Duration kPatience = absl::Seconds(5);
  static constexpr absl::Duration kMostPatience = absl::Minutes(1);

  // Both must outlive it, and it the dispatcher.
  EchoMethod(transfer::Transport* transport, const transfer::PinnedPeers* peers)
      : transport_(*transport), peers_(*peers) {}

  void Register(Methods& methods);

 private:
  // An echo that is under way; no stream where it is to be asked anew.
  struct Asked {
    transfer::DeviceId peer;
    std::string message;
    absl::Time begun;
    absl::Time deadline;
    std::unique_ptr<transfer::Stream> stream = nullptr;
  };

  Methods::Long Begin(const boost::json::object& given);
  Reply Finish(Asked& asked, Session& session);
  absl::Status Hear(Asked& asked, Session& session);
  // The idle stream to the peer, or none.
  std::unique_ptr<transfer::Stream> Take(const transfer::DeviceId& peer);
  void Keep(std::unique_ptr<transfer::Stream> stream);

  transfer::Transport& transport_;
  const transfer::PinnedPeers& peers_;
  ax::Mutex mutex_;
  // At most one for each peer, of which there are PinnedPeers::kMost at most.
  std::map<transfer::DeviceId, std::unique_ptr<transfer::Stream>> idle_
      ABSL_GUARDED_BY(mutex_);
};

// The other side: what Peers::Handle takes for messages. A stream that is for
// something else is cut.
void ServeEchoes(std::unique_ptr<transfer::Stream> stream);

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_ECHO_METHOD_H_
