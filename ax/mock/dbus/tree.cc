#include "ax/mock/dbus/tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/mock/code_points.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr char kHex[] = "0123456789abcdef";

std::optional<int> HexDigit(char c) {
  for (int i = 0; i < 16; ++i) {
    if (kHex[i] == c) return i;
  }
  return std::nullopt;
}

// What the bus's own check of a string lets through: libsystemd takes no
// noncharacters either.
bool Passes(char32_t point) {
  return point != 0 && (point < 0xD800 || point > 0xDFFF) &&
         (point < 0xFDD0 || point > 0xFDEF) && (point & 0xFFFE) != 0xFFFE;
}

}  // namespace

std::string PathOf(absl::string_view node) {
  std::string path = absl::StrCat(kObjectPrefix, "/");
  for (const char c : node) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      path.push_back(c);
    } else {
      const unsigned byte = static_cast<unsigned char>(c);
      path.push_back('_');
      path.push_back(kHex[byte >> 4]);
      path.push_back(kHex[byte & 15]);
    }
  }
  return path;
}

std::optional<std::string> PathToNode(absl::string_view object_path) {
  const std::string prefix = absl::StrCat(kObjectPrefix, "/");
  if (!absl::StartsWith(object_path, prefix)) return std::nullopt;
  object_path.remove_prefix(prefix.size());
  std::string node;
  for (size_t i = 0; i < object_path.size(); ++i) {
    if (object_path[i] != '_') {
      node.push_back(object_path[i]);
      continue;
    }
    if (object_path.size() - i < 3) return std::nullopt;
    const std::optional<int> high = HexDigit(object_path[i + 1]);
    const std::optional<int> low = HexDigit(object_path[i + 2]);
    if (!high.has_value() || !low.has_value()) return std::nullopt;
    node.push_back(static_cast<char>(*high * 16 + *low));
    i += 2;
  }
  // "root" is the application's own name for itself.
  if (node.empty() || node == "root") return std::nullopt;
  return node;
}

uint32_t RoleNumber(Role role) {
  switch (role) {
    case Role::kUnknown:
      return 67;  // unknown
    case Role::kOther:
      return 43;  // push button
    case Role::kTextField:
      return 79;  // entry
    case Role::kTextArea:
      return 61;  // text
    case Role::kDocument:
      return 82;  // document frame
    case Role::kParagraph:
      return 73;
    case Role::kCombo:
      return 11;
    case Role::kTerminal:
      return 60;
    case Role::kPassword:
      return 40;
    case Role::kContainer:
      return 23;  // frame
  }
  return 67;
}

std::vector<uint32_t> StateWords(States states) {
  constexpr struct {
    State state;
    int bit;
  } kBits[] = {{kStateActive, 1},   {kStateDefunct, 6},
               {kStateEditable, 7}, {kStateEnabled, 8},
               {kStateFocused, 12}, {kStateMultiLine, 17},
               {kStateShowing, 25}, {kStateSingleLine, 26},
               {kStateVisible, 30}, {kStateReadOnly, 43}};
  uint64_t words = 0;
  for (const auto& [state, bit] : kBits) {
    if ((states & state) != 0) words |= uint64_t{1} << bit;
  }
  return {static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32)};
}

std::vector<std::string> Interfaces(States states) {
  std::vector<std::string> names = {"org.a11y.atspi.Accessible",
                                    "org.a11y.atspi.Component"};
  if ((states & kStateSupportsText) != 0) {
    names.emplace_back("org.a11y.atspi.Text");
  }
  if ((states & kStateSupportsEditing) != 0) {
    names.emplace_back("org.a11y.atspi.EditableText");
  }
  return names;
}

Manners MannersOf(const Application& application) {
  const absl::string_view toolkit = application.toolkit;
  Manners manners;
  if (absl::StartsWith(toolkit, "GTK")) {
    manners.cache = true;
    manners.lower_case = true;
    manners.no_selection_is_error = true;
    manners.entry_to_end_is_empty = true;
    manners.area_never_selects = true;
  }
  // LibreOffice calls its toolkit that of its windows.
  manners.utf16 = absl::StartsWith(toolkit, "Qt") ||
                  absl::StartsWith(application.name, "soffice");
  manners.utf16_length = absl::StartsWith(toolkit, "Qt");
  manners.one_selection = absl::StartsWith(toolkit, "gtk");
  manners.collection = absl::StartsWith(toolkit, "gtk") ||
                       absl::StartsWith(toolkit, "Chromium") ||
                       absl::StartsWith(toolkit, "Gecko");
  return manners;
}

std::vector<Element> WindowsOf(const World& world, const std::string& id) {
  std::vector<Element> windows;
  for (const Pane& pane : world.desktop().panes) {
    if (pane.element.application == id) windows.push_back(pane.element);
  }
  return windows;
}

std::vector<Element> ChildrenOf(const World& world, const Element& element) {
  std::vector<Element> children;
  const Program* program = world.FindProgram(element.application);
  if (program == nullptr) return children;
  if (const Node* node = world.Find(element); node != nullptr) {
    for (const std::string& path : node->children) {
      const Element child = {element.application, path};
      if (world.Find(child) != nullptr) children.push_back(child);
    }
    return children;
  }
  // A window: what stands in it and in nothing else.
  std::set<std::string> held;
  for (const Node& node : program->nodes) {
    held.insert(node.children.begin(), node.children.end());
  }
  for (const Node& node : program->nodes) {
    const Element child = {element.application, node.path};
    if (!held.contains(node.path) && world.WindowOf(child) == element) {
      children.push_back(child);
    }
  }
  return children;
}

std::optional<Element> ParentOf(const World& world, const Element& element) {
  const Program* program = world.FindProgram(element.application);
  if (program == nullptr || world.Find(element) == nullptr) return std::nullopt;
  for (const Node& node : program->nodes) {
    if (node.path != element.path &&
        std::find(node.children.begin(), node.children.end(), element.path) !=
            node.children.end()) {
      return Element{element.application, node.path};
    }
  }
  return world.WindowOf(element);
}

int64_t ToUnits(const std::u32string& text, int64_t points, bool utf16) {
  if (!utf16 || points < 0) return points;
  const size_t within = std::min(text.size(), static_cast<size_t>(points));
  const int64_t wide = std::count_if(
      text.begin(), text.begin() + static_cast<std::ptrdiff_t>(within),
      [](char32_t point) { return point > 0xFFFF; });
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  return points > kMost - wide ? kMost : points + wide;
}

int64_t ToPoints(const std::u32string& text, int64_t units, bool utf16) {
  if (!utf16 || units < 0) return units;
  int64_t points = 0;
  for (const char32_t point : text) {
    if (units <= 0) return points;
    units -= point > 0xFFFF ? 2 : 1;
    ++points;
  }
  return points + std::max<int64_t>(units, 0);
}

std::string Carriable(absl::string_view text) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) - 1u < 0x7F;
  };
  if (std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::u32string points = DecodeUtf8(text);
  for (char32_t& point : points) {
    if (!Passes(point)) point = 0xFFFD;
  }
  return EncodeUtf8(points);
}

}  // namespace tactus::ax::mock
