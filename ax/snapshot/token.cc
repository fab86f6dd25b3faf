#include "ax/snapshot/token.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ax/types/types.h"
#include "xxhash.h"

namespace tactus::ax {
namespace {

constexpr absl::string_view kPrefix = "t1.";
constexpr size_t kFields = 10;
// Longer than any that EncodeToken makes of real bus names and object paths
// (each at most 255 bytes by the D-Bus specification), in base64.
constexpr size_t kMaxToken = 4096;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a snapshot token (", what,
                   "): pass the `token` that `tactus snapshot` printed"));
}

}  // namespace

std::string DigestOf(absl::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

std::string EncodeToken(const SnapshotToken& token) {
  const std::string fields[kFields] = {token.application,
                                       absl::StrCat(token.pid),
                                       token.path,
                                       absl::StrCat(token.window.begin),
                                       absl::StrCat(token.window.end),
                                       absl::StrCat(token.character_count),
                                       absl::StrCat(token.caret),
                                       absl::StrCat(token.selection.begin),
                                       absl::StrCat(token.selection.end),
                                       token.text_digest};
  std::string raw;
  for (const std::string& field : fields) {
    absl::StrAppend(&raw, field.size(), ":", field);
  }
  return absl::StrCat(kPrefix, absl::WebSafeBase64Escape(raw));
}

absl::StatusOr<SnapshotToken> DecodeToken(absl::string_view token) {
  if (token.size() > kMaxToken) return Malformed("too long");
  if (!absl::ConsumePrefix(&token, kPrefix)) {
    return Malformed(absl::StartsWith(token, "t") ? "another version"
                                                  : "no \"t1.\" in front");
  }
  std::string raw;
  if (!absl::WebSafeBase64Unescape(token, &raw)) {
    return Malformed("not base64url");
  }
  std::vector<std::string> fields;
  absl::string_view rest = raw;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    uint64_t size = 0;
    if (colon == absl::string_view::npos ||
        !absl::SimpleAtoi(rest.substr(0, colon), &size) ||
        size > rest.size() - colon - 1) {
      return Malformed("cut short");
    }
    fields.emplace_back(rest.substr(colon + 1, size));
    rest.remove_prefix(colon + 1 + size);
    if (fields.size() > kFields) break;
  }
  if (fields.size() != kFields) return Malformed("wrong number of fields");
  SnapshotToken result;
  result.application = fields[0];
  result.path = fields[2];
  result.text_digest = fields[9];
  if (!absl::SimpleAtoi(fields[1], &result.pid) ||
      !absl::SimpleAtoi(fields[3], &result.window.begin) ||
      !absl::SimpleAtoi(fields[4], &result.window.end) ||
      !absl::SimpleAtoi(fields[5], &result.character_count) ||
      !absl::SimpleAtoi(fields[6], &result.caret) ||
      !absl::SimpleAtoi(fields[7], &result.selection.begin) ||
      !absl::SimpleAtoi(fields[8], &result.selection.end)) {
    return Malformed("a number is none");
  }
  return result;
}

}  // namespace tactus::ax
