// A network between two devices that a test can break: it carries TCP
// connections to somewhere, and cuts, freezes or changes what it carries.
//
// Use it in the place of the address of a peer.
//
// Example:
//
//   std::unique_ptr<Relay> relay = *Relay::Start("127.0.0.1:7411");
//   peers.SetAddresses(id, {relay->address()});
//   relay->Freeze(true);   // both ends hear nothing any more, and no end
//   either
#ifndef TACTUS_TRANSFER_TLS_TESTING_RELAY_H_
#define TACTUS_TRANSFER_TLS_TESTING_RELAY_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

class Relay {
 public:
  static absl::StatusOr<std::unique_ptr<Relay>> Start(
      const std::string& target);
  ~Relay();

  const std::string& address() const { return address_; }

  // Carries nothing while frozen, connects nobody, and tells nobody.
  void Freeze(bool frozen);

  // Cuts all connections, with a reset.
  void CutAll();

  // Flips a bit of each byte that goes to the target from now on.
  void Garble(bool garbled);

  // Connections that were made so far, and bytes carried.
  size_t connections() const;
  uint64_t bytes() const;

 private:
  struct Pipe {
    int from = -1;
    int to = -1;
    bool to_target = false;
    std::string held;
    bool ended = false;
  };
  struct Connection {
    Pipe pipes[2];
    bool dead = false;
  };

  Relay() = default;
  void Run();
  void Carry(Connection& connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Wake();

  int listener_ = -1;
  int wake_[2] = {-1, -1};
  std::string address_;
  std::string target_;
  std::thread thread_;
  mutable Mutex mutex_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  bool frozen_ ABSL_GUARDED_BY(mutex_) = false;
  bool garbled_ ABSL_GUARDED_BY(mutex_) = false;
  size_t made_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::list<Connection> connections_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_TESTING_RELAY_H_
