// Hostilities of a server that holds secrets, or takes permission away.
// Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_SECRECY_H_
#define TACTUS_AX_MOCK_SECRECY_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> SecrecyHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_SECRECY_H_
