#include "ledger/file/file_name.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xxhash.h"

namespace tactus::ledger {
namespace {

// File systems allow 255 bytes; a side file's suffix comes on top.
constexpr size_t kMost = 128 - (sizeof(kLedgerSuffix) - 1);
// '~' and 16 digits.
constexpr size_t kDigest = 17;

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
         c == '-';
}

// Of a file name that starts with '-' most commands think that it is an option.
bool IsWord(absl::string_view text) {
  return !text.empty() && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), IsPlain);
}

// "ax.atspi.edit_benchmark" of "//ax/atspi:edit_benchmark"; empty where that
// would not be the spelling of this label alone. The last dot is the colon.
std::string DottedLabel(absl::string_view label) {
  if (!absl::ConsumePrefix(&label, "//")) return "";
  const size_t colon = label.find(':');
  if (colon == absl::string_view::npos) return "";
  const absl::string_view target = label.substr(colon + 1);
  absl::string_view package = label.substr(0, colon);
  if (!IsWord(target)) return "";
  std::string name;
  while (true) {
    const size_t slash = package.find('/');
    const absl::string_view word = package.substr(0, slash);
    if (!IsWord(word)) return "";
    absl::StrAppend(&name, word, ".");
    if (slash == absl::string_view::npos) break;
    package.remove_prefix(slash + 1);
  }
  return absl::StrCat(name, target);
}

std::string WithDigest(absl::string_view instrument) {
  std::string name;
  for (const char c : instrument) {
    if (name.size() == kMost - kDigest) break;
    if (IsPlain(c) && c != '-') {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  if (name.empty()) name = "instrument";
  if (name.back() == '-' && name.size() > 1) name.pop_back();
  return absl::StrFormat("%s~%016x", name,
                         XXH3_64bits(instrument.data(), instrument.size()));
}

}  // namespace

std::string FileNameFor(absl::string_view instrument) {
  std::string name =
      IsWord(instrument) ? std::string(instrument) : DottedLabel(instrument);
  if (name.empty() || name.size() > kMost) name = WithDigest(instrument);
  return absl::StrCat(name, kLedgerSuffix);
}

}  // namespace tactus::ledger
