#include "tools/tactus/remote.h"

#include <stdlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/stream.h"
#include "ax/snapshot/token.h"
#include "ax/text/escape.h"
#include "ax/text/utf.h"
#include "tools/control/address.h"
#include "tools/control/calls.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/human.h"
#include "tools/tactus/json.h"
#include "tools/tactus/json_line.h"
#include "tools/tactus/output.h"
#include "tools/tactus/peer_commands.h"
#include "tools/tactus/send.h"
#include "tools/tactus/stream.h"

namespace tactus::cli {
namespace {

using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Client;
using control::Code;
using control::Json;

// Beyond a request's deadline: giving back a clipboard, and a machine that is
// busy. A daemon that is silent for longer hangs.
constexpr absl::Duration kGrace = absl::Seconds(5);
// What is round the parameters of a request.
constexpr size_t kEnvelope = 1024;

absl::Time Now() { return ax::Clock::Real().Now(); }

value Json(ax::Range range) {
  return object{{"begin", range.begin}, {"end", range.end}};
}

std::string Serialized(const object& params) {
  return boost::json::serialize(params);
}

// This process is on another desktop than the daemon, as far as both know.
bool IsAnother(const char* variable, const std::string& theirs) {
  const char* ours = getenv(variable);
  return ours != nullptr && ours[0] != '\0' && !theirs.empty() &&
         theirs != ours;
}

int64_t Milliseconds(absl::Duration duration) {
  return std::max<int64_t>(1, absl::ToInt64Milliseconds(duration));
}

// An edit of which is known that it was sent, and no more.
ax::EditResult Untold(const absl::Status& status) {
  ax::EditResult result;
  result.outcome = ax::Outcome::kUnknown;
  result.reason = ax::Reason::kNoReply;
  result.message =
      absl::StrCat(status.message(),
                   ": the edit was given to the daemon, and how it ended was "
                   "not told");
  return result;
}

std::optional<ax::Outcome> OutcomeOf(const object* edit) {
  const std::string name = TextOf(edit, "outcome");
  for (const ax::Outcome outcome :
       {ax::Outcome::kVerified, ax::Outcome::kRefused, ax::Outcome::kFailed,
        ax::Outcome::kDiverged, ax::Outcome::kUnknown}) {
    if (absl::string_view(name) == ax::OutcomeName(outcome)) return outcome;
  }
  return std::nullopt;
}

void AddMeans(const Arguments& arguments, absl::Duration left, object& params) {
  params["deadline_ms"] = Milliseconds(left);
  params["max_text"] = arguments.max_text;
  params["paste"] = arguments.edit.paste;
  params["whole_value"] = arguments.edit.whole_value;
  params["keystrokes"] = arguments.edit.keystrokes;
}

const char* MethodOf(Arguments::Command command) {
  switch (command) {
    case Arguments::Command::kInsert:
      return "text.insert";
    case Arguments::Command::kSet:
      return "text.set";
    case Arguments::Command::kUndo:
      return "text.undo";
    case Arguments::Command::kStatus:
      return "status";
    case Arguments::Command::kPause:
      return "pause";
    case Arguments::Command::kResume:
      return "resume";
    default:
      return "text.replace";
  }
}

// The exit code of a snapshot that was read, as exit_code.h has it, and its
// complaint.
ExitCode CodeOf(const object& snapshot) {
  const object* errors = ObjectOf(&snapshot, "errors");
  const object* status = ObjectOf(&snapshot, "value_status");
  const bool role = errors == nullptr || errors->contains("role");
  const std::string code = TextOf(status, "code");
  if (!role && (FlagOf(&snapshot, "secure") || status == nullptr ||
                code == "UNIMPLEMENTED")) {
    return ExitCode::kDone;
  }
  Complain(absl::StrCat("the text was not read: ", TextOf(status, "message")));
  return ExitCode::kFailed;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> FindDaemon(const Arguments& arguments,
                                                   absl::Time deadline) {
  if (!arguments.daemon || arguments.deadline > control::kLongestDeadline ||
      arguments.max_text > control::kMostText ||
      arguments.context > control::kMostText) {
    return nullptr;
  }
  absl::StatusOr<std::unique_ptr<Client>> client =
      Client::Connect(control::DefaultFolder(), kVersion, deadline);
  if (absl::IsNotFound(client.status())) return nullptr;
  if (!client.ok()) return client;
  const object* status = ResultOf((*client)->greeting());
  if (IsAnother("DISPLAY", TextOf(status, "display")) ||
      IsAnother("AT_SPI_BUS_ADDRESS", TextOf(status, "accessibility_bus"))) {
    return nullptr;
  }
  return client;
}

ExitCode SnapshotBy(Client& daemon, const Arguments& arguments,
                    absl::Duration left) {
  const object params{{"deadline_ms", Milliseconds(left)},
                      {"max_text", arguments.max_text},
                      {"context", arguments.context},
                      {"people", !arguments.json}};
  const absl::StatusOr<Answer> answer =
      daemon.Call("text.snapshot", Serialized(params), Now() + left + kGrace);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) {
    // As in a process of its own: what could connect can run here.
    if (answer->error->code == Code::kNotRead) {
      Complain(answer->error->message);
      return ExitCode::kFailed;
    }
    return Refused(*answer->error);
  }
  const object* snapshot = ObjectOf(ResultOf(*answer), "snapshot");
  if (snapshot == nullptr) return Complain(NoAnswer());
  const ExitCode code = CodeOf(*snapshot);
  return Finish(arguments.json ? JsonLine(*snapshot)
                               : TextOf(ResultOf(*answer), "people"),
                code);
}

std::optional<std::string> EditParams(const ax::Edit* edit,
                                      const Arguments& arguments,
                                      absl::Duration left) {
  object params;
  if (edit != nullptr) {
    for (const std::string* text :
         {&edit->text, &edit->old_text,
          edit->expect.has_value() ? &*edit->expect : &edit->text}) {
      if (!ax::IsValidUtf8(*text)) return std::nullopt;
    }
    params["text"] = Json(edit->text);
    if (edit->kind == ax::Edit::Kind::kReplaceRange) {
      params["range"] = Json(edit->range);
    } else if (edit->kind == ax::Edit::Kind::kReplaceText) {
      params["old"] = Json(edit->old_text);
    }
    if (edit->snapshot.has_value()) {
      params["snapshot"] = Json(ax::EncodeToken(*edit->snapshot));
    }
    if (edit->expect.has_value()) params["expect"] = Json(*edit->expect);
    params["newlines"] = edit->allow_newlines;
    params["split_characters"] = edit->allow_split_characters;
  }
  AddMeans(arguments, left, params);
  params["people"] = !arguments.json;
  std::string text = Serialized(params);
  if (text.size() + kEnvelope > control::kMostRequest) return std::nullopt;
  return text;
}

ExitCode EditBy(Client& daemon, const Arguments& arguments,
                const std::string& params, absl::Duration left) {
  const absl::StatusOr<Answer> answer =
      daemon.Call(MethodOf(arguments.command), params, Now() + left + kGrace);
  if (answer.ok() && answer->error.has_value()) return Refused(*answer->error);
  const object* result = answer.ok() ? ResultOf(*answer) : nullptr;
  const object* edit = ObjectOf(result, "edit");
  const std::optional<ax::Outcome> outcome = OutcomeOf(edit);
  if (!outcome.has_value()) {
    const ax::EditResult untold =
        Untold(answer.ok() ? NoAnswer() : answer.status());
    Complain(
        absl::StrCat(ax::OutcomeName(untold.outcome), ": ", untold.message));
    return Finish(arguments.json ? EditJson(untold) : EditForPeople(untold),
                  ExitCodeFor(untold.outcome));
  }
  if (const std::string note = TextOf(result, "note"); !note.empty()) {
    Complain(note);
  }
  if (*outcome != ax::Outcome::kVerified) {
    Complain(
        absl::StrCat(ax::OutcomeName(*outcome), ": ", TextOf(edit, "message")));
  }
  return Finish(arguments.json ? JsonLine(*edit) : TextOf(result, "people"),
                ExitCodeFor(*outcome));
}

StreamAnswer RemoteStream::Write(StreamLine::Kind kind,
                                 const std::string& text) {
  ax::EditResult refused;
  if (!ax::IsValidUtf8(text)) {
    refused.reason = ax::Reason::kBadText;
    refused.message = "the text is not valid UTF-8";
    return AnswerOf(refused, kind);
  }
  object params;
  switch (kind) {
    case StreamLine::Kind::kPartial:
      params["partial"] = Json(text);
      break;
    case StreamLine::Kind::kFinal:
      params["final"] = Json(text);
      break;
    case StreamLine::Kind::kCancel:
      params["cancel"] = true;
      break;
  }
  switch (arguments_.edit.when_moved) {
    case ax::WhenMoved::kHold:
      params["when_moved"] = "hold";
      break;
    case ax::WhenMoved::kRefuse:
      params["when_moved"] = "refuse";
      break;
    case ax::WhenMoved::kFollow:
      params["when_moved"] = "follow";
      break;
  }
  params["newlines"] = arguments_.edit.newlines;
  AddMeans(arguments_, arguments_.deadline, params);
  const absl::StatusOr<Answer> answer = daemon_.Call(
      "text.stream", Serialized(params), Now() + arguments_.deadline + kGrace);
  if (answer.ok() && answer->error.has_value()) {
    refused.reason = ax::Reason::kNoFocus;
    refused.message = answer->error->message;
    return AnswerOf(refused, kind);
  }
  const object* result = answer.ok() ? ResultOf(*answer) : nullptr;
  const object* edit = ObjectOf(result, "edit");
  const std::optional<ax::Outcome> outcome = OutcomeOf(edit);
  if (!outcome.has_value()) {
    ended_ = true;
    holding_ = false;
    return AnswerOf(Untold(answer.ok() ? NoAnswer() : answer.status()), kind);
  }
  holding_ = FlagOf(result, "holding");
  ended_ = FlagOf(result, "ended");
  StreamAnswer told;
  told.outcome = *outcome;
  told.line = JsonLine(*edit);
  const std::string reason = TextOf(edit, "reason");
  // The two that decide what comes next.
  for (const ax::Reason known : {ax::Reason::kStale, ax::Reason::kSuperseded}) {
    if (absl::string_view(reason) == ax::ReasonName(known)) told.reason = known;
  }
  return told;
}

std::optional<ExitCode> CannotStream(Client& daemon) {
  const object* status = ResultOf(daemon.greeting());
  const std::string state = TextOf(status, "state");
  if (state == "disconnected") {
    Complain(TextOf(status, "why"));
    return ExitCode::kCannotRun;
  }
  if (state == "paused") {
    Complain("paused: `tactus resume` goes on");
    return ExitCode::kCannotRun;
  }
  if (state == "connecting") {
    // How that ends is known when something was asked for.
    const absl::StatusOr<Answer> answer = daemon.Call(
        "text.snapshot", R"({"max_text":1,"context":0})", Now() + kGrace);
    if (!answer.ok()) return Complain(answer.status());
    if (answer->error.has_value() &&
        answer->error->code == Code::kNotConnected) {
      return Refused(*answer->error);
    }
  }
  return std::nullopt;
}

ExitCode WatchBy(Client& daemon, const Arguments& arguments, int stop_fd) {
  object params{{"text", arguments.text},
                {"deadline_ms", Milliseconds(arguments.deadline)},
                {"max_text", arguments.max_text}};
  // Longer is for ever.
  if (arguments.run_for < absl::Hours(31 * 24)) {
    params["for_ms"] = Milliseconds(arguments.run_for);
  }
  const absl::StatusOr<Answer> answer = daemon.Call(
      "text.watch", Serialized(params), Now() + arguments.deadline + kGrace);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  int64_t told = 0;
  for (;;) {
    const absl::StatusOr<Answer> next =
        daemon.Notification(stop_fd, absl::InfiniteFuture());
    if (absl::IsCancelled(next.status())) return ExitCode::kDone;
    if (!next.ok()) return Complain(next.status());
    if (next->method == "text.watch_ended") {
      const object* status = ObjectOf(next->params.get(), "status");
      if (status == nullptr) return ExitCode::kDone;
      Complain(TextOf(status, "message"));
      return ExitCode::kFailed;
    }
    const object* change = ObjectOf(next->params.get(), "change");
    if (next->method != "text.changed" || change == nullptr) continue;
    const absl::Status written = WriteResult(JsonLine(*change));
    // Whoever closed the pipe has seen enough.
    if (absl::IsCancelled(written)) return ExitCode::kDone;
    if (!written.ok()) return Complain(written);
    if (++told == arguments.count) return ExitCode::kDone;
  }
}

namespace {

std::string StatusForPeople(const object& status) {
  const std::string state = TextOf(&status, "state");
  const std::string why = TextOf(&status, "why");
  std::string denied;
  if (const value* names = status.if_contains("denied");
      names != nullptr && names->is_array()) {
    for (const value& name : names->get_array()) {
      if (!name.is_string()) continue;
      absl::StrAppend(&denied, denied.empty() ? "" : ", ",
                      absl::string_view(name.get_string().data(),
                                        name.get_string().size()));
    }
  }
  return absl::StrCat(
      Row("daemon", absl::StrCat("version ", TextOf(&status, "version"),
                                 ", process ", NumberOf(&status, "pid"))),
      Row("state", why.empty() ? state : absl::StrCat(state, ": ", why)),
      Row("for", absl::FormatDuration(
                     absl::Seconds(NumberOf(&status, "uptime_ms") / 1000))),
      Row("bus", TextOf(&status, "accessibility_bus")),
      Row("display", TextOf(&status, "display")),
      Row("clients",
          absl::StrCat(NumberOf(&status, "clients"), ", ",
                       NumberOf(&status, "pending"), " requests under way, ",
                       NumberOf(&status, "watches"), " watches")),
      Row("started",
          FlagOf(&status, "activated") ? "by its socket" : "by hand"),
      Row("config", TextOf(&status, "config")), Row("denied", denied),
      PeersForPeople(status), MovingForPeople(status));
}

}  // namespace

ExitCode AskDaemon(const Arguments& arguments) {
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  const absl::StatusOr<Answer> answer =
      (*daemon)->Call(MethodOf(arguments.command), "{}", Now() + kGrace);
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  const object* result = ResultOf(*answer);
  if (result == nullptr) return Complain(NoAnswer());
  if (arguments.command != Arguments::Command::kStatus) return ExitCode::kDone;
  return Finish(arguments.json ? JsonLine(*result) : StatusForPeople(*result),
                ExitCode::kDone);
}

}  // namespace tactus::cli
