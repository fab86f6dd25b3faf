#include "ax/macos/server.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/macos/elements.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/testing/leaks.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

constexpr absl::Duration kTime = absl::Milliseconds(200);
// U+1F600 is two units.
constexpr char kText[] = "a\xF0\x9F\x98\x80z";

class ServerTest : public NoLeaks {
 protected:
  static absl::StatusOr<Snapshot> Take(Rig& rig, int64_t max_text = 65536) {
    return SnapshotFocused(rig.server(), {.deadline = rig.clock().Now() + kTime,
                                          .max_text = max_text});
  }
  // The focused element of application 100.
  static Element Field(Rig& rig) {
    const absl::StatusOr<std::vector<Element>> found =
        rig.server().FocusedElements({.id = "100"}, rig.clock().Now() + kTime);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? found->front() : Element();
  }
  static Reading Read(Rig& rig, Attribute attribute, Range range = {0, 1000}) {
    const Element field = Field(rig);
    return rig.server().Read({field, attribute, range},
                             rig.clock().Now() + kTime);
  }
  static mock::Node& Node(Rig& rig) {
    return *rig.world().Mutable(*rig.world().Focused());
  }
  static WriteResult Write(Rig& rig, WriteRequest request) {
    request.element = Field(rig);
    return rig.server().Write(request, rig.clock().Now() + kTime);
  }
};

TEST_F(ServerTest, SnapshotIsTheTruthInCodePoints) {
  Rig rig(mock::EditorDesktop(kText));
  Node(rig).selection = Range{1, 2};
  Node(rig).caret = 2;
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->application.name, "editor");
  EXPECT_EQ(snapshot->application.pid, 100);
  EXPECT_EQ(snapshot->route, Route::kSystemWide);
  EXPECT_EQ(snapshot->role->role, Role::kTextArea);
  EXPECT_EQ(*snapshot->value, kText);
  EXPECT_EQ(*snapshot->character_count, 3);
  EXPECT_EQ(*snapshot->caret, 2);
  EXPECT_EQ(*snapshot->selection, (Range{1, 2}));
  EXPECT_EQ(*snapshot->selected_text, "\xF0\x9F\x98\x80");
  EXPECT_EQ(snapshot->strategy(), Strategy::kRangeEdit);
  EXPECT_TRUE(snapshot->whole);
  EXPECT_FALSE(snapshot->ambiguous);
}

TEST_F(ServerTest, SnapshotTakesSixTripsAndOneForTheName) {
  Rig rig(mock::EditorDesktop(kText));
  const absl::StatusOr<Snapshot> cold = Take(rig);
  ASSERT_TRUE(cold.ok());
  EXPECT_EQ(cold->traffic.flights, 7);
  const fake::Trips before = rig.desktop().trips();
  const absl::StatusOr<Snapshot> warm = Take(rig);
  ASSERT_TRUE(warm.ok());
  EXPECT_EQ(warm->traffic.flights, 6);
  EXPECT_EQ(warm->traffic.calls, 6);
  const fake::Trips after = rig.desktop().trips();
  EXPECT_EQ(after.copies - before.copies, 2);
  EXPECT_EQ(after.batches - before.batches, 2);
  EXPECT_EQ(after.probes - before.probes, 2);
  EXPECT_EQ(after.total() - before.total(), 6);
}

TEST_F(ServerTest, ReadingInTurnGivesTheSameAndTakesMoreTrips) {
  Rig rig(mock::EditorDesktop(kText), {}, {.no_batches = true});
  ASSERT_TRUE(Take(rig).ok());
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(*snapshot->value, kText);
  EXPECT_EQ(*snapshot->character_count, 3);
  EXPECT_EQ(*snapshot->caret, 3);
  EXPECT_EQ(rig.desktop().trips().batches, 0);
  // Two to find it; role, subrole, four for the states, two probes; the text;
  // two each for count and caret, whose units need it, and one to see that
  // nothing is selected.
  EXPECT_EQ(snapshot->traffic.flights, 16);
}

TEST_F(ServerTest, NoTimeIsEverSetForTheWholeProcess) {
  Rig rig(mock::EditorDesktop(kText));
  ASSERT_TRUE(Take(rig).ok());
  ASSERT_TRUE(rig.server().WindowList(rig.clock().Now() + kTime).ok());
  EXPECT_EQ(rig.desktop().global_timeouts(), 0);
}

TEST_F(ServerTest, SystemThatHangsEndsAtTheDeadlineAndNotAtTheSystemsOwn) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("registry_hung", {}));
  const absl::Time deadline = rig.clock().Now() + kTime;
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      rig.server().FocusedApplication(deadline).status()));
  EXPECT_EQ(rig.clock().Now(), deadline);
}

TEST_F(ServerTest, WindowListThatHangsEndsAtTheDeadline) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("display_hung", {}));
  const absl::Time deadline = rig.clock().Now() + kTime;
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(rig.server().WindowList(deadline).status()));
  EXPECT_EQ(rig.clock().Now(), deadline);
}

TEST_F(ServerTest, ApplicationThatHangsEndsAtTheDeadline) {
  Rig rig(mock::EditorDesktop(kText));
  const Element field = Field(rig);
  rig.mock().Add(*mock::MakeHostility("hung", {}));
  const absl::Time deadline = rig.clock().Now() + kTime;
  const ReadRequest requests[] = {{field, Attribute::kRole},
                                  {field, Attribute::kStates}};
  const absl::StatusOr<std::vector<Reading>> readings =
      rig.server().ReadMany(requests, deadline);
  ASSERT_TRUE(readings.ok());
  for (const Reading& reading : *readings) {
    EXPECT_TRUE(absl::IsDeadlineExceeded(reading.status())) << reading.status();
  }
  EXPECT_LE(rig.clock().Now(), deadline);
  // What is late is not asked any more.
  EXPECT_EQ(rig.desktop().trips().probes, 0);
}

TEST_F(ServerTest, OneApplicationThatHangsLeavesTheOthersTheirTime) {
  mock::Desktop desktop = mock::EditorDesktop("one");
  desktop.programs.push_back(
      mock::MakeProgram("other", 200, {mock::TextArea("/text", "two")}));
  Rig rig(std::move(desktop));
  const absl::Time now = rig.clock().Now();
  const Element one = Field(rig);
  const Element two =
      rig.server().FocusedElements({.id = "200"}, now + kTime)->front();
  rig.mock().Add(*mock::MakeHostility("hung", {.application = "app:100"}));
  const ReadRequest requests[] = {{one, Attribute::kRole},
                                  {two, Attribute::kRole}};
  const absl::StatusOr<std::vector<Reading>> readings =
      rig.server().ReadMany(requests, rig.clock().Now() + kTime);
  ASSERT_TRUE(readings.ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded((*readings)[0].status()));
  EXPECT_TRUE((*readings)[1].ok());
}

TEST_F(ServerTest, EveryErrorOfAnAttributeIsThatAttributesAlone) {
  const AXError kAll[] = {kAXErrorFailure,
                          kAXErrorIllegalArgument,
                          kAXErrorInvalidUIElement,
                          kAXErrorInvalidUIElementObserver,
                          kAXErrorCannotComplete,
                          kAXErrorAttributeUnsupported,
                          kAXErrorActionUnsupported,
                          kAXErrorNotificationUnsupported,
                          kAXErrorNotImplemented,
                          kAXErrorNotificationAlreadyRegistered,
                          kAXErrorNotificationNotRegistered,
                          kAXErrorAPIDisabled,
                          kAXErrorNoValue,
                          kAXErrorParameterizedAttributeUnsupported,
                          kAXErrorNotEnoughPrecision,
                          static_cast<AXError>(-1)};
  for (const bool no_batches : {false, true}) {
    for (const AXError error : kAll) {
      Rig rig(mock::EditorDesktop(kText), {}, {.no_batches = no_batches});
      rig.desktop().faults().errors["AXSelectedTextRange"] = error;
      const absl::StatusOr<Snapshot> snapshot = Take(rig);
      ASSERT_TRUE(snapshot.ok()) << error << snapshot.status();
      EXPECT_EQ(*snapshot->value, kText) << error;
      EXPECT_EQ(*snapshot->character_count, 3) << error;
      EXPECT_FALSE(snapshot->caret.ok()) << error;
      EXPECT_FALSE(snapshot->selection.ok()) << error;
    }
  }
}

TEST_F(ServerTest, EveryErrorOfTheRoleMakesTheFieldSecure) {
  const AXError kAll[] = {kAXErrorFailure, kAXErrorCannotComplete,
                          kAXErrorAttributeUnsupported, kAXErrorNoValue,
                          kAXErrorNotImplemented};
  for (const AXError error : kAll) {
    Rig rig(mock::EditorDesktop(kText));
    rig.desktop().faults().errors["AXRole"] = error;
    const absl::StatusOr<Snapshot> snapshot = Take(rig);
    ASSERT_TRUE(snapshot.ok()) << error << snapshot.status();
    EXPECT_TRUE(snapshot->secure) << error;
    EXPECT_FALSE(snapshot->value.ok()) << error;
    EXPECT_EQ(rig.mock().TextSentToSecure(), 0);
  }
}

TEST_F(ServerTest, TextOfASecureFieldIsNeverAsked) {
  for (const char* hostility : {"secure_role", "secure_subrole"}) {
    for (const bool no_batches : {false, true}) {
      Rig rig(mock::EditorDesktop(kText), {}, {.no_batches = no_batches});
      rig.mock().Add(*mock::MakeHostility(hostility, {}));
      const absl::StatusOr<Snapshot> snapshot = Take(rig);
      ASSERT_TRUE(snapshot.ok()) << hostility << snapshot.status();
      EXPECT_TRUE(snapshot->secure) << hostility;
      EXPECT_TRUE(absl::IsPermissionDenied(snapshot->value.status()));
      EXPECT_EQ(rig.mock().TextSentToSecure(), 0) << hostility;
    }
  }
}

TEST_F(ServerTest, StatesDoNotAskForTheRole) {
  Rig rig(mock::EditorDesktop(kText), {}, {.no_batches = true});
  ASSERT_TRUE(Read(rig, Attribute::kStates).ok());
  for (const mock::LoggedMessage& logged : rig.mock().log()) {
    EXPECT_FALSE(logged.message.verb == mock::Verb::kRead &&
                 logged.message.attribute == Attribute::kRole);
  }
}

TEST_F(ServerTest, BatchThatIsRejectedIsReadInTurn) {
  for (const AXError error :
       {kAXErrorNotImplemented, kAXErrorIllegalArgument, kAXErrorFailure,
        kAXErrorAttributeUnsupported, kAXErrorNoValue}) {
    for (const bool with_array : {false, true}) {
      Rig rig(mock::EditorDesktop(kText));
      rig.desktop().faults().batch_error = error;
      rig.desktop().faults().array_with_error = with_array;
      const absl::StatusOr<Snapshot> snapshot = Take(rig);
      ASSERT_TRUE(snapshot.ok()) << error << snapshot.status();
      EXPECT_EQ(*snapshot->value, kText) << error;
      EXPECT_EQ(*snapshot->caret, 3) << error;
      EXPECT_EQ(snapshot->notes.size(), 1u) << error;
    }
  }
}

TEST_F(ServerTest, BatchThatCannotBeMatchedIsReadInTurn) {
  for (const int extra : {-100, -1, 1, 100}) {
    Rig rig(mock::EditorDesktop(kText));
    rig.desktop().faults().batch_extra = extra;
    const absl::StatusOr<Snapshot> snapshot = Take(rig);
    ASSERT_TRUE(snapshot.ok()) << extra;
    EXPECT_EQ(*snapshot->value, kText) << extra;
    EXPECT_EQ(snapshot->notes.size(), 1u) << extra;
  }
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().batch_null = true;
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(*snapshot->value, kText);
}

TEST_F(ServerTest, NullInsteadOfErrorsInABatchIsNoValue) {
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().null_for_errors = true;
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(*snapshot->value, kText);
  EXPECT_FALSE(snapshot->secure);
}

TEST_F(ServerTest, ObjectsOfEveryWrongTypeAreDataLoss) {
  const CFRange range = CFRangeMake(0, 1);
  const int64_t seven = 7;
  CFTypeRef ranged = AXValueCreate(kAXValueTypeCFRange, &range);
  CFTypeRef number =
      CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &seven);
  CFTypeRef element = AXUIElementCreateSystemWide();
  CFTypeRef objects[] = {ranged,         number,  element, kCFBooleanTrue,
                         CFSTR("plain"), kCFNull, nullptr};
  for (const char* name :
       {"AXRole", "AXSubrole", "AXFocused", "AXEnabled", "AXWindow", "AXValue",
        "AXNumberOfCharacters", "AXSelectedTextRange", "AXSelectedText"}) {
    for (CFTypeRef object : objects) {
      for (const bool no_batches : {false, true}) {
        Rig rig(mock::EditorDesktop(kText), {}, {.no_batches = no_batches});
        rig.desktop().faults().values[name] = object;
        const absl::StatusOr<Snapshot> snapshot = Take(rig);
        if (snapshot.ok() && snapshot->value.ok()) {
          EXPECT_TRUE(*snapshot->value == kText || *snapshot->value == "plain");
        }
        Read(rig, Attribute::kWindow).status().IgnoreError();
        Read(rig, Attribute::kSelectedText).status().IgnoreError();
      }
    }
  }
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().values["AXValue"] = number;
  EXPECT_TRUE(absl::IsDataLoss(Read(rig, Attribute::kText).status()));
  rig.desktop().faults().values["AXRole"] = kCFBooleanTrue;
  EXPECT_TRUE(absl::IsDataLoss(Read(rig, Attribute::kRole).status()));
  rig.desktop().faults().values["AXFocusedUIElement"] = element;
  EXPECT_TRUE(absl::IsDataLoss(
      rig.server()
          .FocusedElements({.id = "100"}, rig.clock().Now() + kTime)
          .status()));
  EXPECT_EQ(rig.desktop().global_timeouts(), 0);
  CFRelease(ranged);
  CFRelease(number);
  CFRelease(element);
}

TEST_F(ServerTest, WindowOfALongTextIsReadByItsRange) {
  std::string text;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&text, i % 10, kText);
  Rig rig(mock::EditorDesktop(text));
  Node(rig).caret = 200;
  const absl::StatusOr<Snapshot> snapshot = Take(rig, /*max_text=*/20);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(snapshot->window, (Range{190, 210}));
  EXPECT_FALSE(snapshot->whole);
  EXPECT_EQ(*snapshot->value,
            absl::StrCat("\xF0\x9F\x98\x80z8", kText, "9", kText, "0", kText,
                         "1", kText, "2", "a"));
  EXPECT_EQ(rig.desktop().trips().parameterized, 1);
}

TEST_F(ServerTest, WindowIsCutFromTheWholeWhereThereAreNoRanges) {
  std::string text(100, 'x');
  text[60] = 'y';
  Rig rig(mock::EditorDesktop(text));
  rig.desktop().faults().errors["AXStringForRange"] =
      kAXErrorParameterizedAttributeUnsupported;
  EXPECT_EQ(*Get<std::string>(Read(rig, Attribute::kText, {59, 62})), "xyx");
}

TEST_F(ServerTest, PositionsPastTheEndAreToldAsTheyAre) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("caret_past_end", {.parameter = 5}));
  EXPECT_EQ(*Get<int64_t>(Read(rig, Attribute::kCaret)), 8);
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_TRUE(absl::IsDataLoss(snapshot->caret.status()));
}

TEST_F(ServerTest, ApplicationThatIsThisProcessIsNeverAsked) {
  Rig rig(mock::EditorDesktop(kText), {}, {.own_pid = 100});
  const absl::Time deadline = rig.clock().Now() + kTime;
  EXPECT_TRUE(
      absl::IsNotFound(rig.server().FocusedApplication(deadline).status()));
  EXPECT_TRUE(absl::IsNotFound(
      rig.server().ApplicationOfProcess(100, deadline).status()));
  EXPECT_TRUE(absl::IsNotFound(
      rig.server().FocusedElements({.id = "100"}, deadline).status()));
  EXPECT_EQ(rig.desktop().trips().total(), 1);
}

TEST_F(ServerTest, WindowListIsTheSecondRoute) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("system_wide_route_fails", {}));
  const absl::StatusOr<Snapshot> snapshot = Take(rig);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_EQ(snapshot->route, Route::kWindowList);
  EXPECT_EQ(*snapshot->value, kText);
  const absl::StatusOr<std::vector<Window>> windows =
      rig.server().WindowList(rig.clock().Now() + kTime);
  ASSERT_TRUE(windows.ok());
  ASSERT_EQ(windows->size(), 1u);
  EXPECT_EQ(windows->front().pid, 100);
  EXPECT_EQ(windows->front().title, "document - editor");
  EXPECT_TRUE(windows->front().active);
}

TEST_F(ServerTest, IdsThatNameNoProcessAreNotAsked) {
  Rig rig(mock::EditorDesktop(kText));
  for (const char* id :
       {"", "app:100", "-1", "0", "0100", "100 ", "99999999999999999999"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        rig.server()
            .FocusedElements({.id = id}, rig.clock().Now() + kTime)
            .status()))
        << id;
  }
  EXPECT_EQ(rig.desktop().trips().total(), 0);
}

TEST_F(ServerTest, ElementThatNobodyToldOfIsUnavailable) {
  Rig rig(mock::EditorDesktop(kText));
  const Element unknown = {"100", "ax:1"};
  EXPECT_TRUE(absl::IsUnavailable(
      rig.server()
          .Read({unknown, Attribute::kRole}, rig.clock().Now() + kTime)
          .status()));
  EXPECT_FALSE(rig.server()
                   .Write({unknown, WriteRequest::Kind::kSetValue, {}, "x"},
                          rig.clock().Now() + kTime)
                   .sent);
}

TEST_F(ServerTest, ReplacementSelectsLooksAndWrites) {
  Rig rig(mock::EditorDesktop(kText));
  const fake::Trips before = rig.desktop().trips();
  const WriteResult written =
      Write(rig, {.range = {1, 2}, .text = "bcd", .caret = 4, .known = kText});
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(written.status.ok()) << written.status;
  EXPECT_EQ(Node(rig).text, U"abcdz");
  EXPECT_EQ(Node(rig).caret, 4);
  EXPECT_FALSE(Node(rig).selection.has_value());
  const fake::Trips after = rig.desktop().trips();
  EXPECT_EQ(after.probes - before.probes, 1);
  EXPECT_EQ(after.writes - before.writes, 3);
  EXPECT_EQ(after.copies - before.copies, 2);  // the focus, the selection
}

TEST_F(ServerTest, TextThatIsNotKnownIsReadToConvertTheRange) {
  Rig rig(mock::EditorDesktop(kText));
  const WriteResult written = Write(rig, {.range = {2, 3}, .text = "y"});
  EXPECT_TRUE(written.status.ok()) << written.status;
  EXPECT_EQ(Node(rig).text, U"a\U0001F600y");
}

TEST_F(ServerTest, SelectionThatIsNotTakenKeepsTheText) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("select_ignored", {}));
  const WriteResult written =
      Write(rig, {.range = {0, 1}, .text = "b", .known = kText});
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(absl::IsFailedPrecondition(written.status)) << written.status;
  EXPECT_EQ(Node(rig).text, U"a\U0001F600z");
}

TEST_F(ServerTest, SelectionThatShowsLateIsCollapsed) {
  Rig rig(mock::EditorDesktop(kText));
  rig.mock().Add(*mock::MakeHostility("shows_late", {.parameter = 100}));
  const WriteResult written =
      Write(rig, {.range = {0, 1}, .text = "b", .known = kText});
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(absl::IsFailedPrecondition(written.status)) << written.status;
  EXPECT_EQ(Node(rig).text, U"a\U0001F600z");
  EXPECT_FALSE(Node(rig).selection.has_value());
}

TEST_F(ServerTest, CountThatIsNotTheTextsIsSeen) {
  for (const int64_t count : {0, 3, 5, 1000}) {
    Rig rig(mock::EditorDesktop(kText));
    CFTypeRef number =
        CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &count);
    rig.desktop().faults().values["AXNumberOfCharacters"] = number;
    const absl::StatusOr<Snapshot> snapshot = Take(rig);
    ASSERT_TRUE(snapshot.ok());
    EXPECT_EQ(*snapshot->value, kText);
    EXPECT_EQ(snapshot->notes.size(), 1u) << count;
    CFRelease(number);
  }
}

TEST_F(ServerTest, TextThatIsNotTakenLeavesNothingSelected) {
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().write_errors["AXSelectedText"] = kAXErrorFailure;
  const WriteResult written =
      Write(rig, {.range = {0, 1}, .text = "b", .known = kText});
  EXPECT_TRUE(written.sent);
  EXPECT_FALSE(written.status.ok());
  EXPECT_EQ(Node(rig).text, U"a\U0001F600z");
  EXPECT_FALSE(Node(rig).selection.has_value());
}

TEST_F(ServerTest, ElementThatTakesNoTextInPlaceOfASelectionIsNotSentAny) {
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().probe_errors["AXSelectedText"] =
      kAXErrorAttributeUnsupported;
  const WriteResult written =
      Write(rig, {.range = {0, 1}, .text = "b", .known = kText});
  EXPECT_FALSE(written.sent);
  EXPECT_TRUE(absl::IsUnimplemented(written.status));
  EXPECT_EQ(rig.desktop().trips().writes, 0);
}

TEST_F(ServerTest, WholeValueAndSelectionTakeOneTrip) {
  Rig rig(mock::EditorDesktop(kText));
  EXPECT_TRUE(
      Write(rig, {.kind = WriteRequest::Kind::kSetValue, .text = "new text"})
          .status.ok());
  EXPECT_EQ(Node(rig).text, U"new text");
  EXPECT_TRUE(Write(rig, {.kind = WriteRequest::Kind::kSelect,
                          .range = {0, 3},
                          .known = "new text"})
                  .status.ok());
  EXPECT_EQ(Node(rig).selection, (Range{0, 3}));
  EXPECT_EQ(rig.desktop().trips().writes, 2);
}

TEST_F(ServerTest, WhatIsWrongInItselfIsNotSent) {
  using namespace std::string_literals;
  Rig rig(mock::EditorDesktop(kText));
  const auto refused = [&](WriteRequest request) {
    const WriteResult written = Write(rig, std::move(request));
    EXPECT_FALSE(written.sent);
    return absl::IsInvalidArgument(written.status);
  };
  EXPECT_TRUE(refused({.range = {-1, 0}, .text = "x"}));
  EXPECT_TRUE(refused({.range = {2, 1}, .text = "x"}));
  EXPECT_TRUE(refused({.range = {0, 9}, .text = "x", .known = kText}));
  EXPECT_TRUE(refused({.text = "a\0b"s}));
  EXPECT_TRUE(refused({.text = "\xED\xA0\xBD"}));
  EXPECT_TRUE(refused({.text = "x", .caret = -1}));
  const WriteResult nothing = Write(rig, {.range = {1, 1}});
  EXPECT_FALSE(nothing.sent);
  EXPECT_TRUE(nothing.status.ok());
  EXPECT_EQ(rig.desktop().trips().writes, 0);
}

TEST_F(ServerTest, WriteThatIsNotAnsweredIsLate) {
  Rig rig(mock::EditorDesktop(kText));
  const Element field = Field(rig);
  rig.mock().Add(*mock::MakeHostility("write_no_reply_landed", {}));
  const WriteResult written =
      rig.server().Write({field, WriteRequest::Kind::kSetValue, {}, "x"},
                         rig.clock().Now() + kTime);
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(absl::IsDeadlineExceeded(written.status)) << written.status;
}

TEST_F(ServerTest, ProcessThatIsToldToBeTrustedAndIsNotIsSeen) {
  Rig rig(mock::EditorDesktop(kText));
  Trust trust = rig.server().CheckTrust(rig.clock().Now() + kTime);
  EXPECT_TRUE(trust.told);
  EXPECT_TRUE(trust.read.ok());
  rig.desktop().faults().every_error = kAXErrorAPIDisabled;
  trust = rig.server().CheckTrust(rig.clock().Now() + kTime);
  EXPECT_TRUE(trust.told);
  EXPECT_TRUE(absl::IsPermissionDenied(trust.read));
  EXPECT_TRUE(absl::IsPermissionDenied(
      rig.server().FocusedApplication(rig.clock().Now() + kTime).status()));
}

TEST_F(ServerTest, NothingInFocusIsAReadThatWasAnswered) {
  Rig rig(mock::EditorDesktop(kText));
  rig.world().set_focused("");
  EXPECT_TRUE(rig.server().CheckTrust(rig.clock().Now() + kTime).read.ok());
}

TEST_F(ServerTest, SleepingApplicationIsWokenWhenAskedToAndPutBack) {
  for (const bool refuses : {false, true}) {
    Rig rig(mock::EditorDesktop(kText), {}, {.wake = true});
    rig.desktop().faults().errors["AXFocusedUIElement"] = kAXErrorNoValue;
    if (refuses) {
      rig.desktop().faults().write_errors["AXManualAccessibility"] =
          kAXErrorAttributeUnsupported;
    }
    const absl::Time deadline = rig.clock().Now() + kTime;
    EXPECT_TRUE(absl::IsNotFound(
        rig.server().FocusedElements({.id = "100"}, deadline).status()));
    EXPECT_TRUE(rig.desktop().woken().contains("100 AXManualAccessibility"));
    EXPECT_EQ(rig.desktop().woken().contains("100 AXEnhancedUserInterface"),
              refuses);
    const int64_t writes = rig.desktop().trips().writes;
    rig.server()
        .FocusedElements({.id = "100"}, deadline)
        .status()
        .IgnoreError();
    EXPECT_EQ(rig.desktop().trips().writes, writes);
    rig.EndServer();
    EXPECT_TRUE(rig.desktop().woken().empty());
  }
}

TEST_F(ServerTest, NobodyIsWokenUnasked) {
  Rig rig(mock::EditorDesktop(kText));
  rig.desktop().faults().errors["AXFocusedUIElement"] = kAXErrorNoValue;
  rig.server()
      .FocusedElements({.id = "100"}, rig.clock().Now() + kTime)
      .status()
      .IgnoreError();
  EXPECT_EQ(rig.desktop().trips().writes, 0);
}

TEST_F(ServerTest, ServersThatShareATableKnowEachOthersElements) {
  const auto table = std::make_shared<ElementTable>();
  Rig rig(mock::EditorDesktop(kText), {}, {.elements = table});
  const Element field = Field(rig);
  const std::unique_ptr<MacosServer> other = MacosServer::Create(
      {.clock = &rig.clock(), .elements = table, .make_bounder = [&](Clock&) {
         return std::make_unique<FakeBounder>(&rig.desktop());
       }});
  EXPECT_TRUE(
      other->Read({field, Attribute::kRole}, rig.clock().Now() + kTime).ok());
}

TEST_F(ServerTest, WindowIsActiveWhereItsApplicationIsInFront) {
  Rig rig(mock::EditorDesktop(kText));
  const absl::StatusOr<Element> window =
      Get<Element>(Read(rig, Attribute::kWindow));
  ASSERT_TRUE(window.ok()) << window.status();
  const auto states = [&] {
    return *Get<int64_t>(rig.server().Read({*window, Attribute::kStates},
                                           rig.clock().Now() + kTime));
  };
  EXPECT_NE(states() & kStateActive, 0);
  rig.world().set_focused("");
  EXPECT_EQ(states() & kStateActive, 0);
}

TEST_F(ServerTest, NothingIsSentAfterTheDeadline) {
  Rig rig(mock::EditorDesktop(kText));
  const Element field = Field(rig);
  const fake::Trips before = rig.desktop().trips();
  rig.clock().Advance(absl::Seconds(1));
  const absl::Time past = rig.clock().Now() - absl::Milliseconds(1);
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(rig.server().FocusedApplication(past).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(rig.server().WindowList(past).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      rig.server().Read({field, Attribute::kRole}, past).status()));
  const WriteResult written =
      rig.server().Write({field, WriteRequest::Kind::kSetValue, {}, "x"}, past);
  EXPECT_FALSE(written.sent);
  EXPECT_TRUE(absl::IsDeadlineExceeded(written.status));
  EXPECT_EQ(rig.desktop().trips(), before);
}

}  // namespace
}  // namespace tactus::ax::macos
