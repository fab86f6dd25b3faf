#include "ax/atspi/replies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/calls.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/atspi/units.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/text/slice.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

absl::StatusOr<int64_t> IntReply(const Flight& flight, int index) {
  if (index == kNotAsked) return absl::NotFoundError("not asked");
  if (!flight.status(index).ok()) return flight.status(index);
  return DecodeIntProperty(flight.reply(index));
}

}  // namespace

ElementReplies::ElementReplies(const ElementCalls& calls, const Flight& flight,
                               Traffic* traffic, absl::Time deadline)
    : calls_(calls), flight_(flight), traffic_(traffic) {
  if (calls_.indices().text == kNotAsked) return;
  if (!calls_.InCodePoints()) ReadFromStart(deadline);
  if (calls_.quirks().line_end_too_many) CheckLineEnd(deadline);
}

absl::StatusOr<std::string> ElementReplies::TextReply(const Flight& flight,
                                                      int index) {
  if (!flight.status(index).ok()) return flight.status(index);
  absl::StatusOr<std::string> text = DecodeString(flight.reply(index));
  if (text.ok()) traffic_->bytes += static_cast<int64_t>(text->size());
  return text;
}

// The text from its start, long enough for every position that was answered.
void ElementReplies::ReadFromStart(absl::Time deadline) {
  const auto convert = [&](absl::StatusOr<std::string> raw) {
    if (raw.ok()) {
      unit_text_.emplace(UnitText::Convert(
          calls_.quirks().offsets, *std::move(raw), Clock::Real(), deadline));
    } else {
      unit_text_.emplace(raw.status());
    }
  };
  convert(TextReply(flight_, calls_.indices().text));
  if (!unit_text_->ok()) return;
  const int64_t have = (*unit_text_)->units();
  const int64_t count = RawCount().value_or(0);
  if (calls_.text_end() < 0 || have < calls_.text_end() || count <= have) {
    return;
  }
  Flight more(traffic_);
  const int text =
      calls_.AddGetText(more, 0, std::min<int64_t>(count, kMaxOffset));
  more.Run(deadline);
  convert(TextReply(more, text));
}

// Only where the text ends with a line end is it asked what the element is: one
// flight more, since no other attribute tells a textarea from the rest.
void ElementReplies::CheckLineEnd(absl::Time deadline) {
  const absl::StatusOr<std::string> text = Text();
  if (!text.ok() || text->empty() || text->back() != '\n') return;
  const Range asked = calls_.text_range();
  const int64_t end = asked.begin + CodePointLength(*text);
  const bool to_the_end = end < asked.end || end == RawCount().value_or(-1);
  if (!to_the_end) return;
  Flight more(traffic_);
  const int attributes = calls_.AddCall(more, kAccessible, "GetAttributes");
  more.Run(deadline);
  if (!more.status(attributes).ok()) return;
  line_end_too_many_ =
      DecodeAttribute(more.reply(attributes), "tag").value_or("") == "textarea";
  if (line_end_too_many_) (*direct_text_)->pop_back();
}

bool ElementReplies::AnsweredText() const {
  return unit_text_.has_value() && unit_text_->ok();
}

bool ElementReplies::AnsweredEmptyText() const {
  return AnsweredText() && (*unit_text_)->units() == 0;
}

absl::StatusOr<int64_t> ElementReplies::RawCount() {
  if (!raw_count_.has_value()) {
    raw_count_.emplace(IntReply(flight_, calls_.indices().count));
  }
  return *raw_count_;
}

absl::StatusOr<int64_t> ElementReplies::RawCaret() {
  if (!raw_caret_.has_value()) {
    raw_caret_.emplace(IntReply(flight_, calls_.indices().caret));
  }
  return *raw_caret_;
}

absl::StatusOr<uint32_t> ElementReplies::RoleNumber() {
  if (!role_.has_value()) {
    const int index = calls_.indices().role;
    if (flight_.status(index).ok()) {
      role_.emplace(DecodeUint32(flight_.reply(index)));
    } else {
      role_.emplace(flight_.status(index));
    }
  }
  return *role_;
}

absl::StatusOr<States> ElementReplies::ElementStates() {
  if (states_.has_value()) return *states_;
  const int state = calls_.indices().state;
  const int interfaces = calls_.indices().interfaces;
  absl::StatusOr<States> states =
      flight_.status(state).ok()
          ? DecodeState(flight_.reply(state))
          : absl::StatusOr<States>(flight_.status(state));
  if (states.ok() && flight_.status(interfaces).ok()) {
    // A list that cannot be had costs what it would have told, no more.
    states = *states |
             DecodeInterfaces(flight_.reply(interfaces)).value_or(States{0});
  }
  states_.emplace(states);
  return states;
}

absl::StatusOr<int64_t> ElementReplies::Position(int64_t offset) {
  if (calls_.InCodePoints()) return offset;
  if (!unit_text_.has_value()) {
    return absl::InternalError("the text was not read");
  }
  if (!unit_text_->ok()) return unit_text_->status();
  if (offset < 0) return offset;
  UnitText& text = **unit_text_;
  return text.ToCodePoints(offset).value_or(
      // Past the end by as much as the application says.
      text.code_points() + (offset - text.units()));
}

absl::StatusOr<std::string> ElementReplies::Text() {
  const Range asked = calls_.text_range();
  if (!calls_.InCodePoints()) {
    if (!unit_text_->ok()) return unit_text_->status();
    return std::string(
        CodePointSlice((*unit_text_)->text(), asked.begin, asked.end));
  }
  if (direct_text_.has_value()) return *direct_text_;
  absl::StatusOr<std::string>& text =
      direct_text_.emplace(TextReply(flight_, calls_.indices().text));
  if (text.ok() && calls_.text_end() < 0) {
    text = std::string(CodePointSlice(*text, asked.begin, asked.end));
  }
  return text;
}

// VTE terminals count the bytes of their text, though their offsets are code
// points and the rest of their toolkit counts those (seen in 0.70). Where the
// count is exactly the bytes of the text beside it, that is what it counts.
absl::StatusOr<int64_t> ElementReplies::Count() {
  absl::StatusOr<int64_t> count = RawCount();
  if (!count.ok()) return count;
  if (line_end_too_many_) *count -= 1;
  if (!calls_.InCodePoints()) return Position(*count);
  if (calls_.indices().text == kNotAsked || calls_.text_range().begin != 0) {
    return count;
  }
  const absl::StatusOr<std::string> text = Text();
  if (text.ok() && *count == static_cast<int64_t>(text->size())) {
    return CodePointLength(*text);
  }
  return count;
}

absl::StatusOr<int64_t> ElementReplies::Caret() {
  const absl::StatusOr<int64_t> caret = RawCaret();
  if (!caret.ok()) return caret;
  return Position(*caret);
}

// See Quirks::selection_in_doubt. The caret is at one end of a selection, so it
// shows which of the two readings is right.
absl::StatusOr<Range> ElementReplies::Undoubted(Range raw) {
  const absl::Status& answered = flight_.status(calls_.indices().selections);
  if (!answered.ok()) return answered;
  const absl::StatusOr<int32_t> count =
      DecodeInt32(flight_.reply(calls_.indices().selections));
  if (!count.ok()) return count.status();
  if (*count == 0) return absl::NotFoundError("nothing is selected");
  const absl::StatusOr<int64_t> caret = RawCaret();
  if (!caret.ok()) return caret.status();
  const auto ends_at_caret = [&](Range range) {
    return !range.empty() && (range.begin == *caret || range.end == *caret);
  };
  if (calls_.text_range().begin == 0) {
    const absl::StatusOr<std::string> text = Text();
    if (!text.ok()) return text.status();
    OffsetMap map(*text);
    const auto once = [&map](int64_t twice) {
      return static_cast<int64_t>(
          map.Utf16FromCodePoint(static_cast<size_t>(twice)).offset);
    };
    if (raw.begin >= 0 && raw.end >= raw.begin) {
      const Range mended = {once(raw.begin), once(raw.end)};
      if (ends_at_caret(mended)) return mended;
    }
  }
  if (ends_at_caret(raw)) return raw;
  return absl::DataLossError(
      absl::StrCat(calls_.app().info.name,
                   " cannot tell what is selected: one end lies where its "
                   "conversion of offsets fails"));
}

absl::StatusOr<Range> ElementReplies::Selection() {
  if (!selection_.has_value()) selection_.emplace(DecodedSelection());
  return *selection_;
}

absl::StatusOr<Range> ElementReplies::DecodedSelection() {
  const int index = calls_.indices().selection;
  const absl::Status& status = flight_.status(index);
  if (!status.ok()) {
    // GTK 4 answers an error where nothing is selected; a toolkit without that
    // is Unimplemented, an application that is gone Unavailable.
    if (absl::IsUnknown(status)) {
      return absl::NotFoundError("nothing is selected");
    }
    return status;
  }
  const absl::StatusOr<Range> selection = DecodeSelection(flight_.reply(index));
  if (!selection.ok()) return selection;
  if (calls_.quirks().selection_in_doubt) return Undoubted(*selection);
  // ATK answers 0, 0 and Qt -1, -1 or 0, 0 where there is none.
  if (selection->empty()) return absl::NotFoundError("nothing is selected");
  const absl::StatusOr<int64_t> begin = Position(selection->begin);
  if (!begin.ok()) return begin.status();
  const absl::StatusOr<int64_t> end = Position(selection->end);
  if (!end.ok()) return end.status();
  return Range{*begin, *end};
}

Reading ElementReplies::Answer(Attribute attribute) {
  switch (attribute) {
    case Attribute::kRole: {
      const absl::StatusOr<uint32_t> role = RoleNumber();
      if (!role.ok()) return role.status();
      return Value(RoleFromNumber(*role));
    }
    case Attribute::kSubrole:
      return absl::UnimplementedError("AT-SPI has no subroles");
    case Attribute::kStates: {
      const absl::StatusOr<States> states = ElementStates();
      if (!states.ok()) return states.status();
      return Value(static_cast<int64_t>(*states));
    }
    case Attribute::kValueSettable: {
      const absl::StatusOr<States> states = ElementStates();
      if (!states.ok()) return states.status();
      return Value((*states & kStateSupportsEditing) != 0 &&
                   (*states & kStateEditable) != 0 &&
                   (*states & kStateReadOnly) == 0 &&
                   calls_.quirks().writes_land);
    }
    case Attribute::kSelectionSettable: {
      const absl::StatusOr<States> states = ElementStates();
      if (!states.ok()) return states.status();
      return Value((*states & kStateSupportsText) != 0);
    }
    case Attribute::kText: {
      absl::StatusOr<std::string> text = Text();
      if (!text.ok()) return text.status();
      return Value(*std::move(text));
    }
    case Attribute::kCharacterCount: {
      const absl::StatusOr<int64_t> count = Count();
      if (!count.ok()) return count.status();
      return Value(*count);
    }
    case Attribute::kCaret: {
      const absl::StatusOr<int64_t> caret = Caret();
      if (!caret.ok()) return caret.status();
      return Value(*caret);
    }
    case Attribute::kSelection: {
      const absl::StatusOr<Range> selection = Selection();
      if (!selection.ok()) return selection.status();
      return Value(*selection);
    }
    case Attribute::kWindow:
    case Attribute::kSelectedText:
      return absl::UnimplementedError("more than the replies of one element");
  }
  return absl::InvalidArgumentError("no such attribute");
}

}  // namespace tactus::ax::atspi
