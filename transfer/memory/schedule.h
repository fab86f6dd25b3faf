// Who goes on when several could: the order of events of one run, chosen.
//
// Use one with a MemoryNetwork. A SeededSchedule draws an order that its seed
// repeats; an ExhaustiveSchedule goes through all orders, one a run.
//
// Example, every order of a small protocol:
//
//   ExhaustiveSchedule schedule(/*choices=*/10);
//   do {
//     MemoryNetwork network({.schedule = &schedule});
//     ...
//   } while (schedule.Next());
//   // schedule.runs() of them were run
//
// Caveat: orders multiply. Choices beyond the bound take the first that could
// go on; `cut_short()` says whether there were any.
#ifndef TACTUS_TRANSFER_MEMORY_SCHEDULE_H_
#define TACTUS_TRANSFER_MEMORY_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::transfer {

class Schedule {
 public:
  virtual ~Schedule() = default;

  // A number below `count`, which is 2 or more.
  virtual size_t Choose(size_t count) = 0;
};

// Pseudo-random by splitmix64 (Steele, Lea and Flood, 2014), so that a seed
// means the same everywhere.
class SeededSchedule : public Schedule {
 public:
  explicit SeededSchedule(uint64_t seed) : state_(seed) {}
  size_t Choose(size_t count) override;

 private:
  uint64_t state_;
};

// Depth first through the tree of choices; the program that chooses must do the
// same whenever it gets the same answers.
class ExhaustiveSchedule : public Schedule {
 public:
  // Goes through the first `choices` of each run.
  explicit ExhaustiveSchedule(size_t choices) : most_(choices) {}

  size_t Choose(size_t count) override;

  // To be called after each run. False when every order has been run.
  bool Next();

  size_t runs() const { return runs_; }
  bool cut_short() const { return cut_short_; }

 private:
  struct Choice {
    size_t taken;
    size_t count;
  };

  size_t most_;
  size_t at_ = 0;
  size_t runs_ = 0;
  bool cut_short_ = false;
  std::vector<Choice> path_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MEMORY_SCHEDULE_H_
