// Where a history changed, and whether each change for the worse was meant.
//
// A change that nobody wrote down in gate/shifts.json is a breach, however long
// ago: a series that grew slower unseen is what this gate is there to show. One
// for the better is told and passes. So does one that was taken back: where
// what came later is as good as what was before, nothing is left to answer for.
#ifndef TACTUS_GATE_HISTORY_CHECK_H_
#define TACTUS_GATE_HISTORY_CHECK_H_

#include <vector>

#include "gate/histories.h"
#include "gate/shifts.h"
#include "gate/verdict.h"
#include "ledger/stats/changepoints.h"

namespace tactus::gate {

Check CheckHistory(const History& history, const std::vector<Shift>& shifts,
                   const ledger::ChangePointOptions& options);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_HISTORY_CHECK_H_
