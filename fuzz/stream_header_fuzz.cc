// The first bytes of a stream: what is decoded encodes to the bytes it came
// from, and a longer input never changes what a shorter one was.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "transfer/stream/header.h"

namespace tactus::transfer {
namespace {

void Check(absl::string_view bytes) {
  bool refused = false;
  size_t decoded_at = 0;
  // As they arrive: one byte more each time.
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto decoded = DecodeStreamHeader(bytes.substr(0, size));
    FUZZ_CHECK(!refused || !decoded.ok());
    refused = !decoded.ok();
    if (refused) continue;
    FUZZ_CHECK(decoded_at == 0 || decoded->has_value());
    // Nobody waits for more than a header can have.
    FUZZ_CHECK(size < kLongestStreamHeader || decoded->has_value());
    if (!decoded->has_value()) continue;
    if (decoded_at == 0) decoded_at = size;
    FUZZ_CHECK((*decoded)->size == decoded_at);
    const auto encoded = EncodeStreamHeader((*decoded)->header);
    FUZZ_CHECK(encoded.ok());
    FUZZ_CHECK(*encoded == bytes.substr(0, decoded_at));
  }
}

}  // namespace
}  // namespace tactus::transfer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A header is at most 131 bytes; what follows is not its concern.
  if (size > 160) return -1;
  tactus::transfer::Check(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
