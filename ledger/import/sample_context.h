// What the tests of the importers are given.
#ifndef TACTUS_LEDGER_IMPORT_SAMPLE_CONTEXT_H_
#define TACTUS_LEDGER_IMPORT_SAMPLE_CONTEXT_H_

#include "absl/time/time.h"
#include "ledger/import/imported.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

inline ImportContext SampleContext() {
  ImportContext context = {.run = "00112233445566aa",
                           .date = absl::FromUnixSeconds(1'780'000'000),
                           .device = {.processor = "Made-up 9000",
                                      .cores = 2,
                                      .memory = "16-32 GiB",
                                      .kernel = "6.1.0",
                                      .virtualization = "none"}};
  context.device.id = DeviceId(context.device);
  return context;
}

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_SAMPLE_CONTEXT_H_
