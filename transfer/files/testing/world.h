// Two devices of a test that talk through memory: one sends, one receives.
//
// Example:
//
//   World world({.faults = {{.message = 7, .kind = MemoryFault::kCut}}});
//   WriteFile(world.source() + "/a", "text");
//   const TransferResult sent = world.Send({world.Root("a")});
//   EXPECT_EQ(sent.outcome, Outcome::kDone);
//   EXPECT_TRUE(world.receiver_has_it());
#ifndef TACTUS_TRANSFER_FILES_TESTING_WORLD_H_
#define TACTUS_TRANSFER_FILES_TESTING_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/sender.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/walk.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/network.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer::files {

DeviceId TestId(uint8_t number);

class World {
 public:
  explicit World(MemoryOptions options = {});

  std::string source() const { return scratch_.path() + "/source"; }
  std::string inbox() const { return scratch_.path() + "/inbox"; }
  const std::string& scratch() const { return scratch_.path(); }
  files::Root Root(const std::string& name) const {
    return {source() + "/" + name, name};
  }

  // May be changed before Send; `decide` accepts into the inbox.
  Decision decision;
  ReceiverOptions receiver_options;
  int asked = 0;  // how often somebody decided

  MemoryNetwork network;
  Transport& a;
  Transport& b;

  Receiver& receiver();

  // Sends in a network in which the receiver accepts three streams at a time,
  // and lets all that is under way come to its end.
  TransferResult Send(std::vector<files::Root> roots,
                      Observer* observer = nullptr);
  TransferResult Run(Sender& sender);
  // What else runs beside a sender.
  std::vector<std::function<void()>> beside = {};
  SendOptions Options(std::vector<files::Root> roots) const;

  // What Serve returned, in order.
  const std::vector<TransferResult>& received() const { return received_; }
  bool receiver_has_it() const;

 private:
  ScratchFolder scratch_;
  std::unique_ptr<Receiver> receiver_;
  std::vector<TransferResult> received_;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_TESTING_WORLD_H_
