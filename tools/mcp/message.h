// Messages of the Model Context Protocol as `tactus mcp serve` reads and writes
// them: JSON-RPC 2.0, one message a line.
//
// Use it for the lines of an agent. The daemon's own protocol is stricter and
// has a reader of its own (tools/control/json_rpc.h): here what is not known is
// ignored, as revisions of the protocol add members.
//
// Example:
//
//   const std::variant<Message, Fault> read = ReadMessage(line);
//   if (const auto* fault = std::get_if<Fault>(&read)) {
//     return ErrorLine(fault->id, fault->error);
//   }
//   return ResultLine(std::get<Message>(read).id, result);
//
// What is refused although JSON-RPC knows it: batches, which the revisions that
// are spoken here do not have; parameters by position; ids that are null or
// have a fraction. Of a member that is there twice the last counts. Where the
// id of a message that is wrong cannot be told the error has none, since in
// this protocol an id is never null.
//
// Lines that are made here are valid UTF-8, hold no newline but their last
// byte, and are safe to print.
//
// Source: modelcontextprotocol.io, revisions 2025-11-25 and 2026-07-28.
#ifndef TACTUS_TOOLS_MCP_MESSAGE_H_
#define TACTUS_TOOLS_MCP_MESSAGE_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"

namespace tactus::mcp {

// Of a line from an agent, without its end: as much as the daemon takes
// (control::kMostRequest), which carries out what is asked for.
inline constexpr size_t kMostLine = size_t{8} << 20;
// Of nested arrays and objects. A call of a tool needs five; the capabilities
// of a client are open to whatever it adds.
inline constexpr size_t kMostDepth = 64;
// Of an id, in bytes of JSON: it is kept while the request is under way.
inline constexpr size_t kMostId = 256;

// Codes of errors.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kUnsupportedVersion = -32022;
// Ours, of the range that has no shared meaning: a bound is reached, or this
// process is ending. Nothing was done.
inline constexpr int kNotDone = -32000;

struct Error {
  int code = kInvalidRequest;
  std::string message;
  std::string data = {};  // JSON; empty: none
};

struct Message {
  enum class Kind {
    kRequest,
    kNotification,  // never answered
    kResponse,      // to nothing, since this server asks nothing
  };
  Kind kind = Kind::kRequest;
  std::string id = {};      // as JSON: `7`, `"a"`; of a request
  std::string method = {};  // empty of a response
  std::shared_ptr<const boost::json::object> params = {};  // never null
};

// A line that is no message. `id` where it could be read.
struct Fault {
  std::optional<std::string> id;
  Error error;
};

std::variant<Message, Fault> ReadMessage(absl::string_view line);

// An id as it goes back; absent where it is none that may be used.
std::optional<std::string> IdOf(const boost::json::value& id);

std::string ResultLine(absl::string_view id, const boost::json::object& result);
std::string ErrorLine(const std::optional<std::string>& id, const Error& error);

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_MESSAGE_H_
