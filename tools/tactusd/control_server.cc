#include "tools/tactusd/control_server.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/mutex.h"
#include "tools/control/address.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/handler.h"
#include "tools/tactusd/sink.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

// What epoll calls the two that are no clients; a client is its number and
// kFirst.
constexpr uint64_t kListen = 0;
constexpr uint64_t kWake = 1;
constexpr uint64_t kFirst = 2;

// While it ends: how often the handler is asked whether it is done, and how
// long clients may take to read what is left for them.
constexpr int kStopPauseMs = 20;
constexpr absl::Duration kFarewell = absl::Seconds(1);

constexpr int kNoDescriptorsUs = 50'000;

// At most this is read of one client before the others have their turn.
constexpr size_t kMostAtOnce = size_t{1} << 18;

absl::Time Now() { return ax::Clock::Real().Now(); }

using transfer::files::UniqueFd;

UniqueFd Spare() { return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

// As recv(2), with the descriptors that came along.
ssize_t Receive(int fd, char* part, size_t size,
                std::vector<UniqueFd>& descriptors) {
  alignas(cmsghdr) char
      control[CMSG_SPACE(sizeof(int) * Handler::kMostDescriptors)];
  iovec into = {part, size};
  msghdr message = {};
  message.msg_iov = &into;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (n < 0) return n;
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr;
       one = CMSG_NXTHDR(&message, one)) {
    if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int received = -1;
      memcpy(&received, CMSG_DATA(one) + i * sizeof(int), sizeof(int));
      // Beyond the bound it is closed here, those that did not fit into
      // `control` by the kernel.
      UniqueFd owned(received);
      if (descriptors.size() < Handler::kMostDescriptors) {
        descriptors.push_back(std::move(owned));
      }
    }
  }
  return n;
}

}  // namespace

ControlServer::ControlServer(int listen_fd,
                             std::function<void(const std::string&)> log)
    : listen_fd_(listen_fd),
      epoll_fd_(epoll_create1(EPOLL_CLOEXEC)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      log_(std::move(log)),
      spare_(Spare()) {}

void ControlServer::Outbox::Put(std::string line) {
  if (fd < 0 || broken) return;
  if (out.empty()) {
    out = std::move(line);
    Flush();
  } else {
    out.append(line);
  }
}

void ControlServer::Outbox::Flush() {
  while (unread() > 0 && !broken) {
    const ssize_t n =
        send(fd, out.data() + sent, unread(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      broken = true;
    } else {
      sent += static_cast<size_t>(n);
    }
  }
  if (unread() == 0) {
    // With what it held: it may have been long.
    out = std::string();
    sent = 0;
  } else if (sent > out.size() / 2) {
    out.erase(0, sent);
    sent = 0;
  }
}

ControlServer::~ControlServer() {
  for (auto& [number, client] : clients_) close(client.fd);
  for (const int fd : {listen_fd_, epoll_fd_, wake_fd_}) {
    if (fd >= 0) close(fd);
  }
}

void ControlServer::Wake() {
  const uint64_t one = 1;
  // Fails only when it is readable anyway.
  (void)!write(wake_fd_, &one, sizeof(one));
}

void ControlServer::RequestStop() {
  {
    MutexLock lock(&mutex_);
    stop_ = true;
  }
  Wake();
}

void ControlServer::Send(int64_t client, std::string line) {
  std::shared_ptr<Outbox> outbox;
  {
    MutexLock lock(&mutex_);
    const auto found = outboxes_.find(client);
    if (found == outboxes_.end()) return;
    outbox = found->second;
  }
  {
    MutexLock lock(&outbox->mutex);
    outbox->Put(std::move(line));
    if (outbox->unread() == 0 && !outbox->broken && !outbox->ended) return;
  }
  Wake();
}

void ControlServer::Ready(int64_t client, std::shared_ptr<Feed> feed) {
  {
    MutexLock lock(&mutex_);
    // One that waits to be looked at needs no second look.
    for (const auto& [other, known] : feeds_) {
      if (other == client && known == feed) return;
    }
    feeds_.emplace_back(client, std::move(feed));
  }
  Wake();
}

absl::Status ControlServer::Run(Handler& handler) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kListen;
  epoll_event wake = {};
  wake.events = EPOLLIN;
  wake.data.u64 = kWake;
  if (epoll_fd_ < 0 || wake_fd_ < 0 ||
      epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, listen_fd_, &event) != 0 ||
      epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &wake) != 0) {
    return absl::ErrnoToStatus(errno, "cannot wait for clients");
  }
  bool stopping = false;
  absl::Time farewell = absl::InfiniteFuture();
  for (;;) {
    epoll_event events[16];
    const int count =
        epoll_wait(epoll_fd_, events, 16, stopping ? kStopPauseMs : -1);
    if (count < 0 && errno != EINTR) {
      return absl::ErrnoToStatus(errno, "cannot wait for clients");
    }
    std::vector<int64_t> closed;
    for (int i = 0; i < count; ++i) {
      const uint64_t who = events[i].data.u64;
      if (who == kListen) {
        Accept(handler);
        continue;
      }
      if (who == kWake) {
        uint64_t times = 0;
        (void)!read(wake_fd_, &times, sizeof(times));
        continue;
      }
      const auto number = static_cast<int64_t>(who - kFirst);
      const auto found = clients_.find(number);
      if (found == clients_.end()) continue;
      Client& client = found->second;
      // Both directions are closed: nobody is there to be answered.
      bool gone = (events[i].events & (EPOLLHUP | EPOLLERR)) != 0;
      if (!gone && (events[i].events & (EPOLLIN | EPOLLRDHUP)) != 0) {
        gone = !Receive(handler, number, client);
      }
      if (gone) closed.push_back(number);
    }
    for (const int64_t number : closed) Close(handler, number);
    TakePosts();
    closed.clear();
    for (auto& [number, client] : clients_) {
      if (!Serve(handler, number, client)) closed.push_back(number);
    }
    for (const int64_t number : closed) Close(handler, number);

    bool stop = false;
    {
      MutexLock lock(&mutex_);
      stop = stop_;
    }
    if (stop && !stopping) {
      stopping = true;
      epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, listen_fd_, nullptr);
      close(listen_fd_);
      listen_fd_ = -1;
      handler.Stop();
      // What that answered is to go out as well.
      continue;
    }
    if (!stopping || !handler.Done()) continue;
    if (farewell == absl::InfiniteFuture()) {
      // Answers may have come since the posts were taken.
      farewell = Now() + kFarewell;
      continue;
    }
    const bool unread =
        std::any_of(clients_.begin(), clients_.end(), [](const auto& entry) {
          MutexLock lock(&entry.second.outbox->mutex);
          return entry.second.outbox->unread() > 0 ||
                 !entry.second.feeds.empty();
        });
    if (!unread || Now() >= farewell) break;
  }
  while (!clients_.empty()) Close(handler, clients_.begin()->first);
  return absl::OkStatus();
}

int ControlServer::AcceptBySpare() {
  spare_.Reset();
  const int fd =
      accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  // Another thread was given it instead: who connects is tried again at once,
  // which is not to keep the processor busy.
  if (fd < 0 && (errno == EMFILE || errno == ENFILE)) usleep(kNoDescriptorsUs);
  return fd;
}

void ControlServer::TurnAway(int fd, const std::string& why) {
  const std::string line =
      control::ErrorLine("null", {control::Code::kBusy, why});
  (void)!send(fd, line.data(), line.size(), MSG_NOSIGNAL);
  close(fd);
}

void ControlServer::Accept(Handler& handler) {
  int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  const bool none = fd < 0 && (errno == EMFILE || errno == ENFILE);
  // However this ends; where it cannot be had now, the next time.
  const auto kept = absl::MakeCleanup([this] {
    if (!spare_.valid()) spare_ = Spare();
  });
  if (none) fd = AcceptBySpare();
  if (fd < 0) return;
  const absl::StatusOr<control::Peer> peer = control::PeerOf(fd);
  if (!peer.ok() || peer->user != geteuid()) {
    log_("a process of another user was turned away");
    close(fd);
    return;
  }
  if (none) {
    TurnAway(fd, "the daemon has no descriptors left");
    return;
  }
  if (clients_.size() >= kMostClients) {
    TurnAway(fd, absl::StrCat(kMostClients, " clients are connected already"));
    return;
  }
  const int64_t number = next_++;
  Client& client = clients_[number];
  client.fd = fd;
  client.outbox = std::make_shared<Outbox>();
  {
    MutexLock lock(&client.outbox->mutex);
    client.outbox->fd = fd;
  }
  {
    MutexLock lock(&mutex_);
    outboxes_[number] = client.outbox;
  }
  client.events = EPOLLIN | EPOLLRDHUP;
  epoll_event event = {};
  event.events = client.events;
  event.data.u64 = static_cast<uint64_t>(number) + kFirst;
  epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event);
  handler.Open(number);
}

void ControlServer::TakePosts() {
  std::vector<std::pair<int64_t, std::shared_ptr<Feed>>> feeds;
  {
    MutexLock lock(&mutex_);
    feeds.swap(feeds_);
  }
  for (auto& [number, feed] : feeds) {
    const auto found = clients_.find(number);
    if (found == clients_.end()) continue;
    std::deque<std::shared_ptr<Feed>>& waiting = found->second.feeds;
    if (std::find(waiting.begin(), waiting.end(), feed) == waiting.end()) {
      waiting.push_back(std::move(feed));
    }
  }
}

bool ControlServer::Serve(Handler& handler, int64_t number, Client& client) {
  size_t unread = 0;
  {
    Outbox& outbox = *client.outbox;
    // Also while a feed is asked: a line that it gave must not come after one
    // that says that it is over.
    MutexLock lock(&outbox.mutex);
    outbox.Flush();
    // Only what the client takes at once: the rest is merged meanwhile.
    while (!client.feeds.empty() && outbox.unread() == 0 && !outbox.broken) {
      std::optional<std::string> line = client.feeds.front()->Take();
      if (line.has_value()) {
        outbox.Put(*std::move(line));
      } else {
        client.feeds.pop_front();
      }
    }
    if (outbox.broken) return false;
    unread = outbox.unread();
  }
  if (unread > kMostUnread) {
    log_(absl::StrCat("client ", number, " does not read: closed"));
    return false;
  }
  if (client.ended && unread == 0 && client.feeds.empty() &&
      handler.Pending(number) == 0) {
    // What was answered since is out, unless the client did not take it.
    MutexLock lock(&client.outbox->mutex);
    return client.outbox->unread() > 0;
  }
  Watch(number, client, unread);
  return true;
}

bool ControlServer::Receive(Handler& handler, int64_t number, Client& client) {
  char part[65536];
  size_t received = 0;
  while (!client.ended && received < kMostAtOnce) {
    const ssize_t n =
        daemon::Receive(client.fd, part, sizeof(part), client.descriptors);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) return false;
    if (n == 0) {
      client.ended = true;
      break;
    }
    received += static_cast<size_t>(n);
    client.in.append(part, static_cast<size_t>(n));
    TakeLines(handler, number, client);
    // That was all for now. What comes since is told.
    if (static_cast<size_t>(n) < sizeof(part)) break;
  }
  if (client.ended) {
    {
      MutexLock lock(&client.outbox->mutex);
      client.outbox->ended = true;
    }
    // What has no end is no line.
    client.in.clear();
    client.descriptors.clear();
    handler.End(number);
  }
  return true;
}

void ControlServer::TakeLines(Handler& handler, int64_t number,
                              Client& client) {
  size_t begin = 0;
  for (;;) {
    const size_t end = client.in.find('\n', std::max(begin, client.searched));
    if (end == std::string::npos) break;
    const absl::string_view line =
        absl::string_view(client.in).substr(begin, end - begin);
    if (client.dropping || line.size() > control::kMostRequest) {
      if (!client.dropping) handler.LongLine(number);
      client.dropping = false;
      client.descriptors.clear();
    } else {
      if (!client.descriptors.empty()) {
        handler.Descriptors(number, std::exchange(client.descriptors, {}));
      }
      handler.Line(number, line);
    }
    begin = end + 1;
  }
  client.in.erase(0, begin);
  client.searched = client.in.size();
  if (client.in.size() > control::kMostRequest) {
    if (!client.dropping) handler.LongLine(number);
    client.dropping = true;
  }
  if (client.dropping) {
    client.in.clear();
    client.searched = 0;
  }
}

void ControlServer::Watch(int64_t number, Client& client, size_t unread) {
  uint32_t events = 0;
  if (!client.ended && unread <= kMuchUnread) events |= EPOLLIN | EPOLLRDHUP;
  if (unread > 0) events |= EPOLLOUT;
  if (events == client.events) return;
  client.events = events;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = static_cast<uint64_t>(number) + kFirst;
  epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, client.fd, &event);
}

void ControlServer::Close(Handler& handler, int64_t number) {
  const auto found = clients_.find(number);
  if (found == clients_.end()) return;
  {
    MutexLock lock(&mutex_);
    outboxes_.erase(number);
  }
  {
    MutexLock lock(&found->second.outbox->mutex);
    found->second.outbox->fd = -1;
  }
  close(found->second.fd);  // leaves epoll by that
  clients_.erase(found);
  handler.Close(number);
}

}  // namespace tactus::daemon
