#include "tools/tactus/json.h"

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json_line.h"
#include "tools/tactus/watch.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

struct StateWord {
  ax::State state;
  const char* word;
};

constexpr StateWord kStateWords[] = {
    {ax::kStateFocused, "focused"},
    {ax::kStateActive, "active"},
    {ax::kStateShowing, "showing"},
    {ax::kStateVisible, "visible"},
    {ax::kStateEditable, "editable"},
    {ax::kStateReadOnly, "read_only"},
    {ax::kStateEnabled, "enabled"},
    {ax::kStateSingleLine, "single_line"},
    {ax::kStateMultiLine, "multi_line"},
    {ax::kStateDefunct, "defunct"},
    {ax::kStateSupportsText, "supports_text"},
    {ax::kStateSupportsEditing, "supports_editing"},
};

value Json(absl::string_view text) { return Sanitized(text); }
value Json(const std::string& text) { return Json(absl::string_view(text)); }
value Json(bool flag) { return flag; }
value Json(int64_t number) { return number; }
value Json(ax::Range range) {
  return object{{"begin", range.begin}, {"end", range.end}};
}
value Json(const ax::RoleValue& role) {
  return object{{"kind", Json(ax::RoleName(role.role))},
                {"native", Json(role.native)}};
}
value Json(const ax::Element& element) {
  return object{{"application", Json(element.application)},
                {"path", Json(element.path)}};
}
value Json(const ax::Application& application) {
  return object{{"id", Json(application.id)},
                {"name", Json(application.name)},
                {"pid", application.pid},
                {"toolkit", Json(application.toolkit)},
                {"toolkit_version", Json(application.toolkit_version)}};
}
value Json(const ax::Traffic& traffic) {
  return object{{"flights", traffic.flights},
                {"calls", traffic.calls},
                {"bytes", traffic.bytes},
                {"connections", traffic.connections}};
}

// Null where there is nothing to tell of.
value Json(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return object{{"code", Json(absl::StatusCodeToString(status.code()))},
                {"message", Json(status.message())}};
}

// Attributes, of which each either has a value or an entry in "errors".
class Attributes {
 public:
  explicit Attributes(object* out) : out_(out) {}

  template <typename T>
  void Add(absl::string_view name, const absl::StatusOr<T>& reading) {
    const boost::json::string_view key(name.data(), name.size());
    if (reading.ok()) {
      (*out_)[key] = Json(*reading);
    } else {
      (*out_)[key] = nullptr;
      errors_[key] = Json(reading.status());
    }
  }

  const object& errors() const { return errors_; }

 private:
  object* out_;
  object errors_;
};

value States(ax::States states) {
  array words;
  for (const StateWord& entry : kStateWords) {
    if (states & entry.state) words.emplace_back(entry.word);
  }
  return words;
}

// Whether UTF-8 can hold the text as it is; null where there is none.
value IsExact(const absl::StatusOr<std::string>& text) {
  if (!text.ok()) return nullptr;
  return ax::IsValidUtf8(*text);
}

value Window(const ax::Snapshot& snapshot) {
  if (!snapshot.value.ok()) return nullptr;
  return Json(snapshot.window);
}

// What snapshots and the lines of a watch have alike.
void AddText(const ax::Snapshot& snapshot, object& out,
             Attributes& attributes) {
  attributes.Add("value", snapshot.value);
  out["value_status"] = Json(snapshot.value.status());
  out["value_exact"] = IsExact(snapshot.value);
  out["window"] = Window(snapshot);
  out["whole"] = snapshot.whole;
  attributes.Add("character_count", snapshot.character_count);
  attributes.Add("caret", snapshot.caret);
  attributes.Add("selection", snapshot.selection);
}

void AddKind(const ax::Snapshot& snapshot, object& out,
             Attributes& attributes) {
  attributes.Add("role", snapshot.role);
  out["secure"] = snapshot.secure;
  out["strategy"] = Json(ax::StrategyName(snapshot.strategy()));
  out["ambiguous"] = snapshot.ambiguous;
  out["secure_beside"] = snapshot.secure_beside;
}

}  // namespace

std::string SnapshotJson(const ax::Snapshot& snapshot, absl::Duration connect) {
  object out;
  Attributes attributes(&out);
  out["schema"] = kSnapshotSchema;
  AddText(snapshot, out, attributes);
  attributes.Add("selected_text", snapshot.selected_text);
  out["context_before"] = Json(snapshot.context_before);
  out["context_after"] = Json(snapshot.context_after);
  AddKind(snapshot, out, attributes);
  attributes.Add("value_settable", snapshot.value_settable);
  attributes.Add("selection_settable", snapshot.selection_settable);
  out["states"] = States(snapshot.states);
  out["application"] = Json(snapshot.application);
  out["element"] = Json(snapshot.element);
  out["route"] = Json(ax::RouteName(snapshot.route));
  out["system_wide_status"] = Json(snapshot.system_wide);
  out["token"] = Json(snapshot.token());
  array notes;
  for (const std::string& note : snapshot.notes) notes.push_back(Json(note));
  out["notes"] = std::move(notes);
  out["errors"] = attributes.errors();
  out["connect_us"] = absl::ToInt64Microseconds(connect);
  out["elapsed_us"] = absl::ToInt64Microseconds(snapshot.elapsed);
  out["traffic"] = Json(snapshot.traffic);
  return JsonLine(out);
}

std::string ChangeJson(const Change& change) {
  object out;
  out["schema"] = kEventSchema;
  out["kind"] = Json(KindName(change.kind));
  out["at_ms"] = absl::ToInt64Milliseconds(change.at);
  out["events"] = change.events;
  out["application"] = nullptr;
  out["element"] = nullptr;
  out["status"] = Json(change.why);
  out["snapshot"] = nullptr;
  if (change.snapshot.has_value()) {
    const ax::Snapshot& snapshot = *change.snapshot;
    out["application"] = Json(snapshot.application);
    out["element"] = Json(snapshot.element);
    object summary;
    Attributes attributes(&summary);
    AddText(snapshot, summary, attributes);
    AddKind(snapshot, summary, attributes);
    summary["token"] = Json(snapshot.token());
    summary["errors"] = attributes.errors();
    out["snapshot"] = std::move(summary);
  }
  return JsonLine(out);
}

std::string AppsJson(const Apps& apps) {
  array list;
  for (const App& app : apps.apps) {
    object entry;
    entry["application"] = Json(app.application);
    entry["process"] = Json(app.process);
    entry["answers"] = app.answers;
    entry["focused"] = app.focused;
    if (app.answers) {
      entry["own_socket"] = app.own_socket;
      entry["reading"] = Json(app.reading);
      entry["editing"] = Json(app.editing);
    } else {
      entry["own_socket"] = nullptr;
      entry["reading"] = nullptr;
      entry["editing"] = nullptr;
    }
    list.push_back(std::move(entry));
  }
  array unknown;
  for (const UnknownWindow& one : apps.unknown) {
    unknown.push_back(object{{"pid", one.window.pid},
                             {"process", Json(one.process)},
                             {"title", Json(one.window.title)},
                             {"active", one.window.active}});
  }
  object out;
  out["schema"] = kAppsSchema;
  out["applications"] = std::move(list);
  out["unknown_windows"] = std::move(unknown);
  out["focus_status"] = Json(apps.focus);
  out["windows_status"] = Json(apps.windows);
  return JsonLine(out);
}

std::string DoctorJson(absl::Span<const Check> checks) {
  array list;
  for (const Check& check : checks) {
    object entry;
    entry["name"] = Json(check.name);
    entry["state"] = Json(StateName(check.state));
    entry["found"] = Json(check.found);
    entry["remedy"] =
        check.remedy.empty() ? value(nullptr) : Json(check.remedy);
    list.push_back(std::move(entry));
  }
  object out;
  out["schema"] = kDoctorSchema;
  out["ok"] = Verdict(checks) == ExitCode::kDone;
  out["checks"] = std::move(list);
  return JsonLine(out);
}

namespace {

object EditObject(const ax::EditResult& result) {
  const auto text = [](const std::optional<std::string>& held) {
    return held.has_value() ? Json(*held) : value(nullptr);
  };
  object out;
  out["schema"] = kEditSchema;
  out["outcome"] = Json(ax::OutcomeName(result.outcome));
  out["reason"] = Json(ax::ReasonName(result.reason));
  out["message"] = Json(result.message);
  out["rung"] = Json(ax::RungName(result.rung));
  array attempts;
  for (const ax::Attempt& attempt : result.attempts) {
    attempts.push_back(
        object{{"rung", Json(ax::RungName(attempt.rung))},
               {"outcome", Json(ax::OutcomeName(attempt.outcome))},
               {"reason", Json(ax::ReasonName(attempt.reason))},
               {"message", Json(attempt.message)}});
  }
  out["attempts"] = std::move(attempts);
  // Nothing has the focus: then there is no element either.
  const bool known = !result.element.path.empty();
  out["application"] = known ? Json(result.application) : value(nullptr);
  out["element"] = known ? Json(result.element) : value(nullptr);
  out["replaced"] =
      result.expected.has_value() ? Json(result.replaced) : value(nullptr);
  out["written"] = result.outcome == ax::Outcome::kVerified
                       ? Json(result.written)
                       : value(nullptr);
  out["window_begin"] = result.window_begin;
  out["before"] = text(result.before);
  out["expected"] = text(result.expected);
  out["after"] = text(result.after);
  out["gap_us"] = absl::ToInt64Microseconds(result.gap);
  out["elapsed_us"] = absl::ToInt64Microseconds(result.elapsed);
  out["traffic"] = Json(result.traffic);
  return out;
}

}  // namespace

std::string EditJson(const ax::EditResult& result) {
  return JsonLine(EditObject(result));
}

std::string StreamJson(const ax::EditResult& result,
                       absl::string_view answers) {
  object out = EditObject(result);
  out["answers"] = Json(answers);
  return JsonLine(out);
}

absl::StatusOr<StreamLine> ParseStreamLine(absl::string_view line) {
  StreamLine result;
  if (line.empty() || line[0] != '{') {
    result.text = std::string(line);
    return result;
  }
  const auto bad = [](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a line is not one of {\"partial\": TEXT}, {\"final\": TEXT} and "
        "{\"cancel\": true}: ",
        why));
  };
  boost::json::error_code error;
  const value parsed = boost::json::parse(
      boost::json::string_view(line.data(), line.size()), error);
  if (error) return bad(error.message());
  const object& members = parsed.as_object();
  if (members.size() != 1) return bad("it needs exactly one member");
  const auto& [key, held] = *members.begin();
  if (key == "cancel") {
    if (held != value(true)) return bad("\"cancel\" is true or not there");
    result.kind = StreamLine::Kind::kCancel;
    return result;
  }
  if (key != "partial" && key != "final") return bad("it has another member");
  if (!held.is_string()) return bad("its text is no string");
  if (key == "final") result.kind = StreamLine::Kind::kFinal;
  result.text = std::string(held.get_string().begin(), held.get_string().end());
  return result;
}

std::string UndoJson(const ax::UndoRecord& undo) {
  object out;
  out["schema"] = kUndoSchema;
  out["application"] = Json(undo.application);
  out["element"] = Json(undo.element);
  out["range"] = Json(undo.range);
  out["text"] = Json(undo.text);
  out["window_begin"] = undo.window_begin;
  out["expected"] = Json(undo.expected);
  out["elsewhere_may_differ"] = undo.elsewhere_may_differ;
  return JsonLine(out);
}

absl::StatusOr<ax::UndoRecord> ParseUndo(absl::string_view json) {
  boost::json::error_code error;
  const value parsed = boost::json::parse(
      boost::json::string_view(json.data(), json.size()), error);
  const object* out = error ? nullptr : parsed.if_object();
  const auto bad = [] {
    return absl::InvalidArgumentError("it is no record of an edit");
  };
  if (out == nullptr) return bad();
  const auto text = [](const object* from, const char* key, std::string* to) {
    const value* held = from == nullptr ? nullptr : from->if_contains(key);
    if (held == nullptr || !held->is_string()) return false;
    *to = std::string(held->get_string().begin(), held->get_string().end());
    return true;
  };
  const auto number = [](const object* from, const char* key, int64_t* to) {
    const value* held = from == nullptr ? nullptr : from->if_contains(key);
    if (held == nullptr || !held->is_int64()) return false;
    *to = held->get_int64();
    return true;
  };
  const auto part = [out](const char* key) {
    const value* held = out->if_contains(key);
    return held == nullptr ? nullptr : held->if_object();
  };
  std::string schema;
  int64_t pid = 0;
  ax::UndoRecord undo;
  if (!text(out, "schema", &schema) || schema != kUndoSchema ||
      !text(part("application"), "id", &undo.application.id) ||
      !number(part("application"), "pid", &pid) ||
      !text(part("element"), "application", &undo.element.application) ||
      !text(part("element"), "path", &undo.element.path) ||
      !number(part("range"), "begin", &undo.range.begin) ||
      !number(part("range"), "end", &undo.range.end) ||
      !text(out, "text", &undo.text) ||
      !number(out, "window_begin", &undo.window_begin) ||
      !text(out, "expected", &undo.expected)) {
    return bad();
  }
  const value* elsewhere = out->if_contains("elsewhere_may_differ");
  if (elsewhere == nullptr || !elsewhere->is_bool()) return bad();
  undo.elsewhere_may_differ = elsewhere->get_bool();
  // Past these sums of offsets would overflow.
  if (undo.range.begin < 0 || undo.range.end < undo.range.begin ||
      undo.range.end > INT32_MAX || undo.window_begin < 0 ||
      undo.window_begin > INT32_MAX || pid < 0 || pid > INT32_MAX) {
    return bad();
  }
  undo.application.pid = static_cast<pid_t>(pid);
  return undo;
}

}  // namespace tactus::cli
