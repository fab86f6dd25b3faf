// What a person can be told of accessibility in their session: whether it is
// there and switched on, and what works with an application's toolkit.
//
// For `tactus doctor` and `tactus apps`; reading and editing need none of it.
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
