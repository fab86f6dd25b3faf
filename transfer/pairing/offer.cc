#include "transfer/pairing/offer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "transfer/clock/clock.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/pairing.h"

namespace tactus::transfer {

PairingResult ServeOffer(const PairingCode& code, const PairingSelf& self,
                         PairingStore& store, const NextPairing& next,
                         Clock& clock, const OfferOptions& options) {
  PairingResult result;
  for (size_t attempt = 0; attempt < options.most_attempts; ++attempt) {
    absl::StatusOr<PairingConnection> connection = next(options.deadline);
    if (absl::IsDeadlineExceeded(connection.status())) {
      result.status = absl::DeadlineExceededError(
          "nobody typed the code in time: it is of no more use");
      return result;
    }
    if (!connection.ok()) {
      result.status = connection.status();
      return result;
    }
    result =
        PairAsHost(*connection, code, self, store,
                   std::min(options.deadline, clock.Now() + options.patience));
    if (result.code_spent) return result;
  }
  result.status = absl::ResourceExhaustedError(absl::StrCat(
      options.most_attempts,
      " connections came and tried no code: the code is of no more use. "
      "Somebody else may know that this device is pairing"));
  return result;
}

}  // namespace tactus::transfer
