#include "ax/macos/ref.h"

#include <CoreFoundation/CoreFoundation.h>

#include <cstdint>
#include <utility>

#include "ax/macos/fake/objects.h"
#include "ax/macos/testing/leaks.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

class RefTest : public NoLeaks {};

CFNumberRef Seven() {
  const int64_t seven = 7;
  return CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &seven);
}

TEST_F(RefTest, WhatIsTakenIsReleasedOnceAndNeverRetained) {
  const fake::ObjectCounts before = fake::Counts();
  {
    const auto number = Ref<CFNumberRef>::Take(Seven());
  }
  EXPECT_EQ(fake::Counts().retains, before.retains);
  EXPECT_EQ(fake::Counts().releases, before.releases + 1);
}

TEST_F(RefTest, WhatIsSharedIsRetained) {
  CFNumberRef borrowed = Seven();
  const fake::ObjectCounts before = fake::Counts();
  {
    const auto number = Ref<CFNumberRef>::Share(borrowed);
  }
  EXPECT_EQ(fake::Counts().retains, before.retains + 1);
  EXPECT_EQ(fake::Counts().releases, before.releases + 1);
  CFRelease(borrowed);
}

TEST_F(RefTest, CopiesShareAndMovesDoNot) {
  auto one = Ref<CFNumberRef>::Take(Seven());
  const fake::ObjectCounts before = fake::Counts();
  Ref<CFNumberRef> two = one;
  EXPECT_EQ(two.get(), one.get());
  EXPECT_EQ(fake::Counts().retains, before.retains + 1);
  const Ref<CFNumberRef> three = std::move(two);
  EXPECT_EQ(fake::Counts().retains, before.retains + 1);
  EXPECT_FALSE(two);  // NOLINT(bugprone-use-after-move)
  one = three;
  EXPECT_EQ(one.get(), three.get());
  const Ref<CFNumberRef>& self = one;
  one = self;
  EXPECT_TRUE(one);
}

TEST_F(RefTest, NullIsHeldAndNeverReleased) {
  const auto nothing = Ref<CFTypeRef>::Take(nullptr);
  const Ref<CFTypeRef> copy = nothing;
  EXPECT_FALSE(copy);
  EXPECT_FALSE(Ref<CFTypeRef>::Share(nullptr));
}

}  // namespace
}  // namespace tactus::ax::macos
