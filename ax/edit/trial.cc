#include "ax/edit/trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/plan.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

using mock::Action;
using mock::ActionKind;

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

// What is typed and written is read so much later than it is done.
constexpr char kShowsLate[] = "shows_late";

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

int64_t Size(const std::u32string& text) {
  return static_cast<int64_t>(text.size());
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

bool Has(const mock::Script& script, absl::string_view name) {
  return std::any_of(
             script.hostilities.begin(), script.hostilities.end(),
             [&](const mock::HostilitySpec& h) { return h.name == name; }) ||
         std::any_of(
             script.input.begin(), script.input.end(),
             [&](const mock::InputFaultSpec& f) { return f.name == name; });
}

absl::Duration ShownLate(const mock::Script& script) {
  for (const mock::HostilitySpec& spec : script.hostilities) {
    if (spec.name != kShowsLate) continue;
    return absl::Milliseconds(spec.options.parameter.value_or(
        mock::FindHostility(kShowsLate)->default_parameter));
  }
  return absl::ZeroDuration();
}

bool Provable(const mock::Script& script) {
  // Each of two would show what the other has not seen yet.
  if (ShownLate(script) + WritesLate(script) > absl::Milliseconds(kLatest) ||
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
    edit.old_text = mock::EncodeUtf8(
        text.substr(static_cast<size_t>(begin),
                    static_cast<size_t>(std::max<int64_t>(size, 1))));
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
