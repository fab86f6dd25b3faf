#include "ax/macos/elements.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/ref.h"
#include "ax/macos/testing/leaks.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

class ElementsTest : public NoLeaks {
 protected:
  static Ref<AXUIElementRef> Part(const std::string& path) {
    return Ref<AXUIElementRef>::Take(
        fake::ReferenceTo<AXUIElementRef>(new fake::ElementObject(
            fake::ElementObject::Kind::kPart, 100, {"app:100", path})));
  }
};

// Hashes like any other of its kind, and equals nothing else.
class Twin : public fake::Object {
 public:
  Twin() : Object(fake::kElementType) {}
  CFHashCode Hash() const override { return 7; }
};

TEST_F(ElementsTest, EqualReferencesHaveOneName) {
  ElementTable table;
  const Element name = table.NameOf(Part("/a"), "100");
  EXPECT_EQ(name.application, "100");
  EXPECT_EQ(table.NameOf(Part("/a"), "100"), name);
  EXPECT_FALSE(table.NameOf(Part("/b"), "100") == name);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_TRUE(CFEqual(table.Find(name).get(), Part("/a").get()));
}

TEST_F(ElementsTest, NameIsTheSameInEveryTable) {
  ElementTable one;
  ElementTable two;
  one.NameOf(Part("/other"), "100");
  EXPECT_EQ(one.NameOf(Part("/a"), "100"), two.NameOf(Part("/a"), "100"));
}

TEST_F(ElementsTest, ElementsThatHashAlikeHaveTheirOwnNames) {
  ElementTable table;
  const auto twin = [] {
    return Ref<AXUIElementRef>::Take(
        fake::ReferenceTo<AXUIElementRef>(new Twin));
  };
  const Ref<AXUIElementRef> one = twin();
  const Ref<AXUIElementRef> two = twin();
  EXPECT_EQ(table.NameOf(one, "100").path, "ax:7");
  EXPECT_EQ(table.NameOf(two, "100").path, "ax:7#1");
  EXPECT_EQ(table.NameOf(one, "100").path, "ax:7");
  EXPECT_EQ(table.Find({"100", "ax:7#1"}).get(), two.get());
}

TEST_F(ElementsTest, LeastRecentlyUsedIsForgotten) {
  ElementTable table;
  const Element first = table.NameOf(Part("/first"), "100");
  const Element second = table.NameOf(Part("/second"), "100");
  for (size_t i = 2; i < ElementTable::kMostElements; ++i) {
    table.NameOf(Part(absl::StrCat("/", i)), "100");
  }
  EXPECT_TRUE(table.Find(first));
  table.NameOf(Part("/one more"), "100");
  EXPECT_EQ(table.size(), ElementTable::kMostElements);
  EXPECT_TRUE(table.Find(first));
  EXPECT_FALSE(table.Find(second));
}

TEST_F(ElementsTest, NameOfAnotherApplicationIsNotKnown) {
  ElementTable table;
  const Element name = table.NameOf(Part("/a"), "100");
  EXPECT_FALSE(table.Find({"101", name.path}));
  EXPECT_FALSE(table.Find({"100", "ax:zzz"}));
}

}  // namespace
}  // namespace tactus::ax::macos
