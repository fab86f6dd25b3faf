// A buffer that comes from a pool and goes back to it.
//
// Use it for content on its way between the wire and a disk: a fresh buffer of
// that size is mapped and zeroed by the kernel page by page, each time, which
// costs as much as hashing it.
//
// Example:
//
//   Block block = Block::Take(kChunk);       // not zeroed
//   block.data()[0] = 'x';
//
// The pool keeps at most eight, of the largest size that was asked for. Safe to
// use from any thread.
#ifndef TACTUS_TRANSFER_FILES_BLOCK_H_
#define TACTUS_TRANSFER_FILES_BLOCK_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace tactus::transfer::files {

class Block {
 public:
  // Room for what goes before a chunk on the wire, too.
  static constexpr size_t kLargest = (size_t{1} << 20) + 64;

  Block() = default;
  ~Block() { GiveBack(); }
  Block(Block&& other) noexcept { *this = std::move(other); }
  Block& operator=(Block&& other) noexcept;

  // `size` is at most kLargest.
  static Block Take(size_t size);

  char* data() { return data_.get(); }
  size_t size() const { return size_; }
  absl::string_view view() const {
    return absl::string_view(data_.get(), size_);
  }

 private:
  void GiveBack();

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  bool pooled_ = false;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_BLOCK_H_
