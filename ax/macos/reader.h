// Reads attributes of one element in the seam's words, in code points.
//
// macOS has no call for most of them alone: states are told by
// AXFocused and by what can be set; caret and selection are one range; all
// positions are UTF-16 units and mean nothing without the text before them. So
// each attribute is derived from a few of the system's, which are read once,
// together where the element takes batches, and kept as long as the reader is.
//
//   ElementReader reader(&calls, &table, reference, "100", deadline);
//   absl::Status batched = reader.Fetch(requests);   // one trip
//   Reading caret = reader.Answer({element, Attribute::kCaret});
//
// Trips: one for all that a batch can carry; two probes where kStates,
// kValueSettable or kSelectionSettable is asked, since whether something can be
// set has no batch; one more for the state of a window. A text that begins
// after the start is read by AXNumberOfCharacters and AXStringForRange, up to
// its end, and whole where the element has no such range.
//
// A text whose length is not the count that was read beside it is answered
// whole, whatever range was asked: who compares the two must see that they
// differ.
//
// A reader is for one flight: it keeps what it has read.
#ifndef TACTUS_AX_MACOS_READER_H_
#define TACTUS_AX_MACOS_READER_H_

#include <ApplicationServices/ApplicationServices.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/macos/ref.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

// A text from its start, as UTF-16 and as code points.
class UnitText {
 public:
  explicit UnitText(std::u16string units);

  const std::string& utf8() const { return *utf8_; }
  int64_t units() const { return units_; }
  int64_t code_points() const { return code_points_; }

  // One past the end stays as far past it, a negative one as it is: what is
  // wrong with it is for the caller to say. Within a character, its start.
  int64_t ToCodePoints(int64_t units);

 private:
  std::unique_ptr<std::string> utf8_;  // stable: the map holds a view of it
  int64_t units_ = 0;
  int64_t code_points_ = 0;
  OffsetMap map_;
};

class ElementReader {
 public:
  // `calls` and `table` outlive it. `application` is the id of whom the element
  // belongs to.
  ElementReader(Calls* calls, ElementTable* table, Ref<AXUIElementRef> element,
                std::string application, absl::Time deadline);

  // Reads in one trip what the requests need. Unimplemented where the element
  // rejects batches; any other error is kept, and is what Answer says.
  absl::Status Fetch(absl::Span<const ReadRequest> requests);

  // Reads what it needs and has not got.
  Reading Answer(const ReadRequest& request);

  // The selected range in UTF-16 units, as answered.
  absl::StatusOr<Range> SelectedUnits();
  // All of the text. Valid as long as the reader.
  absl::StatusOr<UnitText*> Text();

 private:
  enum class Key {
    kRole,
    kSubrole,
    kFocused,
    kEnabled,
    kMain,
    kWindow,
    kValue,
    kCount,
    kRange,
    kSelectedText,
  };

  static Name NameOf(Key key);
  // Of the batch, what the attribute is derived from.
  static absl::Span<const Key> KeysOf(const ReadRequest& request);

  const Calls::Answer& Get(Key key);
  const absl::StatusOr<bool>& ValueSettable();
  const absl::StatusOr<bool>& SelectionSettable();

  Reading ReadRole();
  Reading ReadSubrole();
  Reading ReadStates();
  Reading ReadWindow();
  Reading ReadTextIn(Range range);
  Reading ReadTextAfterStart(Range range);
  Reading ReadCount();
  Reading ReadCaret();
  Reading ReadSelection();

  Calls& calls_;
  ElementTable& table_;
  const Ref<AXUIElementRef> element_;
  const std::string application_;
  const absl::Time deadline_;
  absl::Status failed_;  // of all
  std::map<Key, Calls::Answer> answers_;
  std::optional<absl::StatusOr<bool>> value_settable_;
  std::optional<absl::StatusOr<bool>> selection_settable_;
  std::optional<absl::StatusOr<std::unique_ptr<UnitText>>> text_;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_READER_H_
