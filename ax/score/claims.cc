#include "ax/score/claims.h"

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ax/score/score.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

int ScoreOf(const Claim& claim) {
  if (!claim.states.ok()) return -1;
  const Role role = MayBeSecure(claim) ? Role::kPassword : claim.role->role;
  return Score(static_cast<States>(*claim.states), role);
}

bool IsGone(const Claim& claim) {
  return absl::IsUnavailable(claim.role.status()) &&
         absl::IsUnavailable(claim.states.status());
}

}  // namespace

bool MayBeSecure(const Claim& claim) {
  if (!claim.role.ok()) return true;
  if (claim.role->role == Role::kPassword) return true;
  if (claim.subrole.ok()) return claim.subrole->role == Role::kPassword;
  return !absl::IsNotFound(claim.subrole.status()) &&
         !absl::IsUnimplemented(claim.subrole.status());
}

Choice Choose(absl::Span<const Claim> claims) {
  Choice choice;
  int best_score = -1;
  std::vector<int> scores;
  scores.reserve(claims.size());
  for (size_t i = 0; i < claims.size(); ++i) {
    const int score = ScoreOf(claims[i]);
    scores.push_back(score);
    // An element that was offered twice may have turned secure between the two
    // answers.
    const bool same_and_secure =
        score >= 0 && score == best_score &&
        claims[i].element == claims[*choice.best].element &&
        MayBeSecure(claims[i]);
    if (score > best_score || same_and_secure) {
      best_score = score;
      choice.best = i;
    }
  }
  for (size_t i = 0; i < claims.size(); ++i) {
    if (choice.best.has_value() &&
        claims[i].element == claims[*choice.best].element) {
      continue;
    }
    const bool equal = scores[i] >= 0 && scores[i] == best_score;
    const bool secure = MayBeSecure(claims[i]) && !IsGone(claims[i]);
    choice.tie |= equal;
    choice.secure_beside |= secure;
    if (equal || secure) choice.rivals.push_back(i);
  }
  return choice;
}

}  // namespace tactus::ax
