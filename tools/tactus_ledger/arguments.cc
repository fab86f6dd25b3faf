#include "tools/tactus_ledger/arguments.h"

#include <cctype>
#include <map>
#include <string>
#include <variant>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ax/text/escape.h"

namespace tactus::ledger {
namespace {

constexpr char kFooter[] = R"(Examples:
  tactus_ledger show --series edit/gtk3      that series, and edit/gtk3/...
  tactus_ledger show --json | jq .summary.p50
  tactus_ledger verify                       is every row what it was?
  tactus_ledger export > rows.csv
  hyperfine --export-json runs.json 'sleep 1'
  tactus_ledger import --from hyperfine runs.json
  tactus_ledger import --from ledger ../other/docs/perf/data
  echo '{"instrument": "load_test", "series": "login", "unit": "ms",
    "direction": "less", "samples": [212.5, 198]}' | tactus_ledger append

The format of a row, and what `append` reads, are in docs/ledger.md.

Exit codes, the same for every command:
  0  done, and nothing was found
  1  it failed, or something was found: a line that is no row, a broken rule
  2  wrong usage
)";

class CommandLine {
 public:
  CommandLine() {
    app_.name("tactus_ledger");
    app_.description(
        "Reads, checks and extends a ledger of measurements: a folder of "
        "*.jsonl, a row a line.");
    app_.require_subcommand(1);
    app_.footer(kFooter);
    AddAppend();
    AddShow();
    AddVerify();
    AddExport();
    AddImport();
  }

  std::variant<Arguments, Ending> Parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return Ending{ExitCode::kDone, app_.help(), ""};
    } catch (const CLI::ParseError& error) {
      return Usage(error.what());
    }
    return Check();
  }

 private:
  static Ending Usage(const std::string& message) {
    return Ending{ExitCode::kUsage, "",
                  absl::StrCat("tactus_ledger: ", ax::ForTerminal(message),
                               "\nRun `tactus_ledger --help` or "
                               "`tactus_ledger COMMAND --help`.\n")};
  }

  CLI::App* AddCommand(const char* name, const char* description,
                       Arguments::Command command) {
    CLI::App* added = app_.add_subcommand(name, description);
    added->callback([this, command] { arguments_.command = command; });
    // Else it inherits all of the other.
    added->footer("Examples and exit codes: tactus_ledger --help");
    added
        ->add_option("--ledger", arguments_.ledger,
                     "The folder; by default docs/perf/data of the git "
                     "repository that you are in")
        ->type_name("DIR");
    return added;
  }

  void AddFilter(CLI::App* command) {
    Filter& filter = arguments_.filter;
    command
        ->add_option("--series", filter.series,
                     "Only this series, and those below it")
        ->type_name("NAME");
    command
        ->add_option("--instrument", filter.instrument,
                     "Only what this instrument measured")
        ->type_name("NAME");
    command
        ->add_option("--device", filter.device,
                     "Only what was measured on this device: the start of its "
                     "id")
        ->type_name("ID");
    command
        ->add_option("--commit", filter.commit,
                     "Only what was measured of this commit: the start of its "
                     "name")
        ->type_name("ID");
  }

  void AddAppend() {
    AddCommand("append",
               "Complete, check and append the rows on standard input: JSON "
               "objects, one after the other. All of them or, where one is "
               "wrong, none.",
               Arguments::Command::kAppend);
  }

  void AddShow() {
    CLI::App* command =
        AddCommand("show", "The rows, a line each", Arguments::Command::kShow);
    AddFilter(command);
    command->add_flag("--json", arguments_.json,
                      "The lines as they stand in the ledger, each a JSON "
                      "object");
  }

  void AddVerify() {
    CLI::App* command = AddCommand(
        "verify",
        "Whether each line is a whole row with its own id, each series keeps "
        "its unit, the commits exist, and no line was changed since it was "
        "committed. A finding a line.",
        Arguments::Command::kVerify);
    (void)command;
  }

  void AddExport() {
    CLI::App* command = AddCommand(
        "export",
        "The rows as CSV (RFC 4180). A text that a spreadsheet would compute "
        "has an apostrophe before it.",
        Arguments::Command::kExport);
    AddFilter(command);
    command->add_flag("--samples", arguments_.samples,
                      "The samples too, in one more column, a space between "
                      "two");
  }

  void AddImport() {
    CLI::App* command = AddCommand(
        "import",
        "Append what another tool measured, or the rows of another ledger",
        Arguments::Command::kImport);
    command
        ->add_option("--from", from_,
                     "What wrote SOURCE: google-benchmark "
                     "(--benchmark_format=json), hyperfine (--export-json), "
                     "criterion (the folder target/criterion or one below "
                     "it), ledger (a folder of *.jsonl)")
        ->type_name("TOOL")
        ->required();
    command->add_option("SOURCE", arguments_.source, "The file, or the folder")
        ->required();
    command
        ->add_option("--instrument", arguments_.instrument,
                     "The name of the instrument, instead of the tool's")
        ->type_name("NAME");
    command
        ->add_option("--commit", arguments_.commit,
                     "What was measured, as git calls it; where it is not "
                     "said, the rows have no commit and count as dirty")
        ->type_name("REV");
    command->add_flag("--dirty", arguments_.dirty,
                      "The tree that was measured differed from --commit");
    command
        ->add_option("--device-from", arguments_.device_from,
                     "Measured on the device of the row of this id, and not "
                     "on this one")
        ->type_name("ROW");
  }

  // A start of an id: hexadecimal digits, some.
  static bool IsStartOfId(const std::string& text, size_t most) {
    if (text.size() < 4 || text.size() > most) return text.empty();
    for (const char c : text) {
      const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
      if (!hex) return false;
    }
    return true;
  }

  std::variant<Arguments, Ending> Check() {
    if (!IsStartOfId(arguments_.filter.commit, 40)) {
      return Usage(absl::StrCat("--commit '", arguments_.filter.commit,
                                "' is not 4 to 40 of 0-9 and a-f"));
    }
    if (!IsStartOfId(arguments_.filter.device, 16)) {
      return Usage(absl::StrCat("--device '", arguments_.filter.device,
                                "' is not 4 to 16 of 0-9 and a-f"));
    }
    if (arguments_.command != Arguments::Command::kImport) return arguments_;
    const std::map<std::string, Arguments::From> tools = {
        {"google-benchmark", Arguments::From::kGoogleBenchmark},
        {"criterion", Arguments::From::kCriterion},
        {"hyperfine", Arguments::From::kHyperfine},
        {"ledger", Arguments::From::kLedger}};
    const auto tool = tools.find(from_);
    if (tool == tools.end()) {
      return Usage(absl::StrCat("--from '", from_,
                                "' is not known: give google-benchmark, "
                                "criterion, hyperfine or ledger"));
    }
    arguments_.from = tool->second;
    if (arguments_.from == Arguments::From::kLedger &&
        (!arguments_.instrument.empty() || !arguments_.commit.empty() ||
         arguments_.dirty || !arguments_.device_from.empty())) {
      return Usage(
          "rows of another ledger are taken as they are: --instrument, "
          "--commit, --dirty and --device-from are for the other tools");
    }
    if (arguments_.dirty && arguments_.commit.empty()) {
      return Usage("--dirty says something of --commit, which is missing");
    }
    if (!IsStartOfId(arguments_.device_from, 32)) {
      return Usage(absl::StrCat("--device-from '", arguments_.device_from,
                                "' is not 4 to 32 of 0-9 and a-f"));
    }
    return arguments_;
  }

  CLI::App app_;
  Arguments arguments_;
  std::string from_;
};

}  // namespace

std::variant<Arguments, Ending> ParseArguments(int argc,
                                               const char* const* argv) {
  return CommandLine().Parse(argc, argv);
}

}  // namespace tactus::ledger
