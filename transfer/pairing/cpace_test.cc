#include "transfer/pairing/cpace.h"

#include <boost/json.hpp>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

using Role = CPace::Role;
using boost::json::object;

class CPaceVectors : public testing::Test {
 protected:
  CPaceVectors() {
    std::ifstream file("transfer/pairing/testdata/ristretto255_sha512.json");
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    all_ = boost::json::parse(text).as_object();
  }

  static std::string Bytes(const boost::json::value& hex) {
    return absl::HexStringToBytes(
        absl::string_view(hex.as_string().data(), hex.as_string().size()));
  }
  std::string Of(const char* name) {
    return Bytes(all_.at("vector").as_object().at(name));
  }
  const object& points() { return all_.at("points").as_object(); }

  object all_;
};

TEST_F(CPaceVectors, GeneratorSharesProductAndKeyAreThoseOfTheDraft) {
  const CPaceInput input = {
      .secret = Of("PRS"), .channel = Of("CI"), .sid = Of("sid")};
  EXPECT_EQ(CPace::Generator(input), Of("g"));
  const absl::StatusOr<CPace> a =
      CPace::CreateWithScalar(Role::kInitiator, input, Of("ya"));
  const absl::StatusOr<CPace> b =
      CPace::CreateWithScalar(Role::kResponder, input, Of("yb"));
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->share(), Of("Ya"));
  EXPECT_EQ(b->share(), Of("Yb"));
  EXPECT_EQ(*CPace::Multiply(Of("ya"), b->share()), Of("K"));
  EXPECT_EQ(*CPace::Multiply(Of("yb"), a->share()), Of("K"));
  for (const absl::StatusOr<CPaceKey>& agreed :
       {a->Finish(Of("ADa"), b->share(), Of("ADb")),
        b->Finish(Of("ADb"), a->share(), Of("ADa"))}) {
    ASSERT_TRUE(agreed.ok());
    EXPECT_EQ(agreed->key, Of("ISK_IR"));
    EXPECT_EQ(agreed->session_id, Of("sid_output_ir"));
  }
}

TEST_F(CPaceVectors, SymmetricKeyIsThatOfTheDraft) {
  const CPaceInput input = {
      .secret = Of("PRS"), .channel = Of("CI"), .sid = Of("sid")};
  const absl::StatusOr<CPace> a =
      CPace::CreateWithScalar(Role::kSymmetric, input, Of("ya"));
  const absl::StatusOr<CPace> b =
      CPace::CreateWithScalar(Role::kSymmetric, input, Of("yb"));
  ASSERT_TRUE(a.ok() && b.ok());
  for (const absl::StatusOr<CPaceKey>& agreed :
       {a->Finish(Of("ADa"), b->share(), Of("ADb")),
        b->Finish(Of("ADb"), a->share(), Of("ADa"))}) {
    ASSERT_TRUE(agreed.ok());
    EXPECT_EQ(agreed->key, Of("ISK_SY"));
    EXPECT_EQ(agreed->session_id, Of("sid_output_oc"));
  }
}

TEST_F(CPaceVectors, EveryPointOfTheFileIsTakenOrRefusedAsItSays) {
  const object& valid = points().at("Valid").as_object();
  EXPECT_EQ(*CPace::Multiply(Bytes(valid.at("s")), Bytes(valid.at("X"))),
            Bytes(valid.at("G.scalar_mult_vfy(s,X)")));
  EXPECT_EQ(*CPace::Multiply(Bytes(valid.at("s")), Bytes(valid.at("X"))),
            Bytes(valid.at("G.scalar_mult(s,decode(X))")));
  size_t invalid = 0;
  for (const auto& point : points()) {
    const absl::string_view name(point.key().data(), point.key().size());
    if (!absl::StartsWith(name, "Invalid")) continue;
    ++invalid;
    const std::string x = Bytes(point.value());
    EXPECT_TRUE(absl::IsPermissionDenied(
        CPace::Multiply(Bytes(valid.at("s")), x).status()))
        << name;
    // And so by whoever is sent one.
    for (const Role role : {Role::kInitiator, Role::kResponder}) {
      const absl::StatusOr<CPace> mine =
          CPace::Create(role, {.secret = "s", .channel = "c", .sid = "i"});
      ASSERT_TRUE(mine.ok());
      EXPECT_TRUE(absl::IsPermissionDenied(mine->Finish("a", x, "b").status()))
          << name;
    }
  }
  EXPECT_EQ(invalid, 2u);
}

std::string KeyOf(const CPaceInput& a_input, const CPaceInput& b_input,
                  absl::string_view a_thinks_b_data, std::string* b_key) {
  const absl::StatusOr<CPace> a = CPace::Create(Role::kInitiator, a_input);
  const absl::StatusOr<CPace> b = CPace::Create(Role::kResponder, b_input);
  EXPECT_TRUE(a.ok() && b.ok());
  *b_key = b->Finish("b", a->share(), "a")->key;
  return a->Finish("a", b->share(), a_thinks_b_data)->key;
}

TEST(CPace, KeysAreEqualOnlyWhereEverythingIs) {
  const CPaceInput same = {.secret = "secret", .channel = "c", .sid = "i"};
  std::string other_key;
  EXPECT_EQ(KeyOf(same, same, "b", &other_key), other_key);
  EXPECT_EQ(other_key.size(), CPace::kKeySize);
  EXPECT_NE(KeyOf(same, {"Secret", "c", "i"}, "b", &other_key), other_key);
  EXPECT_NE(KeyOf(same, {"secret", "d", "i"}, "b", &other_key), other_key);
  EXPECT_NE(KeyOf(same, {"secret", "c", "j"}, "b", &other_key), other_key);
  EXPECT_NE(KeyOf(same, same, "B", &other_key), other_key);
}

TEST(CPace, EachRunHasAKeyOfItsOwn) {
  const CPaceInput same = {.secret = "secret", .channel = "c", .sid = "i"};
  std::string first;
  std::string second;
  KeyOf(same, same, "b", &first);
  KeyOf(same, same, "b", &second);
  EXPECT_NE(first, second);
}

TEST(CPace, ShareThatIsThrownBackIsRefused) {
  const absl::StatusOr<CPace> mine = CPace::Create(
      Role::kInitiator, {.secret = "secret", .channel = "c", .sid = "i"});
  ASSERT_TRUE(mine.ok());
  EXPECT_TRUE(
      absl::IsPermissionDenied(mine->Finish("a", mine->share(), "b").status()));
}

TEST(CPace, ShareOfAnotherLengthIsRefused) {
  const absl::StatusOr<CPace> mine = CPace::Create(
      Role::kInitiator, {.secret = "secret", .channel = "c", .sid = "i"});
  ASSERT_TRUE(mine.ok());
  for (const size_t size : {0, 1, 31, 33, 64}) {
    EXPECT_TRUE(absl::IsPermissionDenied(
        mine->Finish("a", std::string(size, 'x'), "b").status()))
        << size;
  }
}

TEST(CPace, ScalarThatIsNoneIsRefused) {
  for (const std::string& scalar :
       {std::string(32, '\0'), std::string(31, 'a'), std::string()}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        CPace::CreateWithScalar(Role::kInitiator, {}, scalar).status()));
  }
}

TEST(CPace, SecretLongerThanABlockOfTheHashIsTaken) {
  const CPaceInput same = {
      .secret = std::string(300, 's'), .channel = "c", .sid = "i"};
  std::string other_key;
  EXPECT_EQ(KeyOf(same, same, "b", &other_key), other_key);
}

TEST(JoinWithLengths, LengthsBeyond127TakeTwoBytes) {
  EXPECT_EQ(JoinWithLengths({"", "a"}), absl::string_view("\0\1a", 3));
  const std::string part(128, 'x');
  EXPECT_EQ(JoinWithLengths({part}), absl::StrCat("\x80\x01", part));
}

}  // namespace
}  // namespace tactus::transfer
