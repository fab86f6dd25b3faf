#include "tools/tactus/peer_commands.h"

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/text/escape.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json_line.h"
#include "tools/tactus/output.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Client;

// Of what the daemon does at once, but for a disk that is busy.
// Beyond what the daemon was told to wait.
constexpr absl::Duration kGrace = absl::Seconds(30);

absl::Time Now() { return ax::Clock::Real().Now(); }

std::string NameAndId(const object* peer) {
  return absl::StrCat(TextOf(peer, "name"), ", ", TextOf(peer, "id"));
}

// What a person needs to type on the other device.
std::string OfferForPeople(const object& offered) {
  const std::string code = TextOf(&offered, "code");
  std::string text = absl::StrCat("code         ", code, "\n");
  std::vector<std::string> where;
  if (const array* at = ArrayOf(&offered, "at")) {
    for (const value& one : *at) {
      if (one.is_string()) {
        where.emplace_back(one.get_string().data(), one.get_string().size());
      }
    }
  }
  const bool announced = FlagOf(&offered, "announced");
  if (where.empty() && !announced) where.emplace_back("HOST:PORT");
  const char* name = "there, type";
  if (announced) {
    // Where it is not on the same network, one of the others.
    text += Row(name, absl::StrCat("tactus pair ", code));
    name = "or";
  }
  for (const std::string& one : where) {
    absl::StrAppend(
        &text, Row(name, absl::StrCat("tactus pair ", code, " --at ", one)));
    name = "or";
  }
  return text;
}

ExitCode TellPaired(const object* result, bool json) {
  const object* peer = ObjectOf(result, "peer");
  if (peer == nullptr) return Complain(NoAnswer());
  const bool confirmed = FlagOf(result, "confirmed");
  if (!confirmed) {
    Complain(absl::StrCat(
        "the connection was lost before ", TextOf(peer, "name"),
        " said that it keeps this device: if `tactus status` does not list "
        "this device there, pair again"));
  }
  const ExitCode code = confirmed ? ExitCode::kDone : ExitCode::kUnknown;
  if (json) {
    object line = *result;
    line["event"] = "paired";
    return Finish(JsonLine(line), code);
  }
  return Finish(Row("paired with", NameAndId(peer)), code);
}

}  // namespace

ExitCode Pair(const Arguments& arguments) {
  const PeerArguments& given = arguments.peer;
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  object params;
  if (!given.name.empty()) params["name"] = Json(given.name);
  const bool offers = given.code.empty();
  absl::Duration wait = given.wait;
  if (offers) {
    params["for_ms"] = absl::ToInt64Milliseconds(wait);
  } else {
    wait = arguments.deadline;
    params["code"] = Json(given.code);
    if (!given.at.empty()) params["at"] = Json(given.at);
    params["deadline_ms"] = absl::ToInt64Milliseconds(wait);
  }
  absl::Status written;
  const absl::StatusOr<Answer> answer = (*daemon)->Call(
      offers ? "peers.offer" : "peers.pair", boost::json::serialize(params),
      Now() + wait + kGrace, -1, [&](const Answer& heard) {
        if (heard.method != "peers.offered" || heard.params == nullptr) return;
        if (arguments.json) {
          object line = *heard.params;
          line["event"] = "offered";
          written = WriteResult(JsonLine(line));
        } else {
          written = WriteResult(OfferForPeople(*heard.params));
          TellPerson(absl::StrCat("waiting for ", absl::FormatDuration(wait),
                                  "; Ctrl-C ends it"));
        }
      });
  if (!written.ok()) return Complain(written);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  return TellPaired(ResultOf(*answer), arguments.json);
}

ExitCode Forget(const Arguments& arguments) {
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  const absl::StatusOr<Answer> answer = (*daemon)->Call(
      "peers.forget",
      boost::json::serialize(object{{"peer", Json(arguments.peer.peer)}}),
      Now() + kSoon);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  return Finish(Row("forgot", NameAndId(ResultOf(*answer))), ExitCode::kDone);
}

ExitCode Approve(const Arguments& arguments) {
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  const absl::StatusOr<Answer> answer = (*daemon)->Call(
      "approve",
      boost::json::serialize(object{{"id", arguments.peer.question},
                                    {"approved", !arguments.peer.refuse}}),
      Now() + kSoon);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  return ExitCode::kDone;
}

std::string PeersForPeople(const object& status) {
  std::string text = Row("no peers", TextOf(&status, "no_peers"));
  if (const object* device = ObjectOf(&status, "device")) {
    text += Row("device", NameAndId(device));
  }
  std::vector<std::string> listening;
  if (const array* where = ArrayOf(&status, "listening")) {
    for (const value& one : *where) {
      if (!one.is_string()) continue;
      listening.emplace_back(one.get_string().data(), one.get_string().size());
    }
  }
  text += Row("listening", absl::StrJoin(listening, ", "));
  if (const array* peers = ArrayOf(&status, "peers")) {
    for (const value& one : *peers) {
      const object* peer = one.if_object();
      if (peer == nullptr) continue;
      std::string row = NameAndId(peer);
      const std::string path = TextOf(peer, "path");
      const std::string trouble = TextOf(ObjectOf(peer, "trouble"), "message");
      const int64_t streams = NumberOf(peer, "streams");
      if (NumberOf(peer, "warm") > 0 || streams > 0) {
        absl::StrAppend(
            &row, path.empty() ? ", connected" : absl::StrCat(", at ", path));
        if (const int64_t us = NumberOf(peer, "round_trip_us"); us > 0) {
          absl::StrAppend(&row, ", ", absl::StrFormat("%.3g", us / 1000.0),
                          " ms round trip");
        }
        if (streams > 0) absl::StrAppend(&row, ", ", streams, " streams");
      } else {
        absl::StrAppend(&row, ", not connected",
                        trouble.empty() ? "" : absl::StrCat(": ", trouble));
      }
      text += Row("peer", row);
    }
  }
  const object* mcp = ObjectOf(&status, "mcp");
  if (const int64_t carried = NumberOf(mcp, "carried"); carried > 0) {
    text += Row("agents", absl::StrCat(carried,
                                       " of this device use servers "
                                       "of peers"));
  }
  if (const array* served = ArrayOf(mcp, "served")) {
    std::map<std::string, int64_t> count;
    for (const value& one : *served) {
      const object* server = one.if_object();
      ++count[absl::StrCat(TextOf(server, "server"), ", used by ",
                           TextOf(server, "peer"))];
    }
    for (const auto& [name, times] : count) {
      text +=
          Row("server",
              times == 1 ? name : absl::StrCat(name, ", ", times, " times"));
    }
  }
  if (const array* waiting = ArrayOf(&status, "waiting")) {
    for (const value& one : *waiting) {
      const object* question = one.if_object();
      if (question == nullptr) continue;
      text +=
          Row("waiting", absl::StrCat("number ", NumberOf(question, "id"), ", ",
                                      TextOf(question, "peer"), ", ",
                                      TextOf(question, "kind"), ": ",
                                      TextOf(question, "text"), "; refused in ",
                                      NumberOf(question, "left_ms") / 1000,
                                      " s unless `tactus approve ",
                                      NumberOf(question, "id"), "`"));
    }
  }
  return text;
}

}  // namespace tactus::cli
