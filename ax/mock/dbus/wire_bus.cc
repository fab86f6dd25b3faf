#include "ax/mock/dbus/wire_bus.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/application.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"

namespace tactus::ax::mock {
namespace {

constexpr char kDaemon[] = "org.freedesktop.DBus";
constexpr char kRegistry[] = "org.a11y.atspi.Registry";
constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
// Beyond what Linux gives to a process, so that none is the client itself.
constexpr uint32_t kPidsFrom = 1u << 23;

absl::Status Broken(const char* what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(errno)));
}

// Null where it cannot be made.
sd_bus_message* ErrorFor(sd_bus_message* call, const char* name) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_error_set_const(&error, name, "no");
  sd_bus_message* reply = nullptr;
  sd_bus_message_new_method_error(call, &reply, &error);
  return reply;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WireBus>> WireBus::Start(
    std::unique_ptr<Stage> stage, Tamper tamper) {
  std::unique_ptr<WireBus> self(
      new WireBus(std::move(stage), std::move(tamper)));
  self->listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (self->listening_ < 0) return Broken("no socket");
  // A family alone: the kernel chooses a name of five digits.
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  socklen_t size = sizeof(name.sun_family);
  if (bind(self->listening_, reinterpret_cast<sockaddr*>(&name), size) != 0 ||
      listen(self->listening_, kMostConnections) != 0) {
    return Broken("cannot listen");
  }
  size = sizeof(name);
  if (getsockname(self->listening_, reinterpret_cast<sockaddr*>(&name),
                  &size) != 0) {
    return Broken("no name");
  }
  const size_t length = size - offsetof(sockaddr_un, sun_path) - 1;
  self->address_ = absl::StrCat("unix:abstract=",
                                absl::string_view(name.sun_path + 1, length));
  self->stop_ = eventfd(0, EFD_CLOEXEC);
  if (self->stop_ < 0) return Broken("no event");
  const absl::Time now = Clock::Real().Now();
  World& world = self->stage_->world();
  for (const Action& action : self->stage_->timed()) {
    world.At(now + *action.at,
             [action](World& w) { Perform(action, w).IgnoreError(); });
  }
  world.AddListener(
      [bus = self.get()](const Event& event) { bus->heard_.push_back(event); });
  self->thread_ = std::thread([bus = self.get()] { bus->Run(); });
  return self;
}

WireBus::~WireBus() {
  Stop();
  if (listening_ >= 0) close(listening_);
  if (stop_ >= 0) close(stop_);
}

void WireBus::Stop() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(stop_, &one, sizeof(one));
  thread_.join();
}

void WireBus::Run() {
  // All of sd-bus lives and dies on this thread.
  sd_event_new(&event_);
  sd_event_source* connections = nullptr;
  sd_event_source* stop = nullptr;
  sd_event_add_io(event_, &connections, listening_, EPOLLIN,
                  &WireBus::OnConnection, this);
  sd_event_add_io(event_, &stop, stop_, EPOLLIN, &WireBus::OnStop, this);
  Sync();
  sd_event_loop(event_);
  stage_->Advance();
  apps_.clear();
  for (sd_bus* connection : connections_) {
    sd_bus_detach_event(connection);
    sd_bus_close_unref(connection);
  }
  connections_.clear();
  sd_event_source_unref(connections);
  sd_event_source_unref(stop);
  event_ = sd_event_unref(event_);
}

int WireBus::OnStop(sd_event_source*, int, uint32_t, void* userdata) {
  return sd_event_exit(static_cast<WireBus*>(userdata)->event_, 0);
}

int WireBus::OnConnection(sd_event_source*, int, uint32_t, void* userdata) {
  static_cast<WireBus*>(userdata)->Accept();
  return 0;
}

void WireBus::Accept() {
  const int fd =
      accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return;
  if (connections_.size() >= kMostConnections) {
    close(fd);
    return;
  }
  sd_bus* bus = nullptr;
  int r = sd_bus_new(&bus);
  if (r < 0) {
    close(fd);
    return;
  }
  r = sd_bus_set_fd(bus, fd, fd);
  sd_id128_t id = SD_ID128_MAKE(00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00, 00,
                                00, 00, 00, 01);
  if (r >= 0) r = sd_bus_set_server(bus, 1, id);
  if (r >= 0) r = sd_bus_set_anonymous(bus, 1);
  if (r >= 0) r = sd_bus_set_trusted(bus, 1);
  if (r >= 0) r = sd_bus_start(bus);
  if (r >= 0) r = sd_bus_add_filter(bus, nullptr, &WireBus::OnMessage, this);
  if (r >= 0) r = sd_bus_attach_event(bus, event_, 0);
  if (r < 0) {
    sd_bus_close_unref(bus);
    return;
  }
  connections_.push_back(bus);
}

int WireBus::OnMessage(sd_bus_message* m, void* userdata, sd_bus_error*) {
  uint8_t type = 0;
  if (sd_bus_message_get_type(m, &type) < 0 ||
      type != SD_BUS_MESSAGE_METHOD_CALL) {
    return 0;
  }
  static_cast<WireBus*>(userdata)->Handle(m);
  return 1;
}

void WireBus::Handle(sd_bus_message* call) {
  const char* destination = sd_bus_message_get_destination(call);
  const absl::string_view to = destination == nullptr ? "" : destination;
  if (to == kDaemon) {
    HandleDaemon(call);
  } else if (to == kRegistry) {
    HandleRegistry(call);
  } else {
    WireApplication* app = nullptr;
    for (const auto& candidate : apps_) {
      if (candidate->bus_name() == to) app = candidate.get();
    }
    if (app != nullptr) {
      app->Handle(call);
      // What a daemon says of who has left without an answer.
      if (!app->alive()) {
        Reply(call, ErrorFor(call, SD_BUS_ERROR_NO_REPLY));
      }
    } else {
      Reply(call, ErrorFor(call, SD_BUS_ERROR_SERVICE_UNKNOWN));
    }
  }
  Sync();
  std::vector<Event> heard;
  heard.swap(heard_);
  for (const Event& event : heard) Hear(event);
}

void WireBus::HandleDaemon(sd_bus_message* call) {
  const char* member = sd_bus_message_get_member(call);
  const absl::string_view what = member == nullptr ? "" : member;
  sd_bus_message* reply = nullptr;
  int r = sd_bus_message_new_method_return(call, &reply);
  if (r >= 0) r = sd_bus_message_set_sender(reply, kDaemon);
  if (what == "Hello") {
    const std::string name = absl::StrCat(":9.", next_client_++);
    if (r >= 0) r = sd_bus_message_append(reply, "s", name.c_str());
    if (r >= 0) sd_bus_send(sd_bus_message_get_bus(reply), reply, nullptr);
    sd_bus_message_unref(reply);
    return;
  }
  if (what == "ListNames") {
    if (r >= 0) r = sd_bus_message_open_container(reply, 'a', "s");
    for (const auto& app : apps_) {
      if (r >= 0)
        r = sd_bus_message_append(reply, "s", app->bus_name().c_str());
    }
    if (r >= 0) r = sd_bus_message_close_container(reply);
  } else if (what == "GetConnectionUnixProcessID") {
    const char* name = nullptr;
    const Program* program = nullptr;
    if (sd_bus_message_read(call, "s", &name) > 0) {
      for (const auto& app : apps_) {
        if (app->bus_name() == name) {
          program = stage_->world().FindProgram(app->id());
        }
      }
    }
    if (program == nullptr) {
      r = -ESRCH;
    } else if (r >= 0) {
      r = sd_bus_message_append(
          reply, "u",
          kPidsFrom + static_cast<uint32_t>(program->application.pid));
    }
  } else if (what != "AddMatch" && what != "RemoveMatch") {
    r = -ENOSYS;
  }
  if (r < 0) {
    sd_bus_message_unref(reply);
    reply = ErrorFor(call, SD_BUS_ERROR_FAILED);
  }
  Reply(call, reply);
}

void WireBus::HandleRegistry(sd_bus_message* call) {
  Message message;
  message.verb = Verb::kApplications;
  const Fate fate = stage_->Begin(message);
  if (fate.silent || fate.mute || fate.unanswered) return;
  sd_bus_message* reply = nullptr;
  int r = fate.refusal.ok() ? sd_bus_message_new_method_return(call, &reply)
                            : -EACCES;
  if (sd_bus_message_is_method_call(call, kAccessible, "GetChildren") > 0) {
    if (r >= 0) r = sd_bus_message_open_container(reply, 'a', "(so)");
    for (const auto& app : apps_) {
      if (r < 0) break;
      r = sd_bus_message_append(reply, "(so)", app->bus_name().c_str(),
                                kRootPath);
    }
    if (r >= 0) r = sd_bus_message_close_container(reply);
  } else if (sd_bus_message_is_method_call(call, kRegistry, "RegisterEvent") <=
             0) {
    r = -ENOSYS;
  }
  if (r < 0) {
    sd_bus_message_unref(reply);
    reply = ErrorFor(call, r == -EACCES ? SD_BUS_ERROR_ACCESS_DENIED
                                        : SD_BUS_ERROR_UNKNOWN_METHOD);
  }
  Reply(call, reply);
}

void WireBus::Reply(sd_bus_message* call, sd_bus_message* reply) {
  if (reply != nullptr && tamper_) reply = tamper_(call, reply);
  if (reply == nullptr) return;
  sd_bus_send(sd_bus_message_get_bus(reply), reply, nullptr);
  sd_bus_message_unref(reply);
}

void WireBus::Sync() {
  World& world = stage_->world();
  for (auto it = apps_.begin(); it != apps_.end();) {
    WireApplication& app = **it;
    if (app.alive() && world.FindProgram(app.id()) != nullptr) {
      ++it;
      continue;
    }
    // The world may not know yet that a call has killed it.
    world.Quit(app.id()).IgnoreError();
    const std::string name = app.bus_name();
    it = apps_.erase(it);
    TellOwner(name, /*came=*/false);
  }
  for (const Program& program : world.desktop().programs) {
    const bool known = std::any_of(
        apps_.begin(), apps_.end(),
        [&](const auto& app) { return app->id() == program.application.id; });
    if (known) continue;
    const std::string name = absl::StrCat(":1.", next_name_++);
    apps_.push_back(WireApplication::OnBus(
        event_, stage_.get(), program.application.id, name, tamper_));
    TellOwner(name, /*came=*/true);
  }
}

void WireBus::TellOwner(const std::string& name, bool came) {
  for (sd_bus* connection : connections_) {
    sd_bus_message* m = nullptr;
    int r = sd_bus_message_new_signal(connection, &m, "/org/freedesktop/DBus",
                                      kDaemon, "NameOwnerChanged");
    if (r >= 0) r = sd_bus_message_set_sender(m, kDaemon);
    if (r >= 0) {
      r = sd_bus_message_append(m, "sss", name.c_str(),
                                came ? "" : name.c_str(),
                                came ? name.c_str() : "");
    }
    if (r >= 0) sd_bus_send(connection, m, nullptr);
    sd_bus_message_unref(m);
  }
}

void WireBus::Hear(const Event& event) {
  for (const TimedEvent& timed : stage_->Events(event)) {
    for (const auto& app : apps_) {
      if (app->id() != timed.event.element.application) continue;
      for (sd_bus* connection : connections_) app->Tell(timed, connection);
    }
  }
}

}  // namespace tactus::ax::mock
