// Accessibility as the session bus knows it: where its bus listens, whether it
// is switched on, and what works with an application's toolkit.
//
// The server asks it for the bus where no display tells; the rest is what a
// person is told by `tactus doctor` and `tactus apps`.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Session>> session =
//       Session::Connect(deadline);
//   if (!session.ok()) return session.status();
//   absl::StatusOr<bool> on = (*session)->AccessibilityEnabled(deadline);
//
// A `Session` is used by one thread at a time.
#ifndef TACTUS_AX_ATSPI_SESSION_H_
#define TACTUS_AX_ATSPI_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

// The session bus.
class Session {
 public:
  // Errors: FailedPrecondition where there is no session bus, or it does not
  // answer.
  static absl::StatusOr<std::unique_ptr<Session>> Connect(absl::Time deadline);

  virtual ~Session() = default;

  // Where the bus listens.
  virtual const std::string& address() const = 0;

  // Where the accessibility bus listens. FailedPrecondition, with the remedy,
  // where there is none.
  virtual absl::StatusOr<std::string> AccessibilityBus(absl::Time deadline) = 0;

  // What the questions so far have cost.
  virtual const Traffic& traffic() const = 0;

  // Whether accessibility is switched on (IsEnabled of org.a11y.Status); where
  // it is not only GTK applications register. FailedPrecondition where the
  // service of accessibility, org.a11y.Bus, is not installed. Asking starts it,
  // as every application that starts does.
  virtual absl::StatusOr<bool> AccessibilityEnabled(absl::Time deadline) = 0;
};

struct ToolkitFacts {
  // There is a row for it in quirks.h. What follows is false where there is
  // none.
  bool known = false;
  // An edit through accessibility lands where the field is editable.
  bool edits_land = false;
  // It may offer a socket of its own.
  bool may_have_socket = false;
};

ToolkitFacts FactsOf(const Application& application);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_SESSION_H_
