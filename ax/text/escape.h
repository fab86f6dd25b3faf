#ifndef TACTUS_AX_TEXT_ESCAPE_H_
#define TACTUS_AX_TEXT_ESCAPE_H_

// Text from elsewhere, made safe and honest to print on a terminal or in a log
// line.
//
// When to use: on every string that an application, a peer or a file brought,
// at the moment it is printed. Printed raw, an escape sequence could move the
// cursor, retitle the window or forge output, and a bidirectional control could
// show an order that is not the order of the text.
//
// What is replaced:
//   backslash                        \\, so that no text can forge an escape
//   newline, carriage return, tab    \n \r \t
//   other controls below U+0020, DEL \x1b (two digits; the code point is the
//                                    byte)
//   controls U+0080 to U+009F        \u{9b}
//   bidirectional controls           \u{202e}: U+061C, U+200E, U+200F, U+202A
//                                    to U+202E, U+2066 to U+2069
//   line separators                  \u{2028} \u{2029}
//   lone surrogates                  \u{d83d}
//   ill-formed bytes                 \xff, each byte (always 80 or more)
// All else is left as it is: letters of every script, right-to-left ones too,
// and emoji with their joiners. The result is valid UTF-8 on one line, and at
// most four times as long, and two texts print alike only where they differ in
// how a surrogate pair was written.
//
// Example:
//   ForTerminal("a\x1b[2J\n");  // a\x1b[2J\n with each backslash printed
//
// Caveat: escape once, at the edge; a second pass doubles the backslashes.
// Width on the screen is not bounded, and look-alike letters stay alike.
//
// Sources: Unicode 15, PropList.txt, Bidi_Control; ECMA-48 for C1; Boucher and
// Anderson, "Trojan Source" (CVE-2021-42574).

#include <string>
#include <string_view>

namespace tactus::ax {

// `text` is WTF-8 or any other bytes, divided as ax/text/utf.h says.
std::string ForTerminal(std::string_view text);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_ESCAPE_H_
