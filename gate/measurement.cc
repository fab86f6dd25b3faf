#include "gate/measurement.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gate/histories.h"
#include "gate/process.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

std::string Keys(const Histories& read) {
  std::vector<std::string> keys;
  for (const History& history : read.histories) keys.push_back(history.key);
  return keys.empty() ? "nothing" : absl::StrJoin(keys, "; ");
}

}  // namespace

absl::StatusOr<Measurement> MeasureOnce(const MeasurementRequest& request) {
  std::error_code error;
  const std::filesystem::path base =
      std::filesystem::temp_directory_path(error);
  std::string folder =
      absl::StrCat(error ? "/tmp" : base.string(), "/tactus-measure-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::InternalError(absl::StrCat("cannot make ", folder));
  }
  const absl::Cleanup remove = [&] {
    std::filesystem::remove_all(folder, error);
  };
  std::vector<std::string> command = request.command;
  command.push_back("--ledger");
  command.push_back(folder);
  // Neither may it find the real ledger.
  absl::StatusOr<Ran> ran =
      RunProgram(command, {.patience = request.patience,
                           .folder = request.folder,
                           .environment = {{"BUILD_WORKSPACE_DIRECTORY", ""},
                                           {"BUILD_WORKING_DIRECTORY", ""}}});
  if (!ran.ok()) return ran.status();
  const std::string said = LastLine(ran->err);
  if (ran->timed_out) {
    return absl::DeadlineExceededError(
        absl::StrCat(request.command.front(), " did not end in time"));
  }
  absl::StatusOr<Histories> read = ReadHistories(folder, request.filter);
  if (!read.ok()) return read.status();
  if (read->histories.empty()) {
    absl::StatusOr<Histories> all = ReadHistories(folder, {.device = "any"});
    return absl::NotFoundError(absl::StrCat(
        request.command.front(), " recorded no row of ", request.filter.series,
        " but ", all.ok() ? Keys(*all) : "nothing that can be read",
        "; it ended with ", ran->code, said.empty() ? "" : ": ", said));
  }
  if (read->histories.size() > 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("several series are meant, choose with --series and "
                     "--configuration: ",
                     Keys(*read)));
  }
  const History& history = read->histories.front();
  return Measurement{.value = history.entries.back().value,
                     .n = history.entries.back().n,
                     .key = history.key,
                     .unit = history.unit,
                     .better = history.better()};
}

}  // namespace tactus::gate
