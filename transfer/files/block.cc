#include "transfer/files/block.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// Smaller ones come from the heap at no such cost.
constexpr size_t kSmall = size_t{64} << 10;
// Both ends of one transfer at once, as in tests, and to spare.
constexpr size_t kMostKept = 8;

struct Pool {
  Mutex mutex;
  std::vector<std::unique_ptr<char[]>> free ABSL_GUARDED_BY(mutex);
};

Pool& ThePool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace

Block& Block::operator=(Block&& other) noexcept {
  if (this == &other) return *this;
  GiveBack();
  data_ = std::move(other.data_);
  size_ = std::exchange(other.size_, 0);
  pooled_ = std::exchange(other.pooled_, false);
  return *this;
}

Block Block::Take(size_t size) {
  Block block;
  block.size_ = size;
  block.pooled_ = size > kSmall;
  if (block.pooled_) {
    Pool& pool = ThePool();
    MutexLock lock(&pool.mutex);
    if (!pool.free.empty()) {
      block.data_ = std::move(pool.free.back());
      pool.free.pop_back();
    }
  }
  if (block.data_ == nullptr) {
    // Not make_unique, which would zero it.
    block.data_.reset(new char[block.pooled_ ? kLargest : size]);
  }
  return block;
}

void Block::GiveBack() {
  if (data_ == nullptr) return;
  if (pooled_) {
    Pool& pool = ThePool();
    MutexLock lock(&pool.mutex);
    if (pool.free.size() < kMostKept) pool.free.push_back(std::move(data_));
  }
  data_.reset();
}

}  // namespace tactus::transfer::files
