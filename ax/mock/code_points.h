// Text between UTF-8 and code points, for the mock alone.
//
// The desktop holds text as code points, so that an offset is an index and a
// surrogate without its partner is an ordinary element. It is written apart
// from what the readers above the seam use, so that the two check each other.
//
//   DecodeUtf8("h\u00e9")        == U"h\u00e9"
//   EncodeUtf8(U"\U0001F469")    == "\xF0\x9F\x91\xA9"
//
// The form is generalized UTF-8: a lone surrogate is its three bytes, both
// ways.
#ifndef TACTUS_AX_MOCK_CODE_POINTS_H_
#define TACTUS_AX_MOCK_CODE_POINTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// Each byte that starts no valid sequence becomes one U+FFFD.
std::u32string DecodeUtf8(absl::string_view text);

// Strictly: without surrogates.
bool IsUtf8(absl::string_view text);

// A value past U+10FFFF becomes U+FFFD.
std::string EncodeUtf8(std::u32string_view text);

// `range` within [0, length]; an inverted one becomes empty at its begin.
Range Clamp(Range range, int64_t length);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_CODE_POINTS_H_
