// What sending a file takes: a fixed cost and a rate.
//
//   seconds = fixed + size / rate
//
// Use it to say what a rate that was measured at one size means at another, to
// predict, and to hold a measurement against. A rate without its size says
// little: at 32 MiB a channel that takes 3.4 s to open shows a sixth of the
// rate that it has.
//
// Example:
//
//   const TransferModel browser = {.fixed = absl::Seconds(3.45),
//                                  .rate = MegabitsPerSecond(373.5)};
//   browser.Predict(Mebibytes(128));         // 6.3 s
//   browser.CompositeRate(Mebibytes(128));   // 170 Mbit/s
//   browser.FixedShare(Mebibytes(128));      // 0.55
//
// Where the form comes from: measured over loopback with and without a browser
// (the reference figures that the project starts from); fit.h finds both
// numbers in samples. It is a model of one file on one path: two files at once
// share the rate, and a second one on a warm session has no fixed cost left to
// pay.
#ifndef TACTUS_TRANSFER_COST_MODEL_H_
#define TACTUS_TRANSFER_COST_MODEL_H_

#include "absl/time/time.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {

struct TransferModel {
  absl::Duration fixed = {};  // below zero counts as none
  BitRate rate;

  // For ever at no rate; never overflows.
  absl::Duration Predict(ByteCount size) const;

  // The size over the whole time: what a user sees. Rises with the size towards
  // `rate`, which it reaches only where there is no fixed cost (or where a
  // double cannot tell any more).
  BitRate CompositeRate(ByteCount size) const;

  // How much of the whole time is the fixed cost, from 0 to 1; falls with the
  // size. 0 where nothing takes any time, and where it takes for ever.
  double FixedShare(ByteCount size) const;

  // The size at which the fixed cost is half of the time: below it more rate
  // helps little.
  ByteCount HalfwaySize() const;

  friend bool operator==(const TransferModel&, const TransferModel&) = default;
};

}  // namespace tactus::transfer::cost

#endif  // TACTUS_TRANSFER_COST_MODEL_H_
