#include "tools/mcp/text_tools.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/snapshot/token.h"
#include "ax/text/slice.h"
#include "ax/types/types.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"
#include "tools/control/members.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/definitions.h"
#include "tools/tactus/json_line.h"

namespace tactus::mcp {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Code;
using control::FlagOf;
using control::Json;
using control::NumberOf;
using control::ObjectOf;
using control::ResultOf;
using control::TextOf;

// Beyond any text; sums of two stay far from an overflow.
constexpr int64_t kMostOffset = INT32_MAX;

value Json(ax::Range range) {
  return object{{"begin", range.begin}, {"end", range.end}};
}

// A member of what the backend told; null where it is not there.
value Copied(const object& from, absl::string_view name) {
  const value* held =
      from.if_contains(std::string_view(name.data(), name.size()));
  return held == nullptr ? value(nullptr) : *held;
}

object Block(absl::string_view text) {
  return {{"type", "text"}, {"text", Json(text)}};
}

// A result without data, for a model to read.
object Complaint(absl::string_view message) {
  return {{"content", array{Block(message)}}, {"isError", true}};
}

object Structured(object data, bool error) {
  std::string mirror = cli::JsonLine(data);
  mirror.pop_back();
  return {{"content", array{Block(mirror)}},
          {"structuredContent", std::move(data)},
          {"isError", error}};
}

// An integer as JSON Schema has it: 1.0 is one.
std::optional<int64_t> Integer(const value* held) {
  if (held == nullptr) return std::nullopt;
  if (held->is_int64()) return held->get_int64();
  // Up to where each integer is a double of its own.
  constexpr double kExact = 9007199254740992.0;
  if (held->is_double() && std::abs(held->get_double()) <= kExact &&
      std::trunc(held->get_double()) == held->get_double()) {
    return static_cast<int64_t>(held->get_double());
  }
  return std::nullopt;
}

// The arguments of one call. Whatever is asked for is known; the first thing
// that is wrong is kept.
class Arguments {
 public:
  explicit Arguments(const object& given) : given_(given) {}

  std::optional<std::string> String(absl::string_view name, bool required) {
    const value* held = Find(name);
    if (held == nullptr) {
      if (required) Fail(absl::StrCat("\"", name, "\" is missing"));
      return std::nullopt;
    }
    if (!held->is_string()) {
      Wrong(name, "a string");
      return std::nullopt;
    }
    return std::string(held->get_string().data(), held->get_string().size());
  }

  bool Flag(absl::string_view name, bool otherwise) {
    const value* held = Find(name);
    if (held == nullptr) return otherwise;
    if (!held->is_bool()) {
      Wrong(name, "true or false");
      return otherwise;
    }
    return held->get_bool();
  }

  int64_t Number(absl::string_view name, int64_t least, int64_t most,
                 int64_t otherwise) {
    const value* held = Find(name);
    if (held == nullptr) return otherwise;
    const std::optional<int64_t> number = Integer(held);
    if (!number.has_value() || *number < least || *number > most) {
      Wrong(name, absl::StrCat("an integer from ", least, " to ", most));
      return otherwise;
    }
    return *number;
  }

  std::optional<ax::Range> Range(absl::string_view name) {
    const value* held = Find(name);
    if (held == nullptr) return std::nullopt;
    const object* range = held->if_object();
    const auto edge = [range](const char* which) {
      return Integer(range == nullptr ? nullptr : range->if_contains(which));
    };
    const std::optional<int64_t> begin = edge("begin");
    const std::optional<int64_t> end = edge("end");
    if (!begin.has_value() || !end.has_value() || range->size() != 2 ||
        *begin < 0 || *end < *begin || *end > kMostOffset) {
      Wrong(name, "{\"begin\": B, \"end\": E} in code points, B <= E");
      return std::nullopt;
    }
    return ax::Range{*begin, *end};
  }

  // What is wrong with them; empty where nothing is.
  std::string End(std::initializer_list<absl::string_view> known) {
    for (const auto& member : given_) {
      const absl::string_view key(member.key().data(), member.key().size());
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        Fail(absl::StrCat("there is no argument ",
                          control::Quoted(key.substr(0, 64)), " here"));
      }
    }
    return wrong_;
  }

 private:
  const value* Find(absl::string_view name) {
    return given_.if_contains(std::string_view(name.data(), name.size()));
  }
  void Wrong(absl::string_view name, absl::string_view wanted) {
    Fail(absl::StrCat("\"", name, "\" must be ", wanted));
  }
  void Fail(std::string message) {
    if (wrong_.empty()) wrong_ = std::move(message);
  }

  const object& given_;
  std::string wrong_;
};

object NoArguments(absl::string_view wrong) {
  return Complaint(absl::StrCat("Nothing was done: ", wrong, "."));
}

std::string Serialized(const object& params) {
  return boost::json::serialize(params);
}

// What an answer that is an error says, with the code for programs.
std::string Said(const control::Error& error) {
  return absl::StrCat("Nothing was done: ", error.message);
}

value ApplicationOf(const object* from) {
  if (from == nullptr) return nullptr;
  return object{{"name", Copied(*from, "name")},
                {"process_id", NumberOf(from, "pid")},
                {"toolkit", Copied(*from, "toolkit")}};
}

object Read(const object& given, Backend& backend) {
  Arguments arguments(given);
  const int64_t max_text =
      arguments.Number("max_text", 1, kMostText, kDefaultMaxText);
  const int64_t context =
      arguments.Number("context", 0, kMostContext, kDefaultContext);
  const int64_t patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kReadMilliseconds);
  if (const std::string wrong =
          arguments.End({"max_text", "context", "deadline_ms"});
      !wrong.empty()) {
    return NoArguments(wrong);
  }
  const absl::StatusOr<Answer> answer =
      backend.Call("text.snapshot",
                   Serialized({{"max_text", max_text},
                               {"context", context},
                               {"deadline_ms", patience}}),
                   absl::Milliseconds(patience));
  if (!answer.ok()) {
    return Complaint(absl::StrCat("The focused text was not read: ",
                                  answer.status().message()));
  }
  if (answer->error.has_value()) {
    return Complaint(absl::StrCat("The focused text was not read: ",
                                  answer->error->message));
  }
  const object* snapshot = ObjectOf(ResultOf(*answer), "snapshot");
  if (snapshot == nullptr) {
    return Complaint("The focused text was not read: no answer is understood.");
  }
  const object* role = ObjectOf(snapshot, "role");
  object data;
  data["application"] = ApplicationOf(ObjectOf(snapshot, "application"));
  data["field"] =
      object{{"kind", role == nullptr ? value(nullptr) : Copied(*role, "kind")},
             {"secure", Copied(*snapshot, "secure")},
             {"ambiguous", Copied(*snapshot, "ambiguous")}};
  for (const char* name : {"strategy", "window", "whole", "character_count",
                           "caret", "selection"}) {
    data[name] = Copied(*snapshot, name);
  }
  data["text_status"] = Copied(*snapshot, "value_status");
  data["untrusted"] =
      object{{"text", Copied(*snapshot, "value")},
             {"selected_text", Copied(*snapshot, "selected_text")},
             {"context_before", Copied(*snapshot, "context_before")},
             {"context_after", Copied(*snapshot, "context_after")}};
  data["snapshot"] = object{{"token", Copied(*snapshot, "token")},
                            {"lifetime", "until-changed"}};
  return Structured(std::move(data), /*error=*/false);
}

// An edit of which is known how it ended.
struct Ended {
  std::string outcome;
  std::string reason;
  std::string message;
  const object* edit = nullptr;  // a tactus.edit/1, where there is one
  value note = nullptr;
};

object EditResult(const Ended& ended) {
  const bool verified = ended.outcome == "verified";
  const bool told = ended.outcome == "diverged" || ended.outcome == "unknown";
  const std::string way =
      ended.edit == nullptr ? "none" : TextOf(ended.edit, "rung");
  const auto of_edit = [&](const char* name) {
    return ended.edit == nullptr ? value(nullptr) : Copied(*ended.edit, name);
  };
  object data;
  data["outcome"] = Json(ended.outcome);
  data["reason"] = Json(ended.reason);
  data["message"] = Json(ended.message);
  data["next_step"] = Json(NextStep(ended.outcome, ended.reason));
  data["safe_to_retry"] =
      ended.outcome == "refused" || ended.outcome == "failed";
  if (ended.outcome == "unknown") {
    data["field_changed"] = nullptr;
  } else {
    // Verified and not sent: the field held the text already.
    data["field_changed"] =
        ended.outcome == "diverged" || (verified && way != "none");
  }
  data["way"] = Json(way);
  data["replaced"] = of_edit("replaced");
  data["written"] = of_edit("written");
  data["note"] = ended.note;
  data["application"] = ApplicationOf(ObjectOf(ended.edit, "application"));
  data["untrusted"] = nullptr;
  if (told && ended.edit != nullptr) {
    data["untrusted"] = object{{"window_begin", of_edit("window_begin")},
                               {"before", of_edit("before")},
                               {"expected", of_edit("expected")},
                               {"after", of_edit("after")}};
  }
  return Structured(std::move(data), /*error=*/!verified);
}

object Refused(std::string reason, std::string message) {
  return EditResult({"refused", std::move(reason), std::move(message)});
}

const char* ReasonOf(const control::Error& error) {
  switch (error.code) {
    case Code::kNotConnected:
      return "not-connected";
    case Code::kNotRead:
      return "no-focus";
    case Code::kPaused:
      return "paused";
    case Code::kBusy:
      return "busy";
    case Code::kTooLate:
      return "no-time";
    case Code::kStopping:
      return "stopping";
    case Code::kNotDone:
      return "not-permitted";
    default:
      return "bad-request";
  }
}

object Refused(const control::Error& error) {
  return Refused(ReasonOf(error), Said(error));
}

object Edited(const absl::StatusOr<Answer>& answer) {
  if (answer.ok() && answer->error.has_value()) return Refused(*answer->error);
  const object* result = answer.ok() ? ResultOf(*answer) : nullptr;
  const object* edit = ObjectOf(result, "edit");
  const std::string outcome = TextOf(edit, "outcome");
  if (outcome.empty()) {
    return EditResult(
        {"unknown", "no-reply",
         absl::StrCat("the edit was asked for, and how it ended was not told: ",
                      answer.ok() ? "the answer cannot be understood"
                                  : answer.status().message())});
  }
  return EditResult({outcome, TextOf(edit, "reason"), TextOf(edit, "message"),
                     edit, Copied(*result, "note")});
}

// What every edit but undo has beside its text.
struct EditArguments {
  std::optional<std::string> snapshot;
  bool newlines = false;
  bool paste = true;
  int64_t patience = kEditMilliseconds;
  int64_t max_text = kDefaultMaxText;
};

// The text that the edit must read, so that it is the one of the snapshot: a
// long one is a window, as long as it was then.
int64_t MaxTextFor(const ax::SnapshotToken& token) {
  const int64_t window = token.window.length();
  const bool whole =
      token.character_count >= 0 && token.character_count <= window;
  return std::clamp(whole ? std::max(window, kDefaultMaxText) : window,
                    int64_t{1}, kMostText);
}

// What is wrong with the token; empty where nothing is.
std::string ReadMeans(Arguments& arguments, EditArguments* out) {
  out->snapshot = arguments.String("snapshot", /*required=*/false);
  out->newlines = arguments.Flag("allow_newlines", false);
  out->paste = arguments.Flag("allow_paste", true);
  out->patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kEditMilliseconds);
  if (!out->snapshot.has_value()) return "";
  const absl::StatusOr<ax::SnapshotToken> token =
      ax::DecodeToken(*out->snapshot);
  if (!token.ok()) {
    return "\"snapshot\" must be the token that read_focused_text gave";
  }
  out->max_text = MaxTextFor(*token);
  return "";
}

object ParamsOf(const EditArguments& means, absl::string_view text) {
  object params{{"text", Json(text)},
                {"newlines", means.newlines},
                {"paste", means.paste},
                {"max_text", means.max_text},
                {"deadline_ms", means.patience}};
  if (means.snapshot.has_value()) params["snapshot"] = Json(*means.snapshot);
  return params;
}

object Send(const char* method, const object& params, int64_t patience,
            Backend& backend) {
  const std::string text = Serialized(params);
  // What is round the parameters of a request of the daemon's.
  constexpr size_t kEnvelope = 1024;
  if (text.size() + kEnvelope > control::kMostRequest) {
    return Refused("too-long", "the text is too long for one edit");
  }
  return Edited(backend.Call(method, text, absl::Milliseconds(patience)));
}

object Insert(const object& given, Backend& backend) {
  Arguments arguments(given);
  const std::optional<std::string> text =
      arguments.String("text", /*required=*/true);
  EditArguments means;
  const std::string bad_token = ReadMeans(arguments, &means);
  if (const std::string wrong = arguments.End(
          {"text", "snapshot", "allow_newlines", "allow_paste", "deadline_ms"});
      !wrong.empty() || !bad_token.empty()) {
    return NoArguments(wrong.empty() ? bad_token : wrong);
  }
  return Send("text.insert", ParamsOf(means, *text), means.patience, backend);
}

// Replaces what stands at `range`, if that is `old_text`: it is read first, and
// the edit is tied to what was read.
object ReplaceAt(ax::Range range, const std::string& old_text,
                 const std::string& new_text, EditArguments means,
                 Backend& backend) {
  // Half for each, so that both together keep to the deadline.
  means.patience = std::max<int64_t>(1, means.patience / 2);
  const absl::StatusOr<Answer> answer =
      backend.Call("text.snapshot",
                   Serialized({{"max_text", means.max_text},
                               {"context", 0},
                               {"deadline_ms", means.patience}}),
                   absl::Milliseconds(means.patience));
  if (!answer.ok()) {
    return Refused("no-focus", absl::StrCat("the field was not read: ",
                                            answer.status().message()));
  }
  if (answer->error.has_value()) return Refused(*answer->error);
  const object* snapshot = ObjectOf(ResultOf(*answer), "snapshot");
  const object* window = ObjectOf(snapshot, "window");
  if (FlagOf(snapshot, "secure")) {
    return Refused("secure",
                   "the field is secure, or may be: it is never edited");
  }
  if (window == nullptr) {
    return Refused("not-text", "the text of the field cannot be read");
  }
  const int64_t begin = NumberOf(window, "begin");
  if (range.begin < begin || range.end > NumberOf(window, "end")) {
    return Refused("out-of-range",
                   "the range is not within the text that was read");
  }
  const std::string text = TextOf(snapshot, "value");
  const std::string_view there =
      ax::CodePointSlice(text, range.begin - begin, range.end - begin);
  if (there != std::string_view(old_text)) {
    return Refused("text-changed", "another text stands at the range");
  }
  if (!means.snapshot.has_value()) means.snapshot = TextOf(snapshot, "token");
  object params = ParamsOf(means, new_text);
  params["range"] = Json(range);
  return Send("text.replace", params, means.patience, backend);
}

object Replace(const object& given, Backend& backend) {
  Arguments arguments(given);
  const std::optional<std::string> old_text =
      arguments.String("old_text", /*required=*/true);
  const std::optional<std::string> new_text =
      arguments.String("new_text", /*required=*/true);
  const std::optional<ax::Range> range = arguments.Range("range");
  EditArguments means;
  std::string bad = ReadMeans(arguments, &means);
  if (bad.empty() && old_text.has_value() && old_text->empty() &&
      !given.contains("range")) {
    bad = "\"old_text\" may be empty with \"range\" alone";
  }
  if (const std::string wrong =
          arguments.End({"old_text", "new_text", "range", "snapshot",
                         "allow_newlines", "allow_paste", "deadline_ms"});
      !wrong.empty() || !bad.empty()) {
    return NoArguments(wrong.empty() ? bad : wrong);
  }
  if (range.has_value()) {
    return ReplaceAt(*range, *old_text, *new_text, std::move(means), backend);
  }
  object params = ParamsOf(means, *new_text);
  params["old"] = Json(*old_text);
  return Send("text.replace", params, means.patience, backend);
}

object Undo(const object& given, Backend& backend) {
  Arguments arguments(given);
  const bool paste = arguments.Flag("allow_paste", true);
  const int64_t patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kEditMilliseconds);
  if (const std::string wrong = arguments.End({"allow_paste", "deadline_ms"});
      !wrong.empty()) {
    return NoArguments(wrong);
  }
  return Send("text.undo", {{"paste", paste}, {"deadline_ms", patience}},
              patience, backend);
}

bool IsOneOf(absl::string_view word,
             std::initializer_list<absl::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

absl::string_view NextFocusStep(absl::string_view outcome,
                                absl::string_view reason) {
  if (outcome == "verified") return "continue";
  if (reason == "stale" || outcome == "unknown") return "list_again";
  if (reason == "bad-request") return "change_request";
  if (IsOneOf(reason, {"no-focus", "secure", "no-way", "not-moved",
                       "not-connected", "paused", "not-permitted"})) {
    return "ask_user";
  }
  return "retry";
}

object FieldOf(const object& from) {
  object field;
  for (const char* name : {"field", "kind", "secure", "focused", "editable",
                           "many_lines", "name"}) {
    field[name] = Copied(from, name);
  }
  return field;
}

object Fields(const object& given, Backend& backend) {
  Arguments arguments(given);
  const int64_t patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kReadMilliseconds);
  if (const std::string wrong = arguments.End({"deadline_ms"});
      !wrong.empty()) {
    return NoArguments(wrong);
  }
  const absl::StatusOr<Answer> answer =
      backend.Call("text.fields", Serialized({{"deadline_ms", patience}}),
                   absl::Milliseconds(patience));
  const object* result = answer.ok() ? ResultOf(*answer) : nullptr;
  const value* list =
      result == nullptr ? nullptr : result->if_contains("fields");
  if (list == nullptr || !list->is_array()) {
    return Complaint(absl::StrCat(
        "The text fields were not listed: ",
        !answer.ok()                ? answer.status().message()
        : answer->error.has_value() ? absl::string_view(answer->error->message)
                                    : "no answer is understood"));
  }
  array fields;
  for (const value& one : list->get_array()) {
    if (one.is_object()) fields.push_back(FieldOf(one.get_object()));
  }
  return Structured(
      {{"application", ApplicationOf(ObjectOf(result, "application"))},
       {"fields", std::move(fields)},
       {"complete", Copied(*result, "complete")}},
      /*error=*/false);
}

object FocusResult(absl::string_view outcome, absl::string_view reason,
                   absl::string_view message, const object* field) {
  object data;
  data["outcome"] = Json(outcome);
  data["reason"] = Json(reason);
  data["message"] = Json(message);
  data["next_step"] = Json(NextFocusStep(outcome, reason));
  data["field"] = field == nullptr ? value(nullptr) : value(FieldOf(*field));
  return Structured(std::move(data), /*error=*/outcome != "verified");
}

object Focus(const object& given, Backend& backend) {
  Arguments arguments(given);
  const std::optional<std::string> field =
      arguments.String("field", /*required=*/true);
  const int64_t patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kFocusMilliseconds);
  if (const std::string wrong = arguments.End({"field", "deadline_ms"});
      !wrong.empty()) {
    return NoArguments(wrong);
  }
  if (field->size() > control::kMostHandle) {
    return FocusResult("refused", "stale", "there is no such field", nullptr);
  }
  const absl::StatusOr<Answer> answer = backend.Call(
      "text.focus",
      Serialized({{"field", Json(*field)}, {"deadline_ms", patience}}),
      absl::Milliseconds(patience));
  if (answer.ok() && answer->error.has_value()) {
    return FocusResult("refused", ReasonOf(*answer->error),
                       Said(*answer->error), nullptr);
  }
  const object* result = answer.ok() ? ResultOf(*answer) : nullptr;
  const std::string outcome = TextOf(result, "outcome");
  if (outcome.empty()) {
    return FocusResult(
        "unknown", "no-reply",
        absl::StrCat("it was asked for, and how it ended was not told: ",
                     answer.ok() ? "the answer cannot be understood"
                                 : answer.status().message()),
        nullptr);
  }
  return FocusResult(outcome, TextOf(result, "reason"),
                     TextOf(result, "message"), ObjectOf(result, "field"));
}

object Applications(const object& given, Backend& backend) {
  Arguments arguments(given);
  const int64_t patience =
      arguments.Number("deadline_ms", 1, kMostMilliseconds, kReadMilliseconds);
  if (const std::string wrong = arguments.End({"deadline_ms"});
      !wrong.empty()) {
    return NoArguments(wrong);
  }
  const absl::StatusOr<std::string> told =
      backend.Applications(absl::Milliseconds(patience));
  if (!told.ok()) {
    return Complaint(absl::StrCat("The applications were not listed: ",
                                  told.status().message()));
  }
  boost::json::error_code failed;
  const value parsed = boost::json::parse(*told, failed);
  const object* apps = failed ? nullptr : parsed.if_object();
  const value* list =
      apps == nullptr ? nullptr : apps->if_contains("applications");
  const value* windows =
      apps == nullptr ? nullptr : apps->if_contains("unknown_windows");
  if (list == nullptr || !list->is_array() || windows == nullptr ||
      !windows->is_array()) {
    return Complaint(
        "The applications were not listed: no answer is "
        "understood.");
  }
  array applications;
  for (const value& one : list->get_array()) {
    const object* app = one.if_object();
    const object* itself = ObjectOf(app, "application");
    if (itself == nullptr) continue;
    applications.push_back(object{{"name", Copied(*itself, "name")},
                                  {"process_id", NumberOf(itself, "pid")},
                                  {"process", Copied(*app, "process")},
                                  {"toolkit", Copied(*itself, "toolkit")},
                                  {"answers", FlagOf(app, "answers")},
                                  {"focused", FlagOf(app, "focused")},
                                  {"reading", Copied(*app, "reading")},
                                  {"editing", Copied(*app, "editing")}});
  }
  array unreadable;
  for (const value& one : windows->get_array()) {
    const object* window = one.if_object();
    unreadable.push_back(object{{"process_id", NumberOf(window, "pid")},
                                {"process", Json(TextOf(window, "process"))},
                                {"focused", FlagOf(window, "active")}});
  }
  return Structured({{"applications", std::move(applications)},
                     {"unreadable_windows", std::move(unreadable)}},
                    /*error=*/false);
}

}  // namespace

absl::string_view NextStep(absl::string_view outcome,
                           absl::string_view reason) {
  if (outcome == "verified") return "continue";
  if (outcome == "diverged") return "ask_user";
  if (outcome == "unknown") return "read_and_compare";
  if (IsOneOf(reason, {"stale", "text-changed", "selection-changed",
                       "out-of-range", "not-found", "not-unique"})) {
    return "read_again";
  }
  if (IsOneOf(reason,
              {"no-focus", "secure", "read-only", "not-text", "ambiguous",
               "no-way", "not-connected", "paused", "not-permitted"})) {
    return "ask_user";
  }
  if (IsOneOf(reason,
              {"newline", "control-character", "splits-character", "bad-text",
               "bad-request", "too-long", "nothing-to-undo"})) {
    return "change_request";
  }
  return "retry";
}

object CallTool(absl::string_view name, const object& arguments,
                Backend& backend) {
  if (name == kReadTool) return Read(arguments, backend);
  if (name == kReplaceTool) return Replace(arguments, backend);
  if (name == kInsertTool) return Insert(arguments, backend);
  if (name == kUndoTool) return Undo(arguments, backend);
  if (name == kFieldsTool) return Fields(arguments, backend);
  if (name == kFocusTool) return Focus(arguments, backend);
  return Applications(arguments, backend);
}

}  // namespace tactus::mcp
