// Gives up waiting for a call that cannot be told how long it may take.
//
// The time that an AX call waits is a property of its element, and there are
// two calls for which that is no way: on the system-wide element it would be
// set for the whole process, and the window list has none. A `Bounder` makes
// such a call elsewhere and returns at the deadline, whether the call has or
// not.
//
//   auto answer = std::make_shared<Answer>();
//   const bool done = bounder.Run([answer] { answer->value = Ask(); },
//   deadline); if (!done) return absl::DeadlineExceededError("...");
//
// The call may go on after Run has returned false, so it owns all that it
// touches; what it wrote must not be read then.
#ifndef TACTUS_AX_MACOS_BOUNDER_H_
#define TACTUS_AX_MACOS_BOUNDER_H_

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "ax/clock/clock.h"

namespace tactus::ax::macos {

class Bounder {
 public:
  virtual ~Bounder() = default;

  // False: the call has not returned by `deadline`.
  virtual bool Run(std::function<void()> call, absl::Time deadline) = 0;
};

// Makes calls on a thread of its own, one at a time. A call that is given up
// keeps its thread until it returns, and the next one gets a new thread; while
// kMostLeftBehind are so kept no call is made, and Run waits for one to return.
// Used by one thread at a time. The destructor does not wait for calls that
// were given up.
std::unique_ptr<Bounder> MakeThreadBounder(Clock& clock);

// Reported: a call without a time of its own ends after some six seconds. So
// many of them in a row can hang before nothing more is asked.
inline constexpr int kMostLeftBehind = 4;

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_BOUNDER_H_
