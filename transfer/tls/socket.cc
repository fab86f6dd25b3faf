#include "transfer/tls/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::transfer {
namespace {

constexpr int kProbes = 2;  // after the first

// The detection time of SocketOptions's defaults.
constexpr absl::Duration kSilence = absl::Seconds(25);

// Strangers wait here, not in memory of ours; 128 is what kernels allow at
// least.
constexpr int kBacklog = 128;

void SetOption(int fd, int level, int name, int value) {
  // A kernel that lacks one is worse off, and works.
  (void)setsockopt(fd, level, name, &value, sizeof(value));
}

void Tune(int fd, const SocketOptions& options) {
  const auto seconds = [](absl::Duration duration) {
    return static_cast<int>(std::max<int64_t>(
        1, absl::ToInt64Seconds(absl::Ceil(duration, absl::Seconds(1)))));
  };
  SetOption(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  SetOption(fd, IPPROTO_TCP, TCP_KEEPIDLE, seconds(options.idle));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPINTVL,
            seconds(options.patience / kProbes));
  SetOption(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

std::vector<Endpoint> Look(const HostPort& where, int flags, int* error) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  *error = getaddrinfo(where.host.c_str(), where.port.c_str(), &hints, &found);
  std::vector<Endpoint> endpoints;
  if (*error != 0) return endpoints;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Endpoint endpoint;
    endpoint.size = one->ai_addrlen;
    std::memcpy(&endpoint.address, one->ai_addr, one->ai_addrlen);
    endpoints.push_back(endpoint);
  }
  freeaddrinfo(found);
  return endpoints;
}

}  // namespace

absl::StatusOr<HostPort> ParseHostPort(absl::string_view text) {
  const auto wrong = [text](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", absl::CHexEscape(text.substr(0, 80)), "' is no address: ", why,
        "; HOST:PORT or [IPV6]:PORT is one"));
  };
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return wrong("it has no port");
  absl::string_view host = text.substr(0, colon);
  const absl::string_view port = text.substr(colon + 1);
  if (!host.empty() && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != absl::string_view::npos) {
    return wrong("an IPv6 address stands in brackets");
  }
  if (host.empty()) return wrong("it has no host");
  int number = 0;
  if (port.empty() || port.size() > 5 ||
      port.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(port, &number) || number > 65535) {
    return wrong("its port is no number from 0 to 65535");
  }
  return HostPort{std::string(host), std::string(port)};
}

std::string Endpoint::Text() const {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host,
                  sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  return address.ss_family == AF_INET6 ? absl::StrCat("[", host, "]:", port)
                                       : absl::StrCat(host, ":", port);
}

std::vector<Endpoint> NumericEndpoints(const HostPort& where) {
  int error = 0;
  return Look(where, AI_NUMERICHOST, &error);
}

absl::StatusOr<std::vector<Endpoint>> Resolve(const HostPort& where) {
  int error = 0;
  std::vector<Endpoint> endpoints = Look(where, AI_ADDRCONFIG, &error);
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("the host '", absl::CHexEscape(where.host),
                     "' is not found: ", gai_strerror(error)));
  }
  return endpoints;
}

absl::StatusOr<int> ConnectSocket(const Endpoint& endpoint,
                                  const SocketOptions& options) {
  const int fd = socket(endpoint.address.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make a socket");
  Tune(fd, options);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&endpoint.address),
              endpoint.size) != 0 &&
      errno != EINPROGRESS) {
    const int error = errno;
    close(fd);
    return absl::UnavailableError(absl::StrCat(
        endpoint.Text(), ": ", absl::ErrnoToStatus(error, "no way").message()));
  }
  return fd;
}

absl::Status ConnectResult(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::ErrnoToStatus(error, "cannot connect").message());
}

absl::StatusOr<int> ListenSocket(const Endpoint& endpoint) {
  const int fd = socket(endpoint.address.ss_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make a socket");
  SetOption(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  // "[::]" is for IPv6 alone; who wants both listens twice.
  if (endpoint.address.ss_family == AF_INET6) {
    SetOption(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
  }
  if (bind(fd, reinterpret_cast<const sockaddr*>(&endpoint.address),
           endpoint.size) != 0 ||
      listen(fd, kBacklog) != 0) {
    const int error = errno;
    close(fd);
    return absl::ErrnoToStatus(
        error, absl::StrCat("cannot listen at ", endpoint.Text(),
                            " (does another program have it? ss -tlnp shows)"));
  }
  return fd;
}

absl::StatusOr<Endpoint> LocalEndpoint(int fd) {
  Endpoint endpoint;
  endpoint.size = sizeof(endpoint.address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&endpoint.address),
                  &endpoint.size) != 0) {
    return absl::ErrnoToStatus(errno, "a socket has no address");
  }
  return endpoint;
}

std::string PeerHost(int fd) {
  Endpoint endpoint;
  endpoint.size = sizeof(endpoint.address);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&endpoint.address),
                  &endpoint.size) != 0) {
    return "";
  }
  const std::string text = endpoint.Text();
  const size_t colon = text.rfind(':');
  return colon == std::string::npos ? "" : text.substr(0, colon);
}

int AcceptSocket(int fd, const SocketOptions& options, Endpoint* from,
                 bool* failed) {
  *failed = false;
  while (true) {
    from->size = sizeof(from->address);
    const int accepted =
        accept4(fd, reinterpret_cast<sockaddr*>(&from->address), &from->size,
                SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      Tune(accepted, options);
      return accepted;
    }
    // One that was gone before we came.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) continue;
    *failed = errno != EAGAIN && errno != EWOULDBLOCK;
    return -1;
  }
}

absl::StatusOr<bool> JudgeSilence(const tcp_info& info) {
  if (info.tcpi_unacked == 0) return false;
  // The timeout doubles with each retransmission that is not answered, so it is
  // about as long as that has gone on; the last answer alone may be old because
  // nothing was asked.
  const absl::Duration trying = absl::Microseconds(info.tcpi_rto);
  const absl::Duration silence = absl::Milliseconds(info.tcpi_last_ack_recv);
  if (info.tcpi_retransmits == 0 || trying < kSilence || silence < kSilence) {
    return true;
  }
  return absl::UnavailableError(absl::StrCat(
      "the peer has acknowledged nothing for ", absl::FormatDuration(silence),
      ": it is gone, or the network is; try a new stream"));
}

absl::StatusOr<bool> DataUnderWay(int fd) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  return JudgeSilence(info);
}

absl::Duration RoundTrip(int fd) {
  tcp_info info = {};
  socklen_t size = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) {
    return absl::ZeroDuration();
  }
  return absl::Microseconds(info.tcpi_rtt);
}

}  // namespace tactus::transfer
