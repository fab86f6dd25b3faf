// The backend and everything above it against hostile applications on a real
// bus of the test's own: no display, no toolkit, nothing of the session.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/private_bus.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

constexpr char kBinary[] = "ax/mock/dbus/mock_app";
constexpr absl::Duration kPatience = absl::Seconds(10);
// "a", a woman (two UTF-16 units, four bytes), "b".
constexpr char kText[] =
    "a\xF0\x9F\x91\xA9"
    "b";

class EndToEndTest : public ::testing::Test {
 protected:
  // One editor of a toolkit with `rest` of a script.
  void Start(const std::string& toolkit, const std::string& version,
             const std::string& rest = "",
             const std::string& role = "text-area",
             const std::string& elements_before = "") {
    const std::string script = absl::StrCat(
        R"({"applications": [{"id": "app:7", "name": "notes", "pid": 7,
             "toolkit": ")",
        toolkit, R"(", "toolkit_version": ")", version,
        R"(", "focus": "/text", "elements": [)", elements_before,
        R"({"path": "/text", "role": ")", role,
        R"(", "text": "a\ud83d\udc69b", "caret": 2,
                "selection": [1, 2]}]}],
            "windows": [{"application": "app:7", "active": true}],
            "focused": "app:7")",
        rest, "}");
    absl::StatusOr<std::unique_ptr<mock::PrivateBus>> bus =
        mock::PrivateBus::Start();
    ASSERT_TRUE(bus.ok()) << bus.status();
    bus_ = *std::move(bus);
    absl::StatusOr<std::unique_ptr<mock::MockProcess>> mock =
        mock::MockProcess::Start(kBinary, *bus_, script, {"--registry"});
    ASSERT_TRUE(mock.ok()) << mock.status();
    mock_ = *std::move(mock);
    absl::StatusOr<std::unique_ptr<AtspiServer>> server = AtspiServer::Connect(
        {.bus_address = bus_->address(), .no_display = true}, In(kPatience));
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  static absl::Time In(absl::Duration duration) {
    return Clock::Real().Now() + duration;
  }

  absl::StatusOr<Snapshot> Take(absl::Duration patience = kPatience) {
    return SnapshotFocused(*server_, {.deadline = In(patience)});
  }

  std::unique_ptr<mock::PrivateBus> bus_;
  std::unique_ptr<mock::MockProcess> mock_;
  std::unique_ptr<AtspiServer> server_;
};

TEST_F(EndToEndTest, EveryToolkitIsReadInCodePoints) {
  for (const auto& [toolkit, version] :
       std::vector<std::pair<std::string, std::string>>{{"gtk", "3.24.38"},
                                                        {"GTK", "4.8.3"},
                                                        {"Qt", "6.4.2"},
                                                        {"Chromium", "156"},
                                                        {"Novel", "1"}}) {
    Start(toolkit, version);
    const absl::StatusOr<Snapshot> s = Take();
    ASSERT_TRUE(s.ok()) << toolkit << ": " << s.status();
    EXPECT_EQ(s->value.value_or("?"), kText) << toolkit;
    EXPECT_EQ(s->character_count.value_or(-1), 3) << toolkit;
    EXPECT_EQ(s->caret.value_or(-1), 2) << toolkit;
    EXPECT_EQ(s->selection.value_or(Range{}), (Range{1, 2})) << toolkit;
    EXPECT_EQ(s->application.toolkit, toolkit);
    EXPECT_EQ(s->notes, std::vector<std::string>()) << toolkit;
  }
}

TEST_F(EndToEndTest, WritesAreBelievedOnlyWhereAToolkitIsKnownToLandThem) {
  Start("gtk", "3.24.38");
  EXPECT_EQ(Take()->strategy(), Strategy::kRangeEdit);
  Start("Chromium", "156");
  EXPECT_EQ(Take()->strategy(), Strategy::kPaste);
  Start("Novel", "1");
  EXPECT_EQ(Take()->strategy(), Strategy::kPaste);
}

TEST_F(EndToEndTest, EveryAttributeIsAnsweredAsOftenAsItIsAsked) {
  for (const char* toolkit : {"gtk", "Qt"}) {
    Start(toolkit, "3.24.38");
    const Element field = Take()->element;
    std::vector<ReadRequest> requests;
    for (const Attribute attribute :
         {Attribute::kRole, Attribute::kStates, Attribute::kValueSettable,
          Attribute::kText, Attribute::kCharacterCount, Attribute::kCaret,
          Attribute::kSelection, Attribute::kSelectedText}) {
      requests.push_back({field, attribute, {0, 3}});
      requests.push_back({field, attribute, {0, 3}});
    }
    const absl::StatusOr<std::vector<Reading>> readings =
        server_->ReadMany(requests, In(kPatience));
    ASSERT_TRUE(readings.ok()) << readings.status();
    for (size_t i = 0; i < requests.size(); i += 2) {
      const absl::string_view name = AttributeName(requests[i].attribute);
      EXPECT_TRUE((*readings)[i].ok()) << name << (*readings)[i].status();
      EXPECT_TRUE((*readings)[i] == (*readings)[i + 1]) << name;
    }
  }
}

TEST_F(EndToEndTest, WriteOfNothingIsDoneAndNotSent) {
  Start("gtk", "3.24.38");
  const Element field = Take()->element;
  const Traffic before = server_->traffic();
  for (const std::optional<int64_t> caret :
       {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
    const WriteResult nothing = server_->Write(
        {.element = field, .range = {1, 1}, .caret = caret}, In(kPatience));
    EXPECT_FALSE(nothing.sent);
    EXPECT_TRUE(nothing.status.ok()) << nothing.status;
  }
  EXPECT_EQ(server_->traffic(), before);
  EXPECT_EQ(Take()->caret.value_or(-1), 2);
}

TEST_F(EndToEndTest, TextThatDBusCannotCarryIsRefusedBeforeAnythingIsSent) {
  Start("gtk", "3.24.38");
  const Element field = Take()->element;
  const Traffic before = server_->traffic();
  for (const std::string& text : std::vector<std::string>{
           "a\xff", "\xED\xA0\xBD", std::string("a\0b", 3), "\uFDD0", "\uFDEF",
           "a\uFFFE", "\uFFFF", "\U0001FFFE", "\U0010FFFF"}) {
    for (const WriteRequest::Kind kind :
         {WriteRequest::Kind::kReplaceRange, WriteRequest::Kind::kSetValue}) {
      const WriteResult refused = server_->Write(
          {.element = field, .kind = kind, .range = {0, 3}, .text = text},
          In(kPatience));
      EXPECT_FALSE(refused.sent);
      EXPECT_EQ(refused.status.code(), absl::StatusCode::kInvalidArgument);
    }
  }
  EXPECT_EQ(server_->traffic(), before);
  EXPECT_EQ(Take()->value.value_or("?"), kText);
  // Their neighbours are carried.
  const std::string around = "\uFDCF\uFDF0\uFFFD\U0001FFFD\U00020000";
  const WriteResult taken = server_->Write(
      {.element = field, .range = {0, 3}, .text = around}, In(kPatience));
  EXPECT_TRUE(taken.sent);
  EXPECT_TRUE(taken.status.ok()) << taken.status;
  EXPECT_EQ(Take()->value.value_or("?"), around);
}

TEST_F(EndToEndTest, NothingThatWeSendKillsAnApplication) {
  // It dies on Properties.GetAll and on arguments that kill a real one.
  Start("Qt", "5.15.8", R"(, "hostilities": [{"name": "dies_on_bad_range"}])");
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<Snapshot> s = Take();
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_EQ(s->value.value_or("?"), kText);
  }
}

TEST_F(EndToEndTest, StaleClaimThatIsNotOnTheScreenIsNotTaken) {
  for (const auto& [toolkit, version] :
       std::vector<std::pair<std::string, std::string>>{{"GTK", "4.8.3"},
                                                        {"Qt", "6.4.2"},
                                                        {"Chromium", "156"},
                                                        {"Novel", "1"}}) {
    Start(toolkit, version, "", "text-area",
          R"({"path": "/stale", "role": "text-area", "text": "stale",
              "states": ["focused", "editable", "multi-line", "enabled",
                         "supports-text"]},)");
    for (int i = 0; i < 3; ++i) {
      const absl::StatusOr<Snapshot> s = Take();
      ASSERT_TRUE(s.ok()) << toolkit << ": " << s.status();
      EXPECT_EQ(s->value.value_or("?"), kText) << toolkit;
      EXPECT_FALSE(s->ambiguous) << toolkit;
    }
  }
}

TEST_F(EndToEndTest, TwoClaimsOnTheScreenAreADoubtWhereAToolkitIsNotKnown) {
  Start("Novel", "1", "", "text-area",
        R"({"path": "/second", "role": "text-area", "text": "second"},)");
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<Snapshot> s = Take();
    ASSERT_TRUE(s.ok()) << s.status();
    EXPECT_TRUE(s->ambiguous);
  }
}

TEST_F(EndToEndTest, FocusThatMovesIsFollowedByTheNextSnapshot) {
  for (const auto& [toolkit, version] :
       std::vector<std::pair<std::string, std::string>>{{"gtk", "3.24.38"},
                                                        {"GTK", "4.8.3"},
                                                        {"Qt", "6.4.2"},
                                                        {"Chromium", "156"},
                                                        {"Novel", "1"}}) {
    Start(toolkit, version,
          R"(, "actions": [{"do": "focus", "path": "/second",
                            "at_us": 300000}])",
          "text-area",
          R"({"path": "/second", "role": "text-area", "text": "second",
              "states": ["editable", "multi-line", "enabled", "showing",
                         "visible", "supports-text"]},)");
    EXPECT_EQ(Take()->value.value_or("?"), kText) << toolkit;
    const absl::Time end = In(kPatience);
    absl::StatusOr<Snapshot> s;
    do {
      s = Take();
    } while (s.ok() && s->value.value_or("?") == kText &&
             Clock::Real().Now() < end);
    ASSERT_TRUE(s.ok()) << toolkit << ": " << s.status();
    EXPECT_EQ(s->value.value_or("?"), "second") << toolkit;
  }
}

TEST_F(EndToEndTest, PasswordIsNotRead) {
  Start("GTK", "4.8.3", "", "password");
  const absl::StatusOr<Snapshot> s = Take();
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_TRUE(s->secure);
  EXPECT_EQ(s->value.status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(EndToEndTest, HungApplicationEndsAtTheDeadline) {
  Start("gtk", "3.24.38", R"(, "hostilities": [{"name": "hung"}])");
  const absl::Time deadline = In(absl::Milliseconds(200));
  const absl::StatusOr<Snapshot> s =
      SnapshotFocused(*server_, {.deadline = deadline});
  EXPECT_FALSE(s.ok());
  // By then it must have given up; how soon after it was scheduled again is the
  // machine's.
  EXPECT_GE(Clock::Real().Now(), deadline - absl::Milliseconds(150));
}

TEST_F(EndToEndTest, StoppedApplicationAnswersAgainWhenItGoesOn) {
  Start("gtk", "3.24.38");
  ASSERT_TRUE(Take().ok());
  absl::StatusOr<Target> target = Resolve(*server_, In(kPatience));
  ASSERT_TRUE(target.ok());
  mock_->Stop();
  EXPECT_EQ(SnapshotTarget(*server_, *target,
                           {.deadline = In(absl::Milliseconds(100))})
                .status()
                .code(),
            absl::StatusCode::kDeadlineExceeded);
  mock_->Continue();
  const absl::StatusOr<Snapshot> s =
      SnapshotTarget(*server_, *target, {.deadline = In(kPatience)});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->value.value_or("?"), kText);
}

TEST_F(EndToEndTest, DeathInMidCallIsUnavailableAndEndsAtOnce) {
  Start("gtk", "3.24.38");
  absl::StatusOr<Target> target = Resolve(*server_, In(kPatience));
  ASSERT_TRUE(target.ok()) << target.status();
  mock_.reset();
  EXPECT_EQ(SnapshotTarget(*server_, *target, {.deadline = In(kPatience)})
                .status()
                .code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EndToEndTest, ApplicationThatLiesAboutTypesHasNoFocusAndIsNotRead) {
  Start("gtk", "3.24.38", R"(, "hostilities": [{"name": "wrong_type"}])");
  // Even the state of its window is of the wrong type, so none is active.
  EXPECT_EQ(Take().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(EndToEndTest, AttributeOfTheWrongTypeCostsNoOther) {
  Start("gtk", "3.24.38",
        R"(, "hostilities": [{"name": "wrong_type", "attribute": "caret"}])");
  const absl::StatusOr<Snapshot> s = Take();
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->caret.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(s->value.value_or("?"), kText);
}

TEST_F(EndToEndTest, HugeTextIsReadAsAWindow) {
  Start("gtk", "3.24.38",
        R"(, "hostilities": [{"name": "huge_text", "parameter": 1000000}])");
  const absl::StatusOr<Snapshot> s =
      SnapshotFocused(*server_, {.deadline = In(kPatience), .max_text = 1000});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->window.length(), 1000);
  EXPECT_FALSE(s->whole);
}

TEST_F(EndToEndTest, FocusEventIsHeard) {
  Start("gtk", "3.24.38",
        R"(, "actions": [{"do": "type", "text": "x", "at_us": 300000}])");
  absl::StatusOr<std::unique_ptr<EventSource>> events =
      server_->Observe({.text = true}, In(kPatience));
  ASSERT_TRUE(events.ok()) << events.status();
  const absl::StatusOr<Event> event = (*events)->Next(In(kPatience));
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->element.application, mock_->bus_name("app:7"));
  (*events)->Cancel();
  EXPECT_EQ((*events)->Next(In(kPatience)).status().code(),
            absl::StatusCode::kCancelled);
}

TEST(EndToEndStartTest, BusThatIsNotThereIsAPreconditionWithARemedy) {
  EXPECT_EQ(AtspiServer::Connect({.bus_address = "unix:path=/nonexistent/bus",
                                  .no_display = true},
                                 Clock::Real().Now() + absl::Seconds(1))
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tactus::ax::atspi
