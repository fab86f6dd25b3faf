// JSON-RPC 2.0 as the daemon speaks it: one message a line, strictly read.
//
// Used by both ends of the control socket; docs/control.md is the protocol as
// others implement it. What a method means is in calls.h.
//
// Example:
//
//   const std::variant<Request, Fault> read = ReadRequest(line);
//   if (const auto* fault = std::get_if<Fault>(&read)) {
//     return ErrorLine(fault->id, fault->error);
//   }
//   return ResultLine(*std::get<Request>(read).id, R"({"paused":true})");
//
// What is refused although JSON-RPC knows it: batches, since each line is
// answered by itself anyway; parameters by position; ids that are null or have
// a fraction. Of a member that is there twice the last counts.
//
// Lines that are made here are valid UTF-8 and safe to print, as those of
// tools/tactus/json.h; they end with a newline.
//
// Source: the JSON-RPC 2.0 specification, jsonrpc.org.
#ifndef TACTUS_TOOLS_CONTROL_JSON_RPC_H_
#define TACTUS_TOOLS_CONTROL_JSON_RPC_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::control {

// Of a line from a client, without its end: a text of some million characters
// in its longest form. Beyond it an edit is not one that a person waits for.
inline constexpr size_t kMostRequest = size_t{8} << 20;
// Of a line to a client: an edit tells three texts.
inline constexpr size_t kMostAnswer = size_t{64} << 20;
// Of nested arrays and objects; a request needs four.
inline constexpr size_t kMostDepth = 16;
// Of an id, in bytes of JSON: it is kept while the request is under way.
inline constexpr size_t kMostId = 128;

enum class Code {
  // Of JSON-RPC itself.
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kBadParams = -32602,
  kInternal = -32603,
  // Ours.
  kNotConnected = -32001,  // accessibility cannot be reached; has a status
  kNotRead = -32002,       // the focus could not be read; has a status
  kPaused = -32003,
  kBusy = -32004,       // a bound is reached: try again
  kCancelled = -32005,  // by $/cancel, before it was begun
  kTooLate = -32006,    // its deadline came before it was begun
  kStopping = -32007,
  kNotDone = -32008,  // it was tried, or may not be; has a status
};

struct Error {
  Code code = Code::kInternal;
  std::string message;
  // Of kNotConnected, kNotRead and kNotDone.
  absl::Status status = {};
};

struct Request {
  // As JSON: `7`, `"a"`. Absent: a notification, which is never answered.
  std::optional<std::string> id;
  std::string method;
  std::shared_ptr<const boost::json::object> params;  // never null
};

// A line that is no request, and whom to tell: `id` is null where it could not
// be read.
struct Fault {
  std::string id = "null";
  Error error;
};

std::variant<Request, Fault> ReadRequest(absl::string_view line);

std::string ResultLine(absl::string_view id, absl::string_view result);
std::string ErrorLine(absl::string_view id, const Error& error);
std::string NotificationLine(absl::string_view method,
                             absl::string_view params);

// `text` as a JSON string, with its quotes.
std::string Quoted(absl::string_view text);

// A status as an object, null where it is OK.
std::string StatusJson(const absl::Status& status);

// What the daemon sent, as a client reads it. Exactly one of `error`, `result`
// and `method` is there.
struct Answer {
  std::string id = "null";
  std::optional<Error> error;
  std::shared_ptr<const boost::json::value> result;
  std::string method;  // of a notification
  std::shared_ptr<const boost::json::object> params;
};

// DataLoss when it is none.
absl::StatusOr<Answer> ReadAnswer(absl::string_view line);

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_JSON_RPC_H_
