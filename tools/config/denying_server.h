// A server that never asks a denied application for its elements.
//
// A decorator round any server: which application has the focus is passed on,
// so that the answer is "denied" and never another window's field; what claims
// the focus in it, and everything of its elements, is PermissionDenied before
// anything is sent to it. Its name and toolkit are asked for, by which it is
// known; they bear no text of the user.
//
// Example:
//
//   DenyingServer server(std::move(atspi), {"KeePassXC"}, ProgramOf);
//   SnapshotFocused(server, options);   // PermissionDenied where it is focused
//
// A name denies what calls itself so, and what runs a program of that name;
// ASCII letters of either case are alike.
#ifndef TACTUS_TOOLS_CONFIG_DENYING_SERVER_H_
#define TACTUS_TOOLS_CONFIG_DENYING_SERVER_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::config {

// The file name of the program that a process runs, as /proc tells; empty where
// it does not.
std::string ProgramOf(pid_t pid);

class DenyingServer : public ax::Server {
 public:
  using Program = std::function<std::string(pid_t)>;

  DenyingServer(std::unique_ptr<ax::Server> inner,
                std::vector<std::string> denied, Program program);

  ax::Server& inner() { return *inner_; }

  // Server:
  ax::Clock& clock() override { return inner_->clock(); }
  absl::StatusOr<ax::Application> FocusedApplication(
      absl::Time deadline) override;
  absl::StatusOr<std::vector<ax::Window>> WindowList(
      absl::Time deadline) override;
  absl::StatusOr<ax::Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) override;
  absl::StatusOr<std::vector<ax::Application>> Applications(
      absl::Time deadline) override;
  absl::StatusOr<std::vector<ax::Element>> FocusedElements(
      const ax::Application& application, absl::Time deadline) override;
  absl::StatusOr<ax::TextFieldList> TextFields(
      const ax::Application& application, const ax::FieldLimits& limits,
      absl::Time deadline) override;
  absl::Status Focus(const ax::Element& element, absl::Time deadline) override;
  ax::Reading Read(const ax::ReadRequest& request,
                   absl::Time deadline) override;
  absl::StatusOr<std::vector<ax::Reading>> ReadMany(
      absl::Span<const ax::ReadRequest> requests, absl::Time deadline) override;
  ax::WriteResult Write(const ax::WriteRequest& request,
                        absl::Time deadline) override;
  // Events tell of elements and never of text, so those of a denied
  // application are passed on: without them the focus would be thought to be
  // where it was.
  absl::StatusOr<std::unique_ptr<ax::EventSource>> Observe(
      const ax::ObserveOptions& options, absl::Time deadline) override;
  ax::Traffic traffic() const override { return inner_->traffic(); }

 private:
  struct Verdict {
    pid_t pid = 0;
    std::string name;
    bool denied = false;
  };

  // Looks once at each application, and again when its name has changed.
  bool Denied(const ax::Application& application);
  // By what is known of it; not denied where nothing is, since every way to an
  // element leads past its application.
  absl::Status CheckElement(const ax::Element& element) const;

  const std::unique_ptr<ax::Server> inner_;
  const std::vector<std::string> denied_;
  const Program program_;
  absl::flat_hash_map<std::string, Verdict> verdicts_;  // by Application::id
};

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_DENYING_SERVER_H_
