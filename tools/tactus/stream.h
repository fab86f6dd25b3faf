// The command `stream`: lines in, an outcome for each of them out.
//
// Lines come faster than a slow application takes them. A partial behind which
// another one waits already is answered as superseded and not written: what is
// seen is the newest text, and no backlog builds up.
//
// Example:
//
//   LocalStream target(&stream, options);
//   ExitCode code = RunStream(target, lines, clock, hold_for,
//                             [](const std::string& line) {
//                               return WriteResult(line);
//                             });
#ifndef TACTUS_TOOLS_TACTUS_STREAM_H_
#define TACTUS_TOOLS_TACTUS_STREAM_H_

#include <functional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/stream.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json.h"
#include "tools/tactus/lines.h"

namespace tactus::cli {

// How one text of a stream ended.
struct StreamAnswer {
  ax::Outcome outcome = ax::Outcome::kRefused;
  ax::Reason reason = ax::Reason::kNone;
  std::string line;  // StreamJson of it
};

// Where the texts go: a stream of this process, or one of the daemon.
class StreamTarget {
 public:
  virtual ~StreamTarget() = default;
  // `text` is empty where it is cancelled.
  virtual StreamAnswer Write(StreamLine::Kind kind,
                             const std::string& text) = 0;
  // As of ax::Stream.
  virtual bool holding() const = 0;
  virtual bool ended() const = 0;
};

class LocalStream : public StreamTarget {
 public:
  // `options` makes those of one edit anew for each. `stream` must outlive it.
  LocalStream(ax::Stream* stream, std::function<ax::EditOptions()> options)
      : stream_(*stream), options_(std::move(options)) {}

  StreamAnswer Write(StreamLine::Kind kind, const std::string& text) override;
  bool holding() const override { return stream_.holding(); }
  bool ended() const override { return stream_.ended(); }

 private:
  ax::Stream& stream_;
  const std::function<ax::EditOptions()> options_;
};

// What a stream answers that was not asked to write.
StreamAnswer AnswerOf(const ax::EditResult& result, StreamLine::Kind kind);

// At the end of input the last partial becomes final, and the focus is waited
// for `hold_for` long for what is held, unless it was stopped. kDiverged or
// kUnknown when a line ended so; kFailed when the last text was not written, or
// a line was wrong; else kDone. Errors of `report` end it, as if the input had
// ended.
ExitCode RunStream(StreamTarget& stream, LineReader& lines, ax::Clock& clock,
                   absl::Duration hold_for,
                   absl::FunctionRef<absl::Status(const std::string&)> report);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_STREAM_H_
