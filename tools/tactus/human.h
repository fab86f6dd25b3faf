// Results as a person reads them on a terminal.
//
// Whatever came from an application is escaped (ax/text/escape.h), so that it
// stays on its line and cannot forge another. The form is not for programs and
// may change: those read the JSON.
//
// Example:
//
//   WriteResult(SnapshotForPeople(snapshot, connect_time));
#ifndef TACTUS_TOOLS_TACTUS_HUMAN_H_
#define TACTUS_TOOLS_TACTUS_HUMAN_H_

#include <string>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"

namespace tactus::cli {

// `connect` is what it took to reach the server.
std::string SnapshotForPeople(const ax::Snapshot& snapshot,
                              absl::Duration connect);
std::string EditForPeople(const ax::EditResult& result);
std::string AppsForPeople(const Apps& apps);
std::string DoctorForPeople(absl::Span<const Check> checks);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_HUMAN_H_
