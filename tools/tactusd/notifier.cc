#include "tools/tactusd/notifier.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/bus.h"
#include "tools/tactusd/threads.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

constexpr char kName[] = "org.freedesktop.Notifications";
constexpr char kPath[] = "/org/freedesktop/Notifications";

uint64_t Microseconds(absl::Duration duration) {
  return static_cast<uint64_t>(absl::ToInt64Microseconds(duration));
}

sd_bus_message* NewCall(sd_bus* bus, const char* method) {
  sd_bus_message* call = nullptr;
  if (sd_bus_message_new_method_call(bus, &call, kName, kPath, kName, method) <
      0) {
    return nullptr;
  }
  sd_bus_message_set_auto_start(call, 0);
  return call;
}

}  // namespace

Notifier::Notifier(NotifierOptions options)
    : options_(std::move(options)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Notifier::~Notifier() {
  Stop();
  sd_bus_flush_close_unref(bus_);
  if (wake_ >= 0) close(wake_);
}

void Notifier::Asked(const WaitingQuestion& question) {
  Put({.question = question});
}

void Notifier::Ended(int64_t id) {
  Put({.ended = true, .question = {.id = id, .question = {}, .left = {}}});
}

void Notifier::Put(Post post) {
  {
    MutexLock lock(&mutex_);
    if (stopping_) return;
    if (post.ended) {
      // What was never shown needs no withdrawing, and is shown no more: so
      // what may wait bounds the posts, however long a server hangs.
      const int64_t id = post.question.id;
      const auto unshown =
          std::find_if(posts_.begin(), posts_.end(),
                       [id](const Post& one) { return one.question.id == id; });
      if (unshown != posts_.end()) {
        posts_.erase(unshown);
        return;
      }
      if (!thread_.joinable()) return;
    }
    posts_.push_back(std::move(post));
    if (!thread_.joinable()) {
      thread_ = Threads::OfTheSystem()([this] { Run(); });
    }
  }
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void Notifier::Stop() {
  std::thread thread;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    thread.swap(thread_);
  }
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
  if (thread.joinable()) thread.join();
}

void Notifier::Run() {
  for (;;) {
    std::vector<Post> posts;
    {
      MutexLock lock(&mutex_);
      if (stopping_) return;
      posts.swap(posts_);
    }
    for (const Post& post : posts) {
      if (post.ended) {
        Withdraw(post.question.id);
      } else {
        Show(post.question);
      }
    }
    while (bus_ != nullptr && sd_bus_process(bus_, nullptr) > 0) {
    }
    pollfd fds[] = {{wake_, POLLIN, 0},
                    {bus_ == nullptr ? -1 : sd_bus_get_fd(bus_), POLLIN, 0}};
    // What it has to send it has sent: each call waits for its answer.
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[0].revents != 0) {
      uint64_t times = 0;
      (void)!read(wake_, &times, sizeof(times));
    }
    if (bus_ != nullptr && sd_bus_is_open(bus_) <= 0) {
      // With the bus its notifications are gone.
      sd_bus_unref(std::exchange(bus_, nullptr));
      shown_.clear();
    }
  }
}

bool Notifier::Open() {
  if (bus_ != nullptr) return true;
  if (OpenBus(BusKind::kUser, options_.session_bus, &bus_) < 0) return false;
  sd_bus_match_signal(bus_, nullptr, kName, kPath, kName, "ActionInvoked",
                      &Notifier::OnAction, this);
  return true;
}

void Notifier::Show(const WaitingQuestion& question) {
  if (!Open()) return;
  sd_bus_message* const call = NewCall(bus_, "Notify");
  if (call == nullptr) return;
  // Names of peers and of servers are plain letters; a server may read the body
  // as markup. What is asked to be measured is this daemon's own text.
  const bool can_answer =
      question.question.kind == "mcp" || question.question.kind == "bench";
  const std::string summary =
      absl::StrCat("Tactus: ", question.question.peer, " asks");
  const std::string body =
      can_answer ? question.question.text
                 : absl::StrCat(
                       "It wants to send files. `tactus status` tells more, "
                       "and `tactus approve ",
                       question.id, "` takes them.");
  bool good = sd_bus_message_append(call, "susss", "Tactus", uint32_t{0}, "",
                                    summary.c_str(), body.c_str()) >= 0;
  good =
      good && (can_answer ? sd_bus_message_append(call, "as", 4, "approve",
                                                  "Approve", "refuse", "Refuse")
                          : sd_bus_message_append(call, "as", 0)) >= 0;
  good =
      good &&
      sd_bus_message_append(
          call, "a{sv}i", 1, "transient", "b", 1,
          static_cast<int32_t>(absl::ToInt64Milliseconds(question.left))) >= 0;
  sd_bus_message* reply = nullptr;
  if (good &&
      sd_bus_call(bus_, call, Microseconds(kPatience), nullptr, &reply) >= 0) {
    uint32_t number = 0;
    if (sd_bus_message_read(reply, "u", &number) >= 0) {
      shown_[number] = question.id;
    }
  }
  sd_bus_message_unref(reply);
  sd_bus_message_unref(call);
}

void Notifier::Withdraw(int64_t id) {
  for (auto shown = shown_.begin(); shown != shown_.end(); ++shown) {
    if (shown->second != id) continue;
    sd_bus_message* const call =
        bus_ == nullptr ? nullptr : NewCall(bus_, "CloseNotification");
    if (call != nullptr &&
        sd_bus_message_append(call, "u", shown->first) >= 0) {
      sd_bus_call(bus_, call, Microseconds(kPatience), nullptr, nullptr);
    }
    sd_bus_message_unref(call);
    shown_.erase(shown);
    return;
  }
}

int Notifier::OnAction(sd_bus_message* message, void* self, sd_bus_error*) {
  auto* const notifier = static_cast<Notifier*>(self);
  uint32_t number = 0;
  const char* action = nullptr;
  if (sd_bus_message_read(message, "us", &number, &action) < 0) return 0;
  const auto shown = notifier->shown_.find(number);
  if (shown == notifier->shown_.end()) return 0;
  const bool approve = strcmp(action, "approve") == 0;
  if (approve || strcmp(action, "refuse") == 0) {
    notifier->options_.answer(shown->second, approve);
  }
  return 0;
}

}  // namespace tactus::daemon
