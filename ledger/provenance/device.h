// What this machine is, as far as it says which rows may be compared.
//
// Use it when a row is written, and to tell the rows of this device from those
// of others. It reads processor, cores, memory, kernel and hypervisor; never a
// name of the machine, an address or a serial number.
//
// Example:
//
//   absl::StatusOr<Device> device = ReadDevice();
//   if (!device.ok()) return device.status();
//   row.device = *device;
//
// Memory is a class, the powers of two that it lies between, since what the
// kernel keeps for itself differs from boot to boot.
#ifndef TACTUS_LEDGER_PROVENANCE_DEVICE_H_
#define TACTUS_LEDGER_PROVENANCE_DEVICE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// Reads proc/ and sys/ below `root`: a test has its own. Unavailable, naming
// the file, where one that is needed cannot be read: a row without its device
// would be compared with anything.
absl::StatusOr<Device> ReadDevice(const std::string& root = "/");

// Load and frequency now. What the system does not tell stays empty.
struct Load {
  std::optional<double> processes;  // mean running over one minute
  std::optional<double> mhz;        // mean of the cores
};
Load ReadLoad(const std::string& root = "/");

// "16-32 GiB" for what lies between; a whole power belongs to the class above.
std::string MemoryClass(int64_t kibibytes);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_PROVENANCE_DEVICE_H_
