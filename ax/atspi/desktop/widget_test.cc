// Our own widgets, driven from outside while they are read.
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/activate.h"
#include "ax/atspi/desktop/control.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

// Longer than a busy machine takes: only what never comes to be waits for it.
constexpr absl::Duration kPatience = absl::Seconds(20);

absl::Time Soon() { return Clock::Real().Now() + kPatience; }

class WidgetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Control({"focus", "text"});
    server_ = Connect();
    ASSERT_NE(server_, nullptr);
  }

  static std::unique_ptr<AtspiServer> Connect() {
    absl::StatusOr<std::unique_ptr<AtspiServer>> server =
        AtspiServer::Connect({}, Soon());
    EXPECT_TRUE(server.ok()) << server.status();
    return server.ok() ? *std::move(server) : nullptr;
  }

  // A snapshot of the field of process `pid`, whose window is brought to the
  // front; a window manager that is busy is asked again.
  Snapshot TakeInFront(pid_t pid) {
    absl::Time ask = Clock::Real().Now();
    return TakeWhen([&](const Snapshot& s) {
      if (s.application.pid == pid) return s.value.ok();
      if (Clock::Real().Now() >= ask) {
        ActivateWindowOf(pid);
        ask = Clock::Real().Now() + absl::Milliseconds(500);
      }
      return false;
    });
  }

  // A snapshot once `ready` says so: a widget obeys before the toolkit has told
  // accessibility of it. The last one taken when it never does.
  template <typename Ready>
  Snapshot TakeWhen(Ready ready, FocusHints* hints = nullptr) {
    const absl::Time end = Soon();
    absl::StatusOr<Snapshot> snapshot;
    do {
      snapshot = SnapshotFocused(*server_, {.deadline = Soon()}, hints);
      if (snapshot.ok() && ready(*snapshot)) return *std::move(snapshot);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::Real().Now() < end);
    ADD_FAILURE() << "it never came to be: " << snapshot.status();
    return snapshot.value_or(Snapshot());
  }

  Snapshot TakeWithText(const std::string& text) {
    return TakeWhen(
        [&](const Snapshot& s) { return s.value.ok() && *s.value == text; });
  }

  void SetText(const std::string& text) {
    Control({"set", text});
    TakeWithText(text);
  }

  std::unique_ptr<AtspiServer> server_;
};

TEST_F(WidgetTest, OffsetsAreCodePointsWhateverTheToolkitCounts) {
  // One astral, one joined family, one combining mark, right to left.
  const std::string text =
      "a\xF0\x9F\x98\x80"
      "e\xCC\x81"
      "\xD7\xA9\xD7\x9C"
      "z";
  SetText(text);
  // After the astral character: 2 to 5 is "e", the mark and the first letter.
  Control({"select", "2", "5"});
  const Snapshot snapshot = TakeWhen([](const Snapshot& s) {
    return s.selection.ok() && s.selection->length() == 3;
  });
  EXPECT_EQ(snapshot.selection.value_or(Range{}), (Range{2, 5}));
  EXPECT_EQ(snapshot.selected_text.value_or(""),
            "e\xCC\x81"
            "\xD7\xA9");
  EXPECT_EQ(snapshot.character_count.value_or(-1), 7);
  EXPECT_EQ(snapshot.context_before, "a\xF0\x9F\x98\x80");
  EXPECT_EQ(snapshot.context_after,
            "\xD7\x9C"
            "z");
  EXPECT_EQ(snapshot.strategy(), Strategy::kRangeEdit);
}

TEST_F(WidgetTest, EmptyFieldIsReadAsEmptyAndNotAsMissing) {
  SetText("");
  const Snapshot snapshot = TakeWithText("");
  EXPECT_EQ(snapshot.value.value_or("missing"), "");
  EXPECT_EQ(snapshot.character_count.value_or(-1), 0);
  EXPECT_EQ(snapshot.caret.value_or(-1), 0);
  EXPECT_TRUE(snapshot.whole);
}

TEST_F(WidgetTest, TextOverTheLimitIsReadAsAWindowAroundTheCaret) {
  std::string text;
  for (int i = 0; i < 2000; ++i) absl::StrAppend(&text, i % 10);
  // An astral character in front, so that UTF-16 offsets differ.
  text.insert(0, "\xF0\x9F\x98\x80");
  SetText(text);
  Control({"select", "1000", "1000"});
  absl::StatusOr<Snapshot> snapshot;
  TakeWhen([](const Snapshot& s) { return s.caret.value_or(-1) == 1000; });
  snapshot = SnapshotFocused(*server_, {.deadline = Soon(), .max_text = 100});
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->window, (Range{950, 1050}));
  EXPECT_FALSE(snapshot->whole);
  EXPECT_EQ(snapshot->character_count.value_or(-1), 2001);
  // One byte a character but for the first, which has four.
  EXPECT_EQ(snapshot->value.value_or(""), text.substr(950 + 3, 100));
  EXPECT_EQ(snapshot->caret.value_or(-1), 1000);
}

TEST_F(WidgetTest, PasswordFieldIsFoundAndNeverReadForText) {
  Control({"focus", "password"});
  const Snapshot snapshot =
      TakeWhen([](const Snapshot& s) { return s.secure; });
  EXPECT_EQ(snapshot.value.status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_FALSE(snapshot.character_count.ok());
  EXPECT_FALSE(snapshot.caret.ok());
  EXPECT_EQ(snapshot.strategy(), Strategy::kSecure);
  // Warm, so that no socket is opened while calls are counted.
  for (int i = 0; i < 3; ++i) {
    TakeWhen([](const Snapshot& s) { return s.secure; });
  }
  // Only the first flight was sent: role, states, interfaces of each claim.
  absl::StatusOr<Target> target = Resolve(*server_, Soon());
  ASSERT_TRUE(target.ok()) << target.status();
  absl::StatusOr<Snapshot> again =
      SnapshotTarget(*server_, *target, {.deadline = Soon()});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->traffic.flights, 1);
  EXPECT_EQ(again->traffic.calls,
            3 * static_cast<int64_t>(target->candidates.size()));
}

TEST_F(WidgetTest, ReadOnlyFieldIsReadAndSaidNotToBeEditable) {
  Control({"focus", "readonly"});
  const Snapshot snapshot = TakeWhen(
      [](const Snapshot& s) { return s.strategy() == Strategy::kReadOnly; });
  EXPECT_TRUE(snapshot.value.ok()) << snapshot.value.status();
}

TEST_F(WidgetTest, ElementThatWasReplacedIsFoundAnewAndHasAnotherToken) {
  SetText("kept");
  const Snapshot before = TakeWithText("kept");
  Control({"replace-widget"});
  const Snapshot after = TakeWhen([&](const Snapshot& s) {
    return !(s.element == before.element) && s.value.ok() && *s.value == "kept";
  });
  EXPECT_NE(after.token(), before.token());
}

TEST_F(WidgetTest, TokenNamesTheTextItWasTakenFrom) {
  SetText("one");
  const Snapshot one = TakeWithText("one");
  absl::StatusOr<SnapshotToken> token = DecodeToken(one.token());
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->text_digest, DigestOf("one"));
  EXPECT_EQ(token->pid, ApplicationPid());
  SetText("two");
  EXPECT_NE(TakeWithText("two").token(), one.token());
}

TEST_F(WidgetTest, CacheFollowsTheFocusAndItsSnapshotIsTwoFlights) {
  SetText("cached");
  std::unique_ptr<AtspiServer> own = Connect();
  ASSERT_NE(own, nullptr);
  absl::StatusOr<std::unique_ptr<FocusCache>> cache =
      FocusCache::Create(std::move(own), Soon());
  ASSERT_TRUE(cache.ok()) << cache.status();
  (*cache)->Start();

  const auto by_cache = [](const Snapshot& s) {
    return s.route == Route::kCache;
  };
  Snapshot snapshot = TakeWhen(by_cache, cache->get());
  EXPECT_EQ(snapshot.value.value_or(""), "cached");
  snapshot = TakeWhen(by_cache, cache->get());
  EXPECT_EQ(snapshot.traffic.flights, 2);
  // Role, states and interfaces, and no look at the window, since in these
  // toolkits what is behind claims nothing; text, count, caret, selection.
  EXPECT_EQ(snapshot.traffic.calls, 7);
  const Element field = snapshot.element;

  Control({"focus", "entry"});
  snapshot = TakeWhen(
      [&](const Snapshot& s) {
        return s.route == Route::kCache && !(s.element == field);
      },
      cache->get());
  Control({"focus", "password"});
  snapshot = TakeWhen(
      [&](const Snapshot& s) { return s.route == Route::kCache && s.secure; },
      cache->get());
  EXPECT_EQ(snapshot.traffic.flights, 1);
}

// What the search relies on in GTK and Qt: were it otherwise, a field behind
// would be taken for the one being typed into.
TEST_F(WidgetTest, NothingClaimsTheFocusWhileAnotherWindowHasIt) {
  const Snapshot mine = TakeWhen([](const Snapshot& s) {
    return s.application.pid == ApplicationPid() && s.value.ok();
  });
  EXPECT_TRUE(mine.application.claims_are_current);
  absl::StatusOr<std::vector<Application>> all = server_->Applications(Soon());
  ASSERT_TRUE(all.ok()) << all.status();
  const Application* other = nullptr;
  for (const Application& application : *all) {
    if (application.pid != ApplicationPid()) other = &application;
  }
  ASSERT_NE(other, nullptr) << "this test needs --also";

  TakeInFront(other->pid);
  absl::StatusOr<std::vector<Element>> claims;
  const absl::Time end = Soon();
  do {
    claims = server_->FocusedElements(mine.application, Soon());
  } while (claims.ok() && Clock::Real().Now() < end);
  EXPECT_EQ(claims.status().code(), absl::StatusCode::kNotFound);

  EXPECT_EQ(TakeInFront(ApplicationPid()).element, mine.element);
}

TEST_F(WidgetTest, StoppedApplicationEndsAtTheDeadlineAndDelaysNoOther) {
  TakeWhen([](const Snapshot&) { return true; });
  absl::StatusOr<std::vector<Application>> all = server_->Applications(Soon());
  ASSERT_TRUE(all.ok()) << all.status();
  const Application* own = nullptr;
  const Application* other = nullptr;
  for (const Application& application : *all) {
    (application.pid == ApplicationPid() ? own : other) = &application;
  }
  ASSERT_NE(own, nullptr);
  ASSERT_NE(other, nullptr) << "this test needs --also";

  ASSERT_EQ(kill(ApplicationPid(), SIGSTOP), 0);
  const absl::Time deadline = Clock::Real().Now() + absl::Milliseconds(150);
  const absl::StatusOr<Snapshot> stopped =
      SnapshotFocused(*server_, {.deadline = deadline});
  const absl::Time ended = Clock::Real().Now();
  // A flight over both: the other's answer is there, the stopped one's is not.
  const std::string root = "/org/a11y/atspi/accessible/root";
  const ReadRequest requests[] = {{{other->id, root}, Attribute::kRole},
                                  {{own->id, root}, Attribute::kRole}};
  const absl::StatusOr<std::vector<Reading>> readings = server_->ReadMany(
      requests, Clock::Real().Now() + absl::Milliseconds(150));
  ASSERT_EQ(kill(ApplicationPid(), SIGCONT), 0);

  EXPECT_EQ(stopped.status().code(), absl::StatusCode::kDeadlineExceeded)
      << stopped.status();
  EXPECT_GE(ended, deadline);
  ASSERT_TRUE(readings.ok()) << readings.status();
  EXPECT_TRUE((*readings)[0].ok()) << (*readings)[0].status();
  EXPECT_EQ((*readings)[1].status().code(),
            absl::StatusCode::kDeadlineExceeded);
  // It recovers, on whatever connection it is asked.
  TakeWhen([](const Snapshot& s) { return s.value.ok(); });
}

}  // namespace
}  // namespace tactus::ax::atspi
