#include "ax/atspi/applications.h"

#include <sys/types.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

const std::string& DaemonName() {
  static const std::string kName = "org.freedesktop.DBus";
  return kName;
}

const std::string& DaemonPath() {
  static const std::string kPath = "/org/freedesktop/DBus";
  return kPath;
}

const std::string& Root() {
  static const std::string kPath = kRootPath;
  return kPath;
}

// Longest that opening an application's own socket may take unasked: it is an
// improvement for later calls, not worth a visible wait now.
constexpr absl::Duration kSocketPatience = absl::Milliseconds(50);
// An application that is busy just then is asked again, so often.
constexpr int kSocketAttempts = 3;
// Which application, what is focused, and two flights: a process that takes one
// snapshot and ends does not pay for a socket.
constexpr int kContactsOfASnapshot = 4;

}  // namespace

int Applications::OnNameOwnerChanged(sd_bus_message* m, void* userdata,
                                     sd_bus_error*) {
  auto* self = static_cast<Applications*>(userdata);
  const char* name = nullptr;
  const char* before = nullptr;
  const char* after = nullptr;
  if (sd_bus_message_read(m, "sss", &name, &before, &after) <= 0) return 0;
  if (name[0] != ':') return 0;
  if (after[0] == '\0') {
    self->apps_.erase(name);
  } else if (!self->apps_.contains(name)) {
    auto app = std::make_shared<App>();
    app->name = name;
    self->apps_[app->name] = std::move(app);
  }
  return 0;
}

absl::StatusOr<std::unique_ptr<Applications>> Applications::Start(
    Bus* bus, Traffic* traffic, bool sockets, absl::Time deadline) {
  std::unique_ptr<Applications> self(new Applications(bus, traffic, sockets));
  // The match is in place before the names are listed, since the daemon handles
  // both in order: no name can come or go unseen between the two.
  sd_bus_slot* slot = nullptr;
  const int r = sd_bus_match_signal_async(
      bus->get(), &slot, DaemonName().c_str(), DaemonPath().c_str(),
      DaemonName().c_str(), "NameOwnerChanged",
      &Applications::OnNameOwnerChanged, nullptr, self.get());
  self->match_.reset(slot);
  if (r < 0) return absl::UnavailableError("the accessibility bus ended");

  Flight flight(traffic);
  const int list = flight.Add(*bus, Call{DaemonName(), DaemonPath(),
                                         DaemonName().c_str(), "ListNames"});
  flight.Run(deadline);
  if (!flight.status(list).ok()) return flight.status(list);
  absl::StatusOr<std::vector<std::string>> names =
      DecodeNames(flight.reply(list));
  if (!names.ok()) return names.status();
  for (std::string& name : *names) {
    if (name.empty() || name[0] != ':') continue;
    auto app = std::make_shared<App>();
    app->name = name;
    self->apps_[std::move(name)] = std::move(app);
  }
  return self;
}

absl::Status Applications::LearnPids(absl::Time deadline) {
  Flight flight(traffic_);
  std::vector<std::pair<int, std::string>> asked;
  for (auto& [name, app] : apps_) {
    if (app->pid != 0) continue;
    asked.emplace_back(
        flight.Add(*bus_,
                   Call{DaemonName(), DaemonPath(), DaemonName().c_str(),
                        "GetConnectionUnixProcessID"},
                   [of = name.c_str()](sd_bus_message* m) {
                     return sd_bus_message_append(m, "s", of);
                   }),
        name);
  }
  flight.Run(deadline);
  for (const auto& [index, name] : asked) {
    // A name may have left while it was asked about: then there is no entry.
    const auto found = apps_.find(name);
    if (found == apps_.end() || !flight.status(index).ok()) continue;
    absl::StatusOr<uint32_t> pid = DecodeUint32(flight.reply(index));
    if (!pid.ok()) continue;
    App& owner = *found->second;
    owner.pid = static_cast<pid_t>(*pid);
    // It may have been described before anybody asked for its process.
    owner.info.pid = owner.pid;
    // Our own connections are no applications. Asking them would be to wait for
    // ourselves.
    if (owner.pid == getpid()) owner.described = true;
  }
  return bus_->alive() ? absl::OkStatus()
                       : absl::UnavailableError("the accessibility bus ended");
}

void Applications::Describe(absl::Span<const AppPtr> apps,
                            absl::Time deadline) {
  Flight flight(traffic_);
  struct Asked {
    AppPtr app;
    int toolkit, version, name;
  };
  std::vector<Asked> asked;
  for (const AppPtr& app : apps) {
    if (app->described) continue;
    asked.push_back(
        {app,
         flight.AddGet(*bus_, app->name, Root(), kApplication, "ToolkitName"),
         flight.AddGet(*bus_, app->name, Root(), kApplication, "Version"),
         flight.AddGet(*bus_, app->name, Root(), kAccessible, "Name")});
  }
  flight.Run(deadline);
  for (const Asked& one : asked) {
    App& app = *one.app;
    app.info.id = app.name;
    app.info.pid = app.pid;
    if (absl::IsDeadlineExceeded(flight.status(one.toolkit))) continue;
    app.described = true;
    const auto text = [&](int index) -> std::string {
      if (!flight.status(index).ok()) return "";
      return DecodeStringProperty(flight.reply(index)).value_or("");
    };
    app.is_application = flight.status(one.toolkit).ok();
    app.info.toolkit = text(one.toolkit);
    app.info.toolkit_version = text(one.version);
    app.info.name = text(one.name);
    app.quirks =
        &QuirksFor(app.info.toolkit, app.info.toolkit_version, app.info.name);
    app.info.claims_are_current = app.quirks->one_focus;
  }
}

void Applications::Contact(App& app, absl::Time deadline) {
  ++app.contacts;
  if (app.contacts > kContactsOfASnapshot) {
    OpenSocket(app, std::min(deadline, Clock::Real().Now() + kSocketPatience));
  }
}

void Applications::OpenSocket(App& app, absl::Time deadline) {
  if (app.peer != nullptr && app.peer->alive()) return;
  app.peer.reset();
  if (!sockets_ || app.peer_attempts >= kSocketAttempts ||
      app.quirks == nullptr || !app.quirks->peer_to_peer) {
    return;
  }
  ++app.peer_attempts;
  Flight flight(traffic_);
  const int address = flight.Add(
      *bus_, Call{app.name, Root(), kApplication, "GetApplicationBusAddress"});
  flight.Run(deadline);
  if (!flight.status(address).ok()) {
    // One that was merely busy is asked again; what it refused it refuses.
    if (!absl::IsDeadlineExceeded(flight.status(address))) {
      app.peer_attempts = kSocketAttempts;
    }
    return;
  }
  absl::StatusOr<std::string> where = DecodeString(flight.reply(address));
  if (!where.ok() || where->empty()) return;
  absl::StatusOr<std::unique_ptr<Bus>> peer =
      Bus::Connect(*where, Bus::Kind::kPeer, deadline);
  ++traffic_->connections;
  if (peer.ok()) app.peer = *std::move(peer);
}

absl::StatusOr<AppPtr> Applications::ByName(const std::string& name,
                                            absl::Time deadline) {
  bus_->Pump();
  const auto found = apps_.find(name);
  if (found == apps_.end()) {
    return absl::UnavailableError(
        absl::StrCat("the application ", name, " has left"));
  }
  AppPtr app = found->second;
  if (!app->described) {
    Describe({&app, 1}, deadline);
    if (!app->described) {
      return absl::DeadlineExceededError(absl::StrCat("the application ", name,
                                                      " (process ", app->pid,
                                                      ") does not answer"));
    }
  }
  Contact(*app, deadline);
  return app;
}

absl::StatusOr<AppPtr> Applications::ByPid(pid_t pid, absl::Time deadline) {
  if (!bus_->Pump()) {
    return absl::UnavailableError("the accessibility bus ended");
  }
  std::vector<std::string> names;
  bool unknown = false;
  for (const auto& [name, app] : apps_) {
    if (app->pid == pid) names.push_back(name);
    unknown |= app->pid == 0;
  }
  if (unknown) {
    if (absl::Status status = LearnPids(deadline); !status.ok()) return status;
    names.clear();
    for (const auto& [name, app] : apps_) {
      if (app->pid == pid) names.push_back(name);
    }
  }
  absl::Status why = absl::NotFoundError(absl::StrCat(
      "process ", pid,
      " has the keyboard, but accessibility does not know it: its toolkit's "
      "support is off or it was started before accessibility was"));
  // A process may have several connections; its application is the one that
  // says what it is.
  for (const std::string& name : names) {
    absl::StatusOr<AppPtr> app = ByName(name, deadline);
    if (app.ok() && (*app)->is_application) return app;
    if (!app.ok() && absl::IsDeadlineExceeded(app.status())) {
      why = app.status();
    }
  }
  return why;
}

absl::StatusOr<std::vector<AppPtr>> Applications::Registered(
    absl::Time deadline) {
  if (!bus_->Pump()) {
    return absl::UnavailableError("the accessibility bus ended");
  }
  Flight flight(traffic_);
  const std::string registry = kRegistry;
  const int children =
      flight.Add(*bus_, Call{registry, Root(), kAccessible, "GetChildren"});
  flight.Run(deadline);
  if (!flight.status(children).ok()) return flight.status(children);
  absl::StatusOr<std::vector<Reference>> references =
      DecodeReferences(flight.reply(children));
  if (!references.ok()) return references.status();
  std::vector<AppPtr> apps;
  for (const Reference& reference : *references) {
    const auto found = apps_.find(reference.application);
    if (found != apps_.end()) apps.push_back(found->second);
  }
  return apps;
}

absl::StatusOr<std::vector<AppPtr>> Applications::All(absl::Time deadline) {
  absl::StatusOr<std::vector<AppPtr>> apps = Registered(deadline);
  if (!apps.ok()) return apps;
  if (absl::Status status = LearnPids(deadline); !status.ok()) return status;
  Describe(*apps, deadline);
  return apps;
}

}  // namespace tactus::ax::atspi
