#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/script.h"
#include "ax/mock/script_names.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

// Small desktops find what large ones find, and thousands of them fit in the
// time of one that is large.
constexpr int64_t kMostFuzzedApplications = 3;
constexpr int64_t kMostFuzzedElements = 4;
constexpr int64_t kMostFuzzedText = 40;
constexpr int64_t kMostFuzzedHostilities = 5;
constexpr int64_t kMostFuzzedInputFaults = 2;
constexpr int64_t kMostFuzzedActions = 12;
// More than a snapshot's messages, retries included.
constexpr int64_t kMostFuzzedIndex = 40;
// Of a parameter with which work grows.
constexpr int64_t kMostFuzzedGrowth = 256;

// What text code gets wrong: controls, each length of UTF-8, combining marks,
// joiners, direction marks, the object replacement, halves of pairs, the ends
// of the planes.
constexpr char32_t kPoints[] = {
    U'a',   U'b',   U' ',   U'\n',  U'\r',   U'\t',   0,       0x1B,
    0xE9,   0x301,  0x5D0,  0x4E2D, 0x1F469, 0x200D,  0x1F3FD, 0x202E,
    0x2028, 0xFEFF, 0xFFFC, 0xFFFD, 0xFFFF,  0x10000, 0x1F1E9, 0x10FFFF,
    0xD83D, 0xDC69, 0x7F,   0x80,   0x7FF,   0x800,   0xAC00,  0x0903};

// Takes bytes from the front; zeros when there are no more.
class Source {
 public:
  explicit Source(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_.remove_prefix(1);
    return byte;
  }

  bool Chance() { return (Byte() & 1) != 0; }

  // In [least, most]; `most - least` is below 256.
  int64_t Small(int64_t least, int64_t most) {
    return least + Byte() % (most - least + 1);
  }

  int64_t Wide() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = (value << 8) | Byte();
    return static_cast<int64_t>(value);
  }

  template <typename T>
  const T& Of(const std::vector<T>& choices) {
    return choices[Byte() % choices.size()];
  }

 private:
  absl::Span<const uint8_t> bytes_;
};

std::u32string Text(Source& source) {
  std::u32string text;
  for (int64_t left = source.Small(0, kMostFuzzedText); left > 0; --left) {
    text.push_back(kPoints[source.Byte() % std::size(kPoints)]);
  }
  return text;
}

// ASCII, so that a script can hold it as it is.
std::string Word(Source& source) {
  std::string word;
  for (int64_t left = source.Small(0, 6); left > 0; --left) {
    word.push_back(static_cast<char>('a' + source.Byte() % 26));
  }
  return word;
}

Role AnyRole(Source& source) {
  return static_cast<Role>(
      source.Small(0, static_cast<int64_t>(Role::kContainer)));
}

Node AnyNode(Source& source, int64_t number) {
  Node node = TextArea(absl::StrCat("/", number), "");
  node.text = Text(source);
  const int64_t length = static_cast<int64_t>(node.text.size());
  node.role = {AnyRole(source), "native"};
  if (source.Chance()) node.subrole = RoleValue{AnyRole(source), "native"};
  if (source.Chance()) {
    node.states ^= static_cast<States>(source.Byte()) |
                   (static_cast<States>(source.Byte() & 0x0F) << 8);
  }
  node.caret = source.Small(0, length);
  if (source.Chance()) {
    const int64_t begin = source.Small(0, length);
    node.selection = Range{begin, source.Small(begin, length)};
  }
  if (source.Chance()) node.other_carets.push_back(source.Small(0, length));
  const uint8_t settable = source.Byte();
  node.value_settable = (settable & 1) == 0;
  node.selection_settable = (settable & 2) == 0;
  return node;
}

Desktop AnyDesktop(Source& source) {
  static const std::vector<std::string>& toolkits =
      *new std::vector<std::string>{"mock", "gtk", "Qt", "Chromium", ""};
  Desktop desktop;
  const int64_t applications = source.Small(0, kMostFuzzedApplications);
  for (int64_t i = 0; i < applications; ++i) {
    std::vector<Node> nodes;
    const int64_t elements = source.Small(0, kMostFuzzedElements);
    for (int64_t k = 0; k < elements; ++k) {
      nodes.push_back(AnyNode(source, k));
    }
    Program program = MakeProgram(Word(source), static_cast<pid_t>(100 + i),
                                  std::move(nodes));
    program.application.toolkit = source.Of(toolkits);
    if (source.Chance() && !program.nodes.empty()) {
      program.focus = source.Of(program.nodes).path;
    }
    const Application& application = program.application;
    if (source.Chance()) {
      desktop.panes.push_back({{.pid = application.pid,
                                .title = Word(source),
                                .active = source.Chance()},
                               {application.id, "/window"}});
    }
    desktop.programs.push_back(std::move(program));
  }
  if (!desktop.programs.empty() && !source.Chance()) {
    desktop.focused = source.Of(desktop.programs).application.id;
  }
  return desktop;
}

std::string AnyApplication(Source& source, const Desktop& desktop) {
  if (desktop.programs.empty() || !source.Chance()) return "";
  return source.Of(desktop.programs).application.id;
}

HostilitySpec AnyHostility(Source& source, const Desktop& desktop) {
  const absl::Span<const HostilityKind> kinds = AllHostilities();
  const HostilityKind& kind = kinds[source.Byte() % kinds.size()];
  HostilitySpec spec;
  spec.name = std::string(kind.name);
  int64_t parameter = kind.default_parameter;
  switch (source.Small(0, 4)) {
    case 0:
      break;
    case 1:
      parameter = kind.least;
      break;
    case 2:
      parameter = kind.most;
      break;
    case 3:
      parameter = source.Small(-8, 64);
      break;
    default:
      parameter = source.Wide();
      break;
  }
  parameter = std::clamp(parameter, kind.least, kind.most);
  if (kind.grows) parameter = std::min(parameter, kMostFuzzedGrowth);
  spec.options.parameter = parameter;
  spec.options.application = AnyApplication(source, desktop);
  if (source.Chance()) {
    spec.options.attribute = static_cast<Attribute>(
        source.Small(0, static_cast<int64_t>(Attribute::kSelectedText)));
  }
  if (source.Chance()) {
    spec.options.after = static_cast<int>(source.Small(0, kMostFuzzedIndex));
  }
  spec.options.seed = source.Byte();
  return spec;
}

InputFaultSpec AnyInputFault(Source& source) {
  const absl::Span<const InputFaultKind> kinds = AllInputFaults();
  const InputFaultKind& kind = kinds[source.Byte() % kinds.size()];
  InputFaultSpec spec;
  spec.name = std::string(kind.name);
  if (source.Chance()) {
    spec.parameter = std::clamp<int64_t>(source.Byte(), kind.least, kind.most);
  }
  return spec;
}

Action AnyAction(Source& source, const Desktop& desktop) {
  const absl::Span<const ActionName> names = ActionNames();
  Action action;
  action.kind = names[source.Byte() % names.size()].kind;
  action.application = AnyApplication(source, desktop);
  if (source.Chance()) {
    action.path = absl::StrCat("/", source.Small(0, kMostFuzzedElements - 1));
  }
  action.text = Word(source);
  action.range = {source.Small(-2, 60), source.Small(-2, 60)};
  action.on = !source.Chance();
  if (source.Chance()) {
    action.at = absl::Microseconds(source.Byte() * 500);
  } else {
    action.before = static_cast<int>(source.Small(0, kMostFuzzedIndex));
  }
  return action;
}

}  // namespace

Script FromBytes(absl::Span<const uint8_t> bytes) {
  Source source(bytes);
  Script script;
  // Counts first, so that a longer text does not change how many follow it.
  const int64_t hostilities = source.Small(0, kMostFuzzedHostilities);
  const int64_t actions = source.Small(0, kMostFuzzedActions);
  script.latency.cold_connection = absl::Microseconds(source.Byte());
  script.latency.per_flight = absl::Microseconds(source.Byte());
  script.latency.per_call = absl::Microseconds(source.Byte());
  script.latency.per_byte = absl::Nanoseconds(source.Byte() & 0x0F);
  script.desktop = AnyDesktop(source);
  for (int64_t i = 0; i < hostilities; ++i) {
    script.hostilities.push_back(AnyHostility(source, script.desktop));
  }
  for (int64_t i = 0; i < actions; ++i) {
    script.actions.push_back(AnyAction(source, script.desktop));
  }
  // Last, where bytes that are older than this have none.
  for (int64_t left = source.Small(0, kMostFuzzedInputFaults); left > 0;
       --left) {
    script.input.push_back(AnyInputFault(source));
  }
  return script;
}

}  // namespace tactus::ax::mock
