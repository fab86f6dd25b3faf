#include "ax/mock/script.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

constexpr absl::string_view kExample = R"({
    "latency_ns": {"cold_connection": 900000, "per_flight": 20000,
                   "per_call": 5000, "per_byte": 2},
    "applications": [
      {"id": "app:7", "name": "notes", "pid": 7, "toolkit": "gtk",
       "toolkit_version": "3.24",
       "elements": [
         {"path": "/title", "role": "text-field", "native": "entry",
          "states": ["focused", "supports-text"], "text": "h\u00e9llo",
          "caret": 2, "selection": [1, 3], "other_carets": [0],
          "value_settable": false, "selection_settable": false,
          "children": ["/body"], "window": "/w"},
         {"path": "/body", "subrole": "password", "subrole_native": "secure",
          "code_points": [104, 55357, 0]}]},
      {"id": "app:8", "name": "other", "pid": 8, "elements": []}],
    "windows": [{"application": "app:7", "path": "/w", "title": "t",
                 "active": true},
                {"application": "", "pid": 1}],
    "focused": "app:7",
    "hostilities": [{"name": "slow", "parameter": 30, "application": "app:7",
                     "attribute": "caret", "after": 2, "seed": 9}],
    "input": [{"name": "paste_late", "parameter": 30},
              {"name": "press_fails"}],
    "actions": [{"do": "type", "text": "x", "before": 1},
                {"do": "select", "application": "app:7", "path": "/body",
                 "range": [0, 2], "at_us": 1500},
                {"do": "set_secure", "on": false, "before": 2}]})";

TEST(ParseScriptTest, EveryPartOfTheFormatIsUnderstood) {
  const absl::StatusOr<Script> script = ParseScript(kExample);
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_EQ(script->latency.cold_connection, absl::Microseconds(900));
  EXPECT_EQ(script->latency.per_flight, absl::Microseconds(20));
  EXPECT_EQ(script->latency.per_call, absl::Microseconds(5));
  EXPECT_EQ(script->latency.per_byte, absl::Nanoseconds(2));

  ASSERT_EQ(script->desktop.programs.size(), 2u);
  const Program& notes = script->desktop.programs[0];
  EXPECT_EQ(notes.application,
            (Application{"app:7", "notes", 7, "gtk", "3.24"}));
  EXPECT_EQ(notes.focus, "/title");
  ASSERT_EQ(notes.nodes.size(), 2u);
  const Node& title = notes.nodes[0];
  EXPECT_EQ(title.path, "/title");
  EXPECT_EQ(title.role, (RoleValue{Role::kTextField, "entry"}));
  EXPECT_FALSE(title.subrole.has_value());
  EXPECT_EQ(title.states, kStateFocused | kStateSupportsText);
  EXPECT_EQ(title.text, U"h\u00e9llo");
  EXPECT_EQ(title.caret, 2);
  EXPECT_EQ(title.selection, (Range{1, 3}));
  EXPECT_EQ(title.other_carets, std::vector<int64_t>{0});
  EXPECT_FALSE(title.value_settable);
  EXPECT_FALSE(title.selection_settable);
  EXPECT_EQ(title.children, std::vector<std::string>{"/body"});
  EXPECT_EQ(title.window, "/w");
  const Node& body = notes.nodes[1];
  EXPECT_EQ(body.subrole, (RoleValue{Role::kPassword, "secure"}));
  EXPECT_EQ(body.text, (std::u32string{0x68, 0xD83D, 0}));
  EXPECT_EQ(body.caret, 3);  // the end
  EXPECT_EQ(body.states, TextArea("", "").states);
  EXPECT_TRUE(body.value_settable);

  ASSERT_EQ(script->desktop.panes.size(), 2u);
  EXPECT_EQ(script->desktop.panes[0].window.pid, 7);
  EXPECT_EQ(script->desktop.panes[0].window.title, "t");
  EXPECT_TRUE(script->desktop.panes[0].window.active);
  EXPECT_EQ(script->desktop.panes[0].element, (Element{"app:7", "/w"}));
  EXPECT_EQ(script->desktop.panes[1].window.pid, 1);
  EXPECT_EQ(script->desktop.focused, "app:7");

  ASSERT_EQ(script->hostilities.size(), 1u);
  const HostilitySpec& slow = script->hostilities[0];
  EXPECT_EQ(slow.name, "slow");
  EXPECT_EQ(slow.options.parameter, 30);
  EXPECT_EQ(slow.options.application, "app:7");
  EXPECT_EQ(slow.options.attribute, Attribute::kCaret);
  EXPECT_EQ(slow.options.after, 2);
  EXPECT_EQ(slow.options.seed, 9u);

  EXPECT_EQ(script->input, (std::vector<InputFaultSpec>{{"paste_late", 30},
                                                        {"press_fails", {}}}));

  ASSERT_EQ(script->actions.size(), 3u);
  EXPECT_EQ(script->actions[0].kind, ActionKind::kType);
  EXPECT_EQ(script->actions[0].text, "x");
  EXPECT_EQ(script->actions[0].before, 1);
  EXPECT_EQ(script->actions[1].kind, ActionKind::kSelect);
  EXPECT_EQ(script->actions[1].range, (Range{0, 2}));
  EXPECT_EQ(script->actions[1].path, "/body");
  EXPECT_EQ(script->actions[1].at, absl::Microseconds(1500));
  EXPECT_EQ(script->actions[2].kind, ActionKind::kSetSecure);
  EXPECT_FALSE(script->actions[2].on);
}

TEST(ParseScriptTest, EmptyObjectIsAnEmptyDesktop) {
  const absl::StatusOr<Script> script = ParseScript("{}");
  ASSERT_TRUE(script.ok());
  EXPECT_TRUE(script->desktop.programs.empty());
  EXPECT_EQ(script->latency.per_call, absl::ZeroDuration());
}

TEST(ParseScriptTest, ErrorsNameThePlace) {
  const struct {
    absl::string_view json;
    absl::string_view error;
  } cases[] = {
      {"", "script: not JSON: incomplete JSON"},
      {"[]", "script: must be an object"},
      {R"({"aplications": []})", "script: unknown key \"aplications\""},
      {R"({"applications": 3})", "applications: must be an array"},
      {R"({"applications": [{}, 7]})", "applications[1]: must be an object"},
      {R"({"applications": [{"pid": "7"}]})",
       "applications[0].pid: must be a whole number from 1 to 4194304"},
      {R"({"applications": [{"pid": 0}]})",
       "applications[0].pid: must be a whole number from 1 to 4194304"},
      {R"({"applications": [{"pid": 2.5}]})",
       "applications[0].pid: must be a whole number from 1 to 4194304"},
      {R"({"applications": [{"pid": 99999999999999999999}]})",
       "applications[0].pid: must be a whole number from 1 to 4194304"},
      {R"({"applications": [{"id": "a"}, {"id": "a"}]})",
       "applications[1]: another application has that id"},
      {R"({"applications": [{"id": ""}]})", "applications[0]: needs an id"},
      {R"({"applications": [{"elements": [{}]}]})",
       "applications[0].elements[0]: needs a path"},
      {R"({"applications": [{"elements": [{"path": "a"}, {"path": "a"}]}]})",
       "applications[0].elements[1]: another element has that path"},
      {R"({"applications": [{"elements": [{"path": "a", "role": "x"}]}]})",
       "applications[0].elements[0].role: no role \"x\""},
      {R"({"applications": [{"elements": [{"path": "a", "states": [1]}]}]})",
       "applications[0].elements[0].states[0]: no such state"},
      {R"({"applications": [{"elements": [{"path": "a",
           "code_points": [1114112]}]}]})",
       "applications[0].elements[0].code_points[0]: must be a whole number "
       "from 0 to 1114111"},
      {R"({"applications": [{"elements": [{"path": "a",
           "selection": [1]}]}]})",
       "applications[0].elements[0].selection: must be [begin, end]"},
      {R"({"applications": [{"focus": "/gone"}]})",
       "applications[0]: focus: no such element"},
      {R"({"windows": [{"application": "app:9"}]})",
       "windows[0]: application: no such application"},
      {R"({"windows": [{"application": "", "active": 1}]})",
       "windows[0].active: must be true or false"},
      {R"({"windows": [{"application": "", "title": null}]})",
       "windows[0].title: must be a string"},
      {R"({"focused": "app:9"})", "focused: no such application"},
      {R"({"latency_ns": {"per_call": -1}})",
       "latency_ns.per_call: must be a whole number from 0 to 60000000000"},
      {R"({"hostilities": [{"name": "nice"}]})",
       "hostilities[0]: no hostility \"nice\""},
      {R"({"hostilities": [{"name": "slow", "parameter": -1}]})",
       "hostilities[0]: slow: parameter -1 is not in [0, 60000]"},
      {R"({"hostilities": [{"name": "slow", "attribute": "x"}]})",
       "hostilities[0]: attribute: no such attribute"},
      {R"({"input": [{"name": "nice"}]})", "input[0]: no input fault \"nice\""},
      {R"({"input": [{"name": "paste_late", "parameter": -1}]})",
       "input[0]: paste_late: parameter -1 is not in [0, 60000]"},
      {R"({"input": [{"after": 1}]})", "input[0]: no input fault \"\""},
      {R"({"actions": [{"do": "dance"}]})",
       "actions[0]: do: no action \"dance\""},
      {R"({"actions": [{"do": "quit", "before": 1, "at_us": 2}]})",
       "actions[0]: has both before and at_us"},
      {R"({"actions": [{"do": "quit", "when": 1}]})",
       "actions[0]: unknown key \"when\""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ParseScript(c.json).status(), absl::InvalidArgumentError(c.error))
        << c.json;
  }
}

TEST(ParseScriptTest, TooMuchIsRefused) {
  EXPECT_EQ(ParseScript(std::string(kMostScriptBytes + 1, ' ')).status(),
            absl::InvalidArgumentError(
                "script: must not be longer than 1048576 bytes"));
  std::string actions;
  for (size_t i = 0; i <= kMostActions; ++i) {
    absl::StrAppend(&actions, i == 0 ? "" : ",", R"({"do": "quit"})");
  }
  EXPECT_EQ(
      ParseScript(absl::StrCat("{\"actions\": [", actions, "]}")).status(),
      absl::InvalidArgumentError(
          "actions: must not have more than 1024 entries"));
  EXPECT_EQ(ParseScript(std::string(100'000, '[')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ParseScriptTest, NothingThatIsCutShortOrChangedInOneByteCrashes) {
  const std::string whole(kExample);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseScript(whole.substr(0, length)).ok());
  }
  int accepted = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const char byte : {'\0', '"', '9', '{'}) {
      std::string changed = whole;
      changed[i] = byte;
      const absl::StatusOr<Script> script = ParseScript(changed);
      if (!script.ok()) {
        EXPECT_EQ(script.status().code(), absl::StatusCode::kInvalidArgument);
      } else {
        ++accepted;
      }
    }
  }
  EXPECT_GT(accepted, 100);
}

void ExpectSame(const Script& a, const Script& b) {
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.desktop.programs, b.desktop.programs);
  EXPECT_EQ(a.desktop.focused, b.desktop.focused);
  ASSERT_EQ(a.desktop.panes.size(), b.desktop.panes.size());
  for (size_t i = 0; i < a.desktop.panes.size(); ++i) {
    const Pane& x = a.desktop.panes[i];
    const Pane& y = b.desktop.panes[i];
    EXPECT_EQ(x.element, y.element);
    EXPECT_EQ(x.window.pid, y.window.pid);
    EXPECT_EQ(x.window.title, y.window.title);
    EXPECT_EQ(x.window.active, y.window.active);
  }
  EXPECT_EQ(a.hostilities, b.hostilities);
  EXPECT_EQ(a.input, b.input);
  EXPECT_EQ(a.actions, b.actions);
}

TEST(FormatScriptTest, ParsesToTheSameScript) {
  const absl::StatusOr<Script> script = ParseScript(kExample);
  ASSERT_TRUE(script.ok());
  const absl::StatusOr<Script> again = ParseScript(FormatScript(*script));
  ASSERT_TRUE(again.ok()) << again.status();
  ExpectSame(*again, *script);
}

// Bytes from a seed, by the same generator on every machine.
std::vector<uint8_t> Bytes(uint32_t seed, size_t size) {
  std::vector<uint8_t> bytes;
  uint32_t state = seed * 2654435761u + 1;
  while (bytes.size() < size) {
    state = state * 1664525u + 1013904223u;
    bytes.push_back(static_cast<uint8_t>(state >> 24));
  }
  return bytes;
}

TEST(FromBytesTest, AnyBytesMakeAScriptThatCanBeWrittenAndRead) {
  for (uint32_t seed = 0; seed < 500; ++seed) {
    const Script script = FromBytes(Bytes(seed, seed % 500));
    const std::string text = FormatScript(script);
    const absl::StatusOr<Script> again = ParseScript(text);
    ASSERT_TRUE(again.ok()) << seed << ": " << again.status() << text;
    ExpectSame(*again, script);
    ASSERT_FALSE(testing::Test::HasFailure()) << seed;
  }
}

TEST(FromBytesTest, SameBytesMakeTheSameScript) {
  const std::vector<uint8_t> bytes = Bytes(5, 300);
  EXPECT_EQ(FormatScript(FromBytes(bytes)), FormatScript(FromBytes(bytes)));
}

TEST(FromBytesTest, NoBytesMakeAnEmptyDesktop) {
  EXPECT_TRUE(FromBytes({}).desktop.programs.empty());
}

TEST(FromBytesTest, EveryHostilityAndEveryActionOccursWithinItsBounds) {
  std::vector<int> hostilities(AllHostilities().size());
  std::vector<int> faults(AllInputFaults().size());
  std::vector<int> actions(static_cast<size_t>(ActionKind::kReusePid) + 1);
  int secure = 0;
  int focused = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    const Script script = FromBytes(Bytes(seed, 400));
    for (const HostilitySpec& spec : script.hostilities) {
      const HostilityKind* kind = FindHostility(spec.name);
      ASSERT_NE(kind, nullptr);
      ++hostilities[static_cast<size_t>(kind - AllHostilities().data())];
      ASSERT_TRUE(MakeHostility(spec.name, spec.options).ok()) << spec.name;
      if (kind->grows) {
        ASSERT_LE(*spec.options.parameter, 256) << spec.name;
      }
    }
    for (const InputFaultSpec& spec : script.input) {
      ASSERT_TRUE(ParameterOf(spec).ok()) << spec.name;
      ++faults[static_cast<size_t>(FindInputFault(spec.name)->fault)];
    }
    for (const Action& action : script.actions) {
      ++actions[static_cast<size_t>(action.kind)];
    }
    const World world(script.desktop);
    const std::optional<Element> element = world.Focused();
    focused += element.has_value();
    secure += element.has_value() && world.IsSecure(*element);
  }
  for (size_t i = 0; i < hostilities.size(); ++i) {
    EXPECT_GT(hostilities[i], 0) << AllHostilities()[i].name;
  }
  for (size_t i = 0; i < faults.size(); ++i) EXPECT_GT(faults[i], 0) << i;
  for (size_t i = 0; i < actions.size(); ++i) EXPECT_GT(actions[i], 0) << i;
  EXPECT_GT(focused, 150);
  EXPECT_GT(secure, 15);
}

TEST(PlayTest, ActionsHappenBeforeTheirMessageAndAtTheirTime) {
  const absl::StatusOr<Script> script = ParseScript(R"({
      "applications": [{"id": "app:7", "elements": [
          {"path": "/t", "text": "hello"}]}],
      "focused": "app:7",
      "actions": [{"do": "type", "text": "x", "before": 1},
                  {"do": "rename", "text": "late", "at_us": 700},
                  {"do": "focus", "path": "/gone", "before": 0}]})");
  ASSERT_TRUE(script.ok()) << script.status();
  World world(script->desktop);
  SimulatedClock clock;
  MockServer server(&world, &clock, script->latency);
  ASSERT_TRUE(Play(*script, server).ok());
  const Element field = {"app:7", "/t"};
  const absl::Time deadline = clock.Now() + absl::Seconds(1);
  const auto text = [&] {
    return *Get<std::string>(
        server.Read({field, Attribute::kText, {0, 99}}, deadline));
  };
  EXPECT_EQ(text(), "hello");
  EXPECT_EQ(text(), "hellox");
  EXPECT_EQ(text(), "hellox");
  clock.Advance(absl::Microseconds(699));
  EXPECT_EQ(server.FocusedApplication(deadline)->name, "application");
  clock.Advance(absl::Microseconds(1));
  EXPECT_EQ(server.FocusedApplication(deadline)->name, "late");
}

TEST(PlayTest, HostilitiesAreAddedAllOrNone) {
  World world(EditorDesktop("hello"));
  SimulatedClock clock;
  MockServer server(&world, &clock);
  Script script;
  script.hostilities = {{"secure_role", {}}, {"no_such_thing", {}}};
  EXPECT_EQ(Play(script, server).code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(world.IsSecure({"app:100", "/text"}));
  script.hostilities.pop_back();
  EXPECT_TRUE(Play(script, server).ok());
  EXPECT_TRUE(world.IsSecure({"app:100", "/text"}));
}

TEST(PlayTest, InputHasTheFaultsOfTheScript) {
  World world(EditorDesktop("hello"));
  SimulatedClock clock;
  MockInput input(&world, &clock);
  Script script;
  script.input = {{"press_fails", {}}};
  ASSERT_TRUE(Play(script, input).ok());
  EXPECT_EQ(input.Press(PasteKeys::kCtrlV, clock.Now()).code(),
            absl::StatusCode::kFailedPrecondition);
  script.input = {{"no_such_thing", {}}};
  EXPECT_EQ(Play(script, input).code(), absl::StatusCode::kNotFound);
}

TEST(PerformTest, EveryActionDoesWhatItsNameSays) {
  const auto after = [](Action action) {
    auto world = std::make_unique<World>(EditorDesktop("hello"));
    EXPECT_TRUE(Perform(action, *world).ok());
    return world;
  };
  const Element field = {"app:100", "/text"};
  const auto text = [&](const World& world) {
    return EncodeUtf8(world.Find(field)->text);
  };
  Action action;
  action.text = "abc";
  action.range = {1, 3};
  const auto with = [&](ActionKind kind) {
    action.kind = kind;
    return after(action);
  };
  EXPECT_EQ(text(*with(ActionKind::kType)), "helloabc");
  EXPECT_EQ(with(ActionKind::kMoveCaret)->Find(field)->caret, 1);
  EXPECT_EQ(with(ActionKind::kSelect)->Find(field)->selection, (Range{1, 3}));
  EXPECT_EQ(text(*with(ActionKind::kSetText)), "abc");
  EXPECT_EQ(with(ActionKind::kFocus)->Focused(), field);
  EXPECT_EQ(with(ActionKind::kActivate)->desktop().focused, "app:100");
  EXPECT_TRUE(with(ActionKind::kSetSecure)->IsSecure(field));
  EXPECT_EQ(with(ActionKind::kReplace)->Find(field), nullptr);
  EXPECT_EQ(with(ActionKind::kRemove)->Focused(), std::nullopt);
  EXPECT_EQ(with(ActionKind::kRename)->FindProcess(100)->application.name,
            "abc");
  EXPECT_EQ(with(ActionKind::kQuit)->FindProcess(100), nullptr);
  EXPECT_EQ(with(ActionKind::kRestart)->FindProgram("app:100"), nullptr);
  EXPECT_EQ(with(ActionKind::kReusePid)->FindProcess(100)->application.name,
            "stranger");
}

}  // namespace
}  // namespace tactus::ax::mock
