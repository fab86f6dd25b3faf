#include "tools/tactus/arguments.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "ax/edit/stream.h"
#include "ax/snapshot/token.h"
#include "ax/text/escape.h"
#include "ax/types/types.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

// Whoever waits longer for an answer has no use for a deadline, and each wait
// has one.
constexpr absl::Duration kLongestWait = absl::Hours(1);
// For what is offered: a day, as somebody may go for it.
constexpr absl::Duration kLongestReceive = absl::Hours(24);
// The AT-SPI backend sends no larger offset, since an application overflows.
constexpr int64_t kMostText = int64_t{1} << 26;

constexpr char kExamples[] = R"(Examples:
  tactus snapshot --in 3s         click into a text field meanwhile
  tactus snapshot --json          one JSON object; its "value" is the text
  tactus watch --text --for 1m    a line of JSON for each change
  tactus apps                     what is here, and what works there
  tactus doctor --in 3s           what is missing, and what mends it
  tactus doctor --launcher-override chromium
  tactus try                      click into a field; it is left as it was
  tactus replace --range 1:3 --text 'new' --in 3s
  tactus replace --old teh the    the one place where it says "teh"
  tactus insert                   what standard input holds, at the caret
  tactus undo                     takes the last edit back
  tactus stream --when-moved hold
  tactus mcp serve                for an agent to start
  tactus mcp connect desk/notes   the same, of a server on a paired device
  tactus mcp config desk/notes    what that agent is given
  tactus expose notes --to laptop -- my-server --stdio
  tactus expose --focused-text --to laptop --write
  tactus status                   whether a daemon runs, and how it is
  tactus pair                     shows a code for another device
  tactus pair CODE --at HOST:PORT on that one, as the first one shows it
  tactus send notes.txt laptop    a file or a folder to it
  tactus receive laptop           what it sends next, to standard output
  tactus bench laptop             what the path to it takes
)";

std::string Footer() {
  std::string footer = kExamples;
  footer.append("\nExit codes, the same for every command:\n");
  for (const ExitCodeMeaning& entry : kExitCodes) {
    absl::StrAppend(&footer, "  ", static_cast<int>(entry.code), "  ",
                    entry.meaning, "\n");
  }
  return footer;
}

absl::StatusOr<absl::Duration> ReadDuration(const char* option,
                                            const std::string& text) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration)) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " '", text,
                     "' is no duration: write a number and its unit, as in "
                     "500ms, 3s or 1m30s"));
  }
  return duration;
}

absl::Status CheckDuration(const char* option, const std::string& text,
                           absl::Duration least, absl::Duration most,
                           absl::Duration* out) {
  absl::StatusOr<absl::Duration> duration = ReadDuration(option, text);
  if (!duration.ok()) return duration.status();
  if (*duration < least || *duration > most) {
    return absl::InvalidArgumentError(absl::StrCat(
        option, " '", text, "' is out of range: give ",
        absl::FormatDuration(least), " to ", absl::FormatDuration(most)));
  }
  *out = *duration;
  return absl::OkStatus();
}

absl::Status CheckNumber(const char* option, int64_t number, int64_t least,
                         int64_t most) {
  if (least <= number && number <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      option, " '", number, "' is out of range: give ", least, " to ", most));
}

// A command line as CLI11 fills it in.
class CommandLine {
 public:
  CommandLine() {
    app_.name("tactus");
    app_.require_subcommand(1);
    app_.set_version_flag("--version", absl::StrCat("tactus ", kVersion));
    app_.footer(Footer());
    AddSnapshot();
    AddWatch();
    AddApps();
    AddDoctor();
    AddEditing("replace",
               "Replace the selection, a range or a text of the focused field",
               Arguments::Command::kReplace);
    AddEditing("insert", "Insert at the caret of the focused field",
               Arguments::Command::kInsert);
    AddEditing("set", "Replace all that the focused field holds",
               Arguments::Command::kSet);
    AddUndo();
    AddStream();
    AddTry();
    AddDaemon();
    AddPeers();
    AddMcp();
    AddExpose();
    AddSend();
    AddReceive();
    AddBench();
  }

  std::variant<Arguments, Ending> Parse(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-' && !IsCommand(argv[1])) {
      return Usage(absl::StrCat("'", argv[1], "' is no command of tactus"));
    }
    // What stands behind -- is the command of a server, whatever it looks like.
    if (argc > 1 && absl::string_view(argv[1]) == "expose") {
      for (int i = 2; i < argc; ++i) {
        if (absl::string_view(argv[i]) != "--") continue;
        arguments_.mcp.command.assign(argv + i + 1, argv + argc);
        argc = i;
        break;
      }
    }
    const std::vector<std::string> words = Words(argc, argv);
    std::vector<const char*> parts;
    parts.reserve(words.size());
    for (const std::string& word : words) parts.push_back(word.c_str());
    try {
      app_.parse(static_cast<int>(parts.size()), parts.data());
    } catch (const CLI::CallForHelp&) {
      return Ending{ExitCode::kDone, app_.help(), ""};
    } catch (const CLI::CallForVersion& version) {
      return Ending{ExitCode::kDone, absl::StrCat(version.what(), "\n"), ""};
    } catch (const CLI::ParseError& error) {
      return Usage(error.what());
    }
    if (absl::Status status = Check(); !status.ok()) {
      return Usage(std::string(status.message()));
    }
    return arguments_;
  }

 private:
  // CLI11 gives `--option=` the word after it, which is another argument.
  static std::vector<std::string> Words(int argc, const char* const* argv) {
    std::vector<std::string> words;
    bool options = true;
    for (int i = 0; i < argc; ++i) {
      words.emplace_back(argv[i]);
      std::string& word = words.back();
      options = options && word != "--";
      if (options && absl::StartsWith(word, "--") &&
          word.find('=') == word.size() - 1) {
        word.pop_back();
        words.emplace_back();
      }
    }
    return words;
  }

  bool IsCommand(const std::string& word) {
    for (const CLI::App* command : app_.get_subcommands(nullptr)) {
      if (command->get_name() == word) return true;
    }
    return false;
  }

  static Ending Usage(const std::string& message) {
    return Ending{ExitCode::kUsage, "",
                  absl::StrCat("tactus: ", ax::ForTerminal(message),
                               "\nRun `tactus --help` or `tactus COMMAND "
                               "--help`.\n")};
  }

  CLI::App* AddCommand(const char* name, const char* description,
                       Arguments::Command command) {
    CLI::App* added = app_.add_subcommand(name, description);
    added->callback([this, command] { arguments_.command = command; });
    // Else it inherits all of the other.
    added->footer(
        "A DURATION has a unit: 500ms, 3s, 1m30s. Examples and exit codes: "
        "tactus --help");
    return added;
  }

  void AddNoDaemon(CLI::App* command) {
    command->add_flag("!--no-daemon", arguments_.daemon,
                      "Do it in this process also where a daemon runs");
  }

  void AddWait(CLI::App* command) {
    command
        ->add_option("--in", wait_,
                     "Wait before reading: a terminal has the focus while you "
                     "type")
        ->type_name("DURATION");
  }

  void AddDeadline(CLI::App* command, const char* description) {
    command->add_option("--deadline", deadline_, description)
        ->type_name("DURATION")
        ->capture_default_str();
  }

  void AddMaxText(CLI::App* command) {
    command
        ->add_option("--max-text", arguments_.max_text,
                     "Longest text read whole, in code points; of a longer one "
                     "a window around the caret is read")
        ->type_name("N")
        ->capture_default_str();
  }

  void AddSnapshot() {
    CLI::App* command =
        AddCommand("snapshot", "Read the focused text field once",
                   Arguments::Command::kSnapshot);
    command->add_flag("--json", arguments_.json,
                      "One JSON object (docs/snapshot-schema.md)");
    AddNoDaemon(command);
    AddWait(command);
    AddDeadline(command, "Longest that connecting and reading may take");
    AddMaxText(command);
    command
        ->add_option("--context", arguments_.context,
                     "Code points of context_before and context_after, each")
        ->type_name("N")
        ->capture_default_str();
  }

  void AddWatch() {
    CLI::App* command =
        AddCommand("watch", "A line of JSON for each change of the focus",
                   Arguments::Command::kWatch);
    command->add_flag("--json", arguments_.json,
                      "Changes nothing: the lines are always JSON");
    AddNoDaemon(command);
    command->add_flag("--text", arguments_.text,
                      "Changes of the focused text and its selection too");
    command->add_option("--for", run_for_, "End after this time")
        ->type_name("DURATION");
    count_ = command
                 ->add_option("--count", arguments_.count,
                              "End after this many lines")
                 ->type_name("N");
    AddDeadline(command,
                "Longest that connecting, and then each reading, takes");
    AddMaxText(command);
  }

  void AddApps() {
    CLI::App* command =
        AddCommand("apps", "What is on the desktop, and what works there",
                   Arguments::Command::kApps);
    command->add_flag("--json", arguments_.json,
                      "One JSON object (docs/snapshot-schema.md)");
    AddDeadline(command, "Longest that an application may take to answer");
  }

  void AddDoctor() {
    CLI::App* command = AddCommand(
        "doctor", "What is missing for this to work, and what mends it",
        Arguments::Command::kDoctor);
    command->add_flag("--json", arguments_.json,
                      "One JSON object (docs/snapshot-schema.md)");
    AddWait(command);
    AddDeadline(command, "Longest that each check may take");
    launcher_ =
        command
            ->add_option("--launcher-override", arguments_.launcher_override,
                         "Print launcher NAME with the flag by which Chromium "
                         "and Electron show their pages; saves nothing")
            ->type_name("NAME");
  }

  void AddEditOptions(CLI::App* command) {
    command->add_flag("--json", arguments_.json,
                      "One JSON object (docs/edit-schema.md)");
    AddNoDaemon(command);
    AddWait(command);
    command
        ->add_option("--deadline", edit_deadline_,
                     "Longest that connecting, editing and reading back take; "
                     "what is sent and not proved by then is unknown")
        ->type_name("DURATION")
        ->capture_default_str();
    AddMaxText(command);
    EditArguments& edit = arguments_.edit;
    command->add_flag(
        "!--no-paste", edit.paste,
        "Never paste; by default what takes no text through accessibility is "
        "pasted into, and the clipboard restored");
    command->add_flag("--whole-value", edit.whole_value,
                      "Where nothing else works, set the whole value: may cost "
                      "undo and formatting");
    command->add_flag("--keystrokes", edit.keystrokes,
                      "Where nothing else works, type; ASCII alone");
  }

  // An empty value is a value: CLI11 would take it for an option that was not
  // given, and so drop a check or wait for standard input.
  static CLI::Option* AddText(CLI::App* command, const char* names,
                              std::optional<std::string>* out,
                              const char* description, const char* type) {
    return command
        ->add_option_function<std::string>(
            names, [out](const std::string& text) { *out = text; }, description)
        ->type_name(type);
  }

  void AddEditing(const char* name, const char* description,
                  Arguments::Command which) {
    CLI::App* command = AddCommand(name, description, which);
    EditArguments& edit = arguments_.edit;
    AddText(command, "TEXT,--text", &edit.text,
            "The new text; from standard input, less one newline at its end, "
            "where it is not given",
            "TEXT");
    if (which == Arguments::Command::kReplace) {
      CLI::Option* range =
          AddText(command, "--range", &range_,
                  "What to replace: half-open, in code points, as in 1:3; by "
                  "default the selection",
                  "BEGIN:END");
      AddText(command, "--old", &edit.old_text,
              "Replace this, which must be there exactly once", "TEXT")
          ->excludes(range);
    }
    CLI::Option* token =
        AddText(command, "--snapshot", &token_,
                "Refuse unless all is as in this snapshot", "TOKEN");
    AddText(command, "--expect", &edit.expect,
            "Refuse unless the field holds this text", "TEXT")
        ->excludes(token);
    command->add_flag("--newlines", edit.newlines,
                      "Send line breaks to terminals and fields of one line "
                      "too, and tabs to terminals");
    command->add_flag("--split-characters", edit.split_characters,
                      "Let an edge of the range lie inside what people see as "
                      "one character");
    AddEditOptions(command);
  }

  void AddUndo() {
    AddEditOptions(AddCommand(
        "undo", "Take the last edit back, unless the field was changed since",
        Arguments::Command::kUndo));
  }

  void AddStream() {
    CLI::App* command = AddCommand(
        "stream",
        "Write what standard input tells, while it is still changing: a line "
        "is a partial that replaces the one before it, or JSON: "
        "{\"partial\": TEXT}, {\"final\": TEXT}, {\"cancel\": true}",
        Arguments::Command::kStream);
    AddEditOptions(command);
    EditArguments& edit = arguments_.edit;
    command
        ->add_option("--when-moved", when_moved_,
                     "When the focus has moved to another field: hold until it "
                     "is back, refuse and end, or follow it")
        ->type_name("hold|refuse|follow")
        ->capture_default_str();
    command
        ->add_option("--hold-for", hold_for_,
                     "At the end of input, wait so long for the focus to come "
                     "back to what is held")
        ->type_name("DURATION")
        ->capture_default_str();
    command->add_flag("--newlines", edit.newlines,
                      "Send line breaks to terminals and fields of one line "
                      "too, and tabs to terminals");
  }

  void AddTry() {
    CLI::App* command = AddCommand(
        "try",
        "Click into a field: a word is written there, proved, and taken out",
        Arguments::Command::kTry);
    try_wait_ = command
                    ->add_option("--in", wait_,
                                 "Wait before reading, to leave time to click "
                                 "(default: 5s)")
                    ->type_name("DURATION");
    command->add_flag("!--no-paste", arguments_.edit.paste,
                      "Never paste, only write through accessibility");
  }

  void AddDaemon() {
    AddCommand("status", "What the daemon does, where one runs",
               Arguments::Command::kStatus)
        ->add_flag("--json", arguments_.json,
                   "One JSON object (docs/control.md)");
    AddCommand("pause",
               "Have the daemon let go of every application, until resume",
               Arguments::Command::kPause);
    AddCommand("resume", "Have the daemon go on after a pause",
               Arguments::Command::kResume);
  }

  void AddPeers() {
    PeerArguments& peer = arguments_.peer;
    CLI::App* pair = AddCommand(
        "pair",
        "Pair with another device: without CODE show one and wait, with it "
        "complete what the other device shows",
        Arguments::Command::kPair);
    code_ = pair->add_option("CODE", code_words_,
                             "A number and two words; spaces will do");
    pair->add_option("--at", peer.at,
                     "Where the other device is, as it shows it; needed where "
                     "Avahi does not find it")
        ->type_name("HOST:PORT")
        ->needs(code_);
    pair->add_option("--name", peer.name,
                     "What to call it here; by default what it calls itself")
        ->type_name("NAME");
    pair->add_option("--for", offer_for_,
                     "How long the code that is shown is good")
        ->type_name("DURATION")
        ->capture_default_str()
        ->excludes(code_);
    pair->add_option("--deadline", pair_deadline_,
                     "Longest that pairing with CODE may take")
        ->type_name("DURATION")
        ->capture_default_str();
    pair->add_flag("--json", arguments_.json,
                   "A line of JSON for the code, and one for the end");

    CLI::App* forget = AddCommand(
        "forget", "End the pairing with a device, and every connection to it",
        Arguments::Command::kForget);
    forget->add_option("PEER", peer.peer, "Its name or its id")->required();

    CLI::App* approve =
        AddCommand("approve", "Answer what `tactus status` lists as waiting",
                   Arguments::Command::kApprove);
    approve->add_option("NUMBER", peer.question, "Of what waits")
        ->required()
        ->type_name("");
    approve->add_flag("--refuse", peer.refuse, "Refuse it");
  }

  void AddSend() {
    CLI::App* command = AddCommand(
        "send", "Send files, folders or standard input to a paired device",
        Arguments::Command::kSend);
    command
        ->add_option("PATH... PEER[:DIR]", send_words_,
                     "What to send, - for standard input, and to whom: a name "
                     "or an id that `tactus status` lists; DIR is beneath the "
                     "folder that it receives into")
        ->required()
        ->type_name("");
    command
        ->add_option("--name", arguments_.send.name,
                     "What standard input is called there, where it comes "
                     "into a folder: standard-input, if this is left out")
        ->type_name("NAME");
    command->add_flag("--sha256", arguments_.send.sha256,
                      "Print the SHA-256 of each file, which the peer compares "
                      "with what it reads back");
    command->add_flag("--json", arguments_.json,
                      "A line of JSON for each event");
  }

  void AddReceive() {
    CLI::App* command = AddCommand(
        "receive",
        "Write the next single file, or standard input, that a paired device "
        "sends to standard output",
        Arguments::Command::kReceive);
    command
        ->add_option("PEER", arguments_.receive.peer,
                     "A name or an id that `tactus status` lists")
        ->required()
        ->type_name("");
    command
        ->add_option("--deadline", receive_deadline_,
                     "Longest that it may take until the device offers one; "
                     "inf: as long as this runs")
        ->type_name("DURATION")
        ->capture_default_str();
  }

  void AddBench() {
    BenchArguments& bench = arguments_.bench;
    CLI::App* command = AddCommand(
        "bench",
        "Measure the path to a paired device: round trip, first byte, sizes; "
        "what it is sent for that is kept nowhere",
        Arguments::Command::kBench);
    command
        ->add_option("PEER", bench.peer,
                     "A name or an id that `tactus status` lists")
        ->required()
        ->type_name("");
    command
        ->add_option("--max-size", bench.max_mib,
                     "The largest of the sizes 1, 4, 16, 32 and 128 that is "
                     "sent")
        ->type_name("MIB")
        ->capture_default_str();
    command
        ->add_option("--rounds", bench.rounds,
                     "How often each size is sent; less often where one takes "
                     "long")
        ->type_name("N")
        ->capture_default_str();
    record_ = command
                  ->add_option("--record", bench.ledger,
                               "Append what was measured to the ledger in this "
                               "folder; without one, docs/perf/data of the git "
                               "repository that you are in")
                  ->type_name("DIR")
                  ->expected(0, 1);
    command->add_flag("--json", arguments_.json,
                      "One JSON object (docs/tactus.md)");
  }

  absl::Status CheckBench() {
    BenchArguments& bench = arguments_.bench;
    if (arguments_.command != Arguments::Command::kBench) {
      return absl::OkStatus();
    }
    if (bench.peer.empty()) {
      return absl::InvalidArgumentError("PEER is empty");
    }
    bench.record = record_->count() > 0;
    if (absl::Status status = CheckNumber("--max-size", bench.max_mib, 1, 128);
        !status.ok()) {
      return status;
    }
    return CheckNumber("--rounds", bench.rounds, 1, 100);
  }

  absl::Status CheckReceive() {
    if (arguments_.command != Arguments::Command::kReceive) {
      return absl::OkStatus();
    }
    if (arguments_.receive.peer.empty()) {
      return absl::InvalidArgumentError("PEER is empty");
    }
    absl::StatusOr<absl::Duration> wait =
        ReadDuration("--deadline", receive_deadline_);
    if (!wait.ok()) return wait.status();
    arguments_.receive.wait = *wait;
    if (*wait == absl::InfiniteDuration()) return absl::OkStatus();
    return CheckDuration("--deadline", receive_deadline_, absl::Milliseconds(1),
                         kLongestReceive, &arguments_.receive.wait);
  }

  absl::Status CheckSend() {
    SendArguments& send = arguments_.send;
    if (arguments_.command != Arguments::Command::kSend) {
      return absl::OkStatus();
    }
    if (send_words_.size() < 2) {
      return absl::InvalidArgumentError(
          "say what to send and to whom: tactus send PATH... PEER[:DIR]");
    }
    send.paths.assign(send_words_.begin(), send_words_.end() - 1);
    const std::string& to = send_words_.back();
    const size_t colon = to.find(':');
    send.peer = to.substr(0, colon);
    if (colon != std::string::npos) send.folder = to.substr(colon + 1);
    while (!send.folder.empty() && send.folder.back() == '/') {
      send.folder.pop_back();
    }
    if (send.peer.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", to, "' names no device: give PEER or PEER:DIR"));
    }
    if (!send.folder.empty() && send.folder[0] == '/') {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", send.folder,
          "' begins with /: DIR is beneath the folder that the other device "
          "receives into"));
    }
    bool input = false;
    for (const std::string& path : send.paths) {
      if (path.empty()) {
        return absl::InvalidArgumentError("a PATH is empty");
      }
      input = input || path == "-";
    }
    if (input && send.paths.size() > 1) {
      return absl::InvalidArgumentError(
          "standard input (-) is sent alone: leave the other paths out, or "
          "write ./- for a file of that name");
    }
    if (!input && !send.name.empty()) {
      return absl::InvalidArgumentError(
          "--name is for standard input (-) alone");
    }
    if (input && send.name.empty()) send.name = "standard-input";
    return absl::OkStatus();
  }

  absl::Status CheckPeers() {
    PeerArguments& peer = arguments_.peer;
    if (arguments_.command == Arguments::Command::kApprove) {
      return CheckNumber("NUMBER", peer.question, 1, INT64_MAX);
    }
    if (arguments_.command != Arguments::Command::kPair) {
      return absl::OkStatus();
    }
    peer.code = absl::StrJoin(code_words_, " ");
    if (absl::Status status =
            CheckDuration("--for", offer_for_, absl::Seconds(1),
                          absl::Minutes(15), &peer.wait);
        !status.ok()) {
      return status;
    }
    return CheckDuration("--deadline", pair_deadline_, absl::Seconds(1),
                         absl::Minutes(1), &arguments_.deadline);
  }

  void AddMcp() {
    CLI::App* mcp =
        app_.add_subcommand("mcp",
                            "The Model Context Protocol: the focused text for "
                            "an agent, and servers "
                            "of other devices");
    mcp->require_subcommand(1);
    CLI::App* serve = mcp->add_subcommand(
        "serve",
        "A server on standard input and output, which an agent starts: see "
        "docs/mcp.md");
    serve->callback(
        [this] { arguments_.command = Arguments::Command::kMcpServe; });
    serve->footer(
        "An agent runs it; what is typed into it is taken for lines "
        "of the protocol.");
    AddNoDaemon(serve);
    serve
        ->add_option("--for", serve_for_,
                     "What tactusd adds: the peer and the name under which it "
                     "is exposed; the daemon is asked before each call")
        ->type_name("PEER/NAME");
    serve
        ->add_option("--grant", serve_grant_,
                     "What tactusd adds to --for: which tools there are")
        ->type_name("read|write")
        ->needs("--for");

    CLI::App* connect = mcp->add_subcommand(
        "connect",
        "Carry standard input and output to an MCP server that a paired device "
        "exposes to this one, for an agent to start");
    connect->callback(
        [this] { arguments_.command = Arguments::Command::kMcpConnect; });
    connect->add_option("PEER/NAME", mcp_target_, "The device and the server")
        ->required()
        ->type_name("");
    connect->add_flag("--stderr", arguments_.mcp.errors,
                      "The server's standard error to this one's; else it is "
                      "dropped");
    // To be measured against.
    connect->add_flag("--relay", arguments_.mcp.relay)->group("");
    connect->footer(
        "Exit codes are the server's own, 128 and the signal where one killed "
        "it, or those of tactus --help where it was not reached.");

    CLI::App* config = mcp->add_subcommand(
        "config",
        "Print what most agents want in their configuration for `mcp connect`");
    config->callback(
        [this] { arguments_.command = Arguments::Command::kMcpConfig; });
    config->add_option("PEER/NAME", mcp_target_, "The device and the server")
        ->required()
        ->type_name("");
  }

  void AddExpose() {
    McpArguments& mcp = arguments_.mcp;
    CLI::App* expose = AddCommand(
        "expose",
        "Let a paired device start an MCP server here: NAME --to PEER -- "
        "COMMAND ARGS...",
        Arguments::Command::kExpose);
    expose
        ->add_option("NAME", mcp.server,
                     "What the server is called; with --focused-text it may "
                     "be left out")
        ->type_name("");
    expose
        ->add_option("--to", mcp.peer,
                     "Who may start it: a name or an id that `tactus status` "
                     "lists; without it nobody may")
        ->type_name("PEER");
    expose->add_flag("--focused-text", mcp.focused_text,
                     "The server is `tactus mcp serve`: the focused text");
    CLI::Option* read = expose->add_flag(
        "--read", read_, "Of the focused text: only to read, the default");
    expose
        ->add_flag("--write", mcp.write,
                   "Of the focused text: to edit it too, which tells what it "
                   "holds as well")
        ->excludes(read);
    CLI::Option* ask = expose->add_flag(
        "--ask", ask_,
        "Ask a person each time, the default: when an agent connects, or of "
        "the focused text before it is read and before each edit");
    expose->add_flag("!--allow", mcp.ask, "Ask nobody")->excludes(ask);

    AddCommand("exposed", "The MCP servers here, and who may start them",
               Arguments::Command::kExposed)
        ->add_flag("--json", arguments_.json,
                   "One JSON object (docs/control.md)");

    AddCommand("audit", "What peers did here, a line of JSON each",
               Arguments::Command::kAudit);

    CLI::App* unexpose = AddCommand(
        "unexpose", "Let nobody start an MCP server any more, and end it",
        Arguments::Command::kUnexpose);
    unexpose->add_option("NAME", mcp.server, "As `tactus exposed` lists it")
        ->required()
        ->type_name("");
    unexpose
        ->add_option("--to", mcp.peer, "Only that peer may not; others keep it")
        ->type_name("PEER");
  }

  // PEER/NAME.
  static absl::Status Target(const std::string& text, std::string* peer,
                             std::string* server) {
    const size_t slash = text.find('/');
    if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", text,
          "' is not PEER/NAME: the name of a paired device and that of a "
          "server there, as in desk/notes"));
    }
    *peer = text.substr(0, slash);
    *server = text.substr(slash + 1);
    return absl::OkStatus();
  }

  absl::Status CheckMcp() {
    McpArguments& mcp = arguments_.mcp;
    switch (arguments_.command) {
      case Arguments::Command::kMcpConnect:
      case Arguments::Command::kMcpConfig:
        return Target(mcp_target_, &mcp.peer, &mcp.server);
      case Arguments::Command::kMcpServe: {
        if (serve_for_.empty()) return absl::OkStatus();
        if (!arguments_.daemon) {
          return absl::InvalidArgumentError(
              "--for needs the daemon, which decides: leave --no-daemon out");
        }
        if (serve_grant_ != "read" && serve_grant_ != "write") {
          return absl::InvalidArgumentError(absl::StrCat(
              "--grant '", serve_grant_, "' is not known: give read or write"));
        }
        mcp.write = serve_grant_ == "write";
        return Target(serve_for_, &mcp.for_peer, &mcp.server);
      }
      case Arguments::Command::kExpose:
        break;
      default:
        return absl::OkStatus();
    }
    if (mcp.focused_text) {
      if (mcp.server.empty()) mcp.server = "focused-text";
      if (!mcp.command.empty()) {
        return absl::InvalidArgumentError(
            "--focused-text runs `tactus` itself: leave the command out");
      }
      return absl::OkStatus();
    }
    if (mcp.server.empty()) {
      return absl::InvalidArgumentError(
          "say what the server is called: tactus expose NAME --to PEER -- "
          "COMMAND ARGS...");
    }
    if (read_ || mcp.write) {
      return absl::InvalidArgumentError(
          "--read and --write are for --focused-text alone: what another "
          "server does is its own");
    }
    if (mcp.command.empty() && mcp.peer.empty()) {
      return absl::InvalidArgumentError(
          "say how the server is run, after --, or to whom one that is kept is "
          "exposed: tactus expose NAME --to PEER -- COMMAND ARGS...");
    }
    return absl::OkStatus();
  }

  bool Edits() const {
    switch (arguments_.command) {
      case Arguments::Command::kTry:
      case Arguments::Command::kStream:
      case Arguments::Command::kReplace:
      case Arguments::Command::kInsert:
      case Arguments::Command::kSet:
      case Arguments::Command::kUndo:
        return true;
      default:
        return false;
    }
  }

  absl::Status CheckEdit() {
    if (arguments_.command == Arguments::Command::kTry &&
        try_wait_->count() == 0) {
      arguments_.wait = absl::Seconds(5);
    }
    if (Edits()) {
      if (absl::Status status =
              CheckDuration("--deadline", edit_deadline_, absl::Milliseconds(1),
                            kLongestWait, &arguments_.deadline);
          !status.ok()) {
        return status;
      }
    }
    if (absl::Status status =
            CheckDuration("--hold-for", hold_for_, absl::ZeroDuration(),
                          kLongestWait, &arguments_.edit.hold_for);
        !status.ok()) {
      return status;
    }
    if (when_moved_ == "hold") {
      arguments_.edit.when_moved = ax::WhenMoved::kHold;
    } else if (when_moved_ == "refuse") {
      arguments_.edit.when_moved = ax::WhenMoved::kRefuse;
    } else if (when_moved_ == "follow") {
      arguments_.edit.when_moved = ax::WhenMoved::kFollow;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("--when-moved '", when_moved_,
                       "' is not known: give hold, refuse or follow"));
    }
    if (range_.has_value()) {
      const std::vector<std::string> ends = absl::StrSplit(*range_, ':');
      ax::Range range;
      if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &range.begin) ||
          !absl::SimpleAtoi(ends[1], &range.end) || range.begin < 0 ||
          range.end < range.begin) {
        return absl::InvalidArgumentError(absl::StrCat(
            "--range '", *range_,
            "' is no range: write BEGIN:END in code points, as in 1:3"));
      }
      arguments_.edit.range = range;
    }
    if (token_.has_value()) {
      absl::StatusOr<ax::SnapshotToken> token = ax::DecodeToken(*token_);
      if (!token.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--snapshot: ", token.status().message(),
                         ": give the token that `tactus snapshot` printed"));
      }
      arguments_.edit.snapshot = *std::move(token);
    }
    return absl::OkStatus();
  }

  absl::Status Check() {
    if (absl::Status status = CheckDuration("--in", wait_, absl::ZeroDuration(),
                                            kLongestWait, &arguments_.wait);
        !status.ok()) {
      return status;
    }
    if (absl::Status status =
            CheckDuration("--deadline", deadline_, absl::Milliseconds(1),
                          kLongestWait, &arguments_.deadline);
        !status.ok()) {
      return status;
    }
    if (absl::Status status =
            CheckDuration("--for", run_for_, absl::Milliseconds(1),
                          absl::InfiniteDuration(), &arguments_.run_for);
        !status.ok()) {
      return status;
    }
    if (absl::Status status =
            CheckNumber("--max-text", arguments_.max_text, 1, kMostText);
        !status.ok()) {
      return status;
    }
    if (absl::Status status =
            CheckNumber("--context", arguments_.context, 0, kMostText);
        !status.ok()) {
      return status;
    }
    if (count_->count() > 0) {
      if (absl::Status status =
              CheckNumber("--count", arguments_.count, 1, INT64_MAX);
          !status.ok()) {
        return status;
      }
    }
    if (launcher_->count() > 0 && arguments_.json) {
      return absl::InvalidArgumentError(
          "--launcher-override prints a launcher, which is never JSON: leave "
          "one of the two out");
    }
    if (launcher_->count() > 0 &&
        (arguments_.launcher_override.empty() ||
         absl::StrContains(arguments_.launcher_override, '/'))) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--launcher-override '", arguments_.launcher_override,
          "' is no launcher's name: give the name of a .desktop file, without "
          "its folder, as in chromium"));
    }
    if (absl::Status status = CheckPeers(); !status.ok()) return status;
    if (absl::Status status = CheckSend(); !status.ok()) return status;
    if (absl::Status status = CheckReceive(); !status.ok()) return status;
    if (absl::Status status = CheckBench(); !status.ok()) return status;
    if (absl::Status status = CheckMcp(); !status.ok()) return status;
    return CheckEdit();
  }

  CLI::App app_{
      "Reads and edits the focused text field, and tells the truth about "
      "whether an edit landed."};
  CLI::Option* count_ = nullptr;
  CLI::Option* launcher_ = nullptr;
  CLI::Option* try_wait_ = nullptr;
  CLI::Option* code_ = nullptr;
  CLI::Option* record_ = nullptr;
  Arguments arguments_;
  std::string wait_ = "0";
  std::string deadline_ = "500ms";
  std::string run_for_ = "inf";
  std::string edit_deadline_ = "5s";
  std::string hold_for_ = "30s";
  std::string when_moved_ = "hold";
  std::string offer_for_ = "5m";
  std::string pair_deadline_ = "20s";
  std::string receive_deadline_ = "inf";
  std::string mcp_target_;
  std::string serve_for_;
  std::string serve_grant_;
  bool read_ = false;
  bool ask_ = false;
  std::vector<std::string> code_words_;
  std::vector<std::string> send_words_;
  std::optional<std::string> range_;
  std::optional<std::string> token_;
};

}  // namespace

std::variant<Arguments, Ending> ParseArguments(int argc,
                                               const char* const* argv) {
  return CommandLine().Parse(argc, argv);
}

}  // namespace tactus::cli
