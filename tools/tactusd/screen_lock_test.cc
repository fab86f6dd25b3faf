#include "tools/tactusd/screen_lock.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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

TEST_F(ScreenLockTest, AnswerOfAnotherTypeIsNotTakenForUnlocked) {
  {
    const FakeService saver(bus_->address(), "org.freedesktop.ScreenSaver",
                            [](sd_bus_message* call) {
                              return sd_bus_reply_method_return(call, "s",
                                                                "no");
                            });
    EXPECT_EQ(lock_.Locked().status().code(), absl::StatusCode::kUnavailable);
  }
  const FakeService logind(
      bus_->address(), "org.freedesktop.login1", [](sd_bus_message* call) {
        return sd_bus_reply_method_return(call, "v", "s", "no");
      });
  EXPECT_EQ(lock_.Locked().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ScreenLockTest, WhoIsThereAndRefusesIsNotTakenForUnlocked) {
  const FakeService saver(
      bus_->address(), "org.freedesktop.ScreenSaver", [](sd_bus_message* call) {
        return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED,
                                          "not for you");
      });
  EXPECT_EQ(lock_.Locked().status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ScreenLockTest, WhoHasNoSuchThingSaysNothing) {
  for (const char* error :
       {SD_BUS_ERROR_UNKNOWN_METHOD, SD_BUS_ERROR_UNKNOWN_OBJECT,
        SD_BUS_ERROR_UNKNOWN_INTERFACE, SD_BUS_ERROR_UNKNOWN_PROPERTY,
        SD_BUS_ERROR_NOT_SUPPORTED, "org.freedesktop.login1.NoSuchSession",
        "org.freedesktop.login1.NoSessionForPID"}) {
    const auto refuse = [error](sd_bus_message* call) {
      return sd_bus_reply_method_errorf(call, error, "no");
    };
    const FakeService logind(bus_->address(), "org.freedesktop.login1", refuse);
    const FakeService saver(bus_->address(), "org.freedesktop.ScreenSaver",
                            refuse);
    EXPECT_EQ(lock_.Locked().value(), false) << error;
  }
}

TEST_F(ScreenLockTest, BusThatCannotBeOpenedIsNotTakenForNone) {
  // There is something, and it is no socket path.
  ScreenLock lock({.session_bus = "unix:path=/dev/null/bus",
                   .system_bus = bus_->address()});
  EXPECT_EQ(lock.Locked().status().code(), absl::StatusCode::kUnavailable);
  // Nor is one for which no descriptor is left.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::StatusOr<bool> locked = lock_.Locked();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(locked.status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ScreenLockTest, ConnectionThatWasLostIsOpenedAnew) {
  // A name for whichever bus there is.
  char folder[] = "/tmp/tactus_lock.XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string link = absl::StrCat(folder, "/bus");
  const auto lead = [&link](const PrivateBus& bus) {
    const std::string path(absl::StripPrefix(
        bus.address().substr(0, bus.address().find(',')), "unix:path="));
    unlink(link.c_str());
    ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0) << path;
  };
  std::unique_ptr<PrivateBus> first = *PrivateBus::Start();
  lead(*first);
  const std::string address = absl::StrCat("unix:path=", link);
  ScreenLock lock({.session_bus = address, .system_bus = bus_->address()});
  EXPECT_EQ(lock.Locked().value(), false);
  first.reset();
  lead(*bus_);
  std::atomic<bool> active = true;
  const auto saver = Saver("org.freedesktop.ScreenSaver", &active);
  EXPECT_EQ(lock.Locked().value(), true);
  unlink(link.c_str());
  rmdir(folder);
}

}  // namespace
}  // namespace tactus::daemon
