#include "ledger/record/recorder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ledger/file/append.h"
#include "ledger/file/file_name.h"
#include "ledger/provenance/device.h"
#include "ledger/provenance/git.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"
#include "xxhash.h"

namespace tactus::ledger {
namespace {

// For other writers, each of which holds the lock for one fsync.
constexpr absl::Duration kPatience = absl::Seconds(30);

std::string Environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// Of the program that runs.
absl::StatusOr<std::string> BinaryDigest() {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen("/proc/self/exe", "r"),
                                                   fclose);
  if (file == nullptr) return absl::UnavailableError("cannot read the program");
  XXH3_state_t* state = XXH3_createState();
  const auto free_state = absl::MakeCleanup([state] { XXH3_freeState(state); });
  XXH3_128bits_reset(state);
  std::array<char, 1 << 16> buffer;
  while (const size_t n = fread(buffer.data(), 1, buffer.size(), file.get())) {
    XXH3_128bits_update(state, buffer.data(), n);
  }
  if (ferror(file.get()) != 0) {
    return absl::UnavailableError("cannot read the program");
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  return absl::StrFormat("xxh3:%016x%016x", hash.high64, hash.low64);
}

// At most kMaxSamples, evenly over the whole run: the first ones alone would
// hide what changed in the course of it.
std::vector<double> Kept(const std::vector<double>& samples) {
  if (samples.size() <= kMaxSamples) return samples;
  std::vector<double> kept;
  kept.reserve(kMaxSamples);
  for (size_t i = 0; i < kMaxSamples; ++i) {
    kept.push_back(samples[i * samples.size() / kMaxSamples]);
  }
  return kept;
}

}  // namespace

absl::StatusOr<std::string> LedgerDirectory(bool record,
                                            const std::string& option) {
  if (!option.empty()) {
    if (option.front() == '/') return option;
    // `bazel run` starts programs elsewhere than where the command was typed.
    const std::string typed = Environment("BUILD_WORKING_DIRECTORY");
    return typed.empty() ? option : absl::StrCat(typed, "/", option);
  }
  if (!record) return "";
  const std::string workspace = Environment("BUILD_WORKSPACE_DIRECTORY");
  if (workspace.empty()) {
    return absl::FailedPreconditionError(
        "--record: there is no workspace; start it with bazel run, or name the "
        "folder with --ledger DIR");
  }
  return absl::StrCat(workspace, "/", kLedgerFolder);
}

absl::StatusOr<std::unique_ptr<Recorder>> Recorder::Start(Options options) {
  // make_unique cannot reach a private constructor.
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(options)));
  const Options& given = recorder->options_;
  Row& row = recorder->row_;
  row.run = given.run.empty() ? NewRunId() : given.run;
  if (!recorder->records()) return recorder;
  if (!given.optimized) {
    return absl::FailedPreconditionError(
        "this program is not optimized, and what it takes is not what a user's "
        "takes: build it with -c opt to record");
  }
  struct stat folder = {};
  if (stat(given.ledger.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode)) {
    return absl::NotFoundError(
        absl::StrCat("no folder ", given.ledger, " to keep a ledger in"));
  }
  row.date = absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now()));
  row.instrument.name = given.instrument;
  row.instrument.harness = given.harness;
  absl::StatusOr<std::string> binary = BinaryDigest();
  if (!binary.ok()) return binary.status();
  row.instrument.binary = *std::move(binary);
  const absl::StatusOr<Revision> revision =
      ReadRevision(given.ledger, kLedgerFolder);
  if (revision.ok()) {
    row.commit = revision->commit;
    row.dirty = revision->dirty;
  } else if (absl::IsNotFound(revision.status())) {
    row.dirty = true;
  } else {
    return revision.status();
  }
  absl::StatusOr<Device> device = ReadDevice(given.root);
  if (!device.ok()) return device.status();
  row.device = *std::move(device);
  row.configuration = given.configuration;
  recorder->before_ = ReadLoad(given.root);
  return recorder;
}

absl::Status Recorder::Record(const Series& series,
                              const std::map<std::string, std::string>& more) {
  if (!records()) return absl::OkStatus();
  const std::string name = absl::StrCat(
      options_.prefix, absl::StrReplaceAll(series.name, {{".", "/"}}));
  if (series.samples.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        name, " has no samples, and no row: ",
        series.failure.empty() ? "none was taken" : series.failure));
  }
  Row row = row_;
  row.series = name;
  for (const auto& [key, value] : more) row.configuration[key] = value;
  row.unit = series.unit;
  row.direction = series.direction;
  row.samples = Kept(series.samples);
  absl::StatusOr<Summary> summary = Summarize(series.samples);
  if (!summary.ok()) return summary.status();
  row.summary = *summary;
  row.failures = series.failures;
  const Load after = ReadLoad(options_.root);
  row.conditions = {.load_before = before_.processes,
                    .load_after = after.processes,
                    .mhz_before = before_.mhz,
                    .mhz_after = after.mhz};
  const std::string path =
      absl::StrCat(options_.ledger, "/", FileNameFor(row.instrument.name));
  absl::StatusOr<Tail> tail = AppendRow(path, row, absl::Now() + kPatience);
  if (!tail.ok()) return tail.status();
  if (tail->kind != Tail::Kind::kWhole) repaired_ = DescribeTail(path, *tail);
  return absl::OkStatus();
}

}  // namespace tactus::ledger
