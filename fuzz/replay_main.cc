// Runs each file of a corpus once through LLVMFuzzerTestOneInput, without
// libFuzzer, so that what was once found stays found in any configuration.
//
// Usage: NAME_replay_test CORPUS_DIRECTORY_OR_FILE...
// Exit codes: 0 each input was run; 1 an argument is missing, unreadable or
// holds no input; 2 usage. A failing input ends the process as it fails, and
// the last line printed names it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// The files at or below `path`, in order of name. False when it cannot be read.
bool ListInputs(const fs::path& path, std::vector<fs::path>& inputs) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    inputs.push_back(path);
    return true;
  }
  fs::recursive_directory_iterator it(path, error);
  for (; !error && it != fs::recursive_directory_iterator();
       it.increment(error)) {
    // Follows links: Bazel's runfiles are links to the corpus.
    if (it->is_regular_file(error)) inputs.push_back(it->path());
    if (error) break;
  }
  if (error) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), error.message().c_str());
    return false;
  }
  std::sort(inputs.begin(), inputs.end());
  return true;
}

bool Replay(const fs::path& path) {
  // Printed first, so that an input which ends the process is named.
  std::fprintf(stderr, "replaying %s\n", path.c_str());
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  // Exactly as large as the input, so that AddressSanitizer sees a read past
  // its end; a std::string has a zero byte there.
  const auto exact = std::make_unique<uint8_t[]>(bytes.size());
  std::memcpy(exact.get(), bytes.data(), bytes.size());
  LLVMFuzzerTestOneInput(exact.get(), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY_OR_FILE...\n", argv[0]);
    return 2;
  }
  size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    std::vector<fs::path> inputs;
    if (!ListInputs(argv[i], inputs)) return 1;
    if (inputs.empty()) {
      // Not a success: a corpus that was lost or renamed would go unnoticed.
      std::fprintf(stderr, "%s: the corpus is empty\n", argv[i]);
      return 1;
    }
    for (const fs::path& input : inputs) {
      if (!Replay(input)) return 1;
      ++replayed;
    }
  }
  std::printf("%zu inputs replayed\n", replayed);
  return 0;
}
