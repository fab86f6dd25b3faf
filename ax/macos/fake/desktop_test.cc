#include "ax/macos/fake/desktop.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/testing/leaks.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos::fake {
namespace {

class DesktopTest : public NoLeaks {
 protected:
  // The focused element, +1.
  AXUIElementRef Field() {
    AXUIElementRef application = AXUIElementCreateApplication(100);
    CFTypeRef field = nullptr;
    EXPECT_EQ(AXUIElementCopyAttributeValue(
                  application, kAXFocusedUIElementAttribute, &field),
              kAXErrorSuccess);
    CFRelease(application);
    return static_cast<AXUIElementRef>(field);
  }

  SimulatedClock clock_;
  mock::World world_{mock::EditorDesktop("a\xF0\x9F\x98\x80z")};
  mock::MockServer mock_{&world_, &clock_};
};

TEST_F(DesktopTest, ReferencesToOneElementAreEqualAndDistinct) {
  Desktop desktop(&mock_);
  AXUIElementRef one = Field();
  AXUIElementRef two = Field();
  EXPECT_NE(one, two);
  EXPECT_TRUE(CFEqual(one, two));
  EXPECT_EQ(CFHash(one), CFHash(two));
  CFRelease(one);
  CFRelease(two);
}

TEST_F(DesktopTest, PositionsAreUtf16Units) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  CFTypeRef value = nullptr;
  ASSERT_EQ(AXUIElementCopyAttributeValue(field, kAXSelectedTextRangeAttribute,
                                          &value),
            kAXErrorSuccess);
  CFRange range = {};
  ASSERT_TRUE(AXValueGetValue(static_cast<AXValueRef>(value),
                              kAXValueTypeCFRange, &range));
  EXPECT_EQ(range.location, 4);
  EXPECT_EQ(range.length, 0);
  CFRelease(value);
  CFRelease(field);
}

TEST_F(DesktopTest, MissingValueInABatchIsAnErrorInItsSlot) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  CFTypeRef names[] = {kAXRoleAttribute, kAXSubroleAttribute};
  CFArrayRef array = CFArrayCreate(nullptr, names, 2, &kCFTypeArrayCallBacks);
  CFArrayRef values = nullptr;
  ASSERT_EQ(AXUIElementCopyMultipleAttributeValues(
                field, array, static_cast<AXCopyMultipleAttributeOptions>(0),
                &values),
            kAXErrorSuccess);
  ASSERT_EQ(CFArrayGetCount(values), 2);
  EXPECT_TRUE(CFEqual(CFArrayGetValueAtIndex(values, 0), CFSTR("AXTextArea")));
  AXError error = kAXErrorSuccess;
  ASSERT_TRUE(AXValueGetValue(
      static_cast<AXValueRef>(CFArrayGetValueAtIndex(values, 1)),
      kAXValueTypeAXError, &error));
  EXPECT_EQ(error, kAXErrorAttributeUnsupported);
  CFRelease(values);

  values = nullptr;
  EXPECT_EQ(
      AXUIElementCopyMultipleAttributeValues(
          field, array, kAXCopyMultipleAttributeOptionStopOnError, &values),
      kAXErrorAttributeUnsupported);
  EXPECT_EQ(values, nullptr);
  CFRelease(array);
  CFRelease(field);
}

TEST_F(DesktopTest, CallWaitsForTheTimeOfItsReferenceAlone) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  AXUIElementRef equal = Field();
  mock_.Add(*mock::MakeHostility("hung", {}));
  ASSERT_EQ(AXUIElementSetMessagingTimeout(field, 0.25F), kAXErrorSuccess);
  const absl::Time begun = clock_.Now();
  CFTypeRef value = nullptr;
  EXPECT_EQ(AXUIElementCopyAttributeValue(field, kAXRoleAttribute, &value),
            kAXErrorCannotComplete);
  EXPECT_EQ(clock_.Now() - begun, absl::Milliseconds(250));
  EXPECT_EQ(AXUIElementCopyAttributeValue(equal, kAXRoleAttribute, &value),
            kAXErrorCannotComplete);
  EXPECT_EQ(clock_.Now() - begun, absl::Milliseconds(6250));
  EXPECT_EQ(value, nullptr);
  EXPECT_EQ(desktop.global_timeouts(), 0);
  EXPECT_EQ(AXUIElementSetMessagingTimeout(field, -1), kAXErrorIllegalArgument);
  CFRelease(field);
  CFRelease(equal);
}

TEST_F(DesktopTest, WriteReplacesWhatIsSelectedInTheWorld) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  const CFRange range = CFRangeMake(1, 2);
  AXValueRef value = AXValueCreate(kAXValueTypeCFRange, &range);
  EXPECT_EQ(
      AXUIElementSetAttributeValue(field, kAXSelectedTextRangeAttribute, value),
      kAXErrorSuccess);
  EXPECT_EQ(AXUIElementSetAttributeValue(field, kAXSelectedTextAttribute,
                                         CFSTR("bc")),
            kAXErrorSuccess);
  EXPECT_EQ(world_.Find(*world_.Focused())->text, U"abcz");
  CFRelease(value);
  CFRelease(field);
}

TEST_F(DesktopTest, RangePastTheEndIsRefused) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  const CFRange range = CFRangeMake(0, 5);
  AXValueRef value = AXValueCreate(kAXValueTypeCFRange, &range);
  CFTypeRef text = nullptr;
  EXPECT_EQ(AXUIElementCopyParameterizedAttributeValue(
                field, kAXStringForRangeParameterizedAttribute, value, &text),
            kAXErrorIllegalArgument);
  EXPECT_EQ(text, nullptr);
  CFRelease(value);
  CFRelease(field);
}

TEST_F(DesktopTest, WithoutADesktopNobodyIsTrusted) {
  EXPECT_FALSE(AXIsProcessTrustedWithOptions(nullptr));
  AXUIElementRef system = AXUIElementCreateSystemWide();
  CFTypeRef value = nullptr;
  EXPECT_EQ(AXUIElementCopyAttributeValue(
                system, kAXFocusedApplicationAttribute, &value),
            kAXErrorAPIDisabled);
  EXPECT_EQ(CGWindowListCopyWindowInfo(0, kCGNullWindowID), nullptr);
  CFRelease(system);
}

TEST_F(DesktopTest, ElementThatIsGoneIsInvalid) {
  Desktop desktop(&mock_);
  AXUIElementRef field = Field();
  ASSERT_TRUE(world_.Remove(*world_.Focused()).ok());
  CFTypeRef value = nullptr;
  EXPECT_EQ(AXUIElementCopyAttributeValue(field, kAXRoleAttribute, &value),
            kAXErrorInvalidUIElement);
  CFRelease(field);
}

}  // namespace
}  // namespace tactus::ax::macos::fake
