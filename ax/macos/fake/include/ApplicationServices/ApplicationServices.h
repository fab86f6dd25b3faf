// Just that much of Apple's HIServices and of CGWindowList as ax/macos uses,
// under its names and with its conventions; see CoreFoundation.h beside it.
//
// What is behind it is a `Desktop` (ax/macos/fake/desktop.h). Without one every
// call answers kAXErrorAPIDisabled, as to a process that nobody trusts.
//
// Source: AXError.h, AXUIElement.h, AXValue.h, AX*Constants.h and CGWindow.h of
// the macOS 10.11 SDK.
#ifndef TACTUS_AX_MACOS_FAKE_INCLUDE_APPLICATIONSERVICES_APPLICATIONSERVICES_H_
#define TACTUS_AX_MACOS_FAKE_INCLUDE_APPLICATIONSERVICES_APPLICATIONSERVICES_H_

#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>

extern "C" {

// NOLINTBEGIN: the names are Apple's.
typedef enum AXError : SInt32 {
  kAXErrorSuccess = 0,
  kAXErrorFailure = -25200,
  kAXErrorIllegalArgument = -25201,
  kAXErrorInvalidUIElement = -25202,
  kAXErrorInvalidUIElementObserver = -25203,
  kAXErrorCannotComplete = -25204,
  kAXErrorAttributeUnsupported = -25205,
  kAXErrorActionUnsupported = -25206,
  kAXErrorNotificationUnsupported = -25207,
  kAXErrorNotImplemented = -25208,
  kAXErrorNotificationAlreadyRegistered = -25209,
  kAXErrorNotificationNotRegistered = -25210,
  kAXErrorAPIDisabled = -25211,
  kAXErrorNoValue = -25212,
  kAXErrorParameterizedAttributeUnsupported = -25213,
  kAXErrorNotEnoughPrecision = -25214,
} AXError;

typedef const struct FakeAXUIElement* AXUIElementRef;
typedef const struct FakeAXValue* AXValueRef;
typedef struct FakeAXObserver* AXObserverRef;

typedef enum AXValueType : UInt32 {
  kAXValueTypeIllegal = 0,
  kAXValueTypeCGPoint = 1,
  kAXValueTypeCGSize = 2,
  kAXValueTypeCGRect = 3,
  kAXValueTypeCFRange = 4,
  kAXValueTypeAXError = 5,
} AXValueType;

CFTypeID AXValueGetTypeID(void);
AXValueRef AXValueCreate(AXValueType type, const void* value);
AXValueType AXValueGetType(AXValueRef value);
Boolean AXValueGetValue(AXValueRef value, AXValueType type, void* out);

typedef enum AXCopyMultipleAttributeOptions : UInt32 {
  kAXCopyMultipleAttributeOptionStopOnError = 0x1,
} AXCopyMultipleAttributeOptions;

CFTypeID AXUIElementGetTypeID(void);
AXUIElementRef AXUIElementCreateSystemWide(void);
AXUIElementRef AXUIElementCreateApplication(pid_t pid);
AXError AXUIElementCopyAttributeValue(AXUIElementRef element,
                                      CFStringRef attribute, CFTypeRef* value);
AXError AXUIElementCopyMultipleAttributeValues(
    AXUIElementRef element, CFArrayRef attributes,
    AXCopyMultipleAttributeOptions options, CFArrayRef* values);
AXError AXUIElementCopyParameterizedAttributeValue(AXUIElementRef element,
                                                   CFStringRef attribute,
                                                   CFTypeRef parameter,
                                                   CFTypeRef* value);
AXError AXUIElementIsAttributeSettable(AXUIElementRef element,
                                       CFStringRef attribute,
                                       Boolean* settable);
AXError AXUIElementSetAttributeValue(AXUIElementRef element,
                                     CFStringRef attribute, CFTypeRef value);
AXError AXUIElementSetMessagingTimeout(AXUIElementRef element, float seconds);
AXError AXUIElementGetPid(AXUIElementRef element, pid_t* pid);

typedef void (*AXObserverCallback)(AXObserverRef observer,
                                   AXUIElementRef element,
                                   CFStringRef notification, void* refcon);
AXError AXObserverCreate(pid_t pid, AXObserverCallback callback,
                         AXObserverRef* observer);
AXError AXObserverAddNotification(AXObserverRef observer,
                                  AXUIElementRef element,
                                  CFStringRef notification, void* refcon);
AXError AXObserverRemoveNotification(AXObserverRef observer,
                                     AXUIElementRef element,
                                     CFStringRef notification);
CFRunLoopSourceRef AXObserverGetRunLoopSource(AXObserverRef observer);

Boolean AXIsProcessTrustedWithOptions(CFDictionaryRef options);

#define kAXFocusedApplicationAttribute CFSTR("AXFocusedApplication")
#define kAXFocusedUIElementAttribute CFSTR("AXFocusedUIElement")
#define kAXFocusedWindowAttribute CFSTR("AXFocusedWindow")
#define kAXFrontmostAttribute CFSTR("AXFrontmost")
#define kAXRoleAttribute CFSTR("AXRole")
#define kAXSubroleAttribute CFSTR("AXSubrole")
#define kAXTitleAttribute CFSTR("AXTitle")
#define kAXFocusedAttribute CFSTR("AXFocused")
#define kAXEnabledAttribute CFSTR("AXEnabled")
#define kAXMainAttribute CFSTR("AXMain")
#define kAXWindowAttribute CFSTR("AXWindow")
#define kAXValueAttribute CFSTR("AXValue")
#define kAXSelectedTextAttribute CFSTR("AXSelectedText")
#define kAXSelectedTextRangeAttribute CFSTR("AXSelectedTextRange")
#define kAXNumberOfCharactersAttribute CFSTR("AXNumberOfCharacters")
#define kAXStringForRangeParameterizedAttribute CFSTR("AXStringForRange")

#define kAXFocusedUIElementChangedNotification \
  CFSTR("AXFocusedUIElementChanged")
#define kAXApplicationActivatedNotification CFSTR("AXApplicationActivated")
#define kAXApplicationDeactivatedNotification CFSTR("AXApplicationDeactivated")
#define kAXValueChangedNotification CFSTR("AXValueChanged")
#define kAXSelectedTextChangedNotification CFSTR("AXSelectedTextChanged")

typedef uint32_t CGWindowListOption;
typedef uint32_t CGWindowID;
enum {
  kCGWindowListOptionOnScreenOnly = 1,
  kCGWindowListExcludeDesktopElements = 16,
};
#define kCGNullWindowID ((CGWindowID)0)

extern const CFStringRef kCGWindowLayer;
extern const CFStringRef kCGWindowOwnerPID;
extern const CFStringRef kCGWindowName;

CFArrayRef CGWindowListCopyWindowInfo(CGWindowListOption option,
                                      CGWindowID relative_to);
// NOLINTEND

}  // extern "C"

#endif  // TACTUS_AX_MACOS_FAKE_INCLUDE_APPLICATIONSERVICES_APPLICATIONSERVICES_H_
