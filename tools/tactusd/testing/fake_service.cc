#include "tools/tactusd/testing/fake_service.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "ax/sync/mutex.h"

namespace tactus::daemon {
namespace {

// How soon it notices that it is to end.
constexpr uint64_t kLookUs = 20'000;

}  // namespace

FakeService::FakeService(const std::string& address, const std::string& name,
                         Answer answer)
    : answer_(std::move(answer)) {
  good_ =
      sd_bus_new(&bus_) >= 0 &&
      sd_bus_set_address(bus_, address.c_str()) >= 0 &&
      sd_bus_set_bus_client(bus_, 1) >= 0 && sd_bus_start(bus_) >= 0 &&
      sd_bus_add_filter(bus_, nullptr, &FakeService::OnMessage, this) >= 0 &&
      sd_bus_request_name(bus_, name.c_str(), 0) >= 0;
  thread_ = std::thread([this] {
    while (!ending_) {
      std::function<void(sd_bus*)> what;
      {
        ax::MutexLock lock(&mutex_);
        what = std::exchange(what_, nullptr);
      }
      if (what) what(bus_);
      if (sd_bus_process(bus_, nullptr) == 0) sd_bus_wait(bus_, kLookUs);
    }
  });
}

FakeService::~FakeService() {
  ending_ = true;
  thread_.join();
  sd_bus_flush_close_unref(bus_);
}

void FakeService::Do(std::function<void(sd_bus*)> what) {
  ax::MutexLock lock(&mutex_);
  what_ = std::move(what);
}

int FakeService::OnMessage(sd_bus_message* message, void* self, sd_bus_error*) {
  if (sd_bus_message_is_method_call(message, nullptr, nullptr) <= 0) return 0;
  static_cast<FakeService*>(self)->answer_(message);
  return 1;
}

}  // namespace tactus::daemon
