#include "transfer/echo/echo.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/stream/header.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {
namespace {

constexpr size_t kHead = 2;

std::array<char, kHead> Head(size_t size) {
  return {static_cast<char>(size >> 8), static_cast<char>(size & 0xff)};
}

// The message with its head, of which nothing is held before its length is
// known to be one.
absl::StatusOr<std::string> ReadMessage(Stream& stream, absl::Time deadline) {
  std::array<char, kHead> head;
  if (absl::Status read = ReadFull(stream, absl::MakeSpan(head), deadline);
      !read.ok()) {
    return read;
  }
  const size_t size = static_cast<size_t>(static_cast<uint8_t>(head[0])) << 8 |
                      static_cast<uint8_t>(head[1]);
  if (size == 0 || size > kLongestEcho) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a message of ", size, " bytes: it must have 1 to ", kLongestEcho));
  }
  std::string message(kHead + size, '\0');
  message[0] = head[0];
  message[1] = head[1];
  absl::Status read =
      ReadFull(stream, absl::MakeSpan(&message[kHead], size), deadline);
  if (absl::IsOutOfRange(read)) {
    return absl::DataLossError("the message ends after its length");
  }
  if (!read.ok()) return read;
  return message;
}

}  // namespace

StreamHeader EchoHeader() {
  return {.kind = StreamKind::kMessage, .label = "echo"};
}

absl::Status AskEcho(Stream& stream, absl::string_view message,
                     absl::Time deadline) {
  if (message.empty() || message.size() > kLongestEcho) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message must have 1 to ", kLongestEcho, " bytes"));
  }
  const std::array<char, kHead> head = Head(message.size());
  // One write: one record and one segment.
  return stream.Write(
      absl::StrCat(absl::string_view(head.data(), head.size()), message),
      deadline);
}

absl::StatusOr<std::string> HearEcho(Stream& stream, absl::string_view message,
                                     absl::Time deadline) {
  absl::StatusOr<std::string> answer = ReadMessage(stream, deadline);
  if (absl::IsOutOfRange(answer.status())) {
    return absl::UnavailableError("the peer has closed and not answered");
  }
  if (!answer.ok()) return answer;
  answer->erase(0, kHead);
  if (*answer != message) {
    return absl::DataLossError("the peer answered something else");
  }
  return answer;
}

absl::StatusOr<std::string> Echo(Stream& stream, absl::string_view message,
                                 absl::Time deadline) {
  if (absl::Status asked = AskEcho(stream, message, deadline); !asked.ok()) {
    return asked;
  }
  return HearEcho(stream, message, deadline);
}

absl::Status ServeEcho(Stream& stream, Clock& clock) {
  while (true) {
    const absl::Time deadline = clock.Now() + kEchoSilence;
    const absl::StatusOr<std::string> message = ReadMessage(stream, deadline);
    if (absl::IsOutOfRange(message.status())) {
      return stream.CloseWrite(deadline);
    }
    if (!message.ok()) return message.status();
    if (absl::Status written = stream.Write(*message, deadline);
        !written.ok()) {
      return written;
    }
  }
}

}  // namespace tactus::transfer
