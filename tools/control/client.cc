#include "tools/control/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "tools/control/address.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {
namespace {

// As the daemon takes them.
constexpr size_t kMostDescriptors = 3;

absl::Time Now() { return ax::Clock::Real().Now(); }

absl::Status Gone() { return absl::UnavailableError("the daemon has gone"); }

// Until `fd` can take or give, or `stop_fd` gives.
absl::Status WaitFor(int fd, short events, int stop_fd, absl::Time deadline) {
  for (;;) {
    pollfd fds[] = {{fd, events, 0}, {stop_fd, POLLIN, 0}};
    const absl::Duration left =
        std::clamp(deadline - Now(), absl::ZeroDuration(), absl::Hours(24));
    const timespec wait = absl::ToTimespec(left);
    const int ready = ppoll(fds, 2, &wait, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return absl::ErrnoToStatus(errno, "cannot wait");
    if (fds[1].revents != 0) return absl::CancelledError("stopped");
    if (fds[0].revents != 0) return absl::OkStatus();
    if (Now() >= deadline) {
      return absl::DeadlineExceededError(
          "the daemon does not answer: `--no-daemon` does without it");
    }
  }
}

// The text of a member of the greeting.
std::string Text(const Answer& greeting, const char* name) {
  const boost::json::object* status =
      greeting.result == nullptr ? nullptr : greeting.result->if_object();
  const boost::json::value* held =
      status == nullptr ? nullptr : status->if_contains(name);
  if (held == nullptr) return "";
  if (held->is_int64()) return absl::StrCat(held->get_int64());
  if (!held->is_string()) return "";
  return {held->get_string().data(), held->get_string().size()};
}

}  // namespace

Client::~Client() { close(fd_); }

absl::StatusOr<std::unique_ptr<Client>> Client::Connect(
    const std::string& folder, absl::string_view version, absl::Time deadline) {
  const absl::StatusOr<int> fd = control::Connect(folder);
  if (!fd.ok()) return fd.status();
  std::unique_ptr<Client> client(new Client(*fd));
  absl::StatusOr<Answer> greeting = client->Call("status", "{}", deadline);
  if (!greeting.ok()) return greeting.status();
  if (greeting->error.has_value()) {
    return absl::UnavailableError(
        absl::StrCat("the daemon refuses: ", greeting->error->message));
  }
  const std::string theirs = Text(*greeting, "version");
  if (theirs != std::string(version)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the daemon that runs, process ", Text(*greeting, "pid"),
                     ", is of version ", theirs.empty() ? "unknown" : theirs,
                     " and this is ", version,
                     ": end it (`systemctl --user restart tactusd`, or `kill ",
                     Text(*greeting, "pid"), "`), or use --no-daemon"));
  }
  client->greeting_ = *std::move(greeting);
  return client;
}

absl::Status Client::Send(absl::string_view line,
                          absl::Span<const int> descriptors,
                          absl::Time deadline) {
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)] = {};
  if (descriptors.size() > kMostDescriptors) {
    return absl::InvalidArgumentError("too many descriptors");
  }
  while (!line.empty()) {
    iovec from = {const_cast<char*>(line.data()), line.size()};
    msghdr message = {};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
      const size_t size = descriptors.size() * sizeof(int);
      message.msg_control = control;
      message.msg_controllen = CMSG_SPACE(size);
      cmsghdr* const one = CMSG_FIRSTHDR(&message);
      one->cmsg_level = SOL_SOCKET;
      one->cmsg_type = SCM_RIGHTS;
      one->cmsg_len = CMSG_LEN(size);
      memcpy(CMSG_DATA(one), descriptors.data(), size);
    }
    const ssize_t n = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (n > 0) {
      // They went with the first byte.
      descriptors = {};
      line.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Gone();
    absl::Status ready = WaitFor(fd_, POLLOUT, -1, deadline);
    if (!ready.ok()) return ready;
  }
  return absl::OkStatus();
}

absl::StatusOr<Answer> Client::Next(int stop_fd, absl::Time deadline) {
  for (;;) {
    const size_t end = in_.find('\n', searched_);
    if (end != std::string::npos) {
      absl::StatusOr<Answer> answer =
          ReadAnswer(absl::string_view(in_).substr(0, end));
      in_.erase(0, end + 1);
      searched_ = 0;
      return answer;
    }
    searched_ = in_.size();
    // Room for what is round the result.
    if (in_.size() > kMostAnswer + 4096) {
      return absl::DataLossError("the daemon's answer is too long");
    }
    absl::Status ready = WaitFor(fd_, POLLIN, stop_fd, deadline);
    if (!ready.ok()) return ready;
    char part[65536];
    const ssize_t n = recv(fd_, part, sizeof(part), 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return Gone();
    in_.append(part, static_cast<size_t>(n));
  }
}

absl::StatusOr<Answer> Client::Call(absl::string_view method,
                                    absl::string_view params,
                                    absl::Time deadline) {
  return Call(method, params, deadline, -1, [this](const Answer& answer) {
    notifications_.push_back(answer);
  });
}

absl::StatusOr<Answer> Client::Call(
    absl::string_view method, absl::string_view params, absl::Time deadline,
    int stop_fd, absl::FunctionRef<void(const Answer&)> heard,
    absl::Span<const int> descriptors) {
  const std::string id = absl::StrCat(next_id_++);
  absl::Status sent = Send(absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id,
                                        ",\"method\":", Quoted(method),
                                        ",\"params\":", params, "}\n"),
                           descriptors, deadline);
  if (!sent.ok()) return sent;
  for (;;) {
    absl::StatusOr<Answer> answer = Next(stop_fd, deadline);
    if (!answer.ok()) return answer;
    if (!answer->method.empty()) {
      heard(*answer);
      continue;
    }
    // An error without an id is of this request: one is under way at a time.
    if (answer->id == id ||
        (answer->error.has_value() && answer->id == "null")) {
      return answer;
    }
  }
}

absl::StatusOr<Answer> Client::Notification(int stop_fd, absl::Time deadline) {
  if (!notifications_.empty()) {
    Answer first = std::move(notifications_.front());
    notifications_.pop_front();
    return first;
  }
  for (;;) {
    absl::StatusOr<Answer> answer = Next(stop_fd, deadline);
    if (!answer.ok() || !answer->method.empty()) return answer;
  }
}

}  // namespace tactus::control
