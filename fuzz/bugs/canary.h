#ifndef TACTUS_FUZZ_BUGS_CANARY_H_
#define TACTUS_FUZZ_BUGS_CANARY_H_

// What a bug of the bank tells of itself, beside what any check says of it.
//
// Never included by shipped code. //fuzz:power puts these lines in front of the
// one file that a patch changes, in a copy of the tree.
//
//   CANARY_REACHED();                 // the line of the bug was run
//   CANARY_TRIGGERED(a.end > b.end);  // it made what happens wrong
//
// The condition is whether what the bug does differs from what is right here.
//
// They count in the file that the environment's TACTUS_CANARY names, at least
// 32 bytes long, which is shared memory: so what was counted is there however
// the process ends. Without the variable they do nothing.
//
// A fuzzer must not be led to the bug by its canary, so none of the branches in
// here has a coverage counter, and no comparison in here is traced. Conditions
// are computed where they stand: write none that is costly.

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tactus_canary {

// How often, and the CPU time of the process in ns when it was first.
struct Board {
  uint64_t reached;
  uint64_t reached_ns;
  uint64_t triggered;
  uint64_t triggered_ns;
};
static_assert(sizeof(Board) == 32);

__attribute__((noinline, no_sanitize("coverage"))) inline Board* Open() {
  const char* path = std::getenv("TACTUS_CANARY");
  if (path == nullptr) return nullptr;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return nullptr;
  void* map =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  return map == MAP_FAILED ? nullptr : static_cast<Board*>(map);
}

__attribute__((noinline, no_sanitize("coverage"))) inline void Count(
    uint64_t Board::* count, uint64_t Board::* first) {
  static Board* const board = Open();
  if (board == nullptr) return;
  if (__atomic_fetch_add(&(board->*count), 1, __ATOMIC_RELAXED) != 0) return;
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  __atomic_store_n(&(board->*first),
                   static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 +
                       static_cast<uint64_t>(now.tv_nsec),
                   __ATOMIC_RELAXED);
}

__attribute__((noinline, no_sanitize("coverage"))) inline void Reached() {
  Count(&Board::reached, &Board::reached_ns);
}

__attribute__((noinline, no_sanitize("coverage"))) inline void Triggered(
    bool wrong) {
  if (wrong) Count(&Board::triggered, &Board::triggered_ns);
}

}  // namespace tactus_canary

#define CANARY_REACHED() ::tactus_canary::Reached()
#define CANARY_TRIGGERED(condition) ::tactus_canary::Triggered(condition)

#endif  // TACTUS_FUZZ_BUGS_CANARY_H_
