#include "ax/atspi/benchmark/plain_calls.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi::bench {
namespace {

constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kProperties[] = "org.freedesktop.DBus.Properties";
constexpr uint64_t kTimeoutUsec = 5'000'000;

struct Close {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
};
using Connection = std::unique_ptr<sd_bus, Close>;

struct Unref {
  void operator()(sd_bus_message* m) const { sd_bus_message_unref(m); }
};
using Message = std::unique_ptr<sd_bus_message, Unref>;

absl::StatusOr<Connection> Connect(const std::string& address, bool daemon) {
  sd_bus* raw = nullptr;
  int r = sd_bus_new(&raw);
  Connection connection(raw);
  if (r >= 0) r = sd_bus_set_address(raw, address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(raw, daemon ? 1 : 0);
  if (r >= 0) r = sd_bus_start(raw);
  if (r < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot connect to ", address, ": ", strerror(-r)));
  }
  return connection;
}

class Calls : public PlainCalls {
 public:
  Calls(Connection connection, const Element& element, bool daemon)
      : connection_(std::move(connection)),
        element_(element),
        // A peer has no name to be called by.
        destination_(daemon ? element_.application.c_str() : nullptr) {}

  absl::StatusOr<std::string> ReadInTurn() override {
    for (const char* member : {"GetRole", "GetState", "GetInterfaces"}) {
      if (absl::Status s = Ask(kAccessible, member).status(); !s.ok()) return s;
    }
    absl::StatusOr<std::string> text = Text();
    if (!text.ok()) return text;
    for (const char* property : {"CharacterCount", "CaretOffset"}) {
      if (absl::Status s = Property(property); !s.ok()) return s;
    }
    // An error where nothing is selected, in some toolkits, is an answer.
    Ask(kText, "GetSelection", "i", int32_t{0}).IgnoreError();
    return text;
  }

  absl::Status FiveInTurn() override {
    for (const char* member : {"GetRole", "GetState"}) {
      if (absl::Status s = Ask(kAccessible, member).status(); !s.ok()) return s;
    }
    if (absl::Status s = Text().status(); !s.ok()) return s;
    for (const char* property : {"CharacterCount", "CaretOffset"}) {
      if (absl::Status s = Property(property); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  template <typename... Arguments>
  absl::StatusOr<Message> Ask(const char* interface, const char* member,
                              const char* types = "", Arguments... arguments) {
    sd_bus_message* raw = nullptr;
    int r = sd_bus_message_new_method_call(connection_.get(), &raw,
                                           destination_, element_.path.c_str(),
                                           interface, member);
    const Message request(raw);
    if (r >= 0 && types[0] != '\0') {
      r = sd_bus_message_append(raw, types, arguments...);
    }
    sd_bus_message* reply = nullptr;
    if (r >= 0) {
      r = sd_bus_call(connection_.get(), raw, kTimeoutUsec, nullptr, &reply);
    }
    if (r < 0) {
      return absl::UnavailableError(absl::StrCat(member, ": ", strerror(-r)));
    }
    return Message(reply);
  }

  absl::StatusOr<std::string> Text() {
    absl::StatusOr<Message> reply =
        Ask(kText, "GetText", "ii", int32_t{0}, int32_t{-1});
    if (!reply.ok()) return reply.status();
    const char* text = nullptr;
    if (sd_bus_message_read(reply->get(), "s", &text) <= 0) {
      return absl::DataLossError("GetText: no text");
    }
    return std::string(text);
  }

  absl::Status Property(const char* name) {
    absl::StatusOr<Message> reply = Ask(kProperties, "Get", "ss", kText, name);
    if (!reply.ok()) return reply.status();
    int32_t value = 0;
    if (sd_bus_message_read(reply->get(), "v", "i", &value) <= 0) {
      return absl::DataLossError(absl::StrCat(name, ": no number"));
    }
    return absl::OkStatus();
  }

  Connection connection_;
  const Element element_;
  const char* destination_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PlainCalls>> PlainCalls::OnBus(
    const std::string& bus_address, const Element& element) {
  absl::StatusOr<Connection> connection = Connect(bus_address, true);
  if (!connection.ok()) return connection.status();
  return std::make_unique<Calls>(*std::move(connection), element, true);
}

absl::StatusOr<std::unique_ptr<PlainCalls>> PlainCalls::OnSocket(
    const std::string& bus_address, const Element& element) {
  absl::StatusOr<Connection> bus = Connect(bus_address, true);
  if (!bus.ok()) return bus.status();
  sd_bus_message* reply = nullptr;
  sd_bus_error error = SD_BUS_ERROR_NULL;
  const absl::Cleanup free = [&] { sd_bus_error_free(&error); };
  const int r = sd_bus_call_method(
      bus->get(), element.application.c_str(),
      "/org/a11y/atspi/accessible/root", "org.a11y.atspi.Application",
      "GetApplicationBusAddress", &error, &reply, "");
  const Message owner(reply);
  const char* address = nullptr;
  if (r < 0 || sd_bus_message_read(reply, "s", &address) <= 0 ||
      address[0] == '\0') {
    return absl::NotFoundError("the application offers no socket of its own");
  }
  absl::StatusOr<Connection> socket = Connect(address, false);
  if (!socket.ok()) return socket.status();
  return std::make_unique<Calls>(*std::move(socket), element, false);
}

}  // namespace tactus::ax::atspi::bench
