#include "ax/cost/model.h"

#include <cstdint>

#include "absl/time/time.h"
#include "ax/server/server.h"

namespace tactus::ax::cost {
namespace {

absl::Duration Times(int64_t count, absl::Duration cost) {
  if (count <= 0 || cost <= absl::ZeroDuration()) return absl::ZeroDuration();
  return cost * count;
}

}  // namespace

absl::Duration CostModel::Predict(const Traffic& traffic) const {
  return Times(traffic.connections, cold_connection) +
         Times(traffic.flights, per_flight) + Times(traffic.calls, per_call) +
         Times(traffic.bytes, per_byte);
}

}  // namespace tactus::ax::cost
