#include "ax/macos/fake/objects.h"

#include <CoreFoundation/CoreFoundation.h>

#include <cstdint>

#include "gtest/gtest.h"

namespace tactus::ax::macos::fake {
namespace {

TEST(ObjectsTest, WhatIsCreatedLivesUntilItsLastReferenceIsReleased) {
  const ObjectCounts before = Counts();
  const UniChar units[] = {'h', 'i'};
  CFStringRef string = CFStringCreateWithCharacters(nullptr, units, 2);
  EXPECT_EQ(Counts().living, before.living + 1);
  CFRetain(string);
  CFRelease(string);
  EXPECT_EQ(CFStringGetLength(string), 2);
  CFRelease(string);
  EXPECT_EQ(Counts().living, before.living);
  EXPECT_EQ(Counts().retains, before.retains + 1);
  EXPECT_EQ(Counts().releases, before.releases + 2);
}

TEST(ObjectsTest, ContainersRetainWhatTheyHold) {
  const int64_t before = Counts().living;
  const int64_t number = 7;
  CFTypeRef value = CFNumberCreate(nullptr, kCFNumberSInt64Type, &number);
  CFArrayRef array = CFArrayCreate(nullptr, &value, 1, &kCFTypeArrayCallBacks);
  CFRelease(value);
  EXPECT_EQ(CFArrayGetValueAtIndex(array, 0), value);
  EXPECT_EQ(CFGetTypeID(value), CFNumberGetTypeID());
  CFRelease(array);
  EXPECT_EQ(Counts().living, before);
}

TEST(ObjectsTest, ConstantsAreOneObjectAndNotCounted) {
  const ObjectCounts before = Counts();
  EXPECT_EQ(CFSTR("AXRole"), CFSTR("AXRole"));
  EXPECT_NE(CFSTR("AXRole"), CFSTR("AXValue"));
  CFRelease(CFSTR("AXRole"));
  CFRelease(kCFNull);
  CFRelease(kCFBooleanTrue);
  EXPECT_EQ(Counts().living, before.living);
  EXPECT_EQ(Counts().releases, before.releases);
}

TEST(ObjectsTest, StringsAreEqualByTheirUnits) {
  const UniChar units[] = {'A', 'X'};
  CFStringRef string = CFStringCreateWithCharacters(nullptr, units, 2);
  EXPECT_TRUE(CFEqual(string, CFSTR("AX")));
  EXPECT_EQ(CFHash(string), CFHash(CFSTR("AX")));
  EXPECT_FALSE(CFEqual(string, kCFNull));
  CFRelease(string);
}

TEST(ObjectsTest, NumberThatDoesNotFitIsWrittenAndToldSo) {
  const int64_t large = int64_t{1} << 40;
  CFNumberRef number = CFNumberCreate(nullptr, kCFNumberSInt64Type, &large);
  int32_t narrow = 1;
  EXPECT_FALSE(CFNumberGetValue(number, kCFNumberSInt32Type, &narrow));
  EXPECT_EQ(narrow, 0);
  CFRelease(number);
  const double real = 1.5;
  number = CFNumberCreate(nullptr, kCFNumberFloat64Type, &real);
  int64_t whole = 0;
  EXPECT_FALSE(CFNumberGetValue(number, kCFNumberSInt64Type, &whole));
  EXPECT_EQ(whole, 1);
  CFRelease(number);
}

TEST(ObjectsDeathTest, NullIsFatalWhereItIsForApple) {
  EXPECT_DEATH(CFRetain(nullptr), "");
  EXPECT_DEATH(CFRelease(nullptr), "");
  EXPECT_DEATH(CFGetTypeID(nullptr), "");
}

TEST(ObjectsDeathTest, ObjectOfAnotherTypeIsFatal) {
  EXPECT_DEATH(CFStringGetLength(reinterpret_cast<CFStringRef>(kCFNull)), "");
}

}  // namespace
}  // namespace tactus::ax::macos::fake
