#include "ax/atspi/bus.h"

#include <poll.h>
#include <systemd/sd-bus.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"

namespace tactus::ax::atspi {
namespace {

// sd-bus gives up on a call by itself after this; ours is always earlier. It
// bounds how long a call that we abandoned is remembered.
constexpr absl::Duration kForget = absl::Seconds(60);

timespec Remaining(absl::Time deadline) {
  const absl::Duration left = std::clamp(deadline - Clock::Real().Now(),
                                         absl::ZeroDuration(), absl::Hours(1));
  return absl::ToTimespec(left);
}

void AddPoll(Bus& bus, absl::InlinedVector<pollfd, 4>& fds) {
  const int fd = sd_bus_get_fd(bus.get());
  const int events = sd_bus_get_events(bus.get());
  if (fd < 0 || events < 0) return;
  fds.push_back({fd, static_cast<short>(events), 0});
}

absl::Status Died(int error) {
  return absl::UnavailableError(
      absl::StrCat("the connection ended: ", strerror(-error)));
}

}  // namespace

absl::Status CheckAddress(absl::string_view address) {
  // An address may list alternatives; each must be harmless.
  for (absl::string_view one : absl::StrSplit(address, ';')) {
    if (!absl::StartsWith(one, "unix:path=") &&
        !absl::StartsWith(one, "unix:abstract=")) {
      return absl::InvalidArgumentError(
          absl::StrCat("the D-Bus address '", address,
                       "' does not name a Unix socket: refused"));
    }
  }
  return absl::OkStatus();
}

absl::Status StatusFromError(const sd_bus_error& error) {
  const absl::string_view name = error.name == nullptr ? "" : error.name;
  const absl::string_view text =
      error.message == nullptr ? "no message" : error.message;
  const std::string what = absl::StrCat(name, ": ", text);
  absl::string_view last = name.substr(name.rfind('.') + 1);
  if (last == "NoReply" || last == "ServiceUnknown" ||
      last == "NameHasNoOwner" || last == "Disconnected" ||
      last == "UnknownObject" || last == "NoServer") {
    return absl::UnavailableError(what);
  }
  if (last == "Timeout" || last == "TimedOut") {
    return absl::DeadlineExceededError(what);
  }
  if (last == "UnknownMethod" || last == "UnknownInterface" ||
      last == "UnknownProperty" || last == "NotSupported") {
    return absl::UnimplementedError(what);
  }
  if (last == "AccessDenied" || last == "AuthFailed") {
    return absl::PermissionDeniedError(what);
  }
  if (last == "LimitsExceeded" || last == "NoMemory") {
    return absl::ResourceExhaustedError(what);
  }
  return absl::UnknownError(what);
}

absl::StatusOr<std::unique_ptr<Bus>> Bus::Connect(const std::string& address,
                                                  Kind kind,
                                                  absl::Time deadline) {
  if (absl::Status status = CheckAddress(address); !status.ok()) return status;
  sd_bus* raw = nullptr;
  if (const int r = sd_bus_new(&raw); r < 0) return Died(r);
  std::unique_ptr<Bus> bus(new Bus(raw, kind));
  int r = sd_bus_set_address(raw, address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(raw, kind == Kind::kDaemon);
  if (r >= 0) r = sd_bus_start(raw);
  while (r >= 0) {
    r = sd_bus_process(raw, nullptr);
    if (r < 0) break;
    if (sd_bus_is_ready(raw) > 0) return bus;
    if (r > 0) continue;
    if (Clock::Real().Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("no greeting from ", address));
    }
    WaitFor(*bus, -1, deadline);
  }
  return absl::UnavailableError(
      absl::StrCat("cannot connect to ", address, ": ", strerror(-r)));
}

Bus::~Bus() { sd_bus_close_unref(bus_); }

bool Bus::Pump() {
  while (alive_) {
    const int r = sd_bus_process(bus_, nullptr);
    if (r < 0) alive_ = false;
    if (r <= 0) break;
  }
  return alive_;
}

void WaitFor(Bus& bus, int wake_fd, absl::Time deadline) {
  absl::InlinedVector<pollfd, 4> fds;
  AddPoll(bus, fds);
  if (wake_fd >= 0) fds.push_back({wake_fd, POLLIN, 0});
  // sd-bus may want the thread back earlier, to end a call that timed out.
  uint64_t usec = UINT64_MAX;
  sd_bus_get_timeout(bus.get(), &usec);
  absl::Time until = deadline;
  if (usec != UINT64_MAX) {
    until = std::min(until, absl::UnixEpoch() +
                                absl::Microseconds(static_cast<int64_t>(usec)));
  }
  const timespec left = Remaining(until);
  ppoll(fds.data(), fds.size(), &left, nullptr);
}

int Flight::Add(Bus& bus, const Call& call,
                absl::FunctionRef<int(sd_bus_message*)> append) {
  Pending& pending = pending_.emplace_back();
  pending.flight = this;
  pending.index = size() - 1;
  pending.bus = &bus;
  pending.depth = depth_;
  ++outstanding_;
  sd_bus_message* raw = nullptr;
  // A peer has no name to be called by.
  int r = sd_bus_message_new_method_call(
      bus.get(), &raw,
      bus.kind() == Bus::Kind::kPeer ? nullptr : call.destination.c_str(),
      call.path.c_str(), call.interface, call.member);
  pending.request.reset(raw);
  if (r >= 0) r = append(raw);
  if (r < 0) {
    End(pending, absl::InvalidArgumentError(
                     absl::StrCat("cannot ask ", call.destination, call.path,
                                  " for ", call.member, ": ", strerror(-r))));
  } else if (running_) {
    Send(pending);
  }
  return pending.index;
}

int Flight::AddGet(Bus& bus, const std::string& destination,
                   const std::string& path, const char* interface,
                   const char* property) {
  return Add(bus,
             Call{destination, path, "org.freedesktop.DBus.Properties", "Get"},
             [&](sd_bus_message* m) {
               return sd_bus_message_append(m, "ss", interface, property);
             });
}

void Flight::End(Pending& pending, absl::Status status) {
  pending.done = true;
  pending.status = std::move(status);
  // Dropping the slot makes sd-bus ignore a reply that is still to come.
  pending.slot.reset();
  ended_.push_back(pending.index);
  --outstanding_;
}

int Flight::OnReply(sd_bus_message* reply, void* userdata, sd_bus_error*) {
  Pending& pending = *static_cast<Pending*>(userdata);
  if (pending.done) return 0;
  if (sd_bus_message_is_method_error(reply, nullptr)) {
    pending.flight->End(pending,
                        StatusFromError(*sd_bus_message_get_error(reply)));
  } else {
    pending.reply.reset(sd_bus_message_ref(reply));
    pending.flight->End(pending, absl::OkStatus());
  }
  return 0;
}

void Flight::FailAll(Bus* bus, const absl::Status& status) {
  bus->MarkDead();
  for (Pending& pending : pending_) {
    if (pending.bus == bus && !pending.done) End(pending, status);
  }
}

void Flight::Send(Pending& pending) {
  Bus* bus = pending.bus;
  if (std::find(buses_.begin(), buses_.end(), bus) == buses_.end()) {
    buses_.push_back(bus);
  }
  ++traffic_->calls;
  int r = -ENOTCONN;
  if (bus->alive()) {
    sd_bus_slot* slot = nullptr;
    r = sd_bus_call_async(bus->get(), &slot, pending.request.get(),
                          &Flight::OnReply, &pending,
                          absl::ToInt64Microseconds(kForget));
    pending.slot.reset(slot);
  }
  if (r < 0) FailAll(bus, Died(r));
}

void Flight::Run(absl::Time deadline, absl::FunctionRef<bool(int)> on_reply) {
  running_ = true;
  int deepest = 0;
  // Calls are only added in on_reply, so this sees what was added before.
  for (size_t i = 0, n = pending_.size(); i < n; ++i) {
    if (!pending_[i].done) Send(pending_[i]);
  }
  bool stop = false;
  while (!stop) {
    while (!stop && !ended_.empty()) {
      const int index = ended_.front();
      ended_.pop_front();
      // A call that was never sent was not waited for either.
      if (pending_[index].slot != nullptr || pending_[index].reply != nullptr ||
          !absl::IsInvalidArgument(pending_[index].status)) {
        deepest = std::max(deepest, pending_[index].depth);
      }
      depth_ = pending_[index].depth + 1;
      stop = on_reply(index);
    }
    if (stop || (outstanding_ == 0 && ended_.empty())) break;
    if (!ended_.empty()) continue;

    bool progress = false;
    for (Bus* bus : buses_) {
      if (!bus->alive()) continue;
      // One message each in turn, so that a flood on one connection does not
      // starve the replies on another.
      const int r = sd_bus_process(bus->get(), nullptr);
      if (r < 0) FailAll(bus, Died(r));
      if (r != 0) progress = true;
    }
    if (!ended_.empty()) continue;
    if (Clock::Real().Now() >= deadline) break;
    if (progress) continue;

    absl::InlinedVector<pollfd, 4> fds;
    for (Bus* bus : buses_) {
      if (bus->alive()) AddPoll(*bus, fds);
    }
    const timespec left = Remaining(deadline);
    ppoll(fds.data(), fds.size(), &left, nullptr);
  }
  running_ = false;

  for (Pending& pending : pending_) {
    if (pending.done) continue;
    deepest = std::max(deepest, pending.depth);
    End(pending, absl::DeadlineExceededError("no answer by the deadline"));
  }
  traffic_->flights += deepest;
}

}  // namespace tactus::ax::atspi
