#include "tools/control/calls.h"

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/plan.h"
#include "ax/edit/stream.h"
#include "ax/snapshot/token.h"
#include "tools/control/json_rpc.h"
#include "tools/control/params.h"

namespace tactus::control {
namespace {

using boost::json::object;
using boost::json::value;

// Beyond any text; sums of two stay far from an overflow.
constexpr int64_t kMostOffset = INT32_MAX;

// A range of code points.
void ReadRange(Params& params, const char* name, ax::Range* out) {
  const value* held = params.Find(name);
  if (held == nullptr) return;
  const object* range = held->if_object();
  const value* begin = range == nullptr ? nullptr : range->if_contains("begin");
  const value* end = range == nullptr ? nullptr : range->if_contains("end");
  if (begin == nullptr || end == nullptr || range->size() != 2 ||
      !begin->is_int64() || !end->is_int64() || begin->get_int64() < 0 ||
      end->get_int64() < begin->get_int64() || end->get_int64() > kMostOffset) {
    return params.Wrong(name,
                        "{\"begin\": B, \"end\": E} in code points, B <= E");
  }
  *out = {begin->get_int64(), end->get_int64()};
}

// `call`, unless something was wrong or is not known.
std::variant<Call, Error> End(Params& params, Call call) {
  if (std::optional<Error> error = params.End()) return *std::move(error);
  return call;
}

void ReadMeans(Params& params, Means* means) {
  params.Milliseconds("deadline_ms", kLongestDeadline, &means->deadline);
  params.Number("max_text", 1, kMostText, &means->max_text);
  params.Flag("paste", &means->paste);
  params.Flag("whole_value", &means->whole_value);
  params.Flag("keystrokes", &means->keystrokes);
}

std::variant<Call, Error> ReadSnapshot(Params params) {
  SnapshotCall call;
  params.Milliseconds("deadline_ms", kLongestDeadline, &call.deadline);
  params.Number("max_text", 1, kMostText, &call.max_text);
  params.Number("context", 0, kMostText, &call.context);
  params.Flag("people", &call.people);
  return End(params, call);
}

std::variant<Call, Error> ReadEdit(ax::Edit::Kind kind, Params params) {
  EditCall call;
  ax::Edit edit;
  edit.kind = kind;
  if (!params.Has("text")) params.Wrong("text", "there");
  params.String("text", &edit.text);
  if (kind == ax::Edit::Kind::kReplaceSelection) {
    if (params.Has("range") && params.Has("old")) {
      params.Fail("give \"range\" or \"old\", not both");
    }
    if (params.Has("range")) {
      edit.kind = ax::Edit::Kind::kReplaceRange;
      ReadRange(params, "range", &edit.range);
    } else if (params.Has("old")) {
      edit.kind = ax::Edit::Kind::kReplaceText;
      params.String("old", &edit.old_text);
    }
  }
  if (params.Has("snapshot") && params.Has("expect")) {
    params.Fail("give \"snapshot\" or \"expect\", not both");
  }
  if (params.Has("snapshot")) {
    std::string text;
    params.String("snapshot", &text);
    absl::StatusOr<ax::SnapshotToken> token = ax::DecodeToken(text);
    if (token.ok()) {
      edit.snapshot = *std::move(token);
    } else {
      params.Wrong("snapshot", "the token of a snapshot");
    }
  }
  if (params.Has("expect")) {
    std::string text;
    params.String("expect", &text);
    edit.expect = std::move(text);
  }
  params.Flag("newlines", &edit.allow_newlines);
  params.Flag("split_characters", &edit.allow_split_characters);
  params.Flag("people", &call.people);
  ReadMeans(params, &call.means);
  call.edit = std::move(edit);
  return End(params, std::move(call));
}

std::variant<Call, Error> ReadUndo(Params params) {
  EditCall call;
  params.Flag("people", &call.people);
  ReadMeans(params, &call.means);
  return End(params, call);
}

std::variant<Call, Error> ReadFields(Params params) {
  FieldsCall call;
  params.Milliseconds("deadline_ms", kLongestDeadline, &call.deadline);
  return End(params, call);
}

std::variant<Call, Error> ReadFocus(Params params) {
  FocusCall call;
  if (!params.Has("field")) params.Wrong("field", "there");
  params.String("field", &call.field);
  if (call.field.size() > kMostHandle) {
    params.Wrong("field", absl::StrCat("of ", kMostHandle, " bytes at most"));
  }
  params.Milliseconds("deadline_ms", kLongestDeadline, &call.deadline);
  return End(params, std::move(call));
}

std::variant<Call, Error> ReadStream(Params params) {
  StreamCall call;
  int kinds = 0;
  if (params.Has("partial")) {
    ++kinds;
    params.String("partial", &call.text);
  }
  if (params.Has("final")) {
    ++kinds;
    call.kind = StreamCall::Kind::kFinal;
    params.String("final", &call.text);
  }
  const auto flag = [&](const char* name, StreamCall::Kind kind) {
    if (!params.Has(name)) return;
    ++kinds;
    call.kind = kind;
    bool set = false;
    params.Flag(name, &set);
    if (!set) params.Wrong(name, "true, or not there");
  };
  flag("cancel", StreamCall::Kind::kCancel);
  flag("end", StreamCall::Kind::kEnd);
  if (kinds != 1) {
    params.Fail(
        "give exactly one of \"partial\", \"final\", \"cancel\" and \"end\"");
  }
  std::string when_moved = "hold";
  params.String("when_moved", &when_moved);
  if (when_moved == "refuse") {
    call.when_moved = ax::WhenMoved::kRefuse;
  } else if (when_moved == "follow") {
    call.when_moved = ax::WhenMoved::kFollow;
  } else if (when_moved != "hold") {
    params.Wrong("when_moved", "\"hold\", \"refuse\" or \"follow\"");
  }
  params.Flag("newlines", &call.newlines);
  ReadMeans(params, &call.means);
  return End(params, std::move(call));
}

std::variant<Call, Error> ReadWatch(Params params) {
  WatchCall call;
  params.Flag("text", &call.text);
  // A month: longer is for ever.
  params.Milliseconds("for_ms", absl::Hours(31 * 24), &call.run_for);
  params.Milliseconds("deadline_ms", kLongestDeadline, &call.deadline);
  params.Number("max_text", 1, kMostText, &call.max_text);
  return End(params, call);
}

std::variant<Call, Error> ReadUnwatch(Params params) {
  UnwatchCall call;
  if (!params.Has("watch")) params.Wrong("watch", "there");
  params.Number("watch", 1, INT64_MAX, &call.watch);
  return End(params, call);
}

std::variant<Call, Error> ReadCancel(Params params) {
  CancelCall call;
  const value* id = params.Find("id");
  if (id != nullptr && id->is_int64()) {
    call.id = absl::StrCat(id->get_int64());
  } else if (id != nullptr && id->is_string()) {
    call.id = Quoted({id->get_string().data(), id->get_string().size()});
  } else {
    params.Wrong("id", "the id of a request");
  }
  return End(params, std::move(call));
}

}  // namespace

std::variant<Call, Error> ReadCall(const Request& request) {
  const std::string& method = request.method;
  Params params(*request.params);
  if (method == "text.snapshot") return ReadSnapshot(std::move(params));
  if (method == "text.replace") {
    return ReadEdit(ax::Edit::Kind::kReplaceSelection, std::move(params));
  }
  if (method == "text.insert") {
    return ReadEdit(ax::Edit::Kind::kInsertAtCaret, std::move(params));
  }
  if (method == "text.set") {
    return ReadEdit(ax::Edit::Kind::kSetValue, std::move(params));
  }
  if (method == "text.undo") return ReadUndo(std::move(params));
  if (method == "text.fields") return ReadFields(std::move(params));
  if (method == "text.focus") return ReadFocus(std::move(params));
  if (method == "text.stream") return ReadStream(std::move(params));
  if (method == "text.watch") return ReadWatch(std::move(params));
  if (method == "text.unwatch") return ReadUnwatch(std::move(params));
  if (method == "status") return End(params, StatusCall());
  if (method == "pause") return End(params, PauseCall());
  if (method == "resume") return End(params, ResumeCall());
  if (method == "$/cancel") return ReadCancel(std::move(params));
  for (const char* reserved : {"peers.", "files."}) {
    if (absl::StartsWith(method, reserved)) {
      return Error{Code::kNoMethod,
                   absl::StrCat("methods that begin with \"", reserved,
                                "\" are not available in this version")};
    }
  }
  if (method == "approve") {
    return Error{Code::kNoMethod,
                 "\"approve\" is not available in this version"};
  }
  return Error{Code::kNoMethod,
               absl::StrCat("there is no method ",
                            Quoted(absl::string_view(method).substr(0, 64)),
                            ": docs/control.md lists them")};
}

}  // namespace tactus::control
