#include "ax/atspi/desktop/record.h"

#include <stdlib.h>

#include <boost/json.hpp>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

std::string FileName() {
  if (const char* named = getenv("TACTUS_EDIT_ROWS")) return named;
  const char* folder = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  return folder == nullptr ? "" : absl::StrCat(folder, "/edits.jsonl");
}

boost::json::string Json(absl::string_view text) {
  return boost::json::string(text.data(), text.size());
}

}  // namespace

void Record(const EditRow& row, const EditResult& result) {
  const std::string name = FileName();
  if (name.empty()) return;
  boost::json::object line;
  line["application"] = row.application;
  line["toolkit"] = result.application.toolkit;
  line["toolkit_version"] = result.application.toolkit_version;
  line["operation"] = row.operation;
  line["text"] = row.text;
  line["field"] = row.field;
  line["rung"] = Json(RungName(result.rung));
  line["outcome"] = Json(OutcomeName(result.outcome));
  line["reason"] = Json(ReasonName(result.reason));
  line["agrees"] = row.agrees;
  line["own_undo"] = row.own_undo;
  // Of what was refused before any rung there is none.
  if (result.rung != Rung::kNone && result.gap > absl::ZeroDuration()) {
    line["gap_us"] = absl::ToInt64Microseconds(result.gap);
  }
  line["elapsed_us"] = absl::ToInt64Microseconds(result.elapsed);
  std::ofstream file(name, std::ios::app);
  file << boost::json::serialize(line) << "\n";
  file.close();
  EXPECT_TRUE(file) << name << " cannot be written";
}

}  // namespace tactus::ax::atspi
