// What must hold of the cost model for every model and every trace, and that a
// fit finds it again.
//
// RC_PARAMS="seed=..." in the environment replays a failure; the seed is
// printed.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/cost/fit.h"
#include "ax/cost/model.h"
#include "ax/server/server.h"
#include "rapidcheck.h"

namespace tactus::ax::cost {
namespace {

// Costs up to an hour, in quarters of a nanosecond.
rc::Gen<absl::Duration> AnyCost() {
  return rc::gen::map(
      rc::gen::inRange<int64_t>(0, 4 * int64_t{3'600'000'000'000}),
      [](int64_t quarters) { return absl::Nanoseconds(1) * quarters / 4; });
}

rc::Gen<CostModel> AnyModel() {
  return rc::gen::build<CostModel>(
      rc::gen::set(&CostModel::cold_connection, AnyCost()),
      rc::gen::set(&CostModel::per_flight, AnyCost()),
      rc::gen::set(&CostModel::per_call, AnyCost()),
      rc::gen::set(&CostModel::per_byte, AnyCost()));
}

rc::Gen<Traffic> AnyTraffic(int64_t most) {
  const auto count = rc::gen::inRange<int64_t>(0, most);
  return rc::gen::build<Traffic>(rc::gen::set(&Traffic::flights, count),
                                 rc::gen::set(&Traffic::calls, count),
                                 rc::gen::set(&Traffic::bytes, count),
                                 rc::gen::set(&Traffic::connections, count));
}

// Sums of two of these do not overflow.
constexpr int64_t kHalf = std::numeric_limits<int64_t>::max() / 2;

bool AllHold() {
  bool ok = true;

  ok &= rc::check("the prediction of a sum is the sum of the predictions", [] {
    const CostModel model = *AnyModel();
    const Traffic a = *AnyTraffic(1'000'000);
    const Traffic b = *AnyTraffic(1'000'000);
    Traffic sum = a;
    sum += b;
    RC_ASSERT(model.Predict(sum) == model.Predict(a) + model.Predict(b));
  });

  ok &= rc::check("more of anything is never predicted cheaper", [] {
    const CostModel model = *AnyModel();
    const Traffic less = *AnyTraffic(kHalf);
    Traffic more = less;
    more += *AnyTraffic(kHalf);
    RC_ASSERT(model.Predict(less) <= model.Predict(more));
  });

  ok &= rc::check("each count matters where its cost is not zero", [] {
    const absl::Duration cost = *AnyCost() + absl::Nanoseconds(1);
    const CostModel model = {cost, cost, cost, cost};
    const Traffic traffic = *AnyTraffic(1'000'000);
    for (const Traffic& one : {Traffic{1, 0, 0, 0}, Traffic{0, 1, 0, 0},
                               Traffic{0, 0, 1, 0}, Traffic{0, 0, 0, 1}}) {
      Traffic more = traffic;
      more += one;
      RC_ASSERT(model.Predict(more) == model.Predict(traffic) + cost);
    }
  });

  ok &= rc::check("a batch is never predicted dearer than its parts", [] {
    const CostModel model = *AnyModel();
    const std::vector<int64_t> sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<int64_t>>(
            rc::gen::inRange<int64_t>(0, 1'000'000)));
    Traffic batch = {.flights = 1};
    absl::Duration apart;
    for (const int64_t size : sizes) {
      batch.calls += 1;
      batch.bytes += size;
      apart += model.Predict({.flights = 1, .calls = 1, .bytes = size});
    }
    RC_ASSERT(model.Predict(batch) <= apart);
    RC_ASSERT(apart - model.Predict(batch) ==
              model.per_flight * static_cast<int64_t>(sizes.size() - 1));
  });

  ok &= rc::check("no trace overflows, none takes less than no time", [] {
    const CostModel model = *AnyModel();
    const Traffic traffic = *rc::gen::build<Traffic>(
        rc::gen::set(&Traffic::flights), rc::gen::set(&Traffic::calls),
        rc::gen::set(&Traffic::bytes), rc::gen::set(&Traffic::connections));
    RC_ASSERT(model.Predict(traffic) >= absl::ZeroDuration());
    Traffic huge;
    huge.flights = huge.calls = huge.bytes = huge.connections =
        std::numeric_limits<int64_t>::max();
    RC_ASSERT(model.Predict(huge) >= model.Predict(traffic));
  });

  ok &= rc::check("a fit finds the model that the observations came from", [] {
    // Costs as they occur; up to 50 ns a byte.
    const CostModel model = {
        .cold_connection = absl::Microseconds(*rc::gen::inRange(500, 30'000)),
        .per_flight = absl::Microseconds(*rc::gen::inRange(5, 500)),
        .per_call = absl::Microseconds(*rc::gen::inRange(0, 100)),
        .per_byte = absl::Nanoseconds(*rc::gen::inRange(0, 50))};
    std::vector<Observation> observations;
    const int n = *rc::gen::inRange(20, 60);
    for (int i = 0; i < n; ++i) {
      Traffic traffic;
      traffic.flights = 1 + i % 3;
      traffic.calls = traffic.flights + *rc::gen::inRange<int64_t>(0, 20);
      traffic.bytes = *rc::gen::inRange<int64_t>(0, 10'000);
      traffic.connections = i % 4 == 0 ? 1 : 0;
      observations.push_back({traffic, model.Predict(traffic)});
    }
    const absl::StatusOr<CostFit> fit = FitCosts(observations, {});
    // Random counts can go together by chance, and shrunk ones do; then there
    // is no answer, and never a wrong one.
    if (!fit.ok()) {
      RC_ASSERT(fit.status().code() == absl::StatusCode::kFailedPrecondition);
      return;
    }
    for (const Observation& observation : observations) {
      const absl::Duration off =
          fit->model.Predict(observation.traffic) - observation.elapsed;
      RC_ASSERT(absl::AbsDuration(off) <=
                observation.elapsed / 1000 + absl::Nanoseconds(1) +
                    absl::Nanoseconds(0.25) * observation.traffic.bytes);
    }
    RC_ASSERT(fit->largest_residual < 1e-3);
    RC_ASSERT(std::abs(fit->per_byte_ns -
                       absl::ToDoubleNanoseconds(model.per_byte)) < 1);
  });

  return ok;
}

}  // namespace
}  // namespace tactus::ax::cost

int main() { return tactus::ax::cost::AllHold() ? EXIT_SUCCESS : EXIT_FAILURE; }
