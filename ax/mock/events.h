// Hostilities of a server that loses, delays, repeats or floods events.
// Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_EVENTS_H_
#define TACTUS_AX_MOCK_EVENTS_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> EventHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_EVENTS_H_
