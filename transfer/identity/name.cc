#include "transfer/identity/name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

bool IsNameByte(char byte) {
  return absl::ascii_isalnum(static_cast<unsigned char>(byte)) || byte == '.' ||
         byte == '_' || byte == '-';
}

bool IsName(absl::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), IsNameByte);
}

}  // namespace tactus::transfer
