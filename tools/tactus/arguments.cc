#include "tools/tactus/arguments.h"

#include <cstdint>
#include <string>
#include <variant>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/text/escape.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

// Whoever waits longer for an answer has no use for a deadline, and each wait
// has one.
constexpr absl::Duration kLongestWait = absl::Hours(1);
// The AT-SPI backend sends no larger offset, since an application overflows.
constexpr int64_t kMostText = int64_t{1} << 26;

constexpr char kExamples[] = R"(Examples:
  tactus snapshot --in 3s         click into a text field meanwhile
  tactus snapshot --json          one JSON object; its "value" is the text
  tactus watch --text --for 1m    a line of JSON for each change
  tactus apps                     what is here, and what works there
  tactus doctor --in 3s           what is missing, and what mends it
  tactus doctor --launcher-override chromium
)";

std::string Footer() {
  std::string footer = kExamples;
  footer.append("\nExit codes, the same for every command:\n");
  for (const ExitCodeMeaning& entry : kExitCodes) {
    absl::StrAppend(&footer, "  ", static_cast<int>(entry.code), "  ",
                    entry.meaning, "\n");
  }
  footer.append("No command edits yet, so none exits with 4 or 5.");
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
  }

  std::variant<Arguments, Ending> Parse(int argc, const char* const* argv) {
    if (argc > 1 && argv[1][0] != '-' && !IsCommand(argv[1])) {
      return Usage(absl::StrCat("'", argv[1], "' is no command of tactus"));
    }
    try {
      app_.parse(argc, argv);
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
    return absl::OkStatus();
  }

  CLI::App app_{
      "Reads the focused text field through accessibility, and says what could "
      "not be read."};
  CLI::Option* count_ = nullptr;
  CLI::Option* launcher_ = nullptr;
  Arguments arguments_;
  std::string wait_ = "0";
  std::string deadline_ = "500ms";
  std::string run_for_ = "inf";
};

}  // namespace

std::variant<Arguments, Ending> ParseArguments(int argc,
                                               const char* const* argv) {
  return CommandLine().Parse(argc, argv);
}

}  // namespace tactus::cli
