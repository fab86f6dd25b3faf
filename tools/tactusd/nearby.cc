#include "tools/tactusd/nearby.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/tactusd/bus.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"

namespace tactus::daemon {
namespace {

using transfer::DeviceId;

constexpr char kAvahi[] = "org.freedesktop.Avahi";
constexpr char kServer[] = "org.freedesktop.Avahi.Server";
constexpr char kGroup[] = "org.freedesktop.Avahi.EntryGroup";
constexpr char kBrowser[] = "org.freedesktop.Avahi.ServiceBrowser";
constexpr char kType[] = "_tactus._tcp";
// Avahi's words for any interface, and for IPv4 and IPv6 alike.
constexpr int32_t kAny = -1;
// How often it is looked whether anybody wants to know still.
constexpr absl::Duration kLook = absl::Milliseconds(250);

absl::Time Now() { return transfer::Clock::Real().Now(); }

struct CloseBus {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
};
using Bus = std::unique_ptr<sd_bus, CloseBus>;

struct FreeMessage {
  void operator()(sd_bus_message* message) const {
    sd_bus_message_unref(message);
  }
};
using Message = std::unique_ptr<sd_bus_message, FreeMessage>;

absl::Status Missing(absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(
      "Avahi, which finds devices nearby, does not run here (", why, ")"));
}

absl::StatusOr<Bus> SystemBus() {
  sd_bus* bus = nullptr;
  const int opened = OpenBus(BusKind::kSystem, "", &bus);
  if (opened < 0) {
    return Missing(
        absl::StrCat("no system bus: ", std::string(strerror(-opened))));
  }
  return Bus(bus);
}

// A call to Avahi that does not start it.
absl::StatusOr<Message> Prepare(sd_bus* bus, const char* path,
                                const char* interface, const char* member) {
  sd_bus_message* call = nullptr;
  const int made = sd_bus_message_new_method_call(bus, &call, kAvahi, path,
                                                  interface, member);
  if (made < 0) return Missing(strerror(-made));
  Message message(call);
  sd_bus_message_set_auto_start(call, 0);
  return message;
}

absl::StatusOr<Message> Call(sd_bus* bus, sd_bus_message* call,
                             absl::Duration patience = Avahi::kPatience) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message* reply = nullptr;
  // 0 would be the library's own 25 s.
  const int done = sd_bus_call(bus, call,
                               static_cast<uint64_t>(std::max<int64_t>(
                                   1, absl::ToInt64Microseconds(patience))),
                               &error, &reply);
  const std::string name = error.name == nullptr ? "" : error.name;
  const std::string text = error.message == nullptr ? "" : error.message;
  sd_bus_error_free(&error);
  if (done >= 0) return Message(reply);
  if (name == SD_BUS_ERROR_SERVICE_UNKNOWN ||
      name == SD_BUS_ERROR_NAME_HAS_NO_OWNER || done == -ECONNRESET ||
      done == -ENOTCONN || done == -ENOENT || done == -ECONNREFUSED) {
    return Missing(text.empty() ? strerror(-done) : text);
  }
  return absl::UnavailableError(
      absl::StrCat("Avahi did not do what it was asked: ",
                   text.empty() ? std::string(strerror(-done)) : text));
}

absl::Status Bad(int error) {
  return absl::UnavailableError(
      absl::StrCat("Avahi cannot be understood: ", strerror(-error)));
}

// Calls what takes no arguments and answers a path, or nothing.
absl::StatusOr<std::string> CallForPath(sd_bus* bus, const char* path,
                                        const char* interface,
                                        const char* member, bool answers) {
  absl::StatusOr<Message> call = Prepare(bus, path, interface, member);
  if (!call.ok()) return call.status();
  absl::StatusOr<Message> reply = Call(bus, call->get());
  if (!reply.ok()) return reply.status();
  const char* made = "";
  if (answers) {
    const int read = sd_bus_message_read(reply->get(), "o", &made);
    if (read < 0) return Bad(read);
  }
  return std::string(made);
}

// The group goes with its connection: Avahi drops what a client that has gone
// told of.
class Told : public Announcement {
 public:
  explicit Told(Bus bus) : bus_(std::move(bus)) {}

 private:
  const Bus bus_;
};

// What a browser heard, until there is nothing more for now.
struct Heard {
  struct Item {
    int32_t interface;
    int32_t protocol;
    std::string name;
    std::string type;
    std::string domain;
  };
  std::string path;  // the browser's; known before any signal is handled
  std::vector<Item> items;
  bool all = false;
  bool failed = false;
};

int OnSignal(sd_bus_message* message, void* data, sd_bus_error*) {
  auto& heard = *static_cast<Heard*>(data);
  const char* path = sd_bus_message_get_path(message);
  if (path == nullptr || heard.path != path) return 0;
  if (sd_bus_message_is_signal(message, kBrowser, "ItemNew") > 0) {
    Heard::Item item;
    const char* name = nullptr;
    const char* type = nullptr;
    const char* domain = nullptr;
    uint32_t flags = 0;
    if (sd_bus_message_read(message, "iisssu", &item.interface, &item.protocol,
                            &name, &type, &domain, &flags) < 0 ||
        heard.items.size() >= Avahi::kMost) {
      return 0;
    }
    item.name = name;
    item.type = type;
    item.domain = domain;
    heard.items.push_back(std::move(item));
  } else if (sd_bus_message_is_signal(message, kBrowser, "AllForNow") > 0) {
    heard.all = true;
  } else if (sd_bus_message_is_signal(message, kBrowser, "Failure") > 0) {
    heard.failed = true;
  }
  return 0;
}

// "HOST:PORT" of an address that can be connected to without knowing a link;
// empty for all else.
std::string AddressOf(const std::string& text, uint16_t port) {
  in_addr four;
  in6_addr six;
  if (port == 0) return "";
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) {
    const uint32_t first = ntohl(four.s_addr) >> 24;
    // Another device is not here.
    return first == 0 || first == 127 ? "" : absl::StrCat(text, ":", port);
  }
  if (inet_pton(AF_INET6, text.c_str(), &six) == 1 &&
      !IN6_IS_ADDR_LINKLOCAL(&six) && !IN6_IS_ADDR_LOOPBACK(&six) &&
      !IN6_IS_ADDR_UNSPECIFIED(&six)) {
    return absl::StrCat("[", text, "]:", port);
  }
  return "";
}

absl::StatusOr<std::string> Resolve(sd_bus* bus, const Heard::Item& item,
                                    absl::Duration patience) {
  absl::StatusOr<Message> call = Prepare(bus, "/", kServer, "ResolveService");
  if (!call.ok()) return call.status();
  const int put = sd_bus_message_append(
      call->get(), "iisssiu", item.interface, item.protocol, item.name.c_str(),
      item.type.c_str(), item.domain.c_str(), kAny, uint32_t{0});
  if (put < 0) return Bad(put);
  absl::StatusOr<Message> reply = Call(bus, call->get(), patience);
  if (!reply.ok()) return reply.status();
  int32_t number = 0;
  const char* text = nullptr;
  const char* address = nullptr;
  uint16_t port = 0;
  // interface, protocol, name, type, domain, host, protocol of the address,
  // address, port; the rest is text that nobody asked for.
  const int read =
      sd_bus_message_read(reply->get(), "iissssisq", &number, &number, &text,
                          &text, &text, &text, &number, &address, &port);
  if (read < 0) return Bad(read);
  return AddressOf(address, port);
}

using Devices = std::map<DeviceId, std::vector<std::string>>;

absl::StatusOr<NearbyDevice> OneOf(const Devices& devices) {
  if (devices.empty()) {
    return absl::NotFoundError(
        "no device nearby shows a code, as far as Avahi hears");
  }
  if (devices.size() == 1) {
    return NearbyDevice{.id = devices.begin()->first,
                        .at = devices.begin()->second};
  }
  std::string all;
  for (const auto& [id, at] : devices) {
    absl::StrAppend(&all, all.empty() ? "" : ", ", id.text(), " at ", at[0]);
  }
  return absl::FailedPreconditionError(
      absl::StrCat("more than one device nearby shows a code: ", all));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Announcement>> Avahi::Announce(
    const DeviceId& id, uint16_t port) {
  absl::StatusOr<Bus> bus = SystemBus();
  if (!bus.ok()) return bus.status();
  const absl::StatusOr<std::string> group =
      CallForPath(bus->get(), "/", kServer, "EntryGroupNew", /*answers=*/true);
  if (!group.ok()) return group.status();
  absl::StatusOr<Message> add =
      Prepare(bus->get(), group->c_str(), kGroup, "AddService");
  if (!add.ok()) return add.status();
  // interface, protocol, flags, name, type, domain, host, port, text.
  const int put =
      sd_bus_message_append(add->get(), "iiussssqaay", kAny, kAny, uint32_t{0},
                            id.text().c_str(), kType, "", "", port, 0);
  if (put < 0) return Bad(put);
  if (absl::StatusOr<Message> added = Call(bus->get(), add->get());
      !added.ok()) {
    return added.status();
  }
  const absl::StatusOr<std::string> committed = CallForPath(
      bus->get(), group->c_str(), kGroup, "Commit", /*answers=*/false);
  if (!committed.ok()) return committed.status();
  return std::make_unique<Told>(*std::move(bus));
}

absl::StatusOr<NearbyDevice> Avahi::Find(const DeviceId& own,
                                         absl::Time deadline,
                                         const std::function<bool()>& gone) {
  absl::StatusOr<Bus> opened = SystemBus();
  if (!opened.ok()) return opened.status();
  sd_bus* const bus = opened->get();
  Heard heard;
  // Before the browser is there, since it speaks at once. The bus lets only who
  // has the name send as it.
  const int matched = sd_bus_match_signal(bus, nullptr, kAvahi, nullptr,
                                          kBrowser, nullptr, OnSignal, &heard);
  if (matched < 0) return Missing(strerror(-matched));
  absl::StatusOr<Message> call =
      Prepare(bus, "/", kServer, "ServiceBrowserNew");
  if (!call.ok()) return call.status();
  const int put = sd_bus_message_append(call->get(), "iissu", kAny, kAny, kType,
                                        "", uint32_t{0});
  if (put < 0) return Bad(put);
  absl::StatusOr<Message> reply = Call(bus, call->get());
  if (!reply.ok()) return reply.status();
  const char* path = nullptr;
  const int read = sd_bus_message_read(reply->get(), "o", &path);
  if (read < 0) return Bad(read);
  heard.path = path;

  Devices devices;
  size_t judged = 0;
  while (true) {
    if (gone()) return absl::CancelledError("it was cancelled");
    const int processed = sd_bus_process(bus, nullptr);
    if (processed < 0) return Missing(strerror(-processed));
    if (processed > 0) continue;
    for (; judged < heard.items.size() && Now() < deadline && !gone();
         ++judged) {
      const Heard::Item& item = heard.items[judged];
      const absl::StatusOr<DeviceId> id = DeviceId::Parse(item.name);
      // What is no id is none of ours, and this device needs no finding.
      if (!id.ok() || *id == own) continue;
      const absl::StatusOr<std::string> at =
          Resolve(bus, item, std::min(Avahi::kPatience, deadline - Now()));
      if (!at.ok() || at->empty()) continue;
      std::vector<std::string>& known = devices[*id];
      if (std::find(known.begin(), known.end(), *at) == known.end()) {
        known.push_back(*at);
      }
    }
    const absl::Time now = Now();
    // Nothing more for now, and something: another would be here.
    if ((heard.all && !devices.empty()) || heard.failed || now >= deadline) {
      return OneOf(devices);
    }
    const int waited = sd_bus_wait(
        bus, static_cast<uint64_t>(
                 absl::ToInt64Microseconds(std::min(kLook, deadline - now))));
    if (waited < 0 && waited != -EINTR) return Missing(strerror(-waited));
  }
}

}  // namespace tactus::daemon
