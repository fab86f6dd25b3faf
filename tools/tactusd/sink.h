// Where the daemon's lines to its clients go.
//
// Behind it stands the control server (control_server.h), or a test. Both
// functions may be called from any thread; what is for a client that has gone
// is dropped.
#ifndef TACTUS_TOOLS_TACTUSD_SINK_H_
#define TACTUS_TOOLS_TACTUSD_SINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tactus::daemon {

// Lines that are made when the client can take them, so that one which reads
// slowly is told what is so now and not all that was.
class Feed {
 public:
  virtual ~Feed() = default;
  // The next line; absent when there is none at present. Any thread.
  virtual std::optional<std::string> Take() = 0;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Send(int64_t client, std::string line) = 0;
  // `feed` has a line for the client, or more of them.
  virtual void Ready(int64_t client, std::shared_ptr<Feed> feed) = 0;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_SINK_H_
