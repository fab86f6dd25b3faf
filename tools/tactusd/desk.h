// What the daemon holds of a desktop while it is connected to it, and how it
// gets it again when that is lost.
//
// `Desk` is one connection: servers to read and to edit by, what knows the
// focus, and the editor. It is shared, so that a request which is under way
// ends in good order on the desk that it began with. `DeskSource` hands it out;
// behind it stands link.h, or a test.
//
// Example:
//
//   absl::StatusOr<std::shared_ptr<Desk>> desk = source.Get(deadline);
//   if (!desk.ok()) return desk.status();       // not connected, and why
//   SnapshotFocused(*(*desk)->reader, options, (*desk)->hints);
#ifndef TACTUS_TOOLS_TACTUSD_DESK_H_
#define TACTUS_TOOLS_TACTUSD_DESK_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/input/input.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::daemon {

class Desk {
 public:
  virtual ~Desk() = default;

  // Each for one lane alone.
  virtual ax::Server& reader() = 0;
  virtual ax::Server& writer() = 0;
  virtual ax::Editor& editor() = 0;  // over `writer`
  // May be null; for any thread.
  virtual ax::FocusHints* hints() = 0;
  // For people: where accessibility listens, and the X display.
  virtual std::string bus() const = 0;
  virtual std::string display() const = 0;
};

// A server and its events, of one watch alone.
struct WatchedServer {
  std::unique_ptr<ax::Server> server;
  std::unique_ptr<ax::EventSource> events;
};

// How it stands with the connection.
struct LinkState {
  enum class Kind { kConnected, kConnecting, kDisconnected, kPaused };
  Kind kind = Kind::kConnecting;
  std::string why;   // of kDisconnected
  int attempts = 0;  // since it was lost
  std::string bus;
  std::string display;
};

class DeskSource {
 public:
  virtual ~DeskSource() = default;

  // The desk, waited for until `deadline` where it is being connected to. The
  // error of connecting; Cancelled while paused.
  virtual absl::StatusOr<std::shared_ptr<Desk>> Get(absl::Time deadline) = 0;
  virtual absl::StatusOr<WatchedServer> OpenWatch(
      const ax::ObserveOptions& options, absl::Time deadline) = 0;
  // `server`, of `desk`, answered as if the desk were lost: find out by it.
  virtual void Doubt(const std::shared_ptr<Desk>& desk, ax::Server& server) = 0;
  // Lets go of everything, and touches nothing until Resume.
  virtual void Pause() = 0;
  virtual void Resume() = 0;
  virtual LinkState state() = 0;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_DESK_H_
