#include "ax/score/claims.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr States kField =
    kStateFocused | kStateShowing | kStateSupportsText | kStateEditable;

Claim Says(std::string path, Role role, States states = kField) {
  return {.element = {"app:1", std::move(path)},
          .role = RoleValue{role, ""},
          .subrole = absl::UnimplementedError("none"),
          .states = static_cast<int64_t>(states)};
}

Claim Plain(std::string path, States states = kField) {
  return Says(std::move(path), Role::kTextField, states);
}

Claim Secret(std::string path, States states = kField) {
  return Says(std::move(path), Role::kPassword, states);
}

TEST(MayBeSecureTest, OnlyWhatSaysThatItIsPlainIsPlain) {
  Claim claim = Plain("/a");
  EXPECT_FALSE(MayBeSecure(claim));
  claim.subrole = absl::NotFoundError("none");
  EXPECT_FALSE(MayBeSecure(claim));
  claim.subrole = RoleValue{Role::kOther, ""};
  EXPECT_FALSE(MayBeSecure(claim));
  claim.subrole = RoleValue{Role::kPassword, ""};
  EXPECT_TRUE(MayBeSecure(claim));
  claim.subrole = absl::DeadlineExceededError("late");
  EXPECT_TRUE(MayBeSecure(claim));
  claim = Plain("/a");
  claim.role = absl::NotFoundError("no role");
  EXPECT_TRUE(MayBeSecure(claim));
  EXPECT_TRUE(MayBeSecure(Secret("/a")));
}

TEST(ChooseTest, NothingIsChosenOfNothing) {
  const Choice choice = Choose({});
  EXPECT_FALSE(choice.best.has_value());
  EXPECT_FALSE(choice.tie);
  EXPECT_FALSE(choice.secure_beside);
}

TEST(ChooseTest, LikeliestIsChosenAndAloneWhereTheOthersArePlainAndLess) {
  const Choice choice = Choose(std::vector<Claim>{
      Plain("/stale", kField & ~kStateShowing), Plain("/field"),
      Plain("/old", kField & ~kStateFocused)});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_FALSE(choice.tie);
  EXPECT_FALSE(choice.secure_beside);
  EXPECT_TRUE(choice.rivals.empty());
}

TEST(ChooseTest, FirstOfEqualsIsChosenAndTheTieIsTold) {
  const Choice choice = Choose(
      std::vector<Claim>{Plain("/a"), Plain("/b"), Plain("/a"), Plain("/c")});
  EXPECT_EQ(choice.best, 0u);
  EXPECT_TRUE(choice.tie);
  EXPECT_FALSE(choice.secure_beside);
  EXPECT_EQ(choice.rivals, (std::vector<size_t>{1, 3}));
}

TEST(ChooseTest, ElementThatIsOfferedTwiceIsNoRivalOfItself) {
  const Choice choice =
      Choose(std::vector<Claim>{Plain("/a"), Plain("/a"), Plain("/a")});
  EXPECT_EQ(choice.best, 0u);
  EXPECT_FALSE(choice.tie);
  EXPECT_TRUE(choice.rivals.empty());
}

TEST(ChooseTest, ElementThatTurnsSecureBetweenTwoAnswersIsChosenAsSecure) {
  EXPECT_EQ(Choose(std::vector<Claim>{Plain("/a"), Secret("/a")}).best, 1u);
  EXPECT_EQ(Choose(std::vector<Claim>{Secret("/a"), Plain("/a")}).best, 0u);
}

TEST(ChooseTest, DefunctSecureClaimLosesAndIsTold) {
  const Choice choice = Choose(std::vector<Claim>{
      Secret("/secret", kField | kStateDefunct), Plain("/field")});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_FALSE(choice.tie);
  EXPECT_TRUE(choice.secure_beside);
  EXPECT_EQ(choice.rivals, (std::vector<size_t>{0}));
}

TEST(ChooseTest, SecureClaimWithoutFocusOrStatesIsToldToo) {
  EXPECT_TRUE(Choose(std::vector<Claim>{Plain("/field"),
                                        Secret("/s", kField & ~kStateFocused)})
                  .secure_beside);
  Claim silent = Secret("/s");
  silent.states = absl::UnavailableError("gone since");
  EXPECT_TRUE(
      Choose(std::vector<Claim>{Plain("/field"), silent}).secure_beside);
}

TEST(ChooseTest, ClaimThatDoesNotSayWhatItIsMayBeSecure) {
  Claim silent = Plain("/silent");
  silent.role = absl::DeadlineExceededError("late");
  silent.states = absl::DeadlineExceededError("late");
  const Choice choice = Choose(std::vector<Claim>{silent, Plain("/field")});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_TRUE(choice.secure_beside);
}

TEST(ChooseTest, ElementThatIsGoneIsNoRival) {
  Claim ghost = Plain("/ghost");
  ghost.role = absl::UnavailableError("no such element");
  ghost.states = absl::UnavailableError("no such element");
  const Choice choice = Choose(std::vector<Claim>{ghost, Plain("/field")});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_FALSE(choice.secure_beside);
  EXPECT_TRUE(choice.rivals.empty());
}

TEST(ChooseTest, SecureClaimThatWinsIsNotBesideItself) {
  const Choice choice = Choose(std::vector<Claim>{
      Plain("/stale", kField & ~kStateShowing), Secret("/secret")});
  EXPECT_EQ(choice.best, 1u);
  EXPECT_FALSE(choice.secure_beside);
  EXPECT_TRUE(choice.rivals.empty());
}

TEST(ChooseTest, RoleThatCannotBeReadCompetesAsSecure) {
  // Without support for text it would lose as anything else.
  Claim silent =
      Plain("/silent", kStateFocused | kStateShowing | kStateEditable);
  silent.role = absl::NotFoundError("no role");
  const Choice choice = Choose(
      std::vector<Claim>{silent, Plain("/field", kField & ~kStateEditable)});
  EXPECT_EQ(choice.best, 0u);
}

}  // namespace
}  // namespace tactus::ax
