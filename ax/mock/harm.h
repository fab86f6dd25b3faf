// Hostilities of a server that its client can harm.
// Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_HARM_H_
#define TACTUS_AX_MOCK_HARM_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> HarmHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_HARM_H_
