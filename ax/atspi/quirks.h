// What each toolkit does differently behind the same interfaces.
//
// One table, keyed on what an application says of itself. To add a toolkit, add
// a row and say in its comment where each entry was measured or read; a row
// that nobody measured is worth less than none, since the row for unknown
// toolkits is the careful one.
#ifndef TACTUS_AX_ATSPI_QUIRKS_H_
#define TACTUS_AX_ATSPI_QUIRKS_H_

#include "absl/strings/string_view.h"

namespace tactus::ax::atspi {

// How the application counts characters.
enum class OffsetUnit {
  kCodePoint,
  kUtf16,
  // UTF-16 units, and the text that it answers has U+FEFF in the place of each
  // second unit.
  kUtf16WithFiller,
};

// How the focused element is found in it.
enum class Search {
  // Collection.GetMatches on the root: one call, done by the application.
  kMatches,
  // Cache.GetItems: one call that lists what is realized, with states.
  kCacheItems,
  // Level by level through what is showing.
  kTree,
};

struct Quirks {
  absl::string_view toolkit;  // prefix of ToolkitName, as it is spelt
  absl::string_view version;  // prefix of its version; empty for any
  OffsetUnit offsets;
  Search search;
  // It may offer a socket of its own (GetApplicationBusAddress).
  bool peer_to_peer;
  // EditableText and the EDITABLE state together mean that a write lands.
  bool writes_land;
  // GetText's end may lie past the end of the text: it is clamped there.
  bool clamps_end;
};

// The row for a toolkit; never null.
const Quirks& QuirksFor(absl::string_view toolkit, absl::string_view version);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_QUIRKS_H_
