// One edit under way, and how each way of carrying it out ends.
//
// What the rungs of the ladder (ax/edit/editor.h) share: the state of the edit,
// the words in which a rung says that it was refused, and the conclusion from
// what was read back, which is drawn in the same manner for all of them. For
// ax/edit alone.
//
// Example: a rung that writes through the server.
//
//   const WriteResult write = run.server.Write(request, deadline);
//   if (!write.sent) return NotSent(rung, write.status);
//   const Seen seen = ReadBack(run.server, request.element, run.plan, wait);
//   return Conclude(rung, run, write.status, seen);
#ifndef TACTUS_AX_EDIT_ATTEMPT_H_
#define TACTUS_AX_EDIT_ATTEMPT_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/meanwhile.h"
#include "ax/edit/options.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::ax {

struct EditRun {
  Server& server;
  const EditOptions& options;
  // What was checked last, and what is to be done on it.
  Snapshot snapshot;
  Plan plan;
  // Filled in on the way: `gap`, `after`, and `element` where it was replaced.
  EditResult& result;
  // Where it diverged though nothing of it was written: what puts that right,
  // of the whole text as `result.after` shows it.
  std::optional<Repair> repair = {};

  Clock& clock() const { return server.clock(); }
  SnapshotOptions reading() const {
    return {.deadline = options.deadline,
            .max_text = options.max_text,
            .context = 0};
  }
  // When what was taken is to be back, also where the deadline has passed.
  absl::Time give_back_by() const;
  // When all of that has ended.
  absl::Time last() const;
};

Attempt Ended(Rung rung, Outcome outcome, Reason reason, std::string message);
Attempt Refused(Rung rung, Reason reason, std::string message);
// Of a status that kept anything from being sent.
Attempt NotSent(Rung rung, const absl::Status& status);

// What became of a write of which the server said `write` and which was read
// back as `seen`. Looks the focus up again where that is not proved yet.
Attempt Conclude(Rung rung, EditRun& run, const absl::Status& write,
                 const Seen& seen);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_ATTEMPT_H_
