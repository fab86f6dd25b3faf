// TCP sockets as this transport wants them: addresses, options, and whether the
// other machine is still there.
//
// Use it wherever a socket is made; nothing here blocks.
//
// Example:
//
//   absl::StatusOr<HostPort> where = ParseHostPort("[fe80::1%eth0]:7411");
//   std::vector<Endpoint> found = NumericEndpoints(*where);
//   absl::StatusOr<int> fd = ConnectSocket(found[0], {});
//
// A peer that is gone without a word is noticed within `detection()` of
// SocketOptions: an idle connection is probed by the kernel, one with data
// under way is judged by DataUnderWay. One that is there and does not read is
// not gone, however long it takes: TCP_USER_TIMEOUT would have cut it.
#ifndef TACTUS_TRANSFER_TLS_SOCKET_H_
#define TACTUS_TRANSFER_TLS_SOCKET_H_

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::transfer {

struct HostPort {
  std::string host;
  std::string port;
};

// "HOST:PORT" or "[IPV6]:PORT". InvalidArgument says which part is wrong.
absl::StatusOr<HostPort> ParseHostPort(absl::string_view text);

struct Endpoint {
  sockaddr_storage address = {};
  socklen_t size = 0;

  // "192.0.2.1:7411", "[2001:db8::1]:7411".
  std::string Text() const;
};

// Where that is, when the host is a number; empty when it is a name.
std::vector<Endpoint> NumericEndpoints(const HostPort& where);

// The same for names too, which asks the system and may take long: not on a
// thread that others wait for. Unavailable when the name is not known.
absl::StatusOr<std::vector<Endpoint>> Resolve(const HostPort& where);

struct SocketOptions {
  // An idle connection is probed after `idle`, and twice more in `patience`.
  absl::Duration idle = absl::Seconds(15);
  absl::Duration patience = absl::Seconds(10);

  absl::Duration detection() const { return idle + patience; }
};

// A socket that is connecting: it can be written to once it is connected. Sends
// what is written at once (TCP_NODELAY). Unavailable when it cannot even try.
absl::StatusOr<int> ConnectSocket(const Endpoint& endpoint,
                                  const SocketOptions& options);

// How the connecting ended.
absl::Status ConnectResult(int fd);

// Port 0 is any; Unavailable says who may have it.
absl::StatusOr<int> ListenSocket(const Endpoint& endpoint);
absl::StatusOr<Endpoint> LocalEndpoint(int fd);

// The number of the other end's address, in brackets where it has colons and
// without its port; empty where it has none.
std::string PeerHost(int fd);

// The next connection; -1 when there is none now, or, with `failed`, when the
// system gives none (too many open files).
int AcceptSocket(int fd, const SocketOptions& options, Endpoint* from,
                 bool* failed);

// Whether data was sent that the other machine has not acknowledged.
// Unavailable when it has acknowledged nothing for so long that it must be
// gone. False for what is no TCP socket.
absl::StatusOr<bool> DataUnderWay(int fd);

// The judgement of DataUnderWay by itself.
absl::StatusOr<bool> JudgeSilence(const tcp_info& info);

// The kernel's estimate of the round trip; zero where there is none.
absl::Duration RoundTrip(int fd);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_SOCKET_H_
