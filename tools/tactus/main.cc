// `tactus`: the focused text field, on the command line. See docs/tactus.md.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/stream.h"
#include "ax/focus/focus_cache.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "tools/audit/audit.h"
#include "tools/config/allowed_server.h"
#include "tools/config/config.h"
#include "tools/config/state_folder.h"
#include "tools/control/client.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/command_backend.h"
#include "tools/mcp/permitted_backend.h"
#include "tools/mcp/serve.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/bench_command.h"
#include "tools/tactus/chromium.h"
#include "tools/tactus/doctor.h"
#include "tools/tactus/edit.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/hands.h"
#include "tools/tactus/human.h"
#include "tools/tactus/json.h"
#include "tools/tactus/launcher.h"
#include "tools/tactus/lines.h"
#include "tools/tactus/mcp_commands.h"
#include "tools/tactus/output.h"
#include "tools/tactus/peer_commands.h"
#include "tools/tactus/remote.h"
#include "tools/tactus/send.h"
#include "tools/tactus/stop_signals.h"
#include "tools/tactus/stream.h"
#include "tools/tactus/try.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactus/watch.h"

namespace tactus::cli {
namespace {

using config::AllowedServer;
using control::Client;

// Of standard input: what one message carries.
constexpr size_t kMostInput = size_t{32} << 20;
// For an application to show what an edit left selected.
constexpr absl::Duration kSettle = absl::Seconds(1);

void WaitBeforeReading(absl::Duration wait) {
  if (wait <= absl::ZeroDuration()) return;
  TellPerson(absl::StrCat("reading in ", absl::FormatDuration(wait),
                          ": click into a text field"));
  absl::SleepFor(wait);
}

// Accessibility, less what the configuration denies.
absl::StatusOr<AllowedServer> Connect(absl::Time deadline) {
  const absl::StatusOr<config::Config> config =
      config::LoadConfig(config::ConfigPath());
  if (!config.ok()) return config.status();
  return config::ConnectAllowed(*config, deadline);
}

ExitCode Snapshot(const Arguments& arguments) {
  ax::Clock& clock = ax::Clock::Real();
  // Connected before the wait, so that whoever cannot read here is not made to
  // wait for it. The wait itself is no part of the deadline.
  const absl::Time begun = clock.Now();
  absl::StatusOr<std::unique_ptr<Client>> daemon =
      FindDaemon(arguments, begun + arguments.deadline);
  if (!daemon.ok()) return Complain(daemon.status());
  if (*daemon != nullptr) {
    const absl::Duration left = arguments.deadline - (clock.Now() - begun);
    WaitBeforeReading(arguments.wait);
    return SnapshotBy(**daemon, arguments, left);
  }
  const absl::StatusOr<AllowedServer> server =
      Connect(begun + arguments.deadline);
  if (!server.ok()) return Complain(server.status());
  const absl::Duration connect = clock.Now() - begun;
  WaitBeforeReading(arguments.wait);

  const absl::StatusOr<ax::Snapshot> snapshot = ax::SnapshotFocused(
      *server->server, {.deadline = clock.Now() + arguments.deadline - connect,
                        .max_text = arguments.max_text,
                        .context = arguments.context});
  if (!snapshot.ok()) {
    Complain(std::string(snapshot.status().message()));
    // What could connect can run here. Wayland answers FailedPrecondition for
    // its list of windows where nothing has the focus: that passes.
    return ExitCode::kFailed;
  }
  const ExitCode code = ExitCodeFor(*snapshot);
  if (code != ExitCode::kDone) {
    Complain(absl::StrCat("the text was not read: ",
                          snapshot->value.status().message()));
  }
  return Finish(arguments.json ? SnapshotJson(*snapshot, connect)
                               : SnapshotForPeople(*snapshot, connect),
                code);
}

absl::StatusOr<std::string> ReadStandardInput() {
  std::string text;
  char part[65536];
  size_t n = 0;
  while ((n = fread(part, 1, sizeof(part), stdin)) > 0) {
    text.append(part, n);
    // No message carries more, and a mistaken pipe is not to fill memory.
    if (text.size() > kMostInput) {
      return absl::InvalidArgumentError(absl::StrCat(
          "standard input holds more than ", kMostInput, " bytes of text"));
    }
  }
  if (ferror(stdin)) return absl::DataLossError("cannot read standard input");
  return text;
}

// The clipboard is the user's, whatever became of the edit.
void HandOver(Hands& hands) {
  if (absl::Status handed = hands.HandOver(); !handed.ok()) {
    Complain(std::string(handed.message()));
  }
}

ExitCode EditFocused(const Arguments& arguments) {
  ax::Clock& clock = ax::Clock::Real();
  ax::Edit edit;
  const bool undo = arguments.command == Arguments::Command::kUndo;
  if (!undo) {
    absl::StatusOr<ax::Edit> made = MakeEdit(arguments, ReadStandardInput);
    if (!made.ok()) return Complain(made.status());
    edit = *std::move(made);
  }
  const absl::Time begun = clock.Now();
  absl::StatusOr<std::unique_ptr<Client>> daemon =
      FindDaemon(arguments, begun + arguments.deadline);
  if (!daemon.ok()) return Complain(daemon.status());
  if (*daemon != nullptr) {
    const absl::Duration left = arguments.deadline - (clock.Now() - begun);
    const std::optional<std::string> params =
        EditParams(undo ? nullptr : &edit, arguments, left);
    if (params.has_value()) {
      WaitBeforeReading(arguments.wait);
      return EditBy(**daemon, arguments, *params, left);
    }
  }
  const absl::StatusOr<AllowedServer> server =
      Connect(begun + arguments.deadline);
  if (!server.ok()) return Complain(server.status());
  const absl::Duration connect = clock.Now() - begun;
  WaitBeforeReading(arguments.wait);

  Hands hands;
  ax::Editor editor(server->server.get(), hands.input());
  std::string note;
  const ax::EditResult result =
      RunEdit(editor, undo ? nullptr : &edit,
              OptionsOf(arguments, clock.Now() + arguments.deadline - connect),
              UndoStore(UndoStore::DefaultFolder()), &note);
  editor.Settle(clock.Now() + kSettle);
  HandOver(hands);
  if (!note.empty()) Complain(note);
  if (result.outcome != ax::Outcome::kVerified) {
    Complain(
        absl::StrCat(ax::OutcomeName(result.outcome), ": ", result.message));
  }
  return Finish(arguments.json ? EditJson(result) : EditForPeople(result),
                ExitCodeFor(result.outcome));
}

ExitCode Try(const Arguments& arguments) {
  ax::Clock& clock = ax::Clock::Real();
  const absl::StatusOr<AllowedServer> server =
      Connect(clock.Now() + arguments.deadline);
  if (!server.ok()) return Complain(server.status());
  WaitBeforeReading(arguments.wait);
  Hands hands;
  ax::Editor editor(server->server.get(), hands.input());
  absl::Status told;
  const ExitCode code = TryField(
      *server->server, editor,
      [&] { return OptionsOf(arguments, clock.Now() + arguments.deadline); },
      [&told](const std::string& line) {
        if (told.ok()) told = WriteResult(absl::StrCat(line, "\n"));
      });
  editor.Settle(clock.Now() + kSettle);
  HandOver(hands);
  if (!told.ok() && code == ExitCode::kDone) return Complain(told);
  return code;
}

ExitCode StreamInput(const Arguments& arguments) {
  ax::Clock& clock = ax::Clock::Real();
  // Stopped, what was heard last is made final. Before any thread is there.
  const absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
  if (!stop.ok()) return Complain(stop.status());
  const absl::Time deadline = clock.Now() + arguments.deadline;
  absl::StatusOr<std::unique_ptr<Client>> daemon =
      FindDaemon(arguments, deadline);
  if (!daemon.ok()) return Complain(daemon.status());
  LineReader lines(STDIN_FILENO, (*stop)->stopped());
  if (*daemon != nullptr) {
    if (const std::optional<ExitCode> code = CannotStream(**daemon)) {
      return *code;
    }
    WaitBeforeReading(arguments.wait);
    RemoteStream stream(daemon->get(), &arguments);
    return RunStream(stream, lines, clock, arguments.edit.hold_for,
                     WriteResult);
  }
  // The cache has a connection of its own.
  const absl::StatusOr<AllowedServer> server = Connect(deadline);
  if (!server.ok()) return Complain(server.status());
  absl::StatusOr<AllowedServer> watcher = Connect(deadline);
  if (!watcher.ok()) return Complain(watcher.status());
  absl::StatusOr<std::unique_ptr<ax::FocusCache>> cache =
      ax::FocusCache::Create(std::move(watcher->server), deadline);
  if (!cache.ok()) return Complain(cache.status());
  (*cache)->Start();
  WaitBeforeReading(arguments.wait);

  Hands hands;
  ax::Editor editor(server->server.get(), hands.input());
  ax::Stream stream(&editor, {.when_moved = arguments.edit.when_moved,
                              .allow_newlines = arguments.edit.newlines});
  LocalStream target(&stream, [&] {
    ax::EditOptions options =
        OptionsOf(arguments, clock.Now() + arguments.deadline);
    options.hints = cache->get();
    return options;
  });
  const ExitCode code =
      RunStream(target, lines, clock, arguments.edit.hold_for, WriteResult);
  editor.Settle(clock.Now() + kSettle);
  HandOver(hands);
  const UndoStore store(UndoStore::DefaultFolder());
  const absl::Status kept =
      editor.undo().has_value() ? store.Save(*editor.undo()) : absl::OkStatus();
  if (!kept.ok()) Complain(std::string(kept.message()));
  return code;
}

ExitCode WatchByDaemon(Client& daemon, const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
  if (!stop.ok()) return Complain(stop.status());
  return WatchBy(daemon, arguments, (*stop)->stopped());
}

ExitCode WatchChanges(const Arguments& arguments) {
  ax::Clock& clock = ax::Clock::Real();
  const absl::Time deadline = clock.Now() + arguments.deadline;
  absl::StatusOr<std::unique_ptr<Client>> daemon =
      FindDaemon(arguments, deadline);
  if (!daemon.ok()) return Complain(daemon.status());
  if (*daemon != nullptr) return WatchByDaemon(**daemon, arguments);
  const absl::StatusOr<AllowedServer> server = Connect(deadline);
  if (!server.ok()) return Complain(server.status());
  absl::StatusOr<std::unique_ptr<ax::EventSource>> events =
      server->server->Observe({.text = arguments.text}, deadline);
  if (!events.ok()) return Complain(events.status());

  absl::Status status;
  {
    const StopSignals stop([&events] { (*events)->Cancel(); });
    status = Watch(
        *server->server, **events,
        {.text = arguments.text,
         .run_for = arguments.run_for,
         .count = arguments.count,
         .deadline = arguments.deadline,
         .max_text = arguments.max_text},
        [](const Change& change) { return WriteResult(ChangeJson(change)); });
  }
  // Whoever closed the pipe has seen enough.
  if (status.ok() || absl::IsCancelled(status)) return ExitCode::kDone;
  return Complain(status);
}

ExitCode ListApplications(const Arguments& arguments) {
  const absl::StatusOr<AllowedServer> server =
      Connect(ax::Clock::Real().Now() + arguments.deadline);
  if (!server.ok()) return Complain(server.status());
  const absl::StatusOr<Apps> apps = ListApps(
      *server->server,
      [&server](const ax::Application& application, absl::Time deadline) {
        return server->atspi->OpenSocket(application, deadline);
      },
      "/proc", arguments.deadline);
  if (!apps.ok()) return Complain(apps.status());
  return Finish(arguments.json ? AppsJson(*apps) : AppsForPeople(*apps),
                ExitCode::kDone);
}

ExitCode OverrideLauncher(const std::string& name) {
  const std::vector<std::string> folders = LauncherFolders();
  const absl::StatusOr<std::string> launcher = ReadLauncher(name, folders);
  if (!launcher.ok()) return Complain(launcher.status());
  const absl::StatusOr<std::string> changed =
      WithFlag(*launcher, kAccessibilityFlag);
  if (!changed.ok()) return Complain(changed.status());
  TellPerson(absl::StrCat("save this under the same name in ", folders.front(),
                          " and start the application anew"));
  return Finish(*changed, ExitCode::kDone);
}

ExitCode ExamineHere(const Arguments& arguments) {
  if (!arguments.launcher_override.empty()) {
    return OverrideLauncher(arguments.launcher_override);
  }
  const std::vector<Check> checks =
      Examine({.deadline = arguments.deadline,
               .before_read = [&] { WaitBeforeReading(arguments.wait); }});
  return Finish(arguments.json ? DoctorJson(checks) : DoctorForPeople(checks),
                Verdict(checks));
}

ExitCode ServeMcp(const Arguments& arguments) {
  // Stopped, what has begun is finished. Before any thread is there.
  const absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
  if (!stop.ok()) return Complain(stop.status());
  mcp::CommandBackend backend({.daemon = arguments.daemon}, TellPerson);
  const McpArguments& given = arguments.mcp;
  const bool for_peer = !given.for_peer.empty();
  const audit::Audit audit(config::StateFolder());
  mcp::PermittedBackend permitted(&backend, {.peer = given.for_peer,
                                             .server = given.server,
                                             .permit = AskToPermit,
                                             .audit = &audit,
                                             .now = absl::Now});
  const absl::Status status = mcp::Serve(
      for_peer ? static_cast<mcp::Backend&>(permitted) : backend, kVersion,
      {.in = STDIN_FILENO,
       .out = STDOUT_FILENO,
       .stopped = (*stop)->stopped(),
       .stop = (*stop)->stop(),
       .writes = !for_peer || given.write});
  return status.ok() ? ExitCode::kDone : Complain(status);
}

ExitCode MoveHere(const Arguments& arguments) {
  const absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
  if (!stop.ok()) return Complain(stop.status());
  const int stopped = (*stop)->stopped();
  switch (arguments.command) {
    case Arguments::Command::kSend:
      return Send(arguments, stopped);
    case Arguments::Command::kReceive:
      return Receive(arguments, stopped);
    default:
      return Bench(arguments, stopped);
  }
}

ExitCode Run(const Arguments& arguments) {
  switch (arguments.command) {
    case Arguments::Command::kSnapshot:
      return Snapshot(arguments);
    case Arguments::Command::kWatch:
      return WatchChanges(arguments);
    case Arguments::Command::kApps:
      return ListApplications(arguments);
    case Arguments::Command::kDoctor:
      return ExamineHere(arguments);
    case Arguments::Command::kReplace:
    case Arguments::Command::kInsert:
    case Arguments::Command::kSet:
    case Arguments::Command::kUndo:
      return EditFocused(arguments);
    case Arguments::Command::kTry:
      return Try(arguments);
    case Arguments::Command::kStream:
      return StreamInput(arguments);
    case Arguments::Command::kStatus:
    case Arguments::Command::kPause:
    case Arguments::Command::kResume:
      return AskDaemon(arguments);
    case Arguments::Command::kPair:
      return Pair(arguments);
    case Arguments::Command::kForget:
      return Forget(arguments);
    case Arguments::Command::kApprove:
      return Approve(arguments);
    case Arguments::Command::kMcpServe:
      return ServeMcp(arguments);
    case Arguments::Command::kMcpConnect:
      return McpConnect(arguments);
    case Arguments::Command::kMcpConfig:
      return McpConfig(arguments);
    case Arguments::Command::kExpose:
      return Expose(arguments);
    case Arguments::Command::kExposed:
      return Exposed(arguments);
    case Arguments::Command::kUnexpose:
      return Unexpose(arguments);
    case Arguments::Command::kAudit:
      return ShowAudit(arguments);
    case Arguments::Command::kSend:
    case Arguments::Command::kReceive:
    case Arguments::Command::kBench:
      return MoveHere(arguments);
  }
  return ExitCode::kUsage;
}

ExitCode Main(int argc, char** argv) {
  // A reader that goes away is an error of writing, with a message and an exit
  // code of ours.
  signal(SIGPIPE, SIG_IGN);
  if (const std::optional<int> code = KeptClipboard(argc, argv)) {
    return static_cast<ExitCode>(*code);
  }
  const std::variant<Arguments, Ending> parsed = ParseArguments(argc, argv);
  if (const auto* ending = std::get_if<Ending>(&parsed)) {
    fwrite(ending->error.data(), 1, ending->error.size(), stderr);
    return Finish(ending->out, ending->code);
  }
  return Run(std::get<Arguments>(parsed));
}

}  // namespace
}  // namespace tactus::cli

int main(int argc, char** argv) {
  return static_cast<int>(tactus::cli::Main(argc, argv));
}
