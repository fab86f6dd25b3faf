#include "ax/atspi/calls.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Code points of text that is read for the sake of positions in it.
constexpr int64_t kEnough = 65536;

}  // namespace

ElementCalls::ElementCalls(Applications* applications, AppPtr app,
                           const Element& element, Flight* flight)
    : applications_(*applications),
      app_(std::move(app)),
      element_(element),
      flight_(*flight) {}

int ElementCalls::AddCall(Flight& flight, const char* interface,
                          const char* member) const {
  return flight.Add(
      applications_.Route(*app_),
      Call{element_.application, element_.path, interface, member});
}

int ElementCalls::AddGetText(Flight& flight, int64_t begin, int64_t end) const {
  return flight.Add(applications_.Route(*app_),
                    Call{element_.application, element_.path, kText, "GetText"},
                    [&](sd_bus_message* m) {
                      return sd_bus_message_append(m, "ii",
                                                   static_cast<int32_t>(begin),
                                                   static_cast<int32_t>(end));
                    });
}

int ElementCalls::AddProperty(const char* name) {
  return flight_.AddGet(applications_.Route(*app_), element_.application,
                        element_.path, kText, name);
}

void ElementCalls::AskCount() {
  if (indices_.count == kNotAsked) {
    indices_.count = AddProperty("CharacterCount");
  }
}

void ElementCalls::AskCaret() {
  if (indices_.caret == kNotAsked) indices_.caret = AddProperty("CaretOffset");
}

void ElementCalls::AskState() {
  if (indices_.state == kNotAsked) {
    indices_.state = AddCall(flight_, kAccessible, "GetState");
  }
  if (indices_.interfaces == kNotAsked) {
    indices_.interfaces = AddCall(flight_, kAccessible, "GetInterfaces");
  }
}

void ElementCalls::AskText(Range range) {
  if (indices_.text != kNotAsked) return;
  const int64_t begin = std::clamp<int64_t>(range.begin, 0, kMaxOffset);
  const int64_t end = std::clamp<int64_t>(range.end, begin, kMaxOffset);
  text_range_ = {begin, end};
  const int64_t from = InCodePoints() ? begin : 0;
  // A code point is at most two units.
  text_end_ = InCodePoints() ? end : std::min(2 * end, kMaxOffset);
  switch (quirks().whole_text) {
    case WholeText::kClampedEnd:
      break;
    case WholeText::kMinusOne:
      if (from == 0) text_end_ = -1;
      break;
  }
  indices_.text = AddGetText(flight_, from, text_end_);
}

void ElementCalls::AskTextForPosition() {
  if (InCodePoints()) return;
  AskText({0, kEnough});
  AskCount();
}

void ElementCalls::AskSelection() {
  if (indices_.selection == kNotAsked) {
    indices_.selection = flight_.Add(
        applications_.Route(*app_),
        Call{element_.application, element_.path, kText, "GetSelection"},
        // The first. Never -1, which kills one browser.
        [](sd_bus_message* m) {
          return sd_bus_message_append(m, "i", int32_t{0});
        });
  }
  AskTextForPosition();
  if (!quirks().selection_in_doubt) return;
  if (indices_.selections == kNotAsked) {
    indices_.selections = AddCall(flight_, kText, "GetNSelections");
  }
  AskCaret();
  AskText({0, kEnough});
}

void ElementCalls::Ask(const ReadRequest& request) {
  switch (request.attribute) {
    case Attribute::kRole:
      if (indices_.role == kNotAsked) {
        indices_.role = AddCall(flight_, kAccessible, "GetRole");
      }
      break;
    case Attribute::kStates:
    case Attribute::kValueSettable:
    case Attribute::kSelectionSettable:
      AskState();
      break;
    case Attribute::kSubrole:
    case Attribute::kWindow:
      break;
    case Attribute::kText:
      AskText(request.range);
      break;
    case Attribute::kCharacterCount:
      AskCount();
      AskTextForPosition();
      break;
    case Attribute::kCaret:
      AskCaret();
      AskTextForPosition();
      break;
    case Attribute::kSelection:
    case Attribute::kSelectedText:
      AskSelection();
      break;
  }
}

}  // namespace tactus::ax::atspi
