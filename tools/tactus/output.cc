#include "tools/tactus/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ax/text/escape.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

absl::Status WriteResult(const std::string& text) {
  errno = 0;
  const bool written =
      fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && fflush(stdout) == 0) return absl::OkStatus();
  const int error = errno;
  if (error == EPIPE) {
    return absl::CancelledError("the reader of standard output has gone");
  }
  return absl::DataLossError(
      absl::StrCat("cannot write to standard output: ", strerror(error)));
}

void Complain(const std::string& message) {
  const std::string line =
      absl::StrCat("tactus: ", ax::ForTerminal(message), "\n");
  fwrite(line.data(), 1, line.size(), stderr);
}

ExitCode Complain(const absl::Status& status) {
  Complain(std::string(status.message()));
  return ExitCodeFor(status);
}

ExitCode Finish(const std::string& result, ExitCode code) {
  if (absl::Status status = WriteResult(result); !status.ok()) {
    return Complain(status);
  }
  return code;
}

void TellPerson(const std::string& message) {
  if (isatty(STDERR_FILENO)) Complain(message);
}

}  // namespace tactus::cli
