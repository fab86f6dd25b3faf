// How long to wait before trying to connect again: twice as long each time,
// with some chance, up to a bound.
//
// Use one for each peer that is kept connected. Chance keeps two devices that
// lost each other, or many that lost one, from trying at the same moments.
//
// Example:
//
//   Backoff backoff({}, random);
//   wait(backoff.Next());   // 125 to 250 ms
//   wait(backoff.Next());   // 250 to 500 ms
//   backoff.Reset();        // it worked
#ifndef TACTUS_TRANSFER_TLS_BACKOFF_H_
#define TACTUS_TRANSFER_TLS_BACKOFF_H_

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/time/time.h"

namespace tactus::transfer {

struct BackoffOptions {
  absl::Duration first = absl::Milliseconds(250);
  // A laptop that wakes is found again within this.
  absl::Duration most = absl::Seconds(30);
};

class Backoff {
 public:
  // `random` gives numbers from 0 to below 1.
  Backoff(const BackoffOptions& options, std::function<double()> random)
      : options_(options), random_(std::move(random)), next_(options.first) {}

  // From half of the wait to all of it; the wait doubles up to `most`.
  absl::Duration Next() {
    const absl::Duration wait = next_ / 2 + next_ / 2 * random_();
    next_ = std::min(next_ * 2, options_.most);
    return wait;
  }

  void Reset() { next_ = options_.first; }

 private:
  BackoffOptions options_;
  std::function<double()> random_;
  absl::Duration next_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_BACKOFF_H_
