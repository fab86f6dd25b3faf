// Finds the id of each line of the Model Context Protocol, whether the line has
// a method, and which request it takes back, while its bytes go by; it never
// holds, changes or prints one.
//
// Use it beside what forwards the bytes, to know which requests are under way.
//
// Example:
//
//   IdScanner scanner;
//   scanner.Feed(bytes, [&](const ScannedLine& line) {
//     if (line.has_method && !line.id.empty()) pending.Add(line.id);
//   });
//
// What is found is what a JSON parser would: members of the object that the
// line is, and not of objects in it; names in which characters are escaped; of
// a name that is there twice the last. Of a line that is no JSON something may
// be found or nothing. A line that is an array is not looked into: the
// revisions that are carried know no batches.
//
// It holds at most three values of kLongestId bytes and takes time in
// proportion to the bytes, however they are cut.
#ifndef TACTUS_TRANSFER_MCP_ID_SCANNER_H_
#define TACTUS_TRANSFER_MCP_ID_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

// Of an id as it is written. Ids are numbers and short names; each that is
// under way is kept.
inline constexpr size_t kLongestId = 1024;

struct ScannedLine {
  // As it was written, `7` or `"a"`: a string or a number, else empty.
  std::string id = {};
  // There was an id, and it was longer than kLongestId: `id` is empty.
  bool id_too_long = false;
  bool has_method = false;  // a string
  // Of a `notifications/cancelled`: the id that it names, as it was written.
  // Empty where its parameters are longer than kLongestId: a long reason.
  std::string cancelled = {};

  bool is_request() const { return has_method && !id.empty(); }
  bool is_response() const { return !has_method && !id.empty(); }

  friend bool operator==(const ScannedLine&, const ScannedLine&) = default;
};

class IdScanner {
 public:
  using OnLine = absl::FunctionRef<void(const ScannedLine&)>;

  // Calls `on_line` at the end of each line.
  void Feed(absl::string_view bytes, OnLine on_line);
  // At the end of all: a last line may have no end.
  void End(OnLine on_line);

  // Bytes of the line that goes by, so far.
  uint64_t line_bytes() const { return line_bytes_; }

 private:
  enum class Member { kOther, kId, kMethod, kParams };
  // Where in the top-level object, outside of nested values.
  enum class Place { kBegin, kKey, kColon, kValue, kAfterValue, kOver };

  // The number or text that is the member `name` of the object `json`.
  static std::string IdIn(absl::string_view json, absl::string_view name);

  void Byte(char byte);
  void Structure(char byte);
  void ValueByte(char byte);
  void KeyEnds();
  void ValueEnds();
  ScannedLine Take();

  uint64_t line_bytes_ = 0;
  Place place_ = Place::kBegin;
  int64_t depth_ = 0;  // of what is nested in the object
  bool in_string_ = false;
  bool escaped_ = false;
  std::string key_;  // as written, without quotes
  bool key_too_long_ = false;
  Member member_ = Member::kOther;
  std::string value_;  // of a member that counts, as written
  bool value_too_long_ = false;
  char first_ = '\0';  // of the value
  absl::string_view id_name_ = "id";
  bool looks_inside_ = true;  // into the parameters of a cancellation
  bool cancels_ = false;
  std::string params_;  // as written; empty where they are too long
  ScannedLine found_;
};

// The value of an id, the same for each way to write it: `1`, `1.0` and `10e-1`
// are one number, `"a"` and `"\u0061"` one text. For comparing alone.
std::string IdKey(absl::string_view id);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_ID_SCANNER_H_
