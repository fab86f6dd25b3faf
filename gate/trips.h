// Holds counted flights and calls to the reviewed table, exactly.
//
// Use it for what a budget in milliseconds cannot see: a batch that was lost, a
// round trip that was added. More than the table is a breach, and fewer as
// well: either the table is out of date, and then nobody would see the next
// loss, or something is not asked any more that a snapshot promises.
//
// Every snapshot must cost what the table says. Of edits the cheapest must: an
// application that publishes late is read back once more, which is its doing
// and not ours; how many were dearer is told.
#ifndef TACTUS_GATE_TRIPS_H_
#define TACTUS_GATE_TRIPS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/verdict.h"

namespace tactus::gate {

// `lines` is what a probe printed, `where` the table's name for what it ran on.
// One check for each row of the table, named "gtk3.snapshot"; and a breach for
// what was counted and is in no row, since nobody would be told when it grows.
std::vector<Check> JudgeTrips(absl::string_view where,
                              const std::map<std::string, Trips>& table,
                              absl::string_view lines);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_TRIPS_H_
