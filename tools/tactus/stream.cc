#include "tools/tactus/stream.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/stream.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json.h"
#include "tools/tactus/lines.h"

namespace tactus::cli {
namespace {

// Between two tries to write what is held.
constexpr absl::Duration kHoldPause = absl::Milliseconds(100);

absl::string_view KindName(StreamLine::Kind kind) {
  switch (kind) {
    case StreamLine::Kind::kPartial:
      return "partial";
    case StreamLine::Kind::kFinal:
      return "final";
    case StreamLine::Kind::kCancel:
      return "cancel";
  }
  return "partial";
}

ax::EditResult Refusal(ax::Reason reason, std::string message) {
  ax::EditResult result;
  result.reason = reason;
  result.message = std::move(message);
  return result;
}

class Runner {
 public:
  Runner(StreamTarget& stream, absl::Duration hold_for,
         absl::FunctionRef<absl::Status(const std::string&)> report)
      : stream_(stream), hold_for_(hold_for), report_(report) {}

  // Whoever reads the answers is still there.
  bool Answer(const StreamAnswer& result) {
    const ExitCode code = ExitCodeFor(result.outcome);
    if (code == ExitCode::kDiverged || code == ExitCode::kUnknown) {
      worst_ = code;
    }
    if (result.reason != ax::Reason::kSuperseded) last_ = code;
    return report_(result.line).ok();
  }

  bool Do(const StreamLine& line) {
    open_.reset();
    if (line.kind == StreamLine::Kind::kPartial) open_ = line.text;
    return Answer(stream_.Write(line.kind, line.text));
  }

  bool Complain(const absl::Status& status) {
    wrong_ = true;
    return Answer(
        AnswerOf(Refusal(ax::Reason::kBadText, std::string(status.message())),
                 StreamLine::Kind::kPartial));
  }

  // The last partial becomes final; what is held is waited for.
  void Finish(ax::Clock& clock, const LineReader& lines) {
    if (!open_.has_value() && !stream_.holding()) return;
    const absl::Time until = clock.Now() + hold_for_;
    std::string text = std::exchange(open_, std::nullopt).value_or("");
    for (;;) {
      const StreamAnswer result = stream_.Write(StreamLine::Kind::kFinal, text);
      const bool again = stream_.holding() && !stream_.ended() &&
                         result.reason == ax::Reason::kStale &&
                         clock.Now() < until && !lines.Stopped();
      if (!again) {
        Answer(result);
        return;
      }
      text.clear();  // it is held
      clock.SleepUntil(clock.Now() + kHoldPause);
    }
  }

  ExitCode code() const {
    if (worst_ != ExitCode::kDone) return worst_;
    if (wrong_) return ExitCode::kFailed;
    return last_;
  }

 private:
  StreamTarget& stream_;
  const absl::Duration hold_for_;
  absl::FunctionRef<absl::Status(const std::string&)> report_;
  std::optional<std::string> open_;  // a partial that is not final yet
  ExitCode worst_ = ExitCode::kDone;
  ExitCode last_ = ExitCode::kDone;
  bool wrong_ = false;
};

}  // namespace

StreamAnswer AnswerOf(const ax::EditResult& result, StreamLine::Kind kind) {
  return {result.outcome, result.reason, StreamJson(result, KindName(kind))};
}

StreamAnswer LocalStream::Write(StreamLine::Kind kind,
                                const std::string& text) {
  switch (kind) {
    case StreamLine::Kind::kPartial:
      return AnswerOf(stream_.Partial(text, options_()), kind);
    case StreamLine::Kind::kFinal:
      return AnswerOf(stream_.Final(text, options_()), kind);
    case StreamLine::Kind::kCancel:
      break;
  }
  return AnswerOf(stream_.Cancel(options_()), kind);
}

ExitCode RunStream(StreamTarget& stream, LineReader& lines, ax::Clock& clock,
                   absl::Duration hold_for,
                   absl::FunctionRef<absl::Status(const std::string&)> report) {
  Runner runner(stream, hold_for, report);
  std::optional<StreamLine> waiting;  // read, and not done yet
  bool more = true;
  while (more) {
    absl::StatusOr<std::optional<std::string>> text = lines.Next();
    std::optional<StreamLine> line;
    absl::Status wrong = text.status();
    if (text.ok()) {
      if (!text->has_value()) break;
      absl::StatusOr<StreamLine> parsed = ParseStreamLine(**text);
      wrong = parsed.status();
      if (parsed.ok()) line = *std::move(parsed);
    }
    if (waiting.has_value()) {
      // It was kept for what might supersede it.
      if (line.has_value() && line->kind != StreamLine::Kind::kCancel) {
        more &= runner.Answer(AnswerOf(
            Refusal(ax::Reason::kSuperseded,
                    "a later text was there before this one was written"),
            waiting->kind));
      } else {
        more &= runner.Do(*waiting);
      }
      waiting.reset();
    }
    if (!line.has_value()) {
      // After what came before it: answers are in the order of the lines.
      more &= runner.Complain(wrong) && absl::IsInvalidArgument(wrong);
      continue;
    }
    if (line->kind == StreamLine::Kind::kPartial && lines.Waiting()) {
      waiting = std::move(line);
    } else {
      more &= runner.Do(*line);
    }
  }
  if (waiting.has_value() && more) runner.Do(*waiting);
  runner.Finish(clock, lines);
  return runner.code();
}

}  // namespace tactus::cli
