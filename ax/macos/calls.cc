#include "ax/macos/calls.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

// Less time than this is none: no call was seen to take as little, and a time
// that rounds to 0 would mean the system's own, some six seconds.
constexpr absl::Duration kLeastTime = absl::Microseconds(1);

constexpr absl::Duration kMostTime = absl::Hours(1);

// A call that failed after this share of its time failed for lack of it: the
// system's clock is not ours.
constexpr double kTimeIsUp = 0.95;

absl::Status Late(const char* what) {
  return absl::DeadlineExceededError(absl::StrCat(what, ": no answer in time"));
}

}  // namespace

float SecondsUntil(absl::Time deadline, absl::Time now) {
  const absl::Duration left = std::min(deadline - now, kMostTime);
  if (left < kLeastTime) return 0;
  const double seconds = absl::ToDoubleSeconds(left);
  const auto rounded = static_cast<float>(seconds);
  return static_cast<double>(rounded) > seconds ? std::nextafterf(rounded, 0)
                                                : rounded;
}

absl::Status Calls::Make(AXUIElementRef element, const char* what,
                         absl::Time deadline, absl::FunctionRef<AXError()> call,
                         AXError* error) {
  const absl::Time begun = clock_.Now();
  const float seconds = SecondsUntil(deadline, begun);
  if (seconds <= 0) return Late(what);
  *error = AXUIElementSetMessagingTimeout(element, seconds);
  // Without a time of its own the call could take the system's.
  if (*error != kAXErrorSuccess) return StatusOf(*error, what);
  traffic_.flights += 1;
  traffic_.calls += 1;
  *error = call();
  if (*error == kAXErrorCannotComplete &&
      clock_.Now() - begun >= absl::Seconds(seconds) * kTimeIsUp) {
    return Late(what);
  }
  return StatusOf(*error, what);
}

Calls::Answer Calls::Copy(AXUIElementRef element, const Name& name,
                          absl::Time deadline) {
  CFTypeRef value = nullptr;
  AXError error = kAXErrorSuccess;
  const absl::Status status = Make(
      element, name.ours, deadline,
      [&] {
        return AXUIElementCopyAttributeValue(element, name.system, &value);
      },
      &error);
  Ref<CFTypeRef> owned = Ref<CFTypeRef>::Take(value);
  if (!status.ok()) return status;
  return SlotOf(owned.get(), name.ours);
}

absl::StatusOr<std::vector<Calls::Answer>> Calls::CopyMany(
    AXUIElementRef element, absl::Span<const Name> names, absl::Time deadline) {
  std::vector<CFTypeRef> wanted;
  for (const Name& name : names) wanted.push_back(name.system);
  const auto array = Ref<CFArrayRef>::Take(CFArrayCreate(
      kCFAllocatorDefault, wanted.data(), static_cast<CFIndex>(wanted.size()),
      &kCFTypeArrayCallBacks));
  if (!array) return absl::UnavailableError("no memory");
  CFArrayRef values = nullptr;
  AXError error = kAXErrorSuccess;
  const absl::Status status = Make(
      element, "a batch", deadline,
      [&] {
        return AXUIElementCopyMultipleAttributeValues(
            element, array.get(),
            static_cast<AXCopyMultipleAttributeOptions>(0), &values);
      },
      &error);
  // Some answer an array beside an error.
  const auto answered = Ref<CFArrayRef>::Take(values);
  if (!status.ok()) {
    // Of the whole these say what each alone would say; anything else is about
    // the batch.
    if (absl::IsDeadlineExceeded(status) || absl::IsPermissionDenied(status) ||
        error == kAXErrorInvalidUIElement || error == kAXErrorCannotComplete) {
      return status;
    }
    return absl::UnimplementedError(status.message());
  }
  if (!answered || CFGetTypeID(answered.get()) != CFArrayGetTypeID() ||
      CFArrayGetCount(answered.get()) != static_cast<CFIndex>(names.size())) {
    return absl::UnimplementedError(
        "the answer to a batch cannot be matched to it");
  }
  std::vector<Answer> answers;
  answers.reserve(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    answers.push_back(
        SlotOf(CFArrayGetValueAtIndex(answered.get(), static_cast<CFIndex>(i)),
               names[i].ours));
  }
  return answers;
}

Calls::Answer Calls::CopyForRange(AXUIElementRef element, const Name& name,
                                  Range units, absl::Time deadline) {
  const Ref<AXValueRef> range = RangeFrom(units.begin, units.length());
  if (!range) return absl::UnavailableError("no memory");
  CFTypeRef value = nullptr;
  AXError error = kAXErrorSuccess;
  const absl::Status status = Make(
      element, name.ours, deadline,
      [&] {
        return AXUIElementCopyParameterizedAttributeValue(element, name.system,
                                                          range.get(), &value);
      },
      &error);
  Ref<CFTypeRef> owned = Ref<CFTypeRef>::Take(value);
  if (!status.ok()) return status;
  return SlotOf(owned.get(), name.ours);
}

absl::StatusOr<bool> Calls::IsSettable(AXUIElementRef element, const Name& name,
                                       absl::Time deadline) {
  Boolean settable = 0;
  AXError error = kAXErrorSuccess;
  const absl::Status status = Make(
      element, name.ours, deadline,
      [&] {
        return AXUIElementIsAttributeSettable(element, name.system, &settable);
      },
      &error);
  if (!status.ok()) return status;
  return settable != 0;
}

absl::Status Calls::Set(AXUIElementRef element, const Name& name,
                        CFTypeRef value, absl::Time deadline, bool* sent) {
  AXError error = kAXErrorSuccess;
  return Make(
      element, name.ours, deadline,
      [&] {
        *sent = true;
        return AXUIElementSetAttributeValue(element, name.system, value);
      },
      &error);
}

}  // namespace tactus::ax::macos
