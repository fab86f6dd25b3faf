// Between what the AX C API answers and the types and errors of the seam. No
// call to another process is made here.
//
// Every object's CFTypeID is checked before it is cast: an application answers
// what it likes, and a cast of the wrong object crashes at best.
//
//   absl::StatusOr<std::u16string> text = TextOf(value.get());
//
// Errors: DataLoss for an object of another type, one that is longer than
// kMaxTextUnits, a number that is not whole or does not fit. NotFound for
// kCFNull and NULL, which is how macOS says that there is no value.
#ifndef TACTUS_AX_MACOS_VALUES_H_
#define TACTUS_AX_MACOS_VALUES_H_

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/macos/ref.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

// The longest text that is taken. Twice what the longest of the tests' hostile
// servers tells, in UTF-16 units: 64 MiB of memory.
inline constexpr int64_t kMaxTextUnits = int64_t{32} << 20;

// `what` was asked. Of CannotComplete, Unavailable: whether it was the time
// that ran out only the caller knows. AlreadyRegistered is OK.
absl::Status StatusOf(AXError error, absl::string_view what);

absl::StatusOr<bool> BoolOf(CFTypeRef object);
absl::StatusOr<int64_t> NumberOf(CFTypeRef object);
absl::StatusOr<std::u16string> UnitsOf(CFTypeRef object);
// Of UnitsOf, in UTF-8; a lone surrogate stays as types.h says.
absl::StatusOr<std::string> TextOf(CFTypeRef object);
// In UTF-16 units, as answered: begin + length, which may be negative. DataLoss
// where the end does not fit.
absl::StatusOr<Range> RangeOf(CFTypeRef object);
// DataLoss of the system-wide element: no application may answer that.
absl::StatusOr<Ref<AXUIElementRef>> ElementOf(CFTypeRef object);

// One slot of a batch's array: its value, or the error that stands in its
// place.
absl::StatusOr<Ref<CFTypeRef>> SlotOf(CFTypeRef slot, absl::string_view what);

// To send. Null where the system has no memory.
Ref<CFStringRef> StringFrom(std::u16string_view units);
Ref<AXValueRef> RangeFrom(int64_t begin, int64_t length);

// AXRole and AXSubrole as the seam's role.
RoleValue RoleFrom(std::string native);
RoleValue SubroleFrom(std::string native);

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_VALUES_H_
