// The daemon's socket: clients come and go, lines in, lines out.
//
// One thread waits for all of them with epoll and without an end; it does
// nothing that could block, so no client can hold up another. What is done for
// clients is behind handler.h. A line is written to its client by whoever has
// it, if the client takes it at once, so that no thread is woken between an
// answer and who waits for it; what it does not take is left to that one
// thread.
//
// Example:
//
//   ControlServer server(listen_fd, Log);
//   server.Run(handler);           // until RequestStop, and all is answered
//   server.Send(3, line);          // from any thread
//
// A client may hand over descriptors with a line (SCM_RIGHTS, unix(7)): with
// its first byte or a later one, and at most Handler::kMostDescriptors, of
// which more are closed.
//
// Bounds: kMostClients at once; a line of control::kMostRequest bytes, of which
// a longer one is dropped and reported; and what a client has not read: beyond
// kMuchUnread nothing more is read from it, beyond kMostUnread it is closed.
// When the process has no descriptor left, who connects is told so by one that
// is kept for that.
#ifndef TACTUS_TOOLS_TACTUSD_CONTROL_SERVER_H_
#define TACTUS_TOOLS_TACTUSD_CONTROL_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "ax/sync/mutex.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/handler.h"
#include "tools/tactusd/sink.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {

class ControlServer : public Sink {
 public:
  // A person has a few programs, and each agent that is carried to another
  // device is one (McpMethods::kMostCarried); more is one that leaks
  // connections.
  static constexpr size_t kMostClients = 192;
  static constexpr size_t kMuchUnread = size_t{1} << 20;
  static constexpr size_t kMostUnread =
      control::kMostAnswer + (size_t{16} << 20);

  // `listen_fd` is closed by it.
  ControlServer(int listen_fd, std::function<void(const std::string&)> log);
  ~ControlServer() override;
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Until RequestStop, and then until the handler is done and clients have read
  // what was for them, a second at most. Once.
  absl::Status Run(Handler& handler);

  // From any thread.
  void RequestStop();

  // Sink:
  void Send(int64_t client, std::string line) override;
  void Ready(int64_t client, std::shared_ptr<Feed> feed) override;

 private:
  // What goes out to a client.
  struct Outbox {
    ax::Mutex mutex;
    int fd ABSL_GUARDED_BY(mutex) = -1;  // -1: it has gone
    // Somebody has to look at it that is not here: the client sends no more, so
    // that it may have been told all.
    bool ended ABSL_GUARDED_BY(mutex) = false;
    bool broken ABSL_GUARDED_BY(mutex) = false;
    std::string out ABSL_GUARDED_BY(mutex);
    size_t sent ABSL_GUARDED_BY(mutex) = 0;  // of `out`

    size_t unread() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
      return out.size() - sent;
    }
    void Put(std::string line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
    // As much as the client takes.
    void Flush() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  };

  struct Client {
    std::shared_ptr<Outbox> outbox;
    int fd = -1;  // of outbox
    std::string in;
    std::vector<transfer::files::UniqueFd> descriptors;  // of the next line
    size_t searched = 0;    // no line of `in` ends before
    bool dropping = false;  // the rest of a line that was too long
    bool ended = false;     // it sends no more
    std::deque<std::shared_ptr<Feed>> feeds;
    uint32_t events = 0;  // what epoll looks for
  };

  void Accept(Handler& handler);
  // Who connects where no descriptor is left, which is to be turned away; -1
  // where not even that is possible.
  int AcceptBySpare();
  void TurnAway(int fd, const std::string& why);
  void TakePosts();
  void TakeLines(Handler& handler, int64_t number, Client& client);
  // Each is false when the client is to be closed.
  bool Receive(Handler& handler, int64_t number, Client& client);
  bool Serve(Handler& handler, int64_t number, Client& client);
  void Watch(int64_t number, Client& client, size_t unread);
  void Close(Handler& handler, int64_t number);
  void Wake();

  int listen_fd_;
  const int epoll_fd_;
  const int wake_fd_;
  const std::function<void(const std::string&)> log_;
  // Held for AcceptBySpare.
  transfer::files::UniqueFd spare_;
  std::map<int64_t, Client> clients_;
  int64_t next_ = 1;

  ax::Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<int64_t, std::shared_ptr<Outbox>> outboxes_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::pair<int64_t, std::shared_ptr<Feed>>> feeds_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_CONTROL_SERVER_H_
