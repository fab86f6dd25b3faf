// What a device that serves echoes is sent: it answers each message that is
// whole with the same bytes, nothing else, and ends for the right reason.
//
// The first byte of the input says how many bytes a read gives, the rest is
// what the peer sends before it closes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "transfer/clock/clock.h"
#include "transfer/echo/echo.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {
namespace {

class Scripted : public Stream {
 public:
  Scripted(absl::string_view bytes, size_t step) : bytes_(bytes), step_(step) {}

  absl::StatusOr<size_t> Read(absl::Span<char> into, absl::Time) override {
    FUZZ_CHECK(!into.empty());
    // Nobody holds more than a message.
    FUZZ_CHECK(into.size() <= kLongestEcho);
    const size_t n = std::min({into.size(), step_, bytes_.size()});
    std::copy_n(bytes_.begin(), n, into.begin());
    bytes_.remove_prefix(n);
    return n;
  }
  absl::Status Write(absl::string_view bytes, absl::Time) override {
    FUZZ_CHECK(!closed);
    answered.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  absl::Status CloseWrite(absl::Time) override {
    closed = true;
    return absl::OkStatus();
  }
  void Cancel() override {}
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

  std::string answered;
  bool closed = false;

 private:
  absl::string_view bytes_;
  const size_t step_;
  const DeviceId peer_;
  const StreamHeader header_ = EchoHeader();
};

// By the page alone: what is answered, and how it ends.
struct Expected {
  size_t whole = 0;
  absl::StatusCode code = absl::StatusCode::kOk;
};

Expected Read(absl::string_view bytes) {
  Expected expected;
  while (bytes.size() - expected.whole >= 2) {
    const auto at = [&](size_t i) {
      return static_cast<uint8_t>(bytes[expected.whole + i]);
    };
    const size_t size = size_t{at(0)} * 256 + at(1);
    if (size < 1 || size > 4096) {
      expected.code = absl::StatusCode::kInvalidArgument;
      return expected;
    }
    if (bytes.size() - expected.whole - 2 < size) {
      expected.code = absl::StatusCode::kDataLoss;
      return expected;
    }
    expected.whole += 2 + size;
  }
  if (expected.whole < bytes.size()) {
    expected.code = absl::StatusCode::kDataLoss;
  }
  return expected;
}

}  // namespace
}  // namespace tactus::transfer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tactus::transfer;  // NOLINT(google-build-using-namespace)
  // Two messages of the longest, and to spare.
  if (size < 1 || size > 10'000) return -1;
  const absl::string_view bytes(reinterpret_cast<const char*>(data + 1),
                                size - 1);
  Scripted stream(bytes, size_t{data[0]} + 1);
  const absl::Status ended = ServeEcho(stream, Clock::Real());
  const Expected expected = Read(bytes);
  FUZZ_CHECK(stream.answered == bytes.substr(0, expected.whole));
  FUZZ_CHECK(ended.code() == expected.code);
  FUZZ_CHECK(stream.closed == ended.ok());
  return 0;
}
