#include "tools/mcp/serve.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "tools/mcp/message.h"
#include "tools/mcp/server.h"
#include "tools/tactus/lines.h"

namespace tactus::mcp {
namespace {

// Where a pipe can take anything, it can take as much (PIPE_BUF, pipe(7)).
constexpr size_t kAtomic = 4096;

// The output. Its mode is left as it is, since another process may share it.
// Called by one thread at a time.
class Output {
 public:
  explicit Output(const ServeOptions& options) : options_(options) {}

  void Write(absl::string_view line) {
    while (!line.empty() && !broken_) {
      if (!WaitUntilWritable()) {
        Break();
        return;
      }
      ssize_t n = send(options_.out, line.data(), line.size(),
                       MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno == ENOTSOCK) {
        n = write(options_.out, line.data(), std::min(line.size(), kAtomic));
      }
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n < 0) {
        Break();
        return;
      }
      line.remove_prefix(static_cast<size_t>(n));
    }
  }

  // After the threads that write are gone.
  bool broken() const { return broken_; }

 private:
  bool WaitUntilWritable() {
    for (;;) {
      pollfd fds[] = {
          {options_.out, POLLOUT, 0},
          {deadline_.has_value() ? -1 : options_.stopped, POLLIN, 0}};
      int wait = -1;
      if (deadline_.has_value()) {
        wait = static_cast<int>(std::max<int64_t>(
            0,
            absl::ToInt64Milliseconds(*deadline_ - ax::Clock::Real().Now())));
      }
      const int ready = poll(fds, 2, wait);
      if (ready < 0 && errno == EINTR) continue;
      if (ready < 0) return false;
      if (fds[0].revents != 0) return (fds[0].revents & POLLOUT) != 0;
      if (ready == 0) return false;
      deadline_ = ax::Clock::Real().Now() + kFarewell;
    }
  }

  // Nobody reads: the input is of no use any more either.
  void Break() {
    broken_ = true;
    const char byte = 0;
    (void)!write(options_.stop, &byte, 1);
  }

  const ServeOptions options_;
  std::optional<absl::Time> deadline_;  // once stopped
  bool broken_ = false;
};

}  // namespace

absl::Status Serve(Backend& backend, const std::string& version,
                   const ServeOptions& options) {
  Output output(options);
  Server server(
      {.backend = &backend,
       .version = version,
       .send = [&output](const std::string& line) { output.Write(line); },
       .writes = options.writes});
  const int finished = eventfd(0, EFD_CLOEXEC);
  if (finished < 0) return absl::ErrnoToStatus(errno, "cannot make an eventfd");
  std::thread calls([&server, finished] {
    server.Run();
    const uint64_t one = 1;
    (void)!write(finished, &one, sizeof(one));
  });
  cli::LineReader lines(options.in, options.stopped, kMostLine);
  absl::Status status;
  for (;;) {
    const absl::StatusOr<std::optional<std::string>> line = lines.Next();
    if (absl::IsInvalidArgument(line.status())) {
      server.LongLine();
      continue;
    }
    if (!line.ok()) status = line.status();
    if (!line.ok() || !line->has_value()) break;
    server.Line(**line);
  }
  if (status.ok() && !lines.Stopped()) {
    server.End();
    pollfd fds[] = {{finished, POLLIN, 0}, {options.stopped, POLLIN, 0}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
  }
  // Where all is done there is nothing to refuse.
  server.Stop();
  calls.join();
  close(finished);
  if (output.broken()) {
    return absl::UnavailableError("nobody reads standard output any more");
  }
  return status;
}

}  // namespace tactus::mcp
