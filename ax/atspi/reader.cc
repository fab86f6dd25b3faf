#include "ax/atspi/reader.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/atspi/units.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Largest offset that is ever sent, in the toolkit's unit. More than any reply
// may hold, and far from INT_MAX, which overflows in one browser and kills it.
constexpr int64_t kMaxOffset = int64_t{1} << 26;
// Of the way from an element up to its window.
constexpr int kMaxAncestors = 64;

// How long an empty text is doubted, once for each application that fetches its
// text only when it is asked for.
constexpr absl::Duration kColdPatience = absl::Milliseconds(250);
constexpr absl::Duration kColdPause = absl::Milliseconds(5);

constexpr int kNotAsked = -1;
// Of text that is read for the sake of positions in it.
constexpr int64_t kEnough = 65536;

// The calls of one element, by index into the flight.
struct Plan {
  const Element* element = nullptr;
  AppPtr app;
  absl::Status no_app;  // why `app` is null
  int role = kNotAsked;
  int state = kNotAsked;
  int interfaces = kNotAsked;
  int text = kNotAsked;
  Range text_range;      // as requested, in code points
  int64_t text_end = 0;  // as sent, in the toolkit's unit; -1 for all
  int count = kNotAsked;
  int caret = kNotAsked;
  int selection = kNotAsked;
  int selections = kNotAsked;      // how many there are
  bool line_end_too_many = false;  // see Quirks::line_end_too_many

  // Made of the replies.
  std::optional<absl::StatusOr<UnitText>> unit_text;       // from the start
  std::optional<absl::StatusOr<std::string>> direct_text;  // as requested
};

class Batch {
 public:
  Batch(Applications& applications, Traffic* traffic, absl::Time deadline)
      : applications_(applications),
        traffic_(traffic),
        deadline_(deadline),
        flight_(traffic) {}

  // True when an application that fetches text only once it is asked for it
  // has answered an empty one, which may be what it has not fetched yet.
  bool MetColdText() {
    for (Plan& plan : plans_) {
      if (plan.app == nullptr || !plan.app->quirks->cold_text ||
          plan.app->text_seen || !plan.unit_text.has_value() ||
          !plan.unit_text->ok()) {
        continue;
      }
      if ((*plan.unit_text)->units() == 0) return true;
      plan.app->text_seen = true;
    }
    return false;
  }

  // There is none: it has had its time.
  void BelieveEmptyText() {
    for (Plan& plan : plans_) {
      if (plan.app != nullptr) plan.app->text_seen = true;
    }
  }

  std::vector<Reading> Run(absl::Span<const ReadRequest> requests) {
    for (const ReadRequest& request : requests) Ask(request);
    flight_.Run(deadline_);
    for (Plan& plan : plans_) ReadBeyond(plan);
    for (Plan& plan : plans_) CheckLineEnd(plan);
    std::vector<Reading> readings;
    readings.reserve(requests.size());
    for (const ReadRequest& request : requests) {
      readings.push_back(Answer(PlanOf(request.element), request));
    }
    return readings;
  }

 private:
  // Batches name a handful of elements, so a scan is faster than a map.
  Plan& PlanOf(const Element& element) {
    for (Plan& plan : plans_) {
      if (*plan.element == element) return plan;
    }
    Plan& plan = plans_.emplace_back();
    plan.element = &element;
    absl::StatusOr<AppPtr> app =
        applications_.ByName(element.application, deadline_);
    if (app.ok()) {
      plan.app = *app;
    } else {
      plan.no_app = app.status();
    }
    return plan;
  }

  int AddCall(const Plan& plan, const char* interface, const char* member) {
    return flight_.Add(
        applications_.Route(*plan.app),
        Call{plan.element->application, plan.element->path, interface, member});
  }

  int AddProperty(const Plan& plan, const char* interface, const char* name) {
    return flight_.AddGet(applications_.Route(*plan.app),
                          plan.element->application, plan.element->path,
                          interface, name);
  }

  int AddGetText(Flight& flight, const Plan& plan, int64_t begin, int64_t end) {
    return flight.Add(
        applications_.Route(*plan.app),
        Call{plan.element->application, plan.element->path, kText, "GetText"},
        [&](sd_bus_message* m) {
          return sd_bus_message_append(m, "ii", static_cast<int32_t>(begin),
                                       static_cast<int32_t>(end));
        });
  }

  void AskCount(Plan& plan) {
    if (plan.count == kNotAsked) {
      plan.count = AddProperty(plan, kText, "CharacterCount");
    }
  }

  bool InCodePoints(const Plan& plan) const {
    return plan.app->quirks->offsets == OffsetUnit::kCodePoint;
  }

  // The text from its start to `end` code points, or from `begin` where the
  // toolkit counts as we do.
  void AskText(Plan& plan, Range range) {
    if (plan.text != kNotAsked) return;
    const int64_t begin = std::clamp<int64_t>(range.begin, 0, kMaxOffset);
    const int64_t end = std::clamp<int64_t>(range.end, begin, kMaxOffset);
    plan.text_range = {begin, end};
    int64_t from = 0;
    plan.text_end = end;
    if (InCodePoints(plan)) {
      from = begin;
    } else {
      // A code point is at most two units.
      plan.text_end = std::min(2 * end, kMaxOffset);
    }
    switch (plan.app->quirks->whole_text) {
      case WholeText::kClampedEnd:
        break;
      case WholeText::kMinusOne:
        if (from == 0) plan.text_end = -1;
        break;
    }
    plan.text = AddGetText(flight_, plan, from, plan.text_end);
  }

  void AskState(Plan& plan) {
    if (plan.state == kNotAsked) {
      plan.state = AddCall(plan, kAccessible, "GetState");
    }
    if (plan.interfaces == kNotAsked) {
      plan.interfaces = AddCall(plan, kAccessible, "GetInterfaces");
    }
  }

  // What a position needs to be converted.
  void AskTextForPosition(Plan& plan) {
    if (InCodePoints(plan)) return;
    AskText(plan, {0, kEnough});
    AskCount(plan);
  }

  void Ask(const ReadRequest& request) {
    Plan& plan = PlanOf(request.element);
    if (plan.app == nullptr) return;
    switch (request.attribute) {
      case Attribute::kRole:
        if (plan.role == kNotAsked) {
          plan.role = AddCall(plan, kAccessible, "GetRole");
        }
        break;
      case Attribute::kStates:
      case Attribute::kValueSettable:
      case Attribute::kSelectionSettable:
        AskState(plan);
        break;
      case Attribute::kSubrole:  // AT-SPI has none
      case Attribute::kWindow:   // asked step by step, afterwards
        break;
      case Attribute::kText:
        AskText(plan, request.range);
        break;
      case Attribute::kCharacterCount:
        AskCount(plan);
        AskTextForPosition(plan);
        break;
      case Attribute::kCaret:
        if (plan.caret == kNotAsked) {
          plan.caret = AddProperty(plan, kText, "CaretOffset");
        }
        AskTextForPosition(plan);
        break;
      case Attribute::kSelection:
      case Attribute::kSelectedText:
        if (plan.selection == kNotAsked) {
          plan.selection =
              flight_.Add(applications_.Route(*plan.app),
                          Call{plan.element->application, plan.element->path,
                               kText, "GetSelection"},
                          // The first. Never -1, which kills one browser.
                          [](sd_bus_message* m) {
                            return sd_bus_message_append(m, "i", int32_t{0});
                          });
        }
        AskTextForPosition(plan);
        if (plan.app->quirks->selection_in_doubt) {
          if (plan.selections == kNotAsked) {
            plan.selections = AddCall(plan, kText, "GetNSelections");
          }
          if (plan.caret == kNotAsked) {
            plan.caret = AddProperty(plan, kText, "CaretOffset");
          }
          AskText(plan, {0, kEnough});
        }
        break;
    }
  }

  // Toolkits that count in UTF-16 alone: the text from its start, long enough
  // for every position that was answered.
  void ReadBeyond(Plan& plan) {
    if (plan.app == nullptr || plan.text == kNotAsked || InCodePoints(plan)) {
      return;
    }
    const OffsetUnit unit = plan.app->quirks->offsets;
    absl::StatusOr<std::string> raw = TextReply(flight_, plan.text);
    if (!raw.ok()) {
      plan.unit_text.emplace(raw.status());
      return;
    }
    plan.unit_text.emplace(UnitText(unit, *std::move(raw)));
    const int64_t have = (*plan.unit_text)->units();
    const int64_t count = IntReply(plan.count).value_or(0);
    if (plan.text_end < 0 || have < plan.text_end || count <= have) return;
    Flight more(traffic_);
    const int text =
        AddGetText(more, plan, 0, std::min<int64_t>(count, kMaxOffset));
    more.Run(deadline_);
    absl::StatusOr<std::string> all = TextReply(more, text);
    if (all.ok()) {
      plan.unit_text.emplace(UnitText(unit, *std::move(all)));
    } else {
      plan.unit_text.emplace(all.status());
    }
  }

  // Only where the text ends with a line end is it asked what the element is:
  // one flight more, since no other attribute tells a textarea from the rest.
  void CheckLineEnd(Plan& plan) {
    if (plan.app == nullptr || plan.text == kNotAsked ||
        !plan.app->quirks->line_end_too_many) {
      return;
    }
    const absl::StatusOr<std::string> text = TextOf(plan);
    if (!text.ok() || text->empty() || text->back() != '\n') return;
    const int64_t end =
        plan.text_range.begin + static_cast<int64_t>(CodePointCount(*text));
    const bool to_the_end =
        end < plan.text_range.end || end == IntReply(plan.count).value_or(-1);
    if (!to_the_end) return;
    Flight more(traffic_);
    const int attributes =
        more.Add(applications_.Route(*plan.app),
                 Call{plan.element->application, plan.element->path,
                      kAccessible, "GetAttributes"});
    more.Run(deadline_);
    if (!more.status(attributes).ok()) return;
    plan.line_end_too_many =
        DecodeAttribute(more.reply(attributes), "tag").value_or("") ==
        "textarea";
    if (plan.line_end_too_many) (*plan.direct_text)->pop_back();
  }

  absl::StatusOr<std::string> TextReply(const Flight& flight, int index) {
    if (!flight.status(index).ok()) return flight.status(index);
    absl::StatusOr<std::string> text = DecodeString(flight.reply(index));
    if (text.ok()) traffic_->bytes += static_cast<int64_t>(text->size());
    return text;
  }

  absl::StatusOr<int64_t> IntReply(int index) {
    if (index == kNotAsked) return absl::NotFoundError("not asked");
    const auto known = ints_.find(index);
    if (known != ints_.end()) return known->second;
    const absl::Status& status = flight_.status(index);
    absl::StatusOr<int64_t> value =
        status.ok() ? DecodeIntProperty(flight_.reply(index))
                    : absl::StatusOr<int64_t>(status);
    ints_.emplace(index, value);
    return value;
  }

  // States with interfaces; kept, since a reply can be read only once.
  absl::StatusOr<States> StatesOf(Plan& plan) {
    const auto known = states_.find(plan.state);
    if (known != states_.end()) return known->second;
    const absl::Status& status = flight_.status(plan.state);
    absl::StatusOr<States> states = status.ok()
                                        ? DecodeState(flight_.reply(plan.state))
                                        : absl::StatusOr<States>(status);
    if (states.ok() && flight_.status(plan.interfaces).ok()) {
      absl::StatusOr<States> interfaces =
          DecodeInterfaces(flight_.reply(plan.interfaces));
      // A list that cannot be had costs what it would have told, no more.
      states = *states | interfaces.value_or(0);
    }
    states_.emplace(plan.state, states);
    return states;
  }

  // A position in code points. Out of range positions are passed on as they
  // are: what is wrong with them is for the caller to say.
  absl::StatusOr<int64_t> Position(Plan& plan, int64_t offset) {
    if (InCodePoints(plan)) return offset;
    if (!plan.unit_text.has_value()) {
      return absl::InternalError("the text was not read");
    }
    if (!plan.unit_text->ok()) return plan.unit_text->status();
    if (offset < 0) return offset;
    UnitText& text = **plan.unit_text;
    return text.ToCodePoints(offset).value_or(
        // Past the end by as much as the application says.
        text.code_points() + (offset - text.units()));
  }

  // VTE terminals count the bytes of their text, though their offsets are code
  // points and the rest of their toolkit counts those (seen in 0.70). Where the
  // count is exactly the bytes of the text beside it, that is what it counts.
  absl::StatusOr<int64_t> CountOf(Plan& plan, int64_t count) {
    if (!InCodePoints(plan)) return Position(plan, count);
    if (plan.text == kNotAsked || plan.text_range.begin != 0) return count;
    absl::StatusOr<std::string> text = TextOf(plan);
    if (text.ok() && count == static_cast<int64_t>(text->size())) {
      return static_cast<int64_t>(CodePointCount(*text));
    }
    return count;
  }

  absl::StatusOr<std::string> TextOf(Plan& plan) {
    if (InCodePoints(plan)) {
      if (plan.direct_text.has_value()) return *plan.direct_text;
      absl::StatusOr<std::string>& text =
          plan.direct_text.emplace(TextReply(flight_, plan.text));
      if (text.ok() && plan.text_end < 0) {
        text = std::string(SubstrByCodePoints(
            *text, static_cast<size_t>(plan.text_range.begin),
            static_cast<size_t>(plan.text_range.end)));
      }
      return text;
    }
    if (!plan.unit_text->ok()) return plan.unit_text->status();
    return std::string(SubstrByCodePoints(
        (*plan.unit_text)->text(), static_cast<size_t>(plan.text_range.begin),
        static_cast<size_t>(plan.text_range.end)));
  }

  // See Quirks::selection_in_doubt. The caret is at one end of a selection, so
  // it shows which of the two readings is right.
  absl::StatusOr<Range> Undoubted(Plan& plan, Range raw) {
    const absl::Status& answered = flight_.status(plan.selections);
    if (!answered.ok()) return answered;
    const absl::StatusOr<int32_t> count =
        DecodeInt32(flight_.reply(plan.selections));
    if (!count.ok()) return count.status();
    if (*count == 0) return absl::NotFoundError("nothing is selected");
    const absl::StatusOr<int64_t> caret = IntReply(plan.caret);
    if (!caret.ok()) return caret.status();
    const auto ends_at_caret = [&](Range range) {
      return !range.empty() && (range.begin == *caret || range.end == *caret);
    };
    if (plan.text_range.begin == 0) {
      const absl::StatusOr<std::string> text = TextOf(plan);
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
        absl::StrCat(plan.app->info.name,
                     " cannot tell what is selected: one end lies where "
                     "its conversion of offsets fails"));
  }

  absl::StatusOr<Range> SelectionOf(Plan& plan) {
    const absl::Status& status = flight_.status(plan.selection);
    if (!status.ok()) {
      // GTK 4 answers an error where nothing is selected; a toolkit without
      // that is Unimplemented, an application that is gone Unavailable.
      if (absl::IsUnknown(status)) {
        return absl::NotFoundError("nothing is selected");
      }
      return status;
    }
    absl::StatusOr<Range> selection =
        DecodeSelection(flight_.reply(plan.selection));
    if (!selection.ok()) return selection;
    if (plan.app->quirks->selection_in_doubt) {
      return Undoubted(plan, *selection);
    }
    // ATK answers 0, 0 and Qt -1, -1 or 0, 0 where there is none.
    if (selection->empty()) {
      return absl::NotFoundError("nothing is selected");
    }
    absl::StatusOr<int64_t> begin = Position(plan, selection->begin);
    if (!begin.ok()) return begin.status();
    absl::StatusOr<int64_t> end = Position(plan, selection->end);
    if (!end.ok()) return end.status();
    return Range{*begin, *end};
  }

  Reading Answer(Plan& plan, const ReadRequest& request) {
    if (plan.app == nullptr) return plan.no_app;
    switch (request.attribute) {
      case Attribute::kRole: {
        if (!flight_.status(plan.role).ok()) return flight_.status(plan.role);
        absl::StatusOr<uint32_t> role = DecodeUint32(flight_.reply(plan.role));
        if (!role.ok()) return role.status();
        return Value(RoleFromNumber(*role));
      }
      case Attribute::kSubrole:
        return absl::UnimplementedError("AT-SPI has no subroles");
      case Attribute::kStates: {
        absl::StatusOr<States> states = StatesOf(plan);
        if (!states.ok()) return states.status();
        return Value(static_cast<int64_t>(*states));
      }
      case Attribute::kValueSettable: {
        absl::StatusOr<States> states = StatesOf(plan);
        if (!states.ok()) return states.status();
        return Value((*states & kStateSupportsEditing) != 0 &&
                     (*states & kStateEditable) != 0 &&
                     (*states & kStateReadOnly) == 0 &&
                     plan.app->quirks->writes_land);
      }
      case Attribute::kSelectionSettable: {
        absl::StatusOr<States> states = StatesOf(plan);
        if (!states.ok()) return states.status();
        return Value((*states & kStateSupportsText) != 0);
      }
      case Attribute::kWindow:
        return WindowOf(plan);
      case Attribute::kText: {
        absl::StatusOr<std::string> text = TextOf(plan);
        if (!text.ok()) return text.status();
        return Value(*std::move(text));
      }
      case Attribute::kCharacterCount: {
        absl::StatusOr<int64_t> count = IntReply(plan.count);
        if (count.ok() && plan.line_end_too_many) *count -= 1;
        if (count.ok()) count = CountOf(plan, *count);
        if (!count.ok()) return count.status();
        return Value(*count);
      }
      case Attribute::kCaret: {
        absl::StatusOr<int64_t> caret = IntReply(plan.caret);
        if (caret.ok()) caret = Position(plan, *caret);
        if (!caret.ok()) return caret.status();
        return Value(*caret);
      }
      case Attribute::kSelection: {
        absl::StatusOr<Range> selection = SelectionOf(plan);
        if (!selection.ok()) return selection.status();
        return Value(*selection);
      }
      case Attribute::kSelectedText:
        return SelectedTextOf(plan);
    }
    return absl::InvalidArgumentError("no such attribute");
  }

  // Two waits, since the text asked for depends on the selection.
  Reading SelectedTextOf(Plan& plan) {
    absl::StatusOr<Range> selection = SelectionOf(plan);
    if (absl::IsNotFound(selection.status())) return Value(std::string());
    if (!selection.ok()) return selection.status();
    const ReadRequest request{*plan.element,
                              Attribute::kText,
                              {std::min(selection->begin, selection->end),
                               std::max(selection->begin, selection->end)}};
    return ReadAttributes(applications_, traffic_, {&request, 1}, deadline_)
        .front();
  }

  Reading WindowOf(Plan& plan) {
    Element element = *plan.element;
    for (int i = 0; i < kMaxAncestors; ++i) {
      Flight flight(traffic_);
      const int parent =
          flight.AddGet(applications_.Route(*plan.app), element.application,
                        element.path, kAccessible, "Parent");
      flight.Run(deadline_);
      if (!flight.status(parent).ok()) return flight.status(parent);
      absl::StatusOr<Reference> up =
          DecodeReferenceProperty(flight.reply(parent));
      if (!up.ok()) return up.status();
      if (up->path == kRootPath) return Value(element);
      if (absl::EndsWith(up->path, "/null") || *up == element) {
        // LibreOffice's frames have no parent; what says that it is active is a
        // window all the same.
        const ReadRequest state{element, Attribute::kStates};
        const absl::StatusOr<int64_t> states = Get<int64_t>(
            ReadAttributes(applications_, traffic_, {&state, 1}, deadline_)
                .front());
        if (states.ok() && (*states & kStateActive)) return Value(element);
        break;
      }
      element = *std::move(up);
    }
    return absl::NotFoundError("no window holds the element");
  }

  Applications& applications_;
  Traffic* traffic_;
  absl::Time deadline_;
  Flight flight_;
  std::deque<Plan> plans_;
  absl::flat_hash_map<int, absl::StatusOr<int64_t>> ints_;
  absl::flat_hash_map<int, absl::StatusOr<States>> states_;
};

}  // namespace

std::vector<Reading> ReadAttributes(Applications& applications,
                                    Traffic* traffic,
                                    absl::Span<const ReadRequest> requests,
                                    absl::Time deadline) {
  Clock& clock = Clock::Real();
  const absl::Time patience = std::min(deadline, clock.Now() + kColdPatience);
  for (;;) {
    Batch batch(applications, traffic, deadline);
    std::vector<Reading> readings = batch.Run(requests);
    if (!batch.MetColdText()) return readings;
    if (clock.Now() + kColdPause >= patience) {
      batch.BelieveEmptyText();
      return readings;
    }
    absl::SleepFor(kColdPause);
  }
}

}  // namespace tactus::ax::atspi
