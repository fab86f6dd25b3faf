// The command line of `tactus_ledger`, read and checked.
//
// Example:
//
//   const auto parsed = ParseArguments(argc, argv);
//   if (const auto* ending = std::get_if<Ending>(&parsed)) …print, and exit
//   const Arguments& arguments = std::get<Arguments>(parsed);
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_ARGUMENTS_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_ARGUMENTS_H_

#include <string>
#include <variant>

#include "tools/tactus_ledger/filter.h"

namespace tactus::ledger {

enum class ExitCode {
  kDone = 0,
  kFailed = 1,  // or something was found
  kUsage = 2,
};

struct Arguments {
  enum class Command { kAppend, kShow, kVerify, kExport, kImport };
  enum class From { kGoogleBenchmark, kCriterion, kHyperfine, kLedger };

  Command command = Command::kShow;
  std::string ledger;  // empty: docs/perf/data of the git repository around
  Filter filter;
  bool json = false;
  bool samples = false;
  // Of import.
  From from = From::kLedger;
  std::string source;
  std::string instrument;
  std::string commit;
  bool dirty = false;
  std::string device_from;
};

// What ends the program before it did anything: help, or a mistake.
struct Ending {
  ExitCode code = ExitCode::kDone;
  std::string out;    // for standard output
  std::string error;  // for standard error
};

std::variant<Arguments, Ending> ParseArguments(int argc,
                                               const char* const* argv);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_ARGUMENTS_H_
