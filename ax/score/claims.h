// Which of several elements that claim the focus is read and written, and what
// the claims that lose still mean.
//
// Use it wherever claims are weighed, so that a cache and a snapshot never
// disagree about one. What loses is not forgotten: a claim of equal right makes
// the choice a guess, and one that is secure, or may be, makes every key a
// risk, since keys go to whatever has the keyboard and not to what was chosen.
// An element may call itself defunct and have the keyboard all the same.
//
// Example:
//
//   const Choice choice = Choose(claims);
//   if (!choice.best.has_value()) return nothing_has_the_focus;
//   if (choice.secure_beside) NeverSendKeys();
#ifndef TACTUS_AX_SCORE_CLAIMS_H_
#define TACTUS_AX_SCORE_CLAIMS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ax/types/types.h"

namespace tactus::ax {

// One element as it was offered, and what it says of itself. A subrole that the
// platform lacks is Unimplemented, one that the element lacks NotFound.
struct Claim {
  Element element;
  absl::StatusOr<RoleValue> role;
  absl::StatusOr<RoleValue> subrole;
  absl::StatusOr<int64_t> states;
};

// Secure, or not known to be otherwise: a role that could not be read may have
// said "secure", and so may a subrole that is there.
bool MayBeSecure(const Claim& claim);

struct Choice {
  // The likeliest by Score; the first of equals. Absent where none claims.
  std::optional<size_t> best;
  // Another element claims with equal right.
  bool tie = false;
  // Another element is secure, or may be.
  bool secure_beside = false;
  // These two kinds of others, in the order of the claims.
  std::vector<size_t> rivals;
};

// What may be secure competes as secure: were it scored as less, a plain field
// beside it would be read in its place. An element that is gone, so that it
// answers neither role nor states, is none of the rivals.
Choice Choose(absl::Span<const Claim> claims);

}  // namespace tactus::ax

#endif  // TACTUS_AX_SCORE_CLAIMS_H_
