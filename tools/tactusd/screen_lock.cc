#include "tools/tactusd/screen_lock.h"

#include <systemd/sd-bus.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/bus.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

constexpr char kLogind[] = "org.freedesktop.login1";
constexpr char kProperties[] = "org.freedesktop.DBus.Properties";

absl::Status NotKnown(absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("whether the screen is locked is not known: ", why));
}

// What says that who was asked is not there, or has no such thing: an older
// logind says so of a session in its own words, and the screen saver that GNOME
// puts there for others' sake says NotSupported.
bool NotThere(const sd_bus_error& error) {
  for (const char* name :
       {SD_BUS_ERROR_SERVICE_UNKNOWN, SD_BUS_ERROR_NAME_HAS_NO_OWNER,
        SD_BUS_ERROR_UNKNOWN_METHOD, SD_BUS_ERROR_UNKNOWN_OBJECT,
        SD_BUS_ERROR_UNKNOWN_INTERFACE, SD_BUS_ERROR_UNKNOWN_PROPERTY,
        SD_BUS_ERROR_NOT_SUPPORTED, "org.freedesktop.login1.NoSuchSession",
        "org.freedesktop.login1.NoSessionForPID"}) {
    if (sd_bus_error_has_name(&error, name) > 0) return true;
  }
  return false;
}

void Drop(ScreenLock::Bus& bus) {
  bus.held = sd_bus_flush_close_unref(bus.held);
}

// False where there is no such bus. Unavailable.
absl::StatusOr<bool> Open(ScreenLock::Bus& bus) {
  if (bus.held != nullptr && sd_bus_is_open(bus.held) > 0) return true;
  Drop(bus);
  const int r = OpenBus(bus.system ? BusKind::kSystem : BusKind::kUser,
                        bus.address, &bus.held);
  if (r >= 0) return true;
  // No socket, nobody who listens, no XDG_RUNTIME_DIR to have one in.
  if (r == -ENOENT || r == -ECONNREFUSED || r == -ENOMEDIUM) return false;
  return NotKnown(absl::StrCat("no connection to a bus: ", strerror(-r)));
}

// Of whom what is asked.
struct Question {
  const char* name;
  std::string path;
  const char* interface;
  const char* method;
  // Of a property; null: it is none.
  const char* of = nullptr;
  const char* property = nullptr;
};

int Call(sd_bus* bus, const Question& asked, sd_bus_error* error,
         sd_bus_message** reply) {
  sd_bus_message* call = nullptr;
  int r =
      sd_bus_message_new_method_call(bus, &call, asked.name, asked.path.c_str(),
                                     asked.interface, asked.method);
  if (r < 0) return r;
  const auto freed = absl::MakeCleanup([call] { sd_bus_message_unref(call); });
  sd_bus_message_set_auto_start(call, 0);
  if (asked.of != nullptr) {
    r = sd_bus_message_append(call, "ss", asked.of, asked.property);
    if (r < 0) return r;
  }
  return sd_bus_call(
      bus, call,
      static_cast<uint64_t>(absl::ToInt64Microseconds(ScreenLock::kPatience)),
      error, reply);
}

// The answer; null where who was asked is not there or has no such thing.
// DeadlineExceeded, Unavailable.
absl::StatusOr<sd_bus_message*> Ask(ScreenLock::Bus& bus,
                                    const Question& asked) {
  for (bool again = false;; again = true) {
    const absl::StatusOr<bool> open = Open(bus);
    if (!open.ok()) return open.status();
    if (!*open) return nullptr;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    const auto freed =
        absl::MakeCleanup([&error] { sd_bus_error_free(&error); });
    sd_bus_message* reply = nullptr;
    const int r = Call(bus.held, asked, &error, &reply);
    if (r >= 0) return reply;
    // Of a connection that was kept it is seen only now that it was lost.
    if (!again && (r == -ECONNRESET || r == -ENOTCONN)) {
      Drop(bus);
      continue;
    }
    if (r == -ETIMEDOUT) {
      return absl::DeadlineExceededError(absl::StrCat(
          "whether the screen is locked is not known: ", asked.name, " hangs"));
    }
    if (NotThere(error)) return nullptr;
    return NotKnown(
        absl::StrCat(asked.name, " cannot be asked: ", strerror(-r)));
  }
}

absl::Status Nonsense(absl::string_view name) {
  return NotKnown(absl::StrCat(name, " answers something else"));
}

}  // namespace

ScreenLock::ScreenLock(const ScreenLockOptions& options)
    : session_{.address = options.session_bus, .system = false},
      system_{.address = options.system_bus, .system = true} {}

ScreenLock::~ScreenLock() {
  MutexLock lock(&mutex_);
  Drop(session_);
  Drop(system_);
}

absl::StatusOr<bool> ScreenLock::AskLogind() {
  // The session with the display; the daemon itself may run in none.
  absl::StatusOr<sd_bus_message*> reply =
      Ask(system_, {.name = kLogind,
                    .path = "/org/freedesktop/login1/user/self",
                    .interface = kProperties,
                    .method = "Get",
                    .of = "org.freedesktop.login1.User",
                    .property = "Display"});
  if (!reply.ok()) return reply.status();
  std::string path = "/org/freedesktop/login1/session/auto";
  if (*reply != nullptr) {
    const char* id = nullptr;
    const char* found = nullptr;
    const int r = sd_bus_message_read(*reply, "v", "(so)", &id, &found);
    if (r > 0 && *id != '\0') path = found;
    sd_bus_message_unref(*reply);
    if (r <= 0) return Nonsense(kLogind);
  }
  reply = Ask(system_, {.name = kLogind,
                        .path = path,
                        .interface = kProperties,
                        .method = "Get",
                        .of = "org.freedesktop.login1.Session",
                        .property = "LockedHint"});
  if (!reply.ok()) return reply.status();
  if (*reply == nullptr) return false;
  int locked = 0;
  const int r = sd_bus_message_read(*reply, "v", "b", &locked);
  sd_bus_message_unref(*reply);
  if (r <= 0) return Nonsense(kLogind);
  return locked != 0;
}

absl::StatusOr<bool> ScreenLock::AskScreenSaver(const char* name,
                                                const char* path) {
  // Its interface has its name.
  const absl::StatusOr<sd_bus_message*> reply = Ask(
      session_,
      {.name = name, .path = path, .interface = name, .method = "GetActive"});
  if (!reply.ok()) return reply.status();
  if (*reply == nullptr) return false;
  int active = 0;
  const int r = sd_bus_message_read(*reply, "b", &active);
  sd_bus_message_unref(*reply);
  if (r <= 0) return Nonsense(name);
  return active != 0;
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
