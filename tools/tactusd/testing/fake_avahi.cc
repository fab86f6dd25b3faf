// Avahi, as far as tactusd asks it, on a message bus of a test's own:
//
//   fake_avahi --bus ADDRESS --host HOST [--also NAME HOST PORT]...
//
// It answers the calls of org.freedesktop.Avahi that nearby.cc makes, by their
// signatures, and sends what a browser sends. What clients tell of is at HOST;
// --also is what others on the network tell of. What a client that has gone
// told of is gone, too. Standard output has a line of JSON for each service
// that was told of and for each that is no more; the first line is "ready".
//
// There is no network in it: no probing, no cache, no conflicts. It is written
// from Avahi's introspection files.
#include <systemd/sd-bus.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr char kServer[] = "org.freedesktop.Avahi.Server";
constexpr char kGroup[] = "org.freedesktop.Avahi.EntryGroup";
constexpr char kBrowser[] = "org.freedesktop.Avahi.ServiceBrowser";
constexpr int32_t kInterface = 2;
constexpr int32_t kIpv4 = 0;

struct Service {
  std::string client;  // empty: of somebody else on the network
  std::string group;
  std::string name;
  std::string type;
  std::string host;
  uint16_t port = 0;
  bool committed = false;
};

struct Browser {
  std::string client;
  std::string path;
  std::string type;
};

struct State {
  std::string host;
  std::vector<Service> services;
  std::vector<Browser> browsers;
  int made = 0;
};

[[noreturn]] void Die(const char* what, int error) {
  fprintf(stderr, "fake_avahi: %s: %s\n", what, strerror(-error));
  exit(1);
}

void Check(const char* what, int result) {
  if (result < 0) Die(what, result);
}

void Send(sd_bus* bus, const Browser& browser, const char* member,
          const Service* service) {
  sd_bus_message* signal = nullptr;
  Check("signal", sd_bus_message_new_signal(bus, &signal, browser.path.c_str(),
                                            kBrowser, member));
  Check("signal",
        sd_bus_message_set_destination(signal, browser.client.c_str()));
  if (service != nullptr) {
    Check("signal",
          sd_bus_message_append(signal, "iisssu", kInterface, kIpv4,
                                service->name.c_str(), service->type.c_str(),
                                "local", uint32_t{0}));
  }
  Check("signal", sd_bus_send(bus, signal, nullptr));
  sd_bus_message_unref(signal);
}

std::string Made(State& state, const char* what) {
  return std::string("/Client1/") + what + std::to_string(++state.made);
}

int EntryGroupNew(sd_bus_message* call, void* data, sd_bus_error*) {
  return sd_bus_reply_method_return(
      call, "o", Made(*static_cast<State*>(data), "EntryGroup").c_str());
}

int AddService(sd_bus_message* call, void* data, sd_bus_error*) {
  auto& state = *static_cast<State*>(data);
  int32_t interface = 0;
  int32_t protocol = 0;
  uint32_t flags = 0;
  const char* name = nullptr;
  const char* type = nullptr;
  const char* domain = nullptr;
  const char* host = nullptr;
  uint16_t port = 0;
  Check("AddService",
        sd_bus_message_read(call, "iiussssq", &interface, &protocol, &flags,
                            &name, &type, &domain, &host, &port));
  Check("AddService", sd_bus_message_enter_container(call, 'a', "ay"));
  int texts = 0;
  while (sd_bus_message_skip(call, "ay") > 0) ++texts;
  state.services.push_back({.client = sd_bus_message_get_sender(call),
                            .group = sd_bus_message_get_path(call),
                            .name = name,
                            .type = type,
                            .host = state.host,
                            .port = port});
  printf(
      "{\"added\":{\"interface\":%d,\"protocol\":%d,\"flags\":%u,\"name\":"
      "\"%s\",\"type\":\"%s\",\"domain\":\"%s\",\"host\":\"%s\",\"port\":%d,"
      "\"texts\":%d}}\n",
      interface, protocol, flags, name, type, domain, host, port, texts);
  fflush(stdout);
  return sd_bus_reply_method_return(call, "");
}

int Commit(sd_bus_message* call, void* data, sd_bus_error*) {
  auto& state = *static_cast<State*>(data);
  for (Service& service : state.services) {
    if (service.group != sd_bus_message_get_path(call)) continue;
    service.committed = true;
    for (const Browser& browser : state.browsers) {
      if (browser.type == service.type) {
        Send(sd_bus_message_get_bus(call), browser, "ItemNew", &service);
      }
    }
  }
  return sd_bus_reply_method_return(call, "");
}

int ServiceBrowserNew(sd_bus_message* call, void* data, sd_bus_error*) {
  auto& state = *static_cast<State*>(data);
  int32_t interface = 0;
  int32_t protocol = 0;
  const char* type = nullptr;
  const char* domain = nullptr;
  uint32_t flags = 0;
  Check("ServiceBrowserNew",
        sd_bus_message_read(call, "iissu", &interface, &protocol, &type,
                            &domain, &flags));
  const Browser browser = {.client = sd_bus_message_get_sender(call),
                           .path = Made(state, "ServiceBrowser"),
                           .type = type};
  sd_bus* const bus = sd_bus_message_get_bus(call);
  // Avahi may speak before it answers.
  for (const Service& service : state.services) {
    if (service.committed && service.type == browser.type) {
      Send(bus, browser, "ItemNew", &service);
    }
  }
  Check("ServiceBrowserNew",
        sd_bus_reply_method_return(call, "o", browser.path.c_str()));
  Send(bus, browser, "AllForNow", nullptr);
  state.browsers.push_back(browser);
  return 1;
}

int ResolveService(sd_bus_message* call, void* data, sd_bus_error* error) {
  const auto& state = *static_cast<State*>(data);
  int32_t interface = 0;
  int32_t protocol = 0;
  const char* name = nullptr;
  const char* type = nullptr;
  const char* domain = nullptr;
  int32_t family = 0;
  uint32_t flags = 0;
  Check("ResolveService",
        sd_bus_message_read(call, "iisssiu", &interface, &protocol, &name,
                            &type, &domain, &family, &flags));
  for (const Service& service : state.services) {
    if (!service.committed || service.name != name) continue;
    return sd_bus_reply_method_return(call, "iissssisqaayu", interface,
                                      protocol, name, type, domain,
                                      "host.local", kIpv4, service.host.c_str(),
                                      service.port, 0, uint32_t{0});
  }
  return sd_bus_error_set(error, "org.freedesktop.Avahi.TimeoutError",
                          "Timeout reached");
}

int OwnerChanged(sd_bus_message* signal, void* data, sd_bus_error*) {
  auto& state = *static_cast<State*>(data);
  const char* name = nullptr;
  const char* before = nullptr;
  const char* after = nullptr;
  if (sd_bus_message_read(signal, "sss", &name, &before, &after) < 0 ||
      after[0] != '\0') {
    return 0;
  }
  std::vector<Service> left;
  for (const Service& service : state.services) {
    if (service.client != name) {
      left.push_back(service);
      continue;
    }
    printf("{\"removed\":\"%s\"}\n", service.name.c_str());
    fflush(stdout);
  }
  state.services = left;
  std::erase_if(state.browsers, [name](const Browser& browser) {
    return browser.client == name;
  });
  return 0;
}

const sd_bus_vtable kServerTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("EntryGroupNew", "", "o", EntryGroupNew,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("ServiceBrowserNew", "iissu", "o", ServiceBrowserNew,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("ResolveService", "iisssiu", "iissssisqaayu", ResolveService,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};

const sd_bus_vtable kGroupTable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("AddService", "iiussssqaay", "", AddService,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_METHOD("Commit", "", "", Commit, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END};

int FindGroup(sd_bus*, const char*, const char*, void* data, void** found,
              sd_bus_error*) {
  *found = data;
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  State state;
  std::string address;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--bus" && i + 1 < argc) {
      address = argv[++i];
    } else if (option == "--host" && i + 1 < argc) {
      state.host = argv[++i];
    } else if (option == "--also" && i + 3 < argc) {
      state.services.push_back(
          {.name = argv[i + 1],
           .type = "_tactus._tcp",
           .host = argv[i + 2],
           .port = static_cast<uint16_t>(atoi(argv[i + 3])),
           .committed = true});
      i += 3;
    } else {
      fprintf(stderr, "fake_avahi: no such option: %s\n", argv[i]);
      return 2;
    }
  }
  sd_bus* bus = nullptr;
  Check("a bus", sd_bus_new(&bus));
  Check("a bus", sd_bus_set_address(bus, address.c_str()));
  Check("a bus", sd_bus_set_bus_client(bus, 1));
  Check("a bus", sd_bus_start(bus));
  Check("objects", sd_bus_add_object_vtable(bus, nullptr, "/", kServer,
                                            kServerTable, &state));
  Check("objects", sd_bus_add_fallback_vtable(bus, nullptr, "/Client1", kGroup,
                                              kGroupTable, FindGroup, &state));
  Check("signals",
        sd_bus_match_signal(bus, nullptr, "org.freedesktop.DBus", nullptr,
                            "org.freedesktop.DBus", "NameOwnerChanged",
                            OwnerChanged, &state));
  Check("a name", sd_bus_request_name(bus, "org.freedesktop.Avahi", 0));
  printf("ready\n");
  fflush(stdout);
  while (true) {
    const int done = sd_bus_process(bus, nullptr);
    Check("the bus", done);
    if (done == 0) Check("the bus", sd_bus_wait(bus, UINT64_MAX));
  }
}
