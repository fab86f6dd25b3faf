// Runs a fuzz target on inputs that nothing guides: what //fuzz:power holds the
// guided fuzzers against. It counts no coverage and keeps no input.
//
// Without a corpus an input is random bytes, of a length of which each power of
// two up to 4096 is as likely. With one, each second input is one of the
// corpus instead, with one to eight random changes: a bit, a byte, a number
// that is often wrong, bytes taken out, put in, or copied from another input.
//
// Usage: NAME_blind SEED CPU_SECONDS [CORPUS_DIRECTORY]
// Exit codes: 0 the time is over; 1 the corpus cannot be read, or is empty; 2
// usage. An input that is found to fail ends the process as it fails.

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// As long as libFuzzer makes them without a corpus.
constexpr size_t kLongest = 4096;
// Between two looks at the clock.
constexpr int kRuns = 64;

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

class Generator {
 public:
  Generator(uint64_t seed, std::vector<std::string> corpus)
      : random_(seed), corpus_(std::move(corpus)) {}

  std::string Next() {
    if (corpus_.empty() || Below(2) == 0) return Bytes();
    std::string input = Any();
    for (size_t left = 1 + Below(8); left > 0; --left) Change(input);
    return input;
  }

 private:
  size_t Below(size_t most) { return static_cast<size_t>(random_() % most); }
  char Byte() { return static_cast<char>(Below(256)); }
  const std::string& Any() { return corpus_[Below(corpus_.size())]; }

  std::string Bytes() {
    const size_t most = size_t{1} << Below(13);
    std::string bytes(Below(std::min(most, kLongest) + 1), '\0');
    std::generate(bytes.begin(), bytes.end(), [this] { return Byte(); });
    return bytes;
  }

  void Change(std::string& input) {
    constexpr unsigned char kOften[] = {0, 1, 0x7F, 0x80, 0xFF, '\n', '"', '0'};
    const size_t size = input.size();
    const size_t at = Below(size + 1);
    switch (Below(6)) {
      case 0:
        if (at < size) input[at] ^= static_cast<char>(1 << Below(8));
        return;
      case 1:
        if (at < size) input[at] = Byte();
        return;
      case 2:
        if (at < size) {
          input[at] = static_cast<char>(kOften[Below(std::size(kOften))]);
        }
        return;
      case 3:
        input.erase(at, 1 + Below(16));
        return;
      case 4: {
        const std::string put = Bytes().substr(0, 1 + Below(16));
        if (size + put.size() <= kLongest) input.insert(at, put);
        return;
      }
      default: {
        const std::string& other = Any();
        const size_t from = Below(other.size() + 1);
        const std::string part = other.substr(from, 1 + Below(64));
        if (Below(2) == 0) {
          input.replace(at, part.size(), part);
        } else if (size + part.size() <= kLongest) {
          input.insert(at, part);
        }
        return;
      }
    }
  }

  std::mt19937_64 random_;
  const std::vector<std::string> corpus_;
};

bool ReadCorpus(const char* folder, std::vector<std::string>& corpus) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) paths.push_back(entry.path());
  }
  // A seed is the same run again wherever the files lie.
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back((std::istreambuf_iterator<char>(file)),
                        std::istreambuf_iterator<char>());
  }
  return !error && !corpus.empty();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: %s SEED CPU_SECONDS [CORPUS_DIRECTORY]\n",
                 argv[0]);
    return 2;
  }
  std::vector<std::string> corpus;
  if (argc == 4 && !ReadCorpus(argv[3], corpus)) {
    std::fprintf(stderr, "%s: no corpus can be read there\n", argv[3]);
    return 1;
  }
  const double seconds = std::atof(argv[2]);
  Generator generator(std::strtoull(argv[1], nullptr, 10), std::move(corpus));
  while (CpuSeconds() < seconds) {
    for (int i = 0; i < kRuns; ++i) {
      const std::string input = generator.Next();
      // Exactly as large as the input, for AddressSanitizer.
      const auto exact = std::make_unique<uint8_t[]>(input.size());
      std::memcpy(exact.get(), input.data(), input.size());
      LLVMFuzzerTestOneInput(exact.get(), input.size());
    }
  }
  return 0;
}
