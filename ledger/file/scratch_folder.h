// A folder of a test's own, removed with all that is in it at the end.
//
// Example:
//
//   const ScratchFolder scratch;
//   AppendRow(scratch.File("a.jsonl"), …);
#ifndef TACTUS_LEDGER_FILE_SCRATCH_FOLDER_H_
#define TACTUS_LEDGER_FILE_SCRATCH_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

class ScratchFolder {
 public:
  ScratchFolder() : ScratchFolder(getenv("TEST_TMPDIR")) {}
  explicit ScratchFolder(const char* above)
      : path_(
            absl::StrCat(above == nullptr ? "/tmp" : above, "/ledger.XXXXXX")) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string File(absl::string_view name) const {
    return absl::StrCat(path_, "/", name);
  }

 private:
  std::string path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteAll(const std::string& path, absl::string_view text) {
  std::ofstream(path, std::ios::binary)
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_SCRATCH_FOLDER_H_
