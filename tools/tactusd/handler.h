// What becomes of the daemon's clients and of their lines.
//
// Behind it stands the dispatcher (dispatcher.h), or a test; the control server
// calls it from its one thread, and so nothing here may wait.
#ifndef TACTUS_TOOLS_TACTUSD_HANDLER_H_
#define TACTUS_TOOLS_TACTUSD_HANDLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {

class Handler {
 public:
  // What a client hands over with one request: the three standard streams.
  static constexpr size_t kMostDescriptors = 3;

  virtual ~Handler() = default;
  virtual void Open(int64_t client) = 0;
  // Descriptors that came with the line which is told next, at most
  // kMostDescriptors. Who has no use for them closes them.
  virtual void Descriptors(int64_t client,
                           std::vector<transfer::files::UniqueFd> descriptors) {
    (void)client;
    (void)descriptors;
  }
  // A line without its end.
  virtual void Line(int64_t client, absl::string_view line) = 0;
  // One that is longer than control::kMostRequest, and was dropped.
  virtual void LongLine(int64_t client) = 0;
  // No more lines will come, though the client still reads.
  virtual void End(int64_t client) = 0;
  virtual void Close(int64_t client) = 0;
  // What the client still is to be told: answers, and watches that go on.
  virtual size_t Pending(int64_t client) = 0;
  // Answers what waits, and takes nothing more.
  virtual void Stop() = 0;
  // After Stop: nothing is under way any more.
  virtual bool Done() = 0;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_HANDLER_H_
