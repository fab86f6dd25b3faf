// A name for a snapshot that outlives the process which took it.
//
// `tactus snapshot` prints a token and a later `tactus replace --snapshot
// TOKEN` takes it: the edit is refused unless the focus is still the same
// element of the same process, with the same text, caret and selection. So the
// token holds all that is compared, the text itself as a digest only: nobody
// can read from a token what the field held (a short text can be guessed and
// tried, so a token is still the user's own).
//
// Example:
//
//   absl::StatusOr<SnapshotToken> then = DecodeToken(argument);
//   if (!then.ok()) return then.status();
//   if (then->text_digest != DigestOf(*now.value)) Refuse("the text changed");
//
// Format: "t1." and base64url (RFC 4648, section 5) of the fields, each with
// its length in front; "1" is the version. The digest is XXH3-128 in
// hexadecimal.
#ifndef TACTUS_AX_SNAPSHOT_TOKEN_H_
#define TACTUS_AX_SNAPSHOT_TOKEN_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/types/types.h"

namespace tactus::ax {

struct SnapshotToken {
  std::string application;
  int64_t pid = 0;
  std::string path;
  Range window;
  int64_t character_count = -1;  // -1 where the snapshot did not know it
  int64_t caret = -1;
  Range selection{-1, -1};
  std::string text_digest;  // empty where no text was read

  friend bool operator==(const SnapshotToken&, const SnapshotToken&) = default;
};

// XXH3-128 of the bytes, as 32 hexadecimal digits.
std::string DigestOf(absl::string_view text);

std::string EncodeToken(const SnapshotToken& token);

// InvalidArgument, with what is wrong, for anything that EncodeToken did not
// make.
absl::StatusOr<SnapshotToken> DecodeToken(absl::string_view token);

}  // namespace tactus::ax

#endif  // TACTUS_AX_SNAPSHOT_TOKEN_H_
