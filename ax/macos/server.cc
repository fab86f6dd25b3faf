#include "ax/macos/server.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/macos/applications.h"
#include "ax/macos/bounder.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/macos/observer.h"
#include "ax/macos/reader.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/macos/writer.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

// For undoing what was switched on, of each application, as the server ends.
constexpr absl::Duration kUndo = absl::Milliseconds(100);

Name ManualAccessibility() {
  return {CFSTR("AXManualAccessibility"), "AXManualAccessibility"};
}
Name EnhancedUserInterface() {
  return {CFSTR("AXEnhancedUserInterface"), "AXEnhancedUserInterface"};
}

class MacosServerImpl : public MacosServer {
 public:
  explicit MacosServerImpl(const MacosOptions& options)
      : options_(options),
        clock_(options.clock == nullptr ? Clock::Real() : *options.clock),
        elements_(options.elements == nullptr ? std::make_shared<ElementTable>()
                                              : options.elements),
        own_pid_(options.own_pid == 0 ? getpid() : options.own_pid),
        bounder_(MakeBounder()),
        calls_(&clock_, &traffic_),
        applications_(&calls_, &traffic_, bounder_.get(), own_pid_) {}

  ~MacosServerImpl() override {
    for (const auto& [pid, name] : woken_) {
      const auto application =
          Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
      if (!application) continue;
      bool sent = false;
      calls_
          .Set(application.get(), name, kCFBooleanFalse, clock_.Now() + kUndo,
               &sent)
          .IgnoreError();
    }
  }

  Clock& clock() override { return clock_; }

  absl::StatusOr<Application> FocusedApplication(absl::Time deadline) override {
    return applications_.Focused(deadline);
  }

  absl::StatusOr<std::vector<Window>> WindowList(absl::Time deadline) override {
    return applications_.Windows(deadline);
  }

  absl::StatusOr<Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) override {
    return applications_.OfProcess(pid, deadline);
  }

  absl::StatusOr<std::vector<Application>> Applications(
      absl::Time deadline) override {
    const absl::StatusOr<std::vector<pid_t>> pids =
        applications_.Processes(deadline);
    if (!pids.ok()) return pids.status();
    std::vector<Application> found;
    for (size_t i = 0; i < pids->size(); ++i) {
      absl::StatusOr<Application> application = applications_.OfProcess(
          (*pids)[i], Share(deadline, pids->size() - i));
      if (absl::IsPermissionDenied(application.status())) {
        return application.status();
      }
      if (application.ok()) found.push_back(*std::move(application));
    }
    return found;
  }

  absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time deadline) override {
    const pid_t pid = PidOf(application.id);
    if (pid == 0) {
      return absl::InvalidArgumentError("the id names no process");
    }
    if (pid == own_pid_) return absl::NotFoundError("that is this process");
    const auto reference =
        Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
    if (!reference) return absl::UnavailableError("no such process");
    const Calls::Answer answer = calls_.Copy(
        reference.get(), {kAXFocusedUIElementAttribute, "AXFocusedUIElement"},
        deadline);
    if (absl::IsNotFound(answer.status()) && options_.wake) {
      return Wake(pid, reference.get(), deadline);
    }
    if (!answer.ok()) return answer.status();
    const absl::StatusOr<Ref<AXUIElementRef>> element =
        ElementOf(answer->get());
    if (!element.ok()) return element.status();
    pid_t owner = 0;
    if (AXUIElementGetPid(element->get(), &owner) == kAXErrorSuccess &&
        owner == own_pid_) {
      return absl::DataLossError("the focused element is one of this process");
    }
    return std::vector<Element>{elements_->NameOf(*element, application.id)};
  }

  // The walk that finds fields asks for children, which nobody has asked of
  // macOS here yet; and what is not listed is not focused either.
  absl::StatusOr<TextFieldList> TextFields(const Application&,
                                           const FieldLimits&,
                                           absl::Time) override {
    return absl::UnimplementedError("fields are not listed on macOS yet");
  }
  absl::Status Focus(const Element&, absl::Time) override {
    return absl::UnimplementedError("no field is focused on macOS yet");
  }

  Reading Read(const ReadRequest& request, absl::Time deadline) override {
    const Ref<AXUIElementRef> element = elements_->Find(request.element);
    if (!element) return Forgotten();
    return ReaderOf(element, request.element, deadline).Answer(request);
  }

  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) override {
    if (options_.no_batches) {
      return absl::UnimplementedError("batches are switched off");
    }
    std::vector<Element> elements;
    for (const ReadRequest& request : requests) {
      if (std::find(elements.begin(), elements.end(), request.element) ==
          elements.end()) {
        elements.push_back(request.element);
      }
    }
    std::vector<Reading> readings(requests.size(), Forgotten());
    for (size_t i = 0; i < elements.size(); ++i) {
      const Ref<AXUIElementRef> reference = elements_->Find(elements[i]);
      if (!reference) continue;
      std::vector<ReadRequest> of;
      std::vector<size_t> places;
      for (size_t k = 0; k < requests.size(); ++k) {
        if (!(requests[k].element == elements[i])) continue;
        of.push_back(requests[k]);
        places.push_back(k);
      }
      // Elements of one application hang together or not at all.
      size_t others = 0;
      for (size_t k = i + 1; k < elements.size(); ++k) {
        others += elements[k].application != elements[i].application ? 1 : 0;
      }
      ElementReader reader =
          ReaderOf(reference, elements[i], Share(deadline, others + 1));
      const absl::Status batched = reader.Fetch(of);
      if (absl::IsUnimplemented(batched)) return batched;
      for (size_t k = 0; k < of.size(); ++k) {
        readings[places[k]] = reader.Answer(of[k]);
      }
    }
    return readings;
  }

  WriteResult Write(const WriteRequest& request, absl::Time deadline) override {
    return WriteElement(calls_, *elements_, request, deadline);
  }

  absl::StatusOr<std::unique_ptr<EventSource>> Observe(
      const ObserveOptions& options, absl::Time deadline) override {
    return OpenObserver(&clock_, elements_, MakeBounder(), own_pid_, options,
                        &traffic_, deadline);
  }

  Traffic traffic() const override { return traffic_; }

  Trust CheckTrust(absl::Time deadline) override {
    Trust trust;
    trust.told = AXIsProcessTrustedWithOptions(nullptr) != 0;
    trust.read = applications_.Focused(deadline).status();
    if (absl::IsNotFound(trust.read)) trust.read = absl::OkStatus();
    return trust;
  }

 private:
  static absl::Status Forgotten() {
    return absl::UnavailableError("no such element, or not any more");
  }

  std::unique_ptr<Bounder> MakeBounder() {
    return options_.make_bounder == nullptr ? MakeThreadBounder(clock_)
                                            : options_.make_bounder(clock_);
  }

  // When the first of `sharers` must have ended.
  absl::Time Share(absl::Time deadline, size_t sharers) {
    if (sharers <= 1) return deadline;
    const absl::Time now = clock_.Now();
    return now + (deadline - now) / static_cast<int64_t>(sharers);
  }

  ElementReader ReaderOf(const Ref<AXUIElementRef>& reference,
                         const Element& element, absl::Time deadline) {
    return ElementReader(&calls_, elements_.get(), reference,
                         element.application, deadline);
  }

  // What it answers to being woken is not what becomes of it: errors are
  // reported where it works.
  absl::Status Wake(pid_t pid, AXUIElementRef application,
                    absl::Time deadline) {
    // Once: a tree that is not built by then will not be.
    if (woken_.size() >= kMostProcesses || woken_.contains(pid)) {
      return absl::NotFoundError("nothing has the focus");
    }
    Name name = ManualAccessibility();
    bool sent = false;
    const absl::Status status =
        calls_.Set(application, name, kCFBooleanTrue, deadline, &sent);
    if (absl::IsUnimplemented(status)) {
      // Reported of both: an error that lies. So both are undone.
      woken_.emplace(pid, name);
      name = EnhancedUserInterface();
      calls_.Set(application, name, kCFBooleanTrue, deadline, &sent)
          .IgnoreError();
    }
    if (sent) woken_.emplace(pid, name);
    return absl::NotFoundError(
        "nothing has the focus yet: the application was asked to tell, which "
        "takes it some seconds");
  }

  const MacosOptions options_;
  Clock& clock_;
  const std::shared_ptr<ElementTable> elements_;
  const pid_t own_pid_;
  const std::unique_ptr<Bounder> bounder_;
  Traffic traffic_;
  Calls calls_;
  macos::Applications applications_;
  std::multimap<pid_t, Name> woken_;
};

}  // namespace

std::unique_ptr<MacosServer> MacosServer::Create(const MacosOptions& options) {
  return std::make_unique<MacosServerImpl>(options);
}

}  // namespace tactus::ax::macos
