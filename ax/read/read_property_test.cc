// On any desktop, a batch and its attributes one by one read the same.
#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr Attribute kAttributes[] = {
    Attribute::kRole,           Attribute::kSubrole,
    Attribute::kStates,         Attribute::kValueSettable,
    Attribute::kText,           Attribute::kSelectionSettable,
    Attribute::kCharacterCount, Attribute::kCaret,
    Attribute::kSelection,      Attribute::kSelectedText,
    Attribute::kWindow};

std::vector<ReadRequest> AllRequests(const mock::World& world) {
  std::vector<ReadRequest> requests;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      for (Attribute attribute : kAttributes) {
        requests.push_back(
            {{program.application.id, node.path}, attribute, {0, 1000}});
      }
    }
  }
  return requests;
}

TEST(ReadPropertyTest, BatchAndAttributeByAttributeAgreeOnAnyDesktop) {
  int64_t compared = 0;
  EXPECT_TRUE(rc::check([&compared] {
    // Long enough that most scripts have a desktop with elements.
    const auto bytes = *rc::gen::container<std::vector<uint8_t>>(
        256, rc::gen::arbitrary<uint8_t>());
    const mock::Script script = mock::FromBytes(bytes);
    SimulatedClock clock;
    mock::World world(script.desktop);
    mock::MockServer batching(&world, &clock, script.latency);
    mock::MockServer rejecting(&world, &clock, script.latency);
    rejecting.Add(*mock::MakeHostility("batch_rejected", {}));
    const std::vector<ReadRequest> requests = AllRequests(world);
    const ReadResult batch =
        ReadAll(batching, requests, clock.Now() + absl::Hours(1));
    const ReadResult in_turn =
        ReadAll(rejecting, requests, clock.Now() + absl::Hours(1));
    RC_ASSERT(batch.readings.size() == requests.size());
    RC_ASSERT(in_turn.readings.size() == requests.size());
    RC_ASSERT(requests.empty() || batch.batched != in_turn.batched);
    for (size_t i = 0; i < requests.size(); ++i) {
      RC_ASSERT(batch.readings[i] == in_turn.readings[i]);
      ++compared;
    }
    // A batch is never more flights than its parts.
    RC_ASSERT(batching.traffic().flights <= rejecting.traffic().flights);
  }));
  // Not vacuous: desktops with elements were among them.
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace tactus::ax
