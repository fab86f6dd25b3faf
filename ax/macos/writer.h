// Carries out a write of the seam by the AX C API.
//
// macOS has no call that replaces a range: the range is selected
// (AXSelectedTextRange), and what is selected becomes the text
// (AXSelectedText). Between the two the selection is read back, since an
// application that answers success and does not select would have the text put
// over what the user had selected. Where the text is not taken after that, the
// selection is collapsed, so that the next key replaces nothing.
//
// Trips: a replacement takes four (can AXSelectedText be set; select; read
// back; set) and one to place a caret; one more where `known` does not reach as
// far as the range. The whole value takes one, a selection one.
//
//   const WriteResult written = WriteElement(calls, table, request, deadline);
#ifndef TACTUS_AX_MACOS_WRITER_H_
#define TACTUS_AX_MACOS_WRITER_H_

#include "absl/time/time.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/server/server.h"

namespace tactus::ax::macos {

WriteResult WriteElement(Calls& calls, ElementTable& table,
                         const WriteRequest& request, absl::Time deadline);

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_WRITER_H_
