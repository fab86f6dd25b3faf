// Connections to D-Bus and calls in flight on them, over sd-bus.
//
// The AT-SPI backend speaks to many applications at once: over the
// accessibility bus, and over sockets of their own where they offer one. A
// `Flight` holds any number of calls to any of them, sends them all, and waits
// for all together until one deadline; each call ends with a status of its own.
// An application that answers nothing costs its own calls and no others.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Bus>> bus =
//       Bus::Connect(address, Bus::Kind::kDaemon, deadline);
//   Flight flight(&traffic);
//   const int role = flight.Add(**bus, Call{name, path, kAccessible,
//   "GetRole"}); flight.Run(deadline); if (flight.status(role).ok())
//   Decode(flight.reply(role));
//
// Deadlines are on Clock::Real(). Not thread-safe; a Bus belongs to a thread.
#ifndef TACTUS_AX_ATSPI_BUS_H_
#define TACTUS_AX_ATSPI_BUS_H_

#include <systemd/sd-bus.h>

#include <deque>
#include <memory>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"

namespace tactus::ax::atspi {

struct MessageUnref {
  void operator()(sd_bus_message* m) const { sd_bus_message_unref(m); }
};
using Message = std::unique_ptr<sd_bus_message, MessageUnref>;

struct SlotUnref {
  void operator()(sd_bus_slot* s) const { sd_bus_slot_unref(s); }
};
using Slot = std::unique_ptr<sd_bus_slot, SlotUnref>;

// OK only for an address of a Unix socket. D-Bus addresses may also name a
// program to execute ("unixexec:") or a host; an address that another process
// offered is never trusted with that.
absl::Status CheckAddress(absl::string_view address);

class Bus {
 public:
  enum class Kind {
    kDaemon,  // a message bus: names, matches
    kPeer,    // one application at the other end
  };

  // Errors: InvalidArgument (address), Unavailable (nobody listens there or the
  // greeting failed), DeadlineExceeded.
  static absl::StatusOr<std::unique_ptr<Bus>> Connect(
      const std::string& address, Kind kind, absl::Time deadline);

  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  ~Bus();

  sd_bus* get() const { return bus_; }
  Kind kind() const { return kind_; }
  // False once the connection has failed; every later call on it fails too.
  bool alive() const { return alive_; }
  void MarkDead() { alive_ = false; }

  // Dispatches what has arrived, without waiting. False when it has failed.
  bool Pump();

 private:
  Bus(sd_bus* bus, Kind kind) : bus_(bus), kind_(kind) {}

  sd_bus* bus_;
  Kind kind_;
  bool alive_ = true;
};

// A method call. The views must outlive `Add`.
struct Call {
  const std::string& destination;
  const std::string& path;
  const char* interface;
  const char* member;
};

class Flight {
 public:
  // `traffic` is added to by Run and must outlive the flight.
  explicit Flight(Traffic* traffic) : traffic_(traffic) {}
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;

  // Adds a call; `append` puts its arguments into the message and returns what
  // the last sd_bus_message_append* did. Returns the call's index. A call that
  // cannot be built has an InvalidArgument status and is never sent.
  int Add(Bus& bus, const Call& call,
          absl::FunctionRef<int(sd_bus_message*)> append);
  int Add(Bus& bus, const Call& call) {
    return Add(bus, call, [](sd_bus_message*) { return 0; });
  }

  // org.freedesktop.DBus.Properties.Get. Never GetAll: it kills Qt
  // applications.
  int AddGet(Bus& bus, const std::string& destination, const std::string& path,
             const char* interface, const char* property);

  // Sends all that was added and waits for all until `deadline`. Once only.
  //
  // `on_reply` is told the index of each call that has ended, well or not; it
  // may add further calls, which are sent at once, and ends the waiting by
  // returning true. Calls that were not waited for are DeadlineExceeded. The
  // longest chain of calls that followed from one another is what counts as
  // flights, since that is how often the caller waited.
  void Run(absl::Time deadline, absl::FunctionRef<bool(int)> on_reply);
  void Run(absl::Time deadline) {
    Run(deadline, [](int) { return false; });
  }

  int size() const { return static_cast<int>(pending_.size()); }
  const absl::Status& status(int index) const { return pending_[index].status; }
  // The reply, to be read once; null unless its status is OK.
  sd_bus_message* reply(int index) const { return pending_[index].reply.get(); }

 private:
  struct Pending {
    Flight* flight = nullptr;
    int index = 0;
    Bus* bus = nullptr;
    Message request;
    Slot slot;
    Message reply;
    absl::Status status;
    bool done = false;
    int depth = 1;  // of the chain of calls that led to this one
  };

  static int OnReply(sd_bus_message* reply, void* userdata, sd_bus_error*);
  void Send(Pending& pending);
  void End(Pending& pending, absl::Status status);
  void FailAll(Bus* bus, const absl::Status& status);

  Traffic* traffic_;
  std::deque<Pending> pending_;  // stable: sd-bus keeps pointers into it
  std::deque<int> ended_;        // not told to on_reply yet
  absl::InlinedVector<Bus*, 4> buses_;
  bool running_ = false;
  int outstanding_ = 0;
  int depth_ = 1;  // of calls added now
};

// The status that a D-Bus error reply means.
absl::Status StatusFromError(const sd_bus_error& error);

// Waits until `bus` has something to dispatch or `deadline`; a poll of its own
// for whoever drives a bus outside a Flight. `wake_fd` may be -1; when it
// becomes readable the wait ends as well.
void WaitFor(Bus& bus, int wake_fd, absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_BUS_H_
