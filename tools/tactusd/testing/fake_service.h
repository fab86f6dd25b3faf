// A service on a message bus of a test's own, which answers as the test says.
//
//   FakeService saver(bus->address(), "org.freedesktop.ScreenSaver",
//                     [](sd_bus_message* call) {
//                       return sd_bus_reply_method_return(call, "b", 1);
//                     });
//
// `answer` is called by a thread of its own, one call after the other; what it
// returns is ignored, and what it does not answer hangs. ~ ends it, and its
// name is free again.
#ifndef TACTUS_TOOLS_TACTUSD_TESTING_FAKE_SERVICE_H_
#define TACTUS_TOOLS_TACTUSD_TESTING_FAKE_SERVICE_H_

#include <systemd/sd-bus.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

class FakeService {
 public:
  using Answer = std::function<int(sd_bus_message*)>;

  FakeService(const std::string& address, const std::string& name,
              Answer answer);
  ~FakeService();
  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;

  // Whether it has its name.
  bool good() const { return good_; }
  // By its thread, soon.
  void Do(std::function<void(sd_bus*)> what);

 private:
  static int OnMessage(sd_bus_message* message, void* self, sd_bus_error*);

  const Answer answer_;
  bool good_ = false;
  sd_bus* bus_ = nullptr;
  std::atomic<bool> ending_ = false;
  ax::Mutex mutex_;
  std::function<void(sd_bus*)> what_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_TESTING_FAKE_SERVICE_H_
