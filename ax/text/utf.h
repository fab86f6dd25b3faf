#ifndef TACTUS_AX_TEXT_UTF_H_
#define TACTUS_AX_TEXT_UTF_H_

// Text as Tactus holds it: bytes in a std::string, counted in code points.
//
// Applications answer in UTF-8 or in UTF-16, and either may be malformed. Each
// function here reads any bytes at all, in one pass, and all of them divide the
// bytes in the same way, so that an offset that one of them counted means the
// same to every other. From left to right, each of these is one code point:
//
//   kScalar         a well-formed UTF-8 sequence (Unicode 15, table 3-7)
//   kLoneSurrogate  a surrogate as a three-byte sequence, which is how WTF-8
//                   keeps the unpaired surrogates that UTF-16 servers send
//   kSurrogatePair  a high and then a low one, three bytes each. Joining two
//                   pieces of WTF-8 makes it; it means one character and is
//                   read as that one, as UTF-16 would read it
//   kIllFormed      any other maximal subpart (Unicode 15, section 3.9, "U+FFFD
//                   Substitution of Maximal Subparts"), read as U+FFFD
//
// When to use: on each text that enters or leaves a backend. Inside Tactus text
// stays as it came, so that nothing the user typed is lost; FromUtf16 after
// ToUtf16 gives back whatever holds no kIllFormed and no kSurrogatePair, and
// ToUtf16 after FromUtf16 gives back everything. Sanitize is for the output
// edge alone (a peer, a page, D-Bus), where only valid UTF-8 may go.
//
// Example:
//   std::string text = FromUtf16(u"\xD83D\xDE00!");  // "\xF0\x9F\x98\x80!"
//   CodePointCount(text);                            // 2
//   Sanitize("a\xFF");                               // "a\xEF\xBF\xBD"
//
// Caveat: cutting or joining inside a character changes what its bytes mean, so
// CodePointCount(a + b) may be less than CodePointCount(a) + CodePointCount(b).
//
// Sources: Unicode 15, chapter 3.9; WHATWG Encoding, "UTF-8 decoder"; WTF-8,
// https://simonsapin.github.io/wtf-8/ (the latter's lossy conversion: one
// U+FFFD for a surrogate, where WHATWG's decoder gives three).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::ax {

// What stands in for ill-formed bytes: U+FFFD REPLACEMENT CHARACTER.
inline constexpr char32_t kReplacement = 0xFFFD;

enum class CodePointForm : uint8_t {
  kScalar,
  kLoneSurrogate,
  kSurrogatePair,
  kIllFormed,
};

struct DecodedCodePoint {
  // At most 0x10FFFF. A surrogate only where `form` is kLoneSurrogate.
  char32_t code_point;
  // Bytes that it took: 1 to 4, 6 for kSurrogatePair.
  uint8_t size;
  CodePointForm form;

  // Code units of its UTF-16 form: 1 or 2.
  size_t Utf16Units() const { return code_point >= 0x10000 ? 2 : 1; }
};

// The code point at the start of `text`, which must not be empty (of an empty
// one the answer has size 0, so a loop must ask before it calls).
DecodedCodePoint DecodeOne(std::string_view text);

// Appends `code_point` in UTF-8; a surrogate as WTF-8 has it; above 0x10FFFF,
// U+FFFD.
void AppendCodePoint(char32_t code_point, std::string& out);

// Length in bytes of the longest prefix that is all ASCII.
size_t AsciiPrefixLength(std::string_view text);

// Length in code points, as divided above.
size_t CodePointCount(std::string_view text);

// Whether each code point is kScalar. The empty text is valid.
bool IsValidUtf8(std::string_view text);

// In UTF-16. Lone surrogates stay lone; ill-formed bytes become U+FFFD.
std::u16string ToUtf16(std::string_view text);

// In WTF-8, from any code units. Pairs become the character they mean, lone
// surrogates are kept. The result holds only kScalar and kLoneSurrogate, with
// no high surrogate before a low one.
std::string FromUtf16(std::u16string_view units);

// Valid UTF-8 of the same CodePointCount: what is lone or ill-formed becomes
// U+FFFD, a surrogate pair the character it means. Valid text is returned as it
// is. At most three times as long as `text`.
std::string Sanitize(std::string_view text);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_UTF_H_
