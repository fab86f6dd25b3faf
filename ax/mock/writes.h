// Hostilities of writing: a success after which nothing has changed, a failure
// after which everything has, a change that is shown and not kept, another
// change than was asked for. Found by name through hostilities.h; see there.
#ifndef TACTUS_AX_MOCK_WRITES_H_
#define TACTUS_AX_MOCK_WRITES_H_

#include "absl/types/span.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> WriteHostilities();

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_WRITES_H_
