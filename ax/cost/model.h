// What a trace of traffic costs in time: the cost model of accessibility.
//
// Use it to predict a snapshot's time from its trace, to say which part of a
// measured time is waiting for round trips, and to hold a benchmark against.
//
//   time = connections * cold_connection   first contact with each application
//        + flights     * per_flight        one wait, however many calls it
//        holds
//        + calls       * per_call          one more call in a flight
//        + bytes       * per_byte          carrying what was sent and answered
//
// Example, with the figures of a GTK 3 application on its own socket:
//
//   const CostModel gtk3 = {.cold_connection = absl::Milliseconds(1),
//                           .per_flight = absl::Microseconds(27),
//                           .per_call = absl::Microseconds(25)};
//   gtk3.Predict({.flights = 1, .calls = 5});   // 152 us
//
// Where the form comes from: measured on macOS and on Linux (the reference
// figures and the AT-SPI measurements that the project starts from), five
// attributes in one flight take about twice what one takes, not five times;
// 44 characters take what none take; the first contact with a process costs
// tens of times a warm call. So latency is a function of round trips, hardly of
// bytes: `per_byte` matters from some 100 kB on, where a text of 10 MB costs 25
// to 50 ns a byte.
//
// It is a model of the waiting, not of the application: what an application
// computes to answer one expensive attribute is not in it.
#ifndef TACTUS_AX_COST_MODEL_H_
#define TACTUS_AX_COST_MODEL_H_

#include "absl/time/time.h"
#include "ax/server/server.h"

namespace tactus::ax::cost {

struct CostModel {
  absl::Duration cold_connection = {};
  absl::Duration per_flight = {};
  absl::Duration per_call = {};
  // absl::Duration counts quarters of a nanosecond; a cheaper byte is free.
  absl::Duration per_byte = {};

  // Exact and additive: the prediction of a sum is the sum of the predictions.
  // Saturates at infinity; never overflows. A count below zero, which no trace
  // has, counts as none, and so does a negative cost.
  absl::Duration Predict(const Traffic& traffic) const;
};

}  // namespace tactus::ax::cost

#endif  // TACTUS_AX_COST_MODEL_H_
