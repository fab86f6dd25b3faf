#include "ax/x11/clipboard.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "ax/text/utf.h"
#include "ax/x11/content.h"
#include "ax/x11/keeper.h"
#include "ax/x11/selection.h"

namespace tactus::ax::x11 {
namespace {

// For a loan that is dropped: nobody waits for it, and the server answers
// within a millisecond or is not there.
constexpr absl::Duration kDropPatience = absl::Seconds(1);

absl::Time Now() { return Clock::Real().Now(); }

// A status on its way between threads. Copies of an absl::Status share memory
// that the packaged Abseil counts where ThreadSanitizer does not see it.
class Told {
 public:
  explicit Told(const absl::Status& status)
      : code_(status.code()), message_(status.message()) {}
  absl::Status status() const { return {code_, message_}; }

 private:
  absl::StatusCode code_;
  std::string message_;
};

}  // namespace

// The thread, and what it shares with the others.
class Clipboard::Thread {
 public:
  // What a loan and the thread both know of it. Guarded by the thread's mutex.
  struct Lent {
    ClipboardLoan::State state;
    bool asked_back = false;
    std::optional<Told> given_back;
  };

  Thread(std::unique_ptr<Selection> selection, ClipboardOptions options)
      : options_(std::move(options)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        selection_(std::move(selection)),
        thread_([this] { Run(); }) {}

  ~Thread() {
    Stop();
    close(wake_);
  }

  void Stop() {
    {
      MutexLock lock(&mutex_);
      stopping_ = true;
    }
    Wake();
    if (thread_.joinable()) thread_.join();
  }

  absl::StatusOr<std::shared_ptr<Lent>> Lend(absl::string_view text,
                                             const LendOptions& options) {
    const auto lent = std::make_shared<Lent>();
    const auto content =
        std::make_shared<const Content>(TextContent(text, selection_atoms_));
    const absl::Status status = Call(options.deadline, /*must_run=*/false,
                                     [this, lent, content, options] {
                                       return LendNow(lent, content, options);
                                     });
    if (!status.ok()) return status;
    return lent;
  }

  absl::Status GiveBack(const std::shared_ptr<Lent>& lent,
                        absl::Time deadline) {
    {
      MutexLock lock(&mutex_);
      if (lent->given_back.has_value()) return lent->given_back->status();
      lent->asked_back = true;
    }
    return Call(deadline, /*must_run=*/true,
                [this, lent, deadline] { return GiveBackNow(lent, deadline); });
  }

  void Drop(const std::shared_ptr<Lent>& lent) {
    const auto task = std::make_shared<Task>();
    task->run = [this, lent] {
      return GiveBackNow(lent, Now() + kDropPatience);
    };
    {
      MutexLock lock(&mutex_);
      if (lent->asked_back || stopping_) return;
      tasks_.push_back(task);
    }
    Wake();
  }

  absl::Status HandOver(absl::Time deadline) {
    return Call(deadline, /*must_run=*/false,
                [this, deadline] { return HandOverNow(deadline); });
  }

  ClipboardLoan::State Wait(const Lent& lent, int times, absl::Time deadline) {
    MutexLock lock(&mutex_);
    while (lent.state.served < times && !lent.state.lost &&
           !lent.given_back.has_value() && !stopping_) {
      const absl::Duration left = deadline - Now();
      if (left <= absl::ZeroDuration()) break;
      changed_.WaitFor(&mutex_, left);
    }
    return lent.state;
  }

 private:
  struct Task {
    std::function<absl::Status()> run;
    bool begun = false;
    std::optional<Told> result;
  };

  // Has the thread do `run`, which keeps `deadline` by itself. Where the thread
  // has not come to it by then it is dropped, or where it `must_run` done
  // later.
  absl::Status Call(absl::Time deadline, bool must_run,
                    std::function<absl::Status()> run) {
    const auto task = std::make_shared<Task>();
    task->run = std::move(run);
    MutexLock lock(&mutex_);
    if (stopping_) {
      return absl::UnavailableError("the clipboard has been closed");
    }
    tasks_.push_back(task);
    Wake();
    while (!task->result.has_value()) {
      const absl::Duration left = deadline - Now();
      if (left > absl::ZeroDuration() || task->begun) {
        changed_.WaitFor(&mutex_, task->begun ? absl::Hours(1) : left);
        continue;
      }
      if (!must_run)
        tasks_.erase(std::find(tasks_.begin(), tasks_.end(), task));
      return absl::DeadlineExceededError("the clipboard is busy");
    }
    return task->result->status();
  }

  void Wake() {
    const uint64_t one = 1;
    // Fails only when it is readable anyway.
    (void)!write(wake_, &one, sizeof(one));
  }

  void Run() {
    for (;;) {
      for (;;) {
        std::shared_ptr<Task> task;
        {
          MutexLock lock(&mutex_);
          if (tasks_.empty()) {
            if (stopping_) return;
            break;
          }
          task = tasks_.front();
          tasks_.pop_front();
          task->begun = true;
        }
        const Told result(task->run());
        MutexLock lock(&mutex_);
        task->result = result;
        changed_.NotifyAll();
      }
      // When the display has gone only tasks come, and say so.
      (void)selection_->Process();
      Publish();
      selection_->connection().Wait(wake_, selection_->NextExpiry());
      uint64_t count;
      (void)!read(wake_, &count, sizeof(count));
    }
  }

  // Tells the loan what has become of it.
  void Publish() {
    if (lent_ == nullptr) return;
    MutexLock lock(&mutex_);
    lent_->state.served = selection_->served();
    lent_->state.lost =
        !selection_->owning() || selection_->connection().broken();
    changed_.NotifyAll();
  }

  absl::Status LendNow(const std::shared_ptr<Lent>& lent,
                       const std::shared_ptr<const Content>& content,
                       const LendOptions& options) {
    Publish();
    if (lent_ != nullptr && selection_->owning()) {
      return absl::FailedPreconditionError("the clipboard is lent already");
    }
    lent_ = nullptr;
    const absl::Time deadline =
        std::min(options.deadline, Now() + options.patience);
    // Taken with this time below: who takes the clipboard after it wins, and
    // what was saved meanwhile is out of date.
    absl::StatusOr<xcb_timestamp_t> time = selection_->ServerTime(deadline);
    if (!time.ok()) return time.status();
    absl::StatusOr<xcb_window_t> owner = selection_->Owner(deadline);
    if (!owner.ok()) return owner.status();
    std::shared_ptr<const Content> saved;
    if (*owner == selection_->window()) {
      saved = selection_->content();
    } else if (*owner != XCB_NONE) {
      absl::StatusOr<Content> read =
          selection_->Read(*owner, *time, options.max_saved_bytes, deadline);
      if (!read.ok()) return read.status();
      // Of one that offers nothing there is nothing to put back.
      if (!read->offers.empty()) {
        saved = std::make_shared<const Content>(*std::move(read));
      }
      absl::StatusOr<xcb_window_t> still = selection_->Owner(deadline);
      if (!still.ok()) return still.status();
      if (*still != *owner) {
        return absl::UnavailableError(
            "another client took the clipboard first");
      }
    }
    const absl::Status owned = selection_->Own(content, *time, deadline);
    if (!owned.ok()) {
      // Whether the server heard of us or not, whoever asks gets the old.
      if (!absl::IsUnavailable(owned)) selection_->SetContent(saved);
      return owned;
    }
    saved_ = std::move(saved);
    lent_ = lent;
    return absl::OkStatus();
  }

  // By value: it may be given lent_ itself, which it clears.
  absl::Status GiveBackNow(std::shared_ptr<Lent> lent, absl::Time deadline) {
    {
      MutexLock lock(&mutex_);
      if (lent->given_back.has_value()) return lent->given_back->status();
    }
    absl::Status status =
        absl::FailedPreconditionError("another client has taken the clipboard");
    if (lent_ == lent) {
      // What has come before may be the last request for the text.
      if (!selection_->Process().ok()) {
        status = absl::UnavailableError("the X display closed the connection");
      } else {
        Publish();
        if (selection_->owning()) status = PutBack(deadline);
      }
      // From here on what is served is not the loan's any more.
      lent_ = nullptr;
      saved_ = nullptr;
    }
    MutexLock lock(&mutex_);
    if (absl::IsFailedPrecondition(status) || absl::IsUnavailable(status)) {
      lent->state.lost = true;
    }
    lent->asked_back = true;
    lent->given_back = Told(status);
    changed_.NotifyAll();
    return status;
  }

  absl::Status PutBack(absl::Time deadline) {
    // First, since it needs nobody's answer: from here on nobody is served the
    // text, however late the rest comes. Taking the clipboard anew is what
    // tells those who remember its targets.
    const std::shared_ptr<const Content> saved = saved_;
    selection_->SetContent(saved);
    absl::StatusOr<xcb_timestamp_t> time = selection_->ServerTime(deadline);
    if (!time.ok()) return time.status();
    absl::StatusOr<xcb_window_t> owner = selection_->Owner(deadline);
    if (!owner.ok()) return owner.status();
    if (*owner != selection_->window()) {
      return absl::FailedPreconditionError(
          "another client has taken the clipboard");
    }
    if (saved == nullptr) return selection_->Disown(*time, deadline);
    const absl::Status owned = selection_->Own(saved, *time, deadline);
    if (absl::IsUnavailable(owned) && !selection_->connection().broken()) {
      return absl::FailedPreconditionError(
          "another client has taken the clipboard");
    }
    return owned;
  }

  absl::Status HandOverNow(absl::Time deadline) {
    if (lent_ != nullptr) {
      const absl::Status back = GiveBackNow(lent_, deadline);
      if (!back.ok() && !absl::IsFailedPrecondition(back)) return back;
    }
    if (absl::Status alive = selection_->Process(); !alive.ok()) return alive;
    if (!selection_->owning()) return absl::OkStatus();
    // Half of the time, so that a silent one leaves the keeper the rest.
    const absl::Time now = Now();
    const absl::Status saved = selection_->SaveToManager(
        std::min(deadline, now + (deadline - now) / 2));
    if (saved.ok()) return absl::OkStatus();
    if (options_.keeper.empty()) {
      return absl::IsNotFound(saved)
                 ? absl::FailedPreconditionError(
                       "no clipboard manager runs, and no keeper was named: "
                       "the clipboard will be empty when this process ends")
                 : saved;
    }
    return HandToKeeper(*selection_, options_.display, options_.keeper,
                        deadline);
  }

  const ClipboardOptions options_;
  const int wake_;
  const std::unique_ptr<Selection> selection_;
  const TextAtoms selection_atoms_ = selection_->text_atoms();

  Mutex mutex_;
  Condition changed_;
  std::deque<std::shared_ptr<Task>> tasks_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;

  // The thread's own: the loan that is out, and what was there before it.
  std::shared_ptr<Lent> lent_;
  std::shared_ptr<const Content> saved_;

  std::thread thread_;  // last: it uses all of the above
};

class Clipboard::Loan : public ClipboardLoan {
 public:
  Loan(std::shared_ptr<Thread> thread, std::shared_ptr<Thread::Lent> lent)
      : thread_(std::move(thread)), lent_(std::move(lent)) {}
  ~Loan() override { thread_->Drop(lent_); }

  State state() override {
    return thread_->Wait(*lent_, 0, absl::InfinitePast());
  }
  State WaitServed(int times, absl::Time deadline) override {
    return thread_->Wait(*lent_, times, deadline);
  }
  absl::Status GiveBack(absl::Time deadline) override {
    return thread_->GiveBack(lent_, deadline);
  }

 private:
  const std::shared_ptr<Thread> thread_;
  const std::shared_ptr<Thread::Lent> lent_;
};

absl::StatusOr<std::unique_ptr<Clipboard>> Clipboard::Open(
    const ClipboardOptions& options, absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<Selection>> selection =
      Selection::Open(options.display, deadline);
  if (!selection.ok()) return selection.status();
  return std::unique_ptr<Clipboard>(
      new Clipboard(std::make_shared<Thread>(*std::move(selection), options),
                    options.farewell));
}

Clipboard::Clipboard(std::shared_ptr<Thread> thread, absl::Duration farewell)
    : thread_(std::move(thread)), farewell_(farewell) {}

Clipboard::~Clipboard() {
  // Whoever needs to know whether it worked calls it before.
  (void)thread_->HandOver(Now() + farewell_);
  thread_->Stop();
}

absl::StatusOr<std::unique_ptr<ClipboardLoan>> Clipboard::Lend(
    absl::string_view text, const LendOptions& options) {
  if (!IsValidUtf8(std::string_view(text.data(), text.size()))) {
    return absl::InvalidArgumentError("the text is not UTF-8");
  }
  absl::StatusOr<std::shared_ptr<Thread::Lent>> lent =
      thread_->Lend(text, options);
  if (!lent.ok()) return lent.status();
  return std::make_unique<Loan>(thread_, *std::move(lent));
}

absl::Status Clipboard::HandOver(absl::Time deadline) {
  return thread_->HandOver(deadline);
}

}  // namespace tactus::ax::x11
