// What a clipboard holds: the same thing in several forms, each as bytes.
//
// Example:
//
//   Content content = TextContent("héllo", atoms);   // ours, kept out of
//                                                    // clipboard histories
//   std::string packed = Pack({.content = content, ...});   // for a keeper
//   absl::StatusOr<Parcel> parcel = Unpack(packed);
//
// Atoms are numbers that one X server gave out; they mean nothing on another.
#ifndef TACTUS_AX_X11_CONTENT_H_
#define TACTUS_AX_X11_CONTENT_H_

#include <xcb/xcb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ax::x11 {

struct Offer {
  xcb_atom_t target = XCB_NONE;
  xcb_atom_t type = XCB_NONE;
  uint8_t format = 8;  // bits of a unit: 8, 16 or 32
  std::string bytes;   // as they are on the wire
  // Whoever fetches this has fetched the text.
  bool is_text = false;

  friend bool operator==(const Offer&, const Offer&) = default;
};

struct Content {
  std::vector<Offer> offers;

  friend bool operator==(const Content&, const Content&) = default;
};

// The atoms of the names by which text goes.
struct TextAtoms {
  xcb_atom_t utf8_string;
  xcb_atom_t text_plain_utf8;
  xcb_atom_t text_plain;
  xcb_atom_t text;
  xcb_atom_t secret_hint;
};

// `text`, which is valid UTF-8, under each name that applications ask for, and
// the mark by which clipboard histories (Klipper, GPaste, CopyQ) know that they
// are to skip it. STRING is Latin-1 and is left out where that cannot hold it.
Content TextContent(absl::string_view text, const TextAtoms& atoms);

// Content on its way to another process.
struct Parcel {
  std::string display;
  // The window that owns the clipboard until then; nobody else's is taken.
  xcb_window_t owner = XCB_NONE;
  Content content;
};

std::string Pack(const Parcel& parcel);

// InvalidArgument for anything that Pack cannot have made.
absl::StatusOr<Parcel> Unpack(absl::string_view packed);

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_CONTENT_H_
