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

// What InsertText takes the length of its text in.
enum class LengthUnit { kBytes, kUtf16 };

// How a range is selected.
enum class SelectBy {
  kAddAndSet,     // AddSelection where nothing is selected, else SetSelection
  kSet,           // SetSelection does both; AddSelection never answers
  kCaretThenAdd,  // AddSelection adds a second one where there is one
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

// How all of a text is asked for, its length not being known yet.
enum class WholeText {
  // GetText with an end past the end is clamped to the end.
  kClampedEnd,
  // GetText to -1 is to the end; an end past the end may answer nothing.
  kMinusOne,
};

// What a row does not name is what the careful row for unknown toolkits has:
// nothing is sent but what every server must know, and nothing is believed to
// land.
struct Quirks {
  absl::string_view toolkit;      // prefix of ToolkitName, as it is spelt
  absl::string_view version;      // prefix of its version; empty for any
  absl::string_view application;  // its name, where one application differs
                                  // from its toolkit; empty for any
  OffsetUnit offsets = OffsetUnit::kCodePoint;
  Search search = Search::kTree;
  // Of the elements that hold text one at a time says that it is focused, and
  // only while its window has the keyboard: what says so has the focus. Others
  // keep stale claims, or claims in windows behind.
  bool one_focus = false;
  // It may offer a socket of its own (GetApplicationBusAddress).
  bool peer_to_peer = false;
  // EditableText and the EDITABLE state together mean that a write lands.
  bool writes_land = false;
  LengthUnit lengths = LengthUnit::kBytes;
  SelectBy select = SelectBy::kAddAndSet;
  // What it answers as the ends of a selection has been converted from UTF-16
  // twice, and is 0, 0 where the second conversion meets half a character.
  bool selection_in_doubt = false;
  // Where the text of a `textarea` ends with a line end, it tells one more.
  bool line_end_too_many = false;
  WholeText whole_text = WholeText::kMinusOne;
  // Its first answers about text are empty, until it has fetched the text that
  // they made it fetch.
  bool cold_text = false;
};

// The first row that fits, so that an application's own stands before its
// toolkit's.
const Quirks& QuirksFor(absl::string_view toolkit, absl::string_view version,
                        absl::string_view application);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_QUIRKS_H_
