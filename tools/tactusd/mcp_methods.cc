#include "tools/tactusd/mcp_methods.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/sync/mutex.h"
#include "ax/text/escape.h"
#include "tools/config/servers.h"
#include "tools/control/json_rpc.h"
#include "tools/control/params.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/threads.h"
#include "transfer/clock/clock.h"
#include "transfer/files/unique_fd.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/name.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/mcp/bridge.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/host.h"
#include "transfer/mcp/pipe_end.h"
#include "transfer/mcp/server_process.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using boost::json::object;
using config::ExposedServer;
using config::ExposedServers;
using config::ServerGrant;
using control::Error;
using control::Params;
using control::Quoted;
using transfer::DeviceId;
using transfer::PinnedPeer;
using transfer::Stream;
using transfer::files::UniqueFd;

absl::Time Now() { return transfer::Clock::Real().Now(); }

// What an agent said before its server runs, at most: then the peer waits, as
// it would for a server that does not read.
constexpr size_t kMostAhead = size_t{256} << 10;

// Between two attempts at a peer that is busy.
constexpr absl::Duration kBusyPause = absl::Milliseconds(100);

// A stream of which some is read before whoever it is for: to notice that the
// peer has gone while a person is asked.
class AheadStream : public Stream {
 public:
  explicit AheadStream(Stream* stream) : stream_(*stream) {}

  // Whether nothing will come of it any more. By the thread that reads.
  bool Gone() {
    while (!ended_ && ahead_.size() < kMostAhead) {
      char part[4096];
      const absl::StatusOr<size_t> n =
          stream_.Read(absl::MakeSpan(part), Now());
      if (absl::IsDeadlineExceeded(n.status())) return false;
      if (!n.ok()) return true;
      // The agent has said all, and may still wait for answers.
      if (*n == 0) ended_ = true;
      ahead_.append(part, *n);
    }
    return false;
  }

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override {
    if (ahead_.empty() && !ended_) return stream_.Read(into, deadline);
    const size_t n = std::min(into.size(), ahead_.size());
    std::copy_n(ahead_.begin(), n, into.begin());
    ahead_.erase(0, n);
    return n;
  }
  absl::Status Write(absl::string_view bytes, absl::Time deadline) override {
    return stream_.Write(bytes, deadline);
  }
  absl::Status CloseWrite(absl::Time deadline) override {
    return stream_.CloseWrite(deadline);
  }
  void Cancel() override { stream_.Cancel(); }
  const DeviceId& peer() const override { return stream_.peer(); }
  const transfer::StreamHeader& header() const override {
    return stream_.header();
  }

 private:
  Stream& stream_;
  std::string ahead_;
  bool ended_ = false;
};

std::string JsonList(const std::vector<std::string>& rows) {
  return absl::StrCat("[", absl::StrJoin(rows, ","), "]");
}

std::string EndJson(const transfer::BridgeEnd& end) {
  const char* kind = "link_lost";
  std::string code = "null";
  std::string signal = "null";
  switch (end.kind) {
    case transfer::BridgeEnd::Kind::kServerEnded:
      kind = "server_ended";
      if (!end.note.has_value()) break;
      switch (end.note->kind) {
        case transfer::EndNote::Kind::kExited:
          code = absl::StrCat(end.note->value);
          break;
        case transfer::EndNote::Kind::kKilled:
          signal = absl::StrCat(end.note->value);
          break;
        case transfer::EndNote::Kind::kNotStarted:
          kind = "not_started";
          break;
      }
      break;
    case transfer::BridgeEnd::Kind::kLinkLost:
      break;
    case transfer::BridgeEnd::Kind::kAgentGone:
      kind = "agent_gone";
      break;
    case transfer::BridgeEnd::Kind::kLineTooLong:
      kind = "line_too_long";
      break;
  }
  return absl::StrCat("{\"end\":\"", kind, "\",\"code\":", code,
                      ",\"signal\":", signal,
                      ",\"message\":", Quoted(end.message),
                      ",\"ended_requests\":", end.ended_requests, "}");
}

// Where the standard error of a server goes: never waited for, since who does
// not read it is not to hold up an answer.
class ErrorSink {
 public:
  explicit ErrorSink(int fd) : sink_(fd), terminal_(isatty(fd) == 1) {}

  bool good() const { return sink_.good(); }
  void Write(absl::string_view text) {
    // What does not fit is left out.
    sink_.Write(terminal_ ? Shown(text) : std::string(text), Now())
        .IgnoreError();
  }

 private:
  // A terminal would take what the server wrote for its own commands.
  static std::string Shown(absl::string_view text) {
    std::string shown;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      absl::StrAppend(&shown,
                      ax::ForTerminal(std::string(text.substr(0, end))));
      text.remove_prefix(end);
      if (!text.empty()) {
        shown.push_back('\n');
        text.remove_prefix(1);
      }
    }
    return shown;
  }

  transfer::FdSink sink_;
  const bool terminal_;
};

}  // namespace

McpMethods::McpMethods(Peers* peers, Approvals* approvals,
                       McpMethodsOptions options)
    : peers_(*peers), approvals_(*approvals), options_(std::move(options)) {}

void McpMethods::Register(Methods& methods) {
  methods.AddBrief("mcp.expose",
                   [this](const object& given) { return Expose(given); });
  methods.AddBrief("mcp.exposed",
                   [this](const object& given) { return Exposed(given); });
  methods.AddBrief("mcp.unexpose",
                   [this](const object& given) { return Unexpose(given); });
  methods.AddLong("mcp.connect", [this](const object& given, Session& session) {
    return Connect(given, session);
  });
  methods.AddLong("mcp.permit", [this](const object& given, Session& session) {
    return Permit(given, session);
  });
  methods.AddStatus("mcp", [this] { return Status(); });
  peers_.Handle(
      transfer::StreamKind::kMcp,
      [this](std::unique_ptr<Stream> stream) { Serve(std::move(stream)); },
      kMostOfAPeer);
}

Reply McpMethods::Expose(const object& given) {
  Params params(given);
  std::string name;
  std::string to;
  ExposedServer server;
  ServerGrant grant;
  if (!params.Has("server")) params.Wrong("server", "there");
  params.String("server", &name);
  params.String("peer", &to);
  const bool fresh = params.Has("command");
  params.Strings("command", config::kMostWords, &server.command);
  params.Flag("focused_text", &server.focused_text);
  params.Flag("ask", &grant.ask);
  params.Flag("write", &grant.write);
  if (std::optional<Error> error = params.End()) return *error;
  std::optional<PinnedPeer> peer;
  if (!to.empty()) {
    absl::StatusOr<PinnedPeer> found = peers_.pinned().Find(to);
    if (!found.ok()) return NotDone(found.status());
    peer = *std::move(found);
  }
  {
    MutexLock lock(&file_mutex_);
    absl::StatusOr<ExposedServers> servers =
        config::LoadServers(options_.servers);
    if (!servers.ok()) return NotDone(servers.status());
    const auto held = servers->find(name);
    const bool is_new = held == servers->end();
    if (fresh) {
      absl::Status good = config::CheckServer(name, server);
      if (!good.ok()) return NotDone(good);
      // Whoever may start the one that is there did not get leave for another.
      if (!is_new && held->second != server) {
        return NotDone(absl::AlreadyExistsError(absl::StrCat(
            "another server is kept under this name: choose another one, or "
            "`tactus unexpose ",
            name, "` first")));
      }
    } else if (is_new) {
      return NotDone(absl::NotFoundError(absl::StrCat(
          "no server is kept under this name: say how it is run, as in `tactus "
          "expose ",
          transfer::IsName(name) ? name : "NAME", " -- COMMAND`")));
    } else {
      server = held->second;
    }
    if (grant.write && !server.focused_text) {
      return NotDone(absl::InvalidArgumentError(
          "reading and writing are told apart for the focused text alone"));
    }
    if (is_new) {
      // The file is the user's too: who was granted one of this name that was
      // taken out of it did not get leave for the one that comes.
      for (const PinnedPeer& any : peers_.pinned().List()) {
        if (absl::Status revoked = Revoke(any, name); !revoked.ok()) {
          return NotDone(revoked);
        }
      }
      (*servers)[name] = server;
      absl::Status saved = config::SaveServers(options_.servers, *servers);
      if (!saved.ok()) return NotDone(saved);
    }
  }
  if (peer.has_value()) {
    // First what it may no more, so that it never has more than one of the two.
    if (absl::Status revoked = Revoke(*peer, name); !revoked.ok()) {
      return NotDone(revoked);
    }
    for (const std::string& one : config::NamesOfGrant(grant, name)) {
      absl::Status granted = peers_.pinned().Grant(peer->id(), one, true);
      if (!granted.ok()) return NotDone(granted);
    }
    options_.log(absl::StrCat(peer->name, " may start ", name,
                              grant.ask ? ", when asked for" : "",
                              !server.focused_text ? ""
                              : grant.write        ? ", to read and edit"
                                                   : ", to read"));
  }
  CutUngranted();
  return "{}";
}

Reply McpMethods::Exposed(const object& given) {
  Params params(given);
  if (std::optional<Error> error = params.End()) return *error;
  absl::StatusOr<ExposedServers> servers;
  {
    MutexLock lock(&file_mutex_);
    servers = config::LoadServers(options_.servers);
  }
  if (!servers.ok()) return NotDone(servers.status());
  const std::vector<PinnedPeer> all = peers_.pinned().List();
  std::vector<std::string> rows;
  for (const auto& [name, server] : *servers) {
    std::vector<std::string> words;
    for (const std::string& word : server.command) {
      words.push_back(Quoted(word));
    }
    std::vector<std::string> peers;
    for (const PinnedPeer& peer : all) {
      const std::optional<ServerGrant> grant =
          config::GrantIn(peer.granted, name);
      if (!grant.has_value()) continue;
      peers.push_back(absl::StrCat(
          "{\"name\":", Quoted(peer.name), ",\"id\":", Quoted(peer.id().text()),
          ",\"ask\":", grant->ask ? "true" : "false", ",\"write\":",
          grant->write && server.focused_text ? "true" : "false", "}"));
    }
    rows.push_back(absl::StrCat(
        "{\"name\":", Quoted(name), ",\"command\":", JsonList(words),
        ",\"focused_text\":", server.focused_text ? "true" : "false",
        ",\"peers\":", JsonList(peers), "}"));
  }
  return absl::StrCat("{\"servers\":", JsonList(rows), "}");
}

Reply McpMethods::Unexpose(const object& given) {
  Params params(given);
  std::string name;
  std::string from;
  if (!params.Has("server")) params.Wrong("server", "there");
  params.String("server", &name);
  params.String("peer", &from);
  if (std::optional<Error> error = params.End()) return *error;
  std::vector<PinnedPeer> peers = peers_.pinned().List();
  if (!from.empty()) {
    absl::StatusOr<PinnedPeer> peer = peers_.pinned().Find(from);
    if (!peer.ok()) return NotDone(peer.status());
    peers = {*std::move(peer)};
  }
  {
    MutexLock lock(&file_mutex_);
    // Grants first: what is kept and granted to nobody harms nobody. Also those
    // of a server that is kept no more, since one of its name may be again.
    for (const PinnedPeer& peer : peers) {
      if (absl::Status revoked = Revoke(peer, name); !revoked.ok()) {
        return NotDone(revoked);
      }
    }
    CutUngranted();
    absl::StatusOr<ExposedServers> servers =
        config::LoadServers(options_.servers);
    if (!servers.ok()) return NotDone(servers.status());
    if (servers->count(name) == 0) {
      return NotDone(absl::NotFoundError(
          "no server is kept under this name: `tactus exposed` lists them"));
    }
    if (from.empty()) {
      servers->erase(name);
      absl::Status saved = config::SaveServers(options_.servers, *servers);
      if (!saved.ok()) return NotDone(saved);
    }
  }
  options_.log(from.empty()
                   ? absl::StrCat(name, " is exposed no more")
                   : absl::StrCat(peers.front().name, " may not start ", name,
                                  " any more"));
  return "{}";
}

absl::Status McpMethods::Revoke(const PinnedPeer& peer,
                                const std::string& server) {
  for (const std::string& one : config::AllNamesOfGrants(server)) {
    if (peer.granted.count(one) == 0) continue;
    absl::Status revoked = peers_.pinned().Grant(peer.id(), one, false);
    if (!revoked.ok() && !absl::IsNotFound(revoked)) return revoked;
  }
  return absl::OkStatus();
}

void McpMethods::CutUngranted() {
  // Held while it is looked: a stream that is served leaves the list before it
  // is destroyed.
  MutexLock lock(&mutex_);
  for (auto& [number, served] : served_) {
    const absl::StatusOr<Granted> now =
        Find(served.stream->peer(), served.server);
    // What has not been looked for yet is looked for afterwards.
    const bool stays =
        now.ok() &&
        (!served.used.has_value() ||
         (*served.used == now->server &&
          (served.asked || !now->grant.ask || now->server.focused_text)));
    if (!stays) served.stream->Cancel();
  }
}

absl::StatusOr<McpMethods::Granted> McpMethods::FindFor(int64_t number) {
  // In one piece: what is changed afterwards finds it here, to be cut.
  MutexLock lock(&mutex_);
  Served& served = served_.at(number);
  absl::StatusOr<Granted> found = Find(served.stream->peer(), served.server);
  if (found.ok()) {
    served.used = found->server;
    served.asked = served.asked || found->grant.ask;
  }
  return found;
}

void McpMethods::Refuse(Stream& stream, absl::string_view why) {
  const DeviceId peer = stream.peer();
  {
    MutexLock lock(&mutex_);
    size_t& refusing = refusing_[peer];
    if (refusing >= kMostRefusing) return;
    ++refusing;
  }
  transfer::RefuseServer(stream, why);
  MutexLock lock(&mutex_);
  const auto found = refusing_.find(peer);
  if (--found->second == 0) refusing_.erase(found);
}

absl::StatusOr<McpMethods::Granted> McpMethods::Find(
    const DeviceId& peer, const std::string& server) {
  const std::optional<PinnedPeer> known = peers_.pinned().FindById(peer);
  if (!known.has_value()) {
    return absl::PermissionDeniedError("this device is no peer any more");
  }
  return Find(*known, server);
}

absl::StatusOr<McpMethods::Granted> McpMethods::Find(
    const PinnedPeer& peer, const std::string& server) {
  const std::optional<ServerGrant> grant =
      config::GrantIn(peer.granted, server);
  const absl::Status denied = absl::PermissionDeniedError(
      "no such server is exposed to this device: `tactus expose` does, on the "
      "device that has it");
  if (!grant.has_value()) return denied;
  absl::StatusOr<ExposedServers> servers =
      config::LoadServers(options_.servers);
  if (!servers.ok()) {
    options_.log(std::string(servers.status().message()));
    return absl::FailedPreconditionError(
        "the configuration there cannot be used: its daemon has logged why");
  }
  const auto held = servers->find(server);
  if (held == servers->end()) return denied;
  return Granted{.peer = peer, .server = held->second, .grant = *grant};
}

absl::Status McpMethods::Open(bool attended) {
  if (options_.paused()) {
    return absl::FailedPreconditionError("that device is paused");
  }
  if (!attended) return absl::OkStatus();
  const absl::StatusOr<bool> locked = options_.locked();
  if (!locked.ok()) return locked.status();
  return *locked ? absl::FailedPreconditionError(
                       "the screen of that device is locked")
                 : absl::OkStatus();
}

void McpMethods::Serve(std::unique_ptr<Stream> stream) {
  const std::string name = stream->header().label;
  AheadStream ahead(stream.get());
  int64_t number = 0;
  {
    // Before it is looked what is granted, so that it is cut when that ends.
    MutexLock lock(&mutex_);
    number = next_++;
    served_[number] = {.server = name, .stream = stream.get()};
  }
  const auto leave = absl::MakeCleanup([this, number] {
    MutexLock lock(&mutex_);
    served_.erase(number);
  });
  absl::StatusOr<Granted> granted = FindFor(number);
  absl::Status may = granted.status();
  const bool attended =
      granted.ok() && (granted->grant.ask || granted->server.focused_text);
  if (may.ok()) may = Open(attended);
  // Of the focused text each call is asked for, when it is known what it is.
  if (may.ok() && granted->grant.ask && !granted->server.focused_text) {
    may = approvals_.Ask(
        {.peer = granted->peer.name,
         .kind = "mcp",
         .text = absl::StrCat("an agent there wants to use the server ", name)},
        [&ahead] { return ahead.Gone(); });
    // As it is now: it may have been taken away or changed meanwhile.
    if (may.ok()) {
      granted = FindFor(number);
      may = granted.status();
    }
    if (may.ok()) may = Open(attended);
  }
  if (!may.ok()) {
    options_.log(
        absl::StrCat(granted.ok() ? granted->peer.name : stream->peer().text(),
                     " was refused a server: ", may.message()));
    Refuse(ahead, may.message());
    return;
  }
  std::vector<std::string> command = granted->server.command;
  if (granted->server.focused_text) {
    for (const std::string& word :
         {std::string("mcp"), std::string("serve"), std::string("--for"),
          absl::StrCat(granted->peer.name, "/", name), std::string("--grant"),
          std::string(granted->grant.write ? "write" : "read")}) {
      command.push_back(word);
    }
  }
  options_.log(absl::StrCat(granted->peer.name, " uses ", name));
  const absl::Status ended = transfer::HostServer({.arguments = command}, ahead,
                                                  Now() + kBusyPatience);
  options_.log(
      absl::StrCat(granted->peer.name, " uses ", name, " no more",
                   ended.ok() ? "" : absl::StrCat(": ", ended.message())));
}

absl::StatusOr<std::unique_ptr<Stream>> McpMethods::OpenStream(
    const DeviceId& peer, const std::string& server, Session& session) {
  const absl::Time begun = Now();
  for (;;) {
    absl::StatusOr<std::unique_ptr<Stream>> stream = peers_.transport().Open(
        peer, {.kind = transfer::StreamKind::kMcp, .label = server},
        Now() + kPatience);
    const absl::Status& status = stream.status();
    if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status)) {
      return stream;
    }
    const auto all = peers_.transport().PeerStatus();
    const bool there =
        std::any_of(all.begin(), all.end(), [&peer](const auto& one) {
          return one.id == peer && one.warm + one.streams > 0;
        });
    if (!there || Now() >= begun + kBusyPatience || !session.status().ok()) {
      return stream;
    }
    absl::SleepFor(kBusyPause);
  }
}

Reply McpMethods::Connect(const object& given, Session& session) {
  std::vector<UniqueFd> descriptors = session.TakeDescriptors();
  Params params(given);
  std::string name;
  std::string server;
  for (const char* needed : {"peer", "server"}) {
    if (!params.Has(needed)) params.Wrong(needed, "there");
  }
  params.String("peer", &name);
  params.String("server", &server);
  if (std::optional<Error> error = params.End()) return *error;
  if (!transfer::IsName(server)) {
    return NotDone(absl::InvalidArgumentError("this is no name of a server"));
  }
  if (descriptors.size() < 2) {
    return NotDone(absl::InvalidArgumentError(
        "the request must come with two descriptors, or three: what the agent "
        "says, what it hears, and the server's standard error"));
  }
  const absl::StatusOr<PinnedPeer> peer = peers_.pinned().Find(name);
  if (!peer.ok()) return NotDone(peer.status());
  {
    MutexLock lock(&mutex_);
    if (carried_ >= kMostCarried) {
      return NotDone(absl::ResourceExhaustedError(
          absl::StrCat(kMostCarried, " agents are carried already")));
    }
    ++carried_;
  }
  const auto leave = absl::MakeCleanup([this] {
    MutexLock lock(&mutex_);
    --carried_;
  });
  absl::StatusOr<std::unique_ptr<Stream>> stream =
      OpenStream(peer->id(), server, session);
  if (!stream.ok()) return NotDone(stream.status());
  transfer::FdSource input(descriptors[0].get());
  transfer::FdSink output(descriptors[1].get());
  std::optional<ErrorSink> errors;
  if (descriptors.size() > 2) errors.emplace(descriptors[2].get());
  if (!input.good() || !output.good() ||
      (errors.has_value() && !errors->good())) {
    return NotDone(absl::ResourceExhaustedError(
        "the daemon has no descriptors left: end some of what it carries"));
  }
  transfer::Bridge bridge({.link = stream->get(),
                           .from_agent = &input,
                           .to_agent = &output,
                           .clock = &transfer::Clock::Real(),
                           .on_errors = [&errors](absl::string_view text) {
                             if (errors.has_value()) errors->Write(text);
                           }});
  session.OnCancel([&stream, &output] {
    (*stream)->Cancel();
    output.Abandon();
  });
  std::thread from_agent =
      Threads::OfTheSystem()([&bridge] { bridge.FromAgent(); });
  if (!from_agent.joinable()) {
    session.OnCancel(nullptr);
    return NotDone(absl::UnavailableError("the system gives no thread"));
  }
  bridge.ToAgent();
  from_agent.join();
  session.OnCancel(nullptr);
  return EndJson(bridge.Finish());
}

Reply McpMethods::Permit(const object& given, Session& session) {
  Params params(given);
  std::string name;
  std::string server;
  std::string tool;
  bool writes = true;
  bool again = false;
  bool ask = true;
  for (const char* needed : {"peer", "server", "tool"}) {
    if (!params.Has(needed)) params.Wrong(needed, "there");
  }
  params.String("peer", &name);
  params.String("server", &server);
  params.String("tool", &tool);
  params.Flag("writes", &writes);
  params.Flag("again", &again);
  params.Flag("ask", &ask);
  if (std::optional<Error> error = params.End()) return *error;
  const auto check = [&]() -> absl::StatusOr<Granted> {
    const absl::StatusOr<PinnedPeer> peer = peers_.pinned().Find(name);
    if (!peer.ok()) {
      return absl::PermissionDeniedError("this device is no peer any more");
    }
    absl::StatusOr<Granted> granted = Find(*peer, server);
    if (!granted.ok()) return granted.status();
    if (writes && !granted->grant.write) {
      return absl::PermissionDeniedError(
          "this device may read the focused text there, and not edit it");
    }
    if (absl::Status open = Open(/*attended=*/true); !open.ok()) return open;
    return granted;
  };
  const absl::StatusOr<Granted> granted = check();
  if (!granted.ok()) return NotDone(granted.status());
  const bool asks = granted->grant.ask && (writes || !again);
  if (asks && ask) {
    const absl::Status answer = approvals_.Ask(
        {.peer = granted->peer.name,
         .kind = "mcp",
         .text = writes ? absl::StrCat("an agent there wants to edit the "
                                       "focused text (",
                                       tool, ")")
                        : "an agent there wants to read the focused text, "
                          "until it disconnects"},
        [&session] { return !session.status().ok(); });
    if (!answer.ok()) return NotDone(answer);
    if (absl::Status still = check().status(); !still.ok()) {
      return NotDone(still);
    }
  }
  return absl::StrCat("{\"asks\":", asks ? "true" : "false", "}");
}

std::string McpMethods::Status() {
  std::vector<std::string> served;
  MutexLock lock(&mutex_);
  for (const auto& [number, one] : served_) {
    const auto peer = peers_.pinned().FindById(one.stream->peer());
    served.push_back(absl::StrCat(
        "{\"peer\":",
        Quoted(peer.has_value() ? peer->name : one.stream->peer().text()),
        ",\"server\":", Quoted(one.server), "}"));
  }
  return absl::StrCat("{\"carried\":", carried_,
                      ",\"served\":", JsonList(served), "}");
}

}  // namespace tactus::daemon
