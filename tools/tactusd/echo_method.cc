#include "tools/tactusd/echo_method.h"

#include <boost/json.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/control/json_rpc.h"
#include "tools/control/params.h"
#include "tools/tactusd/methods.h"
#include "transfer/clock/clock.h"
#include "transfer/echo/echo.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {

using ax::MutexLock;
using transfer::DeviceId;
using transfer::Stream;

void EchoMethod::Register(Methods& methods) {
  methods.AddLong("peers.echo",
                  [this](const boost::json::object& given, Session& session) {
                    return Run(given, session);
                  });
}

Reply EchoMethod::Run(const boost::json::object& given, Session& session) {
  control::Params params(given);
  std::string name;
  std::string message = "echo";
  absl::Duration patience = kPatience;
  params.String("peer", &name);
  params.String("message", &message);
  params.Milliseconds("deadline_ms", kMostPatience, &patience);
  if (!params.Has("peer")) params.Wrong("peer", "the name or the id of a peer");
  if (message.empty() || message.size() > transfer::kLongestEcho) {
    params.Wrong("message",
                 absl::StrCat("of 1 to ", transfer::kLongestEcho, " bytes"));
  }
  if (std::optional<control::Error> error = params.End()) return *error;
  const absl::StatusOr<transfer::PinnedPeer> peer = peers_.Find(name);
  if (!peer.ok()) return NotDone(peer.status());
  transfer::Clock& clock = transfer::Clock::Real();
  const absl::Time begun = clock.Now();
  const absl::StatusOr<std::string> answer =
      Ask(peer->id(), message, begun + patience, session);
  if (!answer.ok()) return NotDone(answer.status());
  return absl::StrCat("{\"round_trip_us\":",
                      absl::ToInt64Microseconds(clock.Now() - begun), "}");
}

absl::StatusOr<std::string> EchoMethod::Ask(const DeviceId& peer,
                                            absl::string_view message,
                                            absl::Time deadline,
                                            Session& session) {
  std::unique_ptr<Stream> stream = Take(peer);
  while (true) {
    const bool fresh = stream == nullptr;
    if (fresh) {
      absl::StatusOr<std::unique_ptr<Stream>> opened =
          transport_.Open(peer, transfer::EchoHeader(), deadline);
      if (!opened.ok()) return opened.status();
      stream = *std::move(opened);
    }
    absl::StatusOr<std::string> answer;
    {
      session.OnCancel([&stream] { stream->Cancel(); });
      const auto forgotten =
          absl::MakeCleanup([&session] { session.OnCancel(nullptr); });
      answer = transfer::Echo(*stream, message, deadline);
    }
    if (answer.ok()) {
      Keep(std::move(stream));
      return answer;
    }
    if (absl::Status wanted = session.status(); !wanted.ok()) return wanted;
    if (fresh || !absl::IsUnavailable(answer.status())) return answer;
    stream = nullptr;
  }
}

std::unique_ptr<Stream> EchoMethod::Take(const DeviceId& peer) {
  MutexLock lock(&mutex_);
  const auto found = idle_.find(peer);
  if (found == idle_.end()) return nullptr;
  return std::exchange(found->second, nullptr);
}

void EchoMethod::Keep(std::unique_ptr<Stream> stream) {
  std::unique_ptr<Stream> old;
  const DeviceId peer = stream->peer();
  MutexLock lock(&mutex_);
  old = std::exchange(idle_[peer], std::move(stream));
}

void ServeEchoes(std::unique_ptr<Stream> stream) {
  if (stream->header() != transfer::EchoHeader()) return;
  // How it ended is the peer's to know: it asks again where it wants to.
  (void)transfer::ServeEcho(*stream, transfer::Clock::Real());
}

}  // namespace tactus::daemon
