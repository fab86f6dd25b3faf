#include "ax/atspi/session.h"

#include <systemd/sd-bus.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/environment.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

class SessionImpl : public Session {
 public:
  SessionImpl(std::string address, std::unique_ptr<Bus> bus)
      : address_(std::move(address)), bus_(std::move(bus)) {
    traffic_.connections = 1;
  }

  const std::string& address() const override { return address_; }

  const Traffic& traffic() const override { return traffic_; }

  absl::StatusOr<std::string> AccessibilityBus(absl::Time deadline) override {
    Flight flight(&traffic_);
    const std::string name = "org.a11y.Bus";
    const std::string path = "/org/a11y/bus";
    const int call =
        flight.Add(*bus_, Call{name, path, "org.a11y.Bus", "GetAddress"});
    flight.Run(deadline);
    if (!flight.status(call).ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the session has no accessibility bus (",
                       flight.status(call).message(),
                       "): install the package at-spi2-core"));
    }
    return DecodeString(flight.reply(call));
  }

  absl::StatusOr<bool> AccessibilityEnabled(absl::Time deadline) override {
    Flight flight(&traffic_);
    const int call = flight.AddGet(*bus_, "org.a11y.Bus", "/org/a11y/bus",
                                   "org.a11y.Status", "IsEnabled");
    flight.Run(deadline);
    const absl::Status& status = flight.status(call);
    if (absl::IsUnavailable(status)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the session bus knows no org.a11y.Bus (", status.message(), ")"));
    }
    if (!status.ok()) return status;
    int on = 0;
    if (sd_bus_message_enter_container(flight.reply(call), 'v', "b") <= 0 ||
        sd_bus_message_read_basic(flight.reply(call), 'b', &on) <= 0) {
      return absl::DataLossError("IsEnabled of org.a11y.Status is no boolean");
    }
    return on != 0;
  }

 private:
  const std::string address_;
  std::unique_ptr<Bus> bus_;
  Traffic traffic_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Connect(absl::Time deadline) {
  std::string address = Environment("DBUS_SESSION_BUS_ADDRESS");
  const std::string runtime = Environment("XDG_RUNTIME_DIR");
  if (address.empty() && !runtime.empty()) {
    address = absl::StrCat("unix:path=", runtime, "/bus");
  }
  if (address.empty()) {
    return absl::FailedPreconditionError(
        "neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set: run this "
        "inside a desktop session, or under tools/desktop/run");
  }
  absl::StatusOr<std::unique_ptr<Bus>> bus =
      Bus::Connect(address, Bus::Kind::kDaemon, deadline);
  if (!bus.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat("it does not answer: ", bus.status().message()));
  }
  return std::make_unique<SessionImpl>(std::move(address), *std::move(bus));
}

ToolkitFacts FactsOf(const Application& application) {
  const Quirks& quirks = QuirksFor(
      application.toolkit, application.toolkit_version, application.name);
  return {!quirks.toolkit.empty(), quirks.writes_land, quirks.peer_to_peer};
}

}  // namespace tactus::ax::atspi
