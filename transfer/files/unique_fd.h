// A file descriptor that is closed with it.
#ifndef TACTUS_TRANSFER_FILES_UNIQUE_FD_H_
#define TACTUS_TRANSFER_FILES_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace tactus::transfer::files {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_UNIQUE_FD_H_
