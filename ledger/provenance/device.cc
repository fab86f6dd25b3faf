#include "ledger/provenance/device.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// These files are the kernel's; a machine of a thousand cores has a cpuinfo of
// some 2 MB.
constexpr size_t kMost = size_t{16} << 20;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char buffer[1 << 14];
  while (file && text.size() < kMost) {
    file.read(buffer, sizeof(buffer));
    text.append(buffer, static_cast<size_t>(file.gcount()));
  }
  if (text.empty()) {
    return absl::UnavailableError(absl::StrCat("cannot read ", path));
  }
  return text;
}

// The values of `key` in lines of the form "key : value".
std::vector<std::string> Values(absl::string_view text, absl::string_view key) {
  std::vector<std::string> values;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) continue;
    if (absl::StripAsciiWhitespace(line.substr(0, colon)) != key) continue;
    values.emplace_back(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return values;
}

// The hypervisor's own name, as processors of this kind tell it.
std::string Hypervisor() {
#if defined(__x86_64__)
  // The leaf that the makers of processors keep free for hypervisors.
  constexpr unsigned int kHypervisorLeaf = 0x40000000;
  unsigned int eax = 0;
  unsigned int name[3] = {};
  __cpuid(kHypervisorLeaf, eax, name[0], name[1], name[2]);
  char text[sizeof(name) + 1] = {};
  memcpy(text, name, sizeof(name));
  std::string printable;
  for (const char* c = text; *c != '\0'; ++c) {
    if (absl::ascii_isprint(static_cast<unsigned char>(*c))) {
      printable.push_back(*c);
    }
  }
  absl::StripAsciiWhitespace(&printable);  // some are padded
  if (!printable.empty()) return printable;
#endif
  return "unknown";
}

}  // namespace

std::string MemoryClass(int64_t kibibytes) {
  constexpr int64_t kKibibytesPerGibibyte = int64_t{1} << 20;
  if (kibibytes < kKibibytesPerGibibyte) return "below 1 GiB";
  int64_t gibibytes = 1;
  while (kibibytes / kKibibytesPerGibibyte >= gibibytes * 2) gibibytes *= 2;
  return absl::StrCat(gibibytes, "-", gibibytes * 2, " GiB");
}

absl::StatusOr<Device> ReadDevice(const std::string& root) {
  Device device;
  const absl::StatusOr<std::string> processors =
      ReadFile(absl::StrCat(root, "/proc/cpuinfo"));
  if (!processors.ok()) return processors.status();
  device.cores = static_cast<int64_t>(Values(*processors, "processor").size());
  // What other processors than x86 call it.
  for (const char* key : {"model name", "Model", "Hardware", "cpu"}) {
    const std::vector<std::string> names = Values(*processors, key);
    if (names.empty()) continue;
    device.processor = names.front();
    break;
  }
  if (device.processor.empty()) device.processor = "unknown";
  if (device.cores < 1) {
    return absl::UnavailableError(
        absl::StrCat(root, "/proc/cpuinfo names no processor"));
  }
  const absl::StatusOr<std::string> memory =
      ReadFile(absl::StrCat(root, "/proc/meminfo"));
  if (!memory.ok()) return memory.status();
  const std::vector<std::string> total = Values(*memory, "MemTotal");
  int64_t kibibytes = 0;
  if (total.empty() ||
      !absl::SimpleAtoi(
          absl::string_view(total.front()).substr(0, total.front().find(' ')),
          &kibibytes) ||
      kibibytes < 1) {
    return absl::UnavailableError(
        absl::StrCat(root, "/proc/meminfo does not say MemTotal"));
  }
  device.memory = MemoryClass(kibibytes);
  const absl::StatusOr<std::string> kernel =
      ReadFile(absl::StrCat(root, "/proc/sys/kernel/osrelease"));
  if (!kernel.ok()) return kernel.status();
  device.kernel = std::string(absl::StripAsciiWhitespace(*kernel));
  const std::vector<std::string> flags = Values(*processors, "flags");
  const bool guest =
      !flags.empty() &&
      absl::StrContains(absl::StrCat(" ", flags.front(), " "), " hypervisor ");
  device.virtualization = guest ? Hypervisor() : "none";
  device.id = DeviceId(device);
  return device;
}

Load ReadLoad(const std::string& root) {
  Load load;
  double value = 0;
  if (const absl::StatusOr<std::string> text =
          ReadFile(absl::StrCat(root, "/proc/loadavg"));
      text.ok() &&
      absl::SimpleAtod(absl::string_view(*text).substr(0, text->find(' ')),
                       &value) &&
      value >= 0) {
    load.processes = value;
  }
  if (const absl::StatusOr<std::string> text =
          ReadFile(absl::StrCat(root, "/proc/cpuinfo"));
      text.ok()) {
    double sum = 0;
    int cores = 0;
    for (const std::string& mhz : Values(*text, "cpu MHz")) {
      if (!absl::SimpleAtod(mhz, &value) || value <= 0) continue;
      sum += value;
      ++cores;
    }
    if (cores > 0) load.mhz = sum / cores;
  }
  return load;
}

}  // namespace tactus::ledger
