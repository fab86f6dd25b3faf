// A server in a process of its own, asked over a Unix socket: each call of it
// is a trip through the kernel and through the scheduler, as a call to another
// application is on any desktop.
//
//   absl::StatusOr<std::unique_ptr<MockProcess>> process =
//       MockProcess::Start(program, /*connections=*/2);
//   RemoteServer server((*process)->connection(0), {});
//   SnapshotFocused(server, {.deadline = ...});
//   server.traffic().flights;   // trips
//
// Deadlines are not sent, and not kept either: the mock answers at once, and
// the benchmark measures what it takes. Not for anything else.
#ifndef TACTUS_AX_BENCH_REMOTE_SERVER_H_
#define TACTUS_AX_BENCH_REMOTE_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/bench/wire.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::bench {

// Ends with the object.
class MockProcess {
 public:
  // Unavailable where it cannot be started.
  static absl::StatusOr<std::unique_ptr<MockProcess>> Start(
      const std::string& program, int connections);
  ~MockProcess();

  MockProcess(const MockProcess&) = delete;
  MockProcess& operator=(const MockProcess&) = delete;

  int connection(int index) const { return sockets_[index]; }

 private:
  MockProcess() = default;

  pid_t pid_ = 0;
  std::vector<int> sockets_;
};

class RemoteServer : public Server {
 public:
  struct Options {
    // No batches: each attribute is a trip.
    bool in_turn = false;
    // Batches, but whether something can be set is asked alone: the AX C API
    // has no batched form of that question.
    bool probes_alone = false;
  };

  // `fd` is open as long as the server lives.
  RemoteServer(int fd, Options options) : fd_(fd), options_(options) {}

  Clock& clock() override { return Clock::Real(); }
  absl::StatusOr<Application> FocusedApplication(absl::Time) override;
  absl::StatusOr<std::vector<Window>> WindowList(absl::Time) override;
  absl::StatusOr<Application> ApplicationOfProcess(pid_t pid,
                                                   absl::Time) override;
  // Nothing here asks for it: Unimplemented.
  absl::StatusOr<std::vector<Application>> Applications(absl::Time) override;
  absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time) override;
  // Nothing here asks for these either.
  absl::StatusOr<TextFieldList> TextFields(const Application& application,
                                           const FieldLimits& limits,
                                           absl::Time) override;
  absl::Status Focus(const Element& element, absl::Time) override;
  Reading Read(const ReadRequest& request, absl::Time) override;
  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time) override;
  WriteResult Write(const WriteRequest& request, absl::Time) override;
  // Of a desktop on which nothing happens.
  absl::StatusOr<std::unique_ptr<EventSource>> Observe(const ObserveOptions&,
                                                       absl::Time) override;
  Traffic traffic() const override { return traffic_; }

 private:
  absl::StatusOr<std::string> Ask(const Packer& request);
  absl::StatusOr<Application> AskForApplication(const Packer& request);
  absl::StatusOr<std::vector<Reading>> Batch(
      absl::Span<const ReadRequest> requests);

  const int fd_;
  const Options options_;
  Traffic traffic_;
};

}  // namespace tactus::ax::bench

#endif  // TACTUS_AX_BENCH_REMOTE_SERVER_H_
