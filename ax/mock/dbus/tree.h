// The world as AT-SPI objects: paths, numbers, units.
//
// An application's root is kRootPath, its windows and elements lie below
// kObjectPrefix under their own paths, escaped:
//
//   PathOf("/text")                    == ".../accessible/_2ftext"
//   PathToNode(PathOf("/text"))        == "/text"
//
// Sources: at-spi2-core 2.46, xml/*.xml and atspi/atspi-constants.h.
#ifndef TACTUS_AX_MOCK_DBUS_TREE_H_
#define TACTUS_AX_MOCK_DBUS_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

inline constexpr char kRootPath[] = "/org/a11y/atspi/accessible/root";
inline constexpr char kObjectPrefix[] = "/org/a11y/atspi/accessible";
inline constexpr char kCachePath[] = "/org/a11y/atspi/cache";

// The object path of a node or a window, and back; nullopt for a path that is
// none.
std::string PathOf(absl::string_view node);
std::optional<std::string> PathToNode(absl::string_view object_path);

uint32_t RoleNumber(Role role);
// The two words of GetState.
std::vector<uint32_t> StateWords(States states);
// Of an element that has those states.
std::vector<std::string> Interfaces(States states);

// What an application of that toolkit does, as the real ones do.
struct Manners {
  bool utf16 = false;       // offsets are UTF-16 units: Qt, LibreOffice
  bool collection = false;  // has GetMatches: gtk 3, Chromium, Gecko
  bool cache = false;       // GetItems lists what there is: GTK 4
  bool lower_case = false;  // window events are "activate": GTK 4
  bool no_selection_is_error = false;  // GetSelection without one: GTK 4
  bool entry_to_end_is_empty = false;  // GetText(0, -1) of an entry: GTK 4
  bool utf16_length = false;           // InsertText's length is not bytes: Qt
  // AddSelection is refused where there is one, SetSelection and
  // RemoveSelection where there is none: gtk 3.
  bool one_selection = false;
  bool area_never_selects = false;  // nor answers AddSelection: GTK 4
};
Manners MannersOf(const Application& application);

// Windows of the application, front to back.
std::vector<Element> WindowsOf(const World& world, const std::string& id);
// Children of a window or an element.
std::vector<Element> ChildrenOf(const World& world, const Element& element);
// Nullopt: the root of the application.
std::optional<Element> ParentOf(const World& world, const Element& element);

// Between code points and the units of a text. An offset past the end stays
// past it by as much; a negative one stays as it is.
int64_t ToUnits(const std::u32string& text, int64_t points, bool utf16);
int64_t ToPoints(const std::u32string& text, int64_t units, bool utf16);

// What D-Bus, as libsystemd speaks it, can carry: UTF-8 without NUL, surrogates
// and noncharacters, which become U+FFFD.
std::string Carriable(absl::string_view text);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_TREE_H_
