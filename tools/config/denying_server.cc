#include "tools/config/denying_server.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
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
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::config {
namespace {

// Applications remembered; beyond any desktop. Then all is looked at anew.
constexpr size_t kMostKnown = 4096;

absl::Status Refusal(const std::string& name) {
  return absl::PermissionDeniedError(
      absl::StrCat(name.empty() ? "the application" : name,
                   " is denied by the configuration: it is neither read nor "
                   "edited"));
}

}  // namespace

std::string ProgramOf(pid_t pid) {
  char target[4096];
  const ssize_t length = readlink(absl::StrCat("/proc/", pid, "/exe").c_str(),
                                  target, sizeof(target));
  if (length <= 0) return "";
  std::string path(target, static_cast<size_t>(length));
  // What was replaced since it was started.
  constexpr char kDeleted[] = " (deleted)";
  if (absl::EndsWith(path, kDeleted)) path.resize(path.size() - 10);
  return path.substr(path.find_last_of('/') + 1);
}

DenyingServer::DenyingServer(std::unique_ptr<ax::Server> inner,
                             std::vector<std::string> denied, Program program)
    : inner_(std::move(inner)),
      denied_(std::move(denied)),
      program_(std::move(program)) {}

bool DenyingServer::Denied(const ax::Application& application) {
  if (denied_.empty()) return false;
  const auto found = verdicts_.find(application.id);
  if (found != verdicts_.end() && found->second.pid == application.pid &&
      found->second.name == application.name) {
    return found->second.denied;
  }
  const std::string program =
      application.pid > 0 ? program_(application.pid) : "";
  const bool denied =
      std::any_of(denied_.begin(), denied_.end(), [&](const std::string& name) {
        return absl::EqualsIgnoreCase(name, application.name) ||
               (!program.empty() && absl::EqualsIgnoreCase(name, program));
      });
  if (verdicts_.size() >= kMostKnown) verdicts_.clear();
  verdicts_[application.id] = {application.pid, application.name, denied};
  return denied;
}

absl::Status DenyingServer::CheckElement(const ax::Element& element) const {
  const auto found = verdicts_.find(element.application);
  if (found == verdicts_.end() || !found->second.denied) {
    return absl::OkStatus();
  }
  return Refusal(found->second.name);
}

absl::StatusOr<ax::Application> DenyingServer::FocusedApplication(
    absl::Time deadline) {
  return inner_->FocusedApplication(deadline);
}

absl::StatusOr<std::vector<ax::Window>> DenyingServer::WindowList(
    absl::Time deadline) {
  return inner_->WindowList(deadline);
}

absl::StatusOr<ax::Application> DenyingServer::ApplicationOfProcess(
    pid_t pid, absl::Time deadline) {
  return inner_->ApplicationOfProcess(pid, deadline);
}

absl::StatusOr<std::vector<ax::Application>> DenyingServer::Applications(
    absl::Time deadline) {
  return inner_->Applications(deadline);
}

absl::StatusOr<std::vector<ax::Element>> DenyingServer::FocusedElements(
    const ax::Application& application, absl::Time deadline) {
  if (Denied(application)) return Refusal(application.name);
  return inner_->FocusedElements(application, deadline);
}

absl::StatusOr<ax::TextFieldList> DenyingServer::TextFields(
    const ax::Application& application, const ax::FieldLimits& limits,
    absl::Time deadline) {
  if (Denied(application)) return Refusal(application.name);
  return inner_->TextFields(application, limits, deadline);
}

absl::Status DenyingServer::Focus(const ax::Element& element,
                                  absl::Time deadline) {
  if (absl::Status status = CheckElement(element); !status.ok()) return status;
  return inner_->Focus(element, deadline);
}

ax::Reading DenyingServer::Read(const ax::ReadRequest& request,
                                absl::Time deadline) {
  if (absl::Status status = CheckElement(request.element); !status.ok()) {
    return status;
  }
  return inner_->Read(request, deadline);
}

absl::StatusOr<std::vector<ax::Reading>> DenyingServer::ReadMany(
    absl::Span<const ax::ReadRequest> requests, absl::Time deadline) {
  const bool all = std::all_of(
      requests.begin(), requests.end(),
      [this](const auto& r) { return CheckElement(r.element).ok(); });
  if (all) return inner_->ReadMany(requests, deadline);
  std::vector<ax::ReadRequest> allowed;
  for (const ax::ReadRequest& request : requests) {
    if (CheckElement(request.element).ok()) allowed.push_back(request);
  }
  std::vector<ax::Reading> answers;
  if (!allowed.empty()) {
    absl::StatusOr<std::vector<ax::Reading>> read =
        inner_->ReadMany(allowed, deadline);
    if (!read.ok()) return read.status();
    answers = *std::move(read);
  }
  std::vector<ax::Reading> readings;
  readings.reserve(requests.size());
  size_t next = 0;
  for (const ax::ReadRequest& request : requests) {
    if (absl::Status status = CheckElement(request.element); !status.ok()) {
      readings.emplace_back(std::move(status));
    } else if (next < answers.size()) {
      readings.push_back(std::move(answers[next++]));
    } else {
      readings.emplace_back(absl::DataLossError("an answer is missing"));
    }
  }
  return readings;
}

ax::WriteResult DenyingServer::Write(const ax::WriteRequest& request,
                                     absl::Time deadline) {
  if (absl::Status status = CheckElement(request.element); !status.ok()) {
    return {.sent = false, .status = std::move(status)};
  }
  return inner_->Write(request, deadline);
}

absl::StatusOr<std::unique_ptr<ax::EventSource>> DenyingServer::Observe(
    const ax::ObserveOptions& options, absl::Time deadline) {
  return inner_->Observe(options, deadline);
}

}  // namespace tactus::config
