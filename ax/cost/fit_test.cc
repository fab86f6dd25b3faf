#include "ax/cost/fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/cost/model.h"
#include "ax/server/server.h"
#include "gtest/gtest.h"

namespace tactus::ax::cost {
namespace {

// Of a GTK 3 application, and a text of which each byte costs 25 ns.
const CostModel kTruth = {.cold_connection = absl::Milliseconds(1),
                          .per_flight = absl::Microseconds(27),
                          .per_call = absl::Microseconds(25),
                          .per_byte = absl::Nanoseconds(25)};

// Reads of one to eight calls in one to three flights, some with long texts,
// one in six the first contact.
std::vector<Traffic> Design(int n) {
  std::vector<Traffic> design;
  for (int i = 0; i < n; ++i) {
    const int64_t flights = 1 + i % 3;
    design.push_back({.flights = flights,
                      .calls = flights + i % 7,
                      .bytes = 200 + (i % 5 == 0 ? 20'000 * (i % 4) : 0),
                      .connections = i % 6 == 0 ? 1 : 0});
  }
  return design;
}

std::vector<Observation> Exact(int n, const CostModel& model) {
  std::vector<Observation> observations;
  for (const Traffic& traffic : Design(n)) {
    observations.push_back({traffic, model.Predict(traffic)});
  }
  return observations;
}

// Log-normal noise of that sigma.
std::vector<Observation> Noisy(int n, const CostModel& model, double sigma,
                               unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Observation> observations = Exact(n, model);
  for (Observation& observation : observations) {
    observation.elapsed *= std::exp(sigma * normal(random));
  }
  return observations;
}

double Us(absl::Duration duration) {
  return absl::ToDoubleMicroseconds(duration);
}

void ExpectNear(const CostModel& model, const CostModel& truth, double share) {
  EXPECT_NEAR(Us(model.cold_connection), Us(truth.cold_connection),
              share * Us(truth.cold_connection));
  EXPECT_NEAR(Us(model.per_flight), Us(truth.per_flight),
              share * Us(truth.per_flight));
  EXPECT_NEAR(Us(model.per_call), Us(truth.per_call),
              share * Us(truth.per_call));
  EXPECT_NEAR(Us(model.per_byte), Us(truth.per_byte),
              share * Us(truth.per_byte));
}

TEST(CostFitTest, ExactObservationsGiveTheirModelBack) {
  const absl::StatusOr<CostFit> fit = FitCosts(Exact(30, kTruth), {});
  ASSERT_TRUE(fit.ok()) << fit.status();
  ExpectNear(fit->model, kTruth, 1e-4);
  EXPECT_NEAR(fit->per_byte_ns, 25, 0.01);
  EXPECT_LT(fit->median_residual, 1e-5);
  EXPECT_LT(fit->largest_residual, 1e-5);
  EXPECT_EQ(fit->outliers, 0);
  EXPECT_TRUE(fit->bytes_matter);
  EXPECT_LT(fit->bytes_pvalue, 1e-6);
  // 60,200 bytes beside one flight or more.
  EXPECT_GT(fit->bytes_share, 0.5);
}

TEST(CostFitTest, NoiseWidensTheIntervalsWhichHoldTheTruth) {
  int held = 0;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const absl::StatusOr<CostFit> fit =
        FitCosts(Noisy(60, kTruth, 0.05, seed), {});
    ASSERT_TRUE(fit.ok());
    ExpectNear(fit->model, kTruth, 0.25);
    EXPECT_GT(fit->median_residual, 0.01);
    EXPECT_LT(fit->median_residual, 0.06);
    const auto holds = [](const CostInterval& interval, absl::Duration truth) {
      return interval.low <= truth && truth <= interval.high ? 1 : 0;
    };
    held += holds(fit->cold_connection, kTruth.cold_connection) +
            holds(fit->per_flight, kTruth.per_flight) +
            holds(fit->per_call, kTruth.per_call) +
            holds(fit->per_byte, kTruth.per_byte);
  }
  // Of 200, 190 are to be expected.
  EXPECT_GE(held, 175);
}

TEST(CostFitTest, BytesThatCostNothingDoNotMatter) {
  CostModel free_bytes = kTruth;
  free_bytes.per_byte = absl::ZeroDuration();
  int false_alarms = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const absl::StatusOr<CostFit> fit =
        FitCosts(Noisy(60, free_bytes, 0.05, seed), {});
    ASSERT_TRUE(fit.ok());
    false_alarms += fit->bytes_matter ? 1 : 0;
    EXPECT_TRUE(FitCosts(Noisy(60, kTruth, 0.05, seed), {})->bytes_matter);
  }
  EXPECT_LE(false_alarms, 3);
  const absl::StatusOr<CostFit> exact = FitCosts(Exact(30, free_bytes), {});
  EXPECT_FALSE(exact->bytes_matter);
  EXPECT_LT(exact->bytes_share, 0.001);
}

TEST(CostFitTest, OneStallInFiveMovesLittle) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<Observation> observations = Noisy(120, kTruth, 0.02, seed);
    // One of each five that follow each other, whichever.
    std::vector<size_t> stalled;
    for (size_t five = 0; five < 24; ++five) {
      stalled.push_back(5 * five + random() % 5);
      observations[stalled.back()].elapsed += absl::Milliseconds(60);
    }
    const absl::StatusOr<CostFit> fit = FitCosts(observations, {});
    ASSERT_TRUE(fit.ok()) << fit.status();
    ExpectNear(fit->model, kTruth, 0.15);
    EXPECT_GE(fit->outliers, 24);
    EXPECT_GT(fit->largest_residual, 10);
    EXPECT_EQ(std::count(stalled.begin(), stalled.end(), fit->farthest), 1);
  }
}

TEST(CostFitTest, BytesAloneCanBeFitted) {
  std::vector<Observation> observations;
  for (int i = 1; i <= 9; ++i) {
    observations.push_back(
        {{.bytes = 1000 * i}, absl::Nanoseconds(25) * (1000 * i)});
  }
  const absl::StatusOr<CostFit> fit = FitCosts(
      observations, {.connections = false, .flights = false, .calls = false});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_EQ(fit->model.per_byte, absl::Nanoseconds(25));
  EXPECT_TRUE(fit->bytes_matter);
  EXPECT_NEAR(fit->bytes_share, 1, 1e-12);
}

TEST(CostFitTest, CostBelowZeroIsNoneAndTheRestIsFittedWithoutIt) {
  // Flights that make it faster: more of them with fewer calls each.
  std::vector<Observation> observations;
  for (int i = 0; i < 20; ++i) {
    const Traffic traffic = {.flights = 1 + i % 4, .calls = 5 + i % 3};
    observations.push_back({traffic, absl::Microseconds(20) * traffic.calls -
                                         absl::Microseconds(traffic.flights)});
  }
  const absl::StatusOr<CostFit> fit =
      FitCosts(observations, {.connections = false, .bytes = false});
  ASSERT_TRUE(fit.ok()) << fit.status();
  EXPECT_EQ(fit->model.per_flight, absl::ZeroDuration());
  EXPECT_NEAR(Us(fit->model.per_call), 20, 1);
  EXPECT_EQ(fit->model.cold_connection, absl::ZeroDuration());
  EXPECT_EQ(fit->bytes_pvalue, 1);
}

TEST(CostFitTest, WhatCannotBeToldApartIsAnErrorThatNamesIt) {
  const auto message = [](const std::vector<Observation>& observations,
                          const FitTerms& terms = {}) {
    const absl::Status status = FitCosts(observations, terms).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    return std::string(status.message());
  };
  // Each call is a flight.
  std::vector<Observation> singles = Exact(30, kTruth);
  for (Observation& observation : singles) {
    observation.traffic.calls = observation.traffic.flights;
  }
  EXPECT_EQ(message(singles).substr(0, 28), "calls always go with flights");
  // All the same.
  EXPECT_EQ(message(std::vector<Observation>(
                        30, {{1, 5, 100, 1}, absl::Microseconds(150)}))
                .substr(0, 34),
            "flights always go with connections");
  // Each message of the same length: bytes are calls.
  std::vector<Observation> equal = Exact(30, kTruth);
  for (Observation& observation : equal) {
    observation.traffic.bytes =
        100 * observation.traffic.calls + 10 * observation.traffic.flights;
  }
  EXPECT_EQ(message(equal).substr(0, 38),
            "bytes always go with flights and calls");
  // Nothing was cold.
  std::vector<Observation> warm = Exact(30, kTruth);
  for (Observation& observation : warm) observation.traffic.connections = 0;
  EXPECT_EQ(message(warm).substr(0, 30), "no observation has connections");
  EXPECT_TRUE(FitCosts(warm, {.connections = false}).ok());
  EXPECT_EQ(message(Exact(8, kTruth)).substr(0, 29),
            "8 observations are too few fo");
}

TEST(CostFitTest, WhatWasNotMeasuredIsAnErrorThatNamesTheObservation) {
  for (const Observation& bad :
       {Observation{{1, 1, 1, 0}, absl::ZeroDuration()},
        Observation{{1, 1, 1, 0}, absl::InfiniteDuration()},
        Observation{{0, 0, 0, 0}, absl::Seconds(1)},
        Observation{{-1, 1, 1, 0}, absl::Seconds(1)}}) {
    std::vector<Observation> observations = Exact(30, kTruth);
    observations[4] = bad;
    const absl::Status status = FitCosts(observations, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message().substr(0, 13), "observation 4");
  }
  EXPECT_EQ(
      FitCosts(Exact(30, kTruth), {false, false, false, false}).status().code(),
      absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tactus::ax::cost
