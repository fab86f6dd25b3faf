#include "transfer/mcp/server_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/mcp/keeper.h"
#include "transfer/sync/thread.h"

namespace tactus::transfer {
namespace {

// Of what a process may start while its keeper kills it; that is in no hurry.
constexpr absl::Duration kReap = absl::Seconds(10);

absl::Time Now() { return Clock::Real().Now(); }

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// Until one of `fds` is ready; how many are, 0 when none was by the deadline.
int Poll(absl::Span<pollfd> fds, absl::Time deadline) {
  for (;;) {
    const absl::Duration left =
        std::clamp(deadline - Now(), absl::ZeroDuration(), absl::Hours(1));
    const timespec wait = absl::ToTimespec(left);
    const int ready = ppoll(fds.data(), fds.size(), &wait, nullptr);
    if (ready > 0) return ready;
    if (ready < 0 && errno != EINTR) return ready;
    if (Now() >= deadline) return 0;
  }
}

absl::Status Late(absl::string_view what) {
  return absl::DeadlineExceededError(absl::StrCat("the server ", what));
}

// A pipe of which neither end is inherited by what is run elsewhere.
struct Pipe {
  int read = -1;
  int write = -1;
  ~Pipe() {
    Close(read);
    Close(write);
  }
  bool Open() {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return false;
    read = fds[0];
    write = fds[1];
    return true;
  }
};

absl::StatusOr<std::string> FindProgram(const std::string& name) {
  if (name.empty()) return absl::InvalidArgumentError("there is no program");
  if (absl::StrContains(name, '/')) return name;
  const char* path = getenv("PATH");
  for (absl::string_view folder :
       absl::StrSplit(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    if (folder.empty()) continue;  // the working folder: never meant
    std::string file = absl::StrCat(folder, "/", name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return absl::NotFoundError(
      absl::StrCat("there is no program '", name, "' in PATH"));
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

// What `write` returns, and its errno, without a SIGPIPE.
ssize_t WithoutPipeSignal(absl::FunctionRef<ssize_t()> write) {
  sigset_t pipe_signal;
  sigset_t before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write();
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec none = {};
    while (sigtimedwait(&pipe_signal, nullptr, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

ServerEnd EndOf(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerProcess>> ServerProcess::Start(
    const ServerCommand& command, absl::Time deadline) {
  if (command.arguments.empty()) {
    return absl::InvalidArgumentError("there is no program");
  }
  const absl::StatusOr<std::string> program = FindProgram(command.arguments[0]);
  if (!program.ok()) return program.status();
  Pipe input;
  Pipe output;
  Pipe errors;
  Pipe life;
  Pipe status;
  Pipe failure;
  for (Pipe* pipe : {&input, &output, &errors, &life, &status, &failure}) {
    if (!pipe->Open()) return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  const int new_errors = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (new_errors < 0) {
    return absl::ErrnoToStatus(errno, "cannot make an eventfd");
  }
  std::unique_ptr<ServerProcess> server(new ServerProcess());
  server->new_errors_ = new_errors;
  // All that the keeper needs, before there are two of us.
  const std::vector<char*> arguments = Pointers(command.arguments);
  const std::vector<char*> environment = Pointers(command.environment);
  const KeeperOptions keeper{
      .input = input.read,
      .output = output.write,
      .errors = errors.write,
      .life = life.read,
      .status = status.write,
      .failure = failure.write,
      .program = program->c_str(),
      .arguments = arguments.data(),
      .environment = command.environment.empty() ? environ : environment.data(),
      .grace_ms = static_cast<int>(absl::ToInt64Milliseconds(kOrphanGrace))};
  server->keeper_ = fork();
  if (server->keeper_ < 0) {
    return absl::ErrnoToStatus(errno, "cannot start a process");
  }
  if (server->keeper_ == 0) RunKeeper(keeper);
  server->input_ = std::exchange(input.write, -1);
  server->output_ = std::exchange(output.read, -1);
  server->life_ = std::exchange(life.write, -1);
  server->status_ = std::exchange(status.read, -1);
  for (int* fd : {&input.read, &output.write, &errors.write, &life.read,
                  &status.write, &failure.write}) {
    Close(*fd);
  }
  for (const int fd : {server->input_, server->output_}) {
    fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  absl::StatusOr<std::thread> drain = StartThread(
      [process = server.get(), fd = errors.read] { process->DrainErrors(fd); });
  if (!drain.ok()) return drain.status();
  errors.read = -1;
  server->drain_ = *std::move(drain);

  pollfd told = {failure.read, POLLIN, 0};
  if (Poll(absl::MakeSpan(&told, 1), deadline) <= 0) {
    return Late("did not start in time");
  }
  int error = 0;
  ssize_t n = 0;
  do {
    n = read(failure.read, &error, sizeof(error));
  } while (n < 0 && errno == EINTR);
  if (n == sizeof(error)) {
    return absl::ErrnoToStatus(
        error, absl::StrCat("cannot run '", command.arguments[0], "'"));
  }
  return server;
}

ServerProcess::~ServerProcess() {
  CloseInput();
  if (!ended_) {
    Kill();
    Wait(Now() + kReap).IgnoreError();
  }
  Close(life_);
  Close(output_);
  Close(status_);
  if (keeper_ > 0) {
    while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (drain_.joinable()) drain_.join();
  Close(new_errors_);
}

absl::StatusOr<size_t> ServerProcess::WriteSome(absl::string_view bytes,
                                                absl::Time deadline) {
  for (;;) {
    // A server that has gone raises a signal, which is for this thread alone
    // and is taken back: what a program does about it for all is its own.
    const ssize_t n = WithoutPipeSignal(
        [this, bytes] { return write(input_, bytes.data(), bytes.size()); });
    if (n > 0) return static_cast<size_t>(n);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      return absl::UnavailableError("the server reads no more");
    }
    pollfd ready = {input_, POLLOUT, 0};
    if (Poll(absl::MakeSpan(&ready, 1), deadline) <= 0) {
      return Late("did not read in time");
    }
  }
}

absl::Status ServerProcess::Write(absl::string_view bytes,
                                  absl::Time deadline) {
  while (!bytes.empty()) {
    const absl::StatusOr<size_t> n = WriteSome(bytes, deadline);
    if (!n.ok()) return n.status();
    bytes.remove_prefix(*n);
  }
  return absl::OkStatus();
}

void ServerProcess::CloseInput() { Close(input_); }

absl::StatusOr<size_t> ServerProcess::Read(absl::Span<char> into,
                                           absl::Time deadline) {
  for (;;) {
    const ssize_t n = read(output_, into.data(), into.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, "cannot read from the server");
    }
    pollfd ready = {output_, POLLIN, 0};
    if (Poll(absl::MakeSpan(&ready, 1), deadline) <= 0) {
      return Late("said nothing in time");
    }
  }
}

bool ServerProcess::WaitForOutput(absl::Time deadline) {
  pollfd fds[] = {{output_, POLLIN, 0}, {new_errors_, POLLIN, 0}};
  return Poll(absl::MakeSpan(fds), deadline) > 0;
}

void ServerProcess::DrainErrors(int fd) {
  char part[16384];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    {
      MutexLock lock(&mutex_);
      errors_.append(part, static_cast<size_t>(n));
      if (errors_.size() > kKeptErrors) {
        const size_t beyond = errors_.size() - kKeptErrors;
        errors_.erase(0, beyond);
        dropped_ += beyond;
      }
    }
    Nudge();
  }
  close(fd);
  {
    MutexLock lock(&mutex_);
    errors_ended_ = true;
    errors_changed_.NotifyAll();
  }
  Nudge();
}

ServerErrors ServerProcess::TakeErrors() {
  uint64_t count = 0;
  (void)!read(new_errors_, &count, sizeof(count));
  MutexLock lock(&mutex_);
  return {std::exchange(errors_, {}), std::exchange(dropped_, 0)};
}

void ServerProcess::WaitForErrorsEnd(absl::Time deadline) {
  MutexLock lock(&mutex_);
  while (!errors_ended_ && Now() < deadline) {
    errors_changed_.WaitFor(&mutex_, deadline - Now());
  }
}

void ServerProcess::Nudge() {
  const uint64_t one = 1;
  (void)!write(new_errors_, &one, sizeof(one));
}

void ServerProcess::Tell(char what) {
  if (ended_ || life_ < 0) return;
  // A keeper that has gone has no need of it; its end is in the status.
  WithoutPipeSignal([this, what] { return write(life_, &what, 1); });
}

void ServerProcess::Terminate() { Tell('t'); }
void ServerProcess::Kill() { Tell('k'); }

absl::StatusOr<ServerEnd> ServerProcess::Wait(absl::Time deadline) {
  if (ended_) return end_;
  pollfd told = {status_, POLLIN, 0};
  if (Poll(absl::MakeSpan(&told, 1), deadline) <= 0) {
    return Late("has not ended in time");
  }
  int status = 0;
  ssize_t n = 0;
  do {
    n = read(status_, &status, sizeof(status));
  } while (n < 0 && errno == EINTR);
  ended_ = true;
  // The keeper was killed, and the server with it.
  end_ = n == sizeof(status) ? EndOf(status) : ServerEnd{0, SIGKILL};
  return end_;
}

ServerEnd ServerProcess::Stop() {
  Terminate();
  absl::StatusOr<ServerEnd> end = Wait(Now() + kTermGrace);
  if (end.ok()) return *end;
  Kill();
  end = Wait(Now() + kReap);
  return end.ok() ? *end : ServerEnd{0, SIGKILL};
}

}  // namespace tactus::transfer
