// A message bus of a test's own, and the mock process on it.
//
//   absl::StatusOr<std::unique_ptr<PrivateBus>> bus = PrivateBus::Start();
//   absl::StatusOr<std::unique_ptr<MockProcess>> mock = MockProcess::Start(
//       "ax/mock/dbus/mock_app", **bus, script_json, {"--registry"});
//   // a client of (*bus)->address() sees what the script describes, the
//   // application "app:7" under (*mock)->bus_name("app:7")
//
// Needs dbus-daemon, and nothing of the session it runs in. Everything that was
// started ends with the object that started it.
#ifndef TACTUS_AX_MOCK_DBUS_PRIVATE_BUS_H_
#define TACTUS_AX_MOCK_DBUS_PRIVATE_BUS_H_

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ax::mock {

class PrivateBus {
 public:
  // FailedPrecondition where there is no dbus-daemon, DeadlineExceeded when it
  // does not listen within ten seconds.
  static absl::StatusOr<std::unique_ptr<PrivateBus>> Start();
  ~PrivateBus();

  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  const std::string& address() const { return address_; }

 private:
  PrivateBus() = default;

  std::string folder_;
  std::string address_;
  pid_t pid_ = 0;
};

class MockProcess {
 public:
  // Starts `binary` and returns when it is ready. FailedPrecondition, with what
  // it wrote, when it ends before; DeadlineExceeded after ten seconds.
  static absl::StatusOr<std::unique_ptr<MockProcess>> Start(
      const std::string& binary, const PrivateBus& bus,
      absl::string_view script, const std::vector<std::string>& options);
  // Kills it when it still runs.
  ~MockProcess();

  MockProcess(const MockProcess&) = delete;
  MockProcess& operator=(const MockProcess&) = delete;

  // The bus name of an application of the script; empty when there is none.
  std::string bus_name(const std::string& id) const;
  pid_t pid() const { return pid_; }

  // SIGSTOP and SIGCONT.
  void Stop();
  void Continue();
  // The exit code, waited for up to ten seconds; -1 when a signal ended it or
  // it still runs.
  int Wait();

 private:
  MockProcess() = default;

  pid_t pid_ = 0;
  int output_ = -1;
  std::map<std::string, std::string> names_;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_PRIVATE_BUS_H_
