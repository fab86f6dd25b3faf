#include "ax/macos/values.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/macos/ref.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

static_assert(sizeof(UniChar) == sizeof(char16_t));

// The longest name of a role that is taken: real ones have some twenty.
constexpr size_t kMaxNative = 256;

absl::Status CheckType(CFTypeRef object, CFTypeID type,
                       absl::string_view name) {
  if (object == nullptr || CFGetTypeID(object) == CFNullGetTypeID()) {
    return absl::NotFoundError("no value");
  }
  if (CFGetTypeID(object) != type) {
    return absl::DataLossError(absl::StrCat("the answer is no ", name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status StatusOf(AXError error, absl::string_view what) {
  const auto say = [&](absl::string_view why) {
    return absl::StrCat(what, ": ", why, " (", static_cast<int>(error), ")");
  };
  switch (error) {
    case kAXErrorSuccess:
    case kAXErrorNotificationAlreadyRegistered:
      return absl::OkStatus();
    case kAXErrorInvalidUIElement:
      return absl::UnavailableError(say("the element is gone"));
    case kAXErrorCannotComplete:
      return absl::UnavailableError(say("the application does not answer"));
    case kAXErrorInvalidUIElementObserver:
      return absl::UnavailableError(say("the observer is gone"));
    case kAXErrorFailure:
      return absl::UnavailableError(say("the system failed"));
    case kAXErrorAttributeUnsupported:
    case kAXErrorActionUnsupported:
    case kAXErrorNotificationUnsupported:
    case kAXErrorNotImplemented:
    case kAXErrorParameterizedAttributeUnsupported:
      return absl::UnimplementedError(say("the element has no such thing"));
    case kAXErrorIllegalArgument:
      return absl::UnimplementedError(say("the element refuses the question"));
    case kAXErrorAPIDisabled:
      return absl::PermissionDeniedError(
          say("this process is not trusted with accessibility"));
    case kAXErrorNoValue:
    case kAXErrorNotificationNotRegistered:
      return absl::NotFoundError(say("no value"));
    case kAXErrorNotEnoughPrecision:
      return absl::DataLossError(say("not enough precision"));
  }
  return absl::DataLossError(say("an error that nobody knows"));
}

absl::StatusOr<bool> BoolOf(CFTypeRef object) {
  const absl::Status type = CheckType(object, CFBooleanGetTypeID(), "boolean");
  if (!type.ok()) return type;
  return CFBooleanGetValue(static_cast<CFBooleanRef>(object)) != 0;
}

absl::StatusOr<int64_t> NumberOf(CFTypeRef object) {
  const absl::Status type = CheckType(object, CFNumberGetTypeID(), "number");
  if (!type.ok()) return type;
  int64_t number = 0;
  if (CFNumberGetValue(static_cast<CFNumberRef>(object), kCFNumberSInt64Type,
                       &number) == 0) {
    return absl::DataLossError("the number is not a whole one, or too large");
  }
  return number;
}

absl::StatusOr<std::u16string> UnitsOf(CFTypeRef object) {
  const absl::Status type = CheckType(object, CFStringGetTypeID(), "string");
  if (!type.ok()) return type;
  const auto string = static_cast<CFStringRef>(object);
  const CFIndex length = CFStringGetLength(string);
  if (length < 0 || length > kMaxTextUnits) {
    return absl::DataLossError(
        absl::StrCat("a text of ", length, " units is longer than is taken"));
  }
  std::u16string units(static_cast<size_t>(length), u'\0');
  if (length > 0) {
    CFStringGetCharacters(string, CFRangeMake(0, length),
                          reinterpret_cast<UniChar*>(units.data()));
  }
  return units;
}

absl::StatusOr<std::string> TextOf(CFTypeRef object) {
  absl::StatusOr<std::u16string> units = UnitsOf(object);
  if (!units.ok()) return units.status();
  return FromUtf16(*units);
}

absl::StatusOr<Range> RangeOf(CFTypeRef object) {
  const absl::Status type = CheckType(object, AXValueGetTypeID(), "range");
  if (!type.ok()) return type;
  CFRange range = {};
  if (AXValueGetValue(static_cast<AXValueRef>(object), kAXValueTypeCFRange,
                      &range) == 0) {
    return absl::DataLossError("the answer is no range");
  }
  int64_t end = 0;
  if (__builtin_add_overflow(int64_t{range.location}, int64_t{range.length},
                             &end)) {
    return absl::DataLossError("the range ends past any text");
  }
  return Range{range.location, end};
}

absl::StatusOr<Ref<AXUIElementRef>> ElementOf(CFTypeRef object) {
  const absl::Status type =
      CheckType(object, AXUIElementGetTypeID(), "element");
  if (!type.ok()) return type;
  // What is set on the system-wide element concerns the whole process.
  const auto system = Ref<AXUIElementRef>::Take(AXUIElementCreateSystemWide());
  if (!system || CFEqual(system.get(), object) != 0) {
    return absl::DataLossError("the answer is the system and no element of it");
  }
  return Ref<AXUIElementRef>::Share(static_cast<AXUIElementRef>(object));
}

absl::StatusOr<Ref<CFTypeRef>> SlotOf(CFTypeRef slot, absl::string_view what) {
  if (slot == nullptr || CFGetTypeID(slot) == CFNullGetTypeID()) {
    return absl::NotFoundError(absl::StrCat(what, ": no value"));
  }
  if (CFGetTypeID(slot) == AXValueGetTypeID()) {
    const auto value = static_cast<AXValueRef>(slot);
    if (AXValueGetType(value) == kAXValueTypeAXError) {
      AXError error = kAXErrorFailure;
      if (AXValueGetValue(value, kAXValueTypeAXError, &error) == 0) {
        return absl::DataLossError(absl::StrCat(what, ": an unreadable error"));
      }
      const absl::Status status = StatusOf(error, what);
      // An error that says success has no value either.
      if (status.ok()) {
        return absl::NotFoundError(absl::StrCat(what, ": no value"));
      }
      return status;
    }
  }
  return Ref<CFTypeRef>::Share(slot);
}

Ref<CFStringRef> StringFrom(std::u16string_view units) {
  return Ref<CFStringRef>::Take(CFStringCreateWithCharacters(
      kCFAllocatorDefault, reinterpret_cast<const UniChar*>(units.data()),
      static_cast<CFIndex>(units.size())));
}

Ref<AXValueRef> RangeFrom(int64_t begin, int64_t length) {
  const CFRange range = CFRangeMake(begin, length);
  return Ref<AXValueRef>::Take(AXValueCreate(kAXValueTypeCFRange, &range));
}

RoleValue RoleFrom(std::string native) {
  native.resize(std::min(native.size(), kMaxNative));
  Role role = Role::kOther;
  if (native.empty() || native == "AXUnknown") {
    role = Role::kUnknown;
  } else if (native == "AXSecureTextField") {
    role = Role::kPassword;
  } else if (native == "AXTextField" || native == "AXSearchField") {
    role = Role::kTextField;
  } else if (native == "AXTextArea") {
    role = Role::kTextArea;
  } else if (native == "AXComboBox") {
    role = Role::kCombo;
  } else if (native == "AXWebArea") {
    role = Role::kDocument;
  } else if (native == "AXStaticText") {
    role = Role::kParagraph;
  } else if (native == "AXWindow" || native == "AXSheet" ||
             native == "AXApplication" || native == "AXGroup" ||
             native == "AXScrollArea") {
    role = Role::kContainer;
  }
  return {role, std::move(native)};
}

RoleValue SubroleFrom(std::string native) {
  native.resize(std::min(native.size(), kMaxNative));
  const Role role =
      native == "AXSecureTextField" ? Role::kPassword : Role::kOther;
  return {role, std::move(native)};
}

}  // namespace tactus::ax::macos
