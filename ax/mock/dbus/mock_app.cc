// Shows the applications of a script on an accessibility bus, as a real
// process.
//
//   AT_SPI_BUS_ADDRESS=unix:path=/run/... mock_app --registry < script.json
//
// prints one line when every application has registered,
//
//   ready app:7=:1.4 app:8=:1.5
//
// and then plays the script: its hostilities at every call, its actions before
// the call of their number or at their time since the line. Every application
// has a connection of its own, so that to the bus each is somebody else; when
// the last has died the process ends. What a script describes is in
// ax/mock/script.h, how it looks on the bus in application.h.
//
// Options:
//   --registry       be the registry of the bus as well
//   --patience-ms N  the deadline that clients are taken to have, for
//                    hostilities that reply around it (200)
//   --log FILE       a line a message: index, verb, application, path,
//                    attribute or change, begin, end, and "secure" or "plain",
//                    by tabs
//
// Exit: 0 the last application has ended, 1 the bus has, 2 usage or a script
// that is wrong, 3 no bus to register on. It ends with the process that started
// it.
#include <signal.h>
#include <sys/prctl.h>
#include <systemd/sd-event.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/application.h"
#include "ax/mock/dbus/registry.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr int kUsage = 2;
constexpr int kCannotRun = 3;

struct Options {
  bool registry = false;
  absl::Duration patience = absl::Milliseconds(200);
  std::string log;
};

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--registry") {
      options.registry = true;
    } else if (words[i] == "--patience-ms" && more) {
      int64_t ms = 0;
      if (!absl::SimpleAtoi(words[++i], &ms) || ms < 0 || ms > 60'000) {
        return absl::InvalidArgumentError("--patience-ms: from 0 to 60000");
      }
      options.patience = absl::Milliseconds(ms);
    } else if (words[i] == "--log" && more) {
      options.log = words[++i];
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("no option \"", words[i], "\""));
    }
  }
  return options;
}

// The process: keeps an application on the bus for each of the world's.
class Player {
 public:
  Player(std::string address, sd_event* event, Stage* stage)
      : address_(std::move(address)), event_(event), stage_(stage) {
    stage_->world().AddListener([this](const Event& e) { Hear(e); });
  }

  // Connects what the world has and the bus has not; closes what has ended.
  absl::Status Sync() {
    std::list<std::unique_ptr<WireApplication>> kept;
    for (std::unique_ptr<WireApplication>& app : apps_) {
      if (stage_->world().FindProgram(app->id()) == nullptr) app->Die();
      if (app->alive()) {
        kept.push_back(std::move(app));
      } else {
        // The world may not know yet that a call has killed it.
        stage_->world().Quit(app->id()).IgnoreError();
      }
    }
    apps_ = std::move(kept);
    for (const Program& program : stage_->world().desktop().programs) {
      bool known = false;
      for (const auto& app : apps_)
        known |= app->id() == program.application.id;
      if (known) continue;
      absl::StatusOr<std::unique_ptr<WireApplication>> app =
          WireApplication::Connect(address_, event_, stage_,
                                   program.application.id);
      if (!app.ok()) return app.status();
      ++embedding_;
      (*app)->Embed([this] { Embedded(); });
      apps_.push_back(*std::move(app));
    }
    if (apps_.empty()) sd_event_exit(event_, EXIT_SUCCESS);
    return absl::OkStatus();
  }

 private:
  void Embedded() {
    if (--embedding_ > 0 || ready_) return;
    ready_ = true;
    std::string line = "ready";
    for (const auto& app : apps_) {
      absl::StrAppend(&line, " ", app->id(), "=", app->bus_name());
    }
    std::cout << line << "\n" << std::flush;
    for (const Action& action : stage_->timed()) Schedule(action);
  }

  void Schedule(const Action& action) {
    Timed& timed = timed_.emplace_back();
    timed.player = this;
    timed.action = action;
    constexpr uint64_t kAccuracy = 1;
    sd_event_add_time_relative(
        event_, nullptr, CLOCK_MONOTONIC,
        static_cast<uint64_t>(absl::ToInt64Microseconds(*action.at)), kAccuracy,
        [](sd_event_source*, uint64_t, void* userdata) {
          auto* const due = static_cast<Timed*>(userdata);
          Perform(due->action, due->player->stage_->world()).IgnoreError();
          return 0;
        },
        &timed);
  }

  void Hear(const Event& event) {
    for (const TimedEvent& timed : stage_->Events(event)) {
      for (const auto& app : apps_) {
        if (app->id() == timed.event.element.application) app->Tell(timed);
      }
    }
  }

  struct Timed {
    Player* player = nullptr;
    Action action;
  };

  const std::string address_;
  sd_event* const event_;
  Stage* const stage_;
  std::list<std::unique_ptr<WireApplication>> apps_;
  std::list<Timed> timed_;
  int embedding_ = 0;
  bool ready_ = false;
};

// The log is for tests, whose paths and ids are their own.
void LogTo(std::FILE* file, const Message& message, bool secure) {
  absl::string_view what = "-";
  if (message.verb == Verb::kRead) what = AttributeName(message.attribute);
  if (message.verb == Verb::kWrite) what = ChangeName(message.what);
  const std::string line =
      absl::StrCat(message.index, "\t", VerbName(message.verb), "\t",
                   message.element.application, "\t", message.element.path,
                   "\t", what, "\t", message.range.begin, "\t",
                   message.range.end, "\t", secure ? "secure" : "plain", "\n");
  std::fwrite(line.data(), 1, line.size(), file);
  std::fflush(file);
}

int Fail(int code, const absl::Status& status) {
  std::cerr << "mock_app: " << status.message() << "\n";
  return code;
}

int Run(const std::vector<std::string>& words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const absl::StatusOr<Options> options = ParseOptions(words);
  if (!options.ok()) return Fail(kUsage, options.status());
  const char* address = std::getenv("AT_SPI_BUS_ADDRESS");
  if (address == nullptr || address[0] == '\0') {
    return Fail(kCannotRun,
                absl::FailedPreconditionError("AT_SPI_BUS_ADDRESS is not set"));
  }
  std::string text;
  char buffer[65536];
  size_t size = 0;
  while (text.size() <= kMostScriptBytes &&
         (size = std::fread(buffer, 1, sizeof(buffer), stdin)) > 0) {
    text.append(buffer, size);
  }
  const absl::StatusOr<Script> script = ParseScript(text);
  if (!script.ok()) return Fail(kUsage, script.status());
  const absl::StatusOr<std::unique_ptr<Stage>> stage =
      Stage::Make(*script, options->patience);
  if (!stage.ok()) return Fail(kUsage, stage.status());
  std::FILE* log = nullptr;
  if (!options->log.empty()) {
    log = std::fopen(options->log.c_str(), "w");
    if (log == nullptr) {
      return Fail(kUsage, absl::InvalidArgumentError("--log: cannot write"));
    }
    (*stage)->set_logger([log](const Message& message, bool secure) {
      LogTo(log, message, secure);
    });
  }

  sd_event* made = nullptr;
  if (sd_event_new(&made) < 0) {
    return Fail(kCannotRun, absl::InternalError("no event loop"));
  }
  const std::unique_ptr<sd_event, decltype(&sd_event_unref)> owned(
      made, &sd_event_unref);
  sd_event* const event = owned.get();
  std::unique_ptr<WireRegistry> registry;
  if (options->registry) {
    absl::StatusOr<std::unique_ptr<WireRegistry>> started =
        WireRegistry::Start(address, event, stage->get());
    if (!started.ok()) return Fail(kCannotRun, started.status());
    registry = *std::move(started);
  }
  Player player(address, event, stage->get());
  int code = 0;
  while (true) {
    const absl::Duration idle =
        (*stage)->Advance() - Clock::Real().Now();  // may be infinite
    // Between two events, when nothing of what it frees is in use.
    if (const absl::Status status = player.Sync(); !status.ok()) {
      return Fail(kCannotRun, status);
    }
    const int r =
        sd_event_run(event, idle == absl::InfiniteDuration()
                                ? UINT64_MAX
                                : static_cast<uint64_t>(std::max<int64_t>(
                                      absl::ToInt64Microseconds(idle) + 1, 0)));
    if (r < 0 || sd_event_get_state(event) == SD_EVENT_FINISHED) {
      sd_event_get_exit_code(event, &code);
      break;
    }
  }
  if (log != nullptr) std::fclose(log);
  return code;
}

}  // namespace
}  // namespace tactus::ax::mock

int main(int argc, char** argv) {
  return tactus::ax::mock::Run(std::vector<std::string>(argv + 1, argv + argc));
}
