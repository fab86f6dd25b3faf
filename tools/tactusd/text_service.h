// What the daemon does with the focused text, once a request is read: it takes
// a desk, reads or edits, and makes the answer.
//
// The same code as the command runs in a process of its own, so that both end
// alike; tools/tactus has it. Nothing here knows of sockets or threads: each
// function is called by the lane that it is for.
//
// Example:
//
//   TextService service(&source, cli::UndoStore(folder), &clock, Log);
//   std::string line = service.Snapshot("7", call, received);
//
// What is logged tells outcomes, ways and times, and no text.
#ifndef TACTUS_TOOLS_TACTUSD_TEXT_SERVICE_H_
#define TACTUS_TOOLS_TACTUSD_TEXT_SERVICE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/stream.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/desk.h"

namespace tactus::daemon {

using Log = std::function<void(const std::string&)>;

// The text that one client streams. Belongs to the lane of edits.
class StreamSession {
 public:
  StreamSession(std::shared_ptr<Desk> desk, ax::StreamOptions options)
      : desk_(std::move(desk)), stream_(&desk_->editor(), options) {}

 private:
  friend class TextService;
  const std::shared_ptr<Desk> desk_;
  ax::Stream stream_;
  std::optional<std::string> open_;  // a partial that is not final yet
  std::optional<ax::UndoRecord> kept_;
};

class TextService {
 public:
  // `source` and `clock` must outlive it; `clock` is that of its servers.
  TextService(DeskSource* source, cli::UndoStore store, ax::Clock* clock,
              Log log);

  // Each returns the whole line that answers request `id`; `received` is when
  // its deadline began.

  // By the lane of reads.
  std::string Snapshot(const std::string& id, const control::SnapshotCall& call,
                       absl::Time received);
  std::string Fields(const std::string& id, const control::FieldsCall& call,
                     absl::Time received);

  // By the lane of edits.
  std::string Focus(const std::string& id, const control::FocusCall& call,
                    absl::Time received);
  std::string Edit(const std::string& id, const control::EditCall& call,
                   absl::Time received);
  std::string Stream(const std::string& id, const control::StreamCall& call,
                     absl::Time received,
                     std::unique_ptr<StreamSession>* session);
  // As at the end of input: the last partial becomes final, and what is held is
  // not waited for. No answer.
  void EndStream(std::unique_ptr<StreamSession>* session);
  // When no edit waits: what the last one selected is waited for.
  void Settle();

  // A text of a stream that a later one has overtaken.
  static std::string Superseded(const std::string& id);

 private:
  ax::EditOptions OptionsOf(const control::Means& means, Desk& desk,
                            absl::Time deadline);
  ax::EditResult Finish(StreamSession& session, const ax::EditOptions& options);
  // What undoes what it wrote, for a later undo.
  void Keep(StreamSession& session);
  void Tell(absl::string_view what, const ax::EditResult& result);

  DeskSource& source_;
  const cli::UndoStore store_;
  ax::Clock& clock_;
  const Log log_;
};

// Why there is no desk, as an error of the protocol.
control::Error NoDesk(const absl::Status& status);

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_TEXT_SERVICE_H_
