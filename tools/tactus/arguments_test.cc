#include "tools/tactus/arguments.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "ax/edit/stream.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

std::variant<Arguments, Ending> Parse(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"tactus"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return ParseArguments(static_cast<int>(argv.size()), argv.data());
}

Arguments Accepted(const std::vector<std::string>& words) {
  const auto parsed = Parse(words);
  if (const auto* arguments = std::get_if<Arguments>(&parsed)) {
    return *arguments;
  }
  ADD_FAILURE() << std::get<Ending>(parsed).error;
  return {};
}

// What is said on standard error of a command line that must be wrong.
std::string Refused(const std::vector<std::string>& words) {
  const auto parsed = Parse(words);
  const auto* ending = std::get_if<Ending>(&parsed);
  if (ending == nullptr) {
    ADD_FAILURE() << "accepted";
    return "";
  }
  EXPECT_EQ(ending->code, ExitCode::kUsage);
  EXPECT_EQ(ending->out, "");
  return ending->error;
}

TEST(ArgumentsTest, SnapshotHasItsDefaults) {
  const Arguments arguments = Accepted({"snapshot"});
  EXPECT_EQ(arguments.command, Arguments::Command::kSnapshot);
  EXPECT_FALSE(arguments.json);
  EXPECT_EQ(arguments.wait, absl::ZeroDuration());
  EXPECT_EQ(arguments.deadline, absl::Milliseconds(500));
  EXPECT_EQ(arguments.max_text, 65536);
  EXPECT_EQ(arguments.context, 1000);
}

TEST(ArgumentsTest, SnapshotTakesItsOptions) {
  const Arguments arguments =
      Accepted({"snapshot", "--json", "--in", "3s", "--deadline=1.5s",
                "--max-text", "1", "--context", "0"});
  EXPECT_TRUE(arguments.json);
  EXPECT_EQ(arguments.wait, absl::Seconds(3));
  EXPECT_EQ(arguments.deadline, absl::Milliseconds(1500));
  EXPECT_EQ(arguments.max_text, 1);
  EXPECT_EQ(arguments.context, 0);
}

TEST(ArgumentsTest, DaemonIsUsedUnlessItIsToBeDoneWithout) {
  for (const char* command :
       {"snapshot", "watch", "replace", "insert", "set", "undo", "stream"}) {
    EXPECT_TRUE(Accepted({command}).daemon) << command;
    EXPECT_FALSE(Accepted({command, "--no-daemon"}).daemon) << command;
  }
  for (const char* command : {"try", "apps", "doctor", "status", "pause"}) {
    EXPECT_NE(Refused({command, "--no-daemon"}), "") << command;
  }
}

TEST(ArgumentsTest, CommandsOfTheDaemonAreKnown) {
  EXPECT_EQ(Accepted({"status"}).command, Arguments::Command::kStatus);
  EXPECT_TRUE(Accepted({"status", "--json"}).json);
  EXPECT_EQ(Accepted({"pause"}).command, Arguments::Command::kPause);
  EXPECT_EQ(Accepted({"resume"}).command, Arguments::Command::kResume);
  EXPECT_NE(Refused({"pause", "--json"}), "");
}

TEST(ArgumentsTest, PairShowsACodeOrTakesOne) {
  Arguments shows = Accepted({"pair"});
  EXPECT_EQ(shows.command, Arguments::Command::kPair);
  EXPECT_EQ(shows.peer.code, "");
  EXPECT_EQ(shows.peer.wait, absl::Minutes(5));
  shows = Accepted({"pair", "--for", "30s", "--name", "laptop", "--json"});
  EXPECT_EQ(shows.peer.wait, absl::Seconds(30));
  EXPECT_EQ(shows.peer.name, "laptop");
  EXPECT_TRUE(shows.json);

  Arguments takes = Accepted({"pair", "417-maple-otter", "--at", "[::1]:7411"});
  EXPECT_EQ(takes.peer.code, "417-maple-otter");
  EXPECT_EQ(takes.peer.at, "[::1]:7411");
  EXPECT_EQ(takes.deadline, absl::Seconds(20));
  takes = Accepted({"pair", "417", "maple", "otter", "--deadline", "5s"});
  EXPECT_EQ(takes.peer.code, "417 maple otter");
  EXPECT_EQ(takes.deadline, absl::Seconds(5));

  EXPECT_NE(Refused({"pair", "--at", "[::1]:7411"}), "");
  EXPECT_NE(Refused({"pair", "417-maple-otter", "--for", "30s"}), "");
  EXPECT_NE(Refused({"pair", "--for", "16m"}), "");
  EXPECT_NE(Refused({"pair", "417-maple-otter", "--deadline", "2m"}), "");
}

TEST(ArgumentsTest, ForgetAndApproveNeedWhomAndWhat) {
  const Arguments forget = Accepted({"forget", "laptop"});
  EXPECT_EQ(forget.command, Arguments::Command::kForget);
  EXPECT_EQ(forget.peer.peer, "laptop");
  EXPECT_NE(Refused({"forget"}), "");

  Arguments approve = Accepted({"approve", "7"});
  EXPECT_EQ(approve.command, Arguments::Command::kApprove);
  EXPECT_EQ(approve.peer.question, 7);
  EXPECT_FALSE(approve.peer.refuse);
  approve = Accepted({"approve", "8", "--refuse"});
  EXPECT_EQ(approve.peer.question, 8);
  EXPECT_TRUE(approve.peer.refuse);
  for (const char* wrong : {"0", "-1", "seven"}) {
    EXPECT_NE(Refused({"approve", wrong}), "") << wrong;
  }
  EXPECT_NE(Refused({"approve"}), "");
}

TEST(ArgumentsTest, WatchTakesItsOptionsAndHasNoEndByDefault) {
  const Arguments arguments =
      Accepted({"watch", "--text", "--for", "10s", "--count", "2"});
  EXPECT_EQ(arguments.command, Arguments::Command::kWatch);
  EXPECT_TRUE(arguments.text);
  EXPECT_EQ(arguments.run_for, absl::Seconds(10));
  EXPECT_EQ(arguments.count, 2);
  EXPECT_EQ(Accepted({"watch"}).run_for, absl::InfiniteDuration());
  EXPECT_EQ(Accepted({"watch", "--json"}).count, 0);
}

TEST(ArgumentsTest, DoctorAndAppsAreCommands) {
  EXPECT_EQ(Accepted({"apps", "--json"}).command, Arguments::Command::kApps);
  EXPECT_EQ(Accepted({"doctor"}).command, Arguments::Command::kDoctor);
  EXPECT_EQ(
      Accepted({"doctor", "--launcher-override", "chromium"}).launcher_override,
      "chromium");
}

TEST(ArgumentsTest, EditingHasItsDefaults) {
  const std::pair<const char*, Arguments::Command> commands[] = {
      {"replace", Arguments::Command::kReplace},
      {"insert", Arguments::Command::kInsert},
      {"set", Arguments::Command::kSet},
      {"undo", Arguments::Command::kUndo},
      {"stream", Arguments::Command::kStream}};
  for (const auto& [name, command] : commands) {
    const Arguments arguments = Accepted({name});
    EXPECT_EQ(arguments.command, command) << name;
    EXPECT_FALSE(arguments.json);
    EXPECT_EQ(arguments.wait, absl::ZeroDuration());
    EXPECT_EQ(arguments.deadline, absl::Seconds(5));
    EXPECT_EQ(arguments.max_text, 65536);
    const EditArguments& edit = arguments.edit;
    EXPECT_EQ(edit.text, std::nullopt);
    EXPECT_EQ(edit.range, std::nullopt);
    EXPECT_EQ(edit.old_text, std::nullopt);
    EXPECT_EQ(edit.snapshot, std::nullopt);
    EXPECT_EQ(edit.expect, std::nullopt);
    EXPECT_FALSE(edit.newlines);
    EXPECT_FALSE(edit.split_characters);
    EXPECT_TRUE(edit.paste);
    EXPECT_FALSE(edit.whole_value);
    EXPECT_FALSE(edit.keystrokes);
    EXPECT_EQ(edit.when_moved, ax::WhenMoved::kHold);
    EXPECT_EQ(edit.hold_for, absl::Seconds(30));
  }
}

TEST(ArgumentsTest, EditingTakesTheOptionsOfAll) {
  for (const char* command : {"replace", "insert", "set", "undo", "stream"}) {
    const Arguments arguments = Accepted(
        {command, "--json", "--in", "3s", "--deadline", "2s", "--max-text", "9",
         "--no-paste", "--whole-value", "--keystrokes"});
    EXPECT_TRUE(arguments.json) << command;
    EXPECT_EQ(arguments.wait, absl::Seconds(3));
    EXPECT_EQ(arguments.deadline, absl::Seconds(2));
    EXPECT_EQ(arguments.max_text, 9);
    EXPECT_FALSE(arguments.edit.paste);
    EXPECT_TRUE(arguments.edit.whole_value);
    EXPECT_TRUE(arguments.edit.keystrokes);
  }
}

TEST(ArgumentsTest, EditingTakesWhatIsCheckedAndAllowed) {
  ax::SnapshotToken token;
  token.application = ":1.7";
  token.caret = 4;
  for (const char* command : {"replace", "insert", "set"}) {
    const EditArguments by_token =
        Accepted({command, "--snapshot", ax::EncodeToken(token), "--newlines",
                  "--split-characters", "--text", "שלום"})
            .edit;
    EXPECT_EQ(by_token.snapshot, token) << command;
    EXPECT_TRUE(by_token.newlines);
    EXPECT_TRUE(by_token.split_characters);
    EXPECT_EQ(by_token.text, "שלום");
    EXPECT_EQ(Accepted({command, "--expect", "old", "new"}).edit.expect, "old");
  }
  const EditArguments by_range =
      Accepted({"replace", "--range", "1:3", "new"}).edit;
  EXPECT_EQ(by_range.range, (ax::Range{1, 3}));
  EXPECT_EQ(by_range.text, "new");
  EXPECT_EQ(Accepted({"replace", "--range", "4:4"}).edit.range,
            (ax::Range{4, 4}));
  EXPECT_EQ(Accepted({"replace", "--old", "teh", "the"}).edit.old_text, "teh");
}

// An empty value that was taken for none would drop a check, or wait for
// standard input.
TEST(ArgumentsTest, EmptyTextIsATextAndAnEmptyCheckIsACheck) {
  EXPECT_EQ(Accepted({"replace", "--text", ""}).edit.text, "");
  EXPECT_EQ(Accepted({"replace", "--text="}).edit.text, "");
  EXPECT_EQ(Accepted({"insert", ""}).edit.text, "");
  EXPECT_EQ(Accepted({"set", "--expect", "", "a"}).edit.expect, "");
  EXPECT_EQ(Accepted({"set", "--expect=", "a"}).edit.expect, "");
  EXPECT_EQ(Accepted({"set", "--expect=", "a"}).edit.text, "a");
  EXPECT_EQ(Accepted({"insert", "--", "--text="}).edit.text, "--text=");
  EXPECT_EQ(Accepted({"replace", "--old", "", "a"}).edit.old_text, "");
  Refused({"set", "--snapshot", "", "a"});
  Refused({"set", "--snapshot=", "a"});
  Refused({"replace", "--range", "", "a"});
  Refused({"stream", "--hold-for", ""});
}

TEST(ArgumentsTest, TextIsTakenAsItIs) {
  for (const char* text : {"undo", "[a,b]", "{}", "%%", "'a'", R"("a")", "a,b",
                           "a=b", " ", "\n", R"(\n)", "true", "-", "\xFF"}) {
    EXPECT_EQ(Accepted({"insert", text}).edit.text, text);
    EXPECT_EQ(Accepted({"insert", "--text", text}).edit.text, text);
    EXPECT_EQ(Accepted({"set", "--expect", text, "a"}).edit.expect, text);
  }
  EXPECT_EQ(Accepted({"insert", "--text=--json"}).edit.text, "--json");
  EXPECT_EQ(Accepted({"insert", "--", "--json"}).edit.text, "--json");
  EXPECT_FALSE(Accepted({"insert", "--", "--json"}).json);
}

TEST(ArgumentsTest, SecondTextIsRefused) {
  const std::string error = Refused({"insert", "two", "words"});
  EXPECT_TRUE(absl::StrContains(error, "words")) << error;
  Refused({"insert", "--text", "two", "words"});
  Refused({"undo", "text"});
  Refused({"stream", "text"});
}

TEST(ArgumentsTest, WhatIsNoRangeIsNamedWithTheRemedy) {
  for (const char* range : {"", "1", ":", "1:", ":3", "1:2:3", "3:1", "a:b",
                            "1-3", "0x1:3", "99999999999999999999:3"}) {
    EXPECT_EQ(Refused({"replace", absl::StrCat("--range=", range), "a"}),
              absl::StrCat("tactus: --range '", range,
                           "' is no range: write BEGIN:END in code points, as "
                           "in 1:3\nRun `tactus --help` or `tactus COMMAND "
                           "--help`.\n"));
  }
  const std::string error = Refused({"replace", "--range=-1:3", "a"});
  EXPECT_TRUE(absl::StrContains(error, "--range '-1:3' is no range")) << error;
}

TEST(ArgumentsTest, WhatIsNoTokenIsNamedWithTheRemedy) {
  for (const char* token : {"", "t1.", "nonsense", "t9.abc"}) {
    const std::string error =
        Refused({"replace", absl::StrCat("--snapshot=", token), "a"});
    EXPECT_TRUE(absl::StartsWith(error, "tactus: --snapshot: ")) << error;
    EXPECT_TRUE(absl::StrContains(
        error, ": give the token that `tactus snapshot` printed\n"))
        << error;
  }
}

TEST(ArgumentsTest, TwoOptionsThatSayTheSameAreNamedBoth) {
  const std::string what =
      Refused({"replace", "--range", "1:3", "--old", "b", "a"});
  EXPECT_TRUE(absl::StrContains(what, "--range")) << what;
  EXPECT_TRUE(absl::StrContains(what, "--old")) << what;
  const std::string check =
      Refused({"replace", "--snapshot", ax::EncodeToken({}), "--expect", "b"});
  EXPECT_TRUE(absl::StrContains(check, "--snapshot")) << check;
  EXPECT_TRUE(absl::StrContains(check, "--expect")) << check;
}

TEST(ArgumentsTest, RangeAndOldTextAreOfReplaceAlone) {
  for (const char* command : {"insert", "set", "undo", "stream"}) {
    Refused({command, "--range", "1:3"});
    Refused({command, "--old", "a"});
  }
  for (const char* command : {"undo", "stream"}) {
    Refused({command, "--text", "a"});
    Refused({command, "--expect", "a"});
    Refused({command, "--snapshot", ax::EncodeToken({})});
    Refused({command, "--split-characters"});
  }
  Refused({"undo", "--newlines"});
  Refused({"replace", "--when-moved", "hold"});
  Refused({"replace", "--hold-for", "1s"});
}

TEST(ArgumentsTest, StreamTakesItsOptions) {
  EXPECT_EQ(Accepted({"stream", "--when-moved", "hold"}).edit.when_moved,
            ax::WhenMoved::kHold);
  EXPECT_EQ(Accepted({"stream", "--when-moved", "refuse"}).edit.when_moved,
            ax::WhenMoved::kRefuse);
  EXPECT_EQ(Accepted({"stream", "--when-moved=follow"}).edit.when_moved,
            ax::WhenMoved::kFollow);
  EXPECT_EQ(Accepted({"stream", "--hold-for", "0s"}).edit.hold_for,
            absl::ZeroDuration());
  EXPECT_EQ(Accepted({"stream", "--hold-for", "1m"}).edit.hold_for,
            absl::Minutes(1));
  EXPECT_TRUE(Accepted({"stream", "--newlines"}).edit.newlines);
}

TEST(ArgumentsTest, WhatIsNoPolicyIsNamedWithThoseThatAre) {
  for (const char* word : {"nonsense", "", "0"}) {
    EXPECT_EQ(Refused({"stream", absl::StrCat("--when-moved=", word)}),
              absl::StrCat("tactus: --when-moved '", word,
                           "' is not known: give hold, refuse or follow\n"
                           "Run `tactus --help` or `tactus COMMAND "
                           "--help`.\n"));
  }
}

TEST(ArgumentsTest, HoldForOutOfRangeIsNamedWithTheRange) {
  for (const char* value : {"-1s", "inf", "2h"}) {
    const std::string error =
        Refused({"stream", absl::StrCat("--hold-for=", value)});
    EXPECT_TRUE(absl::StrContains(
        error,
        absl::StrCat("--hold-for '", value, "' is out of range: give 0 to 1h")))
        << error;
  }
  EXPECT_TRUE(absl::StrContains(Refused({"stream", "--hold-for", "3"}),
                                "--hold-for '3' is no duration"));
}

TEST(ArgumentsTest, DeadlineOfAnEditOutOfRangeIsNamedWithTheRange) {
  for (const char* command : {"replace", "insert", "set", "undo", "stream"}) {
    for (const char* value : {"0s", "-1s", "inf", "2h"}) {
      const std::string error =
          Refused({command, absl::StrCat("--deadline=", value)});
      EXPECT_TRUE(absl::StrContains(
          error, absl::StrCat("--deadline '", value,
                              "' is out of range: give 1ms to 1h")))
          << error;
    }
    Refused({command, "--deadline", "5"});
    Refused({command, "--max-text", "0"});
    Refused({command, "--in", "x"});
  }
}

TEST(ArgumentsTest, DurationWithoutAUnitIsNamedWithTheRemedy) {
  const std::string error = Refused({"snapshot", "--in", "3"});
  EXPECT_TRUE(absl::StrContains(error, "--in '3'")) << error;
  EXPECT_TRUE(absl::StrContains(error, "as in 500ms, 3s")) << error;
}

TEST(ArgumentsTest, DurationOutOfRangeIsNamedWithTheRange) {
  for (const char* value : {"0s", "-1s", "inf", "2h"}) {
    const std::string error =
        Refused({"snapshot", absl::StrCat("--deadline=", value)});
    EXPECT_TRUE(absl::StrContains(error, value)) << error;
    EXPECT_TRUE(absl::StrContains(error, "give 1ms to 1h")) << error;
  }
}

TEST(ArgumentsTest, NumberOutOfRangeIsNamedWithTheRange) {
  const std::string error = Refused({"snapshot", "--max-text", "0"});
  EXPECT_TRUE(absl::StrContains(error, "--max-text '0'")) << error;
  EXPECT_TRUE(absl::StrContains(error, "give 1 to 67108864")) << error;
  Refused({"snapshot", "--max-text", "x"});
  Refused({"snapshot", "--context=-1"});
  Refused({"watch", "--count", "0"});
}

TEST(ArgumentsTest, WhatIsNoCommandIsNamed) {
  const std::string error = Refused({"snap\x1b[2Jshot"});
  EXPECT_TRUE(absl::StrContains(error, "'snap\\x1b[2Jshot'")) << error;
  Refused({});
  Refused({"snapshot", "apps"});
  Refused({"snapshot", "--text"});
  Refused({"--json"});
}

TEST(ArgumentsTest, LauncherIsANameAndNotAPath) {
  Refused({"doctor", "--launcher-override", "../chromium"});
  Refused({"doctor", "--launcher-override", ""});
  Refused({"doctor", "--json", "--launcher-override", "chromium"});
}

TEST(ArgumentsTest, HelpHoldsEachExitCodeAndItsMeaning) {
  const Ending ending = std::get<Ending>(Parse({"--help"}));
  EXPECT_EQ(ending.code, ExitCode::kDone);
  EXPECT_EQ(ending.error, "");
  for (const ExitCodeMeaning& entry : kExitCodes) {
    EXPECT_TRUE(absl::StrContains(
        ending.out, absl::StrCat("  ", static_cast<int>(entry.code), "  ",
                                 entry.meaning, "\n")));
  }
}

TEST(ArgumentsTest, EachExampleOfTheHelpIsAccepted) {
  const Ending ending = std::get<Ending>(Parse({"--help"}));
  int examples = 0;
  for (absl::string_view example : absl::StrSplit(ending.out, '\n')) {
    if (!absl::ConsumePrefix(&example, "  tactus ")) continue;
    // A comment stands two or more spaces after the example.
    example = example.substr(0, example.find("  "));
    Accepted(absl::StrSplit(example, ' '));
    ++examples;
  }
  EXPECT_EQ(examples, 23);
}

TEST(ArgumentsTest, McpServesWithOrWithoutADaemon) {
  EXPECT_EQ(Accepted({"mcp", "serve"}).command, Arguments::Command::kMcpServe);
  EXPECT_TRUE(Accepted({"mcp", "serve"}).daemon);
  EXPECT_FALSE(Accepted({"mcp", "serve", "--no-daemon"}).daemon);
  EXPECT_EQ(std::get<Ending>(Parse({"mcp"})).code, ExitCode::kUsage);
  EXPECT_EQ(std::get<Ending>(Parse({"mcp", "connect"})).code, ExitCode::kUsage);
}

TEST(ArgumentsTest, ServerIsExposedByItsNameItsCommandAndWhoMayStartIt) {
  Arguments all = Accepted({"expose", "notes", "--to", "laptop", "--", "a",
                            "--to", "--", "-x", "send", ""});
  EXPECT_EQ(all.command, Arguments::Command::kExpose);
  EXPECT_EQ(all.mcp.server, "notes");
  EXPECT_EQ(all.mcp.peer, "laptop");
  EXPECT_EQ(all.mcp.command,
            (std::vector<std::string>{"a", "--to", "--", "-x", "send", ""}));
  EXPECT_TRUE(all.mcp.ask);
  EXPECT_FALSE(all.mcp.focused_text);
  all = Accepted({"expose", "notes", "--to", "laptop", "--allow"});
  EXPECT_FALSE(all.mcp.ask);
  EXPECT_TRUE(all.mcp.command.empty());
  EXPECT_TRUE(Accepted({"expose", "n", "--to", "p", "--ask"}).mcp.ask);
  // Kept, and exposed to nobody.
  EXPECT_EQ(Accepted({"expose", "notes", "--", "a"}).mcp.peer, "");
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{
           {"expose"},
           {"expose", "--to", "laptop"},
           {"expose", "notes"},
           {"expose", "notes", "--"},
           {"expose", "notes", "a", "--to", "laptop"},
           {"expose", "--to", "laptop", "--", "a"},
           {"expose", "n", "--to", "p", "--ask", "--allow"},
           {"expose", "n", "--to", "p", "--write", "--", "a"},
           {"expose", "n", "--to", "p", "--read", "--", "a"}}) {
    EXPECT_NE(Refused(wrong), "") << absl::StrJoin(wrong, " ");
  }
}

TEST(ArgumentsTest, FocusedTextIsExposedForReadingUnlessWritingIsSaid) {
  Arguments all = Accepted({"expose", "--focused-text", "--to", "laptop"});
  EXPECT_TRUE(all.mcp.focused_text);
  EXPECT_EQ(all.mcp.server, "focused-text");
  EXPECT_FALSE(all.mcp.write);
  EXPECT_TRUE(all.mcp.ask);
  EXPECT_FALSE(
      Accepted({"expose", "--focused-text", "--to", "p", "--read"}).mcp.write);
  all = Accepted(
      {"expose", "mine", "--focused-text", "--to", "p", "--write", "--allow"});
  EXPECT_EQ(all.mcp.server, "mine");
  EXPECT_TRUE(all.mcp.write);
  EXPECT_FALSE(all.mcp.ask);
  Refused({"expose", "--focused-text", "--to", "p", "--read", "--write"});
  Refused({"expose", "--focused-text", "--to", "p", "--", "a"});
}

TEST(ArgumentsTest, ExposedIsListedAndTakenBack) {
  EXPECT_EQ(Accepted({"exposed"}).command, Arguments::Command::kExposed);
  EXPECT_TRUE(Accepted({"exposed", "--json"}).json);
  EXPECT_EQ(Accepted({"unexpose", "notes"}).mcp.server, "notes");
  EXPECT_EQ(Accepted({"unexpose", "notes", "--to", "laptop"}).mcp.peer,
            "laptop");
  Refused({"unexpose"});
  Refused({"exposed", "notes"});
  EXPECT_EQ(Accepted({"audit"}).command, Arguments::Command::kAudit);
}

TEST(ArgumentsTest, AgentConnectsToAPeerAndAServer) {
  for (const char* command : {"connect", "config"}) {
    const Arguments all = Accepted({"mcp", command, "desk/notes"});
    EXPECT_EQ(all.mcp.peer, "desk");
    EXPECT_EQ(all.mcp.server, "notes");
    EXPECT_FALSE(all.mcp.errors);
    for (const char* wrong : {"desk", "/notes", "desk/", "", "/"}) {
      EXPECT_NE(Refused({"mcp", command, wrong}), "") << wrong;
    }
    Refused({"mcp", command});
  }
  EXPECT_TRUE(
      Accepted({"mcp", "connect", "desk/notes", "--stderr"}).mcp.errors);
}

TEST(ArgumentsTest, McpServesAPeerByTheDaemonAlone) {
  Arguments all =
      Accepted({"mcp", "serve", "--for", "laptop/text", "--grant", "read"});
  EXPECT_EQ(all.mcp.for_peer, "laptop");
  EXPECT_EQ(all.mcp.server, "text");
  EXPECT_FALSE(all.mcp.write);
  all = Accepted({"mcp", "serve", "--for", "laptop/text", "--grant", "write"});
  EXPECT_TRUE(all.mcp.write);
  Refused({"mcp", "serve", "--for", "laptop/text"});
  Refused({"mcp", "serve", "--for", "laptop/text", "--grant", "all"});
  Refused({"mcp", "serve", "--for", "laptop", "--grant", "read"});
  Refused({"mcp", "serve", "--grant", "read"});
  Refused({"mcp", "serve", "--for", "laptop/text", "--grant", "read",
           "--no-daemon"});
}

TEST(ArgumentsTest, EachCommandHasItsHelp) {
  for (const char* command : {"snapshot", "watch", "apps", "doctor", "replace",
                              "insert", "set", "undo", "stream"}) {
    const Ending ending = std::get<Ending>(Parse({command, "--help"}));
    EXPECT_EQ(ending.code, ExitCode::kDone);
    EXPECT_TRUE(absl::StrContains(ending.out, absl::StrCat("tactus ", command)))
        << ending.out;
  }
}

TEST(ArgumentsTest, HelpOfEachEditingCommandNamesItsOptions) {
  const std::vector<const char*> all = {
      "--json",      "--in",       "--deadline DURATION=5s",
      "--max-text",  "--no-paste", "--whole-value",
      "--keystrokes"};
  std::map<std::string, std::vector<const char*>> own = {
      {"replace",
       {"--text", "--range BEGIN:END", "--old TEXT", "--snapshot TOKEN",
        "--expect TEXT", "--newlines", "--split-characters"}},
      {"insert",
       {"--text", "--snapshot TOKEN", "--expect TEXT", "--newlines",
        "--split-characters"}},
      {"set",
       {"--text", "--snapshot TOKEN", "--expect TEXT", "--newlines",
        "--split-characters"}},
      {"undo", {}},
      {"stream",
       {"--when-moved hold|refuse|follow=hold", "--hold-for DURATION=30s",
        "--newlines"}}};
  for (auto& [command, options] : own) {
    options.insert(options.end(), all.begin(), all.end());
    const Ending ending = std::get<Ending>(Parse({command, "--help"}));
    for (const char* option : options) {
      EXPECT_TRUE(absl::StrContains(ending.out, option))
          << option << " is not in\n"
          << ending.out;
    }
  }
}

TEST(ArgumentsTest, VersionIsPrinted) {
  const Ending ending = std::get<Ending>(Parse({"--version"}));
  EXPECT_EQ(ending.code, ExitCode::kDone);
  EXPECT_EQ(ending.out, absl::StrCat("tactus ", kVersion, "\n"));
}

TEST(Arguments, ReceiveTakesAPeerAndMaybeADeadline) {
  Arguments receive = Accepted({"receive", "desk"});
  EXPECT_EQ(receive.command, Arguments::Command::kReceive);
  EXPECT_EQ(receive.receive.peer, "desk");
  EXPECT_EQ(receive.receive.wait, absl::InfiniteDuration());
  receive = Accepted({"receive", "desk", "--deadline", "3s"});
  EXPECT_EQ(receive.receive.wait, absl::Seconds(3));
  receive = Accepted({"receive", "desk", "--deadline", "inf"});
  EXPECT_EQ(receive.receive.wait, absl::InfiniteDuration());
  EXPECT_NE(Refused({"receive"}), "");
  EXPECT_NE(Refused({"receive", ""}), "");
  EXPECT_NE(Refused({"receive", "desk", "laptop"}), "");
  for (const char* wrong : {"0s", "-inf", "25h", "3"}) {
    EXPECT_NE(Refused({"receive", "desk", "--deadline", wrong}), "") << wrong;
  }
}

TEST(Arguments, SendTakesPathsAndThenAPeerMaybeWithAFolder) {
  Arguments send = Accepted({"send", "a", "b/", "laptop"});
  EXPECT_EQ(send.command, Arguments::Command::kSend);
  EXPECT_EQ(send.send.paths, (std::vector<std::string>{"a", "b/"}));
  EXPECT_EQ(send.send.peer, "laptop");
  EXPECT_EQ(send.send.folder, "");
  EXPECT_FALSE(send.send.sha256);
  send = Accepted({"send", "--sha256", "a", "laptop:x/y/"});
  EXPECT_EQ(send.send.folder, "x/y");
  EXPECT_TRUE(send.send.sha256);
  send = Accepted({"send", "-", "laptop", "--name", "log"});
  EXPECT_EQ(send.send.paths, (std::vector<std::string>{"-"}));
  EXPECT_EQ(send.send.name, "log");
  send = Accepted({"send", "-", "laptop"});
  EXPECT_EQ(send.send.name, "standard-input");
  EXPECT_NE(Refused({"send", "laptop"}), "");
  EXPECT_NE(Refused({"send", "a", ":x"}), "");
  EXPECT_NE(Refused({"send", "a", "laptop:/etc"}), "");
  EXPECT_NE(Refused({"send", "-", "a", "laptop", "--name", "x"}), "");
  EXPECT_NE(Refused({"send", "a", "laptop", "--name", "x"}), "");
}

TEST(Arguments, BenchTakesAPeerAndMaybeALedger) {
  Arguments bench = Accepted({"bench", "laptop"});
  EXPECT_EQ(bench.command, Arguments::Command::kBench);
  EXPECT_EQ(bench.bench.peer, "laptop");
  EXPECT_EQ(bench.bench.max_mib, 128);
  EXPECT_EQ(bench.bench.rounds, 5);
  EXPECT_FALSE(bench.bench.record);
  EXPECT_FALSE(bench.json);
  bench = Accepted({"bench", "laptop", "--max-size", "4", "--rounds", "1",
                    "--record", "--json"});
  EXPECT_EQ(bench.bench.max_mib, 4);
  EXPECT_EQ(bench.bench.rounds, 1);
  EXPECT_TRUE(bench.bench.record);
  EXPECT_EQ(bench.bench.ledger, "");
  EXPECT_TRUE(bench.json);
  bench = Accepted({"bench", "--record=data", "laptop"});
  EXPECT_TRUE(bench.bench.record);
  EXPECT_EQ(bench.bench.ledger, "data");
  bench = Accepted({"bench", "laptop", "--record", "data"});
  EXPECT_EQ(bench.bench.ledger, "data");
  EXPECT_NE(Refused({"bench"}), "");
  EXPECT_NE(Refused({"bench", ""}), "");
  EXPECT_NE(Refused({"bench", "laptop", "--max-size", "0"}), "");
  EXPECT_NE(Refused({"bench", "laptop", "--max-size", "129"}), "");
  EXPECT_NE(Refused({"bench", "laptop", "--rounds", "0"}), "");
}

}  // namespace
}  // namespace tactus::cli
