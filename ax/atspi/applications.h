// Who is on the accessibility bus: processes, names, toolkits, sockets.
//
// Bus names are learnt once and kept current by NameOwnerChanged, so that
// finding the application of a process costs nothing when it was asked before.
// An application describes itself (name, toolkit) on first contact. Where its
// toolkit offers a socket of its own, that is opened after the contacts of one
// snapshot, since a call there costs half of one over the bus.
//
// Example:
//
//   absl::StatusOr<AppPtr> app = applications.ByPid(pid, deadline);
//   if (!app.ok()) return app.status();
//   flight.AddGet(applications.Route(**app), (*app)->name, path, kText,
//                 "CaretOffset");
//
// Errors: NotFound (no such process on the bus), DeadlineExceeded (it does not
// describe itself in time), Unavailable.
#ifndef TACTUS_AX_ATSPI_APPLICATIONS_H_
#define TACTUS_AX_ATSPI_APPLICATIONS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

struct App {
  std::string name;  // unique bus name
  pid_t pid = 0;     // 0 until asked for
  // Set by the first contact: info and quirks are known, or the application
  // has said that it is none (a client such as ourselves).
  bool described = false;
  bool is_application = false;
  Application info;
  const Quirks* quirks = nullptr;
  // Its socket, when it offers one and it has been opened.
  std::unique_ptr<Bus> peer;
  int peer_attempts = 0;
  int contacts = 0;
  bool text_seen = false;  // see Quirks::cold_text
  // What a search found last, alone; a path of "" when there is none.
  Element last_focus;
  // The active window that it was found in, where windows behind keep claims.
  Element last_window;
};

// Shared, since an application may leave the bus while calls to it are being
// waited for.
using AppPtr = std::shared_ptr<App>;

class Applications {
 public:
  // `bus` and `traffic` must outlive this. Learns the names that are there.
  // `sockets` false keeps all calls on the bus.
  static absl::StatusOr<std::unique_ptr<Applications>> Start(
      Bus* bus, Traffic* traffic, bool sockets, absl::Time deadline);

  // The application of a process, described.
  absl::StatusOr<AppPtr> ByPid(pid_t pid, absl::Time deadline);
  absl::StatusOr<AppPtr> ByName(const std::string& name, absl::Time deadline);

  // What has registered as an application, described or not: nobody is asked
  // but the registry, so no application can delay it. Other names on the bus
  // belong to clients such as screen readers, which answer nothing.
  absl::StatusOr<std::vector<AppPtr>> Registered(absl::Time deadline);

  // The same, described where they answer until `deadline`. One that does not
  // is listed without a toolkit.
  absl::StatusOr<std::vector<AppPtr>> All(absl::Time deadline);

  // What is known of a name already, without asking anybody; null when nothing
  // is.
  AppPtr Known(const std::string& name) const {
    const auto found = apps_.find(name);
    return found == apps_.end() ? nullptr : found->second;
  }

  // The fastest open connection to `app`.
  Bus& Route(App& app) {
    return app.peer != nullptr && app.peer->alive() ? *app.peer : *bus_;
  }
  Bus& bus() { return *bus_; }

  // Opens the socket of `app` where it offers one and none is open, as a
  // contact does after those of one snapshot.
  void OpenSocket(App& app, absl::Time deadline);

 private:
  Applications(Bus* bus, Traffic* traffic, bool sockets)
      : bus_(bus), traffic_(traffic), sockets_(sockets) {}

  static int OnNameOwnerChanged(sd_bus_message* m, void* userdata,
                                sd_bus_error*);
  absl::Status LearnPids(absl::Time deadline);
  void Describe(absl::Span<const AppPtr> apps, absl::Time deadline);
  // Counts a contact, and opens the socket after those of one snapshot.
  void Contact(App& app, absl::Time deadline);

  Bus* bus_;
  Traffic* traffic_;
  bool sockets_;
  Slot match_;
  absl::flat_hash_map<std::string, AppPtr> apps_;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_APPLICATIONS_H_
