#include "ax/edit/plan.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using Kind = Edit::Kind;

constexpr char kAccent[] = "\u0301";
// A man, a woman and a girl, joined to one picture: five code points.
constexpr char kFamily[] = "\U0001F468\u200D\U0001F469\u200D\U0001F467";

// An editable area of many lines that holds all of `text`, with the caret at
// its end.
Snapshot Area(const std::string& text) {
  const int64_t length = static_cast<int64_t>(CodePointCount(text));
  Snapshot s;
  s.application = {.id = "app:1", .name = "editor", .pid = 1};
  s.element = {"app:1", "/text"};
  s.role = RoleValue{Role::kTextArea, "text"};
  s.states = kStateFocused | kStateShowing | kStateEditable | kStateMultiLine |
             kStateSupportsText | kStateSupportsEditing;
  s.value_settable = true;
  s.selection_settable = true;
  s.value = text;
  s.window = {0, length};
  s.whole = true;
  s.character_count = length;
  s.caret = length;
  s.selection = Range{length, length};
  return s;
}

Snapshot Line(const std::string& text) {
  Snapshot s = Area(text);
  s.role = RoleValue{Role::kTextField, "entry"};
  s.states = (s.states & ~kStateMultiLine) | kStateSingleLine;
  return s;
}

Snapshot Terminal(const std::string& text) {
  Snapshot s = Area(text);
  s.role = RoleValue{Role::kTerminal, "terminal"};
  return s;
}

// "cdefg" of "abcdefghij", from 2 on, with the caret at 4.
Snapshot Window() {
  Snapshot s = Area("cdefg");
  s.window = {2, 7};
  s.whole = false;
  s.character_count = 10;
  s.caret = 4;
  s.selection = Range{4, 4};
  return s;
}

Snapshot Selected(Snapshot s, Range range) {
  s.selection = range;
  s.caret = range.end;
  return s;
}

SnapshotToken TokenOf(const Snapshot& s) { return *DecodeToken(s.token()); }

Reason Refused(const Snapshot& s, const Edit& edit) {
  const Planned planned = MakePlan(s, edit);
  EXPECT_NE(planned.plan.has_value(), planned.refusal.reason != Reason::kNone);
  EXPECT_EQ(planned.plan.has_value(), planned.refusal.message.empty());
  return planned.refusal.reason;
}

Plan PlanOf(const Snapshot& s, const Edit& edit) {
  Planned planned = MakePlan(s, edit);
  EXPECT_TRUE(planned.plan.has_value())
      << ReasonName(planned.refusal.reason) << ": " << planned.refusal.message;
  return planned.plan.value_or(Plan());
}

// What is there.

TEST(PlanTest, SecureFieldIsRefusedWhateverElseIsWrong) {
  Snapshot s = Area("x");
  s.secure = true;
  s.states |= kStateReadOnly;
  s.ambiguous = true;
  s.value = absl::PermissionDeniedError("secure");
  EXPECT_EQ(Refused(s, {.text = std::string(1, '\0')}), Reason::kSecure);
}

TEST(PlanTest, CountThatNoTextCanHaveIsAContradiction) {
  Snapshot s = Window();
  const Edit edit = {
      .kind = Kind::kReplaceRange, .text = "yy", .range = {3, 4}};
  EXPECT_TRUE(MakePlan(s, edit).plan.has_value());
  s.character_count = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Refused(s, edit), Reason::kContradiction);
}

TEST(PlanTest, SecureClaimBesideForbidsKeysAndNothingElse) {
  Snapshot s = Area("x");
  s.secure_beside = true;
  EXPECT_TRUE(PlanOf(s, {.text = "y"}).no_keys);
  s.value_settable = false;
  EXPECT_EQ(s.strategy(), Strategy::kPaste);
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kSecure);
  s = Terminal("x");
  s.secure_beside = true;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kSecure);
  EXPECT_FALSE(PlanOf(Area("x"), {.text = "y"}).no_keys);
}

TEST(PlanTest, ReadOnlyFieldIsRefused) {
  Snapshot s = Area("x");
  s.states |= kStateReadOnly;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kReadOnly);
  s = Area("x");
  s.states &= ~kStateEditable;
  s.value_settable = false;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kReadOnly);
}

TEST(PlanTest, WhatHoldsNoTextIsRefused) {
  Snapshot s = Area("x");
  s.role = RoleValue{Role::kOther, "button"};
  s.states &= ~kStateSupportsText;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kNotText);
}

TEST(PlanTest, AmbiguousFocusIsRefused) {
  Snapshot s = Area("x");
  s.ambiguous = true;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kAmbiguous);
}

TEST(PlanTest, TextThatCannotBeReadIsRefused) {
  Snapshot s = Area("x");
  s.value = absl::DeadlineExceededError("late");
  const Planned planned = MakePlan(s, {.text = "y"});
  EXPECT_EQ(planned.refusal.reason, Reason::kNoFocus);
  EXPECT_EQ(planned.refusal.message, "the text cannot be read: late");
}

TEST(PlanTest, CountThatContradictsTheTextIsRefused) {
  Snapshot s = Area("x\U0001F600");
  s.character_count = 3;  // in UTF-16 units
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kContradiction);
  s.character_count = 1;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kContradiction);
  s = Window();
  s.character_count = 6;
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kContradiction);
}

// What was expected.

TEST(PlanTest, SameSnapshotIsNotRefused) {
  const Snapshot s = Selected(Area("hello"), {1, 3});
  EXPECT_EQ(Compare(TokenOf(s), s).reason, Reason::kNone);
  EXPECT_EQ(PlanOf(s, {.text = "y", .snapshot = TokenOf(s)}).after, "hylo");
}

TEST(PlanTest, OtherApplicationProcessOrElementIsStale) {
  const Snapshot s = Area("x");
  SnapshotToken token = TokenOf(s);
  token.application = "app:2";
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}), Reason::kStale);
  token = TokenOf(s);
  token.pid = 2;
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}), Reason::kStale);
  token = TokenOf(s);
  token.path = "/other";
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}), Reason::kStale);
}

TEST(PlanTest, ChangedTextIsRefused) {
  const Snapshot s = Area("hello");
  // Of the same length, and with the caret at the same place.
  const SnapshotToken other = TokenOf(Area("hallo"));
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = other}), Reason::kTextChanged);
  SnapshotToken token = TokenOf(s);
  token.character_count = 6;
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}), Reason::kTextChanged);
  token = TokenOf(s);
  token.window = {0, 4};
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}), Reason::kTextChanged);
}

TEST(PlanTest, MovedCaretOrSelectionIsRefused) {
  const Snapshot s = Selected(Area("hello"), {1, 3});
  for (const Range other : {Range{1, 2}, Range{0, 3}, Range{3, 3}}) {
    const SnapshotToken token = TokenOf(Selected(Area("hello"), other));
    EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}),
              Reason::kSelectionChanged);
  }
  SnapshotToken token = TokenOf(s);
  token.caret = 1;
  EXPECT_EQ(Refused(s, {.text = "y", .snapshot = token}),
            Reason::kSelectionChanged);
}

TEST(PlanTest, UnknownCaretIsTheSameOnlyWhereItWasUnknown) {
  Snapshot s = Area("hello");
  const SnapshotToken known = TokenOf(s);
  s.caret = absl::NotFoundError("none");
  s.selection = absl::NotFoundError("none");
  EXPECT_EQ(Compare(TokenOf(s), s).reason, Reason::kNone);
  EXPECT_EQ(Compare(known, s).reason, Reason::kSelectionChanged);
}

TEST(PlanTest, OtherTextThanExpectedIsRefused) {
  EXPECT_EQ(Refused(Area("hello"), {.text = "y", .expect = "hallo"}),
            Reason::kTextChanged);
  EXPECT_EQ(Refused(Area("hello"), {.text = "y", .expect = ""}),
            Reason::kTextChanged);
  EXPECT_EQ(PlanOf(Area("hello"), {.text = "!", .expect = "hello"}).after,
            "hello!");
  EXPECT_EQ(PlanOf(Window(), {.text = "!", .expect = "cdefg"}).after, "cd!efg");
}

TEST(PlanTest, WindowThatHasMovedIsComparedWhereBothShowTheText) {
  Edit edit = {.kind = Kind::kReplaceRange,
               .text = "y",
               .range = {4, 6},
               .expect = "defghi",
               .expect_begin = 3};
  EXPECT_EQ(PlanOf(Window(), edit).after, "cdyg");
  edit.expect_begin = 2;
  EXPECT_EQ(Refused(Window(), edit), Reason::kTextChanged);
  // Nothing is known of what is to be replaced.
  edit.expect_begin = 3;
  edit.range = {2, 3};
  EXPECT_EQ(Refused(Window(), edit), Reason::kTextChanged);
  // All of the text is compared with all of it.
  edit.expect_begin = 0;
  edit.range = {0, 1};
  EXPECT_EQ(Refused(Area("defghij"), edit), Reason::kTextChanged);
}

TEST(PlanTest, OtherElementThanExpectedIsRefused) {
  const Snapshot s = Area("x");
  EXPECT_EQ(Refused(s, {.text = "y", .element = Element{"app:1", "/other"}}),
            Reason::kStale);
  EXPECT_EQ(Refused(s, {.text = "y", .element = Element{"app:2", "/text"}}),
            Reason::kStale);
  EXPECT_EQ(PlanOf(s, {.text = "y", .element = s.element}).after, "xy");
}

// Ranges.

TEST(PlanTest, RangeOutsideOfTheTextIsRefused) {
  for (const Range range :
       {Range{-1, 2}, Range{3, 2}, Range{0, 6}, Range{6, 6},
        Range{INT64_MAX - 1, INT64_MAX}, Range{INT64_MIN, INT64_MAX}}) {
    EXPECT_EQ(
        Refused(Area("hello"),
                {.kind = Kind::kReplaceRange, .text = "y", .range = range}),
        Reason::kOutOfRange)
        << range.begin << ":" << range.end;
  }
}

TEST(PlanTest, RangeOutsideOfTheWindowIsRefused) {
  for (const Range range : {Range{1, 4}, Range{5, 8}, Range{0, 0}}) {
    const Planned planned = MakePlan(
        Window(), {.kind = Kind::kReplaceRange, .text = "y", .range = range});
    EXPECT_EQ(planned.refusal.reason, Reason::kOutOfRange);
    EXPECT_NE(planned.refusal.message.find("raise the limit"),
              std::string::npos);
  }
  EXPECT_EQ(Refused(Selected(Window(), {1, 4}), {.text = "y"}),
            Reason::kOutOfRange);
}

TEST(PlanTest, RangeAtTheEdgeOfTheWindowIsRefusedSinceMoreMayJoinIt) {
  const auto reason = [](Snapshot s, Range range, bool split) {
    return MakePlan(s, {.kind = Kind::kReplaceRange,
                        .text = "y",
                        .range = range,
                        .allow_split_characters = split})
        .refusal.reason;
  };
  EXPECT_EQ(reason(Window(), {2, 4}, false), Reason::kOutOfRange);
  EXPECT_EQ(reason(Window(), {4, 7}, false), Reason::kOutOfRange);
  EXPECT_EQ(reason(Window(), {2, 7}, true), Reason::kNone);
  EXPECT_EQ(reason(Window(), {3, 6}, false), Reason::kNone);
  // Where the text ends with its window nothing can join.
  Snapshot end = Window();
  end.character_count = 7;
  EXPECT_EQ(reason(end, {4, 7}, false), Reason::kNone);
}

TEST(PlanTest, UnknownSelectionOrCaretIsRefused) {
  Snapshot s = Area("hello");
  s.selection = absl::DataLossError("past the end");
  EXPECT_EQ(Refused(s, {.text = "y"}), Reason::kOutOfRange);
  s.caret = absl::DataLossError("past the end");
  EXPECT_EQ(Refused(s, {.kind = Kind::kInsertAtCaret, .text = "y"}),
            Reason::kOutOfRange);
}

TEST(PlanTest, WholeValueOfATextLongerThanItsWindowIsRefused) {
  EXPECT_EQ(Refused(Window(), {.kind = Kind::kSetValue, .text = "y"}),
            Reason::kOutOfRange);
}

// The new text.

TEST(PlanTest, EveryLineBreakIsRefusedInFieldsOfOneLineAndInTerminals) {
  for (const std::string text :
       {"\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"}) {
    Edit edit = {.text = "a" + text + "b"};
    EXPECT_EQ(Refused(Line("x"), edit), Reason::kNewline);
    EXPECT_EQ(Refused(Terminal("$ "), edit), Reason::kNewline);
    EXPECT_EQ(PlanOf(Area("x"), edit).after, "xa" + text + "b");
    edit.allow_newlines = true;
    EXPECT_EQ(PlanOf(Line("x"), edit).after, "xa" + text + "b");
    EXPECT_EQ(PlanOf(Terminal("$ "), edit).after, "$ a" + text + "b");
  }
}

TEST(PlanTest, FieldThatDoesNotSayItsLinesHasOne) {
  for (const Role role : {Role::kTextField, Role::kTextArea}) {
    Snapshot s = Line("x");
    s.role = RoleValue{role, "text"};
    s.states &= ~kStateSingleLine;
    EXPECT_EQ(Refused(s, {.text = "\n"}), Reason::kNewline);
    s.states |= kStateMultiLine;
    EXPECT_EQ(PlanOf(s, {.text = "\n"}).after, "x\n");
  }
}

TEST(PlanTest, ControlCharactersAreRefusedInTerminalsEvenWithNewlines) {
  for (const std::string text :
       {"\x01", "\x03", "\x04", "\b", "\x1b[A", "\x7f", "\u0080", "\u009b"}) {
    const Edit edit = {.text = "ls" + text, .allow_newlines = true};
    EXPECT_EQ(Refused(Terminal("$ "), edit), Reason::kControl);
    EXPECT_EQ(PlanOf(Area(""), edit).after, "ls" + text);
  }
  EXPECT_EQ(PlanOf(Terminal("$ "), {.text = "b\u00a0"}).after, "$ b\u00a0");
}

// A shell completes by it, and some of what it completes it runs.
TEST(PlanTest, TabIsRefusedInTerminalsUnlessItIsAllowed) {
  const Edit edit = {.text = "a\tb"};
  EXPECT_EQ(Refused(Terminal("$ "), edit), Reason::kControl);
  EXPECT_EQ(PlanOf(Area(""), edit).after, "a\tb");
  EXPECT_EQ(PlanOf(Line(""), edit).after, "a\tb");
  EXPECT_EQ(
      PlanOf(Terminal("$ "), {.text = "a\tb", .allow_newlines = true}).after,
      "$ a\tb");
}

TEST(PlanTest, NulIsRefusedEverywhere) {
  const std::string text("a\0b", 3);
  for (const Snapshot& s : {Area("x"), Line("x"), Terminal("$ ")}) {
    EXPECT_EQ(Refused(s, {.text = text, .allow_newlines = true}),
              Reason::kControl);
  }
}

TEST(PlanTest, TextThatIsNotUtf8IsRefused) {
  for (const std::string text :
       {"\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\xbd",
        "\xed\xa0\xbd\xed\xb8\x80", "\xf5\x80\x80\x80"}) {
    EXPECT_EQ(Refused(Area("x"), {.text = text}), Reason::kBadText);
  }
}

// Characters as people see them.

TEST(PlanTest, EdgeWithinACharacterIsRefusedUnlessAllowed) {
  const struct {
    std::string text;
    Range range;
  } cases[] = {
      {absl::StrCat("e", kAccent, "x"), {1, 1}},
      {absl::StrCat("e", kAccent, "x"), {1, 3}},
      {absl::StrCat("e", kAccent, "x"), {0, 1}},
      {kFamily, {1, 5}},
      {kFamily, {0, 2}},
      {kFamily, {0, 4}},
      {"a\r\nb", {2, 2}},
      {"\U0001F1E9\U0001F1EA", {1, 1}},  // a flag
  };
  for (const auto& c : cases) {
    Edit edit = {.kind = Kind::kReplaceRange, .text = "y", .range = c.range};
    EXPECT_EQ(Refused(Area(c.text), edit), Reason::kSplitsCharacter) << c.text;
    edit.allow_split_characters = true;
    EXPECT_EQ(PlanOf(Area(c.text), edit).range, c.range);
  }
  EXPECT_EQ(PlanOf(Area(absl::StrCat("a", kFamily, "b")),
                   {.kind = Kind::kReplaceRange, .text = "y", .range = {1, 6}})
                .after,
            "ayb");
}

TEST(PlanTest, RefusedEdgeIsNamedByItsOffsetInTheText) {
  Snapshot s = Area(absl::StrCat("cde", kAccent, "g"));
  s.window = {20, 25};
  s.whole = false;
  s.character_count = 50;
  const Planned planned = MakePlan(
      s, {.kind = Kind::kReplaceRange, .text = "y", .range = {21, 23}});
  EXPECT_EQ(planned.refusal.reason, Reason::kSplitsCharacter);
  EXPECT_NE(planned.refusal.message.find("offset 23 "), std::string::npos);
}

// Text for text.

TEST(PlanTest, OldTextMustBeThereExactlyOnce) {
  const auto edit = [](const std::string& old) {
    return Edit{.kind = Kind::kReplaceText, .text = "y", .old_text = old};
  };
  EXPECT_EQ(Refused(Area("hello"), edit("world")), Reason::kNotFound);
  EXPECT_EQ(Refused(Area("hello"), edit("")), Reason::kNotFound);
  EXPECT_EQ(Refused(Area("hello"), edit("l")), Reason::kNotUnique);
  EXPECT_EQ(Refused(Area("aaa"), edit("aa")), Reason::kNotUnique);
  EXPECT_EQ(Refused(Area("abab ab"), edit("ab")), Reason::kNotUnique);
  EXPECT_EQ(PlanOf(Area("hello"), edit("ll")).range, (Range{2, 4}));
  EXPECT_EQ(Refused(Window(), edit("ab")), Reason::kNotFound);
  EXPECT_EQ(PlanOf(Window(), edit("ef")).range, (Range{4, 6}));
}

TEST(PlanTest, OldTextOfBytesIsNotFoundInTheMiddleOfACharacter) {
  EXPECT_EQ(Refused(Area("\U0001F600abc"), {.kind = Kind::kReplaceText,
                                            .text = "y",
                                            .old_text = "\x98\x80"}),
            Reason::kBadText);
  EXPECT_EQ(Refused(Area(absl::StrCat("e", kAccent)),
                    {.kind = Kind::kReplaceText, .text = "y", .old_text = "e"}),
            Reason::kSplitsCharacter);
}

// The plan.

TEST(PlanTest, SelectionIsReplaced) {
  const Plan plan = PlanOf(Selected(Area("a\U0001F600\u05D0\u05D1z"), {1, 3}),
                           {.text = "\u4E2D\u6587!"});
  EXPECT_EQ(plan.range, (Range{1, 3}));
  EXPECT_EQ(plan.text, "\u4E2D\u6587!");
  EXPECT_EQ(plan.length, 3);
  EXPECT_EQ(plan.window_begin, 0);
  EXPECT_EQ(plan.before, "a\U0001F600\u05D0\u05D1z");
  EXPECT_EQ(plan.after, "a\u4E2D\u6587!\u05D1z");
  EXPECT_EQ(plan.before_length, 5);
  EXPECT_EQ(plan.after_length, 6);
  EXPECT_TRUE(plan.whole);
  EXPECT_EQ(plan.count_before, 5);
  EXPECT_EQ(plan.count_after, 6);
  EXPECT_EQ(plan.caret, 4);
  EXPECT_FALSE(plan.changes_nothing());
}

TEST(PlanTest, NoSelectionIsAnInsertAtTheCaret) {
  Snapshot s = Area("hello");
  s.caret = 2;
  s.selection = Range{2, 2};
  const Plan plan = PlanOf(s, {.text = "--"});
  EXPECT_EQ(plan.range, (Range{2, 2}));
  EXPECT_EQ(plan.after, "he--llo");
  EXPECT_EQ(plan.caret, 4);
}

TEST(PlanTest, InsertAtTheCaretLeavesASelectionAndItsCaretAlone) {
  const Edit edit = {.kind = Kind::kInsertAtCaret, .text = "-"};
  Plan plan = PlanOf(Selected(Area("hello"), {1, 3}), edit);
  EXPECT_EQ(plan.range, (Range{3, 3}));
  EXPECT_EQ(plan.after, "hel-lo");
  EXPECT_EQ(plan.caret, std::nullopt);
  plan = PlanOf(Area("hello"), edit);
  EXPECT_EQ(plan.range, (Range{5, 5}));
  EXPECT_EQ(plan.caret, 6);
}

TEST(PlanTest, OfAWindowTheRangeIsOfTheWholeTextAndTheTextsOfTheWindow) {
  const Plan plan = PlanOf(
      Window(), {.kind = Kind::kReplaceRange, .text = "1234", .range = {3, 5}});
  EXPECT_EQ(plan.range, (Range{3, 5}));
  EXPECT_EQ(plan.window_begin, 2);
  EXPECT_EQ(plan.before, "cdefg");
  EXPECT_EQ(plan.after, "c1234fg");
  EXPECT_EQ(plan.before_length, 5);
  EXPECT_EQ(plan.after_length, 7);
  EXPECT_FALSE(plan.whole);
  EXPECT_EQ(plan.count_before, 10);
  EXPECT_EQ(plan.count_after, 12);
  EXPECT_EQ(plan.caret, 7);
}

TEST(PlanTest, WholeValueIsTheRangeOfAll) {
  const Plan plan =
      PlanOf(Area("hello"), {.kind = Kind::kSetValue, .text = "\U0001F600"});
  EXPECT_EQ(plan.range, (Range{0, 5}));
  EXPECT_EQ(plan.after, "\U0001F600");
  EXPECT_EQ(plan.after_length, 1);
  EXPECT_EQ(plan.count_after, 1);
}

TEST(PlanTest, CountThatTheServerDoesNotTellIsAbsent) {
  Snapshot s = Area("hello");
  s.character_count = absl::UnimplementedError("none");
  const Plan plan = PlanOf(s, {.text = "!"});
  EXPECT_EQ(plan.after, "hello!");
  EXPECT_EQ(plan.count_before, std::nullopt);
  EXPECT_EQ(plan.count_after, std::nullopt);
}

TEST(PlanTest, SameTextInThePlaceOfItselfChangesNothing) {
  EXPECT_TRUE(
      PlanOf(Area("hello"),
             {.kind = Kind::kReplaceRange, .text = "ell", .range = {1, 4}})
          .changes_nothing());
  EXPECT_TRUE(PlanOf(Area("hello"), {.text = ""}).changes_nothing());
}

}  // namespace
}  // namespace tactus::ax
