#include "tools/tactus/size_text.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tactus::cli {

std::string SizeText(uint64_t bytes) {
  if (bytes < 1000) return absl::StrCat(bytes, " B");
  double size = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    size /= 1000;
    unit = larger;
    if (size < 999.5) break;
  }
  return size < 10 ? absl::StrFormat("%.2f %s", size, unit)
                   : absl::StrFormat("%.4g %s", size, unit);
}

}  // namespace tactus::cli
