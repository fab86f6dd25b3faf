// Turns requests of the seam into AT-SPI calls of one flight, and the replies
// back into readings in code points.
//
// It plans the calls of each element once, however many attributes need them:
// the state says both what the element is and whether it can be written. For a
// toolkit that counts in UTF-16 the text itself is needed to convert a caret,
// so it is read in the same flight; only where a position lies beyond what was
// read is there a second.
//
// Example:
//
//   std::vector<Reading> readings =
//       ReadAttributes(applications, &traffic, requests, deadline);
#ifndef TACTUS_AX_ATSPI_READER_H_
#define TACTUS_AX_ATSPI_READER_H_

#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

// As many readings as requests, each with its own status.
std::vector<Reading> ReadAttributes(Applications& applications,
                                    Traffic* traffic,
                                    absl::Span<const ReadRequest> requests,
                                    absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_READER_H_
