// Runs several blocking programs as if on one thread: exactly one goes on at a
// time, a Schedule says which, and time passes only when none can.
//
// Use it under what blocks in a test, so that code written for threads runs the
// same way every time: MemoryNetwork does. Each program gets a thread of its
// own, since it blocks in the middle of its stack, but a baton goes round, so
// there are no races to find or to have.
//
// Example:
//
//   Scheduler scheduler(&schedule);
//   bool ready = false;
//   scheduler.Run({
//       [&] { scheduler.Block([&] { return ready; }, deadline); },
//       [&] { ready = true; },
//   });
//
// What a condition reads is touched only by whoever holds the baton, so it
// needs no lock. Outside of Run the calling thread is the only program.
#ifndef TACTUS_TRANSFER_MEMORY_SCHEDULER_H_
#define TACTUS_TRANSFER_MEMORY_SCHEDULER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/memory/schedule.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

class Scheduler : public Clock {
 public:
  // Without a schedule, whoever went on last does so while it can, and then the
  // first that can.
  explicit Scheduler(Schedule* schedule) : schedule_(schedule) {}

  // Runs the programs until all have returned. Not within itself.
  void Run(const std::vector<std::function<void()>>& programs);

  // Lets others go on, if the schedule has it so.
  void Yield();

  // Waits until `holds`, or at most until `deadline`: DeadlineExceeded. Aborted
  // when nothing can happen any more: every program waits, without a deadline,
  // for what does not come.
  absl::Status Block(absl::FunctionRef<bool()> holds, absl::Time deadline);

  // Something may hold at `time` that does not now; time does not jump over it.
  void Expect(absl::Time time) { expected_.insert(time); }

  // Simulated, from the epoch.
  absl::Time Now() override { return now_; }
  void SleepUntil(absl::Time time) override;

 private:
  struct Program {
    // Null while it can go on.
    const absl::FunctionRef<bool()>* holds = nullptr;
    absl::Time deadline;
    bool done = false;
    bool turn = false;
    Condition turned;
  };

  bool CanGoOn(const Program& program) const;
  // Chooses who goes on and lets time pass until somebody can. Null when nobody
  // ever will.
  Program* ChooseNext();
  // Gives the baton to whom ChooseNext says, and returns when it comes back; at
  // once when `mine` is done.
  void PassOn(Program* mine);
  bool PassTime();

  Schedule* schedule_;
  absl::Time now_ = absl::UnixEpoch();
  std::multiset<absl::Time> expected_;
  std::vector<std::unique_ptr<Program>> programs_;
  // Whoever has the baton. It alone touches what is above.
  Program* current_ = nullptr;
  bool stuck_ = false;
  Mutex mutex_;  // hands the baton over
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MEMORY_SCHEDULER_H_
