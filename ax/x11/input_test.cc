#include "ax/x11/input.h"

#include <stdlib.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/testing/client.h"
#include "ax/x11/testing/xvfb.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

absl::Status OpenWith(const char* display, const char* wayland) {
  const auto set = [](const char* name, const char* value) {
    if (value == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, value, 1);
    }
  };
  set("DISPLAY", display);
  set("WAYLAND_DISPLAY", wayland);
  return OpenX11Input({}, Soon()).status();
}

TEST(X11InputTest, WaylandSessionWithoutX11IsNamedWithItsRemedy) {
  for (const char* display : {static_cast<const char*>(nullptr), ""}) {
    const absl::Status status = OpenWith(display, "wayland-0");
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_TRUE(absl::StrContains(status.message(), "Wayland session"))
        << status;
    EXPECT_TRUE(absl::StrContains(status.message(), "XWayland")) << status;
  }
}

TEST(X11InputTest, NoSessionAtAllIsNamedWithItsRemedy) {
  const absl::Status status = OpenWith(nullptr, nullptr);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "DISPLAY is not set: run this inside a desktop session, or under "
            "tools/desktop/run");
}

TEST(X11InputTest, DisplayOfTheEnvironmentIsTaken) {
  Xvfb server;
  EXPECT_EQ(OpenWith(server.display().c_str(), nullptr), absl::OkStatus());
}

TEST(X11InputTest, LentTextIsPastedGivenBackAndHandedOver) {
  Xvfb server;
  absl::StatusOr<std::unique_ptr<X11Input>> input =
      OpenX11Input({.display = server.display()}, Soon());
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(&(*input)->clock(), &Clock::Real());
  TestOwner owner(server.display(), {.values = {{"UTF8_STRING", Utf8("old")}}});
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      (*input)->Lend("new", {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  EXPECT_EQ((*input)->Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  EXPECT_EQ((*input)->Type("a", Soon()), absl::OkStatus());
  TestRequestor other(server.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("new"));
  EXPECT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
  // Nobody is there to keep it, which must not pass in silence.
  EXPECT_EQ((*input)->HandOver(Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tactus::ax::x11
