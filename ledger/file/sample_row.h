// A valid row for tests: whole, made up, and another one for each number.
#ifndef TACTUS_LEDGER_FILE_SAMPLE_ROW_H_
#define TACTUS_LEDGER_FILE_SAMPLE_ROW_H_

#include <cstdint>

#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {

inline Row SampleRow(int64_t number = 0) {
  Row row;
  row.run = "00112233445566aa";
  row.date = absl::FromUnixSeconds(1'780'000'000 + number);
  row.instrument = {.name = "//ax/atspi:edit_benchmark"};
  row.device = {.processor = "Made-up 9000",
                .cores = 2,
                .memory = "16-32 GiB",
                .kernel = "6.1.0",
                .virtualization = "none"};
  row.device.id = DeviceId(row.device);
  row.series = "edit/gtk3";
  row.configuration = {{"application", "gtk3"}};
  row.samples = {412, 398.5, 405.25, static_cast<double>(number)};
  row.summary = *Summarize(row.samples);
  return row;
}

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_SAMPLE_ROW_H_
