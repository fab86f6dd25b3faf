#include "tools/tactusd/screen_lock.h"

#include <systemd/sd-bus.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

constexpr char kLogind[] = "org.freedesktop.login1";
constexpr char kProperties[] = "org.freedesktop.DBus.Properties";

// One that works, in the place of one that was lost; null where there is none.
sd_bus* Opened(sd_bus* held, const std::string& address, bool system) {
  if (held != nullptr && sd_bus_is_open(held) > 0) return held;
  sd_bus_flush_close_unref(held);
  sd_bus* bus = nullptr;
  if (!address.empty()) {
    if (sd_bus_new(&bus) < 0) return nullptr;
    if (sd_bus_set_address(bus, address.c_str()) < 0 ||
        sd_bus_set_bus_client(bus, 1) < 0 || sd_bus_start(bus) < 0) {
      sd_bus_unref(bus);
      return nullptr;
    }
    return bus;
  }
  const int opened = system ? sd_bus_open_system(&bus) : sd_bus_open_user(&bus);
  return opened < 0 ? nullptr : bus;
}

// The answer of a call; null where who was asked is not there or has no such
// thing. DeadlineExceeded.
absl::StatusOr<sd_bus_message*> Ask(sd_bus* bus, const char* name,
                                    const std::string& path,
                                    const char* interface, const char* method,
                                    const char* of, const char* property) {
  sd_bus_message* call = nullptr;
  if (sd_bus_message_new_method_call(bus, &call, name, path.c_str(), interface,
                                     method) < 0) {
    return nullptr;
  }
  const auto freed = absl::MakeCleanup([call] { sd_bus_message_unref(call); });
  sd_bus_message_set_auto_start(call, 0);
  if (of != nullptr && sd_bus_message_append(call, "ss", of, property) < 0) {
    return nullptr;
  }
  sd_bus_message* reply = nullptr;
  const int r = sd_bus_call(
      bus, call,
      static_cast<uint64_t>(absl::ToInt64Microseconds(ScreenLock::kPatience)),
      nullptr, &reply);
  if (r == -ETIMEDOUT) {
    return absl::DeadlineExceededError(absl::StrCat(
        "whether the screen is locked is not known: ", name, " hangs"));
  }
  return r < 0 ? nullptr : reply;
}

}  // namespace

ScreenLock::~ScreenLock() {
  MutexLock lock(&mutex_);
  sd_bus_flush_close_unref(session_);
  sd_bus_flush_close_unref(system_);
}

absl::StatusOr<bool> ScreenLock::AskLogind() {
  system_ = Opened(system_, options_.system_bus, /*system=*/true);
  if (system_ == nullptr) return false;
  // The session with the display; the daemon itself may run in none.
  absl::StatusOr<sd_bus_message*> reply =
      Ask(system_, kLogind, "/org/freedesktop/login1/user/self", kProperties,
          "Get", "org.freedesktop.login1.User", "Display");
  if (!reply.ok()) return reply.status();
  std::string path = "/org/freedesktop/login1/session/auto";
  if (*reply != nullptr) {
    const char* id = nullptr;
    const char* found = nullptr;
    if (sd_bus_message_read(*reply, "v", "(so)", &id, &found) >= 0 &&
        id != nullptr && *id != '\0') {
      path = found;
    }
    sd_bus_message_unref(*reply);
  }
  reply = Ask(system_, kLogind, path, kProperties, "Get",
              "org.freedesktop.login1.Session", "LockedHint");
  if (!reply.ok()) return reply.status();
  if (*reply == nullptr) return false;
  int locked = 0;
  const int r = sd_bus_message_read(*reply, "v", "b", &locked);
  sd_bus_message_unref(*reply);
  return r >= 0 && locked != 0;
}

absl::StatusOr<bool> ScreenLock::AskScreenSaver(const char* name,
                                                const char* path) {
  session_ = Opened(session_, options_.session_bus, /*system=*/false);
  if (session_ == nullptr) return false;
  // Its interface has its name.
  const absl::StatusOr<sd_bus_message*> reply =
      Ask(session_, name, path, name, "GetActive", nullptr, nullptr);
  if (!reply.ok()) return reply.status();
  if (*reply == nullptr) return false;
  int active = 0;
  const int r = sd_bus_message_read(*reply, "b", &active);
  sd_bus_message_unref(*reply);
  return r >= 0 && active != 0;
}

absl::StatusOr<bool> ScreenLock::Locked() {
  MutexLock lock(&mutex_);
  const absl::StatusOr<bool> logind = AskLogind();
  if (!logind.ok() || *logind) return logind;
  const absl::StatusOr<bool> common = AskScreenSaver(
      "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver");
  if (!common.ok() || *common) return common;
  return AskScreenSaver("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver");
}

}  // namespace tactus::daemon
