// The importers on any bytes: they answer an error, or rows that the ledger
// takes and reads back the same, with the origin and the device that they were
// given; and of hyperfine's runs those alone count that ended with 0.

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "fuzz/check.h"
#include "ledger/import/criterion.h"
#include "ledger/import/draft.h"
#include "ledger/import/google_benchmark.h"
#include "ledger/import/hyperfine.h"
#include "ledger/import/imported.h"
#include "ledger/import/sample_context.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

void CheckRows(const std::vector<Row>& rows, absl::string_view origin) {
  FUZZ_CHECK(!rows.empty());
  for (const Row& row : rows) {
    FUZZ_CHECK(row.origin == origin);
    FUZZ_CHECK(row.id == RowId(row));
    const absl::StatusOr<std::string> line = FormatRow(row);
    FUZZ_CHECK(line.ok());
    const absl::StatusOr<Row> back = ParseRow(*line);
    FUZZ_CHECK(back.ok());
    FUZZ_CHECK(*FormatRow(*back) == *line);
  }
}

void CheckImported(const absl::StatusOr<Imported>& imported,
                   absl::string_view origin) {
  if (!imported.ok()) {
    FUZZ_CHECK(imported.status().code() == absl::StatusCode::kInvalidArgument);
    FUZZ_CHECK(!imported.status().message().empty());
    return;
  }
  CheckRows(imported->rows, origin);
  for (const Row& row : imported->rows) {
    FUZZ_CHECK(row.label == Label::kMeasured);
    FUZZ_CHECK(row.device.id == SampleContext().device.id);
  }
}

// Boost.JSON is the second opinion.
void CheckHyperfine(absl::string_view text,
                    const absl::StatusOr<Imported>& imported) {
  if (!imported.ok()) return;
  boost::json::error_code failed;
  const boost::json::value document = boost::json::parse(
      boost::json::string_view(text.data(), text.size()), failed);
  if (failed) return;
  std::vector<int64_t> wanted;
  for (const auto& result : document.at("results").as_array()) {
    const boost::json::object& run = result.as_object();
    const boost::json::value* codes = run.if_contains("exit_codes");
    int64_t good = 0;
    if (codes == nullptr || codes->is_null()) {
      good = static_cast<int64_t>(run.at("times").as_array().size());
    } else {
      for (const auto& code : codes->as_array()) {
        good += code.is_int64() && code.get_int64() == 0 ? 1 : 0;
      }
    }
    if (good > 0) wanted.push_back(good);
  }
  FUZZ_CHECK(wanted.size() == imported->rows.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    FUZZ_CHECK(imported->rows[i].summary.n == wanted[i]);
  }
}

// Three documents, a NUL between two.
CriterionFiles Split(absl::string_view text) {
  absl::string_view parts[3];
  for (absl::string_view& part : parts) {
    part = text.substr(0, text.find('\0'));
    text.remove_prefix(part.size() + (part.size() < text.size() ? 1 : 0));
  }
  return {.benchmark = parts[0], .sample = parts[1], .estimates = parts[2]};
}

void CheckDrafts(absl::string_view text) {
  const absl::StatusOr<std::vector<Row>> rows =
      CompleteDrafts(text, {.run = SampleContext().run,
                            .date = SampleContext().date,
                            .commit = std::string(40, 'a'),
                            .device = SampleContext().device,
                            .origin = "append"});
  if (rows.ok()) {
    CheckRows(*rows, "append");
  } else {
    FUZZ_CHECK(rows.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tactus::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // As long as a small result of each tool is. -1 keeps it from the corpus.
  if (size < 1 || size > 4096) return -1;
  using namespace tactus::ledger;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  switch (data[0]) {
    case 'g':
      CheckImported(ImportGoogleBenchmark(text, SampleContext()),
                    "google-benchmark");
      return 0;
    case 'h': {
      const auto imported = ImportHyperfine(text, SampleContext());
      CheckImported(imported, "hyperfine");
      CheckHyperfine(text, imported);
      return 0;
    }
    case 'c':
      CheckImported(ImportCriterion(Split(text), SampleContext()), "criterion");
      return 0;
    case 'd':
      CheckDrafts(text);
      return 0;
    default:
      return -1;
  }
}
