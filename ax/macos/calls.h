// The calls of the AX C API that go to another process, each with a deadline
// and counted.
//
// The time is set on the element itself just before each call. It does not pass
// to the elements that a call answers, so none is made without. On the
// system-wide element it would be the whole process's, so no call here takes
// that.
//
//   Calls calls(&clock, &traffic);
//   absl::StatusOr<Ref<CFTypeRef>> role =
//       calls.Copy(element, kAXRoleAttribute, "AXRole", deadline);
//
// Errors: those of values.h, and DeadlineExceeded where no answer came by the
// deadline. `what` is for their messages.
#ifndef TACTUS_AX_MACOS_CALLS_H_
#define TACTUS_AX_MACOS_CALLS_H_

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/macos/ref.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

// What is asked for: the system's name and ours.
struct Name {
  CFStringRef system;  // immortal, from CFSTR
  const char* ours;
};

class Calls {
 public:
  // Both outlive it.
  Calls(Clock* clock, Traffic* traffic) : clock_(*clock), traffic_(*traffic) {}

  using Answer = absl::StatusOr<Ref<CFTypeRef>>;

  Answer Copy(AXUIElementRef element, const Name& name, absl::Time deadline);

  // As many answers as names, each with a status of its own, from one call that
  // does not stop at errors. Errors of the whole: Unimplemented where the
  // element rejects batches, or answers one that cannot be matched to the
  // names; otherwise what stands for all of them.
  absl::StatusOr<std::vector<Answer>> CopyMany(AXUIElementRef element,
                                               absl::Span<const Name> names,
                                               absl::Time deadline);

  // The parameter is in UTF-16 units.
  Answer CopyForRange(AXUIElementRef element, const Name& name, Range units,
                      absl::Time deadline);

  absl::StatusOr<bool> IsSettable(AXUIElementRef element, const Name& name,
                                  absl::Time deadline);

  // `sent` says whether the call was made at all.
  absl::Status Set(AXUIElementRef element, const Name& name, CFTypeRef value,
                   absl::Time deadline, bool* sent);

  Clock& clock() { return clock_; }

 private:
  // The status of `call`, made with the element's time set.
  absl::Status Make(AXUIElementRef element, const char* what,
                    absl::Time deadline, absl::FunctionRef<AXError()> call,
                    AXError* error);

  Clock& clock_;
  Traffic& traffic_;
};

// What is left until `deadline` as AXUIElementSetMessagingTimeout takes it: at
// most that, rounded down, and 0 where nothing is. Infinite is an hour, since a
// wait must end.
float SecondsUntil(absl::Time deadline, absl::Time now);

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_CALLS_H_
