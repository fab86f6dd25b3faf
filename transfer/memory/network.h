// Devices that are paired with each other and talk through memory: a Transport
// for tests, whose time, order of events and faults are the test's.
//
// Use it to test what is written on streams: under every schedule, with the
// connection cut, delayed or gone dark at every message. It keeps the contract
// of transfer/stream and nothing of TLS.
//
// Example, a connection that is cut amid the third message:
//
//   MemoryNetwork network({
//       .schedule = &schedule,
//       .faults = {{.message = 2, .kind = MemoryFault::kCut, .keep = 5}},
//   });
//   Transport& a = network.Add(id_a);
//   Transport& b = network.Add(id_b);
//   network.Run({[&] { Send(a, network.clock()); },
//                [&] { Receive(b, network.clock()); }});
//
// A message is one Open, Write or CloseWrite, counted over the network in the
// order they begin; `messages()` lists them. Each direction of a stream holds
// `capacity` bytes that were not read, and a Write waits beyond. Like TCP, what
// a Write accepted need not have arrived, and what arrived before a cut can be
// read after it.
//
// Not thread-safe, and need not be: exactly one of the programs that Run runs
// goes on at a time.
#ifndef TACTUS_TRANSFER_MEMORY_NETWORK_H_
#define TACTUS_TRANSFER_MEMORY_NETWORK_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/schedule.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {

// What happens to one message, and to what follows it.
struct MemoryFault {
  enum Kind {
    kDelay,  // it arrives `delay` later, and nothing after it sooner
    kLose,  // it and all after it in its direction never arrive; nobody is told
    kCut,   // its first `keep` bytes arrive, then the connection is cut
  };

  size_t message = 0;  // counted from 0
  Kind kind = kCut;
  // More than the message has: all of it, the end of a CloseWrite too.
  size_t keep = 0;
  // Whether the operation that the cut hits fails; otherwise it returns OK, as
  // a kernel does that took the bytes, and the next one fails.
  bool writer_told = true;
  absl::Duration delay = absl::ZeroDuration();
};

// One message that was sent, for tests that hold counts and sizes.
struct MemoryMessage {
  enum Kind { kOpen, kWrite, kClose };

  DeviceId from;
  DeviceId to;
  size_t stream = 0;  // counted from 0 in the order of their Opens
  Kind kind = kWrite;
  size_t bytes = 0;  // of a write; with the stream's header in the first

  friend bool operator==(const MemoryMessage&, const MemoryMessage&) = default;
};

struct MemoryOptions {
  // Who goes on when several can; null: see Scheduler.
  Schedule* schedule = nullptr;
  std::vector<MemoryFault> faults = {};
  // Bytes in each direction of a stream that were written and not read.
  size_t capacity = size_t{64} << 10;
};

class MemoryNetwork {
 public:
  explicit MemoryNetwork(MemoryOptions options = {});
  ~MemoryNetwork();

  // A device that is paired with all others. It lives as long as the network.
  Transport& Add(const DeviceId& id);

  // Runs programs at once, each as on a thread of its own.
  void Run(const std::vector<std::function<void()>>& programs);

  // For deadlines; starts at the epoch.
  Clock& clock();

  // Whether a device can be reached from now on; cuts its streams when not.
  void SetReachable(const DeviceId& id, bool reachable);

  // All that were sent so far, in order.
  const std::vector<MemoryMessage>& messages() const;

 private:
  class State;
  class Device;
  struct Pipe;
  struct Connection;
  class MemoryStream;

  std::unique_ptr<State> state_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MEMORY_NETWORK_H_
