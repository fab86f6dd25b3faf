// Hostilities of a server that answers the wrong type, number, length or text.
// Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_LIES_H_
#define TACTUS_AX_MOCK_LIES_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> LieHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_LIES_H_
