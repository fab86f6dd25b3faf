// The fields of an application's active window that can be typed into, and
// giving one of them the focus.
//
// Where the toolkit finds what is editable by itself (Collection.GetMatches)
// that is one call; elsewhere what is on the screen is walked through, some
// elements at once, until a limit of calls. Then what each is: its states and
// its role. Last the names, of what is not secure alone, so that a label which
// repeats what was typed never comes from a password.
//
// Example:
//
//   absl::StatusOr<TextFieldList> fields =
//       FindTextFields(applications.Route(*app), *app, {}, &traffic, deadline);
//
// What is not found: a part of a page that can be edited and has no role of a
// field of its own (a `contenteditable` without `role="textbox"`), and what a
// window does not show until it is scrolled to where the toolkit counts that as
// not showing.
#ifndef TACTUS_AX_ATSPI_FIELDS_H_
#define TACTUS_AX_ATSPI_FIELDS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

// Errors: NotFound where no window says that it is active, and those of a
// flight where it could not be looked at.
absl::StatusOr<TextFieldList> FindTextFields(Bus& bus, const App& app,
                                             const FieldLimits& limits,
                                             Traffic* traffic,
                                             absl::Time deadline);

// Server::Focus.
absl::Status GrabFocus(Bus& bus, const Element& element, Traffic* traffic,
                       absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_FIELDS_H_
