#include "ax/atspi/quirks.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace tactus::ax::atspi {
namespace {

// All measured on Debian 12 by ax/atspi's integration tests and by hand with
// busctl, unless the comment says otherwise.
constexpr Quirks kTable[] = {
    // LibreOffice 7.4 with its GTK 3 plug-in, which names GTK as its toolkit.
    // Each paragraph is an object; its container claims the focus too. GetText
    // takes its end modulo 65536, so an end past the end may answer nothing.
    {"gtk", "3", "soffice", OffsetUnit::kUtf16, Search::kMatches, true, true,
     WholeText::kMinusOne, false},
    // GTK 3.24 through atk-bridge 2.46; mousepad and VTE terminals as well.
    // FOCUSED is set in the active window alone. GetMatches on the root stops
    // at the first match and never walks windows that are not there.
    {"gtk", "3", "", OffsetUnit::kCodePoint, Search::kMatches, true, true,
     WholeText::kClampedEnd, false},
    // GTK 4.8, which speaks AT-SPI itself: no Collection, no socket, and the
    // cache lists only what was realized, the focused element with it.
    {"GTK", "4", "", OffsetUnit::kCodePoint, Search::kCacheItems, false, true,
     WholeText::kClampedEnd, false},
    // Qt 5.15 and 6.4: no Collection, an empty cache; Properties.GetAll and a
    // GetText of another signature crash it, so neither is ever sent. GetText
    // with an end past the end answers nothing; -1 answers all.
    {"Qt", "", "", OffsetUnit::kUtf16, Search::kTree, false, true,
     WholeText::kMinusOne, false},
    // Chromium 156, Electron: no EditableText at all, so nothing to land.
    // GetText(0, INT_MAX) crashes it.
    {"Chromium", "", "", OffsetUnit::kCodePoint, Search::kMatches, true, false,
     WholeText::kClampedEnd, false},
    // Firefox 153: EditableText is claimed on everything, answers true and does
    // nothing. GetSelection(-1) crashes it. GetText with an end past the end
    // answers nothing. Text is fetched from the page's process when it is first
    // asked for; until it is there the answer is an empty text of no length.
    {"Gecko", "", "", OffsetUnit::kUtf16WithFiller, Search::kMatches, true,
     false, WholeText::kMinusOne, true},
};

// Unknown: nothing is sent but what every server must know, and nothing is
// believed to land.
constexpr Quirks kUnknown = {"",
                             "",
                             "",
                             OffsetUnit::kCodePoint,
                             Search::kTree,
                             false,
                             false,
                             WholeText::kMinusOne,
                             false};

}  // namespace

const Quirks& QuirksFor(absl::string_view toolkit, absl::string_view version,
                        absl::string_view application) {
  for (const Quirks& row : kTable) {
    if (absl::StartsWith(toolkit, row.toolkit) &&
        absl::StartsWith(version, row.version) &&
        (row.application.empty() || application == row.application)) {
      return row;
    }
  }
  return kUnknown;
}

}  // namespace tactus::ax::atspi
