// `tactus bench`: measures a paired device through the daemon (bench.h), prints
// what was measured, and appends it to a ledger where that was asked for.
//
// Example:
//
//   case Arguments::Command::kBench:
//     return Bench(arguments, stop_fd);
#ifndef TACTUS_TOOLS_TACTUS_BENCH_COMMAND_H_
#define TACTUS_TOOLS_TACTUS_BENCH_COMMAND_H_

#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

// Once `stop_fd` is readable it ends, and nothing is printed or recorded.
ExitCode Bench(const Arguments& arguments, int stop_fd);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_BENCH_COMMAND_H_
