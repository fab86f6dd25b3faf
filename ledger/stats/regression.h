// Whether a new measurement is worse than those in the ledger: the check
// against a stored baseline.
//
// Use it where the build that was measured before is not at hand any more. It
// compares across days and so sees little: rows of one series vary by more than
// 10 % on one machine, so what is under 10 % is noise here, and a slowdown of
// just 10 % is found about every second time. Where both builds are at hand,
// compare.h finds it.
//
// Example:
//
//   // Oldest row first; three measurements now, whose median counts.
//   absl::StatusOr<BaselineCheck> check =
//       CheckBaseline(history_ms, {12.1, 11.8, 14.9}, {});
//   if (check->verdict == BaselineVerdict::kPass) ...
//
// Two baselines, each as a median:
//
//   recent   the newest rows of the history. Against it a step shows.
//   anchor   the oldest rows, which stays where it is however often a row
//   passes;
//            so that four steps of 4 %, each of them noise, alarm in the end.
//            It moves to where the series has become better by more than the
//            noise for as many rows as it is a median of, so that what was won
//            is not lost unseen. It never moves the other way: whoever accepts
//            a slowdown gives the history from there on.
//
// Only kPass and kImproved are passes. A figure that is better beyond belief is
// none: a harness that measured nothing is more often the reason than a wonder.
// Neither is a history that is too short.
#ifndef TACTUS_LEDGER_STATS_REGRESSION_H_
#define TACTUS_LEDGER_STATS_REGRESSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ledger/stats/better.h"

namespace tactus::ledger {

struct BaselineOptions {
  // Which way the figures are better.
  Better better = Better::kLess;
  // A change by less than this share is noise: 0.10 is what the series of the
  // reference figures span around their median with a median of three.
  double noise = 0.10;
  // Better by more than this factor is not believed: a tenth of the time, or
  // ten times the rate. Whoever did make it so much better starts the history
  // anew.
  double implausible = 10;
  // Rows that the recent baseline is the median of.
  int64_t recent_rows = 20;
  // Rows that the anchor is the median of.
  int64_t anchor_rows = 10;
  // With fewer rows than this there is no baseline.
  int64_t min_rows = 3;
  // Measurements of now, fewer of which are none.
  int64_t min_present = 3;
};

enum class BaselineVerdict {
  kPass,         // within the noise of both baselines, or better than one
  kImproved,     // better than both by more than the noise: a pass
  kRegressed,    // worse than the recent baseline by more than the noise
  kDrifted,      // worse than the anchor alone: small steps that added up
  kImplausible,  // better beyond belief: look at the harness first
  kNoBaseline,   // too few rows, or too few measurements now
};

absl::string_view BaselineVerdictName(BaselineVerdict verdict);

struct BaselineCheck {
  BaselineVerdict verdict = BaselineVerdict::kNoBaseline;
  double present = 0;  // the median of the measurements of now
  double recent = 0;   // 0 where there is none
  double anchor = 0;
  // How much worse `present` is, whichever way that is: 0.1 is a time 10 %
  // longer or a rate that takes 10 % longer for the same; negative is better.
  double worse_than_recent = 0;
  double worse_than_anchor = 0;
};

// `history` is oldest first and may be empty (kNoBaseline). InvalidArgument
// where `present` is, where a value is not a positive finite number, or an
// option is out of range.
absl::StatusOr<BaselineCheck> CheckBaseline(absl::Span<const double> history,
                                            absl::Span<const double> present,
                                            const BaselineOptions& options);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_REGRESSION_H_
