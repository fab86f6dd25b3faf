// `tactus_ledger`: a ledger of measurements on the command line. See
// docs/ledger.md.

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/text/escape.h"
#include "ledger/file/append.h"
#include "ledger/file/file_name.h"
#include "ledger/file/reader.h"
#include "ledger/import/draft.h"
#include "ledger/import/imported.h"
#include "ledger/provenance/device.h"
#include "ledger/provenance/git.h"
#include "ledger/row/row.h"
#include "tools/tactus_ledger/arguments.h"
#include "tools/tactus_ledger/csv.h"
#include "tools/tactus_ledger/filter.h"
#include "tools/tactus_ledger/merge.h"
#include "tools/tactus_ledger/repository.h"
#include "tools/tactus_ledger/sources.h"
#include "tools/tactus_ledger/table.h"
#include "tools/tactus_ledger/verify.h"

namespace tactus::ledger {
namespace {

// For other writers, which take milliseconds each.
constexpr absl::Duration kLockPatience = absl::Seconds(30);

absl::Status Write(absl::string_view text) {
  errno = 0;
  if (fwrite(text.data(), 1, text.size(), stdout) == text.size()) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat("cannot write to standard output: ", strerror(errno)));
}

absl::Status FlushOutput() {
  errno = 0;
  if (fflush(stdout) == 0 && ferror(stdout) == 0) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("cannot write to standard output: ", strerror(errno)));
}

void Complain(absl::string_view message) {
  const std::string line = absl::StrCat(
      "tactus_ledger: ", ax::ForTerminal({message.data(), message.size()}),
      "\n");
  fwrite(line.data(), 1, line.size(), stderr);
}

ExitCode Fail(const absl::Status& status) {
  Complain(status.message());
  return ExitCode::kFailed;
}

// Where the command was typed: `bazel run` starts programs elsewhere.
std::string Here() {
  const char* typed = getenv("BUILD_WORKING_DIRECTORY");
  if (typed != nullptr && typed[0] == '/') return typed;
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

// A path that was typed, from where it was typed.
std::string FromHere(const std::string& path) {
  return (std::filesystem::path(Here()) / path).string();
}

// Rows by their instruments' files.
absl::Status AppendAll(const LedgerPlace& place, const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> by_file;
  for (const Row& row : rows) {
    by_file[FileNameFor(row.instrument.name)].push_back(row);
  }
  for (const auto& [file, of_file] : by_file) {
    const std::string path = absl::StrCat(place.folder, "/", file);
    const absl::StatusOr<Tail> tail =
        AppendRows(path, of_file, absl::Now() + kLockPatience);
    if (!tail.ok()) return tail.status();
    if (tail->kind != Tail::Kind::kWhole) Complain(DescribeTail(path, *tail));
    absl::Status written = Write(
        absl::StrCat(of_file.size(), of_file.size() == 1 ? " row" : " rows",
                     " appended to ", ax::ForTerminal(path), "\n"));
    if (!written.ok()) return written;
  }
  return absl::OkStatus();
}

ExitCode Append(const LedgerPlace& place) {
  const absl::StatusOr<std::string> text =
      ReadDocument(STDIN_FILENO, "standard input");
  if (!text.ok()) return Fail(text.status());
  const absl::StatusOr<Device> device = ReadDevice();
  if (!device.ok()) return Fail(device.status());
  DraftDefaults defaults = {.run = NewRunId(),
                            .date = absl::Now(),
                            .dirty = true,  // no commit to be the same as
                            .device = *device,
                            .origin = "append"};
  if (!place.repository.empty()) {
    const absl::StatusOr<Revision> revision =
        // Of a repository that is a ledger, what is no ledger file counts.
        ReadRevision(place.repository,
                     place.within == "." ? "*.jsonl" : place.within);
    if (!revision.ok()) return Fail(revision.status());
    defaults.commit = revision->commit;
    defaults.dirty = revision->dirty;
  }
  const absl::StatusOr<std::vector<Row>> rows = CompleteDrafts(*text, defaults);
  if (!rows.ok()) return Fail(rows.status());
  if (absl::Status s = AppendAll(place, *rows); !s.ok()) return Fail(s);
  return ExitCode::kDone;
}

// Shows, or exports, what the filter lets through. Whatever is no row is told,
// and makes the result less than all there is.
template <typename OnMatch>
ExitCode Each(const LedgerPlace& place, const Filter& filter,
              const OnMatch& on_match) {
  int64_t matches = 0;
  int64_t rejections = 0;
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      place.folder,
      [&](const Place& at, const Row& row) -> absl::Status {
        if (!Matches(filter, row)) return absl::OkStatus();
        ++matches;
        return on_match(at, row);
      },
      [&](const Rejection& rejection) {
        Complain(DescribeRejection(rejection));
        if (rejection.kind != Rejection::Kind::kDuplicate) ++rejections;
      });
  if (!read.ok()) return Fail(read.status());
  if (matches == 0) {
    Complain(absl::StrCat("none of the ", read->rows, " rows in ", place.folder,
                          " is asked for"));
  }
  return rejections == 0 ? ExitCode::kDone : ExitCode::kFailed;
}

ExitCode Show(const LedgerPlace& place, const Arguments& arguments) {
  bool header = !arguments.json;
  return Each(place, arguments.filter,
              [&](const Place& at, const Row& row) -> absl::Status {
                if (arguments.json) return Write(absl::StrCat(at.text, "\n"));
                const std::string start = header ? TableHeader() : "";
                header = false;
                return Write(absl::StrCat(start, TableLine(row)));
              });
}

ExitCode Export(const LedgerPlace& place, const Arguments& arguments) {
  const CsvOptions options = {.samples = arguments.samples};
  if (absl::Status s = Write(CsvHeader(options)); !s.ok()) return Fail(s);
  return Each(place, arguments.filter, [&](const Place&, const Row& row) {
    return Write(CsvLine(row, options));
  });
}

ExitCode VerifyAll(const LedgerPlace& place) {
  absl::Status written;
  const absl::StatusOr<Verdict> verdict =
      Verify(place, [&](absl::string_view line) {
        if (!written.ok()) return;
        written = Write(
            absl::StrCat(ax::ForTerminal({line.data(), line.size()}), "\n"));
      });
  if (!verdict.ok()) return Fail(verdict.status());
  if (written.ok()) {
    written = Write(absl::StrCat(DescribeVerdict(*verdict), "\n"));
  }
  if (!written.ok()) return Fail(written);
  return verdict->findings == 0 ? ExitCode::kDone : ExitCode::kFailed;
}

// The device of the row whose id begins so.
absl::StatusOr<Device> DeviceFrom(const LedgerPlace& place,
                                  const std::string& start) {
  std::vector<Row> found;
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      place.folder,
      [&](const Place&, Row row) {
        if (found.size() < 2 &&
            absl::string_view(row.id).substr(0, start.size()) == start) {
          found.push_back(std::move(row));
        }
        return absl::OkStatus();
      },
      [](const Rejection&) {});
  if (!read.ok()) return read.status();
  if (found.size() == 1) return found.front().device;
  return absl::NotFoundError(absl::StrCat(
      "--device-from '", start,
      "': ", found.empty() ? "no row of " : "more than one row of ",
      place.folder, " has an id that begins so"));
}

ExitCode ImportLedger(const LedgerPlace& place, const std::string& source) {
  const absl::StatusOr<MergeCounts> merged =
      MergeLedger(FromHere(source), place.folder, kLockPatience, Complain);
  if (!merged.ok()) return Fail(merged.status());
  const std::string line =
      absl::StrCat(merged->appended, merged->appended == 1 ? " row" : " rows",
                   " appended, ", merged->skipped, " were there already, ",
                   merged->rejected, " lines were no rows\n");
  if (absl::Status s = Write(line); !s.ok()) return Fail(s);
  return merged->rejected == 0 ? ExitCode::kDone : ExitCode::kFailed;
}

// Takes those out that the ledger has: a document that is imported again.
absl::Status LeaveOutKnown(const LedgerPlace& place, std::vector<Row>& rows) {
  absl::flat_hash_set<std::string> wanted;
  for (const Row& row : rows) wanted.insert(row.id);
  absl::flat_hash_set<std::string> known;
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      place.folder,
      [&](const Place&, const Row& row) {
        if (wanted.contains(row.id)) known.insert(row.id);
        return absl::OkStatus();
      },
      // Of our own, `verify` tells.
      [](const Rejection&) {});
  if (!read.ok()) {
    return absl::IsNotFound(read.status()) ? absl::OkStatus() : read.status();
  }
  const size_t before = rows.size();
  rows.erase(
      std::remove_if(rows.begin(), rows.end(),
                     [&](const Row& row) { return known.contains(row.id); }),
      rows.end());
  if (rows.size() == before) return absl::OkStatus();
  return Write(absl::StrCat(before - rows.size(), " of ", before,
                            " rows were there already\n"));
}

ExitCode Import(const LedgerPlace& place, const Arguments& arguments) {
  if (arguments.from == Arguments::From::kLedger) {
    return ImportLedger(place, arguments.source);
  }
  const absl::StatusOr<Device> device =
      arguments.device_from.empty() ? ReadDevice()
                                    : DeviceFrom(place, arguments.device_from);
  if (!device.ok()) return Fail(device.status());
  ImportContext context = {// Without a commit nobody knows what was measured.
                           .dirty = arguments.dirty || arguments.commit.empty(),
                           .device = *device,
                           .instrument = arguments.instrument};
  if (!arguments.commit.empty()) {
    const absl::StatusOr<std::string> commit =
        ResolveCommit(place, arguments.commit);
    if (!commit.ok()) return Fail(commit.status());
    context.commit = *commit;
  }
  absl::StatusOr<Imported> imported =
      ImportFrom(arguments.from, FromHere(arguments.source), context);
  if (!imported.ok()) return Fail(imported.status());
  for (const std::string& note : imported->notes) Complain(note);
  if (absl::Status s = LeaveOutKnown(place, imported->rows); !s.ok()) {
    return Fail(s);
  }
  if (absl::Status s = AppendAll(place, imported->rows); !s.ok()) {
    return Fail(s);
  }
  return ExitCode::kDone;
}

ExitCode Run(const Arguments& arguments) {
  const absl::StatusOr<LedgerPlace> place =
      FindLedger(arguments.ledger, Here());
  if (!place.ok()) return Fail(place.status());
  switch (arguments.command) {
    case Arguments::Command::kAppend:
      return Append(*place);
    case Arguments::Command::kShow:
      return Show(*place, arguments);
    case Arguments::Command::kVerify:
      return VerifyAll(*place);
    case Arguments::Command::kExport:
      return Export(*place, arguments);
    case Arguments::Command::kImport:
      return Import(*place, arguments);
  }
  return ExitCode::kUsage;
}

int Main(int argc, char** argv) {
  // A reader of our output that has gone is an error of a write like any other.
  signal(SIGPIPE, SIG_IGN);
  const std::variant<Arguments, Ending> parsed = ParseArguments(argc, argv);
  ExitCode code;
  if (const Ending* ending = std::get_if<Ending>(&parsed)) {
    code = ending->code;
    fwrite(ending->error.data(), 1, ending->error.size(), stderr);
    fwrite(ending->out.data(), 1, ending->out.size(), stdout);
  } else {
    code = Run(std::get<Arguments>(parsed));
  }
  if (absl::Status flushed = FlushOutput();
      !flushed.ok() && code == ExitCode::kDone) {
    code = Fail(flushed);
  }
  return static_cast<int>(code);
}

}  // namespace
}  // namespace tactus::ledger

int main(int argc, char** argv) { return tactus::ledger::Main(argc, argv); }
