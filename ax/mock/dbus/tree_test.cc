#include "ax/mock/dbus/tree.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

TEST(PathTest, EveryNodePathRoundTripsAndIsAnObjectPath) {
  for (const std::string& node :
       {std::string("/text"), std::string("/text#2"),
        std::string("a_b/\xC3\xA9"), std::string("\0x", 2)}) {
    const std::string path = PathOf(node);
    EXPECT_EQ(path.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/"),
              std::string::npos);
    EXPECT_EQ(PathToNode(path), node);
  }
  EXPECT_EQ(PathOf("/text"), "/org/a11y/atspi/accessible/_2ftext");
}

TEST(PathTest, WhatIsNoPathOfANodeIsNone) {
  for (const absl::string_view path :
       {"", "/", "/org/a11y/atspi/accessible", "/org/a11y/atspi/accessible/",
        "/org/a11y/atspi/accessible/root", "/org/a11y/atspi/accessible/_2",
        "/org/a11y/atspi/accessible/_zz", "/org/a11y/atspi/cache"}) {
    EXPECT_EQ(PathToNode(path), std::nullopt) << std::string(path);
  }
}

TEST(UnitsTest, OffsetsGoThereAndBackAndKeepWhatIsWrongWithThem) {
  const std::u32string text = U"a\U0001F469b";
  const int64_t units[] = {-1, 0, 1, 3, 4, 9};
  const int64_t points[] = {-1, 0, 1, 2, 3, 8};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(ToUnits(text, points[i], true), units[i]);
    EXPECT_EQ(ToPoints(text, units[i], true), points[i]);
    EXPECT_EQ(ToUnits(text, points[i], false), points[i]);
    EXPECT_EQ(ToPoints(text, points[i], false), points[i]);
  }
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ToUnits(text, kMost, true), kMost);
  EXPECT_EQ(ToPoints(text, kMost, true), kMost - 1);
  // Within the pair: the whole of it.
  EXPECT_EQ(ToPoints(text, 2, true), 2);
}

TEST(CarriableTest, WhatTheBusRefusesIsReplaced) {
  EXPECT_EQ(Carriable("h\u00e9\U0001F469"), "h\u00e9\U0001F469");
  EXPECT_EQ(Carriable(absl::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(Carriable("\xED\xA0\xBD\xFF"), "\uFFFD\uFFFD");
  EXPECT_EQ(Carriable("\uFFFE\uFDD0\uFDCF\U0010FFFF"),
            "\uFFFD\uFFFD\uFDCF\uFFFD");
}

TEST(MannersTest, ToolkitsAndApplicationsDoAsTheRealOnes) {
  const auto of = [](std::string toolkit, std::string name) {
    return MannersOf({"id", std::move(name), 1, std::move(toolkit), "1"});
  };
  EXPECT_TRUE(of("gtk", "mousepad").collection);
  EXPECT_FALSE(of("gtk", "mousepad").utf16);
  EXPECT_TRUE(of("gtk", "soffice").utf16);
  EXPECT_TRUE(of("Qt", "any").utf16);
  EXPECT_FALSE(of("Qt", "any").collection);
  EXPECT_TRUE(of("GTK", "any").cache);
  EXPECT_FALSE(of("GTK", "any").collection);
  EXPECT_FALSE(of("other", "any").cache);
}

TEST(TreeTest, NodesStandInTheirParentOrElseInTheirWindow) {
  Desktop desktop = EditorDesktop("");
  Program& program = desktop.programs[0];
  Node box = TextArea("/box", "");
  box.children = {"/text", "/gone"};
  program.nodes.push_back(std::move(box));
  Node away = TextArea("/away", "");
  away.window = "/other";
  program.nodes.push_back(std::move(away));
  const World world(std::move(desktop));
  const Element window = {"app:100", "/window"};
  const Element text = {"app:100", "/text"};
  const Element parent = {"app:100", "/box"};
  EXPECT_EQ(WindowsOf(world, "app:100"), std::vector<Element>{window});
  EXPECT_EQ(ChildrenOf(world, window), std::vector<Element>{parent});
  EXPECT_EQ(ChildrenOf(world, parent), std::vector<Element>{text});
  EXPECT_EQ(ParentOf(world, text), parent);
  EXPECT_EQ(ParentOf(world, parent), window);
  EXPECT_EQ(ParentOf(world, window), std::nullopt);
  EXPECT_TRUE(ChildrenOf(world, {"app:7", "/window"}).empty());
}

}  // namespace
}  // namespace tactus::ax::mock
