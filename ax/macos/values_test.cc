#include "ax/macos/values.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ax/macos/ref.h"
#include "ax/macos/testing/leaks.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

class ValuesTest : public NoLeaks {
 protected:
  static Ref<CFTypeRef> Number(int64_t number) {
    return Ref<CFTypeRef>::Take(
        CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &number));
  }
  static Ref<CFTypeRef> Error(AXError error) {
    return Ref<CFTypeRef>::Take(AXValueCreate(kAXValueTypeAXError, &error));
  }
  static Ref<CFTypeRef> Element(pid_t pid) {
    return Ref<CFTypeRef>::Take(AXUIElementCreateApplication(pid));
  }
  // One object of each type.
  static std::vector<Ref<CFTypeRef>> Zoo() {
    return {Number(7),
            Ref<CFTypeRef>::Share(kCFBooleanTrue),
            Ref<CFTypeRef>::Share(CFSTR("text")),
            Ref<CFTypeRef>::Share(RangeFrom(1, 2).get()),
            Element(7),
            Error(kAXErrorFailure),
            Ref<CFTypeRef>::Take(CFArrayCreate(kCFAllocatorDefault, nullptr, 0,
                                               &kCFTypeArrayCallBacks))};
  }
};

TEST_F(ValuesTest, EveryErrorHasAStatus) {
  const struct {
    AXError error;
    absl::StatusCode code;
  } kAll[] = {
      {kAXErrorSuccess, absl::StatusCode::kOk},
      {kAXErrorFailure, absl::StatusCode::kUnavailable},
      {kAXErrorIllegalArgument, absl::StatusCode::kUnimplemented},
      {kAXErrorInvalidUIElement, absl::StatusCode::kUnavailable},
      {kAXErrorInvalidUIElementObserver, absl::StatusCode::kUnavailable},
      {kAXErrorCannotComplete, absl::StatusCode::kUnavailable},
      {kAXErrorAttributeUnsupported, absl::StatusCode::kUnimplemented},
      {kAXErrorActionUnsupported, absl::StatusCode::kUnimplemented},
      {kAXErrorNotificationUnsupported, absl::StatusCode::kUnimplemented},
      {kAXErrorNotImplemented, absl::StatusCode::kUnimplemented},
      {kAXErrorNotificationAlreadyRegistered, absl::StatusCode::kOk},
      {kAXErrorNotificationNotRegistered, absl::StatusCode::kNotFound},
      {kAXErrorAPIDisabled, absl::StatusCode::kPermissionDenied},
      {kAXErrorNoValue, absl::StatusCode::kNotFound},
      {kAXErrorParameterizedAttributeUnsupported,
       absl::StatusCode::kUnimplemented},
      {kAXErrorNotEnoughPrecision, absl::StatusCode::kDataLoss},
      {static_cast<AXError>(-1), absl::StatusCode::kDataLoss},
      {static_cast<AXError>(1), absl::StatusCode::kDataLoss},
  };
  for (const auto& [error, code] : kAll) {
    EXPECT_EQ(StatusOf(error, "it").code(), code) << error;
  }
}

TEST_F(ValuesTest, ObjectOfAnotherTypeIsDataLossAndNeverCast) {
  int bools = 0;
  int numbers = 0;
  int texts = 0;
  int ranges = 0;
  int elements = 0;
  for (const Ref<CFTypeRef>& object : Zoo()) {
    const auto taken = [](const absl::Status& status) {
      EXPECT_TRUE(status.ok() || absl::IsDataLoss(status)) << status;
      return status.ok() ? 1 : 0;
    };
    bools += taken(BoolOf(object.get()).status());
    numbers += taken(NumberOf(object.get()).status());
    texts += taken(TextOf(object.get()).status());
    ranges += taken(RangeOf(object.get()).status());
    elements += taken(ElementOf(object.get()).status());
  }
  EXPECT_EQ(bools, 1);
  EXPECT_EQ(numbers, 1);
  EXPECT_EQ(texts, 1);
  EXPECT_EQ(ranges, 1);
  EXPECT_EQ(elements, 1);
}

TEST_F(ValuesTest, NullAndNoValueAreNotFound) {
  const CFTypeRef nothings[] = {nullptr, kCFNull};
  for (const CFTypeRef nothing : nothings) {
    EXPECT_TRUE(absl::IsNotFound(BoolOf(nothing).status()));
    EXPECT_TRUE(absl::IsNotFound(NumberOf(nothing).status()));
    EXPECT_TRUE(absl::IsNotFound(TextOf(nothing).status()));
    EXPECT_TRUE(absl::IsNotFound(RangeOf(nothing).status()));
    EXPECT_TRUE(absl::IsNotFound(ElementOf(nothing).status()));
    EXPECT_TRUE(absl::IsNotFound(SlotOf(nothing, "it").status()));
  }
}

TEST_F(ValuesTest, ErrorInASlotIsTheStatusOfThatSlot) {
  EXPECT_TRUE(
      absl::IsNotFound(SlotOf(Error(kAXErrorNoValue).get(), "it").status()));
  EXPECT_TRUE(absl::IsUnavailable(
      SlotOf(Error(kAXErrorInvalidUIElement).get(), "it").status()));
  // There is no value in an error, whatever it says.
  EXPECT_TRUE(
      absl::IsNotFound(SlotOf(Error(kAXErrorSuccess).get(), "it").status()));
  EXPECT_EQ(SlotOf(CFSTR("x"), "it")->get(), CFSTR("x"));
  EXPECT_TRUE(SlotOf(RangeFrom(1, 2).get(), "it").ok());
}

TEST_F(ValuesTest, RangeIsAnsweredAsItIsUnlessItsEndDoesNotFit) {
  const auto of = [](int64_t begin, int64_t length) {
    return RangeOf(Ref<AXValueRef>(RangeFrom(begin, length)).get());
  };
  EXPECT_EQ(*of(2, 3), (Range{2, 5}));
  EXPECT_EQ(*of(-1, 0), (Range{-1, -1}));
  EXPECT_EQ(*of(5, -5), (Range{5, 0}));
  EXPECT_TRUE(
      absl::IsDataLoss(of(1, std::numeric_limits<int64_t>::max()).status()));
}

TEST_F(ValuesTest, NumberThatIsNotWholeIsDataLoss) {
  const double half = 0.5;
  const auto number = Ref<CFTypeRef>::Take(
      CFNumberCreate(kCFAllocatorDefault, kCFNumberFloat64Type, &half));
  EXPECT_TRUE(absl::IsDataLoss(NumberOf(number.get()).status()));
}

TEST_F(ValuesTest, SystemWideElementIsNoAnswer) {
  const auto system = Ref<CFTypeRef>::Take(AXUIElementCreateSystemWide());
  EXPECT_TRUE(absl::IsDataLoss(ElementOf(system.get()).status()));
}

TEST_F(ValuesTest, UnpairedSurrogatesAreKept) {
  const Ref<CFStringRef> text = StringFrom(
      u"\xDC69"
      u"x\xD83D");
  EXPECT_EQ(*TextOf(text.get()), "\xED\xB1\xA9x\xED\xA0\xBD");
  EXPECT_EQ(*UnitsOf(StringFrom(u"").get()), u"");
}

TEST_F(ValuesTest, TextThatIsTooLongIsNotTaken) {
  const Ref<CFStringRef> text =
      StringFrom(std::u16string(static_cast<size_t>(kMaxTextUnits) + 1, u'a'));
  EXPECT_TRUE(absl::IsDataLoss(UnitsOf(text.get()).status()));
}

TEST_F(ValuesTest, SecureFieldIsKnownByRoleAndBySubrole) {
  EXPECT_EQ(RoleFrom("AXSecureTextField").role, Role::kPassword);
  EXPECT_EQ(SubroleFrom("AXSecureTextField").role, Role::kPassword);
  EXPECT_EQ(SubroleFrom("AXSearchField").role, Role::kOther);
  EXPECT_EQ(RoleFrom("AXTextField"),
            (RoleValue{Role::kTextField, "AXTextField"}));
  EXPECT_EQ(RoleFrom("AXTextArea").role, Role::kTextArea);
  EXPECT_EQ(RoleFrom("AXWhatever").role, Role::kOther);
  EXPECT_EQ(RoleFrom("").role, Role::kUnknown);
  EXPECT_EQ(RoleFrom(std::string(5000, 'x')).native.size(), 256u);
}

}  // namespace
}  // namespace tactus::ax::macos
