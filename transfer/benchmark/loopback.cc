#include "transfer/benchmark/loopback.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "transfer/benchmark/trips.h"

namespace tactus::transfer {
namespace {

void SendAtOnce(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

int ListenOnLoopback(sockaddr_in* at) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *at = {};
  at->sin_family = AF_INET;
  at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(*at);
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(at), size) != 0 ||
      listen(fd, 1) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(at), &size) != 0) {
    DieOfErrno("a socket on loopback");
  }
  return fd;
}

int Connect(const sockaddr_in& at) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 ||
      connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0) {
    DieOfErrno("connect");
  }
  SendAtOnce(fd);
  return fd;
}

int Accept(int listener) {
  const int fd = accept(listener, nullptr, nullptr);
  if (fd < 0) DieOfErrno("accept");
  SendAtOnce(fd);
  return fd;
}

}  // namespace tactus::transfer
