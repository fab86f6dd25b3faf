#include "tools/tactusd/screen_lock.h"

#include <systemd/sd-bus.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/mock/dbus/private_bus.h"
#include "gtest/gtest.h"
#include "tools/tactusd/testing/fake_service.h"

namespace tactus::daemon {
namespace {

using ax::mock::PrivateBus;

class ScreenLockTest : public testing::Test {
 protected:
  ScreenLockTest()
      : bus_(*PrivateBus::Start()),
        lock_({.session_bus = bus_->address(), .system_bus = bus_->address()}) {
  }

  // logind of which the user has this session, locked or not.
  std::unique_ptr<FakeService> Logind(const std::string& session,
                                      std::atomic<bool>* locked) {
    auto service = std::make_unique<FakeService>(
        bus_->address(), "org.freedesktop.login1",
        [session, locked](sd_bus_message* call) {
          const char* of = nullptr;
          const char* property = nullptr;
          sd_bus_message_read(call, "ss", &of, &property);
          const std::string path = sd_bus_message_get_path(call);
          if (absl::string_view(property) == "Display") {
            return session.empty()
                       ? sd_bus_reply_method_return(call, "v", "(so)", "", "/")
                       : sd_bus_reply_method_return(
                             call, "v", "(so)", session.c_str(),
                             absl::StrCat("/org/freedesktop/login1/session/",
                                          session)
                                 .c_str());
          }
          const std::string mine =
              absl::StrCat("/org/freedesktop/login1/session/",
                           session.empty() ? "auto" : session);
          return sd_bus_reply_method_return(call, "v", "b",
                                            path == mine && *locked);
        });
    EXPECT_TRUE(service->good());
    return service;
  }
  std::unique_ptr<FakeService> Saver(const std::string& name,
                                     std::atomic<bool>* active) {
    auto service = std::make_unique<FakeService>(
        bus_->address(), name, [active](sd_bus_message* call) {
          return sd_bus_reply_method_return(call, "b", active->load());
        });
    EXPECT_TRUE(service->good());
    return service;
  }

  const std::unique_ptr<PrivateBus> bus_;
  ScreenLock lock_;
};

TEST_F(ScreenLockTest, WhereNobodyKnowsItIsNotLocked) {
  EXPECT_EQ(lock_.Locked().value(), false);
  ScreenLock none({.session_bus = "unix:path=/nowhere",
                   .system_bus = "unix:path=/nowhere"});
  EXPECT_EQ(none.Locked().value(), false);
}

TEST_F(ScreenLockTest, GraphicalSessionOfTheUserIsTheOneThatCounts) {
  std::atomic<bool> locked = false;
  const auto logind = Logind("c2", &locked);
  EXPECT_EQ(lock_.Locked().value(), false);
  locked = true;
  EXPECT_EQ(lock_.Locked().value(), true);
  locked = false;
  EXPECT_EQ(lock_.Locked().value(), false);
}

TEST_F(ScreenLockTest, WithoutAGraphicalSessionItIsTheDaemonsOwn) {
  std::atomic<bool> locked = true;
  const auto logind = Logind("", &locked);
  EXPECT_EQ(lock_.Locked().value(), true);
}

TEST_F(ScreenLockTest, EitherScreenSaverIsEnough) {
  std::atomic<bool> active = false;
  std::atomic<bool> unlocked = false;
  const auto logind = Logind("c2", &unlocked);
  for (const char* name :
       {"org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver"}) {
    active = true;
    const auto saver = Saver(name, &active);
    EXPECT_EQ(lock_.Locked().value(), true) << name;
    active = false;
    EXPECT_EQ(lock_.Locked().value(), false) << name;
  }
}

TEST_F(ScreenLockTest, OneThatHangsIsTold) {
  const FakeService saver(bus_->address(), "org.freedesktop.ScreenSaver",
                          [](sd_bus_message*) { return 0; });
  EXPECT_EQ(lock_.Locked().status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(ScreenLockTest, AnswerOfAnotherTypeSaysNothing) {
  const FakeService saver(bus_->address(), "org.freedesktop.ScreenSaver",
                          [](sd_bus_message* call) {
                            return sd_bus_reply_method_return(call, "s", "yes");
                          });
  EXPECT_EQ(lock_.Locked().value(), false);
}

}  // namespace
}  // namespace tactus::daemon
