// What must hold of the cost model of transfers, for every model and every
// size.
//
// RC_PARAMS="seed=..." in the environment replays a failure; the seed is
// printed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "rapidcheck.h"
#include "transfer/cost/fit.h"
#include "transfer/cost/model.h"
#include "transfer/cost/time_left.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {
namespace {

// From a byte to a tebibyte, as evenly over the magnitudes as can be.
rc::Gen<ByteCount> AnySize() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 40),
                    rc::gen::inRange<int64_t>(1024, 2048)),
      [](std::pair<int, int64_t> p) {
        return Bytes(std::max<int64_t>((p.second << p.first) >> 10, 1));
      });
}

// A fixed cost from a millisecond to ten seconds, from 100 kbit/s to 100
// Gbit/s.
rc::Gen<TransferModel> AnyModel() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange<int64_t>(1'000, 10'000'000),
                    rc::gen::inRange<int64_t>(100, 100'000'000)),
      [](std::pair<int64_t, int64_t> p) {
        return TransferModel{
            .fixed = absl::Microseconds(p.first),
            .rate = BitsPerSecond(1000 * static_cast<double>(p.second))};
      });
}

bool Near(double a, double b, double share) {
  return std::abs(a - b) <= share * std::max(std::abs(a), std::abs(b));
}

bool Near(absl::Duration a, absl::Duration b, double share) {
  return Near(absl::ToDoubleSeconds(a), absl::ToDoubleSeconds(b), share) ||
         absl::AbsDuration(a - b) <= absl::Nanoseconds(1);
}

bool AllHold() {
  bool ok = true;

  ok &= rc::check("a larger file never takes less time", [] {
    const TransferModel model = *AnyModel();
    const ByteCount size = *AnySize();
    const ByteCount more = size + *AnySize();
    RC_ASSERT(model.Predict(size) <= model.Predict(more));
  });

  ok &=
      rc::check("two files in one take what both take, less a fixed cost", [] {
        const TransferModel model = *AnyModel();
        const ByteCount a = *AnySize();
        const ByteCount b = *AnySize();
        RC_ASSERT(Near(model.Predict(a + b) + model.fixed,
                       model.Predict(a) + model.Predict(b), 1e-12));
      });

  ok &= rc::check("the composite rate rises and never reaches the rate", [] {
    const TransferModel model = *AnyModel();
    const ByteCount size = *AnySize();
    const ByteCount twice = size + size;
    RC_ASSERT(model.CompositeRate(size) < model.CompositeRate(twice));
    RC_ASSERT(model.CompositeRate(twice) < model.rate);
  });

  ok &=
      rc::check("the share of the fixed cost falls, from one towards none", [] {
        const TransferModel model = *AnyModel();
        const ByteCount size = *AnySize();
        const ByteCount more = size + size + Kibibytes(1024 * 1024);
        RC_ASSERT(model.FixedShare(size) <= 1);
        RC_ASSERT(model.FixedShare(size) > model.FixedShare(more));
        RC_ASSERT(model.FixedShare(more) > 0);
        // What the rate loses is the share: one says as much as the other.
        RC_ASSERT(Near(
            model.CompositeRate(more).bits_per_second(),
            model.rate.bits_per_second() * (1 - model.FixedShare(more)), 1e-6));
      });

  ok &= rc::check("size, rate and time undo each other", [] {
    const TransferModel model = *AnyModel();
    // Tens of microseconds at least, which a duration tells to a thousandth.
    const ByteCount size = *AnySize() + Mebibytes(1);
    const absl::Duration time = size / model.rate;
    RC_ASSERT(Near((size / time).bits_per_second(),
                   model.rate.bits_per_second(), 1e-3));
    RC_ASSERT(std::abs((model.rate * time).bytes() - size.bytes()) <=
              size.bytes() / 1000 + 1);
  });

  ok &=
      rc::check("a fit finds the model again, though one in five is wrong", [] {
        const TransferModel model = *AnyModel();
        // Sizes about where the fixed cost and the bytes both show.
        const int64_t half = std::max<int64_t>(model.HalfwaySize().bytes(), 64);
        std::vector<TransferSample> samples;
        const int fives = *rc::gen::inRange(1, 9);
        for (int five = 0; five < fives; ++five) {
          const int wrong = *rc::gen::inRange(0, 5);
          for (int i = 0; i < 5; ++i) {
            const ByteCount size = Bytes(half / 8 * (5 * five + i + 1));
            absl::Duration elapsed = model.Predict(size);
            if (i == wrong) elapsed *= *rc::gen::inRange(2, 50);
            samples.push_back({size, elapsed});
          }
        }
        const absl::StatusOr<TransferFit> fit = FitTransfers(samples);
        RC_ASSERT(fit.ok());
        RC_ASSERT(Near(fit->model.rate.bits_per_second(),
                       model.rate.bits_per_second(), 1e-4));
        RC_ASSERT(Near(fit->model.fixed, model.fixed, 1e-4));
      });

  ok &=
      rc::check("what is left at a steady rate is found from the progress", [] {
        const TransferModel model = *AnyModel();
        const int steps = *rc::gen::inRange(4, 100);
        const int at = *rc::gen::inRange(3, steps);
        const int64_t step =
            std::max<int64_t>(model.HalfwaySize().bytes(), 1024);
        std::vector<Progress> progress;
        for (int i = 0; i <= at; ++i) {
          progress.push_back({model.Predict(Bytes(step * i)), Bytes(step * i)});
        }
        const absl::StatusOr<absl::Duration> left =
            TimeLeft(progress, Bytes(step * steps));
        RC_ASSERT(left.ok());
        RC_ASSERT(Near(*left, Bytes(step * (steps - at)) / model.rate, 1e-5));
      });

  return ok;
}

}  // namespace
}  // namespace tactus::transfer::cost

int main() {
  return tactus::transfer::cost::AllHold() ? EXIT_SUCCESS : EXIT_FAILURE;
}
