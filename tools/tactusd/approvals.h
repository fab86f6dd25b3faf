// Questions that a person has to answer before a peer gets its way: whether to
// take the files that it offers.
//
// Whoever serves the peer asks and waits; `tactus status` lists what waits, by
// its number, and `tactus approve ID` answers it. What nobody answers is
// refused, after a minute: the peer waits too, and silence is no consent. A
// peer whose question came to nothing is asked for no more for a while, so that
// a person is not worn down by being asked again and again.
//
// Example, on the thread of the peer's stream:
//
//   absl::Status answer = approvals.Ask(
//       {.peer = "laptop", .kind = "files", .text = "3 files, 12 MB"},
//       [&] { return StreamIsGone(*stream); });
//   if (!answer.ok()) return Refuse(*stream, answer);
//
// `text` may be made of what the peer said: it is escaped where it is shown,
// and cut at kLongestText. Safe to call from any thread.
#ifndef TACTUS_TOOLS_TACTUSD_APPROVALS_H_
#define TACTUS_TOOLS_TACTUSD_APPROVALS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

// What is asked.
struct Question {
  std::string peer;  // its name
  std::string kind;  // which module asks: "files"
  std::string text;  // for people
};

// A question that waits.
struct WaitingQuestion {
  int64_t id = 0;
  Question question;
  absl::Duration left;  // until it is refused
};

// Is told what waits, by the thread that asks, and may not wait itself.
class ApprovalsObserver {
 public:
  virtual ~ApprovalsObserver() = default;
  virtual void Asked(const WaitingQuestion& question) = 0;
  // Whatever it was answered.
  virtual void Ended(int64_t id) = 0;
};

class Approvals {
 public:
  // More than a person would answer in a minute. A peer that asks for more is
  // refused, and so cannot hide another's question among its own.
  static constexpr size_t kMost = 32;
  static constexpr size_t kMostOfAPeer = 4;
  static constexpr absl::Duration kSilence = absl::Seconds(60);
  // For how long a peer is refused unasked after a question that was refused,
  // not answered or abandoned: at first, and doubled each time until one is
  // approved. So a person sees at most kMostOfAPeer of its questions between
  // two such times.
  static constexpr absl::Duration kQuiet = absl::Seconds(5);
  static constexpr absl::Duration kLongestQuiet = absl::Seconds(60);
  // Who has been quiet for so long begins anew.
  static constexpr absl::Duration kForgiven = absl::Minutes(10);
  // How often it is looked whether who asked still wants it.
  static constexpr absl::Duration kLook = absl::Milliseconds(500);
  // Of a question's text, in bytes: what fits on a few lines of a terminal.
  static constexpr size_t kLongestText = 1024;

  // `clock` must outlive it.
  explicit Approvals(ax::Clock* clock, absl::Duration silence = kSilence)
      : clock_(*clock), silence_(silence) {}

  // Before anything is asked; it must outlive what is.
  void Observe(ApprovalsObserver* observer) { observer_ = observer; }

  // Waits for the answer: OK, or PermissionDenied where a person refused it,
  // DeadlineExceeded where nobody answered, ResourceExhausted where too many
  // wait or the peer is to be quiet, Cancelled where the daemon ends or
  // `abandoned`, which may be null and is called every kLook, says that nobody
  // wants to know any more.
  absl::Status Ask(const Question& question,
                   const std::function<bool()>& abandoned);

  // NotFound where no such question waits (any more).
  absl::Status Answer(int64_t id, bool approved);

  // In the order in which they were asked.
  std::vector<WaitingQuestion> Waiting();

  // Ends all that waits, with Cancelled, and what is asked later.
  void Stop();

 private:
  enum class State { kWaiting, kApproved, kRefused };
  struct Entry {
    Question question;
    absl::Time deadline;
    State state = State::kWaiting;
  };

  // Of a peer whose last question came to nothing.
  struct Vain {
    bool abandoned = false;  // once, which was forgiven
    absl::Duration quiet;
    absl::Time until = absl::InfinitePast();
  };

  void NoteVain(const std::string& peer, bool abandoned, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ax::Clock& clock_;
  const absl::Duration silence_;
  ApprovalsObserver* observer_ = nullptr;
  ax::Mutex mutex_;
  ax::Condition changed_;
  std::map<int64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // By name; those of the last minutes.
  std::map<std::string, Vain> vain_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

// What the peer is told of an answer of Ask that is not OK.
std::string RefusalOf(const absl::Status& answer);

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_APPROVALS_H_
