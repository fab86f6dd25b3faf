// What a module of the daemon answers beside the text: methods that it adds,
// and what it says in `status`.
//
// Use it to let a module be asked over the control socket without the
// dispatcher knowing it. A method is brief (answered at once by the thread that
// serves all clients, so it may not wait) or long (on a thread of its own, with
// progress for the client, ended when the client cancels or goes).
//
// Example:
//
//   methods.AddBrief("peers.list", [&](const object& params) -> Reply {
//     return ListJson();
//   });
//   methods.AddLong("files.send", [&](const object& params, Session& session)
//       -> Reply {
//     session.OnCancel([&] { stream->Cancel(); });
//     session.Progress("files.progress", R"({"bytes":7})");
//     ...
//     if (!sent.ok()) return NotDone(sent);
//     return R"({"files":3})";
//   });
//   methods.AddStatus("moving", [&] { return MovingJson(); });
//
// Parameters are read with control/params.h. All is added before the dispatcher
// is made; what was added must outlive it.
#ifndef TACTUS_TOOLS_TACTUSD_METHODS_H_
#define TACTUS_TOOLS_TACTUSD_METHODS_H_

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tools/control/json_rpc.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {

// The result as JSON, or why there is none.
using Reply = std::variant<std::string, control::Error>;

// A request that could not be carried out; the client gets the status, and
// `tactus` its exit code of it.
control::Error NotDone(const absl::Status& status);

// A long request that is under way, as its method sees it. Its functions may be
// called from any thread while the method runs.
class Session {
 public:
  virtual ~Session() = default;

  // A notification that the client must have: each is sent, in order. For what
  // is rare.
  virtual void Tell(absl::string_view method, absl::string_view params) = 0;

  // A notification of how far it is. For a client that does not read in time a
  // later one takes the place of one that waits; none comes after the answer.
  virtual void Progress(absl::string_view method, absl::string_view params) = 0;

  // OK until the client has cancelled or gone, or the daemon is ending; then
  // Cancelled, with why. The method is to return soon, best with
  // NotDone(session.status()).
  virtual absl::Status status() = 0;

  // `call` is called once when that happens, at once where it has happened, and
  // never after the method has returned. It must be brief, and call nothing of
  // the session. One at a time: a second one takes its place.
  virtual void OnCancel(std::function<void()> call) = 0;

  // What the client handed over with the request, in its order; once.
  virtual std::vector<transfer::files::UniqueFd> TakeDescriptors() {
    return {};
  }
};

class Methods {
 public:
  using Brief = std::function<Reply(const boost::json::object& params)>;
  using Long =
      std::function<Reply(const boost::json::object& params, Session&)>;
  using Begin = std::function<Long(const boost::json::object& params)>;

  void AddBrief(const std::string& name, Brief run);
  void AddLong(const std::string& name, Long run);
  // One that is begun by the thread that serves all clients, which is a wake-up
  // earlier: what does not wait, such as a message to a peer that is connected.
  // `begin` returns the rest. Where too many are under way already that is not
  // called, and what was begun comes to nothing.
  void AddBegun(const std::string& name, Begin begin);

  // Every method whose name begins so, unless it was added, is answered so.
  void Refuse(const std::string& prefix, const absl::Status& why);

  // A member of `status`: `value` returns JSON, soon and from any thread. Takes
  // the place of what was added for the member before.
  void AddStatus(const std::string& member, std::function<std::string()> value);

  // The method, begun where it is one of those; null where there is none.
  Long StartLong(const std::string& name,
                 const boost::json::object& params) const;
  // Each null where there is none.
  const Brief* FindBrief(const std::string& name) const;
  const control::Error* FindRefusal(const std::string& name) const;

  // `,"moving":[...]` and so on: what follows other members.
  std::string StatusMembers() const;

 private:
  std::map<std::string, Brief> brief_;
  std::map<std::string, Long> long_;
  std::map<std::string, Begin> begun_;
  std::map<std::string, control::Error> refused_;
  std::vector<std::pair<std::string, std::function<std::string()>>> status_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_METHODS_H_
