#include "ax/edit/plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/text/graphemes.h"
#include "ax/text/slice.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// More than any text has, and far from where sums of offsets overflow.
constexpr int64_t kMostCharacters = int64_t{1} << 40;

Planned Refuse(Reason reason, std::string message) {
  return {std::nullopt, {reason, std::move(message)}};
}

std::string Show(Range range) {
  return absl::StrCat(range.begin, ":", range.end);
}

// Line breaks as any toolkit may take them: LF, VT, FF, CR, NEL, the line and
// the paragraph separator.
bool BreaksLine(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

// Would act on a terminal, or end the text of a toolkit written in C.
bool Controls(char32_t c) {
  return c == 0 || (c < 0x20 && c != '\t' && !BreaksLine(c)) ||
         (c >= 0x7F && c < 0xA0 && c != 0x85);
}

Refusal CheckText(const Snapshot& snapshot, const Edit& edit) {
  if (!IsValidUtf8(edit.text)) {
    return {Reason::kBadText, "the new text is not valid UTF-8"};
  }
  const bool terminal = snapshot.role->role == Role::kTerminal;
  // GTK 4 and Qt name both kinds of field alike and say of neither that it has
  // one line, only of the other that it has many.
  const bool field = snapshot.role->role == Role::kTextField ||
                     snapshot.role->role == Role::kTextArea;
  const bool one_line = terminal || (snapshot.states & kStateSingleLine) ||
                        (field && !(snapshot.states & kStateMultiLine));
  for (std::string_view rest = edit.text; !rest.empty();) {
    const DecodedCodePoint next = DecodeOne(rest);
    rest.remove_prefix(next.size);
    if (next.code_point == 0 || (terminal && Controls(next.code_point))) {
      return {Reason::kControl,
              absl::StrCat("the new text holds the control character U+",
                           absl::Hex(next.code_point, absl::kZeroPad4),
                           terminal ? ", which a terminal would act on" : "")};
    }
    if (terminal && !edit.allow_newlines && next.code_point == '\t') {
      return {Reason::kControl,
              "the new text holds a tab, by which a shell would complete what "
              "stands there: allow newlines to send it"};
    }
    if (one_line && !edit.allow_newlines && BreaksLine(next.code_point)) {
      return {Reason::kNewline,
              terminal ? "the new text holds a line break, which a terminal "
                         "would run as a command: allow newlines to send it"
                       : "the new text holds a line break and the field has "
                         "one line: allow newlines to send it"};
    }
  }
  return {};
}

// Where the expected text and the one that was read are the same; absent when
// they differ.
std::optional<Range> Overlap(const Edit& edit, const Snapshot& snapshot) {
  const std::string& read = *snapshot.value;
  const Range window = snapshot.window;
  const int64_t from = edit.expect_begin.value_or(window.begin);
  const Range expected = {from, from + CodePointLength(*edit.expect)};
  if (expected == window || !edit.expect_begin.has_value() || snapshot.whole) {
    if (*edit.expect != read || expected != window) return std::nullopt;
    return window;
  }
  const Range both = {std::max(window.begin, expected.begin),
                      std::min(window.end, expected.end)};
  if (both.begin > both.end) return std::nullopt;
  if (CodePointSlice(read, both.begin - window.begin,
                     both.end - window.begin) !=
      CodePointSlice(*edit.expect, both.begin - expected.begin,
                     both.end - expected.begin)) {
    return std::nullopt;
  }
  return both;
}

// The range that the edit names. Absent: `refusal` says why.
std::optional<Range> Locate(const Snapshot& snapshot, const Edit& edit,
                            Refusal& refusal) {
  const std::string& text = *snapshot.value;
  const Range window = snapshot.window;
  switch (edit.kind) {
    case Edit::Kind::kReplaceSelection:
      if (snapshot.selection.ok()) return *snapshot.selection;
      refusal = {Reason::kOutOfRange,
                 absl::StrCat("the selection is not known: ",
                              snapshot.selection.status().message())};
      return std::nullopt;
    case Edit::Kind::kInsertAtCaret:
      if (snapshot.caret.ok()) {
        return Range{*snapshot.caret, *snapshot.caret};
      }
      refusal = {Reason::kOutOfRange,
                 absl::StrCat("the caret is not known: ",
                              snapshot.caret.status().message())};
      return std::nullopt;
    case Edit::Kind::kReplaceRange:
      return edit.range;
    case Edit::Kind::kSetValue:
      if (snapshot.whole) return window;
      refusal = {
          Reason::kOutOfRange,
          absl::StrCat("the text is longer than the ", window.length(),
                       " characters that were read, so what is replaced "
                       "cannot be checked: raise the limit of the text")};
      return std::nullopt;
    case Edit::Kind::kReplaceText: {
      if (edit.old_text.empty()) {
        refusal = {Reason::kNotFound, "the text to replace is empty"};
        return std::nullopt;
      }
      // Bytes that are no text could be found in the middle of a character.
      if (!IsValidUtf8(edit.old_text)) {
        refusal = {Reason::kBadText, "the text to replace is not valid UTF-8"};
        return std::nullopt;
      }
      const size_t at = text.find(edit.old_text);
      if (at == std::string::npos) {
        refusal = {Reason::kNotFound,
                   snapshot.whole
                       ? "the text to replace is not in the field"
                       : "the text to replace is not in the window that was "
                         "read"};
        return std::nullopt;
      }
      if (text.find(edit.old_text, at + 1) != std::string::npos) {
        refusal = {Reason::kNotUnique,
                   "the text to replace is there more than once: give more of "
                   "what surrounds it, or a range"};
        return std::nullopt;
      }
      const int64_t begin =
          window.begin + CodePointLength(std::string_view(text).substr(0, at));
      return Range{begin, begin + CodePointLength(edit.old_text)};
    }
  }
  return std::nullopt;
}

}  // namespace

Refusal Compare(const SnapshotToken& token, const Snapshot& snapshot) {
  if (token.application != snapshot.application.id ||
      token.pid != snapshot.application.pid ||
      token.path != snapshot.element.path) {
    return {Reason::kStale,
            "the focus is on another field than that of the snapshot"};
  }
  if (!snapshot.value.ok()) {
    return {Reason::kNoFocus, absl::StrCat("the text cannot be read: ",
                                           snapshot.value.status().message())};
  }
  const int64_t count =
      snapshot.character_count.ok() ? *snapshot.character_count : -1;
  if (token.character_count != count || token.window != snapshot.window ||
      token.text_digest != DigestOf(*snapshot.value)) {
    // A window of a long text follows the caret, so it may be that which moved.
    return {Reason::kTextChanged, "the text has changed since the snapshot"};
  }
  const int64_t caret = snapshot.caret.ok() ? *snapshot.caret : -1;
  const Range selection =
      snapshot.selection.ok() ? *snapshot.selection : Range{-1, -1};
  if (token.caret != caret || token.selection != selection) {
    return {Reason::kSelectionChanged,
            "the caret or the selection has moved since the snapshot"};
  }
  return {};
}

Planned MakePlan(const Snapshot& snapshot, const Edit& edit) {
  switch (snapshot.strategy()) {
    case Strategy::kSecure:
      return Refuse(Reason::kSecure,
                    "the field is secure, or may be: it is never edited");
    case Strategy::kReadOnly:
      return Refuse(Reason::kReadOnly, "the field cannot be edited");
    case Strategy::kNone:
      return Refuse(Reason::kNotText,
                    "what has the focus holds no text: click into a field");
    case Strategy::kRangeEdit:
    case Strategy::kPaste:
    case Strategy::kTerminal:
      break;
  }
  if (edit.must_be_replaceable && snapshot.strategy() == Strategy::kTerminal) {
    return Refuse(Reason::kNoWay,
                  "a terminal cannot take back what it was given: only final "
                  "text goes there");
  }
  if (snapshot.ambiguous) {
    return Refuse(Reason::kAmbiguous,
                  "two fields claim the focus with equal right: click into "
                  "the one that is meant");
  }
  if (snapshot.secure_beside && snapshot.strategy() != Strategy::kRangeEdit) {
    return Refuse(Reason::kSecure, std::string(kSecureBeside));
  }
  if (!snapshot.value.ok()) {
    return Refuse(Reason::kNoFocus,
                  absl::StrCat("the text cannot be read: ",
                               snapshot.value.status().message()));
  }
  if (edit.element.has_value() && !(*edit.element == snapshot.element)) {
    return Refuse(Reason::kStale, "the focus is on another field");
  }
  if (edit.snapshot.has_value()) {
    Refusal refusal = Compare(*edit.snapshot, snapshot);
    if (refusal.reason != Reason::kNone) return {std::nullopt, refusal};
  }
  // Where the two disagree they were read while somebody typed, or the server
  // counts in another unit and would take our offsets for other places.
  const absl::StatusOr<int64_t>& count = snapshot.character_count;
  if (count.ok() && (*count > kMostCharacters ||
                     (snapshot.whole ? *count != snapshot.window.end
                                     : *count < snapshot.window.end))) {
    return Refuse(Reason::kContradiction,
                  absl::StrCat("the server counts ", *count,
                               " characters where the text has ",
                               snapshot.window.end, ": try again"));
  }
  std::optional<Range> expected;  // what of the text is known to be as expected
  if (edit.expect.has_value()) {
    expected = Overlap(edit, snapshot);
    if (!expected.has_value()) {
      return Refuse(Reason::kTextChanged, "the text is not the expected one");
    }
  }
  if (Refusal refusal = CheckText(snapshot, edit);
      refusal.reason != Reason::kNone) {
    return {std::nullopt, refusal};
  }

  Refusal refusal;
  const std::optional<Range> range = Locate(snapshot, edit, refusal);
  if (!range.has_value()) return {std::nullopt, refusal};
  if (edit.expect_begin.has_value() && !expected->Contains(*range)) {
    return Refuse(Reason::kTextChanged,
                  "what is to be replaced is not within the expected text");
  }
  const Range window = snapshot.window;
  if (range->begin < 0 || range->begin > range->end) {
    return Refuse(Reason::kOutOfRange,
                  absl::StrCat("the range ", Show(*range), " is no range"));
  }
  if (!window.Contains(*range)) {
    return Refuse(
        Reason::kOutOfRange,
        snapshot.whole
            ? absl::StrCat("the range ", Show(*range), " is not within the ",
                           window.length(), " characters of the text")
            : absl::StrCat("the range ", Show(*range),
                           " is not within the window ", Show(window),
                           " that was read: raise the limit of the text"));
  }
  // What lies beyond the window may join with what is put at its edge.
  const bool cut =
      !snapshot.whole && !edit.allow_split_characters &&
      ((window.begin > 0 && range->begin == window.begin) ||
       (count.ok() && window.end < *count && range->end == window.end));
  if (cut) {
    return Refuse(Reason::kOutOfRange,
                  absl::StrCat("the range ", Show(*range),
                               " ends with the window ", Show(window),
                               " that was read: raise the limit of the text"));
  }
  const int64_t begin = range->begin - window.begin;
  const int64_t end = range->end - window.begin;
  const std::string& text = *snapshot.value;
  if (!edit.allow_split_characters) {
    for (const int64_t edge : {begin, end}) {
      if (!IsGraphemeBoundary(text, static_cast<size_t>(edge))) {
        return Refuse(
            Reason::kSplitsCharacter,
            absl::StrCat("offset ", edge + window.begin,
                         " lies inside a character that people see as one: "
                         "move it, or allow characters to be split"));
      }
    }
  }

  Plan plan;
  plan.range = *range;
  plan.text = edit.text;
  plan.length = CodePointLength(edit.text);
  plan.window_begin = window.begin;
  plan.before = text;
  plan.before_length = window.length();
  plan.after.append(CodePointSlice(text, 0, begin));
  plan.after.append(edit.text);
  plan.after.append(CodePointSlice(text, end, window.length()));
  plan.after_length = plan.before_length - range->length() + plan.length;
  plan.whole = snapshot.whole;
  if (snapshot.character_count.ok()) {
    plan.count_before = *snapshot.character_count;
    plan.count_after = *plan.count_before - range->length() + plan.length;
  }
  const bool keeps_selection = edit.kind == Edit::Kind::kInsertAtCaret &&
                               snapshot.selection.ok() &&
                               !snapshot.selection->empty();
  plan.no_keys = snapshot.secure_beside;
  if (!keeps_selection) {
    plan.caret = edit.caret.value_or(range->begin + plan.length);
  }
  return {std::move(plan), {}};
}

}  // namespace tactus::ax
