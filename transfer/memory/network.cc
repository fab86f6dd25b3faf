#include "transfer/memory/network.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/scheduler.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {
namespace {

absl::Status Cut() {
  return absl::UnavailableError("the connection is cut: try a new stream");
}

}  // namespace

// One direction of a stream. Both sides look at it; whoever runs has the baton.
struct MemoryNetwork::Pipe {
  struct Segment {
    absl::Time arrives;
    std::string bytes;
  };

  std::deque<Segment> segments;
  size_t held = 0;  // bytes in segments, arrived or not
  absl::Time last_arrival = absl::InfinitePast();
  bool dark = false;              // what is written from now on never arrives
  std::optional<absl::Time> end;  // when the writer's end arrives
  bool cut = false;

  // Bytes that can be read now.
  size_t Arrived(absl::Time now) const {
    size_t bytes = 0;
    for (const Segment& segment : segments) {
      if (segment.arrives > now) break;
      bytes += segment.bytes.size();
    }
    return bytes;
  }

  std::string Peek(absl::Time now, size_t most) const {
    std::string bytes;
    for (const Segment& segment : segments) {
      if (segment.arrives > now || bytes.size() >= most) break;
      bytes.append(segment.bytes, 0, most - bytes.size());
    }
    return bytes;
  }

  void Take(size_t count) {
    held -= count;
    while (count > 0) {
      std::string& first = segments.front().bytes;
      const size_t n = std::min(count, first.size());
      first.erase(0, n);
      count -= n;
      if (first.empty()) segments.pop_front();
    }
  }

  bool Ended(absl::Time now) const {
    return segments.empty() && end.has_value() && *end <= now;
  }

  // What has not arrived never will.
  void CutNow(absl::Time now) {
    if (cut) return;
    cut = true;
    while (!segments.empty() && segments.back().arrives > now) {
      held -= segments.back().bytes.size();
      segments.pop_back();
    }
    if (end.has_value() && *end > now) end.reset();
  }
};

struct MemoryNetwork::Connection {
  size_t number = 0;
  DeviceId devices[2];  // who opened it, and to whom
  Pipe pipes[2];        // from devices[i]

  void CutNow(absl::Time now) {
    for (Pipe& pipe : pipes) pipe.CutNow(now);
  }
};

class MemoryNetwork::State {
 public:
  explicit State(MemoryOptions options)
      : options_(std::move(options)), scheduler_(options_.schedule) {}

  Scheduler& scheduler() { return scheduler_; }
  size_t capacity() const { return options_.capacity; }
  absl::Time Now() { return scheduler_.Now(); }

  // Takes note of a message, and gives what happens to it.
  MemoryFault Send(const DeviceId& from, const DeviceId& to, size_t stream,
                   MemoryMessage::Kind kind, size_t bytes) {
    const size_t number = messages_.size();
    messages_.push_back({from, to, stream, kind, bytes});
    for (const MemoryFault& fault : options_.faults) {
      if (fault.message == number) return fault;
    }
    return {.kind = MemoryFault::kDelay};
  }

  std::vector<MemoryMessage>& messages() { return messages_; }
  std::vector<std::unique_ptr<Device>>& devices() { return devices_; }
  Device* Find(const DeviceId& id);

  size_t streams = 0;

 private:
  MemoryOptions options_;
  Scheduler scheduler_;
  std::vector<MemoryMessage> messages_;
  std::vector<std::unique_ptr<Device>> devices_;
};

class MemoryNetwork::MemoryStream : public Stream {
 public:
  MemoryStream(State* state, Device* device,
               std::shared_ptr<Connection> connection, int side,
               StreamHeader header, std::string unsent);
  ~MemoryStream() override;

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override;
  absl::Status Write(absl::string_view bytes, absl::Time deadline) override;
  absl::Status CloseWrite(absl::Time deadline) override;
  void Cancel() override;
  void CutNow() { connection_->CutNow(state_->Now()); }
  const DeviceId& peer() const override {
    return connection_->devices[1 - side_];
  }
  const StreamHeader& header() const override { return header_; }

 private:
  Pipe& out() { return connection_->pipes[side_]; }
  Pipe& in() { return connection_->pipes[1 - side_]; }
  absl::Status Put(absl::string_view bytes, const MemoryFault& fault,
                   absl::Time deadline);
  absl::Status SendHeader(absl::Time deadline);
  absl::Status Broken(absl::Status status) {
    if (write_failed_.ok()) write_failed_ = status;
    return status;
  }

  State* state_;
  Device* device_;
  std::shared_ptr<Connection> connection_;
  int side_;
  StreamHeader header_;
  std::string unsent_;  // the header, until something is written
  bool cancelled_ = false;
  bool closed_ = false;
  absl::Status write_failed_;
};

class MemoryNetwork::Device : public Transport {
 public:
  Device(State* state, const DeviceId& id) : id_(id), state_(state) {}

  absl::StatusOr<std::unique_ptr<Stream>> Open(const DeviceId& peer,
                                               const StreamHeader& header,
                                               absl::Time deadline) override;
  absl::StatusOr<std::unique_ptr<Stream>> Accept(absl::Time deadline) override;
  void Forget(const DeviceId& peer) override;
  void Shutdown() override;

  const DeviceId& id() const { return id_; }
  void SetReachable(bool reachable);
  void Add(MemoryStream* stream) { streams_.insert(stream); }
  void Remove(MemoryStream* stream) { streams_.erase(stream); }

 private:
  // Whether a waiting connection can be accepted or dropped now.
  bool Decided(const Connection& connection);
  void CancelStreams(const DeviceId* peer);

  DeviceId id_;
  State* state_;
  bool shut_down_ = false;
  bool reachable_ = true;
  std::set<DeviceId> forgotten_;
  // Opened by peers, the header not read yet. A hostile peer is TLS's to bound.
  std::deque<std::shared_ptr<Connection>> waiting_;
  std::set<MemoryStream*> streams_;
};

MemoryNetwork::Device* MemoryNetwork::State::Find(const DeviceId& id) {
  for (const auto& device : devices_) {
    if (device->id() == id) return device.get();
  }
  return nullptr;
}

MemoryNetwork::MemoryStream::MemoryStream(
    State* state, Device* device, std::shared_ptr<Connection> connection,
    int side, StreamHeader header, std::string unsent)
    : state_(state),
      device_(device),
      connection_(std::move(connection)),
      side_(side),
      header_(std::move(header)),
      unsent_(std::move(unsent)) {
  device_->Add(this);
}

MemoryNetwork::MemoryStream::~MemoryStream() {
  device_->Remove(this);
  // Who still writes to us is told; who has our end keeps it.
  if (!closed_ || cancelled_) out().CutNow(state_->Now());
  in().CutNow(state_->Now());
}

absl::Status MemoryNetwork::MemoryStream::Put(absl::string_view bytes,
                                              const MemoryFault& fault,
                                              absl::Time deadline) {
  Pipe& pipe = out();
  if (fault.kind == MemoryFault::kLose) pipe.dark = true;
  const bool cuts = fault.kind == MemoryFault::kCut;
  absl::string_view left =
      cuts ? bytes.substr(0, std::min(bytes.size(), fault.keep)) : bytes;
  const absl::Time arrives =
      std::max(pipe.last_arrival, pipe.dark ? absl::InfiniteFuture()
                                            : state_->Now() + fault.delay);
  while (!left.empty()) {
    const absl::Status room = state_->scheduler().Block(
        [&] {
          return cancelled_ || pipe.cut || pipe.held < state_->capacity();
        },
        deadline);
    if (cancelled_) return absl::CancelledError("the stream was cancelled");
    if (pipe.cut) return Cut();
    if (!room.ok()) return room;
    const size_t n = std::min(left.size(), state_->capacity() - pipe.held);
    const absl::Time now = std::max(arrives, state_->Now());
    pipe.segments.push_back({now, std::string(left.substr(0, n))});
    pipe.last_arrival = now;
    state_->scheduler().Expect(now);
    pipe.held += n;
    left.remove_prefix(n);
  }
  if (!cuts) return absl::OkStatus();
  connection_->CutNow(state_->Now());
  return fault.writer_told ? Cut() : absl::OkStatus();
}

absl::Status MemoryNetwork::MemoryStream::Write(absl::string_view bytes,
                                                absl::Time deadline) {
  state_->scheduler().Yield();
  if (cancelled_) return absl::CancelledError("the stream was cancelled");
  if (closed_) {
    return absl::FailedPreconditionError("this side of the stream is closed");
  }
  if (!write_failed_.ok()) return write_failed_;
  if (out().cut) return Broken(Cut());
  const std::string message = absl::StrCat(std::exchange(unsent_, ""), bytes);
  const MemoryFault fault =
      state_->Send(device_->id(), peer(), connection_->number,
                   MemoryMessage::kWrite, message.size());
  absl::Status put = Put(message, fault, deadline);
  return put.ok() ? put : Broken(std::move(put));
}

absl::Status MemoryNetwork::MemoryStream::SendHeader(absl::Time deadline) {
  if (unsent_.empty()) return absl::OkStatus();
  return Write("", deadline);
}

absl::Status MemoryNetwork::MemoryStream::CloseWrite(absl::Time deadline) {
  if (closed_) return absl::OkStatus();
  if (absl::Status sent = SendHeader(deadline); !sent.ok()) return sent;
  state_->scheduler().Yield();
  if (cancelled_) return absl::CancelledError("the stream was cancelled");
  if (!write_failed_.ok()) return write_failed_;
  if (out().cut) return Broken(Cut());
  const MemoryFault fault = state_->Send(
      device_->id(), peer(), connection_->number, MemoryMessage::kClose, 0);
  closed_ = true;
  Pipe& pipe = out();
  if (fault.kind == MemoryFault::kLose) pipe.dark = true;
  if (fault.kind != MemoryFault::kCut || fault.keep > 0) {
    pipe.end =
        std::max(pipe.last_arrival, pipe.dark ? absl::InfiniteFuture()
                                              : state_->Now() + fault.delay);
    state_->scheduler().Expect(*pipe.end);
  }
  if (fault.kind != MemoryFault::kCut) return absl::OkStatus();
  connection_->CutNow(state_->Now());
  return fault.writer_told ? Broken(Cut()) : absl::OkStatus();
}

absl::StatusOr<size_t> MemoryNetwork::MemoryStream::Read(absl::Span<char> into,
                                                         absl::Time deadline) {
  if (absl::Status sent = SendHeader(deadline); !sent.ok()) return sent;
  state_->scheduler().Yield();
  Pipe& pipe = in();
  const absl::Status came = state_->scheduler().Block(
      [&] {
        return cancelled_ || pipe.cut || pipe.Arrived(state_->Now()) > 0 ||
               pipe.Ended(state_->Now());
      },
      deadline);
  if (cancelled_) return absl::CancelledError("the stream was cancelled");
  const std::string bytes = pipe.Peek(state_->Now(), into.size());
  if (!bytes.empty()) {
    std::copy(bytes.begin(), bytes.end(), into.begin());
    pipe.Take(bytes.size());
    return bytes.size();
  }
  if (pipe.Ended(state_->Now())) return 0;
  if (pipe.cut) return Cut();
  return came;
}

void MemoryNetwork::MemoryStream::Cancel() {
  cancelled_ = true;
  connection_->CutNow(state_->Now());
}

absl::StatusOr<std::unique_ptr<Stream>> MemoryNetwork::Device::Open(
    const DeviceId& peer, const StreamHeader& header, absl::Time deadline) {
  state_->scheduler().Yield();
  absl::StatusOr<std::string> bytes = EncodeStreamHeader(header);
  if (!bytes.ok()) return bytes.status();
  if (shut_down_) return absl::CancelledError("the transport was shut down");
  Device* device = state_->Find(peer);
  if (device == nullptr || forgotten_.count(peer) != 0) {
    return absl::NotFoundError(
        absl::StrCat(peer.text(), " is not paired with this device"));
  }
  auto connection = std::make_shared<Connection>();
  connection->number = state_->streams++;
  connection->devices[0] = id_;
  connection->devices[1] = peer;
  const MemoryFault fault =
      state_->Send(id_, peer, connection->number, MemoryMessage::kOpen, 0);
  if (fault.kind != MemoryFault::kDelay || fault.delay > absl::ZeroDuration()) {
    const absl::Time until = fault.kind == MemoryFault::kLose
                                 ? absl::InfiniteFuture()
                                 : state_->Now() + fault.delay;
    state_->scheduler().Expect(until);
    const absl::Status waited = state_->scheduler().Block(
        [&] { return shut_down_ || state_->Now() >= until; }, deadline);
    if (shut_down_) return absl::CancelledError("the transport was shut down");
    if (!waited.ok()) return waited;
    if (fault.kind == MemoryFault::kCut) return Cut();
  }
  if (!reachable_ || !device->reachable_ || device->shut_down_) {
    return absl::UnavailableError(
        absl::StrCat(peer.text(), " cannot be reached"));
  }
  if (device->forgotten_.count(id_) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(peer.text(), " does not know this device: pair again"));
  }
  device->waiting_.push_back(connection);
  return std::make_unique<MemoryStream>(state_, this, std::move(connection), 0,
                                        header, *std::move(bytes));
}

bool MemoryNetwork::Device::Decided(const Connection& connection) {
  const Pipe& pipe = connection.pipes[0];
  const auto decoded =
      DecodeStreamHeader(pipe.Peek(state_->Now(), kLongestStreamHeader));
  return !decoded.ok() || decoded->has_value() || pipe.cut ||
         pipe.Ended(state_->Now());
}

absl::StatusOr<std::unique_ptr<Stream>> MemoryNetwork::Device::Accept(
    absl::Time deadline) {
  state_->scheduler().Yield();
  while (true) {
    const absl::Status came = state_->scheduler().Block(
        [&] {
          return shut_down_ ||
                 std::any_of(waiting_.begin(), waiting_.end(),
                             [&](const auto& one) { return Decided(*one); });
        },
        deadline);
    if (shut_down_) return absl::CancelledError("the transport was shut down");
    const auto first =
        std::find_if(waiting_.begin(), waiting_.end(),
                     [&](const auto& one) { return Decided(*one); });
    if (first == waiting_.end()) return came;
    const std::shared_ptr<Connection> connection = *first;
    waiting_.erase(first);
    Pipe& pipe = connection->pipes[0];
    const auto decoded =
        DecodeStreamHeader(pipe.Peek(state_->Now(), kLongestStreamHeader));
    if (decoded.ok() && decoded->has_value()) {
      pipe.Take((*decoded)->size);
      return std::make_unique<MemoryStream>(state_, this, connection, 1,
                                            (*decoded)->header, "");
    }
    connection->CutNow(state_->Now());
  }
}

void MemoryNetwork::Device::CancelStreams(const DeviceId* peer) {
  for (MemoryStream* stream : streams_) {
    if (peer == nullptr || stream->peer() == *peer) stream->Cancel();
  }
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (peer == nullptr || (*at)->devices[0] == *peer) {
      (*at)->CutNow(state_->Now());
      at = waiting_.erase(at);
    } else {
      ++at;
    }
  }
}

void MemoryNetwork::Device::Forget(const DeviceId& peer) {
  state_->scheduler().Yield();
  forgotten_.insert(peer);
  CancelStreams(&peer);
}

void MemoryNetwork::Device::Shutdown() {
  state_->scheduler().Yield();
  shut_down_ = true;
  CancelStreams(nullptr);
}

void MemoryNetwork::Device::SetReachable(bool reachable) {
  reachable_ = reachable;
  if (reachable) return;
  for (const auto& connection : waiting_) connection->CutNow(state_->Now());
  for (MemoryStream* stream : streams_) stream->CutNow();
}

MemoryNetwork::MemoryNetwork(MemoryOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

MemoryNetwork::~MemoryNetwork() = default;

Transport& MemoryNetwork::Add(const DeviceId& id) {
  state_->devices().push_back(std::make_unique<Device>(state_.get(), id));
  return *state_->devices().back();
}

void MemoryNetwork::Run(const std::vector<std::function<void()>>& programs) {
  state_->scheduler().Run(programs);
}

Clock& MemoryNetwork::clock() { return state_->scheduler(); }

void MemoryNetwork::SetReachable(const DeviceId& id, bool reachable) {
  if (Device* device = state_->Find(id)) device->SetReachable(reachable);
}

const std::vector<MemoryMessage>& MemoryNetwork::messages() const {
  return state_->messages();
}

}  // namespace tactus::transfer
