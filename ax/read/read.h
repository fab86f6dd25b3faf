// One batched read, and what to do where a server rejects batches.
//
// Use it above the seam wherever several attributes are wanted. It sends one
// flight; only where the server rejects the batch as a whole, or answers with
// more or fewer values than were asked for, does it read attribute by
// attribute. One failing attribute never costs the others.
//
// Example:
//
//   const ReadRequest requests[] = {{element, Attribute::kRole},
//                                   {element, Attribute::kStates}};
//   ReadResult result = ReadAll(server, requests, deadline);
//   absl::StatusOr<RoleValue> role = Get<RoleValue>(result.readings[0]);
#ifndef TACTUS_AX_READ_READ_H_
#define TACTUS_AX_READ_READ_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

struct ReadResult {
  // As many as there were requests, in their order. A reading whose value has
  // not the attribute's type is DataLoss.
  std::vector<Reading> readings;
  // False when the server rejected the batch, so that each attribute cost a
  // flight of its own.
  bool batched = true;
};

// Never fails as a whole. When the batch found no answer by `deadline`, or the
// application gone, every reading says so and nothing more is sent: asking
// again one by one would only spend what is not there.
ReadResult ReadAll(Server& server, absl::Span<const ReadRequest> requests,
                   absl::Time deadline);

}  // namespace tactus::ax

#endif  // TACTUS_AX_READ_READ_H_
