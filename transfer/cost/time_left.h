// How long a transfer takes still, from how it has gone so far.
//
// Use it for what a user is shown. The bytes done over the time so far would be
// wrong for small files and at the start of large ones, when most of the time
// was the fixed cost: here that is not taken for the rate.
//
// Example:
//
//   absl::StatusOr<absl::Duration> left =
//       TimeLeft(progress, total, {.prior = last_model_of_this_peer});
//   Show(left.ok() ? absl::FormatDuration(*left) : "...");
//
// The rate is the robust one of fit.h over the newest samples, so that one
// stall hardly moves it; a stall that lasts does, as its samples become the
// most.
#ifndef TACTUS_TRANSFER_COST_TIME_LEFT_H_
#define TACTUS_TRANSFER_COST_TIME_LEFT_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {

// How much was done, so long after the beginning.
struct Progress {
  absl::Duration elapsed;
  ByteCount done;
};

struct TimeLeftOptions {
  // What earlier transfers on this path say, for as long as this one says
  // nothing: until three samples of different size are there.
  std::optional<TransferModel> prior;
};

// `progress` is oldest first; at most the newest 60 samples count, which is a
// minute of them at one a second. InvalidArgument where it goes backwards, or
// beyond `total`. FailedPrecondition where it is too early to say and there is
// no prior.
absl::StatusOr<absl::Duration> TimeLeft(absl::Span<const Progress> progress,
                                        ByteCount total,
                                        const TimeLeftOptions& options = {});

}  // namespace tactus::transfer::cost

#endif  // TACTUS_TRANSFER_COST_TIME_LEFT_H_
