// One row of the ledger: what one instrument measured in one run.
//
// Use it to write down a measurement so that it can be judged, published and
// doubted later: what was measured, by which program built from what, on which
// device, every sample, and how far it may be believed. docs/ledger.md is the
// format for people; this header is it for programs, and a test holds the two
// together.
//
// Example:
//
//   Row row;
//   row.run = NewRunId();
//   row.date = absl::FromUnixSeconds(absl::ToUnixSeconds(absl::Now()));
//   row.instrument = {.name = "//ax/atspi:edit_benchmark"};
//   row.device = ThisDevice();
//   row.series = "edit/gtk3";
//   row.unit = Unit::kMicroseconds;
//   row.direction = Direction::kLessIsBetter;
//   row.samples = {412.0, 398.5, 405.25};
//   row.summary = *Summarize(row.samples);
//   absl::StatusOr<std::string> line = FormatRow(row);   // ends with '\n'
//
// A line is checked when it is written and when it is read, by the same rules:
// nothing that one refuses can have come from the other. Values that are not
// finite are refused, since JSON has none and a mean of infinity hides the
// rest.
//
// The id is the digest of everything else in the row. A line that was edited by
// hand no longer has its id, and is refused; two equal ids are the same row,
// which a merge of two ledgers keeps once.
#ifndef TACTUS_LEDGER_ROW_ROW_H_
#define TACTUS_LEDGER_ROW_ROW_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {

// What a line says of its own form. A reader refuses a higher one by name.
inline constexpr int kSchema = 1;

// A closed list: two spellings of one unit are two series to a machine.
enum class Unit {
  kNanoseconds,        // "ns"
  kMicroseconds,       // "us"
  kMilliseconds,       // "ms"
  kSeconds,            // "s"
  kBytes,              // "B"
  kBytesPerSecond,     // "B/s"
  kMegabitsPerSecond,  // "Mbit/s", 10^6 bits
  kPerSecond,          // "1/s": rows, calls, edits; the series says of what
  kCount,              // "count": flights, calls, characters
  kRatio,              // "ratio": a quotient of two measured in one run
};
absl::string_view UnitName(Unit unit);
absl::StatusOr<Unit> ParseUnit(absl::string_view name);
absl::Span<const Unit> AllUnits();

// Whether less or more of it is better: what makes a change a regression.
enum class Direction {
  kLessIsBetter,  // "less"
  kMoreIsBetter,  // "more"
};
absl::string_view DirectionName(Direction direction);
absl::StatusOr<Direction> ParseDirection(absl::string_view name);

// How far a row may be believed.
enum class Label {
  kMeasured,   // "measured": an instrument wrote it
  kVerified,   // "verified": read in a primary source, which `citation` names
  kSuspected,  // "suspected": a hypothesis, with the `plan` that would test it
};
absl::string_view LabelName(Label label);
absl::StatusOr<Label> ParseLabel(absl::string_view name);

// Who measured. A digest is "ALGORITHM:HEX", e.g. "sha256:9f86d0…", or empty
// where it is unknown.
struct Instrument {
  std::string name;     // the Bazel target, or of a foreign tool its name
  std::string binary;   // digest of the program that ran
  std::string harness;  // digest of its sources and of those of the Recorder
};

// What it ran on: enough to say which rows may be compared, and nothing that
// names a machine or a person.
struct Device {
  std::string id;  // DeviceId() of the rest; two equal ones are comparable
  std::string processor;
  int64_t cores = 0;
  std::string memory;          // a class: "16-32 GiB"
  std::string kernel;          // its release
  std::string virtualization;  // "none", or the hypervisor's own name
};
// 16 hexadecimal digits that follow from the facts alone.
std::string DeviceId(const Device& device);

// What else ran: a reading before the first sample, and one after the last.
// Absent where the system does not tell.
struct Conditions {
  std::optional<double> load_before;  // mean of running processes, 1 minute
  std::optional<double> load_after;
  std::optional<double> mhz_before;  // mean of the cores' frequencies
  std::optional<double> mhz_after;
};

struct Row {
  std::string id;  // RowId() of the rest; FormatRow fills it in
  // 16 hexadecimal digits that the rows of one run share: a ratio is only of
  // two of the same one.
  std::string run;
  absl::Time date = absl::UnixEpoch();  // when the run began, whole seconds
  Instrument instrument;
  std::string commit;  // 40 digits; empty where there is no repository
  // Whether anything but the ledger itself differed from that commit.
  bool dirty = false;
  Device device;
  std::string series;  // what was measured: "edit/gtk3", see IsSeriesName
  // How: "application" -> "gtk3". Part of what rows must share to be compared.
  std::map<std::string, std::string> configuration;
  Unit unit = Unit::kMicroseconds;
  Direction direction = Direction::kLessIsBetter;
  // Raw, in the order in which they were taken; at most kMaxSamples of them.
  std::vector<double> samples;
  // Of all that were taken: summary.n is more than samples.size() only where
  // there were more than kMaxSamples.
  Summary summary;
  int64_t failures = 0;  // tries that gave no sample
  Conditions conditions;
  Label label = Label::kMeasured;
  std::string citation;    // kVerified: the source
  std::string hypothesis;  // kSuspected
  std::string plan;        // kSuspected
  // Empty for what our Recorder wrote; else the tool it was imported from.
  std::string origin;
};

// A row of 4096 samples is 80 kB; what takes more is a histogram's to keep.
inline constexpr size_t kMaxSamples = 4096;
// What a line may have at most: a row of kMaxSamples, and as much again.
inline constexpr size_t kMaxLine = size_t{256} << 10;
// Of names, values and citations, in bytes.
inline constexpr size_t kMaxText = 1024;
inline constexpr size_t kMaxConfiguration = 32;

// Lower-case words of letters, digits, '_', '-' and '.', joined by '/'.
bool IsSeriesName(absl::string_view name);

// Rows of one key form a history: same series and configuration. E.g.
// "edit/gtk3 application=gtk3 text=43".
std::string SeriesKey(const Row& row);

// At random, from the system: two runs in one second are two.
std::string NewRunId();

// InvalidArgument, with the field and what is wrong with it.
absl::Status ValidateRow(const Row& row);

// 32 hexadecimal digits, the digest of the canonical line without its id.
std::string RowId(const Row& row);

// The canonical line, id and line end included. InvalidArgument as ValidateRow.
absl::StatusOr<std::string> FormatRow(const Row& row);

// A line, with its end or without. InvalidArgument, with the field, for what is
// not JSON, has keys that are unknown, missing or twice there, breaks a rule of
// ValidateRow, or has another id than its contents give.
absl::StatusOr<Row> ParseRow(absl::string_view line);

// A number as rows spell it: the shortest decimal that reads back the same,
// whatever the locale. E.g. "512", "0.25", "1e-07".
std::string FormatNumber(double value);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_ROW_ROW_H_
