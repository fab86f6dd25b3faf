#include "ax/bench/remote_server.h"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/bench/wire.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

extern char** environ;

namespace tactus::ax::bench {
namespace {

// Lists longer than this are none that the mock process sends.
constexpr int64_t kMostItems = 1000;

// Nothing ever happens.
class Silence : public EventSource {
 public:
  absl::StatusOr<Event> Next(absl::Time deadline) override {
    return absl::DeadlineExceededError("nothing happens");
  }
  void Cancel() override {}
};

absl::Status NotAskedFor() {
  return absl::UnimplementedError("not asked for in the benchmark");
}

absl::Status Half() { return absl::DataLossError("half an answer"); }

bool IsProbe(Attribute attribute) {
  return attribute == Attribute::kValueSettable ||
         attribute == Attribute::kSelectionSettable;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MockProcess>> MockProcess::Start(
    const std::string& program, int connections) {
  std::unique_ptr<MockProcess> self(new MockProcess());
  std::vector<int> theirs;
  std::vector<std::string> words = {program};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  bool made = true;
  for (int i = 0; i < connections; ++i) {
    int ends[2];
    made = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    if (!made) break;
    self->sockets_.push_back(ends[0]);
    theirs.push_back(ends[1]);
    // To itself: the child has it without the flag that closes it.
    posix_spawn_file_actions_adddup2(&actions, ends[1], ends[1]);
    words.push_back(absl::StrCat(ends[1]));
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int r = made ? posix_spawn(&self->pid_, program.c_str(), &actions,
                                   nullptr, argv.data(), environ)
                     : -1;
  posix_spawn_file_actions_destroy(&actions);
  for (const int fd : theirs) close(fd);
  if (r != 0) {
    self->pid_ = 0;
    return absl::UnavailableError(absl::StrCat("cannot start ", program));
  }
  return self;
}

MockProcess::~MockProcess() {
  for (const int fd : sockets_) close(fd);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

absl::StatusOr<std::string> RemoteServer::Ask(const Packer& request) {
  ++traffic_.flights;
  ++traffic_.calls;
  absl::StatusOr<std::string> reply = Exchange(fd_, request.bytes());
  traffic_.bytes += static_cast<int64_t>(request.bytes().size());
  if (reply.ok()) traffic_.bytes += static_cast<int64_t>(reply->size());
  return reply;
}

absl::StatusOr<Application> RemoteServer::AskForApplication(
    const Packer& request) {
  const absl::StatusOr<std::string> bytes = Ask(request);
  if (!bytes.ok()) return bytes.status();
  Unpacker reply(*bytes);
  if (absl::Status status = reply.TakeStatus(); !status.ok()) return status;
  Application application = reply.TakeApplication();
  if (!reply.ok()) return Half();
  return application;
}

absl::StatusOr<Application> RemoteServer::FocusedApplication(absl::Time) {
  return AskForApplication(
      Packer().Put(static_cast<int64_t>(Verb::kFocusedApplication)));
}

absl::StatusOr<Application> RemoteServer::ApplicationOfProcess(pid_t pid,
                                                               absl::Time) {
  return AskForApplication(
      Packer()
          .Put(static_cast<int64_t>(Verb::kApplicationOfProcess))
          .Put(int64_t{pid}));
}

absl::StatusOr<std::vector<Window>> RemoteServer::WindowList(absl::Time) {
  const absl::StatusOr<std::string> bytes =
      Ask(Packer().Put(static_cast<int64_t>(Verb::kWindowList)));
  if (!bytes.ok()) return bytes.status();
  Unpacker reply(*bytes);
  if (absl::Status status = reply.TakeStatus(); !status.ok()) return status;
  std::vector<Window> windows;
  const int64_t count = reply.TakeNumber();
  for (int64_t i = 0; i < count && i < kMostItems && reply.ok(); ++i) {
    Window& window = windows.emplace_back();
    window.pid = static_cast<pid_t>(reply.TakeNumber());
    window.title = reply.TakeText();
    window.active = reply.TakeNumber() != 0;
  }
  if (!reply.ok()) return Half();
  return windows;
}

absl::StatusOr<std::vector<Application>> RemoteServer::Applications(
    absl::Time) {
  return NotAskedFor();
}

absl::StatusOr<TextFieldList> RemoteServer::TextFields(const Application&,
                                                       const FieldLimits&,
                                                       absl::Time) {
  return NotAskedFor();
}

absl::Status RemoteServer::Focus(const Element&, absl::Time) {
  return NotAskedFor();
}

absl::StatusOr<std::vector<Element>> RemoteServer::FocusedElements(
    const Application& application, absl::Time) {
  const absl::StatusOr<std::string> bytes =
      Ask(Packer()
              .Put(static_cast<int64_t>(Verb::kFocusedElements))
              .Put(application));
  if (!bytes.ok()) return bytes.status();
  Unpacker reply(*bytes);
  if (absl::Status status = reply.TakeStatus(); !status.ok()) return status;
  std::vector<Element> elements;
  const int64_t count = reply.TakeNumber();
  for (int64_t i = 0; i < count && i < kMostItems && reply.ok(); ++i) {
    elements.push_back(reply.TakeElement());
  }
  if (!reply.ok()) return Half();
  return elements;
}

absl::StatusOr<std::vector<Reading>> RemoteServer::Batch(
    absl::Span<const ReadRequest> requests) {
  Packer request;
  request.Put(static_cast<int64_t>(Verb::kReadMany))
      .Put(static_cast<int64_t>(requests.size()));
  for (const ReadRequest& one : requests) {
    request.Put(one.element)
        .Put(static_cast<int64_t>(one.attribute))
        .Put(one.range);
  }
  const absl::StatusOr<std::string> bytes = Ask(request);
  if (!bytes.ok()) return bytes.status();
  Unpacker reply(*bytes);
  if (absl::Status status = reply.TakeStatus(); !status.ok()) return status;
  std::vector<Reading> readings;
  const int64_t count = reply.TakeNumber();
  for (int64_t i = 0; i < count && i < kMostItems && reply.ok(); ++i) {
    readings.push_back(reply.TakeReading());
  }
  if (!reply.ok() || readings.size() != requests.size()) return Half();
  return readings;
}

Reading RemoteServer::Read(const ReadRequest& request, absl::Time) {
  const absl::StatusOr<std::vector<Reading>> readings = Batch({&request, 1});
  if (!readings.ok()) return readings.status();
  return readings->front();
}

absl::StatusOr<std::vector<Reading>> RemoteServer::ReadMany(
    absl::Span<const ReadRequest> requests, absl::Time deadline) {
  if (options_.in_turn) return absl::UnimplementedError("one by one");
  if (!options_.probes_alone) return Batch(requests);
  std::vector<ReadRequest> together;
  for (const ReadRequest& request : requests) {
    if (!IsProbe(request.attribute)) together.push_back(request);
  }
  absl::StatusOr<std::vector<Reading>> batch = std::vector<Reading>();
  if (!together.empty()) batch = Batch(together);
  if (!batch.ok()) return batch;
  std::vector<Reading> readings;
  size_t next = 0;
  for (const ReadRequest& request : requests) {
    readings.push_back(IsProbe(request.attribute) ? Read(request, deadline)
                                                  : (*batch)[next++]);
  }
  return readings;
}

WriteResult RemoteServer::Write(const WriteRequest& request, absl::Time) {
  const absl::StatusOr<std::string> bytes =
      Ask(Packer()
              .Put(static_cast<int64_t>(Verb::kWrite))
              .Put(request.element)
              .Put(static_cast<int64_t>(request.kind))
              .Put(request.range)
              .Put(request.text));
  if (!bytes.ok()) return {true, bytes.status()};
  Unpacker reply(*bytes);
  const bool sent = reply.TakeNumber() != 0;
  return {sent, reply.TakeStatus()};
}

absl::StatusOr<std::unique_ptr<EventSource>> RemoteServer::Observe(
    const ObserveOptions&, absl::Time) {
  const absl::StatusOr<std::string> bytes =
      Ask(Packer().Put(static_cast<int64_t>(Verb::kObserve)));
  if (!bytes.ok()) return bytes.status();
  return std::make_unique<Silence>();
}

}  // namespace tactus::ax::bench
