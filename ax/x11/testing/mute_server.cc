#include "ax/x11/testing/mute_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

// Display 0 listens at this port.
constexpr int kFirstPort = 6000;
// The kernel accepts this many by itself.
constexpr int kWaiting = 16;

}  // namespace

MuteServer::MuteServer() {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  // Any free port; all of them lie above the first display's.
  EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(socket_, kWaiting), 0);
  EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size),
            0);
  display_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port) - kFirstPort);
}

void MuteServer::End() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

}  // namespace tactus::ax::x11
