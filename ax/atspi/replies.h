// What the replies to the calls of ax/atspi/calls.h say of one element: the
// attributes of the seam, in code points, with what each toolkit gets wrong put
// right.
//
// Where a position lies beyond the text that was read, and where a text ends as
// one toolkit's textareas do, it takes a flight more, made on construction.
//
// Example:
//
//   ElementReplies replies(calls, flight, &traffic, deadline);
//   Reading caret = replies.Answer(Attribute::kCaret);
#ifndef TACTUS_AX_ATSPI_REPLIES_H_
#define TACTUS_AX_ATSPI_REPLIES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/calls.h"
#include "ax/atspi/units.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

class ElementReplies {
 public:
  // `flight` has been run. All must outlive it.
  ElementReplies(const ElementCalls& calls, const Flight& flight,
                 Traffic* traffic, absl::Time deadline);

  // Of an attribute whose calls were asked. kWindow and kSelectedText are not
  // told by them alone: Unimplemented.
  Reading Answer(Attribute attribute);

  // NotFound where nothing is selected.
  absl::StatusOr<Range> Selection();

  // A toolkit that counts in UTF-16 has answered a text, and an empty one.
  bool AnsweredText() const;
  bool AnsweredEmptyText() const;

 private:
  void ReadFromStart(absl::Time deadline);
  void CheckLineEnd(absl::Time deadline);
  absl::StatusOr<std::string> TextReply(const Flight& flight, int index);
  absl::StatusOr<uint32_t> RoleNumber();
  absl::StatusOr<States> ElementStates();
  // In the toolkit's unit, as answered.
  absl::StatusOr<int64_t> RawCount();
  absl::StatusOr<int64_t> RawCaret();
  absl::StatusOr<int64_t> Count();
  absl::StatusOr<int64_t> Caret();
  absl::StatusOr<std::string> Text();
  // A position in code points. One that is out of range is passed on as it is:
  // what is wrong with it is for the caller to say.
  absl::StatusOr<int64_t> Position(int64_t offset);
  absl::StatusOr<Range> DecodedSelection();
  absl::StatusOr<Range> Undoubted(Range raw);

  const ElementCalls& calls_;
  const Flight& flight_;
  Traffic* const traffic_;

  // Made of the replies, each of which can be read only once. The text is one
  // of the two: from its start, or as requested.
  std::optional<absl::StatusOr<UnitText>> unit_text_;
  std::optional<absl::StatusOr<std::string>> direct_text_;
  std::optional<absl::StatusOr<uint32_t>> role_;
  std::optional<absl::StatusOr<States>> states_;
  std::optional<absl::StatusOr<int64_t>> raw_count_;
  std::optional<absl::StatusOr<int64_t>> raw_caret_;
  std::optional<absl::StatusOr<Range>> selection_;
  bool line_end_too_many_ = false;  // see Quirks::line_end_too_many
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_REPLIES_H_
