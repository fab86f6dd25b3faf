#include "ax/edit/trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

using mock::Action;
using mock::ActionKind;
using mock::Change;
using mock::InputVerb;
using mock::Message;
using mock::Verb;
using mock::World;

// Servers that a client can tell from honest ones, or that harm in a way which
// it can see. Lies about the text itself are not among them, and neither are
// the perfect echoes: write_echo_reverts and write_commit_on_blur answer text
// and count, all there is to read, as if they were written.
constexpr absl::string_view kProvable[] = {
    "slow",
    "at_deadline",
    "hung",
    "die_in_mid_call",
    "system_wide_route_fails",
    "batch_rejected",
    "focus_moves",
    "keyboard_moves",
    "element_swapped",
    "user_types",
    "search_box_first",
    "stale_focus_claims",
    "two_fields_claim_focus",
    "application_quits",
    "application_restarts",
    "pid_reused",
    "secure_role",
    "secure_subrole",
    "turns_secure",
    "show_password_toggles",
    "permission_lost",
    "write_ignored_true",
    "write_readonly_true",
    "write_refused_landed",
    "write_no_reply_landed",
    "write_no_reply_ignored",
    "write_late",
    "write_prefixes",
    "write_echo",
    "write_autocorrect",
    "write_truncated",
    "write_normalizes",
    "write_utf16_length",
    "write_byte_length",
    "write_doubles",
    "write_insert_only",
    "write_delete_only",
    "write_caret_elsewhere",
    "write_element_swapped",
    "write_other_element",
    "write_kills",
    "select_ignored",
    "select_error",
};

// What comes later than EditOptions::read_back can land beside a second
// attempt, as editor.h says.
constexpr int64_t kLatest = 550;

constexpr absl::Duration kGiveBack = absl::Milliseconds(500);

const mock::Clipboard& Copied() {
  static const mock::Clipboard& copied =
      *new mock::Clipboard{{"UTF8_STRING", "copied"}, {"image/png", "\x89PNG"}};
  return copied;
}

const mock::Clipboard& Taken() {
  static const mock::Clipboard& taken =
      *new mock::Clipboard{{"text/html", "<b>taken</b>"}};
  return taken;
}

bool Has(const mock::Script& script, absl::string_view name) {
  return std::any_of(
             script.hostilities.begin(), script.hostilities.end(),
             [&](const mock::HostilitySpec& h) { return h.name == name; }) ||
         std::any_of(
             script.input.begin(), script.input.end(),
             [&](const mock::InputFaultSpec& f) { return f.name == name; });
}

// What is typed and written is read so much later than it is done.
constexpr char kShowsLate[] = "shows_late";

absl::Duration Lateness(const mock::Script& script) {
  for (const mock::HostilitySpec& spec : script.hostilities) {
    if (spec.name != kShowsLate) continue;
    return absl::Milliseconds(spec.options.parameter.value_or(
        mock::FindHostility(kShowsLate)->default_parameter));
  }
  return absl::ZeroDuration();
}

// The longest that a write takes until it is done.
absl::Duration WritesLate(const mock::Script& script) {
  absl::Duration longest;
  for (const mock::HostilitySpec& spec : script.hostilities) {
    if (spec.name != "write_late") continue;
    longest = std::max(
        longest, absl::Milliseconds(spec.options.parameter.value_or(
                     mock::FindHostility("write_late")->default_parameter)));
  }
  return longest;
}

bool Provable(const mock::Script& script) {
  // Each of two would show what the other has not seen yet.
  if (Lateness(script) + WritesLate(script) > absl::Milliseconds(kLatest) ||
      std::count_if(script.hostilities.begin(), script.hostilities.end(),
                    [](const mock::HostilitySpec& spec) {
                      return spec.name == kShowsLate;
                    }) > 1) {
    return false;
  }
  for (const mock::HostilitySpec& spec : script.hostilities) {
    if (spec.name == kShowsLate) continue;
    if (std::find(std::begin(kProvable), std::end(kProvable), spec.name) ==
        std::end(kProvable)) {
      return false;
    }
  }
  // What is typed at several carets is there several times.
  for (const mock::Program& program : script.desktop.programs) {
    for (const mock::Node& node : program.nodes) {
      if (!node.other_carets.empty()) return false;
    }
  }
  return true;
}

// An element by its application and its path before it was replaced.
using Key = std::pair<std::string, std::string>;

Key KeyOf(const Element& element) {
  return {element.application, element.path.substr(0, element.path.find('#'))};
}

std::map<Key, std::u32string> TextsOf(const World& world) {
  std::map<Key, std::u32string> texts;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      // Of two with one name the first is the one that is found by it.
      texts.emplace(KeyOf({program.application.id, node.path}), node.text);
    }
  }
  return texts;
}

// One that was replaced and still answers stands for the new one.
std::u32string TruthOf(const World& world, const Element& element) {
  const std::map<Key, std::u32string> texts = TextsOf(world);
  const auto found = texts.find(KeyOf(element));
  return found == texts.end() ? std::u32string() : found->second;
}

// Of what TextsOf tells: almost no message changes it, and there are many.
size_t PrintOf(const World& world) {
  size_t print = 0;
  const auto mix = [&print](size_t hash) {
    print = (print ^ hash) * 0x9E3779B97F4A7C15u + 1;
  };
  for (const mock::Program& program : world.desktop().programs) {
    mix(std::hash<std::string>()(program.application.id));
    for (const mock::Node& node : program.nodes) {
      mix(std::hash<std::string>()(node.path));
      mix(std::hash<std::u32string>()(node.text));
    }
  }
  return print;
}

int64_t Size(const std::u32string& text) {
  return static_cast<int64_t>(text.size());
}

// `size` code points from `begin` on.
std::string Slice(const std::u32string& text, int64_t begin, int64_t size) {
  const int64_t from = std::clamp<int64_t>(begin, 0, Size(text));
  return mock::EncodeUtf8(std::u32string_view(text).substr(
      static_cast<size_t>(from), static_cast<size_t>(size)));
}

// What the world held when, and what it would hold had the user been alone.
class Witness {
 public:
  struct Sight {
    Element element;
    std::u32string text;  // in truth
    // It changed before the count was read.
    bool torn = false;
    int64_t count = 0;  // in truth, when it was last read
    // Without the lateness: a field that has just been replaced shows sooner.
    std::u32string at_once = {};
  };
  // What was about to be sent.
  struct Sending {
    std::optional<Sight> read;  // the last text that was read before
    bool edits = false;         // a write that is no selection
    bool told_secure = false;   // of what has the keyboard
  };

  // What is read is as old as `lateness` says.
  void Begin(World& world, absl::Duration lateness) {
    alone_ = TextsOf(world);
    moved_.clear();
    lateness_ = lateness;
    for (const mock::Program& program : world.desktop().programs) {
      for (const mock::Node& node : program.nodes) {
        users_[KeyOf({program.application.id, node.path})] = node.selection;
      }
    }
  }

  // The user has selected, moved the caret or typed: what is selected now is
  // his.
  void UserActs(const World& world) {
    const std::optional<Element> focused = world.Focused();
    if (!focused.has_value()) return;
    users_[KeyOf(*focused)] = world.Find(*focused)->selection;
    ours_.erase(KeyOf(*focused));
  }
  // The editor is about to select.
  void Selects(const World& world, const mock::Effect& effect) {
    const mock::Node* node = world.Find(effect.element);
    if (node == nullptr || !effect.lands) return;
    const Range range = mock::Clamp(effect.range, Size(node->text));
    const Key key = KeyOf(effect.element);
    ours_.erase(key);
    if (!range.empty() && users_[key] != range) {
      ours_[key] = Ours{range, node->text};
    }
  }
  void Hears(const World& world, const Event& event) {
    const Key key = KeyOf(event.element);
    const auto found = ours_.find(key);
    const mock::Node* node = world.Find(event.element);
    if (found == ours_.end() || node == nullptr) return;
    const auto& [range, text] = found->second;
    if (event.kind == Event::Kind::kSelectionChanged) {
      if (node->selection != range) ours_.erase(found);
    } else if (event.kind == Event::Kind::kTextChanged) {
      const std::u32string head = text.substr(0, range.begin);
      const std::u32string tail = text.substr(range.end);
      if (others_turn_ && node->text != text && node->text.starts_with(head) &&
          node->text.ends_with(tail) &&
          node->text.size() >= head.size() + tail.size()) {
        overtyped_.insert(key);
      }
      ours_.erase(found);
    }
  }
  // What was typed has replaced a selection that the editor had set.
  bool Overtyped() const { return !overtyped_.empty(); }

  void Notes(const World& world, absl::Time now) {
    const size_t print = PrintOf(world);
    if (!texts_.empty() && print == noted_) return;
    noted_ = print;
    texts_.emplace_back(now, TextsOf(world));
  }

  // Around what is not the editor's.
  void Enter(World& world) {
    others_turn_ = true;
    if (const size_t print = PrintOf(world); print != print_) {
      print_ = print;
      entered_ = TextsOf(world);
    }
  }
  void Leave(World& world, bool edits_are_sent) {
    others_turn_ = false;
    if (PrintOf(world) == print_) return;
    const std::map<Key, std::u32string> now = TextsOf(world);
    for (const auto& [key, text] : now) {
      const auto before = entered_.find(key);
      if (before == entered_.end()) {
        alone_[key] = text;
      } else if (before->second != text) {
        if (alone_[key] != before->second) moved_.insert(key);
        alone_[key] = text;
        if (edits_are_sent) in_gap_.insert(key);
      }
    }
    for (const auto& [key, text] : entered_) {
      if (!now.contains(key)) alone_.erase(key);
    }
  }

  void Sends(const World& world, const Message& message) {
    Sending sending;
    sending.edits =
        message.verb == Verb::kWrite && message.what != Change::kSelect;
    if (message.verb == Verb::kInput) {
      const std::optional<Element> focused = world.Focused();
      // A key reaches whatever has the keyboard, whatever else was chosen.
      sending.told_secure =
          focused.has_value() &&
          told_.contains({focused->application, focused->path});
    }
    if (last_.has_value()) sending.read = last_;
    sendings_[message.index] = std::move(sending);
  }

  void Reads(const World& world, const Message& message,
             const Reading& reading) {
    const std::pair<std::string, std::string> key = {
        message.element.application, message.element.path};
    if (message.attribute == Attribute::kText) {
      last_ = Sight{message.element, ShownAt(world, message)};
      last_->count = reads_[key].count;
      last_->at_once = TruthOf(world, message.element);
      reads_[key] = *last_;
    }
    if (message.attribute == Attribute::kCharacterCount) {
      const std::u32string truth = ShownAt(world, message);
      Sight& read = reads_[key];
      read.torn = read.text != truth;
      read.count = Size(truth);
      if (last_.has_value() && last_->element == message.element) last_ = read;
    }
    if (!reading.ok()) return;
    if (const auto* role = std::get_if<RoleValue>(&*reading)) {
      if (role->role == Role::kPassword) {
        told_.insert(key);
      } else if (message.attribute == Attribute::kRole) {
        told_.erase(key);
      }
    }
  }

  // The element's text when it was last read.
  const Sight* LastReadOf(const Element& element) const {
    const auto found = reads_.find({element.application, element.path});
    return found == reads_.end() ? nullptr : &found->second;
  }
  // Every text that the element had when a message was sent.
  std::vector<std::u32string> TextsHeldBy(const Element& element) const {
    std::vector<std::u32string> held;
    for (const auto& [since, texts] : texts_) {
      const auto found = texts.find(KeyOf(element));
      if (found != texts.end()) held.push_back(found->second);
    }
    return held;
  }
  const std::map<int, Sending>& sendings() const { return sendings_; }
  bool ChangedInGap(const Element& element) const {
    return in_gap_.contains(KeyOf(element));
  }
  // Of the element that `concerns` names, or of all. What the user has put over
  // what the edit did must be what was there at first.
  bool AsAlone(const World& world, const EditResult& result,
               const std::optional<Key>& concerns) const {
    for (const auto& [key, text] : TextsOf(world)) {
      if (concerns.has_value() && key != *concerns) continue;
      if (moved_.contains(key)) {
        if (mock::EncodeUtf8(text) != result.before) return false;
        continue;
      }
      // The edit took out just what the user had put in within the gap: that
      // leaves no trace, as editor.h says.
      if (in_gap_.contains(key) && mock::EncodeUtf8(text) == result.before) {
        continue;
      }
      const auto alone = alone_.find(key);
      if (alone != alone_.end() && alone->second != text) return false;
    }
    return true;
  }

 private:
  // A selection of the editor's that stands, and the text that it stands in.
  struct Ours {
    Range range;
    std::u32string text;
  };

  // The truth; where that shows late, the truth that shows.
  std::u32string ShownAt(const World& world, const Message& message) const {
    if (lateness_ == absl::ZeroDuration()) {
      return TruthOf(world, message.element);
    }
    const std::map<Key, std::u32string>* shown = nullptr;
    for (const auto& [since, texts] : texts_) {
      if (shown != nullptr && since > message.sent - lateness_) break;
      shown = &texts;
    }
    const auto found = shown->find(KeyOf(message.element));
    return found == shown->end() ? TruthOf(world, message.element)
                                 : found->second;
  }

  bool others_turn_ = false;
  absl::Duration lateness_;
  size_t noted_ = 0;
  std::vector<std::pair<absl::Time, std::map<Key, std::u32string>>> texts_;
  std::map<Key, std::optional<Range>> users_;
  std::map<Key, Ours> ours_;
  std::set<Key> overtyped_;
  size_t print_ = 0;
  std::map<Key, std::u32string> entered_;
  std::map<Key, std::u32string> alone_;
  // The editor had changed it before the user did.
  std::set<Key> moved_;
  std::set<Key> in_gap_;
  std::optional<Sight> last_;
  std::map<std::pair<std::string, std::string>, Sight> reads_;
  std::map<int, Sending> sendings_;
  std::set<std::pair<std::string, std::string>> told_;
};

// The last of the hostilities, so that it sees what all others have done.
class Watching : public mock::Hostility {
 public:
  explicit Watching(Witness* witness) : witness_(*witness) {}
  void BeforeMessage(World& world, const Message& message) override {
    const bool writes = message.verb == Verb::kWrite;
    witness_.Leave(world, writes && message.what != Change::kSelect);
    witness_.Notes(world, message.sent);
    if (writes || message.verb == Verb::kInput) {
      witness_.Sends(world, message);
    }
  }
  void AlterWrite(World& world, const Message& message,
                  mock::Effect& effect) override {
    if (effect.what == Change::kSelect) witness_.Selects(world, effect);
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    witness_.Reads(world, message, reading);
  }

 private:
  Witness& witness_;
};

int Markers(const World& world) {
  const char32_t marker = mock::DecodeUtf8(kMarker)[0];
  int64_t found = 0;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      found += std::count(node.text.begin(), node.text.end(), marker);
    }
  }
  return static_cast<int>(found);
}

std::string Quote(absl::string_view text) {
  return absl::StrCat("\"", text, "\"");
}

// Takes bytes from the front; zeros when there are no more.
class Source {
 public:
  explicit Source(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  int64_t Below(int64_t most) {
    if (bytes_.empty()) return 0;
    const uint8_t byte = bytes_.front();
    bytes_.remove_prefix(1);
    return byte % most;
  }
  // False for a zero.
  bool OneIn(int64_t n) { return Below(n) == n - 1; }
  template <typename T, size_t n>
  const T& Of(const T (&choices)[n]) {
    return choices[Below(n)];
  }

 private:
  absl::Span<const uint8_t> bytes_;
};

// Whole characters: with accents, joined, right to left, beyond the first
// plane.
constexpr const char* kCharacters[] = {
    "a",
    "b",
    " ",
    "\u00e9",
    "e\u0301",
    "\u05d0",
    "\u05d1",
    "\u4e2d",
    "\U0001f600",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
    "\n",
};

// Of the first `kinds` of them.
std::string Text(Source& source, int64_t most, int64_t kinds) {
  std::string text;
  for (int64_t left = source.Below(most + 1); left > 0; --left) {
    text += kCharacters[source.Below(kinds)];
  }
  return text;
}

constexpr int64_t kAll = static_cast<int64_t>(std::size(kCharacters));
constexpr int64_t kAscii = 3;

mock::HostilitySpec AnyHostility(Source& source) {
  mock::HostilitySpec spec;
  // Writes come last in the list and are twice as likely.
  const int64_t n = static_cast<int64_t>(std::size(kProvable));
  int64_t place = source.Below(n + 21);
  if (place >= n) place -= 21;
  spec.name = std::string(kProvable[n - 1 - place]);
  const mock::HostilityKind& kind = *mock::FindHostility(spec.name);
  int64_t parameter = kind.default_parameter;
  switch (source.Below(3)) {
    case 1:
      parameter = source.Below(64);
      break;
    case 2:
      parameter = 8 * source.Below(64);
      break;
    default:
      break;
  }
  spec.options.parameter = std::clamp(parameter, kind.least, kind.most);
  if (source.OneIn(4)) {
    spec.options.after = static_cast<int>(source.Below(32));
  }
  return spec;
}

void AddActions(Source& source, int64_t length, mock::Script& script) {
  constexpr ActionKind kKinds[] = {ActionKind::kType,    ActionKind::kMoveCaret,
                                   ActionKind::kSelect,  ActionKind::kType,
                                   ActionKind::kFocus,   ActionKind::kReplace,
                                   ActionKind::kSetText, ActionKind::kSetSecure,
                                   ActionKind::kRemove,  ActionKind::kActivate};
  Action action;
  action.kind = source.Of(kKinds);
  const int64_t begin = source.Below(length + 1);
  action.range = {begin, begin + source.Below(4)};
  action.on = source.Below(2) == 0;
  if (source.OneIn(4)) {
    action.at = absl::Milliseconds(source.Below(128) * 8);
  } else {
    // Often just before or after an edit's first write.
    action.before = static_cast<int>(source.OneIn(2) ? 8 + source.Below(10)
                                                     : source.Below(64));
  }
  if (action.kind == ActionKind::kType) {
    action.text = source.OneIn(2) ? "" : "u";
    // Over a selection of his own: a deletion where nothing is typed.
    if (action.text.empty() || source.OneIn(2)) {
      Action select = action;
      select.kind = ActionKind::kSelect;
      script.actions.push_back(select);
    }
  } else if (action.kind == ActionKind::kSetText) {
    action.text = "set";
  } else if (action.kind == ActionKind::kFocus) {
    action.path = source.OneIn(3) ? "/text" : "/second";
  } else if (action.kind == ActionKind::kActivate) {
    action.application = source.OneIn(3) ? "app:100" : "app:200";
  }
  script.actions.push_back(action);
}

}  // namespace

Trial TrialOn(mock::Script script, absl::Span<const uint8_t> bytes) {
  Source source(bytes);
  Trial trial;
  const mock::Node* node = nullptr;
  for (const mock::Program& program : script.desktop.programs) {
    if (program.application.id != script.desktop.focused) continue;
    for (const mock::Node& candidate : program.nodes) {
      if (candidate.path == program.focus) node = &candidate;
    }
  }
  const std::u32string text = node == nullptr ? std::u32string() : node->text;

  using Kind = Edit::Kind;
  constexpr Kind kKinds[] = {Kind::kReplaceSelection, Kind::kReplaceRange,
                             Kind::kReplaceRange,     Kind::kInsertAtCaret,
                             Kind::kReplaceText,      Kind::kSetValue};
  Edit& edit = trial.edit;
  edit.kind = source.Of(kKinds);
  const int64_t begin = source.Below(Size(text) + 1);
  const int64_t size = source.Below(Size(text) + 2);
  edit.range = {begin, begin + size};
  if (!source.OneIn(5))
    edit.text = kMarker + Text(source, 8, source.OneIn(2) ? kAll : kAscii);
  if (edit.kind == Kind::kReplaceText) {
    edit.old_text = Slice(text, begin, std::max<int64_t>(size, 1));
  }
  edit.allow_newlines = source.OneIn(2);
  edit.allow_split_characters = source.OneIn(2);
  trial.with_token = source.OneIn(3);
  trial.with_expect = source.OneIn(3);

  constexpr int64_t kTimes[] = {3000, 1000, 200, 50, 4000};
  trial.time = absl::Milliseconds(source.Of(kTimes));
  if (source.OneIn(4)) trial.options.max_text = 8;
  trial.options.allow_paste = !source.OneIn(4);
  trial.options.allow_whole_value = source.OneIn(2);
  trial.options.allow_keystrokes = source.OneIn(2);
  if (source.OneIn(4)) {
    trial.clipboard_taken = static_cast<int>(source.Below(64));
  }
  if (source.OneIn(4)) {
    trial.modifiers_held = absl::Milliseconds(source.Below(256) * 8);
  }
  trial.script = std::move(script);
  return trial;
}

Trial TrialFromBytes(absl::Span<const uint8_t> bytes) {
  // The edit has bytes of its own, so that it stays as it is while what goes
  // wrong shrinks.
  constexpr size_t kOfEdit = 32;
  const size_t cut = std::min(kOfEdit, bytes.size());
  Source source(bytes.subspan(cut));
  mock::Script script;
  if (source.OneIn(2)) {
    script.latency = {.cold_connection = absl::Microseconds(100),
                      .per_flight = absl::Microseconds(200),
                      .per_call = absl::Microseconds(source.Below(64) * 50),
                      .per_byte = absl::Nanoseconds(10)};
  }
  std::string text = Text(source, 16, kAll);
  script.desktop = mock::EditorDesktop(text);
  mock::Program& editor = script.desktop.programs[0];
  mock::Node& node = editor.nodes[0];
  const int64_t length = Size(node.text);
  node.caret = length - source.Below(length + 1);
  if (source.OneIn(3)) {
    node.selection = Range{source.Below(node.caret + 1), node.caret};
    if (node.selection->empty()) node.selection.reset();
  }
  switch (source.Below(4)) {
    case 1:
      node.value_settable = false;
      break;
    case 2:
      node.role = {Role::kTextField, "entry"};
      node.states = (node.states & ~kStateMultiLine) | kStateSingleLine;
      break;
    case 3:
      if (!source.OneIn(2)) break;
      node.role = {Role::kTerminal, "terminal"};
      node.states &= ~(kStateEditable | kStateSupportsEditing);
      node.value_settable = false;
      break;
    default:
      break;
  }
  mock::Node second =
      mock::TextArea("/second", source.OneIn(2) ? "" : "second");
  second.states &= ~kStateFocused;
  editor.nodes.push_back(std::move(second));
  script.desktop.programs.push_back(
      mock::MakeProgram("other", 200, {mock::TextArea("/text", "elsewhere")}));
  script.desktop.panes.push_back(
      {{.pid = 200, .title = "other"}, {"app:200", "/window"}});

  for (int64_t left = source.Below(4); left > 0; --left) {
    AddActions(source, length, script);
  }
  for (int64_t left = source.Below(3); left > 0; --left) {
    script.hostilities.push_back(AnyHostility(source));
  }
  const absl::Span<const mock::InputFaultKind> faults = mock::AllInputFaults();
  for (int64_t left = source.Below(3); left > 0; --left) {
    const mock::InputFaultKind& kind =
        faults[source.Below(static_cast<int64_t>(faults.size()))];
    mock::InputFaultSpec spec;
    spec.name = std::string(kind.name);
    if (source.OneIn(2)) {
      spec.parameter =
          std::clamp<int64_t>(8 * source.Below(256), kind.least, kind.most);
    }
    script.input.push_back(std::move(spec));
  }
  // A key of the user's in what was selected to be pasted over, and what reads
  // late: last, so that the bytes before them mean what they meant.
  if (source.OneIn(3)) {
    Action action;
    action.kind = ActionKind::kType;
    action.text = "u";
    action.before = static_cast<int>(11 + source.Below(16));
    script.actions.push_back(action);
    if (source.OneIn(2)) {
      ++action.before;
      script.actions.push_back(action);
    }
  }
  if (source.OneIn(4)) {
    mock::HostilitySpec late;
    late.name = kShowsLate;
    late.options.parameter =
        std::min(int64_t{source.Below(64)} * 8,
                 kLatest - absl::ToInt64Milliseconds(WritesLate(script)));
    script.hostilities.push_back(std::move(late));
  }
  return TrialOn(std::move(script), bytes.subspan(0, cut));
}

Verdict Try(const Trial& trial) {
  const mock::Script& script = trial.script;
  Verdict verdict;
  SimulatedClock clock;
  World world(script.desktop);
  mock::MockServer server(&world, &clock, script.latency);
  mock::MockInput input(&world, &clock, &server);
  Witness witness;

  // What happens before a message is not the editor's, from here on to the
  // last of the hostilities.
  server.BetweenMessages([&](World& w, int) { witness.Enter(w); });
  const auto act = [&witness](const Action& action, World& w) {
    // Before it acts on what it finds; after that what it found is the user's.
    mock::Perform(action, w).IgnoreError();
    if (action.kind == ActionKind::kType ||
        action.kind == ActionKind::kMoveCaret ||
        action.kind == ActionKind::kSelect) {
      witness.UserActs(w);
    }
  };
  const int listener = world.AddListener(
      [&](const Event& event) { witness.Hears(world, event); });
  bool copied = false;
  server.BetweenMessages([&](World& w, int index) {
    for (const Action& action : script.actions) {
      if (!action.at.has_value() && action.before == index) {
        act(action, w);
      }
    }
    if (trial.clipboard_taken == index) {
      input.TakeClipboard(Taken());
      copied = true;
    }
  });
  for (const mock::HostilitySpec& spec : script.hostilities) {
    absl::StatusOr<std::unique_ptr<mock::Hostility>> made =
        mock::MakeHostility(spec.name, spec.options);
    if (made.ok()) server.Add(*std::move(made));
  }
  server.Add(std::make_unique<Watching>(&witness));
  input.TakeClipboard(Copied());
  if (!mock::Play(script, input).ok()) return verdict;
  input.HoldModifiers(clock.Now() + trial.modifiers_held);
  for (const Action& action : script.actions) {
    if (!action.at.has_value()) continue;
    server.At(clock.Now() + *action.at, [&witness, act, action](World& w) {
      witness.Enter(w);
      act(action, w);
      witness.Leave(w, false);
    });
  }

  Edit edit = trial.edit;
  // What was expected: the truth before anybody acts.
  std::optional<Element> expected_element;
  std::u32string expected_text;
  if (trial.with_token || trial.with_expect) {
    mock::MockServer honest(&world, &clock);
    const absl::StatusOr<Snapshot> then =
        SnapshotFocused(honest, {.max_text = trial.options.max_text});
    if (then.ok() && then->value.ok()) {
      expected_element = then->element;
      expected_text = world.Find(then->element)->text;
      if (trial.with_token) edit.snapshot = *DecodeToken(then->token());
      if (trial.with_expect) {
        edit.expect = *then->value;
        edit.element = then->element;
      }
    }
  }
  witness.Begin(world, Lateness(script));

  EditOptions options = trial.options;
  options.deadline = clock.Now() + trial.time;
  Editor editor(&server, &input);
  verdict.result = editor.Apply(edit, options);
  const EditResult& result = verdict.result;
  verdict.provable = Provable(script);
  verdict.user_in_gap = witness.ChangedInGap(result.element);
  const auto breaks = [&](absl::string_view promise, absl::string_view what) {
    if (verdict.broken.empty()) {
      verdict.broken = absl::StrCat(promise, ": ", what);
    }
  };

  // On any server.
  if (result.elapsed > trial.time + kGiveBack) {
    breaks("deadline", absl::FormatDuration(result.elapsed));
  }
  if (server.TextSentToToldSecure() != 0) breaks("secure", "text");
  std::set<int> keys;  // by the messages' indices
  for (const mock::LoggedInput& entry : input.log()) {
    const bool pressed =
        entry.verb == InputVerb::kPress || entry.verb == InputVerb::kType;
    // Of keys that were cut by the deadline some were sent.
    if (!pressed || !(entry.outcome == absl::StatusCode::kOk ||
                      entry.outcome == absl::StatusCode::kDeadlineExceeded)) {
      continue;
    }
    keys.insert(entry.index);
  }
  int edits = 0;
  for (const auto& [index, sending] : witness.sendings()) {
    if (keys.contains(index) && sending.told_secure) breaks("secure", "a key");
    if (sending.edits) ++edits;
  }
  const bool stolen = Has(script, "clipboard_stolen");
  if (!stolen && input.clipboard() != (copied ? Taken() : Copied())) {
    breaks("clipboard", "it holds something else");
  }
  verdict.overtyped = witness.Overtyped();
  world.RemoveListener(listener);
  if (result.outcome == Outcome::kRefused && (edits > 0 || !keys.empty())) {
    breaks("refused", absl::StrCat(edits, " writes, ", keys.size(), " keys"));
  }
  if (!verdict.provable) return verdict;

  const auto window = [&](const std::u32string& text, absl::string_view of) {
    return Slice(text, result.window_begin,
                 Size(mock::DecodeUtf8(std::string(of))));
  };
  const bool whole = trial.options.max_text > 8;
  if (result.outcome == Outcome::kVerified) {
    const Witness::Sight* read = witness.LastReadOf(result.element);
    // An echo of as many characters as the field holds by then is a perfect
    // one, whoever made it hold as many; and so is one beside which the user
    // types what is missing of the count.
    const int64_t held_size = whole && read != nullptr
                                  ? Size(read->text)
                                  : Size(mock::DecodeUtf8(*result.before));
    const bool same_count =
        held_size == Size(mock::DecodeUtf8(*result.expected));
    // Of a text that came in twice the right prefix reads, for a while, as all
    // there is.
    const bool perfect =
        (Has(script, "write_echo") &&
         (same_count || (read != nullptr && read->torn))) ||
        (Has(script, "write_prefixes") && Has(script, "write_doubles"));
    const auto shown = [&](const std::u32string& text) {
      return whole ? mock::EncodeUtf8(text) : window(text, *result.expected);
    };
    const std::string held =
        read == nullptr ? "(never read)" : shown(read->text);
    const bool sooner =
        read != nullptr && shown(read->at_once) == *result.expected;
    // An element that was replaced when the edit had landed goes on answering
    // with it, whatever the user does to the one in its place.
    bool answers_as_it_was = false;
    if (Has(script, "write_element_swapped")) {
      for (const std::u32string& text : witness.TextsHeldBy(result.element)) {
        answers_as_it_was |= shown(text) == *result.expected;
      }
    }
    if (!perfect && !sooner && !answers_as_it_was && held != *result.expected) {
      breaks("verified", absl::StrCat("expected ", Quote(*result.expected),
                                      ", held ", Quote(held)));
    }
  }
  if (expected_element.has_value()) {
    for (const auto& [index, sending] : witness.sendings()) {
      if (!sending.edits && !keys.contains(index)) continue;
      // The first alone: what comes after it has the first one's effects.
      const bool same = sending.read.has_value() &&
                        sending.read->element == *expected_element &&
                        (whole ? sending.read->text == expected_text
                               : (!trial.with_token ||
                                  sending.read->count == Size(expected_text)) &&
                                     window(sending.read->text,
                                            *result.before) == *result.before);
      if (!same) breaks("stale", "sent over another text");
      break;
    }
  }
  if (verdict.user_in_gap && result.attempts.size() > 1 &&
      result.attempts.front().outcome == Outcome::kFailed) {
    const Witness::Sight* read = witness.LastReadOf(result.element);
    if (read != nullptr && result.before.has_value() &&
        window(read->text, *result.before) != *result.before &&
        result.outcome != Outcome::kVerified) {
      breaks("retried", Quote(*result.before));
    }
  }
  if (verdict.overtyped && (result.outcome == Outcome::kRefused ||
                            result.outcome == Outcome::kFailed)) {
    breaks("overtyped", OutcomeName(result.outcome));
  }
  // What is late comes now.
  world.AdvanceTo(clock.Now() + absl::Seconds(5), clock);
  if (result.outcome == Outcome::kFailed ||
      result.outcome == Outcome::kRefused) {
    // A server that says no of what lands in another field is believed: this
    // one is unchanged.
    std::optional<Key> concerns;
    if (Has(script, "write_other_element")) concerns = KeyOf(result.element);
    if (!witness.AsAlone(world, result, concerns)) {
      breaks("unchanged", OutcomeName(result.outcome));
    }
  }
  const bool doubles = Has(script, "write_doubles") ||
                       Has(script, "paste_twice") ||
                       Has(script, "write_other_element");
  if (!doubles && Markers(world) > 1) {
    breaks("doubled", absl::StrCat(Markers(world), " times"));
  }
  return verdict;
}

std::string Describe(const Trial& trial) {
  constexpr absl::string_view kKinds[] = {"selection", "caret", "range", "text",
                                          "value"};
  return absl::StrCat(
      mock::FormatScript(trial.script),
      "\nedit: ", kKinds[static_cast<int>(trial.edit.kind)], " ",
      trial.edit.range.begin, ":", trial.edit.range.end, " ",
      Quote(trial.edit.old_text), " -> ", Quote(trial.edit.text),
      trial.with_token ? " token" : "", trial.with_expect ? " expect" : "",
      trial.edit.allow_newlines ? " newlines" : "",
      trial.edit.allow_split_characters ? " split" : "",
      trial.options.allow_paste ? " paste" : "",
      trial.options.allow_whole_value ? " whole" : "",
      trial.options.allow_keystrokes ? " keys" : "", " max_text ",
      trial.options.max_text, " within ", absl::FormatDuration(trial.time),
      " held ", absl::FormatDuration(trial.modifiers_held),
      trial.clipboard_taken.has_value()
          ? absl::StrCat(" taken before ", *trial.clipboard_taken)
          : "");
}

}  // namespace tactus::ax
