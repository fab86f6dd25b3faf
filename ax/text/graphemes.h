#ifndef TACTUS_AX_TEXT_GRAPHEMES_H_
#define TACTUS_AX_TEXT_GRAPHEMES_H_

// Where the characters that people see begin and end: an "e" with its accent,
// a family of joined emoji, a flag.
//
// When to use: before text is cut. An edit whose edge lies inside such a
// character leaves half of it behind, which nobody asked for.
//
// Example:
//   IsGraphemeBoundary("e\u0301x", 1);  // false: between e and its accent
//   GraphemeFloor("e\u0301x", 1);       // 0
//
// Offsets are code points (ax/text/utf.h). The end is a boundary, what lies
// past it is none. Each reads the text up to `offset`.
//
// Source: Unicode Standard Annex 29, extended grapheme clusters, as utf8proc
// has them.

#include <cstddef>
#include <string_view>

namespace tactus::ax {

bool IsGraphemeBoundary(std::string_view text, size_t offset);

// The last boundary at or before `offset`; the end for what lies past it.
size_t GraphemeFloor(std::string_view text, size_t offset);

// The first boundary at or after `offset`; the end for what lies past it.
size_t GraphemeCeiling(std::string_view text, size_t offset);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_GRAPHEMES_H_
