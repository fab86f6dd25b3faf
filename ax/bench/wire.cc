#include "ax/bench/wire.h"

#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::bench {

Packer& Packer::Put(int64_t number) {
  char bytes[sizeof(number)];
  memcpy(bytes, &number, sizeof(number));
  bytes_.append(bytes, sizeof(bytes));
  return *this;
}

Packer& Packer::Put(absl::string_view text) {
  Put(static_cast<int64_t>(text.size()));
  bytes_.append(text.data(), text.size());
  return *this;
}

Packer& Packer::Put(const Application& application) {
  return Put(application.id)
      .Put(application.name)
      .Put(int64_t{application.pid})
      .Put(application.toolkit)
      .Put(application.toolkit_version)
      .Put(int64_t{application.claims_are_current});
}

Packer& Packer::PutStatus(const absl::Status& status) {
  return Put(static_cast<int64_t>(status.code())).Put(status.message());
}

Packer& Packer::PutReading(const Reading& reading) {
  PutStatus(reading.status());
  if (!reading.ok()) return *this;
  Put(static_cast<int64_t>(reading->index()));
  struct Visitor {
    Packer& packer;
    void operator()(std::monostate) const {}
    void operator()(bool flag) const { packer.Put(int64_t{flag}); }
    void operator()(int64_t number) const { packer.Put(number); }
    void operator()(const std::string& text) const { packer.Put(text); }
    void operator()(Range range) const { packer.Put(range); }
    void operator()(const RoleValue& role) const {
      packer.Put(static_cast<int64_t>(role.role)).Put(role.native);
    }
    void operator()(const Element& element) const { packer.Put(element); }
  };
  std::visit(Visitor{*this}, *reading);
  return *this;
}

int64_t Unpacker::TakeNumber() {
  int64_t number = 0;
  ok_ = ok_ && bytes_.size() >= sizeof(number);
  if (!ok_) return 0;
  memcpy(&number, bytes_.data(), sizeof(number));
  bytes_.remove_prefix(sizeof(number));
  return number;
}

std::string Unpacker::TakeText() {
  const int64_t size = TakeNumber();
  ok_ = ok_ && size >= 0 && static_cast<size_t>(size) <= bytes_.size();
  if (!ok_) return "";
  std::string text(bytes_.substr(0, static_cast<size_t>(size)));
  bytes_.remove_prefix(static_cast<size_t>(size));
  return text;
}

Range Unpacker::TakeRange() {
  const int64_t begin = TakeNumber();
  return {begin, TakeNumber()};
}

Element Unpacker::TakeElement() {
  std::string application = TakeText();
  return {std::move(application), TakeText()};
}

Application Unpacker::TakeApplication() {
  Application application;
  application.id = TakeText();
  application.name = TakeText();
  application.pid = static_cast<pid_t>(TakeNumber());
  application.toolkit = TakeText();
  application.toolkit_version = TakeText();
  application.claims_are_current = TakeNumber() != 0;
  return application;
}

absl::Status Unpacker::TakeStatus() {
  const auto code = static_cast<absl::StatusCode>(TakeNumber());
  const std::string message = TakeText();
  if (!ok_) return absl::DataLossError("half a message");
  return absl::Status(code, message);
}

Reading Unpacker::TakeReading() {
  if (absl::Status status = TakeStatus(); !status.ok()) return status;
  switch (TakeNumber()) {
    case 0:
      return Value();
    case 1:
      return Value(TakeNumber() != 0);
    case 2:
      return Value(TakeNumber());
    case 3:
      return Value(TakeText());
    case 4:
      return Value(TakeRange());
    case 5: {
      const auto role = static_cast<Role>(TakeNumber());
      return Value(RoleValue{role, TakeText()});
    }
    case 6:
      return Value(TakeElement());
    default:
      ok_ = false;
      return absl::DataLossError("no such value");
  }
}

absl::Status Send(int fd, absl::string_view bytes) {
  // One write for both, as a client that cares for its trips does.
  const auto size = static_cast<uint32_t>(bytes.size());
  std::string message(sizeof(size), '\0');
  memcpy(message.data(), &size, sizeof(size));
  message.append(bytes.data(), bytes.size());
  for (size_t sent = 0; sent < message.size();) {
    const ssize_t n =
        send(fd, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::UnavailableError("the other process is gone");
    sent += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Receive(int fd) {
  // All that one wait brings, which is all there is: nobody sends before the
  // last message was answered.
  char buffer[4096];
  std::string got;
  uint32_t size = 0;
  while (true) {
    const ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return absl::UnavailableError("the other process is gone");
    got.append(buffer, static_cast<size_t>(n));
    if (got.size() < sizeof(size)) continue;
    memcpy(&size, got.data(), sizeof(size));
    if (size > kMostMessage) return absl::DataLossError("too long a message");
    if (got.size() >= sizeof(size) + size) return got.substr(sizeof(size));
  }
}

}  // namespace tactus::ax::bench
