#ifndef TACTUS_AX_TEXT_OFFSETS_H_
#define TACTUS_AX_TEXT_OFFSETS_H_

// Offsets into one text, from any of three units to any other: code points
// (what Tactus speaks), UTF-16 units (macOS, Chromium, Qt) and bytes (D-Bus,
// memory). Code points are those of ax/text/utf.h, so ill-formed bytes have
// offsets too, and each conversion has an answer for any text.
//
// When to use: at a backend's edge, where an application's caret, selection or
// length comes in or goes out. A number that crosses that edge unconverted is
// the fault that this header is there to prevent.
//
// Example:
//   OffsetMap map("a\xF0\x9F\x98\x80z");  // a, U+1F600, z
//   map.CodePointFromUtf16(3);            // {2, exact}: the z
//   map.CodePointFromUtf16(2);            // {1, not exact}: inside U+1F600
//   map.Utf16FromCodePoint(9);            // {4, not exact}: past the end
//
// Source: faults.md, section 1, "wrong offsets or units".

#include <cstddef>
#include <string_view>
#include <vector>

namespace tactus::ax {

// The answer to each conversion. Where the offset asked for lies inside a
// character, `offset` is that character's start; where it lies past the end,
// `offset` is the end; `exact` is false for both. A reader may go on with the
// clamped offset; a writer must refuse unless `exact`, since the application
// and Tactus do not mean the same place.
struct ConvertedOffset {
  size_t offset;
  bool exact;

  friend bool operator==(const ConvertedOffset&,
                         const ConvertedOffset&) = default;
};

// Converts offsets into `text`, which must outlive the map and not change.
//
// A mark is kept each `stride` bytes, laid down only as far as has been asked:
// the first conversion to reach an offset reads the text up to it, and each
// later one at most `stride` bytes. Ten megabytes read to the end take 240 KB
// of marks.
//
// Offsets are unsigned: a server's -1 ("no caret") is for the caller to catch.
// One that slips through is past the end, and so never exact.
//
// Not safe for use from two threads at once, since a conversion lays marks.
class OffsetMap {
 public:
  // A mark takes 24 bytes, so this costs 2.4 % of the text's size, and to read
  // 1 KiB costs less than the call to the server that brought the offset.
  static constexpr size_t kDefaultStride = 1024;

  // Tests pass a small `stride` so that short text crosses marks. No less than
  // the longest code point (6 bytes) is used.
  explicit OffsetMap(std::string_view text, size_t stride = kDefaultStride);

  ConvertedOffset Utf16FromCodePoint(size_t code_points);
  ConvertedOffset ByteFromCodePoint(size_t code_points);
  ConvertedOffset CodePointFromUtf16(size_t utf16_units);
  ConvertedOffset ByteFromUtf16(size_t utf16_units);
  ConvertedOffset CodePointFromByte(size_t bytes);
  ConvertedOffset Utf16FromByte(size_t bytes);

 private:
  // One place in the text, in each unit.
  struct Place {
    size_t byte = 0;
    size_t code_point = 0;
    size_t utf16 = 0;
  };
  using Unit = size_t Place::*;

  friend std::string_view SubstrByCodePoints(std::string_view text,
                                             size_t begin, size_t end);

  // From `place` to the last code point boundary at or before `limit`.
  static Place Advance(std::string_view text, Place place, Unit unit,
                       size_t limit);

  ConvertedOffset Convert(Unit from, Unit to, size_t offset);

  std::string_view text_;
  size_t stride_;
  // Never empty; strictly ascending in each unit.
  std::vector<Place> marks_;
};

// Length in UTF-16 units: ToUtf16(text).size(), without making it.
size_t Utf16Length(std::string_view text);

// The code points [begin, end) of `text`, as a view into it. Both are clamped
// to the text; an `end` before `begin` gives the empty view.
std::string_view SubstrByCodePoints(std::string_view text, size_t begin,
                                    size_t end);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_OFFSETS_H_
