// The ledger's reader on any bytes: what is accepted is spelled as it would be
// written and has the digests of what it holds, every line is told exactly
// once, and where the bytes are cut into pieces changes nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "ledger/file/reader.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// What a reader told of each line, by its number.
struct Told {
  std::vector<std::string> lines;
  ReadCounts counts;
};

Told Scan(absl::string_view text, size_t piece) {
  Told told;
  const auto on_row = [&](const Place& place, const Row& row) {
    const absl::StatusOr<std::string> line = FormatRow(row);
    FUZZ_CHECK(line.ok());
    FUZZ_CHECK(*line == absl::StrCat(place.text, "\n"));
    FUZZ_CHECK(row.id == RowId(row));
    FUZZ_CHECK(row.device.id == DeviceId(row.device));
    told.lines.push_back("row");
    FUZZ_CHECK(place.line == static_cast<int64_t>(told.lines.size()));
    return absl::OkStatus();
  };
  const auto on_rejected = [&](const Rejection& rejection) {
    told.lines.push_back(rejection.reason);
    FUZZ_CHECK(!rejection.reason.empty());
    FUZZ_CHECK(rejection.file == "f");
    FUZZ_CHECK(rejection.line == static_cast<int64_t>(told.lines.size()));
  };
  RowScanner scanner("f", on_row, on_rejected);
  while (!text.empty()) {
    FUZZ_CHECK(scanner.Feed(text.substr(0, piece)).ok());
    text.remove_prefix(std::min(piece, text.size()));
  }
  FUZZ_CHECK(scanner.Finish().ok());
  told.counts = scanner.counts();
  return told;
}

// What stands in `text` between `before` and the next `after`.
absl::string_view Between(absl::string_view text, absl::string_view before,
                          absl::string_view after) {
  const size_t at = text.find(before);
  if (at == absl::string_view::npos) return "";
  text.remove_prefix(at + before.size());
  const size_t end = text.find(after);
  return end == absl::string_view::npos ? "" : text.substr(0, end);
}

// A changed row is refused by its digests before anything else of it is looked
// at, and no mutation finds the right ones. So the reader's own word of what
// they should be is put in, and then the row is one, or is wrong otherwise.
void CheckWithDigests(absl::string_view line) {
  std::string text(line);
  for (const absl::string_view what :
       {" is not that of its facts, ", " is not that of its contents, "}) {
    const absl::Status status = ParseRow(text).status();
    const absl::string_view message = status.message();
    if (!absl::StrContains(message, what)) continue;
    const std::string wrong =
        absl::StrCat("\"", Between(message, ": '", "'"), "\"");
    // The digest ends with the message, or before the next colon.
    absl::string_view right = message.substr(message.find(what) + what.size());
    right = right.substr(0, right.find(':'));
    const size_t at = text.find(wrong);
    if (at == std::string::npos) return;  // spelled with escapes
    text.replace(at + 1, wrong.size() - 2, right.data(), right.size());
  }
  Scan(text, text.size() + 1);
}

void Check(absl::string_view text, size_t piece) {
  const Told whole = Scan(text, text.size() + 1);
  // As a reader of one byte after the other counts them.
  const int64_t ends = std::count(text.begin(), text.end(), '\n');
  const bool torn = !text.empty() && text.back() != '\n';
  FUZZ_CHECK(whole.counts.lines == ends + (torn ? 1 : 0));
  FUZZ_CHECK(whole.counts.bytes == static_cast<int64_t>(text.size()));
  FUZZ_CHECK(whole.counts.lines == whole.counts.rows + whole.counts.rejected);
  FUZZ_CHECK(whole.lines.size() == static_cast<size_t>(whole.counts.lines));

  const Told pieces = Scan(text, piece);
  FUZZ_CHECK(pieces.lines == whole.lines);

  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    CheckWithDigests(line);
  }
}

}  // namespace
}  // namespace tactus::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Some rows; more of them are only more of the same. -1 keeps it from the
  // corpus.
  if (size < 1 || size > 8192) return -1;
  // The first byte says into how long pieces the rest is cut.
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  tactus::ledger::Check(text, size_t{1} + data[0]);
  return 0;
}
