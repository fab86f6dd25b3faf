#include "ax/atspi/bus.h"

#include <systemd/sd-bus.h>

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

absl::StatusCode CodeOfError(const char* name) {
  return StatusFromError(sd_bus_error{name, "text", 0}).code();
}

TEST(AddressTest, AddressThatWouldRunAProgramIsRefused) {
  EXPECT_EQ(CheckAddress("unixexec:path=/bin/sh,argv1=-c").code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CheckAddress("unix:path=/x;unixexec:path=/bin/sh").code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(AddressTest, AddressOfAnotherHostIsRefused) {
  EXPECT_FALSE(CheckAddress("tcp:host=example.org,port=1").ok());
  EXPECT_FALSE(CheckAddress("").ok());
}

TEST(AddressTest, UnixSocketIsAccepted) {
  EXPECT_TRUE(CheckAddress("unix:path=/run/a,guid=12").ok());
  EXPECT_TRUE(CheckAddress("unix:abstract=/tmp/dbus-a").ok());
}

TEST(ConnectTest, SocketThatIsNotThereIsUnavailable) {
  EXPECT_EQ(Bus::Connect("unix:path=/nonexistent/socket", Bus::Kind::kDaemon,
                         Clock::Real().Now() + absl::Seconds(1))
                .status()
                .code(),
            absl::StatusCode::kUnavailable);
}

TEST(ErrorTest, ApplicationThatLeftIsUnavailable) {
  EXPECT_EQ(CodeOfError("org.freedesktop.DBus.Error.NoReply"),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOfError("org.freedesktop.DBus.Error.ServiceUnknown"),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(CodeOfError("org.freedesktop.DBus.Error.UnknownObject"),
            absl::StatusCode::kUnavailable);
}

TEST(ErrorTest, InterfaceThatIsMissingIsUnimplemented) {
  EXPECT_EQ(CodeOfError("org.freedesktop.DBus.Error.UnknownMethod"),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CodeOfError("org.freedesktop.DBus.Error.UnknownInterface"),
            absl::StatusCode::kUnimplemented);
}

TEST(ErrorTest, AnyOtherErrorIsUnknownAndKeepsItsText) {
  const absl::Status status =
      StatusFromError(sd_bus_error{"org.example.Odd", "it broke", 0});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(status.message(), "org.example.Odd: it broke");
  EXPECT_EQ(CodeOfError(nullptr), absl::StatusCode::kUnknown);
}

}  // namespace
}  // namespace tactus::ax::atspi
