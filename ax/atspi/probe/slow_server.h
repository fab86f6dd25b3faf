// A server whose every read takes longer: a decorator, to show that a gate on
// reads can fail.
//
// Example: a snapshot reads twice, so it takes 6 ms more.
//
//   SlowServer slow(&server, absl::Milliseconds(3));
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(slow, options);
#ifndef TACTUS_AX_ATSPI_PROBE_SLOW_SERVER_H_
#define TACTUS_AX_ATSPI_PROBE_SLOW_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

class SlowServer : public Server {
 public:
  // `inner` must outlive it.
  SlowServer(Server* inner, absl::Duration delay)
      : inner_(*inner), delay_(delay) {}

  Clock& clock() override { return inner_.clock(); }
  absl::StatusOr<Application> FocusedApplication(absl::Time deadline) override {
    return inner_.FocusedApplication(deadline);
  }
  absl::StatusOr<std::vector<Window>> WindowList(absl::Time deadline) override {
    return inner_.WindowList(deadline);
  }
  absl::StatusOr<Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) override {
    return inner_.ApplicationOfProcess(pid, deadline);
  }
  absl::StatusOr<std::vector<Application>> Applications(
      absl::Time deadline) override {
    return inner_.Applications(deadline);
  }
  absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time deadline) override {
    return inner_.FocusedElements(application, deadline);
  }
  absl::StatusOr<TextFieldList> TextFields(const Application& application,
                                           const FieldLimits& limits,
                                           absl::Time deadline) override {
    return inner_.TextFields(application, limits, deadline);
  }
  absl::Status Focus(const Element& element, absl::Time deadline) override {
    return inner_.Focus(element, deadline);
  }
  Reading Read(const ReadRequest& request, absl::Time deadline) override {
    Delay();
    return inner_.Read(request, deadline);
  }
  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) override {
    Delay();
    return inner_.ReadMany(requests, deadline);
  }
  WriteResult Write(const WriteRequest& request, absl::Time deadline) override {
    return inner_.Write(request, deadline);
  }
  absl::StatusOr<std::unique_ptr<EventSource>> Observe(
      const ObserveOptions& options, absl::Time deadline) override {
    return inner_.Observe(options, deadline);
  }
  Traffic traffic() const override { return inner_.traffic(); }

 private:
  void Delay() {
    if (delay_ > absl::ZeroDuration()) {
      clock().SleepUntil(clock().Now() + delay_);
    }
  }

  Server& inner_;
  const absl::Duration delay_;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_PROBE_SLOW_SERVER_H_
