#include "transfer/tls/testing/relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "transfer/sync/mutex.h"
#include "transfer/tls/socket.h"

namespace tactus::transfer {
namespace {

// Small, so that a frozen or stalled side is felt at the other soon.
constexpr size_t kHeld = 64 << 10;

}  // namespace

absl::StatusOr<std::unique_ptr<Relay>> Relay::Start(const std::string& target) {
  std::unique_ptr<Relay> relay(new Relay());
  relay->target_ = target;
  const absl::StatusOr<HostPort> here = ParseHostPort("127.0.0.1:0");
  const absl::StatusOr<int> listener = ListenSocket(NumericEndpoints(*here)[0]);
  if (!listener.ok()) return listener.status();
  relay->listener_ = *listener;
  relay->address_ = LocalEndpoint(*listener)->Text();
  if (pipe2(relay->wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  relay->thread_ = std::thread([raw = relay.get()] { raw->Run(); });
  return relay;
}

Relay::~Relay() {
  {
    MutexLock lock(&mutex_);
    stop_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
  CutAll();
  for (const int fd : {listener_, wake_[0], wake_[1]}) {
    if (fd >= 0) close(fd);
  }
  MutexLock lock(&mutex_);
  for (const Connection& connection : connections_) {
    close(connection.pipes[0].from);
    close(connection.pipes[0].to);
  }
}

void Relay::Wake() { (void)!write(wake_[1], "x", 1); }

void Relay::Freeze(bool frozen) {
  {
    MutexLock lock(&mutex_);
    frozen_ = frozen;
  }
  Wake();
}

void Relay::Garble(bool garbled) {
  MutexLock lock(&mutex_);
  garbled_ = garbled;
}

void Relay::CutAll() {
  {
    MutexLock lock(&mutex_);
    for (Connection& connection : connections_) {
      const linger now = {.l_onoff = 1, .l_linger = 0};
      for (const int fd : {connection.pipes[0].from, connection.pipes[0].to}) {
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      }
      connection.dead = true;
    }
  }
  Wake();
}

size_t Relay::connections() const {
  MutexLock lock(&mutex_);
  return made_;
}

uint64_t Relay::bytes() const {
  MutexLock lock(&mutex_);
  return bytes_;
}

void Relay::Carry(Connection& connection) {
  char buffer[16 << 10];
  for (Pipe& pipe : connection.pipes) {
    while (!pipe.ended && pipe.held.size() < kHeld) {
      const ssize_t n = recv(pipe.from, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (n < 0) connection.dead = true;
      if (n <= 0) {
        pipe.ended = true;
        break;
      }
      bytes_ += static_cast<uint64_t>(n);
      if (pipe.to_target && garbled_) {
        for (ssize_t i = 0; i < n; ++i) buffer[i] ^= 0x20;
      }
      pipe.held.append(buffer, static_cast<size_t>(n));
    }
    while (!pipe.held.empty()) {
      const ssize_t n = send(pipe.to, pipe.held.data(), pipe.held.size(),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (n < 0) {
        connection.dead = true;
        break;
      }
      pipe.held.erase(0, static_cast<size_t>(n));
    }
    if (pipe.ended && pipe.held.empty()) shutdown(pipe.to, SHUT_WR);
  }
  if (connection.pipes[0].ended && connection.pipes[1].ended &&
      connection.pipes[0].held.empty() && connection.pipes[1].held.empty()) {
    connection.dead = true;
  }
}

void Relay::Run() {
  while (true) {
    std::vector<pollfd> fds = {{wake_[0], POLLIN, 0}};
    {
      MutexLock lock(&mutex_);
      if (stop_) return;
      for (auto at = connections_.begin(); at != connections_.end();) {
        if (!at->dead && !frozen_) Carry(*at);
        if (!at->dead) {
          ++at;
          continue;
        }
        close(at->pipes[0].from);
        close(at->pipes[0].to);
        at = connections_.erase(at);
      }
      if (!frozen_) {
        fds.push_back({listener_, POLLIN, 0});
        for (const Connection& connection : connections_) {
          for (const Pipe& pipe : connection.pipes) {
            if (!pipe.ended && pipe.held.size() < kHeld) {
              fds.push_back({pipe.from, POLLIN, 0});
            }
            if (!pipe.held.empty()) fds.push_back({pipe.to, POLLOUT, 0});
          }
        }
      }
    }
    poll(fds.data(), fds.size(), 1000);
    char drain[64];
    while (read(wake_[0], drain, sizeof(drain)) > 0) {
    }
    MutexLock lock(&mutex_);
    if (frozen_ || stop_) continue;
    Endpoint from;
    bool failed = false;
    const int near = AcceptSocket(listener_, {}, &from, &failed);
    if (near < 0) continue;
    const absl::StatusOr<HostPort> where = ParseHostPort(target_);
    const absl::StatusOr<int> far =
        ConnectSocket(NumericEndpoints(*where)[0], {});
    pollfd connected = {far.ok() ? *far : -1, POLLOUT, 0};
    if (!far.ok() || poll(&connected, 1, 1000) != 1 ||
        !ConnectResult(*far).ok()) {
      close(near);
      if (far.ok()) close(*far);
      continue;
    }
    ++made_;
    Connection connection;
    connection.pipes[0] = {.from = near, .to = *far, .to_target = true};
    connection.pipes[1] = {.from = *far, .to = near};
    connections_.push_back(connection);
  }
}

}  // namespace tactus::transfer
