#ifndef TACTUS_AX_TEXT_SLICE_H_
#define TACTUS_AX_TEXT_SLICE_H_

// Length and parts of a text in code points, as the offsets of ax/types have
// them: signed, so that a difference of two may be passed on as it is.
//
// When to use: above the seam, where offsets are int64_t. At a backend's edge,
// where units are converted, use ax/text/offsets.h.
//
// Example:
//   CodePointLength("a\xF0\x9F\x98\x80z");       // 3
//   CodePointSlice("a\xF0\x9F\x98\x80z", 1, 2);  // U+1F600
//
// Code points are those of ax/text/utf.h, so each has an answer for any bytes.

#include <cstdint>
#include <string_view>

namespace tactus::ax {

int64_t CodePointLength(std::string_view text);

// The code points [begin, end) of `text`, as a view into it. Both are clamped
// to the text, what is negative to its start; an `end` before `begin` gives the
// empty view.
std::string_view CodePointSlice(std::string_view text, int64_t begin,
                                int64_t end);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_SLICE_H_
