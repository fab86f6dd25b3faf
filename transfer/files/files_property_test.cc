// Any tree under any schedule, with the connection cut, delayed and gone dark
// anywhere: it ends, both sides agree, and what is said to be there is there.
//
// RC_PARAMS="seed=..." in the environment replays a failure; the seed is
// printed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "rapidcheck.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"
#include "transfer/files/sender.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/testing/world.h"
#include "transfer/memory/network.h"
#include "transfer/memory/schedule.h"

namespace tactus::transfer::files {
namespace {

std::vector<MemoryFault> AnyFaults() {
  std::vector<MemoryFault> faults;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i) {
    MemoryFault fault;
    // A whole transfer is a dozen messages, and each try adds some.
    fault.message = *rc::gen::inRange<size_t>(0, 40);
    fault.kind = *rc::gen::element(MemoryFault::kCut, MemoryFault::kCut,
                                   MemoryFault::kDelay, MemoryFault::kLose);
    fault.keep = *rc::gen::element<size_t>(0, 1, 5, 100, kChunk / 2, SIZE_MAX);
    fault.writer_told = *rc::gen::arbitrary<bool>();
    // Around the patience of both sides, too.
    fault.delay = absl::Seconds(*rc::gen::element(1, 30, 61, 95, 300));
    faults.push_back(fault);
  }
  return faults;
}

void MakeAnyTree(const std::string& root) {
  const int files = *rc::gen::inRange(0, 6);
  MakeFolders(root + "/t/hollow");
  for (int i = 0; i < files; ++i) {
    const size_t size =
        *rc::gen::element<size_t>(0, 1, 1000, 40'000, kChunk, 2 * kChunk + 3);
    WriteFile(absl::StrCat(root, "/t/", i % 2 == 0 ? "" : "d/", i),
              Noise(size, static_cast<uint64_t>(i)),
              *rc::gen::element<mode_t>(0600, 0644, 0755));
  }
  if (files > 2) std::filesystem::create_symlink("d", root + "/t/link");
}

void AnyTransferEndsAndBothAgree() {
  SeededSchedule schedule(*rc::gen::arbitrary<uint64_t>());
  World world({.schedule = &schedule,
               .faults = AnyFaults(),
               .capacity = *rc::gen::element<size_t>(4096, 65536, 4 << 20)});
  MakeAnyTree(world.source());
  SendOptions options = world.Options({world.Root("t")});
  // Some give up soon.
  options.give_up = absl::Minutes(*rc::gen::element(0, 3, 60));
  Sender sender(&world.a, &world.network.clock(), options);
  const TransferResult sent = world.Run(sender);
  const std::vector<std::string> here = DescribeTree(world.source());
  switch (sent.outcome) {
    case Outcome::kDone:
      RC_ASSERT(world.receiver_has_it());
      RC_ASSERT(DescribeTree(world.inbox()) == here);
      break;
    case Outcome::kUnknown:
      // Then it is one or the other.
      if (world.receiver_has_it()) {
        RC_ASSERT(DescribeTree(world.inbox()) == here);
      }
      break;
    default:
      RC_ASSERT(!world.receiver_has_it());
      break;
  }
  RC_ASSERT(world.asked <= 1);
  // Whatever happened: another one, with the network as it should be, does it.
  world.network.SetReachable(TestId(2), true);
  Sender again(&world.a, &world.network.clock(), [&] {
    SendOptions more = world.Options({world.Root("t")});
    more.give_up = absl::Hours(10);
    return more;
  }());
  const TransferResult last = world.Run(again);
  RC_ASSERT(last.outcome == Outcome::kDone);
  RC_ASSERT(DescribeTree(world.inbox()) == here);
}

bool AllHold() {
  return rc::check("any transfer ends, and both sides agree on how",
                   AnyTransferEndsAndBothAgree);
}

}  // namespace
}  // namespace tactus::transfer::files

int main() {
  return tactus::transfer::files::AllHold() ? EXIT_SUCCESS : EXIT_FAILURE;
}
