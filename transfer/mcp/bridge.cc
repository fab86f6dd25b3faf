#include "transfer/mcp/bridge.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/id_scanner.h"
#include "transfer/mcp/pending.h"
#include "transfer/sync/unshared.h"

namespace tactus::transfer {
namespace {

// As large as a pipe.
constexpr size_t kBuffer = size_t{64} << 10;
// An agent may think for days between two lines, and a server over one.
constexpr absl::Time kNoDeadline = absl::InfiniteFuture();

std::string HowItEnded(const std::optional<EndNote>& note) {
  if (!note.has_value()) return "the server's side was closed";
  switch (note->kind) {
    case EndNote::Kind::kExited:
      return absl::StrCat("the server ended with code ", note->value);
    case EndNote::Kind::kKilled:
      return absl::StrCat("the server was killed by signal ", note->value);
    case EndNote::Kind::kNotStarted:
      return absl::StrCat("the server was not started: ", note->why);
  }
  return "";
}

BridgeEnd Lost(const absl::Status& status) {
  return {.kind = BridgeEnd::Kind::kLinkLost,
          .status = Unshared(status),
          .message = "the connection to the other device was lost"};
}

BridgeEnd TooLong() {
  return {.kind = BridgeEnd::Kind::kLineTooLong,
          .message =
              absl::StrCat("a line was longer than ", kLongestLine, " bytes")};
}

}  // namespace

void Bridge::Over(BridgeEnd end) {
  {
    MutexLock lock(&mutex_);
    if (end_.has_value()) return;
    end_ = std::move(end);
  }
  // What waits on either is let go.
  options_.link->Cancel();
  options_.from_agent->Wake();
}

bool Bridge::over() {
  MutexLock lock(&mutex_);
  return end_.has_value();
}

void Bridge::Sent(const ScannedLine& line, PendingRequests::Sent sent) {
  if (!line.cancelled.empty()) {
    // Nobody waits for it any more; an answer that comes all the same goes on.
    MutexLock lock(&mutex_);
    pending_.Answered(line.cancelled);
    return;
  }
  if (!line.is_request()) return;
  MutexLock lock(&mutex_);
  pending_.Add(line.id, sent);
}

void Bridge::FromAgent() {
  std::vector<char> buffer(kBuffer);
  const auto note = [this](const ScannedLine& line) {
    Sent(line, PendingRequests::Sent::kMaybe);
  };
  while (!over()) {
    const absl::StatusOr<size_t> n =
        options_.from_agent->Read(absl::MakeSpan(buffer), kNoDeadline);
    if (absl::IsCancelled(n.status())) break;
    if (!n.ok() || *n == 0) {
      // The last line may have no end; what reads it takes it for one.
      agent_lines_.End(note);
      const absl::Status closed = options_.link->CloseWrite(kNoDeadline);
      if (!closed.ok()) Over(Lost(closed));
      return;
    }
    const absl::string_view bytes(buffer.data(), *n);
    // Before they are sent: the answer may be there before we are back.
    agent_lines_.Feed(bytes, note);
    if (agent_lines_.line_bytes() > kLongestLine) {
      Over(TooLong());
      return;
    }
    const absl::Status sent = options_.link->Write(bytes, kNoDeadline);
    if (!sent.ok()) {
      Over(Lost(sent));
      break;
    }
  }
  Drain();
}

void Bridge::Drain() {
  std::vector<char> buffer(kBuffer);
  const absl::Time end = options_.clock->Now() + kDrain;
  // Of the line that is cut nobody can say how much was sent; of those after it
  // nothing was.
  bool cut = agent_lines_.line_bytes() > 0;
  const auto note = [this, &cut](const ScannedLine& line) {
    Sent(line,
         cut ? PendingRequests::Sent::kMaybe : PendingRequests::Sent::kNo);
    cut = false;
  };
  while (agent_lines_.line_bytes() <= kLongestLine) {
    const absl::Time now = options_.clock->Now();
    if (now > end) break;
    // In the midst of a line it is waited for, and else only looked for.
    const absl::StatusOr<size_t> n = options_.from_agent->Read(
        absl::MakeSpan(buffer), agent_lines_.line_bytes() > 0 ? end : now);
    if (absl::IsCancelled(n.status())) continue;
    if (!n.ok() || *n == 0) break;
    agent_lines_.Feed(absl::string_view(buffer.data(), *n), note);
  }
  agent_lines_.End(note);
}

bool Bridge::Forward(absl::string_view bytes) {
  std::vector<std::string> answered;
  server_lines_.Feed(bytes, [&answered](const ScannedLine& line) {
    if (line.is_response()) answered.push_back(line.id);
  });
  if (server_lines_.line_bytes() > kLongestLine) {
    Over(TooLong());
    return false;
  }
  const absl::Status written = options_.to_agent->Write(bytes, kNoDeadline);
  if (!written.ok()) {
    Over({.kind = BridgeEnd::Kind::kAgentGone,
          .status = Unshared(written),
          .message = "the agent reads no more"});
    return false;
  }
  MutexLock lock(&mutex_);
  for (const std::string& id : answered) pending_.Answered(id);
  return true;
}

void Bridge::ToAgent() {
  std::vector<char> buffer(kBuffer);
  FrameReader frames;
  for (;;) {
    const absl::StatusOr<size_t> n =
        options_.link->Read(absl::MakeSpan(buffer), kNoDeadline);
    if (!n.ok()) return Over(Lost(n.status()));
    if (*n == 0) {
      // Without its word on the server's end something has gone wrong there.
      if (!frames.between_frames() || !note_.has_value()) {
        return Over(Lost(absl::DataLossError("it ended in the midst")));
      }
      return Over({.kind = BridgeEnd::Kind::kServerEnded,
                   .note = note_,
                   .message = HowItEnded(note_)});
    }
    bool go_on = true;
    bool understood = true;
    const absl::Status read =
        frames.Feed(absl::string_view(buffer.data(), *n),
                    [&](FrameKind kind, absl::string_view piece) {
                      switch (kind) {
                        case FrameKind::kOutput:
                          go_on = go_on && Forward(piece);
                          return;
                        case FrameKind::kErrors:
                          if (options_.on_errors) options_.on_errors(piece);
                          return;
                        case FrameKind::kPulse:
                          return;
                        case FrameKind::kEnd:
                          note_ = DecodeEndNote(piece);
                          understood = note_.has_value();
                          return;
                      }
                    });
    if (!go_on) return;
    if (!read.ok()) return Over(Lost(read));
    if (!understood) {
      return Over(Lost(absl::DataLossError("its end is not understood")));
    }
  }
}

BridgeEnd Bridge::Finish() {
  std::vector<PendingRequests::Request> left;
  BridgeEnd end;
  {
    MutexLock lock(&mutex_);
    left = pending_.TakeAll();
    if (end_.has_value()) end = *end_;
  }
  if (end.kind == BridgeEnd::Kind::kAgentGone) return end;
  std::string lines;
  // What of a line has come already is made a line, so that no error is part of
  // it.
  if (!left.empty() && server_lines_.line_bytes() > 0) lines.push_back('\n');
  const bool started =
      !end.note.has_value() || end.note->kind != EndNote::Kind::kNotStarted;
  for (PendingRequests::Request& request : left) {
    // Nobody has read it.
    if (!started) request.sent = PendingRequests::Sent::kNo;
    lines.append(EndedLine(request, end.message));
  }
  const absl::Status told =
      options_.to_agent->Write(lines, options_.clock->Now() + kDrain);
  if (told.ok()) end.ended_requests = static_cast<int64_t>(left.size());
  return end;
}

}  // namespace tactus::transfer
