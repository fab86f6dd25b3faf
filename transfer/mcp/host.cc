#include "transfer/mcp/host.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/server_process.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"
#include "transfer/sync/thread.h"

namespace tactus::transfer {
namespace {

constexpr size_t kBuffer = kLongestFrame;
// An agent may think for days between two lines.
constexpr absl::Time kNoDeadline = absl::InfiniteFuture();
// While a server does not read, how often it is seen whether the link lives.
constexpr absl::Duration kPulse = absl::Seconds(5);
// For the last frame, to a peer that may be gone.
constexpr absl::Duration kFarewell = absl::Seconds(5);

absl::Time Now() { return Clock::Real().Now(); }

std::string Frame(FrameKind kind, absl::string_view payload) {
  return absl::StrCat(FrameHead(kind, payload.size()), payload);
}

EndNote NoteOf(const ServerEnd& end) {
  if (end.signal != 0) {
    return {EndNote::Kind::kKilled, static_cast<uint8_t>(end.signal)};
  }
  return {EndNote::Kind::kExited, static_cast<uint8_t>(end.code)};
}

class Host {
 public:
  Host(ServerProcess* server, Stream* stream)
      : server_(*server), stream_(*stream) {}

  absl::Status Run() {
    absl::StatusOr<std::thread> input = StartThread([this] { FromLink(); });
    if (!input.ok()) {
      // Nothing was carried yet.
      server_.Kill();
      RefuseServer(stream_, input.status().message());
      return input.status();
    }
    const absl::Status status = ToLink();
    if (status.ok()) {
      // The other side has read the end, and closes.
      MutexLock lock(&mutex_);
      const absl::Time end = Now() + kFarewell;
      while (!input_ended_ && Now() < end) {
        changed_.WaitFor(&mutex_, end - Now());
      }
    }
    stream_.Cancel();
    // Whoever reads no more lets the other thread go.
    server_.Stop();
    input->join();
    return status;
  }

 private:
  // By a thread of its own: what the agent says, to the server.
  void FromLink() {
    const bool lost = !Carry();
    server_.CloseInput();
    {
      MutexLock lock(&mutex_);
      input_ended_ = true;
      lost_ = lost;
      changed_.NotifyAll();
    }
    server_.Nudge();
  }

  // True at the end of what the agent says.
  bool Carry() {
    std::vector<char> buffer(kBuffer);
    bool reads = true;
    for (;;) {
      const absl::StatusOr<size_t> n =
          stream_.Read(absl::MakeSpan(buffer), kNoDeadline);
      if (!n.ok()) return false;
      if (*n == 0) return true;
      absl::string_view left(buffer.data(), *n);
      // A server that has closed its input may have more to say.
      while (reads && !left.empty()) {
        const absl::StatusOr<size_t> written =
            server_.WriteSome(left, Now() + kPulse);
        SetBlocked(absl::IsDeadlineExceeded(written.status()));
        if (written.ok()) {
          left.remove_prefix(*written);
        } else if (!absl::IsDeadlineExceeded(written.status())) {
          reads = false;
        }
      }
    }
  }

  void SetBlocked(bool blocked) {
    {
      MutexLock lock(&mutex_);
      if (blocked_ == blocked) return;
      blocked_ = blocked;
    }
    server_.Nudge();
  }

  absl::Status Send(FrameKind kind, absl::string_view payload) {
    return stream_.Write(Frame(kind, payload), kNoDeadline);
  }

  absl::Status SendErrors() {
    const ServerErrors errors = server_.TakeErrors();
    std::string text =
        errors.dropped == 0
            ? errors.text
            : absl::StrCat("[", errors.dropped, " bytes are left out]\n",
                           errors.text);
    for (absl::string_view left = text; !left.empty();) {
      const absl::string_view part = left.substr(0, kLongestFrame);
      if (absl::Status sent = Send(FrameKind::kErrors, part); !sent.ok()) {
        return sent;
      }
      left.remove_prefix(part.size());
    }
    return absl::OkStatus();
  }

  absl::Status ToLink() {
    std::vector<char> buffer(kBuffer);
    absl::Time last = Now();
    bool ended = false;
    for (;;) {
      bool blocked = false;
      {
        MutexLock lock(&mutex_);
        if (lost_) return absl::UnavailableError("the connection was lost");
        if (input_ended_ && !ended) last = Now();
        ended = input_ended_;
        blocked = blocked_;
      }
      const absl::Time now = Now();
      if (ended && now >= last + ServerProcess::kInputGrace) break;
      // While nobody reads from the link, its loss shows in writing alone.
      const absl::Time until = ended ? last + ServerProcess::kInputGrace
                                     : (blocked ? now + kPulse : kNoDeadline);
      if (!server_.WaitForOutput(until)) {
        if (blocked) {
          if (absl::Status sent = Send(FrameKind::kPulse, "."); !sent.ok()) {
            return sent;
          }
        }
        continue;
      }
      if (absl::Status sent = SendErrors(); !sent.ok()) return sent;
      const absl::StatusOr<size_t> n =
          server_.Read(absl::MakeSpan(buffer), Now());
      if (absl::IsDeadlineExceeded(n.status())) continue;
      if (!n.ok() || *n == 0) break;
      const absl::Status sent =
          Send(FrameKind::kOutput, absl::string_view(buffer.data(), *n));
      if (!sent.ok()) return sent;
      // After it: an agent that reads slowly makes no server quiet.
      last = Now();
    }
    // It has closed its output, or is quiet. What it still does by itself it
    // has the same time for.
    absl::StatusOr<ServerEnd> end =
        server_.Wait(std::max(last + ServerProcess::kInputGrace, Now()));
    const ServerEnd how = end.ok() ? *end : server_.Stop();
    if (absl::Status sent = Rest(buffer); !sent.ok()) return sent;
    const absl::Status told = stream_.Write(
        Frame(FrameKind::kEnd, EncodeEndNote(NoteOf(how))), Now() + kFarewell);
    if (!told.ok()) return told;
    return stream_.CloseWrite(Now() + kFarewell);
  }

  // What the server had said when it ended.
  absl::Status Rest(std::vector<char>& buffer) {
    for (;;) {
      const absl::StatusOr<size_t> n =
          server_.Read(absl::MakeSpan(buffer), Now());
      if (!n.ok() || *n == 0) break;
      const absl::Status sent =
          Send(FrameKind::kOutput, absl::string_view(buffer.data(), *n));
      if (!sent.ok()) return sent;
    }
    server_.WaitForErrorsEnd(Now() + kFarewell);
    return SendErrors();
  }

  ServerProcess& server_;
  Stream& stream_;
  Mutex mutex_;
  Condition changed_;
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  bool input_ended_ ABSL_GUARDED_BY(mutex_) = false;
  bool blocked_ ABSL_GUARDED_BY(mutex_) = false;  // the server does not read
};

}  // namespace

absl::Status HostServer(const ServerCommand& command, Stream& stream,
                        absl::Time deadline) {
  const absl::StatusOr<std::unique_ptr<ServerProcess>> server =
      ServerProcess::Start(command, deadline);
  if (!server.ok()) {
    RefuseServer(stream, server.status().message());
    return server.status();
  }
  return Host(server->get(), &stream).Run();
}

void RefuseServer(Stream& stream, absl::string_view why) {
  const absl::Time end = Now() + kFarewell;
  const EndNote note{EndNote::Kind::kNotStarted, 0,
                     std::string(why.substr(0, kLongestWhy))};
  if (!stream.Write(Frame(FrameKind::kEnd, EncodeEndNote(note)), end).ok() ||
      !stream.CloseWrite(end).ok()) {
    return;
  }
  // What the agent has said already is read: a connection that is closed with
  // something unread is reset, and what was sent last may be lost by that.
  std::vector<char> buffer(kBuffer);
  for (;;) {
    const absl::StatusOr<size_t> n = stream.Read(absl::MakeSpan(buffer), end);
    if (!n.ok() || *n == 0) return;
  }
}

}  // namespace tactus::transfer
