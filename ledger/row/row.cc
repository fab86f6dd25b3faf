#include "ledger/row/row.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/exact_json.h"
#include "ledger/stats/summary.h"
#include "xxhash.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

constexpr absl::string_view kDateFormat = "%Y-%m-%dT%H:%M:%SZ";
// The largest integer below which a double holds every one.
constexpr double kExact = 9007199254740992.0;
// A row has three levels; more is none of ours, and deep nesting costs stack.
constexpr size_t kMaxDepth = 4;

constexpr std::array<Unit, 10> kUnits = {
    Unit::kNanoseconds,
    Unit::kMicroseconds,
    Unit::kMilliseconds,
    Unit::kSeconds,
    Unit::kBytes,
    Unit::kBytesPerSecond,
    Unit::kMegabitsPerSecond,
    Unit::kPerSecond,
    Unit::kCount,
    Unit::kRatio,
};

constexpr std::array<Direction, 2> kDirections = {Direction::kLessIsBetter,
                                                  Direction::kMoreIsBetter};

constexpr std::array<Label, 3> kLabels = {Label::kMeasured, Label::kVerified,
                                          Label::kSuspected};

// The one of `all` that is called so; an error names them all.
template <typename Enum>
absl::StatusOr<Enum> Find(absl::Span<const Enum> all,
                          absl::string_view (*name_of)(Enum),
                          absl::string_view what, absl::string_view name) {
  std::string known;
  for (const Enum value : all) {
    if (name_of(value) == name) return value;
    absl::StrAppend(&known, known.empty() ? "" : ", ", name_of(value));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no ", what, " '", name, "': one of ", known));
}

absl::string_view View(json::string_view text) {
  return {text.data(), text.size()};
}

std::string Quote(absl::string_view text) {
  return json::serialize(json::string_view(text.data(), text.size()));
}

std::string Digest(absl::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

bool IsHex(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f');
  });
}

// "sha256:9f86d0…"
bool IsDigest(absl::string_view text) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos || colon == 0) return false;
  const absl::string_view digits = text.substr(colon + 1);
  return digits.size() >= 16 && digits.size() <= 128 && IsHex(digits) &&
         std::all_of(text.begin(), text.begin() + colon, [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c);
         });
}

bool IsWord(absl::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_' ||
           c == '-' || c == '.';
  });
}

absl::Status Wrong(absl::string_view field, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

// What a name, a value or a citation may hold. Control characters would reach
// a terminal or a page.
absl::Status CheckText(absl::string_view field, absl::string_view text) {
  if (text.size() > kMaxText) {
    return Wrong(field,
                 absl::StrCat(text.size(), " bytes, of at most ", kMaxText));
  }
  for (const char c : text) {
    if (absl::ascii_iscntrl(c)) return Wrong(field, "has a control character");
  }
  return absl::OkStatus();
}

// Writes objects in the one order that is canonical.
class Writer {
 public:
  void Open(absl::string_view key = "") {
    Key(key);
    text_.push_back('{');
  }
  void Close() { text_.push_back('}'); }
  void Text(absl::string_view key, absl::string_view value) {
    Key(key);
    absl::StrAppend(&text_, Quote(value));
  }
  // What is not known is left out, so that "" has one spelling.
  void TextIfAny(absl::string_view key, absl::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void Number(absl::string_view key, double value) {
    Key(key);
    absl::StrAppend(&text_, FormatNumber(value));
  }
  void NumberIfAny(absl::string_view key, std::optional<double> value) {
    if (value.has_value()) Number(key, *value);
  }
  void Count(absl::string_view key, int64_t value) {
    Key(key);
    absl::StrAppend(&text_, value);
  }
  void Bool(absl::string_view key, bool value) {
    Key(key);
    absl::StrAppend(&text_, value ? "true" : "false");
  }
  void Numbers(absl::string_view key, absl::Span<const double> values) {
    Key(key);
    text_.push_back('[');
    bool first = true;
    for (const double value : values) {
      if (!first) text_.push_back(',');
      first = false;
      absl::StrAppend(&text_, FormatNumber(value));
    }
    text_.push_back(']');
  }
  std::string Take() { return std::move(text_); }

 private:
  void Key(absl::string_view key) {
    if (!text_.empty() && text_.back() != '{') text_.push_back(',');
    if (!key.empty()) absl::StrAppend(&text_, Quote(key), ":");
  }

  std::string text_;
};

// The canonical line from after the id on: `,"date":…}`.
std::string Body(const Row& row) {
  Writer to;
  to.Open();
  to.Text("run", row.run);
  to.Text("date", absl::FormatTime(kDateFormat, row.date, absl::UTCTimeZone()));
  to.Open("instrument");
  to.Text("name", row.instrument.name);
  to.TextIfAny("binary", row.instrument.binary);
  to.TextIfAny("harness", row.instrument.harness);
  to.Close();
  to.TextIfAny("commit", row.commit);
  to.Bool("dirty", row.dirty);
  to.Open("device");
  to.Text("id", row.device.id);
  to.Text("processor", row.device.processor);
  to.Count("cores", row.device.cores);
  to.Text("memory", row.device.memory);
  to.Text("kernel", row.device.kernel);
  to.Text("virtualization", row.device.virtualization);
  to.Close();
  to.Text("series", row.series);
  to.Open("configuration");
  for (const auto& [key, value] : row.configuration) to.Text(key, value);
  to.Close();
  to.Text("unit", UnitName(row.unit));
  to.Text("direction", DirectionName(row.direction));
  to.Numbers("samples", row.samples);
  to.Open("summary");
  to.Count("n", row.summary.n);
  to.Number("min", row.summary.min);
  to.Number("p50", row.summary.p50);
  to.Number("p95", row.summary.p95);
  to.Number("p99", row.summary.p99);
  to.Number("max", row.summary.max);
  to.Number("mean", row.summary.mean);
  to.Close();
  to.Count("failures", row.failures);
  to.Open("conditions");
  to.NumberIfAny("load_before", row.conditions.load_before);
  to.NumberIfAny("load_after", row.conditions.load_after);
  to.NumberIfAny("mhz_before", row.conditions.mhz_before);
  to.NumberIfAny("mhz_after", row.conditions.mhz_after);
  to.Close();
  to.Text("label", LabelName(row.label));
  to.TextIfAny("citation", row.citation);
  to.TextIfAny("hypothesis", row.hypothesis);
  to.TextIfAny("plan", row.plan);
  to.TextIfAny("origin", row.origin);
  to.Close();
  std::string body = to.Take();
  body.front() = ',';
  return body;
}

std::string Line(absl::string_view id, absl::string_view body) {
  return absl::StrCat("{\"schema\":", kSchema, ",\"id\":\"", id, "\"", body,
                      "\n");
}

// One object, whose keys are taken one by one; what was not taken is unknown.
// The first thing that is wrong is kept; what is read after it does not matter.
class Fields {
 public:
  Fields(const json::object* object, std::string place, absl::Status& status)
      : object_(object), place_(std::move(place)), status_(status) {
    if (object_ == nullptr) Fail("", "is not an object");
  }

  absl::string_view Text(absl::string_view key, bool optional = false) {
    const json::value* value = Take(key, optional);
    if (value == nullptr) return "";
    const json::string* text = value->if_string();
    if (text == nullptr) {
      Fail(key, "is not a text");
      return "";
    }
    return {text->data(), text->size()};
  }

  double Number(absl::string_view key) {
    const json::value* value = Take(key, false);
    return value == nullptr ? 0 : AsNumber(key, *value);
  }

  std::optional<double> NumberIfAny(absl::string_view key) {
    const json::value* value = Take(key, true);
    if (value == nullptr) return std::nullopt;
    return AsNumber(key, *value);
  }

  int64_t Count(absl::string_view key) {
    const json::value* value = Take(key, false);
    if (value == nullptr) return 0;
    if (const int64_t* count = value->if_int64()) return *count;
    Fail(key, "is not a whole number");
    return 0;
  }

  bool Bool(absl::string_view key) {
    const json::value* value = Take(key, false);
    if (value == nullptr) return false;
    if (const bool* truth = value->if_bool()) return *truth;
    Fail(key, "is neither true nor false");
    return false;
  }

  std::vector<double> Numbers(absl::string_view key, size_t most) {
    std::vector<double> numbers;
    const json::value* value = Take(key, false);
    if (value == nullptr) return numbers;
    const json::array* array = value->if_array();
    if (array == nullptr) {
      Fail(key, "is not a list");
      return numbers;
    }
    if (array->size() > most) {
      Fail(key, absl::StrCat(array->size(), " of them, of at most ", most));
      return numbers;
    }
    numbers.reserve(array->size());
    for (const json::value& one : *array) numbers.push_back(AsNumber(key, one));
    return numbers;
  }

  // For a key whose value is one of a closed list.
  template <typename Enum>
  Enum OneOf(absl::string_view key,
             absl::StatusOr<Enum> (*parse)(absl::string_view)) {
    const absl::StatusOr<Enum> parsed = parse(Text(key));
    if (parsed.ok()) return *parsed;
    Fail(key, parsed.status().message());
    return Enum{};
  }

  Fields Object(absl::string_view key) {
    const json::value* value = Take(key, false);
    return Fields(value == nullptr ? nullptr : value->if_object(), Spell(key),
                  status_);
  }

  // Every text that is left.
  std::map<std::string, std::string> Rest() {
    std::map<std::string, std::string> rest;
    if (object_ == nullptr) return rest;
    for (const json::key_value_pair& pair : *object_) {
      rest.emplace(View(pair.key()), Text(View(pair.key())));
    }
    return rest;
  }

  void Done() {
    if (object_ == nullptr || taken_ == object_->size()) return;
    // Which one it is does not matter enough to keep a set of those taken: a
    // row with an unknown key is another program's.
    Fail("", absl::StrCat("has ", object_->size() - taken_,
                          " keys that schema ", kSchema, " does not know"));
  }

  void Fail(absl::string_view key, absl::string_view what) {
    if (status_.ok()) status_ = Wrong(Spell(key), what);
  }

 private:
  std::string Spell(absl::string_view key) const {
    if (place_.empty()) return std::string(key.empty() ? "row" : key);
    return key.empty() ? place_ : absl::StrCat(place_, ".", key);
  }

  double AsNumber(absl::string_view key, const json::value& value) {
    if (value.is_int64()) return static_cast<double>(value.get_int64());
    if (value.is_uint64()) return static_cast<double>(value.get_uint64());
    if (value.is_double()) return value.get_double();
    Fail(key, "is not a number");
    return 0;
  }

  const json::value* Take(absl::string_view key, bool optional) {
    if (object_ == nullptr) return nullptr;
    const json::value* value =
        object_->if_contains(json::string_view(key.data(), key.size()));
    if (value != nullptr) {
      ++taken_;
    } else if (!optional) {
      Fail(key, "is missing");
    }
    return value;
  }

  const json::object* object_;
  const std::string place_;
  absl::Status& status_;
  size_t taken_ = 0;
};

void ReadRow(Fields& from, Row& row) {
  row.id = std::string(from.Text("id"));
  row.run = std::string(from.Text("run"));
  std::string error;
  const absl::string_view date = from.Text("date");
  if (!absl::ParseTime(kDateFormat, date, &row.date, &error)) {
    from.Fail("date", absl::StrCat("'", date,
                                   "' is not of the form "
                                   "2026-01-31T12:00:00Z"));
  }
  Fields instrument = from.Object("instrument");
  row.instrument.name = std::string(instrument.Text("name"));
  row.instrument.binary = std::string(instrument.Text("binary", true));
  row.instrument.harness = std::string(instrument.Text("harness", true));
  instrument.Done();
  row.commit = std::string(from.Text("commit", true));
  row.dirty = from.Bool("dirty");
  Fields device = from.Object("device");
  row.device.id = std::string(device.Text("id"));
  row.device.processor = std::string(device.Text("processor"));
  row.device.cores = device.Count("cores");
  row.device.memory = std::string(device.Text("memory"));
  row.device.kernel = std::string(device.Text("kernel"));
  row.device.virtualization = std::string(device.Text("virtualization"));
  device.Done();
  row.series = std::string(from.Text("series"));
  row.configuration = from.Object("configuration").Rest();
  row.unit = from.OneOf<Unit>("unit", ParseUnit);
  row.direction = from.OneOf<Direction>("direction", ParseDirection);
  row.samples = from.Numbers("samples", kMaxSamples);
  Fields summary = from.Object("summary");
  row.summary.n = summary.Count("n");
  row.summary.min = summary.Number("min");
  row.summary.p50 = summary.Number("p50");
  row.summary.p95 = summary.Number("p95");
  row.summary.p99 = summary.Number("p99");
  row.summary.max = summary.Number("max");
  row.summary.mean = summary.Number("mean");
  summary.Done();
  row.failures = from.Count("failures");
  Fields conditions = from.Object("conditions");
  row.conditions.load_before = conditions.NumberIfAny("load_before");
  row.conditions.load_after = conditions.NumberIfAny("load_after");
  row.conditions.mhz_before = conditions.NumberIfAny("mhz_before");
  row.conditions.mhz_after = conditions.NumberIfAny("mhz_after");
  conditions.Done();
  row.label = from.OneOf<Label>("label", ParseLabel);
  row.citation = std::string(from.Text("citation", true));
  row.hypothesis = std::string(from.Text("hypothesis", true));
  row.plan = std::string(from.Text("plan", true));
  row.origin = std::string(from.Text("origin", true));
  from.Done();
}

absl::Status ValidateDevice(const Device& device) {
  const std::pair<absl::string_view, absl::string_view> texts[] = {
      {"device.processor", device.processor},
      {"device.memory", device.memory},
      {"device.kernel", device.kernel},
      {"device.virtualization", device.virtualization},
  };
  for (const auto& [field, text] : texts) {
    if (text.empty()) return Wrong(field, "is empty");
    if (absl::Status s = CheckText(field, text); !s.ok()) return s;
  }
  if (device.cores < 1) return Wrong("device.cores", "less than one");
  if (device.id != DeviceId(device)) {
    return Wrong("device.id", absl::StrCat("'", device.id, "' is not that of ",
                                           "its facts, ", DeviceId(device)));
  }
  return absl::OkStatus();
}

// What each label must bring with it, and what only it may.
absl::Status ValidateLabel(const Row& row) {
  const bool cited = row.label == Label::kVerified;
  if (cited == row.citation.empty()) {
    return Wrong("citation", cited ? "is missing: a verified row names its "
                                     "source"
                                   : "is for verified rows alone");
  }
  const bool supposed = row.label == Label::kSuspected;
  if (supposed == row.hypothesis.empty()) {
    return Wrong("hypothesis", supposed ? "is missing: a suspected row says "
                                          "what is suspected"
                                        : "is for suspected rows alone");
  }
  if (supposed == row.plan.empty()) {
    return Wrong("plan", supposed ? "is missing: a suspected row says what "
                                    "would test it"
                                  : "is for suspected rows alone");
  }
  return absl::OkStatus();
}

absl::Status ValidateNumbers(const Row& row) {
  if (row.samples.size() > kMaxSamples) {
    return Wrong("samples",
                 absl::StrCat(row.samples.size(), " of at most ", kMaxSamples));
  }
  // Refuses none at all, and what is not finite.
  const absl::StatusOr<Summary> expected = Summarize(row.samples);
  if (!expected.ok()) return Wrong("samples", expected.status().message());
  // A time, a size or a rate below zero is a clock that ran backwards or a
  // subtraction of two that do not belong together.
  if (expected->min < 0) return Wrong("samples", "one is below zero");
  const Summary& summary = row.summary;
  if (summary.n == static_cast<int64_t>(row.samples.size())) {
    if (summary != *expected) {
      return Wrong("summary", "is not that of the samples");
    }
  } else if (row.samples.size() < kMaxSamples ||
             summary.n < static_cast<int64_t>(kMaxSamples)) {
    return Wrong("summary.n", absl::StrCat(summary.n, ", but there are ",
                                           row.samples.size(), " samples"));
  }
  for (const double value : {summary.min, summary.p50, summary.p95, summary.p99,
                             summary.max, summary.mean}) {
    if (!std::isfinite(value))
      return Wrong("summary", "is not a finite number");
  }
  if (!(summary.min <= summary.p50 && summary.p50 <= summary.p95 &&
        summary.p95 <= summary.p99 && summary.p99 <= summary.max)) {
    return Wrong("summary", "is out of order");
  }
  if (summary.min > expected->min || summary.max < expected->max) {
    return Wrong("summary", "does not hold its samples");
  }
  if (row.failures < 0) return Wrong("failures", "less than none");
  for (const std::optional<double>& value :
       {row.conditions.load_before, row.conditions.load_after,
        row.conditions.mhz_before, row.conditions.mhz_after}) {
    if (!value.has_value()) continue;
    if (!std::isfinite(*value) || *value < 0) {
      return Wrong("conditions", "one is not a number from zero on");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kMicroseconds:
      return "us";
    case Unit::kMilliseconds:
      return "ms";
    case Unit::kSeconds:
      return "s";
    case Unit::kBytes:
      return "B";
    case Unit::kBytesPerSecond:
      return "B/s";
    case Unit::kMegabitsPerSecond:
      return "Mbit/s";
    case Unit::kPerSecond:
      return "1/s";
    case Unit::kCount:
      return "count";
    case Unit::kRatio:
      return "ratio";
  }
  return "";
}

absl::Span<const Unit> AllUnits() { return kUnits; }

absl::StatusOr<Unit> ParseUnit(absl::string_view name) {
  return Find<Unit>(kUnits, UnitName, "unit", name);
}

absl::string_view DirectionName(Direction direction) {
  return direction == Direction::kLessIsBetter ? "less" : "more";
}

absl::StatusOr<Direction> ParseDirection(absl::string_view name) {
  return Find<Direction>(kDirections, DirectionName, "direction", name);
}

absl::string_view LabelName(Label label) {
  switch (label) {
    case Label::kMeasured:
      return "measured";
    case Label::kVerified:
      return "verified";
    case Label::kSuspected:
      return "suspected";
  }
  return "";
}

absl::StatusOr<Label> ParseLabel(absl::string_view name) {
  return Find<Label>(kLabels, LabelName, "label", name);
}

std::string DeviceId(const Device& device) {
  return Digest(absl::StrCat(device.processor, "\n", device.cores, "\n",
                             device.memory, "\n", device.kernel, "\n",
                             device.virtualization))
      .substr(0, 16);
}

bool IsSeriesName(absl::string_view name) {
  if (name.size() > kMaxText) return false;
  while (true) {
    const size_t slash = name.find('/');
    if (!IsWord(name.substr(0, slash))) return false;
    if (slash == absl::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

std::string SeriesKey(const Row& row) {
  std::string key = row.series;
  for (const auto& [name, value] : row.configuration) {
    absl::StrAppend(&key, " ", name, "=", value);
  }
  return key;
}

std::string NewRunId() {
  std::random_device random;
  return absl::StrFormat("%08x%08x", random(), random());
}

absl::Status ValidateRow(const Row& row) {
  if (row.run.size() != 16 || !IsHex(row.run)) {
    return Wrong("run",
                 absl::StrCat("'", row.run, "' is not 16 hexadecimal digits"));
  }
  if (row.date < absl::UnixEpoch() ||
      row.date != absl::FromUnixSeconds(absl::ToUnixSeconds(row.date))) {
    return Wrong("date", "is not a whole second since 1970");
  }
  if (row.instrument.name.empty()) return Wrong("instrument.name", "is empty");
  if (absl::Status s = CheckText("instrument.name", row.instrument.name);
      !s.ok()) {
    return s;
  }
  for (const std::string& digest :
       {row.instrument.binary, row.instrument.harness}) {
    if (!digest.empty() && !IsDigest(digest)) {
      return Wrong(
          "instrument",
          absl::StrCat("'", digest, "' is no digest: ", "ALGORITHM:HEX"));
    }
  }
  if (!row.commit.empty() && (row.commit.size() != 40 || !IsHex(row.commit))) {
    return Wrong("commit", absl::StrCat("'", row.commit,
                                        "' is not 40 hexadecimal digits"));
  }
  if (absl::Status s = ValidateDevice(row.device); !s.ok()) return s;
  if (!IsSeriesName(row.series)) {
    return Wrong("series", absl::StrCat("'", row.series,
                                        "' is not words of "
                                        "a-z, 0-9, '_', '-', '.' joined by "
                                        "'/'"));
  }
  if (row.configuration.size() > kMaxConfiguration) {
    return Wrong("configuration",
                 absl::StrCat(row.configuration.size(), " keys, of at most ",
                              kMaxConfiguration));
  }
  for (const auto& [key, value] : row.configuration) {
    if (!IsWord(key)) {
      return Wrong("configuration", absl::StrCat("the key '", key,
                                                 "' is not "
                                                 "of a-z, 0-9, '_', '-', '.'"));
    }
    if (absl::Status s = CheckText("configuration", value); !s.ok()) return s;
  }
  if (absl::Status s = ValidateNumbers(row); !s.ok()) return s;
  for (const std::string& text :
       {row.citation, row.hypothesis, row.plan, row.origin}) {
    if (absl::Status s = CheckText("label", text); !s.ok()) return s;
  }
  return ValidateLabel(row);
}

std::string RowId(const Row& row) { return Digest(Body(row)); }

absl::StatusOr<std::string> FormatRow(const Row& row) {
  if (absl::Status s = ValidateRow(row); !s.ok()) return s;
  const std::string body = Body(row);
  std::string line = Line(Digest(body), body);
  if (line.size() > kMaxLine) {
    return Wrong("row",
                 absl::StrCat(line.size(), " bytes, of at most ", kMaxLine));
  }
  return line;
}

absl::StatusOr<Row> ParseRow(absl::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (line.size() > kMaxLine) {
    return Wrong("row",
                 absl::StrCat(line.size(), " bytes, of at most ", kMaxLine));
  }
  // Most rows fit; what does not takes what it needs from the heap.
  unsigned char buffer[size_t{64} << 10];
  json::monotonic_resource memory(buffer);
  const absl::StatusOr<json::value> value =
      ParseExactJson(line, {.max_depth = kMaxDepth, .memory = &memory});
  if (!value.ok()) return Wrong("row", value.status().message());
  absl::Status status;
  Fields fields(value->if_object(), "", status);
  const int64_t schema = fields.Count("schema");
  if (status.ok() && schema != kSchema) {
    return Wrong("schema", absl::StrCat(schema, " is not the one known here, ",
                                        kSchema, ": use a newer version"));
  }
  Row row;
  ReadRow(fields, row);
  if (!status.ok()) return status;
  if (absl::Status s = ValidateRow(row); !s.ok()) return s;
  const std::string body = Body(row);
  const std::string id = Digest(body);
  if (row.id != id) {
    return Wrong("id", absl::StrCat("'", row.id,
                                    "' is not that of its "
                                    "contents, ",
                                    id,
                                    ": the line was changed "
                                    "after it was written"));
  }
  // What parses alike need not look alike: a key that stands twice, a space.
  absl::string_view canonical = line;
  if (std::string expected = Line(id, body);
      canonical != absl::string_view(expected).substr(0, expected.size() - 1)) {
    return Wrong("row", "is not spelled as this program writes it");
  }
  return row;
}

std::string FormatNumber(double value) {
  std::array<char, 32> buffer;
  // Whole numbers in full: the shortest form of 100000 is 1e+05.
  const bool whole = std::abs(value) < kExact && value == std::trunc(value);
  const std::to_chars_result end =
      whole
          ? std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                          static_cast<int64_t>(value))
          : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end.ptr);
}

}  // namespace tactus::ledger
