#include "tools/tactusd/approvals.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

using ax::MutexLock;

absl::Status Approvals::Ask(const Question& question,
                            const std::function<bool()>& abandoned) {
  int64_t id = 0;
  absl::Time deadline;
  WaitingQuestion waiting;
  {
    MutexLock lock(&mutex_);
    if (stopped_) return absl::CancelledError("the daemon is ending");
    const auto of_peer = static_cast<size_t>(std::count_if(
        entries_.begin(), entries_.end(), [&question](const auto& entry) {
          return entry.second.question.peer == question.peer;
        }));
    if (entries_.size() >= kMost || of_peer >= kMostOfAPeer) {
      return absl::ResourceExhaustedError(
          "too many questions wait for an answer there");
    }
    const absl::Time now = clock_.Now();
    const auto vain = vain_.find(question.peer);
    if (vain != vain_.end() && now < vain->second.until) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "what was asked last came to nothing: nobody is asked there for ",
          absl::FormatDuration(
              absl::Ceil(vain->second.until - now, absl::Seconds(1)))));
    }
    id = next_++;
    deadline = now + silence_;
    Entry& entry = entries_[id];
    entry.question = question;
    entry.question.text.resize(
        std::min(entry.question.text.size(), kLongestText));
    entry.deadline = deadline;
    waiting = {.id = id, .question = entry.question, .left = silence_};
  }
  if (observer_ != nullptr) observer_->Asked(waiting);
  absl::Status end;
  for (;;) {
    // Unlocked: it may look at a socket.
    const bool unwanted = abandoned != nullptr && abandoned();
    MutexLock lock(&mutex_);
    const Entry& entry = entries_.at(id);
    const absl::Time now = clock_.Now();
    if (entry.state == State::kApproved) {
      end = absl::OkStatus();
    } else if (entry.state == State::kRefused) {
      end = absl::PermissionDeniedError("it was refused there");
    } else if (stopped_) {
      end = absl::CancelledError("the daemon is ending");
    } else if (unwanted) {
      end = absl::CancelledError("who asked has gone");
    } else if (now >= deadline) {
      end = absl::DeadlineExceededError(absl::StrCat(
          "nobody answered there within ", absl::FormatDuration(silence_)));
    } else {
      changed_.WaitFor(
          &mutex_,
          std::min(deadline - now, abandoned == nullptr ? silence_ : kLook));
      continue;
    }
    if (end.ok()) {
      vain_.erase(question.peer);
    } else if (!stopped_) {
      NoteVain(question.peer, absl::IsCancelled(end), now);
    }
    entries_.erase(id);
    break;
  }
  if (observer_ != nullptr) observer_->Ended(id);
  return end;
}

void Approvals::NoteVain(const std::string& peer, bool abandoned,
                         absl::Time now) {
  std::erase_if(vain_, [now](const auto& one) {
    return now >= one.second.until + kForgiven;
  });
  Vain& vain = vain_[peer];
  // One of several that waited at the same time.
  if (now < vain.until) return;
  // A connection that was lost: who sends files then asks again by itself, and
  // a refusal would end it.
  if (abandoned && !vain.abandoned) {
    vain.abandoned = true;
    vain.until = now;
    return;
  }
  vain.quiet = std::clamp(2 * vain.quiet, kQuiet, kLongestQuiet);
  vain.until = now + vain.quiet;
}

absl::Status Approvals::Answer(int64_t id, bool approved) {
  MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.state != State::kWaiting ||
      clock_.Now() >= found->second.deadline) {
    return absl::NotFoundError(
        absl::StrCat("nothing waits for approval under number ", id,
                     ": `tactus status` lists what does"));
  }
  found->second.state = approved ? State::kApproved : State::kRefused;
  changed_.NotifyAll();
  return absl::OkStatus();
}

std::vector<WaitingQuestion> Approvals::Waiting() {
  std::vector<WaitingQuestion> waiting;
  MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  for (const auto& [id, entry] : entries_) {
    if (entry.state != State::kWaiting || now >= entry.deadline) continue;
    waiting.push_back({id, entry.question, entry.deadline - now});
  }
  return waiting;
}

void Approvals::Stop() {
  MutexLock lock(&mutex_);
  stopped_ = true;
  changed_.NotifyAll();
}

std::string RefusalOf(const absl::Status& answer) {
  if (absl::IsDeadlineExceeded(answer)) {
    return "nobody answered there in time";
  }
  if (absl::IsPermissionDenied(answer)) return "it was refused there";
  return std::string(answer.message());
}

}  // namespace tactus::daemon
