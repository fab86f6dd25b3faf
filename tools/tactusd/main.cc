// `tactusd`: the resident daemon. See docs/control.md.

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/clock/clock.h"
#include "ax/text/escape.h"
#include "tools/config/config.h"
#include "tools/config/servers.h"
#include "tools/config/state_folder.h"
#include "tools/control/address.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/hands.h"
#include "tools/tactus/stop_signals.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/atspi_desk.h"
#include "tools/tactusd/control_server.h"
#include "tools/tactusd/dispatcher.h"
#include "tools/tactusd/echo_method.h"
#include "tools/tactusd/file_methods.h"
#include "tools/tactusd/link.h"
#include "tools/tactusd/mcp_methods.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/nearby.h"
#include "tools/tactusd/notifier.h"
#include "tools/tactusd/peer_methods.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/screen_lock.h"
#include "tools/tactusd/watches.h"
#include "transfer/mcp/open_files.h"
#include "transfer/stream/header.h"

namespace tactus::daemon {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kCannotRun = 3;

constexpr char kHelp[] = R"(usage: tactusd [--help | --version]

The resident daemon of Tactus. It stays connected to accessibility and knows
what has the focus, so that `tactus` answers at once. `tactus` uses it when it
runs; nothing else has to be told. It is also what other devices that were
paired with this one (`tactus pair`) talk to, with a desktop or without.

It listens on $XDG_RUNTIME_DIR/tactus/control.sock, or on the socket that
systemd hands it (tactusd.socket), for programs of the same user alone. It reads
$XDG_CONFIG_HOME/tactus/config.json when it starts. This device's key and the
list of its peers are in $XDG_STATE_HOME/tactus; no port is open until a device
is paired or is to be. It logs to standard error, and never a text.

SIGTERM or SIGINT end it when the edit that it has begun has ended; a second one
at once.

Exit codes: 0 ended as it was asked to; 1 failed; 2 usage; 3 cannot run here:
the message says what to do.
)";

// One write, so that lines of two threads stay apart.
void LogLine(const std::string& message) {
  const std::string line =
      absl::StrCat("tactusd: ", ax::ForTerminal(message), "\n");
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

int CannotRun(const absl::Status& status) {
  LogLine(std::string(status.message()));
  return absl::IsFailedPrecondition(status) ? kCannotRun : kFailed;
}

// The folder of a socket that the service manager listens on.
absl::StatusOr<std::string> FolderOf(int fd) {
  sockaddr_un address = {};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      address.sun_family != AF_UNIX || address.sun_path[0] != '/') {
    return absl::FailedPreconditionError(
        "the socket of tactusd.socket has no path: write ListenStream= with "
        "one");
  }
  const std::string path(address.sun_path,
                         strnlen(address.sun_path, sizeof(address.sun_path)));
  return path.substr(0, path.find_last_of('/'));
}

// What the service manager hands over, or one of our own.
absl::StatusOr<int> Socket(control::InstanceLock& lock, bool* activated) {
  const int handed = sd_listen_fds(/*unset_environment=*/1);
  *activated = handed > 0;
  if (handed < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("LISTEN_FDS cannot be understood: ", strerror(-handed)));
  }
  if (handed == 0) {
    const std::string folder = control::DefaultFolder();
    if (folder.empty()) {
      return absl::FailedPreconditionError(
          "XDG_RUNTIME_DIR is not set: run this inside a desktop session");
    }
    if (absl::Status taken = lock.Take(folder); !taken.ok()) return taken;
    return control::Listen(folder);
  }
  const int fd = SD_LISTEN_FDS_START;
  if (handed != 1 || sd_is_socket_unix(fd, SOCK_STREAM, 1, nullptr, 0) <= 0) {
    return absl::FailedPreconditionError(
        "give exactly one listening Unix socket: the ListenStream= of "
        "tactusd.socket");
  }
  absl::StatusOr<std::string> folder = FolderOf(fd);
  if (!folder.ok()) return folder.status();
  if (absl::Status taken = lock.Take(*folder); !taken.ok()) return taken;
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return absl::ErrnoToStatus(errno, "cannot use the socket");
  }
  return fd;
}

// Null where this device can have no peers: that is told to whoever asks for
// them, and the text is served all the same.
std::unique_ptr<Peers> OpenPeers(const config::Config& config,
                                 Methods& methods) {
  PeersOptions options = {.folder = config::StateFolder(), .log = LogLine};
  if (config.listen.has_value()) options.listen = *config.listen;
  absl::StatusOr<std::unique_ptr<Peers>> peers =
      Peers::Open(std::move(options));
  if (peers.ok()) return *std::move(peers);
  LogLine(absl::StrCat("no peers: ", peers.status().message()));
  for (const char* prefix : {"peers.", "files.", "mcp.", "approve"}) {
    methods.Refuse(prefix, peers.status());
  }
  methods.AddStatus(
      "no_peers",
      [why = control::Quoted(peers.status().message())] { return why; });
  return nullptr;
}

int Serve() {
  transfer::RaiseOpenFiles();
  const std::string path = config::ConfigPath();
  const absl::StatusOr<config::Config> config = config::LoadConfig(path);
  if (!config.ok()) return CannotRun(config.status());
  control::InstanceLock lock;
  bool activated = false;
  const absl::StatusOr<int> fd = Socket(lock, &activated);
  if (!fd.ok()) return CannotRun(fd.status());

  ControlServer server(*fd, LogLine);
  int asked = 0;
  std::atomic<bool> ending = false;
  // Before any other thread is there.
  const cli::StopSignals stop([&server, &asked, &ending] {
    if (++asked > 1) _exit(kFailed);
    ending = true;
    server.RequestStop();
  });
  Link link(AtspiLink(*config, LogLine));
  Methods methods;
  Approvals approvals(&ax::Clock::Real());
  Notifier notifier({.session_bus = "", .answer = [&](int64_t id, bool yes) {
                       approvals.Answer(id, yes).IgnoreError();
                     }});
  approvals.Observe(&notifier);
  ScreenLock screen({});
  // Destroyed after the dispatcher, whose long calls use it.
  const std::unique_ptr<Peers> peers = OpenPeers(*config, methods);
  Avahi avahi;
  std::unique_ptr<PeerMethods> peer_methods;
  std::optional<EchoMethod> echo;
  std::unique_ptr<FileMethods> file_methods;
  std::optional<McpMethods> mcp_methods;
  if (peers != nullptr) {
    // Modules add their methods and handlers here, before anything is served.
    char host[HOST_NAME_MAX + 1] = {};
    if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
    peer_methods = std::make_unique<PeerMethods>(
        peers.get(), &approvals,
        PeerMethodsOptions{.device = DeviceName(host),
                           .config = &*config,
                           .nearby = &avahi,
                           .log = LogLine});
    peer_methods->Register(methods);
    echo.emplace(&peers->transport(), &peers->pinned());
    echo->Register(methods);
    peers->Handle(transfer::StreamKind::kMessage, ServeEchoes);
    file_methods = std::make_unique<FileMethods>(
        peers.get(), &approvals,
        FileMethodsOptions{.config = &*config,
                           .state = config::StateFolder(),
                           .inbox = DefaultInbox(),
                           .ending = &ending,
                           .log = LogLine});
    file_methods->Register(methods);
    mcp_methods.emplace(
        peers.get(), &approvals,
        McpMethodsOptions{.servers = config::ServersPath(),
                          .paused =
                              [&link] {
                                return link.state().kind ==
                                       LinkState::Kind::kPaused;
                              },
                          .locked = [&screen] { return screen.Locked(); },
                          .log = LogLine});
    mcp_methods->Register(methods);
    if (absl::Status started = peers->Start(); !started.ok()) {
      return CannotRun(started);
    }
  }
  absl::Status status;
  {
    Dispatcher dispatcher(
        {.source = &link,
         .clock = &ax::Clock::Real(),
         .sink = &server,
         .store = cli::UndoStore(cli::UndoStore::DefaultFolder()),
         .spawn = Watches::Threads(),
         .log = LogLine,
         .about = {.version = cli::kVersion,
                   .pid = getpid(),
                   .config = config->path,
                   .denied = config->denied,
                   .activated = activated},
         .methods = &methods});
    std::thread reads([&dispatcher] { dispatcher.reads().Run(); });
    std::thread edits([&dispatcher] { dispatcher.edits().Run(); });
    LogLine(absl::StrCat("ready, version ", cli::kVersion));
    sd_notify(/*unset_environment=*/0, "READY=1");
    status = server.Run(dispatcher);
    sd_notify(/*unset_environment=*/0, "STOPPING=1");
    // It has, unless the server failed.
    dispatcher.Stop();
    reads.join();
    edits.join();
  }
  // Whoever serves a peer may wait for a person.
  approvals.Stop();
  notifier.Stop();
  if (file_methods != nullptr) file_methods->Stop();
  if (peers != nullptr) peers->Stop();
  // A socket that is left leads nobody astray: who connects is told that nobody
  // listens. That of the service manager is its own.
  if (!activated) unlink(control::SocketPath(control::DefaultFolder()).c_str());
  if (!status.ok()) return CannotRun(status);
  LogLine("ended");
  return kDone;
}

int Main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  if (const std::optional<int> code = cli::KeptClipboard(argc, argv)) {
    return *code;
  }
  const absl::string_view argument = argc == 2 ? argv[1] : "";
  if (argument == "--help" || argument == "-h") {
    return fputs(kHelp, stdout) < 0 || fflush(stdout) != 0 ? kFailed : kDone;
  }
  if (argument == "--version") {
    return printf("tactusd %s\n", cli::kVersion) < 0 || fflush(stdout) != 0
               ? kFailed
               : kDone;
  }
  if (argc != 1) {
    LogLine("it takes no arguments: see `tactusd --help`");
    return kUsage;
  }
  return Serve();
}

}  // namespace
}  // namespace tactus::daemon

int main(int argc, char** argv) { return tactus::daemon::Main(argc, argv); }
