// Reads attributes of the seam over AT-SPI, in one flight where they allow it.
//
// The calls are planned element by element (calls.h) and the replies converted
// (replies.h); this puts the two together, doubts the first texts of an
// application that fetches text only when it is asked, and goes on where one
// answer leads to the next: the window of an element, the text of a selection.
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
