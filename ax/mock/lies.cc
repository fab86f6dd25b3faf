#include "ax/mock/lies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
// A batch is some ten readings: a thousand too many is any number too many.
constexpr int64_t kMostReadings = 1000;
// What real applications were measured with, and the most that one reply of
// the accessibility bus carries is not far beyond.
constexpr int64_t kMostText = 16 << 20;

class BatchRejected : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterBatch(World&,
                  absl::StatusOr<std::vector<Reading>>& readings) override {
    if (readings.ok() && static_cast<int64_t>(readings->size()) > parameter()) {
      readings = absl::UnimplementedError("no batches here");
    }
  }
};

class BatchShort : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterBatch(World&,
                  absl::StatusOr<std::vector<Reading>>& readings) override {
    if (!readings.ok()) return;
    const size_t missing =
        std::min(readings->size(), static_cast<size_t>(parameter()));
    readings->resize(readings->size() - missing);
  }
};

class BatchLong : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterBatch(World&,
                  absl::StatusOr<std::vector<Reading>>& readings) override {
    if (!readings.ok()) return;
    readings->insert(readings->end(), static_cast<size_t>(parameter()),
                     Reading(Value(int64_t{7})));
  }
};

class WrongType : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (!Hits(message) || !reading.ok()) return;
    const Value values[] = {Value(),
                            Value(true),
                            Value(int64_t{-1}),
                            Value(std::string("lie")),
                            Value(Range{1, 2}),
                            Value(RoleValue{Role::kTextField, "lie"}),
                            Value(Element{"lie", "/lie"})};
    size_t choice = Random(message) % std::size(values);
    if (values[choice].index() == reading->index()) {
      choice = (choice + 1) % std::size(values);
    }
    reading = values[choice];
  }
};

// A lie about one attribute, where it has a value.
class Lie : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    if (message.attribute != attribute() || !Hits(message)) return;
    const Node* node = world.Find(message.element);
    if (node != nullptr) Tell(*node, message, reading);
  }

 protected:
  virtual Attribute attribute() const = 0;
  virtual void Tell(const Node& node, const Message& message,
                    Reading& reading) = 0;
};

template <Attribute About>
class LieAbout : public Lie {
 public:
  using Lie::Lie;

 protected:
  Attribute attribute() const override { return About; }
};

// `a + b`, or the nearest that fits.
int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMost : kLeast;
}

class HugeCount : public LieAbout<Attribute::kCharacterCount> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = Value(parameter());
  }
};

class CountDiffers : public LieAbout<Attribute::kCharacterCount> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node& node, const Message&, Reading& reading) override {
    reading = Value(
        SaturatingAdd(static_cast<int64_t>(node.text.size()), parameter()));
  }
};

class CaretPastEnd : public LieAbout<Attribute::kCaret> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node& node, const Message&, Reading& reading) override {
    reading = Value(
        SaturatingAdd(static_cast<int64_t>(node.text.size()), parameter()));
  }
};

class CaretNegative : public LieAbout<Attribute::kCaret> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = Value(parameter());
  }
};

class CaretNotFound : public LieAbout<Attribute::kCaret> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = absl::NotFoundError("no caret");
  }
};

class SelectionNegative : public LieAbout<Attribute::kSelection> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = Value(Range{parameter(), parameter()});
  }
};

class SelectionReversed : public LieAbout<Attribute::kSelection> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node& node, const Message&, Reading& reading) override {
    const Range range = node.selection.value_or(
        Range{0, static_cast<int64_t>(node.text.size())});
    reading = Value(Range{range.end, range.begin});
  }
};

class SelectionHuge : public LieAbout<Attribute::kSelection> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = Value(Range{0, parameter()});
  }
};

class SelectionEmpty : public LieAbout<Attribute::kSelection> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node& node, const Message&, Reading& reading) override {
    if (!node.selection.has_value()) {
      reading = Value(Range{node.caret, node.caret});
    }
  }
};

class EmptyText : public LieAbout<Attribute::kText> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    if (reading.ok()) reading = Value(std::string());
  }
};

class RangeIgnored : public LieAbout<Attribute::kText> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node& node, const Message&, Reading& reading) override {
    if (reading.ok()) reading = Value(EncodeUtf8(node.text));
  }
};

class SplitSurrogates : public LieAbout<Attribute::kText> {
 public:
  using LieAbout::LieAbout;
  // As a server that cuts UTF-16 in the middle: the answer begins with the
  // second half of a pair and ends with the first half of another.
  void Tell(const Node&, const Message&, Reading& reading) override {
    if (!reading.ok()) return;
    if (std::string* text = std::get_if<std::string>(&*reading)) {
      *text = EncodeUtf8(U"\xDC69") + *text + EncodeUtf8(U"\xD83D");
    }
  }
};

class InvalidUtf8 : public LieAbout<Attribute::kText> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message& message, Reading& reading) override {
    if (!reading.ok()) return;
    std::string* text = std::get_if<std::string>(&*reading);
    if (text == nullptr) return;
    // Stray, overlong, too large, cut short.
    constexpr std::string_view kBad[] = {"\x80", "\xFF", "\xC0\x80",
                                         "\xF4\x90\x80\x80", "\xF0\x9F\x91"};
    const uint64_t random = Random(message);
    text->insert((random >> 8) % (text->size() + 1),
                 kBad[random % std::size(kBad)]);
  }
};

// Offsets and counts in another unit than code points.
class OtherUnit : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    if (!Hits(message) || !reading.ok()) return;
    const Node* node = world.Find(message.element);
    if (node == nullptr) return;
    const bool offset = message.attribute == Attribute::kCharacterCount ||
                        message.attribute == Attribute::kCaret;
    if (int64_t* value = std::get_if<int64_t>(&*reading);
        offset && value != nullptr) {
      *value = Units(*node, *value);
    } else if (Range* range = std::get_if<Range>(&*reading)) {
      *range = {Units(*node, range->begin), Units(*node, range->end)};
    }
  }

  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    const Node* node = world.Find(effect.element);
    if (node == nullptr || !Hits(message)) return;
    effect.range = {Points(*node, effect.range.begin),
                    Points(*node, effect.range.end)};
  }

 protected:
  virtual int64_t UnitsOf(char32_t point) const = 0;

 private:
  // A unit within a code point is where that begins; what lies past the end
  // stays past it.
  int64_t Points(const Node& node, int64_t units) const {
    int64_t points = 0;
    for (const char32_t point : node.text) {
      units -= UnitsOf(point);
      if (units < 0) return points;
      ++points;
    }
    return SaturatingAdd(points, units);
  }
  int64_t Units(const Node& node, int64_t points) const {
    const int64_t within =
        std::clamp<int64_t>(points, 0, static_cast<int64_t>(node.text.size()));
    int64_t units = 0;
    for (int64_t i = 0; i < within; ++i) {
      units += UnitsOf(node.text[static_cast<size_t>(i)]);
    }
    return units;
  }
};

class Utf16Offsets : public OtherUnit {
 public:
  using OtherUnit::OtherUnit;

 protected:
  int64_t UnitsOf(char32_t point) const override {
    return point > 0xFFFF ? 2 : 1;
  }
};

class ByteOffsets : public OtherUnit {
 public:
  using OtherUnit::OtherUnit;

 protected:
  int64_t UnitsOf(char32_t point) const override {
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
};

class StatesVary : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (message.attribute != Attribute::kStates || !Hits(message)) return;
    if (!reading.ok()) return;
    if (int64_t* states = std::get_if<int64_t>(&*reading)) {
      constexpr int64_t kVarying = kStateSupportsText | kStateSupportsEditing |
                                   kStateEditable | kStateReadOnly |
                                   kStateShowing;
      *states ^= static_cast<int64_t>(Random(message)) & kVarying;
    }
  }
};

class UnknownStates : public LieAbout<Attribute::kStates> {
 public:
  using LieAbout::LieAbout;
  void Tell(const Node&, const Message&, Reading& reading) override {
    reading = Value(parameter());
  }
};

class HugeText : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      Node& node = *world.Mutable(field);
      node.text.assign(static_cast<size_t>(parameter()), U'a');
      node.caret = parameter() / 2;
      node.selection.reset();
    }
  }
};

class OddText : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    using namespace std::string_view_literals;
    for (const Element& field : Fields(world)) {
      Node& node = *world.Mutable(field);
      node.text = std::u32string(
          U"a\0b\r\n\nc\tU\xFFFC\xFFFC\x1B[31m\x202E\xFEFF\x2028\xD83D"
          U"\x1F469\x200D\x1F469\x0301\x10FFFF"sv);
      node.caret = static_cast<int64_t>(node.text.size());
      node.selection.reset();
    }
  }
};

constexpr HostilityKind kKinds[] = {
    {"batch_rejected", "batches are refused as a whole",
     "readings in the largest batch that is not", 0, 0, kMostReadings,
     &Make<BatchRejected>},
    {"batch_short", "a batch's answer lacks its last readings", "how many", 1,
     1, kMostReadings, &Make<BatchShort>},
    {"batch_long", "a batch's answer has readings that nobody asked for",
     "how many", 1, 1, kMostReadings, &Make<BatchLong>, true},
    {"wrong_type", "values have a type that the attribute has not", "", 0, 0, 0,
     &Make<WrongType>},
    {"huge_count", "the character count is a number of its own", "the count",
     kMost, kLeast, kMost, &Make<HugeCount>},
    {"count_differs", "the character count is not the text's length",
     "by how much it is more", 1, kLeast, kMost, &Make<CountDiffers>},
    {"caret_past_end", "the caret stands past the end of the text",
     "by how much", 1, 1, kMost, &Make<CaretPastEnd>},
    {"caret_negative", "the caret is negative", "the caret", -1, kLeast, -1,
     &Make<CaretNegative>},
    {"caret_not_found", "there is no caret", "", 0, 0, 0, &Make<CaretNotFound>},
    {"selection_negative", "the selection's ends are negative", "both ends", -1,
     kLeast, -1, &Make<SelectionNegative>},
    {"selection_reversed", "the selection ends before it begins", "", 0, 0, 0,
     &Make<SelectionReversed>},
    {"selection_huge", "the selection reaches far past the text", "its end",
     kMost, 1, kMost, &Make<SelectionHuge>},
    {"selection_empty", "no selection is an empty one at the caret", "", 0, 0,
     0, &Make<SelectionEmpty>},
    {"empty_text_with_count", "the text is empty and its count is not", "", 0,
     0, 0, &Make<EmptyText>},
    {"range_ignored", "the whole text is answered, whatever range was asked",
     "", 0, 0, 0, &Make<RangeIgnored>},
    {"split_surrogates", "the text begins and ends within a surrogate pair", "",
     0, 0, 0, &Make<SplitSurrogates>},
    {"invalid_utf8", "the text holds bytes that are not UTF-8", "", 0, 0, 0,
     &Make<InvalidUtf8>},
    {"utf16_offsets", "offsets and counts are UTF-16 units", "", 0, 0, 0,
     &Make<Utf16Offsets>},
    {"byte_offsets", "offsets and counts are bytes", "", 0, 0, 0,
     &Make<ByteOffsets>},
    {"states_vary", "states and interfaces differ from call to call", "", 0, 0,
     0, &Make<StatesVary>},
    {"unknown_states", "the states are a number of their own", "the states", -1,
     kLeast, kMost, &Make<UnknownStates>},
    {"huge_text", "the focused fields hold much text", "code points", 10 << 20,
     0, kMostText, &Make<HugeText>, true},
    {"odd_text",
     "the focused fields hold NUL, line ends, U+FFFC, escapes, direction "
     "marks, a lone surrogate and joined emoji",
     "", 0, 0, 0, &Make<OddText>},
};

}  // namespace

absl::Span<const HostilityKind> LieHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
