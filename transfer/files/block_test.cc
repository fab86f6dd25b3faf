#include "transfer/files/block.h"

#include <cstddef>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "transfer/files/limits.h"

namespace tactus::transfer::files {
namespace {

// What is larger than that comes from the pool.
constexpr size_t kSmall = size_t{64} << 10;

TEST(Block, HasTheSizeThatWasAskedForAndEveryByteOfIt) {
  for (const size_t size :
       {size_t{1}, kSmall - 1, kSmall, kSmall + 1, kChunk, Block::kLargest}) {
    Block block = Block::Take(size);
    EXPECT_EQ(block.size(), size);
    EXPECT_EQ(block.view().size(), size);
    // AddressSanitizer sees a byte that is none.
    std::memset(block.data(), 'x', size);
    EXPECT_EQ(block.view()[size - 1], 'x');
  }
  EXPECT_EQ(Block().size(), 0u);
  EXPECT_EQ(Block().view(), "");
}

TEST(Block, ALargeOneThatWasGivenBackIsTakenAgainWhateverItsSize) {
  char* first = nullptr;
  {
    Block block = Block::Take(kSmall + 1);
    first = block.data();
  }
  Block again = Block::Take(Block::kLargest);
  EXPECT_EQ(again.data(), first);
  // It was made for the largest.
  std::memset(again.data(), 'y', again.size());
  Block another = Block::Take(kChunk);
  EXPECT_NE(another.data(), first);
}

TEST(Block, WhoIsMovedFromHoldsNothing) {
  Block block = Block::Take(kChunk);
  char* const data = block.data();
  Block moved = std::move(block);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.size(), kChunk);
  EXPECT_EQ(block.size(), 0u);  // NOLINT(bugprone-use-after-move)
  // What is overwritten goes back.
  Block other = Block::Take(kChunk);
  char* const given_back = other.data();
  other = std::move(moved);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(Block::Take(kChunk).data(), given_back);
  // To itself it changes nothing.
  Block& same = other;
  other = std::move(same);
  EXPECT_EQ(other.data(), data);
  EXPECT_EQ(other.size(), kChunk);
}

TEST(Block, ThreadsShareThePoolAndNeverABlock) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        Block one = Block::Take(kSmall + 1);
        Block two = Block::Take(kSmall + 1);
        std::memset(one.data(), 'a' + t, one.size());
        std::memset(two.data(), 'A' + t, two.size());
        ASSERT_EQ(one.view()[kSmall], 'a' + t);
        ASSERT_EQ(one.view()[0], 'a' + t);
        ASSERT_EQ(two.view()[kSmall], 'A' + t);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tactus::transfer::files
