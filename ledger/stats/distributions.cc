#include "ledger/stats/distributions.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "boost/math/constants/constants.hpp"
#include "boost/math/policies/policy.hpp"
#include "boost/math/special_functions/beta.hpp"
#include "boost/math/special_functions/erf.hpp"

namespace tactus::ledger {
namespace {

namespace policies = boost::math::policies;

// Errors become values: nothing here throws.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double BinomialAtLeast(int64_t n, int64_t k, double p) {
  if (n < 0 || !(p >= 0 && p <= 1)) return kNan;
  if (k <= 0) return 1;
  if (k > n) return 0;
  return boost::math::ibeta(static_cast<double>(k),
                            static_cast<double>(n - k + 1), p, Quiet());
}

double StudentTwoSided(double t, double degrees) {
  if (std::isnan(t) || !(degrees > 0) || std::isinf(degrees)) return kNan;
  if (std::isinf(t)) return 0;
  const double square = t * t;
  if (square == 0) return 1;
  if (std::isinf(square)) return 0;
  // Of the two forms, the one whose argument does not round away.
  if (square < degrees) {
    return boost::math::ibetac(0.5, degrees / 2, square / (degrees + square),
                               Quiet());
  }
  return boost::math::ibeta(degrees / 2, 0.5, degrees / (degrees + square),
                            Quiet());
}

double StudentTwoSidedQuantile(double p, double degrees) {
  if (!(p > 0 && p <= 1) || !(degrees > 0) || std::isinf(degrees)) return kNan;
  if (p == 1) return 0;
  // What is beside it, 1 - x, comes out of the same call without rounding.
  double rest = 0;
  const double x = boost::math::ibeta_inv(degrees / 2, 0.5, p, &rest, Quiet());
  return x == 0 ? kInfinity : std::sqrt(degrees * rest / x);
}

double NormalQuantile(double p) {
  if (!(p > 0 && p < 1)) return kNan;
  return -boost::math::constants::root_two<double>() *
         boost::math::erfc_inv(2 * p, Quiet());
}

}  // namespace tactus::ledger
