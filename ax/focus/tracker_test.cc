#include "ax/focus/tracker.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using Kind = Event::Kind;

Event Of(Kind kind, const std::string& application, const std::string& path) {
  return Event{kind, Element{application, path}};
}

class TrackerTest : public ::testing::Test {
 protected:
  std::vector<std::string> Candidates() const {
    std::vector<std::string> paths;
    const std::optional<FocusTracker::Guess> guess = tracker_.guess();
    if (!guess.has_value()) return {"no guess"};
    for (const Element& e : guess->candidates) paths.push_back(e.path);
    return paths;
  }

  FocusTracker tracker_;
};

TEST_F(TrackerTest, NothingIsGuessedBeforeAWindowWasActivated) {
  tracker_.Take(Of(Kind::kFocused, "a", "/field"));
  EXPECT_EQ(tracker_.guess(), std::nullopt);
}

TEST_F(TrackerTest, LastFocusedElementsOfTheActiveApplicationAreCandidates) {
  EXPECT_TRUE(tracker_.Take(Of(Kind::kWindowActivated, "a", "/window")));
  EXPECT_TRUE(tracker_.Take(Of(Kind::kFocused, "a", "/paragraph")));
  EXPECT_TRUE(tracker_.Take(Of(Kind::kFocused, "a", "/container")));
  EXPECT_EQ(Candidates(),
            (std::vector<std::string>{"/container", "/paragraph"}));
  EXPECT_EQ(tracker_.guess()->window, (Element{"a", "/window"}));
}

TEST_F(TrackerTest, FocusInABackgroundApplicationChangesNothingNow) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  tracker_.Take(Of(Kind::kFocused, "a", "/field"));
  EXPECT_FALSE(tracker_.Take(Of(Kind::kFocused, "b", "/other")));
  EXPECT_EQ(Candidates(), (std::vector<std::string>{"/field"}));
  tracker_.Take(Of(Kind::kWindowActivated, "b", "/window"));
  EXPECT_EQ(Candidates(), (std::vector<std::string>{"/other"}));
}

TEST_F(TrackerTest, LateDeactivationOfTheWindowBeforeIsIgnored) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  tracker_.Take(Of(Kind::kWindowActivated, "b", "/window"));
  EXPECT_FALSE(tracker_.Take(Of(Kind::kWindowDeactivated, "a", "/window")));
  EXPECT_EQ(tracker_.guess()->application, "b");
}

TEST_F(TrackerTest, LateDeactivationOfAnotherWindowOfTheSameIsIgnored) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/first"));
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/second"));
  EXPECT_FALSE(tracker_.Take(Of(Kind::kWindowDeactivated, "a", "/first")));
  EXPECT_EQ(tracker_.guess()->window.path, "/second");
}

TEST_F(TrackerTest, DeactivationOfTheActiveWindowEndsTheGuess) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  EXPECT_TRUE(tracker_.Take(Of(Kind::kWindowDeactivated, "a", "/window")));
  EXPECT_EQ(tracker_.guess(), std::nullopt);
}

TEST_F(TrackerTest, ApplicationThatLeftIsForgotten) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  tracker_.Take(Of(Kind::kFocused, "a", "/field"));
  EXPECT_TRUE(tracker_.Take(Of(Kind::kApplicationGone, "a", "")));
  EXPECT_EQ(tracker_.guess(), std::nullopt);
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  EXPECT_EQ(Candidates(), std::vector<std::string>());
}

TEST_F(TrackerTest, LostEventsForgetEverything) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  EXPECT_TRUE(tracker_.Take(Of(Kind::kLost, "", "")));
  EXPECT_EQ(tracker_.guess(), std::nullopt);
}

TEST_F(TrackerTest, OnlyTheLastFourElementsAreKeptAndNoneTwice) {
  tracker_.Take(Of(Kind::kWindowActivated, "a", "/window"));
  for (const char* path : {"/1", "/2", "/3", "/4", "/5", "/3"}) {
    tracker_.Take(Of(Kind::kFocused, "a", path));
  }
  EXPECT_EQ(Candidates(), (std::vector<std::string>{"/3", "/5", "/4", "/2"}));
}

TEST_F(TrackerTest, FloodOfApplicationsIsBounded) {
  for (int i = 0; i < 10000; ++i) {
    tracker_.Take(Of(Kind::kFocused, absl::StrCat("a", i), "/field"));
  }
  // The 257th application is not kept, so it cannot become the guess.
  tracker_.Take(Of(Kind::kWindowActivated, "a9999", "/window"));
  EXPECT_EQ(tracker_.guess(), std::nullopt);
}

}  // namespace
}  // namespace tactus::ax
