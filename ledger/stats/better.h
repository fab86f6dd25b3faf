// Which way a figure is better. The statistics that say "slower" or "regressed"
// ask for it: a throughput that is taken for a latency passes when it falls.
#ifndef TACTUS_LEDGER_STATS_BETTER_H_
#define TACTUS_LEDGER_STATS_BETTER_H_

namespace tactus::ledger {

enum class Better {
  kLess,  // times, sizes, counts of round trips
  kMore,  // rates
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_BETTER_H_
