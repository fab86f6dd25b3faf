// What a device or a server may be called.
//
// A name is chosen by one side and typed, shown and kept by the other, as a
// word of a command, in a file and in a file's name. So it needs no escape
// anywhere and is no option: letters, digits, dots, underscores and dashes of
// ASCII, and no dash first.
//
// Example:
//
//   if (!IsName(name)) return BadName();
#ifndef TACTUS_TRANSFER_IDENTITY_NAME_H_
#define TACTUS_TRANSFER_IDENTITY_NAME_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace tactus::transfer {

inline constexpr size_t kLongestName = 64;

bool IsNameByte(char byte);

// 1 to kLongestName such bytes.
bool IsName(absl::string_view name);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_IDENTITY_NAME_H_
