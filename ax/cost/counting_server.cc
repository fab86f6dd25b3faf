#include "ax/cost/counting_server.h"

#include <sys/types.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::cost {

absl::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kFocusedApplication:
      return "focused_application";
    case Verb::kWindowList:
      return "window_list";
    case Verb::kApplicationOfProcess:
      return "application_of_process";
    case Verb::kApplications:
      return "applications";
    case Verb::kFocusedElements:
      return "focused_elements";
    case Verb::kTextFields:
      return "text_fields";
    case Verb::kFocus:
      return "focus";
    case Verb::kRead:
      return "read";
    case Verb::kReadMany:
      return "read_many";
    case Verb::kWrite:
      return "write";
    case Verb::kObserve:
      return "observe";
  }
  return "unknown";
}

template <typename Ask>
auto CountingServer::Count(Verb verb, Ask ask) {
  const Traffic before = inner_.traffic();
  const absl::Time start = inner_.clock().Now();
  auto answer = ask();
  const TraceEntry entry = {verb, inner_.traffic() - before,
                            inner_.clock().Now() - start};
  total_.questions += 1;
  total_.traffic += entry.traffic;
  total_.elapsed += entry.elapsed;
  if (trace_.size() < kMaxTrace) trace_.push_back(entry);
  return answer;
}

void CountingServer::Reset() {
  trace_.clear();
  total_ = Total();
}

absl::StatusOr<Application> CountingServer::FocusedApplication(
    absl::Time deadline) {
  return Count(Verb::kFocusedApplication,
               [&] { return inner_.FocusedApplication(deadline); });
}

absl::StatusOr<std::vector<Window>> CountingServer::WindowList(
    absl::Time deadline) {
  return Count(Verb::kWindowList, [&] { return inner_.WindowList(deadline); });
}

absl::StatusOr<Application> CountingServer::ApplicationOfProcess(
    pid_t pid, absl::Time deadline) {
  return Count(Verb::kApplicationOfProcess,
               [&] { return inner_.ApplicationOfProcess(pid, deadline); });
}

absl::StatusOr<std::vector<Application>> CountingServer::Applications(
    absl::Time deadline) {
  return Count(Verb::kApplications,
               [&] { return inner_.Applications(deadline); });
}

absl::StatusOr<std::vector<Element>> CountingServer::FocusedElements(
    const Application& application, absl::Time deadline) {
  return Count(Verb::kFocusedElements,
               [&] { return inner_.FocusedElements(application, deadline); });
}

absl::StatusOr<TextFieldList> CountingServer::TextFields(
    const Application& application, const FieldLimits& limits,
    absl::Time deadline) {
  return Count(Verb::kTextFields, [&] {
    return inner_.TextFields(application, limits, deadline);
  });
}

absl::Status CountingServer::Focus(const Element& element,
                                   absl::Time deadline) {
  return Count(Verb::kFocus, [&] { return inner_.Focus(element, deadline); });
}

Reading CountingServer::Read(const ReadRequest& request, absl::Time deadline) {
  return Count(Verb::kRead, [&] { return inner_.Read(request, deadline); });
}

absl::StatusOr<std::vector<Reading>> CountingServer::ReadMany(
    absl::Span<const ReadRequest> requests, absl::Time deadline) {
  return Count(Verb::kReadMany,
               [&] { return inner_.ReadMany(requests, deadline); });
}

WriteResult CountingServer::Write(const WriteRequest& request,
                                  absl::Time deadline) {
  return Count(Verb::kWrite, [&] { return inner_.Write(request, deadline); });
}

absl::StatusOr<std::unique_ptr<EventSource>> CountingServer::Observe(
    const ObserveOptions& options, absl::Time deadline) {
  return Count(Verb::kObserve,
               [&] { return inner_.Observe(options, deadline); });
}

}  // namespace tactus::ax::cost
