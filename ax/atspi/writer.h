// Carries out a write of the seam as AT-SPI calls of one flight.
//
// What is deleted goes before what is inserted, since a field with a greatest
// length would cut the new text otherwise. Both are sent together, so that the
// user's keys have no round trip in which to come between them, and a third
// call puts the caret behind. Offsets and the length of an insert are converted
// to what the toolkit counts in. All arguments are made and checked before the
// first call is sent: a delete is never sent without its insert.
//
// Example:
//
//   const WriteResult written =
//       WriteElement(applications, &traffic, request, deadline);
//
// Source: at-spi2-core 2.46, xml/EditableText.xml and xml/Text.xml; what each
// toolkit makes of it is in quirks.cc.
#ifndef TACTUS_AX_ATSPI_WRITER_H_
#define TACTUS_AX_ATSPI_WRITER_H_

#include "absl/time/time.h"
#include "ax/atspi/applications.h"
#include "ax/server/server.h"

namespace tactus::ax::atspi {

WriteResult WriteElement(Applications& applications, Traffic* traffic,
                         const WriteRequest& request, absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_WRITER_H_
