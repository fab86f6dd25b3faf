#include "tools/tactusd/long_calls.h"

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ax/sync/mutex.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"
#include "tools/tactusd/threads.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

// The last line that was put there, until it is taken.
class LatestLine : public Feed {
 public:
  void Put(std::optional<std::string> line) {
    MutexLock lock(&mutex_);
    line_ = std::move(line);
  }
  std::optional<std::string> Take() override {
    MutexLock lock(&mutex_);
    return std::exchange(line_, std::nullopt);
  }

 private:
  ax::Mutex mutex_;
  std::optional<std::string> line_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

class LongCalls::Call : public Session {
 public:
  Call(Sink* sink, Order its_order)
      : order(std::move(its_order)), sink_(*sink) {}

  void Tell(absl::string_view method, absl::string_view params) override {
    sink_.Send(order.client, control::NotificationLine(method, params));
  }

  void Progress(absl::string_view method, absl::string_view params) override {
    progress_->Put(control::NotificationLine(method, params));
    sink_.Ready(order.client, progress_);
  }

  absl::Status status() override {
    MutexLock lock(&mutex_);
    return why_ == nullptr ? absl::OkStatus() : absl::CancelledError(why_);
  }

  void OnCancel(std::function<void()> call) override {
    MutexLock lock(&mutex_);
    if (why_ != nullptr) {
      if (call) call();
      return;
    }
    on_cancel_ = std::move(call);
  }

  std::vector<transfer::files::UniqueFd> TakeDescriptors() override {
    if (order.descriptors == nullptr) return {};
    return std::exchange(*order.descriptors, {});
  }

  void Cancel(const char* why) {
    MutexLock lock(&mutex_);
    if (why_ != nullptr) return;
    why_ = why;
    // Under the lock, so that End cannot come before it has returned.
    if (on_cancel_) on_cancel_();
    on_cancel_ = nullptr;
  }

  // The method has returned.
  void End() {
    progress_->Put(std::nullopt);
    MutexLock lock(&mutex_);
    on_cancel_ = nullptr;
  }

  const Order order;

 private:
  Sink& sink_;
  const std::shared_ptr<LatestLine> progress_ = std::make_shared<LatestLine>();
  ax::Mutex mutex_;
  // A literal.
  const char* why_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::function<void()> on_cancel_ ABSL_GUARDED_BY(mutex_);
};

LongCalls::LongCalls(Sink* sink, Threads::Spawn spawn)
    : sink_(*sink), threads_(kMost, std::move(spawn)) {}

LongCalls::~LongCalls() {
  StopAll();
  threads_.Join();
}

bool LongCalls::Start(Order order) {
  const auto call = std::make_shared<Call>(&sink_, std::move(order));
  {
    MutexLock lock(&mutex_);
    calls_.push_back(call);
  }
  const bool started = threads_.Start([this, call] {
    const Reply reply = call->order.run(*call->order.params, *call);
    call->End();
    {
      MutexLock lock(&mutex_);
      calls_.remove(call);
    }
    call->order.answered(reply);
  });
  if (started) return true;
  MutexLock lock(&mutex_);
  calls_.remove(call);
  return false;
}

void LongCalls::CancelWhere(const std::function<bool(const Call&)>& which,
                            const char* why) {
  std::list<std::shared_ptr<Call>> calls;
  {
    MutexLock lock(&mutex_);
    for (const std::shared_ptr<Call>& call : calls_) {
      if (which(*call)) calls.push_back(call);
    }
  }
  for (const std::shared_ptr<Call>& call : calls) call->Cancel(why);
}

bool LongCalls::Cancel(int64_t client, const std::string& id) {
  bool found = false;
  CancelWhere(
      [&](const Call& call) {
        const bool wanted = call.order.client == client && call.order.id == id;
        found = found || wanted;
        return wanted;
      },
      "cancelled");
  return found;
}

void LongCalls::Close(int64_t client) {
  CancelWhere(
      [client](const Call& call) { return call.order.client == client; },
      "the client has gone");
}

void LongCalls::StopAll() {
  CancelWhere([](const Call&) { return true; }, "the daemon is ending");
}

}  // namespace tactus::daemon
