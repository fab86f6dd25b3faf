#include "transfer/files/content_hash.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/files/limits.h"

namespace tactus::transfer::files {
namespace {

std::string Raw(const Hash128& hash) {
  return std::string(hash.bytes.begin(), hash.bytes.end());
}

TEST(ContentHash, IsXxh3InItsCanonicalForm) {
  // As `xxhsum -H128` prints it.
  EXPECT_EQ(HashOf("").Hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashOf("abc").Hex(), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(HashOf(absl::string_view("\0", 1)), HashOfZeros(1));
}

TEST(ContentHash, ZerosNeedNoBytesToBeHashed) {
  for (const size_t size : {size_t{1}, size_t{4096}, kChunk - 1, kChunk}) {
    EXPECT_EQ(HashOfZeros(size), HashOf(std::string(size, '\0'))) << size;
  }
  EXPECT_NE(HashOfZeros(1), HashOfZeros(2));
}

TEST(ContentHash, TheRootIsTheHashOfTheHashesInOrder) {
  const Hash128 a = HashOf("a");
  const Hash128 b = HashOf("b");
  RootHash root;
  EXPECT_EQ(root.Digest(), HashOf(""));
  root.Add(a);
  EXPECT_EQ(root.Digest(), HashOf(Raw(a)));
  // A digest that was taken ends nothing.
  root.Add(b);
  EXPECT_EQ(root.Digest(), HashOf(Raw(a) + Raw(b)));
  RootHash other;
  other.Add(b);
  other.Add(a);
  EXPECT_NE(other.Digest(), root.Digest());
  const RootHash moved = std::move(root);
  EXPECT_EQ(moved.Digest(), HashOf(Raw(a) + Raw(b)));
}

TEST(ContentHash, Sha256IsThatOfTheStandardInAnyPieces) {
  Sha256 whole;
  whole.Add("abc");
  const Sha256Digest digest = whole.Finish();
  EXPECT_EQ(Hex(digest),
            "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.Add("a");
  pieces.Add("");
  pieces.Add("bc");
  EXPECT_EQ(pieces.Finish(), digest);
  Sha256 nothing;
  EXPECT_EQ(Hex(nothing.Finish()),
            "e3b0c44298fc1c149afbf4c8996fb924"
            "27ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace tactus::transfer::files
