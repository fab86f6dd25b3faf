// A file that decides what is allowed: read only where nobody but its owner, or
// root, can have written it, and replaced whole.
//
// Use it for the configuration. What is secret as well is in a folder of its
// own (transfer/identity/private_folder.h).
//
// Example:
//
//   absl::StatusOr<std::optional<std::string>> text =
//       ReadTrustedFile(path, 1 << 20);
//   if (text.ok() && !text->has_value()) return Defaults();
#ifndef TACTUS_TOOLS_CONFIG_TRUSTED_FILE_H_
#define TACTUS_TOOLS_CONFIG_TRUSTED_FILE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::config {

// Absent where there is no file. FailedPrecondition, with the remedy, for one
// that is no plain file, longer than `most` bytes, or that others can write to,
// and where it cannot be read.
absl::StatusOr<std::optional<std::string>> ReadTrustedFile(
    const std::string& path, size_t most);

// 0600, in the place of what is there or new, its folder made where it is
// missing; on disk when it returns. FailedPrecondition where that cannot be
// done.
absl::Status ReplaceTrustedFile(const std::string& path,
                                absl::string_view text);

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_TRUSTED_FILE_H_
