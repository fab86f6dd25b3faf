#include "tools/tactus_ledger/sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/import/criterion.h"
#include "ledger/import/google_benchmark.h"
#include "ledger/import/hyperfine.h"
#include "ledger/import/imported.h"
#include "tools/tactus_ledger/arguments.h"
#include "xxhash.h"

namespace tactus::ledger {
namespace {

namespace fs = std::filesystem;

absl::Status Failed(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

absl::Status In(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<absl::Time> ModifiedAt(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return Failed("look at", path);
  return absl::FromTimeT(found.st_mtime);
}

std::string RunOf(absl::string_view document) {
  return absl::StrFormat("%016x",
                         XXH3_64bits(document.data(), document.size()));
}

// The folders of one benchmark each: those called "new" that hold its samples.
absl::StatusOr<std::vector<std::string>> CriterionFolders(
    const std::string& source) {
  std::error_code error;
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code ignored;
    if (fs::is_regular_file(folder / "sample.json", ignored)) {
      folders.push_back(folder.string());
    }
  };
  add(source);
  // Links are not followed, so there is no circle.
  fs::recursive_directory_iterator entry(source, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    if (entry->path().filename() == "new") add(entry->path());
    entry.increment(error);
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot read the folder ", source, ": ", error.message()));
  }
  if (folders.empty()) {
    return absl::NotFoundError(
        absl::StrCat(source,
                     " holds no new/sample.json: name target/criterion "
                     "of a crate, after `cargo bench`"));
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

absl::Status AddCriterion(const std::string& folder, ImportContext context,
                          Imported& imported) {
  const absl::StatusOr<absl::Time> date =
      ModifiedAt(absl::StrCat(folder, "/sample.json"));
  if (!date.ok()) return date.status();
  context.date = *date;
  const absl::StatusOr<std::string> sample =
      ReadDocument(absl::StrCat(folder, "/sample.json"));
  if (!sample.ok()) return sample.status();
  context.run = RunOf(*sample);
  const absl::StatusOr<std::string> benchmark =
      ReadDocument(absl::StrCat(folder, "/benchmark.json"));
  if (!benchmark.ok()) return benchmark.status();
  const absl::StatusOr<std::string> estimates =
      ReadDocument(absl::StrCat(folder, "/estimates.json"));
  if (!estimates.ok() && !absl::IsNotFound(estimates.status())) {
    return estimates.status();
  }
  const absl::StatusOr<Imported> one =
      ImportCriterion({.benchmark = *benchmark,
                       .sample = *sample,
                       .estimates = estimates.ok() ? *estimates : ""},
                      context);
  if (!one.ok()) return In(folder, one.status());
  imported.rows.insert(imported.rows.end(), one->rows.begin(), one->rows.end());
  imported.notes.insert(imported.notes.end(), one->notes.begin(),
                        one->notes.end());
  if (imported.rows.size() > kMaxImported) {
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": more than ", kMaxImported, " rows"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadDocument(int fd, const std::string& name) {
  std::string text;
  char block[1 << 16];
  while (true) {
    const ssize_t n = read(fd, block, sizeof(block));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", name);
    if (n == 0) return text;
    text.append(block, static_cast<size_t>(n));
    if (text.size() > kMaxDocument) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": more than ", kMaxDocument, " bytes"));
    }
  }
}

absl::StatusOr<std::string> ReadDocument(const std::string& path) {
  const int fd =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return Failed("open", path);
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  struct stat found;
  if (fstat(fd, &found) != 0) return Failed("look at", path);
  if (!S_ISREG(found.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is no regular file"));
  }
  return ReadDocument(fd, path);
}

absl::StatusOr<Imported> ImportFrom(Arguments::From from,
                                    const std::string& source,
                                    ImportContext context) {
  if (from == Arguments::From::kCriterion) {
    const absl::StatusOr<std::vector<std::string>> folders =
        CriterionFolders(source);
    if (!folders.ok()) return folders.status();
    Imported imported;
    for (const std::string& folder : *folders) {
      if (absl::Status s = AddCriterion(folder, context, imported); !s.ok()) {
        return s;
      }
    }
    return imported;
  }
  const absl::StatusOr<std::string> text = ReadDocument(source);
  if (!text.ok()) return text.status();
  const absl::StatusOr<absl::Time> date = ModifiedAt(source);
  if (!date.ok()) return date.status();
  context.date = *date;
  context.run = RunOf(*text);
  absl::StatusOr<Imported> imported =
      from == Arguments::From::kHyperfine
          ? ImportHyperfine(*text, context)
          : ImportGoogleBenchmark(*text, context);
  if (!imported.ok()) return In(source, imported.status());
  return imported;
}

}  // namespace tactus::ledger
