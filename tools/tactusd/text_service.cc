#include "tools/tactusd/text_service.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/stream.h"
#include "ax/fields/fields.h"
#include "ax/snapshot/snapshot.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/edit.h"
#include "tools/tactus/fields_json.h"
#include "tools/tactus/human.h"
#include "tools/tactus/json.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/desk.h"

namespace tactus::daemon {
namespace {

using control::Code;
using control::Error;
using control::ErrorLine;
using control::Quoted;
using control::ResultLine;
using control::StreamCall;

// For an application to show what an edit left selected.
constexpr absl::Duration kSettle = absl::Seconds(1);
// For the last partial of a client that has gone: it is in the field already.
constexpr absl::Duration kFarewell = absl::Seconds(2);

// An object as tools/tactus/json.h writes it, less the end of its line.
std::string Member(std::string line) {
  line.pop_back();
  return line;
}

ax::EditResult Refusal(ax::Reason reason, std::string message) {
  ax::EditResult result;
  result.reason = reason;
  result.message = std::move(message);
  return result;
}

Error LateForLane() {
  return {Code::kTooLate,
          "the deadline came while earlier requests were answered"};
}

ax::EditResult TooLate() {
  return Refusal(ax::Reason::kNoTime,
                 "the deadline came while earlier edits were carried out");
}

absl::string_view KindName(StreamCall::Kind kind) {
  switch (kind) {
    case StreamCall::Kind::kPartial:
      return "partial";
    case StreamCall::Kind::kFinal:
    case StreamCall::Kind::kEnd:
      return "final";
    case StreamCall::Kind::kCancel:
      return "cancel";
  }
  return "partial";
}

std::string StreamLine(const std::string& id, const ax::EditResult& result,
                       StreamCall::Kind kind, bool holding, bool ended) {
  return ResultLine(
      id, absl::StrCat(
              "{\"edit\":", Member(cli::StreamJson(result, KindName(kind))),
              ",\"holding\":", holding ? "true" : "false",
              ",\"ended\":", ended ? "true" : "false", "}"));
}

}  // namespace

Error NoDesk(const absl::Status& status) {
  if (absl::IsCancelled(status)) {
    return {Code::kPaused, std::string(status.message())};
  }
  return {Code::kNotConnected, std::string(status.message()), status};
}

TextService::TextService(DeskSource* source, cli::UndoStore store,
                         ax::Clock* clock, Log log)
    : source_(*source),
      store_(std::move(store)),
      clock_(*clock),
      log_(std::move(log)) {}

std::string TextService::Snapshot(const std::string& id,
                                  const control::SnapshotCall& call,
                                  absl::Time received) {
  const absl::Time deadline = received + call.deadline;
  if (clock_.Now() >= deadline) return ErrorLine(id, LateForLane());
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(deadline);
  if (!desk.ok()) return ErrorLine(id, NoDesk(desk.status()));
  const absl::StatusOr<ax::Snapshot> snapshot =
      ax::SnapshotFocused((*desk)->reader(),
                          {.deadline = deadline,
                           .max_text = call.max_text,
                           .context = call.context},
                          (*desk)->hints());
  if (!snapshot.ok()) {
    if (absl::IsUnavailable(snapshot.status())) {
      source_.Doubt(*desk, (*desk)->reader());
    }
    return ErrorLine(id,
                     {Code::kNotRead, std::string(snapshot.status().message()),
                      snapshot.status()});
  }
  std::string result =
      absl::StrCat("{\"snapshot\":",
                   Member(cli::SnapshotJson(*snapshot, absl::ZeroDuration())));
  if (call.people) {
    absl::StrAppend(
        &result, ",\"people\":",
        Quoted(cli::SnapshotForPeople(*snapshot, absl::ZeroDuration())));
  }
  return ResultLine(id, absl::StrCat(result, "}"));
}

std::string TextService::Fields(const std::string& id,
                                const control::FieldsCall& call,
                                absl::Time received) {
  const absl::Time deadline = received + call.deadline;
  if (clock_.Now() >= deadline) return ErrorLine(id, LateForLane());
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(deadline);
  if (!desk.ok()) return ErrorLine(id, NoDesk(desk.status()));
  const absl::StatusOr<ax::FieldList> list =
      ax::ListFields((*desk)->reader(), {.deadline = deadline});
  if (!list.ok()) {
    if (absl::IsUnavailable(list.status())) {
      source_.Doubt(*desk, (*desk)->reader());
    }
    return ErrorLine(id, {Code::kNotRead, std::string(list.status().message()),
                          list.status()});
  }
  return ResultLine(id, cli::FieldsJson(*list));
}

std::string TextService::Focus(const std::string& id,
                               const control::FocusCall& call,
                               absl::Time received) {
  const absl::Time deadline = received + call.deadline;
  if (clock_.Now() >= deadline) return ErrorLine(id, LateForLane());
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(deadline);
  if (!desk.ok()) return ErrorLine(id, NoDesk(desk.status()));
  const ax::FieldFocus result =
      ax::FocusField((*desk)->writer(), call.field, {.deadline = deadline});
  log_(absl::StrCat("focus: ", ax::OutcomeName(result.outcome), ", ",
                    result.reason));
  return ResultLine(id, cli::FieldFocusJson(result));
}

ax::EditOptions TextService::OptionsOf(const control::Means& means, Desk& desk,
                                       absl::Time deadline) {
  return {.deadline = deadline,
          .max_text = means.max_text,
          .allow_paste = means.paste,
          .allow_whole_value = means.whole_value,
          .allow_keystrokes = means.keystrokes,
          .hints = desk.hints()};
}

void TextService::Tell(absl::string_view what, const ax::EditResult& result) {
  log_(absl::StrFormat("%s: %s, %s, by %s, %d ms", what,
                       ax::OutcomeName(result.outcome),
                       ax::ReasonName(result.reason), ax::RungName(result.rung),
                       absl::ToInt64Milliseconds(result.elapsed)));
}

std::string TextService::Edit(const std::string& id,
                              const control::EditCall& call,
                              absl::Time received) {
  const absl::Time deadline = received + call.means.deadline;
  ax::EditResult result = TooLate();
  std::string note;
  if (clock_.Now() < deadline) {
    const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(deadline);
    if (!desk.ok()) return ErrorLine(id, NoDesk(desk.status()));
    result = cli::RunEdit(
        (*desk)->editor(), call.edit.has_value() ? &*call.edit : nullptr,
        OptionsOf(call.means, **desk, deadline), store_, &note);
    if (result.reason == ax::Reason::kNoFocus ||
        result.reason == ax::Reason::kUnreadable) {
      source_.Doubt(*desk, (*desk)->writer());
    }
  }
  Tell(call.edit.has_value() ? "edit" : "undo", result);
  std::string answer =
      absl::StrCat("{\"edit\":", Member(cli::EditJson(result)));
  if (!note.empty()) absl::StrAppend(&answer, ",\"note\":", Quoted(note));
  if (call.people) {
    absl::StrAppend(&answer,
                    ",\"people\":", Quoted(cli::EditForPeople(result)));
  }
  return ResultLine(id, absl::StrCat(answer, "}"));
}

void TextService::Keep(StreamSession& session) {
  const ax::Stream::Rewritten& wrote = session.stream_.rewritten();
  if (wrote.inserted == 0 && wrote.deleted == 0) return;
  const std::optional<ax::UndoRecord>& undo = session.desk_->editor().undo();
  // What is kept already may have been taken back by another process.
  if (!undo.has_value() || undo == session.kept_) return;
  session.kept_ = undo;
  if (absl::Status kept = store_.Save(*undo); !kept.ok()) {
    log_(absl::StrCat("what was streamed cannot be undone: ", kept.message()));
  }
}

ax::EditResult TextService::Finish(StreamSession& session,
                                   const ax::EditOptions& options) {
  ax::EditResult result = session.stream_.Final(
      std::exchange(session.open_, std::nullopt).value_or(""), options);
  Tell("stream", result);
  return result;
}

std::string TextService::Stream(const std::string& id, const StreamCall& call,
                                absl::Time received,
                                std::unique_ptr<StreamSession>* session) {
  const absl::Time deadline = received + call.means.deadline;
  const bool end = call.kind == StreamCall::Kind::kEnd;
  const bool holding = *session != nullptr && (*session)->stream_.holding();
  if (end &&
      (*session == nullptr || (!holding && !(*session)->open_.has_value()))) {
    session->reset();
    return ResultLine(id, R"({"edit":null,"holding":false,"ended":true})");
  }
  if (clock_.Now() >= deadline) {
    return StreamLine(id, TooLate(), call.kind, holding,
                      *session != nullptr && (*session)->stream_.ended());
  }
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(deadline);
  if (!desk.ok()) return ErrorLine(id, NoDesk(desk.status()));
  if (*session == nullptr) {
    *session = std::make_unique<StreamSession>(
        *desk, ax::StreamOptions{.when_moved = call.when_moved,
                                 .allow_newlines = call.newlines});
  } else if ((*session)->desk_ != *desk) {
    if (end) session->reset();
    return StreamLine(
        id,
        Refusal(ax::Reason::kEnded,
                "the connection to accessibility was lost: the stream has "
                "ended"),
        call.kind, /*holding=*/false, /*ended=*/true);
  }
  StreamSession& open = **session;
  const ax::EditOptions options = OptionsOf(call.means, **desk, deadline);
  ax::EditResult result;
  switch (call.kind) {
    case StreamCall::Kind::kPartial:
      open.open_ = call.text;
      result = open.stream_.Partial(call.text, options);
      break;
    case StreamCall::Kind::kFinal:
      open.open_ = call.text;
      result = Finish(open, options);
      break;
    case StreamCall::Kind::kCancel:
      open.open_.reset();
      result = open.stream_.Cancel(options);
      break;
    case StreamCall::Kind::kEnd:
      result = Finish(open, options);
      break;
  }
  if (result.reason == ax::Reason::kNoFocus)
    source_.Doubt(*desk, (*desk)->writer());
  const bool ended = end || open.stream_.ended();
  // Of what only partials have written so far the end keeps it.
  if (ended || call.kind == StreamCall::Kind::kFinal) Keep(open);
  const std::string line =
      StreamLine(id, result, call.kind, open.stream_.holding() && !end, ended);
  if (end) session->reset();
  return line;
}

std::string TextService::Superseded(const std::string& id) {
  return StreamLine(
      id,
      Refusal(ax::Reason::kSuperseded,
              "a later text was there before this one was written"),
      StreamCall::Kind::kPartial, /*holding=*/false, /*ended=*/false);
}

void TextService::EndStream(std::unique_ptr<StreamSession>* session) {
  if (*session == nullptr) return;
  StreamSession& open = **session;
  // Paused or lost, nothing is touched any more.
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(clock_.Now());
  if (desk.ok() && *desk == open.desk_) {
    if (open.open_.has_value() && !open.stream_.ended()) {
      Finish(open, {.deadline = clock_.Now() + kFarewell,
                    .hints = open.desk_->hints()});
    }
    Keep(open);
  }
  session->reset();
}

void TextService::Settle() {
  const absl::StatusOr<std::shared_ptr<Desk>> desk = source_.Get(clock_.Now());
  if (desk.ok()) (*desk)->editor().Settle(clock_.Now() + kSettle);
}

}  // namespace tactus::daemon
