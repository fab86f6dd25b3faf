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
    {.toolkit = "gtk",
     .version = "3",
     .application = "soffice",
     .offsets = OffsetUnit::kUtf16,
     .search = Search::kMatches,
     .peer_to_peer = true,
     .writes_land = true},
    // GTK 3.24 through atk-bridge 2.46; mousepad and VTE terminals as well.
    // FOCUSED is set in the active window alone, on one element.
    {.toolkit = "gtk",
     .version = "3",
     .search = Search::kMatches,
     .one_focus = true,
     .peer_to_peer = true,
     .writes_land = true,
     .whole_text = WholeText::kClampedEnd},
    // GTK 4.8, which speaks AT-SPI itself: no Collection, no socket, and the
    // cache lists only what was realized, the focused element with it.
    {.toolkit = "GTK",
     .version = "4",
     .search = Search::kCacheItems,
     .one_focus = true,
     .writes_land = true,
     .select = SelectBy::kSet,
     .whole_text = WholeText::kClampedEnd},
    // Qt 5.15 and 6.4: no Collection, an empty cache; Properties.GetAll and a
    // GetText of another signature crash it, so neither is ever sent. GetText
    // with an end past the end answers nothing; -1 answers all. FOCUSED is
    // QWidget::hasFocus(), which no widget of an inactive window has.
    {.toolkit = "Qt",
     .offsets = OffsetUnit::kUtf16,
     .one_focus = true,
     .writes_land = true,
     .lengths = LengthUnit::kUtf16},
    // Chromium 156, Electron: no EditableText at all, so nothing to land.
    // GetText(0, INT_MAX) crashes it. GetSelection was seen to answer 0, 4 for
    // five characters of which one lies beyond U+FFFF, and 0, 0 where an end
    // lies two units into such text; CaretOffset is right. A textarea that
    // holds "one" and a line end is told with two of them, and an emptied one
    // with one: the line that a caret behind the last could stand in.
    {.toolkit = "Chromium",
     .search = Search::kMatches,
     .peer_to_peer = true,
     .selection_in_doubt = true,
     .line_end_too_many = true,
     .whole_text = WholeText::kClampedEnd},
    // Firefox 153: EditableText is claimed on everything, answers true and does
    // nothing. GetSelection(-1) crashes it. GetText with an end past the end
    // answers nothing. Text is fetched from the page's process when it is first
    // asked for; until it is there the answer is an empty text of no length.
    {.toolkit = "Gecko",
     .offsets = OffsetUnit::kUtf16WithFiller,
     .search = Search::kMatches,
     .peer_to_peer = true,
     .select = SelectBy::kCaretThenAdd,
     .cold_text = true},
};

constexpr Quirks kUnknown = {};

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
