#include "tools/tactus_ledger/verify.h"

#include <map>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ledger/file/reader.h"
#include "ledger/row/row.h"
#include "tools/tactus_ledger/history.h"
#include "tools/tactus_ledger/repository.h"

namespace tactus::ledger {
namespace {

struct Findings {
  absl::FunctionRef<void(absl::string_view)> tell;
  Verdict verdict;

  void Add(absl::string_view finding) {
    ++verdict.findings;
    tell(finding);
  }
  void Note(absl::string_view note) {
    ++verdict.notes;
    tell(absl::StrCat("note: ", note));
  }
};

// What all rows of a series must share, and where the first one stands.
struct Measure {
  Unit unit;
  Direction direction;
  std::string place;
};

// Where each commit stands first: as many as there are, not as there are rows.
using Commits = std::map<std::string, std::string>;

absl::Status CheckRows(const LedgerPlace& place, Findings& findings,
                       Commits& commits) {
  std::map<std::string, Measure> measures;
  const auto on_row = [&](const Place& at, const Row& row) {
    const std::string where = absl::StrCat(at.file, ":", at.line);
    if (!row.commit.empty()) commits.emplace(row.commit, where);
    const auto [known, fresh] = measures.emplace(
        SeriesKey(row), Measure{row.unit, row.direction, where});
    const Measure& measure = known->second;
    if (measure.unit != row.unit) {
      findings.Add(absl::StrCat(
          where, ": unit: '", UnitName(row.unit), "', but of the same series '",
          UnitName(measure.unit), "' in ", measure.place));
    } else if (measure.direction != row.direction) {
      findings.Add(absl::StrCat(
          where, ": direction: '", DirectionName(row.direction),
          "', but of the same series '", DirectionName(measure.direction),
          "' in ", measure.place));
    }
    return absl::OkStatus();
  };
  const auto on_rejected = [&](const Rejection& rejection) {
    if (rejection.kind == Rejection::Kind::kDuplicate) {
      findings.Note(DescribeRejection(rejection));
    } else {
      findings.Add(DescribeRejection(rejection));
    }
  };
  const absl::StatusOr<ReadCounts> read =
      ReadFolder(place.folder, on_row, on_rejected);
  if (!read.ok()) return read.status();
  findings.verdict.rows = read->rows;
  findings.verdict.files = read->files;
  if (read->rows == 0) {
    findings.Add(absl::StrCat(place.folder, ": holds no row"));
  }
  return absl::OkStatus();
}

absl::Status CheckCommits(const LedgerPlace& place, const Commits& commits,
                          Findings& findings) {
  const absl::StatusOr<KnownCommits> known = ReadCommits(place);
  if (!known.ok()) return known.status();
  for (const auto& [commit, where] : commits) {
    if (known->commits.contains(commit)) continue;
    if (known->shallow) {
      ++findings.verdict.unknown_commits;
      continue;
    }
    findings.Add(absl::StrCat(where, ": commit: ", commit,
                              " is in the history of no branch and no tag"));
  }
  if (findings.verdict.unknown_commits > 0) {
    findings.Note(absl::StrCat(
        "unknown: whether ", findings.verdict.unknown_commits, " of ",
        commits.size(),
        " commits exist, in a shallow clone; `git fetch --unshallow` tells"));
  }
  if (known->shallow) {
    findings.Note(
        "unknown: whether a line changed before the oldest commit of this "
        "shallow clone");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Verdict> Verify(
    const LedgerPlace& place, absl::FunctionRef<void(absl::string_view)> tell) {
  Findings findings = {.tell = tell};
  Commits commits;
  if (absl::Status s = CheckRows(place, findings, commits); !s.ok()) return s;
  if (place.repository.empty()) {
    findings.Note(
        absl::StrCat("unknown: whether commits exist and lines were changed; ",
                     place.folder, " is in no git repository"));
    return findings.verdict;
  }
  if (absl::Status s = CheckCommits(place, commits, findings); !s.ok()) {
    return s;
  }
  const absl::StatusOr<HistoryReport> history =
      CheckHistory(place.repository, place.within);
  if (!history.ok()) return history.status();
  for (const std::string& finding : history->findings) findings.Add(finding);
  if (history->commits == 0) {
    findings.Note(
        absl::StrCat("unknown: whether lines were changed; no commit has ",
                     place.within, " yet"));
  }
  return findings.verdict;
}

std::string DescribeVerdict(const Verdict& verdict) {
  return absl::StrCat(
      verdict.rows, verdict.rows == 1 ? " row in " : " rows in ", verdict.files,
      verdict.files == 1 ? " file: " : " files: ", verdict.findings,
      verdict.findings == 1 ? " finding" : " findings",
      verdict.notes > 0 ? absl::StrCat(", ", verdict.notes,
                                       verdict.notes == 1 ? " note" : " notes")
                        : "");
}

}  // namespace tactus::ledger
