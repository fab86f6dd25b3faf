// A whole accessibility bus behind one socket and in one thread: the daemon,
// the registry and the applications of a stage, as a client sees them. Without
// a daemon and without processes it starts and ends within a millisecond, and
// what it answers is a caller's to spoil byte by byte.
//
// For fuzzers. A test that need not be fast is better served by a real bus
// (private_bus.h) and the process mock_app, which is what applications are.
//
//   absl::StatusOr<std::unique_ptr<WireBus>> bus =
//       WireBus::Start(*std::move(stage), tamper);
//   AtspiServer::Connect(
//       {.bus_address = (*bus)->address(), .no_display = true}, deadline);
//   ...
//   (*bus)->Stop();               // the world is at rest now
//   (*bus)->world().Find(...);
//
// Messages are routed by where they go, and not as a daemon would: a client
// hears every signal, and nobody has a name but the applications.
#ifndef TACTUS_AX_MOCK_DBUS_WIRE_BUS_H_
#define TACTUS_AX_MOCK_DBUS_WIRE_BUS_H_

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ax/mock/dbus/application.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"

namespace tactus::ax::mock {

class WireBus {
 public:
  // Gets each reply before it is sent, and returns what is sent in its place:
  // the same, another one, or null for none. Takes the reply. Called on the
  // bus's thread.
  using Tamper =
      std::function<sd_bus_message*(sd_bus_message* call, sd_bus_message*)>;

  // Unavailable where a socket cannot be had.
  static absl::StatusOr<std::unique_ptr<WireBus>> Start(
      std::unique_ptr<Stage> stage, Tamper tamper);
  // Stops.
  ~WireBus();

  WireBus(const WireBus&) = delete;
  WireBus& operator=(const WireBus&) = delete;

  // As sd-bus takes it: a socket in the abstract name space.
  const std::string& address() const { return address_; }

  // Ends the thread, and with it all connections. What the world has scheduled
  // until then has been done.
  void Stop();

  // Only after Stop, or from the stage's logger and the tamper.
  World& world() { return stage_->world(); }

 private:
  // More than a client opens: one, its cache's, and one for each observer.
  static constexpr size_t kMostConnections = 8;

  WireBus(std::unique_ptr<Stage> stage, Tamper tamper)
      : stage_(std::move(stage)), tamper_(std::move(tamper)) {}

  static int OnConnection(sd_event_source*, int fd, uint32_t, void* userdata);
  static int OnStop(sd_event_source*, int fd, uint32_t, void* userdata);
  static int OnMessage(sd_bus_message* m, void* userdata, sd_bus_error*);

  void Run();
  void Accept();
  void Handle(sd_bus_message* call);
  void HandleDaemon(sd_bus_message* call);
  void HandleRegistry(sd_bus_message* call);
  // Applications come and go as programs of the world do.
  void Sync();
  void TellOwner(const std::string& name, bool came);
  void Hear(const Event& event);
  void Reply(sd_bus_message* call, sd_bus_message* reply);

  const std::unique_ptr<Stage> stage_;
  const Tamper tamper_;
  std::string address_;
  int listening_ = -1;
  int stop_ = -1;
  sd_event* event_ = nullptr;
  std::vector<sd_bus*> connections_;
  std::list<std::unique_ptr<WireApplication>> apps_;
  std::vector<Event> heard_;
  int next_name_ = 0;
  int next_client_ = 0;
  std::thread thread_;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_WIRE_BUS_H_
