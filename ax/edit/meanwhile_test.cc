#include "ax/edit/meanwhile.h"

#include <cstdint>
#include <optional>
#include <string>

#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr char kBefore[] = "The quick fox";
constexpr Range kQuick = {4, 9};
constexpr Range kEnd = {13, 13};

TEST(MeanwhileTest, TextThatIsTheSameLeavesTheUserWhereHeWas) {
  const Told told = Tell(kBefore, kBefore, kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kNothing);
  EXPECT_EQ(told.user, kEnd);
}

TEST(MeanwhileTest, KeysAtTheUsersCaretAreHisOwnAndMoveItAlong) {
  const Told told = Tell(kBefore, "The quick foxes", kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kElsewhere);
  EXPECT_EQ(told.user, (Range{15, 15}));
}

TEST(MeanwhileTest, KeysOverTheUsersSelectionAreHisOwn) {
  const Told told = Tell(kBefore, "My quick fox", kQuick, Range{0, 3});
  EXPECT_EQ(told.what, Meanwhile::kElsewhere);
  EXPECT_EQ(told.user, (Range{2, 2}));
  EXPECT_TRUE(told.over_users);
  EXPECT_FALSE(Tell(kBefore, "The quick foxes", kQuick, kEnd).over_users);
}

TEST(MeanwhileTest, ChangeOfARangeThatTheUserHadSelectedTooIsUnclear) {
  // Over his own "The quick" he may have typed "The x".
  EXPECT_EQ(Tell(kBefore, "The x fox", kQuick, Range{0, 9}).what,
            Meanwhile::kUnclear);
  // What reaches beyond ours is his, and so is all of it where both are one.
  EXPECT_EQ(Tell(kBefore, "x fox", kQuick, Range{0, 9}).what,
            Meanwhile::kElsewhere);
  EXPECT_EQ(Tell(kBefore, "The x fox", kQuick, kQuick).what,
            Meanwhile::kElsewhere);
}

TEST(MeanwhileTest, KeysRightBehindTheRangeWhereTheUserIsAreHisOwn) {
  const Told told = Tell("The quick", "The quickly", kQuick, Range{9, 9});
  EXPECT_EQ(told.what, Meanwhile::kElsewhere);
  EXPECT_EQ(told.user, (Range{11, 11}));
}

TEST(MeanwhileTest, KeyOverTheRangeIsTypedOverAndItsRepairGoesToTheUser) {
  const Told told = Tell(kBefore, "The x fox", kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.user, std::nullopt);
  EXPECT_EQ(told.repair, (Repair{{4, 9}, "quick foxx"}));
}

TEST(MeanwhileTest, RangeThatWasDeletedIsTypedOver) {
  const Told told = Tell(kBefore, "The  fox", kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{4, 8}, "quick fox"}));
}

TEST(MeanwhileTest, KeysAtBothPlacesAreTypedOverAndPutTogetherInTheirOrder) {
  EXPECT_EQ(Tell(kBefore, "The y foxx", kQuick, kEnd).repair,
            (Repair{{4, 10}, "quick foxxy"}));
  const Told told = Tell(kBefore, "xThe y fox", kQuick, Range{0, 0});
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{0, 6}, "xyThe quick"}));
}

TEST(MeanwhileTest, KeysAtTheUsersCaretRightBeforeTheRangeAreTornFromIt) {
  const Told told = Tell(kBefore, "The xy fox", kQuick, Range{4, 4});
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{4, 6}, "xyquick"}));
}

TEST(MeanwhileTest, KeysThatHoldTheLettersThatTheyReplacedAreTypedOver) {
  // "e" became "they"; nothing is missing, but the user was elsewhere.
  const Told told = Tell("an e here", "an they here", {3, 4}, Range{9, 9});
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{3, 12}, "e herethey"}));
}

TEST(MeanwhileTest, KeysWhereTheEditHadPutTheCaretAreTypedOver) {
  const Told told = Tell(kBefore, "The xquick fox", {4, 4}, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{4, 14}, "quick foxx"}));
}

TEST(MeanwhileTest, ChangeOfAnotherPlaceLeavesTheRangeUntouched) {
  Told told = Tell(kBefore, "A quick fox", kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kElsewhere);
  EXPECT_EQ(told.user, (Range{1, 1}));
  told = Tell(kBefore, "The quick ox", kQuick, std::nullopt);
  EXPECT_EQ(told.what, Meanwhile::kElsewhere);
  EXPECT_EQ(told.user, (Range{10, 10}));
}

TEST(MeanwhileTest, ChangesRoundTheRangeThatOnlyAddAreUnclear) {
  const Told told = Tell(kBefore, "!The quick fox!", kQuick, Range{6, 6});
  EXPECT_EQ(told.what, Meanwhile::kUnclear);
  EXPECT_EQ(told.user, std::nullopt);
}

TEST(MeanwhileTest, OtherTextAltogetherIsTypedOverWithoutARepair) {
  const Told told = Tell(kBefore, "set", kQuick, kEnd);
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, std::nullopt);
}

TEST(MeanwhileTest, WithoutTheUsersPlaceWhatIsGoneIsTypedOver) {
  EXPECT_EQ(Tell(kBefore, "The x fox", kQuick, std::nullopt).what,
            Meanwhile::kTypedOver);
  EXPECT_EQ(Tell(kBefore, "The quick foxx", kQuick, std::nullopt).what,
            Meanwhile::kElsewhere);
}

TEST(MeanwhileTest, OffsetsAreCodePoints) {
  const Told told =
      Tell("h\u00e9llo \U0001F98A \u05E9\u05DC end",
           "h\u00e9llo x \u05E9\u05DC end", {6, 7}, Range{14, 14});
  EXPECT_EQ(told.what, Meanwhile::kTypedOver);
  EXPECT_EQ(told.repair, (Repair{{6, 14}, "\U0001F98A \u05E9\u05DC endx"}));
}

TEST(MeanwhileTest, RangeMovesAlongWithWhatChangesOnOneSideOfIt) {
  EXPECT_EQ(MovedTo(kBefore, kBefore, kQuick), 4);
  EXPECT_EQ(MovedTo(kBefore, "The quick foxes", kQuick), 4);
  EXPECT_EQ(MovedTo(kBefore, "The quick, fox", kQuick), 4);
  EXPECT_EQ(MovedTo(kBefore, "A quick fox", kQuick), 2);
  EXPECT_EQ(MovedTo(kBefore, "quick fox", kQuick), 0);
  EXPECT_EQ(MovedTo(kBefore, "The quicker", kQuick), 4);
  EXPECT_EQ(MovedTo(kBefore, "The quack fox", kQuick), std::nullopt);
  EXPECT_EQ(MovedTo(kBefore, "A quick foxes", kQuick), std::nullopt);
  EXPECT_EQ(MovedTo(kBefore, "", kQuick), std::nullopt);
  EXPECT_EQ(MovedTo(kBefore, "The quick foxes", {4, 4}), std::nullopt);
  EXPECT_EQ(MovedTo(kBefore, "The quick foxes", {4, 14}), std::nullopt);
}

// Every text of up to three letters, every range and caret, and every word that
// is typed over the range: the repair is what the user alone would have made,
// and keys that leave a trace are never taken for nothing.
TEST(MeanwhileTest, RepairIsTheTextHadTheUserBeenAlone) {
  const std::string texts[] = {"", "a", "ab", "aa", "aba", "abb", "abab"};
  const std::string typed[] = {"x", "a", "b", "xy", "ab", "xax"};
  int compared = 0;
  for (const std::string& before : texts) {
    const auto n = static_cast<int64_t>(before.size());
    for (int64_t begin = 0; begin <= n; ++begin) {
      for (int64_t end = begin; end <= n; ++end) {
        for (int64_t at = 0; at <= n; ++at) {
          if (at > begin && at < end) continue;
          for (const std::string& keys : typed) {
            std::string now = before;
            now.replace(static_cast<size_t>(begin),
                        static_cast<size_t>(end - begin), keys);
            std::string alone = before;
            alone.insert(static_cast<size_t>(at), keys);
            const Told told = Tell(before, now, {begin, end}, Range{at, at});
            if (now == before) {
              EXPECT_EQ(told.what, Meanwhile::kNothing);
              continue;
            }
            if (told.what == Meanwhile::kElsewhere) {
              // Only where it reads as if typed at the user's own place.
              const auto added =
                  static_cast<size_t>(static_cast<int64_t>(now.size()) - n);
              std::string own = before;
              own.insert(static_cast<size_t>(at),
                         now.substr(static_cast<size_t>(at), added));
              EXPECT_EQ(now, own);
              continue;
            }
            ASSERT_EQ(told.what, Meanwhile::kTypedOver)
                << before << " -> " << now << " at " << at;
            ASSERT_TRUE(told.repair.has_value());
            std::string repaired = now;
            repaired.replace(static_cast<size_t>(told.repair->range.begin),
                             static_cast<size_t>(told.repair->range.length()),
                             told.repair->text);
            EXPECT_EQ(repaired, alone)
                << before << " -> " << now << " at " << at;
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 500);
}

}  // namespace
}  // namespace tactus::ax
