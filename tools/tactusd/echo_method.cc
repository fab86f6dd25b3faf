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
  methods.AddBegun("peers.echo", [this](const boost::json::object& given) {
    return Begin(given);
  });
}

Methods::Long EchoMethod::Begin(const boost::json::object& given) {
  control::Params params(given);
  std::string name;
  absl::Duration patience = kPatience;
  const auto asked = std::make_shared<Asked>(Asked{.message = "echo"});
  params.String("peer", &name);
  params.String("message", &asked->message);
  params.Milliseconds("deadline_ms", kMostPatience, &patience);
  if (!params.Has("peer")) params.Wrong("peer", "the name or the id of a peer");
  if (asked->message.empty() ||
      asked->message.size() > transfer::kLongestEcho) {
    params.Wrong("message",
                 absl::StrCat("of 1 to ", transfer::kLongestEcho, " bytes"));
  }
  const auto answer = [](control::Error error) -> Methods::Long {
    return [error = std::move(error)](const boost::json::object&, Session&) {
      return error;
    };
  };
  if (std::optional<control::Error> error = params.End()) {
    return answer(*std::move(error));
  }
  const absl::StatusOr<transfer::PinnedPeer> peer = peers_.Find(name);
  if (!peer.ok()) return answer(NotDone(peer.status()));
  asked->peer = peer->id();
  asked->begun = transfer::Clock::Real().Now();
  asked->deadline = asked->begun + patience;
  asked->stream = Take(asked->peer);
  // Not waited for here: one that does not take it at once is given up.
  if (asked->stream != nullptr &&
      !transfer::AskEcho(*asked->stream, asked->message, asked->begun).ok()) {
    asked->stream = nullptr;
  }
  return [this, asked](const boost::json::object&, Session& session) {
    return Finish(*asked, session);
  };
}

Reply EchoMethod::Finish(Asked& asked, Session& session) {
  if (absl::Status heard = Hear(asked, session); !heard.ok()) {
    return NotDone(heard);
  }
  Keep(std::move(asked.stream));
  return absl::StrCat(
      "{\"round_trip_us\":",
      absl::ToInt64Microseconds(transfer::Clock::Real().Now() - asked.begun),
      "}");
}

absl::Status EchoMethod::Hear(Asked& asked, Session& session) {
  bool fresh = false;
  while (true) {
    if (asked.stream == nullptr) {
      fresh = true;
      absl::StatusOr<std::unique_ptr<Stream>> opened =
          transport_.Open(asked.peer, transfer::EchoHeader(), asked.deadline);
      if (!opened.ok()) return opened.status();
      asked.stream = *std::move(opened);
    }
    absl::Status heard;
    {
      session.OnCancel([&asked] { asked.stream->Cancel(); });
      const auto forgotten =
          absl::MakeCleanup([&session] { session.OnCancel(nullptr); });
      if (fresh) {
        heard = transfer::AskEcho(*asked.stream, asked.message, asked.deadline);
      }
      if (heard.ok()) {
        heard = transfer::HearEcho(*asked.stream, asked.message, asked.deadline)
                    .status();
      }
    }
    if (heard.ok()) return heard;
    if (absl::Status wanted = session.status(); !wanted.ok()) return wanted;
    if (fresh || !absl::IsUnavailable(heard)) return heard;
    asked.stream = nullptr;
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
