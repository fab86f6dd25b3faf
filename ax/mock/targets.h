// Hostilities of a server that has several answers to where the keyboard is, or
// changes it. Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_TARGETS_H_
#define TACTUS_AX_MOCK_TARGETS_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> TargetHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_TARGETS_H_
