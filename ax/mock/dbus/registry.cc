#include "ax/mock/dbus/registry.h"

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"

namespace tactus::ax::mock {
namespace {

constexpr char kName[] = "org.a11y.atspi.Registry";
constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
constexpr char kSocket[] = "org.a11y.atspi.Socket";

}  // namespace

absl::StatusOr<std::unique_ptr<WireRegistry>> WireRegistry::Start(
    const std::string& address, sd_event* event, Stage* stage) {
  std::unique_ptr<WireRegistry> self(new WireRegistry(stage));
  int r = sd_bus_new(&self->bus_);
  if (r >= 0) r = sd_bus_set_address(self->bus_, address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(self->bus_, 1);
  if (r >= 0) r = sd_bus_start(self->bus_);
  if (r >= 0) {
    r = sd_bus_add_fallback(self->bus_, nullptr, "/org/a11y/atspi",
                            &WireRegistry::OnCall, self.get());
  }
  if (r >= 0) {
    r = sd_bus_match_signal(self->bus_, nullptr, "org.freedesktop.DBus",
                            "/org/freedesktop/DBus", "org.freedesktop.DBus",
                            "NameOwnerChanged", &WireRegistry::OnOwnerChanged,
                            self.get());
  }
  if (r >= 0) r = sd_bus_request_name(self->bus_, kName, 0);
  if (r == -EEXIST) {
    return absl::AlreadyExistsError("the bus has a registry already");
  }
  if (r >= 0) r = sd_bus_attach_event(self->bus_, event, 0);
  if (r < 0) {
    return absl::UnavailableError(
        absl::StrCat("the accessibility bus does not answer: ", strerror(-r)));
  }
  return self;
}

WireRegistry::~WireRegistry() { sd_bus_close_unref(bus_); }

int WireRegistry::OnOwnerChanged(sd_bus_message* signal, void* userdata,
                                 sd_bus_error*) {
  auto* const self = static_cast<WireRegistry*>(userdata);
  const char* name = nullptr;
  const char* before = nullptr;
  const char* after = nullptr;
  if (sd_bus_message_read(signal, "sss", &name, &before, &after) < 0 ||
      after[0] != '\0') {
    return 0;
  }
  auto& children = self->children_;
  children.erase(
      std::remove_if(children.begin(), children.end(),
                     [&](const auto& child) { return child.first == name; }),
      children.end());
  return 0;
}

int WireRegistry::OnCall(sd_bus_message* call, void* userdata, sd_bus_error*) {
  auto* const self = static_cast<WireRegistry*>(userdata);
  // An application's own registration is no message of the client's.
  if (sd_bus_message_is_method_call(call, kSocket, "Embed") <= 0) {
    Message message;
    message.verb = Verb::kApplications;
    const Fate fate = self->stage_->Begin(message);
    if (fate.silent || fate.mute) return 1;
    if (!fate.refusal.ok()) {
      return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_ACCESS_DENIED,
                                        "refused");
    }
  }
  const int r = self->Answer(call);
  return r < 0 ? r : 1;
}

int WireRegistry::Answer(sd_bus_message* call) {
  const auto is = [&](const char* interface, const char* member) {
    return sd_bus_message_is_method_call(call, interface, member) > 0;
  };
  if (is(kSocket, "Embed")) {
    const char* name = nullptr;
    const char* path = nullptr;
    const int r = sd_bus_message_read(call, "(so)", &name, &path);
    if (r < 0) return r;
    // The name is whose message it is, whatever it says.
    const char* sender = sd_bus_message_get_sender(call);
    if (sender != nullptr && children_.size() < kMostChildren) {
      children_.emplace_back(sender, path);
    }
    return sd_bus_reply_method_return(call, "(so)", kName, kRootPath);
  }
  if (is(kAccessible, "GetChildren")) {
    sd_bus_message* reply = nullptr;
    int r = sd_bus_message_new_method_return(call, &reply);
    if (r >= 0) r = sd_bus_message_open_container(reply, 'a', "(so)");
    for (const auto& [name, path] : children_) {
      if (r >= 0) {
        r = sd_bus_message_append(reply, "(so)", name.c_str(), path.c_str());
      }
    }
    if (r >= 0) r = sd_bus_message_close_container(reply);
    if (r >= 0) r = sd_bus_send(bus_, reply, nullptr);
    sd_bus_message_unref(reply);
    return r;
  }
  if (is(kName, "RegisterEvent") || is(kName, "DeregisterEvent")) {
    return sd_bus_reply_method_return(call, "");
  }
  return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_UNKNOWN_METHOD,
                                    "no such method");
}

}  // namespace tactus::ax::mock
