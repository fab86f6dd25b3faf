// Hostilities of a server that answers late, not yet or never.
// Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_TIMING_H_
#define TACTUS_AX_MOCK_TIMING_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> TimingHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_TIMING_H_
