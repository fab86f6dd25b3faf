#include "ax/cost/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/cost/model.h"
#include "ax/server/server.h"
#include "boost/math/policies/policy.hpp"
#include "boost/math/special_functions/beta.hpp"

namespace tactus::ax::cost {
namespace {

constexpr size_t kTerms = 4;
constexpr const char* kNames[kTerms] = {"connections", "flights", "calls",
                                        "bytes"};
constexpr size_t kBytes = 3;

using Row = std::array<double, kTerms>;    // counts
using Costs = std::array<double, kTerms>;  // seconds for each

// What of a column must be left once the others are taken out of it, as a
// share, to be told from them; rounding leaves some 1e-15.
constexpr double kToldApart = 1e-6;

// A share of the prediction that is no difference: a quarter of a nanosecond of
// some microseconds.
constexpr double kRounding = 1e-5;

// What weighs down: the usual constants, for 95 % of the efficiency of least
// squares on normal noise.
constexpr double kHuber = 1.345;
constexpr double kBiweight = 4.685;
constexpr int kRounds = 30;

namespace policies = boost::math::policies;
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>>;

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Weighted least squares over some of the columns, orthogonalised one after the
// other (Gram-Schmidt, each twice, which is as good as reflections).
struct LeastSquares {
  std::vector<size_t> columns;
  Costs costs = {};
  double squares = 0;  // that are left
  // The diagonal of the inverse of X'X, by term.
  Costs inverse = {};
  // The first column that those before it add up to; kTerms where none is.
  size_t dependent = kTerms;

  LeastSquares(absl::Span<const Row> rows, absl::Span<const double> target,
               absl::Span<const double> roots, std::vector<size_t> over)
      : columns(std::move(over)) {
    const size_t n = rows.size(), k = columns.size();
    std::vector<double> rest(n);
    for (size_t i = 0; i < n; ++i) rest[i] = target[i] * roots[i];
    std::vector<std::vector<double>> basis;
    std::vector<std::vector<double>> r(k, std::vector<double>(k, 0));
    std::vector<double> along(k, 0);
    for (size_t c = 0; c < k; ++c) {
      std::vector<double> column(n);
      for (size_t i = 0; i < n; ++i) column[i] = rows[i][columns[c]] * roots[i];
      const double length = std::sqrt(Dot(column, column));
      for (int pass = 0; pass < 2; ++pass) {
        for (size_t b = 0; b < c; ++b) {
          const double part = Dot(basis[b], column);
          r[b][c] += part;
          for (size_t i = 0; i < n; ++i) column[i] -= part * basis[b][i];
        }
      }
      r[c][c] = std::sqrt(Dot(column, column));
      if (!(r[c][c] > kToldApart * length)) {
        dependent = columns[c];
        return;
      }
      for (double& value : column) value /= r[c][c];
      along[c] = Dot(column, rest);
      for (size_t i = 0; i < n; ++i) rest[i] -= along[c] * column[i];
      basis.push_back(std::move(column));
    }
    squares = Dot(rest, rest);
    // Backwards through R; and its inverse, a column at a time, whose rows'
    // squares are the diagonal that is wanted.
    for (size_t c = k; c-- > 0;) {
      double value = along[c];
      for (size_t d = c + 1; d < k; ++d) value -= r[c][d] * costs[columns[d]];
      costs[columns[c]] = value / r[c][c];
    }
    for (size_t unit = 0; unit < k; ++unit) {
      std::vector<double> column(k, 0);
      for (size_t c = unit + 1; c-- > 0;) {
        double value = c == unit ? 1 : 0;
        for (size_t d = c + 1; d <= unit; ++d) value -= r[c][d] * column[d];
        column[c] = value / r[c][c];
        inverse[columns[c]] += column[c] * column[c];
      }
    }
  }
};

// The best of all choices of zeros whose other costs are not negative: exactly
// the least squares over such costs. None is dependent: a part of columns that
// are not is not either.
LeastSquares NonNegative(absl::Span<const Row> rows,
                         absl::Span<const double> target,
                         absl::Span<const double> roots,
                         const std::vector<size_t>& columns) {
  const auto holds = [](const LeastSquares& fit) {
    return fit.dependent == kTerms &&
           *std::min_element(fit.costs.begin(), fit.costs.end()) >= 0;
  };
  // Mostly that is the one without zeros, which nothing can be better than.
  LeastSquares all(rows, target, roots, columns);
  if (holds(all)) return all;
  LeastSquares best(rows, target, roots, {});
  for (unsigned choice = 1; choice < (1u << columns.size()); ++choice) {
    std::vector<size_t> chosen;
    for (size_t c = 0; c < columns.size(); ++c) {
      if (choice >> c & 1) chosen.push_back(columns[c]);
    }
    LeastSquares fit(rows, target, roots, std::move(chosen));
    if (holds(fit) && fit.squares < best.squares) {
      best = std::move(fit);
    }
  }
  return best;
}

double Predicted(const Row& row, const Costs& costs) {
  double sum = 0;
  for (size_t term = 0; term < kTerms; ++term) sum += row[term] * costs[term];
  return sum;
}

double MedianOf(std::vector<double> values) {
  const auto nth =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

absl::Status Check(absl::Span<const Observation> observations) {
  for (size_t i = 0; i < observations.size(); ++i) {
    const auto& [traffic, elapsed] = observations[i];
    if (traffic.connections < 0 || traffic.flights < 0 || traffic.calls < 0 ||
        traffic.bytes < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("observation ", i, " has a negative count"));
    }
    if (traffic == Traffic()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "observation ", i, " has no traffic: nothing was asked"));
    }
    if (elapsed <= absl::ZeroDuration() ||
        elapsed == absl::InfiniteDuration()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "observation ", i, " took ", absl::FormatDuration(elapsed),
          ": drop what was not measured"));
    }
  }
  return absl::OkStatus();
}

std::string NamesOf(absl::Span<const size_t> columns) {
  return absl::StrJoin(columns, " and ", [](std::string* out, size_t column) {
    absl::StrAppend(out, kNames[column]);
  });
}

// Whether the counts can tell the costs of `columns` apart.
absl::Status CheckColumns(absl::Span<const Row> rows,
                          const std::vector<size_t>& columns) {
  const std::vector<double> ones(rows.size(), 1);
  for (size_t c = 0; c < columns.size(); ++c) {
    const size_t column = columns[c];
    if (std::all_of(rows.begin(), rows.end(),
                    [column](const Row& row) { return row[column] == 0; })) {
      return absl::FailedPreconditionError(
          absl::StrCat("no observation has ", kNames[column],
                       ": add some that have, or leave that term out"));
    }
    const std::vector<size_t> before(
        columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(c));
    std::vector<size_t> with = before;
    with.push_back(column);
    if (LeastSquares(rows, ones, ones, with).dependent == kTerms) continue;
    // Of those before it, only what it really depends on.
    std::vector<size_t> needed = before;
    for (const size_t other : before) {
      std::vector<size_t> fewer = needed;
      std::erase(fewer, other);
      fewer.push_back(column);
      if (LeastSquares(rows, ones, ones, fewer).dependent != kTerms) {
        std::erase(needed, other);
      }
    }
    return absl::FailedPreconditionError(absl::StrCat(
        kNames[column], " always go with ", NamesOf(needed),
        ", so that nothing tells their costs apart: add observations with more "
        "or fewer ",
        kNames[column], " for the same, or leave a term out"));
  }
  return absl::OkStatus();
}

// The weights by which rows count: first how times vary, then how far off each
// lies. Their roots, as they multiply a row.
class Weights {
 public:
  explicit Weights(absl::Span<const double> target)
      : scale_(target.begin(), target.end()), robust_(target.size(), 1) {}

  std::vector<double> Roots() const {
    std::vector<double> roots;
    for (size_t i = 0; i < scale_.size(); ++i) {
      roots.push_back(std::sqrt(robust_[i]) / scale_[i]);
    }
    return roots;
  }
  const std::vector<double>& robust() const { return robust_; }

  // From the distances to `predicted`: by Huber, or by the biweight.
  void Update(absl::Span<const double> target,
              absl::Span<const double> predicted, bool biweight) {
    std::vector<double> shares;
    for (size_t i = 0; i < target.size(); ++i) {
      // A prediction of almost nothing would weigh as much as all others.
      scale_[i] = std::max(predicted[i], target[i] / 1000);
      shares.push_back(std::abs(target[i] - predicted[i]) / scale_[i]);
    }
    // The deviation that normal noise of this median has.
    const double deviation = std::max(1.4826 * MedianOf(shares), kRounding);
    for (size_t i = 0; i < target.size(); ++i) {
      const double off = shares[i] / deviation;
      if (biweight) {
        const double inside = std::max(0.0, 1 - std::pow(off / kBiweight, 2));
        robust_[i] = inside * inside;
      } else {
        robust_[i] = off <= kHuber ? 1 : kHuber / off;
      }
    }
  }

 private:
  std::vector<double> scale_;
  std::vector<double> robust_;
};

}  // namespace

absl::StatusOr<CostFit> FitCosts(absl::Span<const Observation> observations,
                                 const FitTerms& terms) {
  absl::Status status = Check(observations);
  if (!status.ok()) return status;
  const bool wanted[kTerms] = {terms.connections, terms.flights, terms.calls,
                               terms.bytes};
  std::vector<size_t> columns;
  for (size_t term = 0; term < kTerms; ++term) {
    if (wanted[term]) columns.push_back(term);
  }
  if (columns.empty()) {
    return absl::InvalidArgumentError("no term is to be fitted: name one");
  }
  if (observations.size() <= 2 * columns.size()) {
    return absl::FailedPreconditionError(absl::StrCat(
        observations.size(), " observations are too few for ", columns.size(),
        " costs: take more than ", 2 * columns.size()));
  }
  std::vector<Row> rows;
  std::vector<double> target;
  for (const auto& [traffic, elapsed] : observations) {
    rows.push_back({static_cast<double>(traffic.connections),
                    static_cast<double>(traffic.flights),
                    static_cast<double>(traffic.calls),
                    static_cast<double>(traffic.bytes)});
    target.push_back(absl::ToDoubleSeconds(elapsed));
  }
  status = CheckColumns(rows, columns);
  if (!status.ok()) return status;

  Weights weights(target);
  Costs costs = {};
  std::vector<double> predicted(rows.size());
  for (int round = 0; round < kRounds; ++round) {
    costs = NonNegative(rows, target, weights.Roots(), columns).costs;
    for (size_t i = 0; i < rows.size(); ++i) {
      predicted[i] = Predicted(rows[i], costs);
    }
    weights.Update(target, predicted, round >= kRounds / 2);
  }
  const std::vector<double> roots = weights.Roots();
  costs = NonNegative(rows, target, roots, columns).costs;

  // How sure: by the fit that may be negative, whose spread has a formula.
  const LeastSquares free(rows, target, roots, columns);
  if (free.dependent != kTerms) {
    return absl::FailedPreconditionError(absl::StrCat(
        "without those that lie far off, observations cannot tell the cost of ",
        kNames[free.dependent], " from the others: take more of them"));
  }
  double counted = 0;
  for (const double weight : weights.robust()) counted += weight;
  const double degrees =
      std::max(counted - static_cast<double>(columns.size()), 1.0);
  const double variance =
      std::max(free.squares, counted * kRounding * kRounding) / degrees;
  // The square of Student's t that both sides together miss by 5 %.
  double rest = 0;
  const double inverse_t =
      boost::math::ibeta_inv(degrees / 2, 0.5, 0.05, &rest, Quiet());
  const double t = std::sqrt(degrees * rest / inverse_t);

  CostFit fit;
  absl::Duration* const values[kTerms] = {
      &fit.model.cold_connection, &fit.model.per_flight, &fit.model.per_call,
      &fit.model.per_byte};
  CostInterval* const intervals[kTerms] = {
      &fit.cold_connection, &fit.per_flight, &fit.per_call, &fit.per_byte};
  for (const size_t term : columns) {
    const double reach = t * std::sqrt(variance * free.inverse[term]);
    *values[term] = absl::Seconds(costs[term]);
    *intervals[term] = {absl::Seconds(std::max(costs[term] - reach, 0.0)),
                        absl::Seconds(costs[term] + reach)};
  }
  fit.per_byte_ns = costs[kBytes] * 1e9;

  std::vector<double> distances;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double prediction = Predicted(rows[i], costs);
    // Where no cost is left, the time is all of the distance.
    const double distance = prediction > 0
                                ? std::abs(target[i] / prediction - 1)
                                : std::numeric_limits<double>::infinity();
    distances.push_back(distance);
    if (distance > fit.largest_residual) {
      fit.largest_residual = distance;
      fit.farthest = i;
    }
    if (weights.robust()[i] < 0.5) ++fit.outliers;
    if (prediction > 0) {
      fit.bytes_share = std::max(fit.bytes_share,
                                 rows[i][kBytes] * costs[kBytes] / prediction);
    }
  }
  fit.median_residual = MedianOf(distances);

  if (terms.bytes && costs[kBytes] > 0) {
    std::vector<size_t> without = columns;
    std::erase(without, kBytes);
    const double f =
        std::max(0.0, (NonNegative(rows, target, roots, without).squares -
                       NonNegative(rows, target, roots, columns).squares) /
                          variance);
    fit.bytes_pvalue =
        boost::math::ibeta(degrees / 2, 0.5, degrees / (degrees + f), Quiet());
  }
  fit.bytes_matter = fit.bytes_pvalue < 0.01 && fit.bytes_share >= 0.05;
  return fit;
}

}  // namespace tactus::ax::cost
