// MCP servers that other devices may start here, and agents here that use one
// of theirs: the daemon's methods for both (docs/control.md), and the streams.
//
// An agent runs `tactus mcp connect PEER/NAME`, which hands its standard
// streams to the daemon (Session::TakeDescriptors) and waits. The daemon reads
// and writes them itself, on two threads for each agent, so that between agent
// and network there is one process and not two. Nothing but bytes goes through:
// transfer/mcp/bridge.h. On the other device each such stream runs a server
// process of its own: transfer/mcp/host.h.
//
// What a peer may do is decided for each stream, by the servers that are kept
// (tools/config/servers.h) and by what was granted to that peer's key; where a
// person is to be asked, the stream waits for the answer. A stream ends when
// its grant does, and when it could not be had as it was any more: by its name
// another server is kept now, or a person is to be asked and was not.
//
// Example:
//
//   McpMethods mcp(&peers, &approvals, {.servers = config::ServersPath()});
//   mcp.Register(methods);   // and serves the streams of the kind
//   ...
//   peers.Stop();            // its streams end, and their servers
#ifndef TACTUS_TOOLS_TACTUSD_MCP_METHODS_H_
#define TACTUS_TOOLS_TACTUSD_MCP_METHODS_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/config/servers.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/peers.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/stream/stream.h"

namespace tactus::daemon {

struct McpMethodsOptions {
  std::string servers;  // the file; see config::ServersPath
  // Whether a person has paused the daemon, and whether the screen is locked.
  // Any thread.
  std::function<bool()> paused;
  std::function<absl::StatusOr<bool>()> locked;
  std::function<void(const std::string&)> log;
};

class McpMethods {
 public:
  // Agents of this device that are carried: some editors and many sessions in
  // each. Two threads and a connection each.
  static constexpr size_t kMostCarried = 128;
  // Servers that run here for one peer: as many, since one person may well have
  // all of them on one device. Three threads, two processes and a connection
  // each.
  static constexpr size_t kMostOfAPeer = 128;
  // Streams of one peer that were refused and wait until it has heard why: an
  // editor that starts all its agents at once. One more is cut.
  static constexpr size_t kMostRefusing = 8;
  // For the connection to the peer, and for the program of a server to run.
  static constexpr absl::Duration kPatience = absl::Seconds(10);
  // Of many agents that start at once the last may wait for longer: a peer that
  // others are connected to is there, and busy.
  static constexpr absl::Duration kBusyPatience = absl::Seconds(30);

  // All must outlive it, and it the dispatcher.
  McpMethods(Peers* peers, Approvals* approvals, McpMethodsOptions options);

  void Register(Methods& methods);

 private:
  // A stream of a peer that is served.
  struct Served {
    std::string server;
    transfer::Stream* stream = nullptr;
    // What its grant stood for when it was looked for last; absent before.
    std::optional<config::ExposedServer> used = std::nullopt;
    bool asked = false;  // a person was, or is being
  };
  struct Granted {
    transfer::PinnedPeer peer;
    config::ExposedServer server;
    config::ServerGrant grant;
  };

  Reply Expose(const boost::json::object& given);
  Reply Exposed(const boost::json::object& given);
  Reply Unexpose(const boost::json::object& given);
  Reply Connect(const boost::json::object& given, Session& session);
  Reply Permit(const boost::json::object& given, Session& session);

  // Whether anything is served now: nothing while paused, and where somebody is
  // to be `attended` by, that is asked or has the keyboard, nothing while the
  // screen is locked.
  absl::Status Open(bool attended);
  absl::StatusOr<std::unique_ptr<transfer::Stream>> OpenStream(
      const transfer::DeviceId& peer, const std::string& server,
      Session& session);
  void Serve(std::unique_ptr<transfer::Stream> stream);
  // What is told to the peer as well: PermissionDenied alike for a server that
  // is not there and one that is not for it.
  absl::StatusOr<Granted> Find(const transfer::PinnedPeer& peer,
                               const std::string& server);
  absl::StatusOr<Granted> Find(const transfer::DeviceId& peer,
                               const std::string& server);
  // The same for a stream that is served, of which it is kept for CutUngranted.
  absl::StatusOr<Granted> FindFor(int64_t number);
  absl::Status Revoke(const transfer::PinnedPeer& peer,
                      const std::string& server);
  // Cuts the streams whose grant is there no more, or gives less. Of the
  // focused text it is looked at each call how much that is (Permit).
  void CutUngranted();
  // Tells the peer why, unless that is being told to too many of its streams.
  void Refuse(transfer::Stream& stream, absl::string_view why);
  std::string Status();

  Peers& peers_;
  Approvals& approvals_;
  const McpMethodsOptions options_;

  // Around reading and replacing the file.
  ax::Mutex file_mutex_;
  ax::Mutex mutex_;
  std::map<int64_t, Served> served_ ABSL_GUARDED_BY(mutex_);
  std::map<transfer::DeviceId, size_t> refusing_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  size_t carried_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_MCP_METHODS_H_
