#include "tools/tactus_ledger/merge.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ledger/file/append.h"
#include "ledger/file/file_name.h"
#include "ledger/file/reader.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

using Tell = absl::FunctionRef<void(absl::string_view)>;

// The 16 bytes that an id spells.
using Id = std::array<char, 16>;

Id IdOf(const Row& row) {
  const std::string bytes = absl::HexStringToBytes(row.id);
  Id id = {};
  bytes.copy(id.data(), id.size());
  return id;
}

// Lines by the file that they go to.
class Batches {
 public:
  Batches(std::string folder, absl::Duration patience, Tell tell)
      : folder_(std::move(folder)), patience_(patience), tell_(tell) {}

  absl::Status Add(const Row& row, absl::string_view line) {
    size_ += line.size();
    lines_[FileNameFor(row.instrument.name)].push_back(
        absl::StrCat(line, "\n"));
    return size_ < kMaxBatch ? absl::OkStatus() : Flush();
  }

  absl::Status Flush() {
    for (const auto& [file, lines] : lines_) {
      const std::string path = absl::StrCat(folder_, "/", file);
      const absl::StatusOr<Tail> tail =
          AppendLines(path, lines, absl::Now() + patience_);
      if (!tail.ok()) return tail.status();
      if (tail->kind != Tail::Kind::kWhole) tell_(DescribeTail(path, *tail));
      appended_ += static_cast<int64_t>(lines.size());
    }
    lines_.clear();
    size_ = 0;
    return absl::OkStatus();
  }

  int64_t appended() const { return appended_; }

 private:
  const std::string folder_;
  const absl::Duration patience_;
  const Tell tell_;
  std::map<std::string, std::vector<std::string>> lines_;
  size_t size_ = 0;
  int64_t appended_ = 0;
};

}  // namespace

absl::StatusOr<MergeCounts> MergeLedger(const std::string& theirs,
                                        const std::string& ours,
                                        absl::Duration patience, Tell tell) {
  absl::flat_hash_set<Id> here;
  const absl::StatusOr<ReadCounts> known = ReadFolder(
      ours,
      [&](const Place&, const Row& row) {
        here.insert(IdOf(row));
        return absl::OkStatus();
      },
      // Of our own, `verify` tells.
      [](const Rejection&) {});
  if (!known.ok() && !absl::IsNotFound(known.status())) return known.status();
  MergeCounts counts;
  Batches batches(ours, patience, tell);
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      theirs,
      [&](const Place& place, const Row& row) -> absl::Status {
        if (!here.insert(IdOf(row)).second) {
          ++counts.skipped;
          return absl::OkStatus();
        }
        return batches.Add(row, place.text);
      },
      [&](const Rejection& rejection) {
        if (rejection.kind == Rejection::Kind::kDuplicate) return;
        ++counts.rejected;
        tell(DescribeRejection(rejection));
      });
  if (!read.ok()) return read.status();
  if (absl::Status s = batches.Flush(); !s.ok()) return s;
  counts.appended = batches.appended();
  return counts;
}

}  // namespace tactus::ledger
