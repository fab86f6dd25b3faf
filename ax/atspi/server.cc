#include "ax/atspi/server.h"

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/display.h"
#include "ax/atspi/environment.h"
#include "ax/atspi/fields.h"
#include "ax/atspi/focus_search.h"
#include "ax/atspi/observer.h"
#include "ax/atspi/reader.h"
#include "ax/atspi/session.h"
#include "ax/atspi/writer.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// A display that hangs leaves half of the time to accessibility itself, which
// can be asked without one.
absl::Time TimeOfDisplay(absl::Time deadline) {
  const absl::Time now = Clock::Real().Now();
  return now + (deadline - now) / 2;
}

absl::StatusOr<std::string> AddressFromSessionBus(Traffic* traffic,
                                                  absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<Session>> session = Session::Connect(deadline);
  if (!session.ok()) {
    return absl::Status(
        session.status().code(),
        absl::StrCat("no session bus: ", session.status().message()));
  }
  absl::StatusOr<std::string> address = (*session)->AccessibilityBus(deadline);
  *traffic += (*session)->traffic();
  return address;
}

absl::StatusOr<std::string> FindAddress(const AtspiOptions& options,
                                        Display* display, Traffic* traffic,
                                        absl::Time deadline) {
  if (!options.bus_address.empty()) return options.bus_address;
  if (std::string set = Environment("AT_SPI_BUS_ADDRESS"); !set.empty()) {
    return set;
  }
  if (display != nullptr) {
    absl::StatusOr<std::string> told = display->AccessibilityBus(deadline);
    if (told.ok() && CheckAddress(*told).ok()) return told;
  }
  return AddressFromSessionBus(traffic, deadline);
}

class AtspiServerImpl : public AtspiServer {
 public:
  explicit AtspiServerImpl(const AtspiOptions& options) : options_(options) {}

  absl::Status Start(absl::Time deadline) {
    if (options_.no_display) {
      display_status_ =
          absl::UnimplementedError("the display is not to be asked");
    } else {
      absl::StatusOr<std::unique_ptr<Display>> display =
          Display::Open(options_.display, &traffic_, TimeOfDisplay(deadline));
      display_status_ = display.status();
      if (display.ok()) display_ = *std::move(display);
    }
    absl::StatusOr<std::string> address =
        FindAddress(options_, display_.get(), &traffic_, deadline);
    if (!address.ok()) return address.status();
    address_ = *std::move(address);
    absl::StatusOr<std::unique_ptr<Bus>> bus =
        Bus::Connect(address_, Bus::Kind::kDaemon, deadline);
    ++traffic_.connections;
    if (!bus.ok()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the accessibility bus does not answer: ", bus.status().message()));
    }
    bus_ = *std::move(bus);
    absl::StatusOr<std::unique_ptr<atspi::Applications>> applications =
        atspi::Applications::Start(bus_.get(), &traffic_, options_.sockets,
                                   deadline);
    if (!applications.ok()) return applications.status();
    applications_ = *std::move(applications);
    return absl::OkStatus();
  }

  Clock& clock() override { return Clock::Real(); }

  absl::StatusOr<Application> FocusedApplication(absl::Time deadline) override {
    absl::Status why = display_status_;
    if (display_ != nullptr) {
      absl::StatusOr<pid_t> pid = display_->ActivePid(deadline);
      why = pid.status();
      if (pid.ok()) {
        absl::StatusOr<AppPtr> app = applications_->ByPid(*pid, deadline);
        if (app.ok()) return (*app)->info;
        why = app.status();
        // It has the keyboard and does not answer. Another application that
        // calls itself active would be the wrong one.
        if (absl::IsDeadlineExceeded(why)) return why;
      }
    }
    absl::StatusOr<std::vector<AppPtr>> apps =
        applications_->Registered(deadline);
    if (!apps.ok()) return apps.status();
    absl::StatusOr<ActiveWindow> active =
        FindActiveWindow(*applications_, *apps, &traffic_, deadline);
    if (active.ok()) {
      absl::StatusOr<AppPtr> app =
          applications_->ByName(active->app->name, deadline);
      if (!app.ok()) return app.status();
      return (*app)->info;
    }
    return absl::Status(
        active.status().code(),
        absl::StrCat(active.status().message(), "; display: ", why.message()));
  }

  absl::StatusOr<std::vector<Window>> WindowList(absl::Time deadline) override {
    if (display_ == nullptr) return display_status_;
    return display_->Windows(deadline);
  }

  absl::StatusOr<Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) override {
    absl::StatusOr<AppPtr> app = applications_->ByPid(pid, deadline);
    if (!app.ok()) return app.status();
    return (*app)->info;
  }

  absl::StatusOr<std::vector<Application>> Applications(
      absl::Time deadline) override {
    absl::StatusOr<std::vector<AppPtr>> apps = applications_->All(deadline);
    if (!apps.ok()) return apps.status();
    std::vector<Application> result;
    for (const AppPtr& app : *apps) result.push_back(app->info);
    return result;
  }

  absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time deadline) override {
    absl::StatusOr<AppPtr> app =
        applications_->ByName(application.id, deadline);
    if (!app.ok()) return app.status();
    if (!options_.remember) (*app)->last_focus = Element();
    return FindFocused(applications_->Route(**app), **app, &traffic_, deadline);
  }

  absl::StatusOr<TextFieldList> TextFields(const Application& application,
                                           const FieldLimits& limits,
                                           absl::Time deadline) override {
    absl::StatusOr<AppPtr> app =
        applications_->ByName(application.id, deadline);
    if (!app.ok()) return app.status();
    return FindTextFields(applications_->Route(**app), **app, limits, &traffic_,
                          deadline);
  }

  absl::Status Focus(const Element& element, absl::Time deadline) override {
    absl::StatusOr<AppPtr> app =
        applications_->ByName(element.application, deadline);
    if (!app.ok()) return app.status();
    // What was found last has the focus no longer.
    (*app)->last_focus = Element();
    return GrabFocus(applications_->Route(**app), element, &traffic_, deadline);
  }

  Reading Read(const ReadRequest& request, absl::Time deadline) override {
    return ReadAttributes(*applications_, &traffic_, {&request, 1}, deadline)
        .front();
  }

  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) override {
    if (options_.no_batches) {
      return absl::UnimplementedError("batches are switched off");
    }
    return ReadAttributes(*applications_, &traffic_, requests, deadline);
  }

  WriteResult Write(const WriteRequest& request, absl::Time deadline) override {
    return WriteElement(*applications_, &traffic_, request, deadline);
  }

  absl::StatusOr<std::unique_ptr<EventSource>> Observe(
      const ObserveOptions& options, absl::Time deadline) override {
    return OpenObserver(address_, options, &traffic_, deadline);
  }

  Traffic traffic() const override { return traffic_; }
  absl::Status display_status() const override { return display_status_; }
  const std::string& bus_address() const override { return address_; }

  bool HasSocket(const Application& application) override {
    const AppPtr app = applications_->Known(application.id);
    return app != nullptr && &applications_->Route(*app) != bus_.get();
  }

  bool OpenSocket(const Application& application,
                  absl::Time deadline) override {
    const AppPtr app = applications_->Known(application.id);
    if (app == nullptr) return false;
    applications_->OpenSocket(*app, deadline);
    return HasSocket(application);
  }

 private:
  const AtspiOptions options_;
  Traffic traffic_;
  std::unique_ptr<Display> display_;
  absl::Status display_status_;
  std::string address_;
  std::unique_ptr<Bus> bus_;
  std::unique_ptr<atspi::Applications> applications_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<AtspiServer>> AtspiServer::Connect(
    const AtspiOptions& options, absl::Time deadline) {
  auto server = std::make_unique<AtspiServerImpl>(options);
  if (absl::Status status = server->Start(deadline); !status.ok()) {
    return status;
  }
  return server;
}

absl::StatusOr<std::string> FindAccessibilityBus(const AtspiOptions& options,
                                                 absl::Time deadline) {
  Traffic traffic;
  std::unique_ptr<Display> display;
  if (!options.no_display) {
    absl::StatusOr<std::unique_ptr<Display>> opened =
        Display::Open(options.display, &traffic, TimeOfDisplay(deadline));
    if (opened.ok()) display = *std::move(opened);
  }
  return FindAddress(options, display.get(), &traffic, deadline);
}

}  // namespace tactus::ax::atspi
