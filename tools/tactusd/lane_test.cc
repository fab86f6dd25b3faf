#include "tools/tactusd/lane.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tactus::daemon {
namespace {

using Notes = std::vector<std::string>;

Lane::Piece Piece(int client, const std::string& id, Notes* notes) {
  return {
      .client = client,
      .id = id,
      .run = [notes, id] { notes->push_back("ran " + id); },
      .drop = [notes, id](Lane::Why) { notes->push_back("dropped " + id); }};
}

TEST(LaneTest, PiecesAreDoneInTheirOrder) {
  Lane lane;
  Notes notes;
  EXPECT_TRUE(lane.Submit(Piece(1, "a", &notes)));
  EXPECT_TRUE(lane.Submit(Piece(2, "b", &notes)));
  EXPECT_EQ(lane.waiting(), 2u);
  EXPECT_TRUE(lane.RunOne());
  EXPECT_TRUE(lane.RunOne());
  EXPECT_FALSE(lane.RunOne());
  EXPECT_EQ(notes, (Notes{"ran a", "ran b"}));
}

TEST(LaneTest, FullItTakesNothingButWhatIsAlwaysTaken) {
  Lane lane;
  Notes notes;
  for (size_t i = 0; i < Lane::kMostWaiting; ++i) {
    ASSERT_TRUE(lane.Submit(Piece(1, "a", &notes)));
  }
  EXPECT_FALSE(lane.Submit(Piece(1, "b", &notes)));
  Lane::Piece always = Piece(1, "c", &notes);
  always.always = true;
  EXPECT_TRUE(lane.Submit(std::move(always)));
  EXPECT_EQ(notes, Notes());
}

TEST(LaneTest, OnlyAPartialThatWaitsLastOfItsClientIsSuperseded) {
  Lane lane;
  Notes notes;
  const auto partial = [&notes](int client, const std::string& id) {
    Lane::Piece piece = Piece(client, id, &notes);
    piece.partial = true;
    return piece;
  };
  lane.Submit(partial(1, "a"), true);
  lane.Submit(Piece(1, "final", &notes), false);
  lane.Submit(partial(1, "b"), true);
  lane.Submit(partial(2, "of another"), true);
  EXPECT_EQ(notes, Notes());
  lane.Submit(partial(1, "c"), true);
  EXPECT_EQ(notes, Notes{"dropped b"});
  while (lane.RunOne()) {
  }
  EXPECT_EQ(notes, (Notes{"dropped b", "ran a", "ran final", "ran of another",
                          "ran c"}));
}

TEST(LaneTest, StopDropsWhatWaitsAndEndsTheThread) {
  Lane lane;
  Notes notes;
  lane.Submit(Piece(1, "a", &notes));
  Lane::Piece always = Piece(1, "c", &notes);
  always.always = true;
  lane.Submit(std::move(always));
  lane.Stop();
  EXPECT_FALSE(lane.Submit(Piece(1, "b", &notes)));
  std::thread thread([&lane] { lane.Run(); });
  thread.join();
  EXPECT_EQ(notes, (Notes{"dropped a", "ran c"}));
}

TEST(LaneTest, ThreadDoesWhatComesAndIsThenIdle) {
  Lane lane;
  Notes notes;  // by the lane's thread until it is joined
  lane.set_idle([&notes] { notes.emplace_back("idle"); });
  std::thread thread([&lane] { lane.Run(); });
  lane.Submit(Piece(1, "a", &notes));
  while (lane.waiting() > 0 || lane.busy()) std::this_thread::yield();
  lane.Stop();
  thread.join();
  EXPECT_EQ(notes, (Notes{"ran a", "idle"}));
  EXPECT_FALSE(lane.busy());
}

}  // namespace
}  // namespace tactus::daemon
