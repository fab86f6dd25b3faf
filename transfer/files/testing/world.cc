#include "transfer/files/testing/world.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "transfer/files/frame.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/sender.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/walk.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/network.h"

namespace tactus::transfer::files {

DeviceId TestId(uint8_t number) {
  std::array<uint8_t, 32> bytes = {};
  bytes[0] = number;
  return DeviceId(KeyDigest(bytes));
}

World::World(MemoryOptions options)
    : network(std::move(options)),
      a(network.Add(TestId(1))),
      b(network.Add(TestId(2))) {
  MakeFolders(source());
  MakeFolders(inbox());
  decision = {.accepted = true, .folder = inbox()};
  receiver_options.clock = &network.clock();
  receiver_options.destination.umask = 022;
  receiver_options.decide = [this](const DeviceId&, const Offer&,
                                   const std::function<bool()>&) {
    ++asked;
    return decision;
  };
}

Receiver& World::receiver() {
  if (receiver_ == nullptr) {
    receiver_ = std::make_unique<Receiver>(receiver_options);
  }
  return *receiver_;
}

SendOptions World::Options(std::vector<files::Root> roots) const {
  return {.peer = TestId(2), .roots = std::move(roots)};
}

TransferResult World::Send(std::vector<files::Root> roots, Observer* observer) {
  Sender sender(&a, &network.clock(), Options(std::move(roots)), observer);
  return Run(sender);
}

TransferResult World::Run(Sender& sender) {
  TransferResult result;
  bool over = false;
  const auto accept = [&] {
    while (true) {
      auto stream = b.Accept(network.clock().Now() + absl::Seconds(1));
      if (stream.ok()) {
        std::optional<TransferResult> served =
            receiver().Serve(*std::move(stream));
        if (served.has_value()) received_.push_back(*std::move(served));
      } else if (over) {
        return;
      }
    }
  };
  std::vector<std::function<void()>> programs = {
      [&] {
        result = sender.Run();
        // What was delayed comes, and what waits gives up.
        network.clock().SleepUntil(network.clock().Now() + absl::Minutes(5));
        over = true;
      },
      accept, accept, accept};
  programs.insert(programs.end(), beside.begin(), beside.end());
  network.Run(programs);
  return result;
}

bool World::receiver_has_it() const {
  return std::any_of(received_.begin(), received_.end(), [](const auto& one) {
    return one.outcome == Outcome::kDone;
  });
}

}  // namespace tactus::transfer::files
