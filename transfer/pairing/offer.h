// An offer to pair: the code is shown, and whoever connects may try it, once.
//
// Use it on the device that shows the code. It ends when somebody has paired,
// when a code was tried, right or wrong, when too many connections came to
// nothing, or at its deadline; then the code is of no more use.
//
// Example:
//
//   PairingResult result = ServeOffer(
//       *code, {.name = "desk", .port = 7411}, store,
//       [&](absl::Time until) { return transport.AcceptPairing(until); },
//       Clock::Real(), {.deadline = Clock::Real().Now() + absl::Minutes(5)});
#ifndef TACTUS_TRANSFER_PAIRING_OFFER_H_
#define TACTUS_TRANSFER_PAIRING_OFFER_H_

#include <cstddef>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/pairing.h"

namespace tactus::transfer {

struct OfferOptions {
  absl::Time deadline;
  // For each connection: a handful of round trips, and a disk that is busy.
  absl::Duration patience = absl::Seconds(10);
  // Connections that ended before a code was tried: none of them could learn
  // anything, and whoever makes so many is not the person with the code.
  size_t most_attempts = 16;
};

// The next connection, waited for until its argument. DeadlineExceeded where
// none came; any other error ends the offer.
using NextPairing =
    std::function<absl::StatusOr<PairingConnection>(absl::Time)>;

// As PairAsHost's result, or: DeadlineExceeded where nobody tried the code in
// time; ResourceExhausted after too many connections that came to nothing; what
// `next` returned.
PairingResult ServeOffer(const PairingCode& code, const PairingSelf& self,
                         PairingStore& store, const NextPairing& next,
                         Clock& clock, const OfferOptions& options);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_OFFER_H_
