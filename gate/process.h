// Starts another program, with a deadline, and takes what it prints.
//
// Use it where a gate needs what it may not depend on: a program that measures,
// a private desktop, Bazel, another gate.
//
// Example:
//
//   absl::StatusOr<Ran> ran = RunProgram(
//       {"tools/desktop/run", "--app", "gtk3", "--", "true"},
//       {.patience = absl::Minutes(2)});
//   if (!ran.ok()) return ran.status();   // it could not be started
//   if (ran->code != 0) Tell(LastLine(ran->err));
//
// The program gets SIGTERM at the deadline, or when this process dies, and ten
// seconds to end what it started itself; then SIGKILL.
#ifndef TACTUS_GATE_PROCESS_H_
#define TACTUS_GATE_PROCESS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::gate {

struct RunOptions {
  absl::Duration patience = absl::Minutes(5);
  std::string folder;  // where it runs; empty: here
  // Variables that are set for it; an empty value takes one away.
  std::vector<std::pair<std::string, std::string>> environment;
  // Its errors go where ours go as well, as they come.
  bool show_errors = false;
  // Of each of its outputs; what comes beyond is dropped, the first part kept.
  // A probe prints a thousand samples of some 20 bytes.
  size_t most = size_t{16} << 20;
};

struct Ran {
  int code = 0;  // 128 and the signal's number where it was killed by one
  bool timed_out = false;
  std::string out;
  std::string err;
};

// NotFound where there is no such program; Cancelled, see StopOnSignals;
// Internal for what the system says.
absl::StatusOr<Ran> RunProgram(const std::vector<std::string>& arguments,
                               const RunOptions& options);

// From now on SIGINT, SIGTERM and SIGHUP end what runs and let the caller clean
// up: RunProgram stops its program and answers Cancelled, now and later.
void StopOnSignals();

// The signal that came; 0 where none did.
int StoppedBy();

// The last line that says something; for the reason why a program failed.
std::string LastLine(absl::string_view text);

// The path of "gate/budgets.json" and the like among what Bazel has put beside
// this program; empty where it is not there.
std::string Runfile(absl::string_view path);

// A path as it was typed, since `bazel run` starts programs elsewhere.
std::string Typed(const std::string& path);

// Whether `program` is on PATH.
bool OnPath(absl::string_view program);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_PROCESS_H_
