// The AT-SPI calls that the attributes of one element take, each made once and
// all in one flight, however many attributes need it: the state says both what
// the element is and whether it can be written.
//
// For a toolkit that counts in UTF-16 a position can only be converted by the
// text before it, so whatever tells of a position asks for that text too.
//
// Example:
//
//   ElementCalls calls(&applications, app, element, &flight);
//   for (const ReadRequest& request : requests) calls.Ask(request);
//   flight.Run(deadline);
//   ElementReplies replies(calls, flight, &traffic, deadline);  // replies.h
#ifndef TACTUS_AX_ATSPI_CALLS_H_
#define TACTUS_AX_ATSPI_CALLS_H_

#include <cstdint>

#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

inline constexpr int kNotAsked = -1;

// Largest offset that is ever sent, in the toolkit's unit. More than any reply
// may hold, and far from INT_MAX, which overflows in one browser and kills it.
inline constexpr int64_t kMaxOffset = int64_t{1} << 26;

class ElementCalls {
 public:
  // Indices into the flight, or kNotAsked.
  struct Indices {
    int role = kNotAsked;
    int state = kNotAsked;
    int interfaces = kNotAsked;
    int text = kNotAsked;
    int count = kNotAsked;
    int caret = kNotAsked;
    int selection = kNotAsked;
    int selections = kNotAsked;  // how many there are
  };

  // All must outlive it.
  ElementCalls(Applications* applications, AppPtr app, const Element& element,
               Flight* flight);

  // Adds what `request` needs and was not asked for yet. Nothing for kSubrole,
  // which AT-SPI has not, and kWindow, which is found step by step.
  void Ask(const ReadRequest& request);

  const Indices& indices() const { return indices_; }
  const Element& element() const { return element_; }
  App& app() const { return *app_; }
  const Quirks& quirks() const { return *app_->quirks; }
  bool InCodePoints() const {
    return quirks().offsets == OffsetUnit::kCodePoint;
  }
  // Of the text that was asked for: as requested, in code points.
  Range text_range() const { return text_range_; }
  // As sent, in the toolkit's unit; -1 for all.
  int64_t text_end() const { return text_end_; }

  // Further calls on the same element, in a flight of the caller's.
  int AddCall(Flight& flight, const char* interface, const char* member) const;
  int AddGetText(Flight& flight, int64_t begin, int64_t end) const;

 private:
  int AddProperty(const char* name);
  void AskCount();
  void AskCaret();
  void AskState();
  // The text from its start to the end of `range`, or from its beginning where
  // the toolkit counts as we do.
  void AskText(Range range);
  void AskTextForPosition();
  void AskSelection();

  Applications& applications_;
  const AppPtr app_;
  const Element& element_;
  Flight& flight_;
  Indices indices_;
  Range text_range_;
  int64_t text_end_ = 0;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_CALLS_H_
