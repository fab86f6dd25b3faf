// The daemon's methods for files (docs/control.md): sending to peers, taking
// what they send as the configuration and the person say, and what moves.
//
// Example:
//
//   FileMethods files(&peers, &approvals, {.config = &config, .log = Log});
//   files.Register(methods);         // before peers.Start()
//   ...
//   files.Stop();                    // then peers.Stop()
//
// Files are opened by the daemon, which is the same user as whoever asks: a
// client that passed descriptors could pass none for the thousands of files of
// a folder, nor open them again when the connection was cut. Standard input is
// the exception: the daemon opens that of the client's process, /proc/PID/fd/N,
// and so holds the pipe itself. A client that relayed it would end the pipe
// with itself, and a file that is half there would look whole. Standard output,
// of files.receive, is opened in the same way, and closed before the answer.
#ifndef TACTUS_TOOLS_TACTUSD_FILE_METHODS_H_
#define TACTUS_TOOLS_TACTUSD_FILE_METHODS_H_

#include <atomic>
#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "tools/config/config.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/discards.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/peers.h"
#include "transfer/files/delivered.h"
#include "transfer/files/frame.h"
#include "transfer/files/meter.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/sender.h"
#include "transfer/files/walk.h"
#include "transfer/identity/device_id.h"

namespace tactus::daemon {

struct FileMethodsOptions {
  const config::Config* config = nullptr;
  // Where it is remembered what was delivered; empty: in memory alone.
  std::string state;
  // Where files go when the configuration says nothing; made when it is not
  // there. Empty: nowhere, and such files are refused.
  std::string inbox;
  // Set before requests are cancelled because the daemon ends: transfers are
  // put aside then, and not ended.
  const std::atomic<bool>* ending = nullptr;
  std::function<void(const std::string&)> log;
};

// $HOME/Downloads; empty without HOME.
std::string DefaultInbox();

// What a peer calls the file or folder at `path`: its last name; of one that
// ends with a dot or two, what the folder is called. InvalidArgument for a path
// that does not begin at the root, and for the root itself.
absl::StatusOr<transfer::files::Root> RootOf(const std::string& path);

class FileMethods {
 public:
  // Of one request. A shell's own limit is on that order.
  static constexpr size_t kMostPaths = 4096;
  // Notifications of one kind, of one request, that must be delivered; more are
  // only counted.
  static constexpr int kMostTold = 1000;

  // All must outlive it, and it the dispatcher.
  FileMethods(Peers* peers, Approvals* approvals, FileMethodsOptions options);

  void Register(Methods& methods);
  // Puts aside what is received.
  void Stop() {
    receiver_.Stop();
    discards_.Stop();
  }

 private:
  class Watcher;
  // A transfer that is under way.
  struct Moving {
    std::string peer;
    bool sending = false;
    transfer::files::Sender* sender = nullptr;  // of one that is sent
    transfer::DeviceId from;                    // of one that is received
    transfer::files::TransferId id;             // of one that is received
    transfer::files::Progress progress;
    transfer::files::Meter meter;
    absl::Time told = absl::InfinitePast();
  };

  // That the next single file of a peer goes into a pipe.
  struct Wish {
    enum class State { kWaiting, kTaken, kEnded };
    int sink = -1;
    Session* session = nullptr;  // that of the request, until it has ended
    std::string name;            // of the peer
    absl::Time deadline;         // for its offer
    State state = State::kWaiting;
    bool cancelled = false;
    transfer::files::TransferId id;          // once it is taken
    transfer::files::TransferResult result;  // once it has ended
  };

  Reply Send(const boost::json::object& given, Session& session);
  Reply Receive(const boost::json::object& given, Session& session);
  // Null where no wish waits, or not for such an offer.
  std::shared_ptr<Wish> TakeWish(const transfer::DeviceId& peer,
                                 const transfer::files::Offer& offer);
  void EndWish(Wish& wish, const transfer::files::TransferResult& result);
  Reply Cancel(const boost::json::object& given);
  std::string ListMoving();
  std::string ListWishes();
  transfer::files::Decision Decide(const transfer::DeviceId& peer,
                                   const transfer::files::Offer& offer,
                                   const std::function<bool()>& gone);
  std::string NameOf(const transfer::DeviceId& peer);
  // Keeps how far it is, and says so as JSON; empty where it was said a moment
  // ago.
  std::string Note(int64_t number, const transfer::files::Progress& progress);
  int64_t Begin(Moving moving);
  void End(int64_t number);

  Peers& peers_;
  Approvals& approvals_;
  const FileMethodsOptions options_;
  transfer::files::Delivered delivered_;
  transfer::files::Receiver receiver_;
  Discards discards_;
  ax::Mutex mutex_;
  std::map<int64_t, Moving> moving_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  // Those that wait: one of each peer. All that changes of a wish, also of one
  // that is taken, does under the lock.
  std::map<transfer::DeviceId, std::shared_ptr<Wish>> wishes_
      ABSL_GUARDED_BY(mutex_);
  ax::Condition changed_;  // a wish has
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_FILE_METHODS_H_
