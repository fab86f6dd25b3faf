// What each fuzzer does before libFuzzer starts: refuses to run blind, and
// finds its directories. fuzz/README.md says it for the user.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

// The bounds of the section in which the compiler keeps the coverage counters.
// The linker defines them only where some object was compiled with counters.
extern "C" {
__attribute__((weak)) extern uint8_t __start___sancov_cntrs;
__attribute__((weak)) extern uint8_t __stop___sancov_cntrs;
}

namespace {

namespace fs = std::filesystem;

// Exits with 1, not abort(): a refusal is no crash to keep an input of.
[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

size_t CounterCount() {
  const auto start = reinterpret_cast<uintptr_t>(&__start___sancov_cntrs);
  const auto stop = reinterpret_cast<uintptr_t>(&__stop___sancov_cntrs);
  return stop - start;
}

// Takes `prefix`VALUE out of `args` and returns VALUE, or "".
std::string TakeFlag(std::string_view prefix, std::vector<std::string>& args) {
  std::string value;
  std::erase_if(args, [&](const std::string& arg) {
    if (!arg.starts_with(prefix)) return false;
    value = arg.substr(prefix.size());
    return true;
  });
  return value;
}

bool HasFlag(std::string_view prefix, const std::vector<std::string>& args) {
  for (const std::string& arg : args) {
    if (arg.starts_with(prefix)) return true;
  }
  return false;
}

bool HasPath(const std::vector<std::string>& args) {
  for (size_t i = 1; i < args.size(); ++i) {
    if (!args[i].starts_with("-")) return true;
  }
  return false;
}

fs::path NewTemporaryDirectory(const std::string& target) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  std::string path = temporary / ("tactus-fuzz-" + target + ".XXXXXX");
  if (error || mkdtemp(path.data()) == nullptr) {
    Fail(path + ": cannot be made");
  }
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  // Outlives the call, since libFuzzer keeps pointers into it.
  static auto& args = *new std::vector<std::string>(*argv, *argv + *argc);
  std::string target = TakeFlag("--target=", args);
  if (target.empty()) target = fs::path(args[0]).filename();

  if (CounterCount() == 0) {
    Fail(target +
         ": built without coverage counters, so it would run blind and find "
         "next to nothing.\nRun it as: bazel run --config=fuzz //fuzz:" +
         target + " -- -runs=100000");
  }

  // Before the directory changes: relative to the runfiles.
  const std::string seeds_flag = TakeFlag("--seeds=", args);
  std::error_code error;
  const fs::path seeds = seeds_flag.empty() ? "" : fs::absolute(seeds_flag);

  // `bazel run` starts programs in their runfiles; paths that a person gave,
  // and crashes found, belong where that person stood.
  if (const char* cwd = std::getenv("BUILD_WORKING_DIRECTORY")) {
    fs::current_path(cwd, error);
    if (error) Fail(std::string(cwd) + ": " + error.message());
  }

  // libFuzzer writes what it finds to the first directory and only reads the
  // others. Given none, it would neither start from the corpus nor keep any.
  if (!HasPath(args)) {
    const fs::path out = NewTemporaryDirectory(target);
    const fs::path found = out / "corpus";
    if (!fs::create_directory(found, error))
      Fail(found.string() + ": not made");
    if (!HasFlag("-artifact_prefix=", args)) {
      args.push_back("-artifact_prefix=" + out.string() + "/");
    }
    args.push_back(found);
    if (fs::is_directory(seeds, error)) {
      args.push_back(seeds);
    } else {
      std::fprintf(stderr, "%s: no corpus at '%s', starting from nothing\n",
                   target.c_str(), seeds.c_str());
    }
    std::fprintf(stderr, "%s: new inputs and crashes go to %s\n",
                 target.c_str(), out.c_str());
  }

  static auto& pointers = *new std::vector<char*>();
  for (std::string& arg : args) pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  *argc = static_cast<int>(args.size());
  *argv = pointers.data();
  return 0;
}
