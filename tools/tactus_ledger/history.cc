#include "tools/tactus_ledger/history.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "ledger/file/file_name.h"
#include "ledger/provenance/git.h"

namespace tactus::ledger {
namespace {

// A history of a hundred thousand commits takes git some seconds.
constexpr absl::Duration kPatience = absl::Minutes(2);
// Begins a commit in what git prints; no path of ours has it.
constexpr char kMark = '\x01';

// One file in one commit, against what it was in one of its parents.
struct Change {
  std::string commit;
  bool merge = false;
  char kind = 0;       // 'A'dded, 'M'odified, 'D'eleted, 'T'ype
  std::string before;  // names of blobs
  std::string after;
  std::string path;
};

// Whether a reader of the folder `within` reads `path`: not those below it.
bool IsLedgerFile(absl::string_view path, absl::string_view within) {
  if (within != ".") {
    if (!absl::ConsumePrefix(&path, within)) return false;
    if (!absl::ConsumePrefix(&path, "/")) return false;
  }
  return absl::EndsWith(path, kLedgerSuffix) && !absl::StartsWith(path, ".") &&
         path.find('/') == absl::string_view::npos;
}

// ":100644 100644 BEFORE AFTER KIND"
bool ParseRaw(absl::string_view text, Change& change) {
  const std::vector<std::string> words =
      absl::StrSplit(absl::StripPrefix(text, "\n"), ' ');
  if (words.size() != 5 || words[4].empty()) return false;
  change.before = words[2];
  change.after = words[3];
  change.kind = words[4][0];
  return true;
}

absl::StatusOr<std::vector<Change>> ReadChanges(const std::string& repository,
                                                const std::string& within,
                                                int64_t* commits) {
  // Every commit that changed something there, and every merge, with what it
  // changed of each of its parents: by default git leaves out a merge that took
  // one side whole, which is how rows of the other are lost.
  const absl::StatusOr<std::string> log =
      RunGit(repository,
             {"--literal-pathspecs", "log", "--full-history", "--parents", "-m",
              "--raw", "--no-abbrev", "--no-renames", "--no-show-signature",
              "-z", absl::StrCat("--format=%x01%H %P"), "HEAD", "--", within},
             kPatience);
  if (!log.ok()) return log.status();
  std::vector<Change> changes;
  Change change;
  std::string last;
  bool raw = false;
  for (const absl::string_view field : absl::StrSplit(*log, '\0')) {
    if (!field.empty() && field.front() == kMark) {
      const std::vector<std::string> names =
          absl::StrSplit(field.substr(1), ' ', absl::SkipEmpty());
      if (names.empty()) return absl::InternalError("git log has no commit");
      change.commit = names[0];
      change.merge = names.size() > 2;
      if (change.commit != last) ++*commits;
      last = change.commit;
      raw = false;
    } else if (raw) {
      change.path = std::string(field);
      raw = false;
      if (IsLedgerFile(change.path, within)) changes.push_back(change);
    } else if (ParseRaw(field, change)) {
      raw = true;
    } else if (!field.empty() && field != "\n") {
      return absl::InternalError("git log answers something unexpected");
    }
  }
  return changes;
}

// Blobs by name, the two that were asked for last: a file's history goes from
// one to the next. What Get answers is good until the call after the next.
class Blobs {
 public:
  explicit Blobs(std::string repository) : repository_(std::move(repository)) {}

  absl::StatusOr<const std::string*> Get(const std::string& name) {
    if (names_[latest_] == name) return &texts_[latest_];
    latest_ = 1 - latest_;
    if (names_[latest_] == name) return &texts_[latest_];
    names_[latest_].clear();
    absl::StatusOr<std::string> text =
        RunGit(repository_, {"cat-file", "blob", name}, kPatience, kMaxVersion);
    if (!text.ok()) return text.status();
    names_[latest_] = name;
    texts_[latest_] = *std::move(text);
    return &texts_[latest_];
  }

 private:
  const std::string repository_;
  std::array<std::string, 2> names_;
  std::array<std::string, 2> texts_;
  size_t latest_ = 0;
};

absl::Status CheckChange(const Change& change, Blobs& blobs,
                         std::vector<std::string>& findings) {
  const std::string commit = change.commit.substr(0, 12);
  if (change.kind == 'A') return absl::OkStatus();
  if (change.kind == 'D') {
    findings.push_back(
        absl::StrCat(change.path, ": commit ", commit, " removed it"));
    return absl::OkStatus();
  }
  if (change.kind != 'M') {
    findings.push_back(absl::StrCat(change.path, ": commit ", commit,
                                    " made it something else than a file"));
    return absl::OkStatus();
  }
  if (change.before == change.after) return absl::OkStatus();
  const absl::StatusOr<const std::string*> before = blobs.Get(change.before);
  if (!before.ok()) return before.status();
  const absl::StatusOr<const std::string*> after = blobs.Get(change.after);
  if (!after.ok()) return after.status();
  const int64_t line = change.merge ? FirstLostLine(**before, **after)
                                    : FirstChangedLine(**before, **after);
  if (line != 0) {
    findings.push_back(absl::StrCat(
        change.path, ":", line, ": commit ", commit,
        change.merge ? ", a merge, lost this line of one of its sides, or "
                       "moved it"
                     : " changed this line, or took it away"));
  }
  return absl::OkStatus();
}

// What is on the disk against HEAD.
absl::Status CheckWorkTree(const std::string& repository,
                           const std::string& within, Blobs& blobs,
                           std::vector<std::string>& findings) {
  const absl::StatusOr<std::string> tree =
      RunGit(repository,
             {"--literal-pathspecs", "ls-tree", "-z", "HEAD", "--",
              absl::StrCat(within, "/")},
             kPatience);
  if (!tree.ok()) return tree.status();
  for (const absl::string_view entry :
       absl::StrSplit(*tree, '\0', absl::SkipEmpty())) {
    // "100644 blob NAME\tPATH"
    const std::pair<std::string, std::string> halves =
        absl::StrSplit(entry, absl::MaxSplits('\t', 1));
    const std::vector<std::string> words = absl::StrSplit(halves.first, ' ');
    if (words.size() != 3 || words[1] != "blob" ||
        !IsLedgerFile(halves.second, within)) {
      continue;
    }
    std::ifstream in(absl::StrCat(repository, "/", halves.second),
                     std::ios::binary);
    if (!in) {
      findings.push_back(
          absl::StrCat(halves.second, ": HEAD has it, and the disk has not"));
      continue;
    }
    const std::string now{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) {
      return absl::DataLossError(absl::StrCat("cannot read ", halves.second));
    }
    const absl::StatusOr<const std::string*> head = blobs.Get(words[2]);
    if (!head.ok()) return head.status();
    if (const int64_t line = FirstChangedLine(**head, now); line != 0) {
      findings.push_back(
          absl::StrCat(halves.second, ":", line,
                       ": this line was changed, or taken away, since HEAD"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

int64_t FirstChangedLine(absl::string_view earlier, absl::string_view later) {
  if (absl::StartsWith(later, earlier)) return 0;
  const auto different =
      std::mismatch(earlier.begin(), earlier.end(), later.begin(), later.end());
  return 1 + std::count(earlier.begin(), different.first, '\n');
}

int64_t FirstLostLine(absl::string_view earlier, absl::string_view later) {
  int64_t number = 0;
  while (!earlier.empty()) {
    ++number;
    const absl::string_view line = earlier.substr(0, earlier.find('\n'));
    earlier.remove_prefix(std::min(line.size() + 1, earlier.size()));
    while (true) {
      if (later.empty()) return number;
      const absl::string_view candidate = later.substr(0, later.find('\n'));
      later.remove_prefix(std::min(candidate.size() + 1, later.size()));
      if (candidate == line) break;
    }
  }
  return 0;
}

absl::StatusOr<HistoryReport> CheckHistory(const std::string& repository,
                                           const std::string& within) {
  HistoryReport report;
  if (!RunGit(repository, {"rev-parse", "--verify", "--quiet", "HEAD"}).ok()) {
    return report;
  }
  const absl::StatusOr<std::vector<Change>> changes =
      ReadChanges(repository, within, &report.commits);
  if (!changes.ok()) return changes.status();
  Blobs blobs(repository);
  for (const Change& change : *changes) {
    if (absl::Status s = CheckChange(change, blobs, report.findings); !s.ok()) {
      return s;
    }
  }
  if (absl::Status s =
          CheckWorkTree(repository, within, blobs, report.findings);
      !s.ok()) {
    return s;
  }
  return report;
}

}  // namespace tactus::ledger
