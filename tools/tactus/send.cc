#include "tools/tactus/send.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "ax/text/escape.h"
#include "tools/control/client.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json_line.h"
#include "tools/tactus/output.h"
#include "tools/tactus/size_text.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Client;

// Erases what a terminal shows on the line.
constexpr char kErase[] = "\r\x1b[K";

std::string MinutesAndSeconds(int64_t milliseconds) {
  const int64_t seconds = (milliseconds + 999) / 1000;
  if (seconds >= 3600) {
    return absl::StrFormat("%d:%02d:%02d", seconds / 3600, seconds / 60 % 60,
                           seconds % 60);
  }
  return absl::StrFormat("%d:%02d", seconds / 60, seconds % 60);
}

bool IsNumber(const object& from, const char* name) {
  const value* found = from.if_contains(name);
  return found != nullptr && (found->is_int64() || found->is_uint64());
}

// A line on the terminal that takes the place of the one before.
class TerminalLine {
 public:
  explicit TerminalLine(bool shown) : shown_(shown) {}
  ~TerminalLine() { Clear(); }
  void Show(const std::string& text) {
    if (!shown_) return;
    dirty_ = true;
    Put(absl::StrCat(kErase, text));
  }
  void Clear() {
    if (dirty_) Put(kErase);
    dirty_ = false;
  }

 private:
  static void Put(const std::string& text) {
    (void)!write(STDERR_FILENO, text.data(), text.size());
  }
  const bool shown_;
  bool dirty_ = false;
};

absl::StatusOr<object> ParamsOf(const SendArguments& given) {
  object params{{"peer", Json(given.peer)}};
  if (!given.folder.empty()) params["folder"] = Json(given.folder);
  if (given.sha256) params["sha256"] = true;
  if (given.paths.size() == 1 && given.paths[0] == "-") {
    params["process"] = getpid();
    params["descriptor"] = STDIN_FILENO;
    params["name"] = Json(given.name);
    return params;
  }
  // As bytes: a path need not be UTF-8. Made absolute, since the daemon stands
  // elsewhere.
  array paths;
  for (const std::string& path : given.paths) {
    std::error_code error;
    const std::filesystem::path absolute =
        std::filesystem::absolute(path, error);
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot tell where this is: ", error.message()));
    }
    paths.push_back(Json(absl::Base64Escape(absolute.string())));
  }
  params["paths_base64"] = std::move(paths);
  return params;
}

// Where standard output is a file, goes behind what the daemon has written to
// it by an open file of its own, so that who writes there next spoils nothing.
void FollowOutput() {
  struct stat info;
  if (fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode)) return;
  if ((fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) != 0) return;
  (void)lseek(STDOUT_FILENO, 0, SEEK_END);
}

}  // namespace

std::string ProgressForPeople(const object& progress) {
  std::string text;
  if (IsNumber(progress, "percent")) {
    absl::StrAppend(&text, NumberOf(&progress, "percent"), " %  ");
  }
  absl::StrAppend(&text, SizeText(NumberOf(&progress, "bytes")));
  if (IsNumber(progress, "total_bytes")) {
    absl::StrAppend(&text, " of ",
                    SizeText(NumberOf(&progress, "total_bytes")));
  }
  if (IsNumber(progress, "bytes_per_second")) {
    absl::StrAppend(&text, "  ",
                    SizeText(NumberOf(&progress, "bytes_per_second")), "/s");
  }
  if (IsNumber(progress, "left_ms")) {
    absl::StrAppend(&text, "  ",
                    MinutesAndSeconds(NumberOf(&progress, "left_ms")), " left");
  }
  return text;
}

std::string SentForPeople(const object& result) {
  const int64_t kept = NumberOf(&result, "kept");
  const int64_t elapsed = NumberOf(&result, "elapsed_ms");
  std::string text = absl::StrCat(
      NumberOf(&result, "files"), " files, ",
      SizeText(NumberOf(&result, "bytes")), " to ", TextOf(&result, "peer"),
      " in ", absl::StrFormat("%.2f s", static_cast<double>(elapsed) / 1000));
  if (kept > 0) absl::StrAppend(&text, ", ", SizeText(kept), " was there");
  if (const int64_t replaced = NumberOf(&result, "replaced"); replaced > 0) {
    absl::StrAppend(&text, ", ", replaced, " replaced");
  }
  if (const int64_t left_out = NumberOf(&result, "left_out"); left_out > 0) {
    absl::StrAppend(&text, ", ", left_out, " left out");
  }
  return text;
}

ExitCode ExitCodeOfSent(const object& result) {
  const std::string outcome = TextOf(&result, "outcome");
  if (outcome == "done") {
    return NumberOf(&result, "left_out") > 0 ? ExitCode::kDiverged
                                             : ExitCode::kDone;
  }
  return outcome == "unknown" ? ExitCode::kUnknown : ExitCode::kFailed;
}

std::string MovingForPeople(const object& status) {
  std::string text;
  if (const array* receiving = ArrayOf(&status, "receiving")) {
    for (const value& one : *receiving) {
      const object* wish = one.if_object();
      std::string row =
          absl::StrCat("waits for the next file of ", TextOf(wish, "peer"));
      if (wish != nullptr && IsNumber(*wish, "left_ms")) {
        absl::StrAppend(&row, ", for ", NumberOf(wish, "left_ms") / 1000,
                        " s more");
      }
      text += Row("receive", row);
    }
  }
  const array* moving = ArrayOf(&status, "moving");
  if (moving == nullptr) return text;
  for (const value& one : *moving) {
    const object* transfer = one.if_object();
    if (transfer == nullptr) continue;
    text +=
        Row("moving",
            absl::StrCat(
                "number ", NumberOf(transfer, "id"),
                TextOf(transfer, "direction") == "send" ? ", to " : ", from ",
                TextOf(transfer, "peer"), ", ", ProgressForPeople(*transfer)));
  }
  return text;
}

ExitCode Send(const Arguments& arguments, int stop_fd) {
  const SendArguments& given = arguments.send;
  absl::StatusOr<object> params = ParamsOf(given);
  if (!params.ok()) return Complain(params.status());
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  TerminalLine line(!arguments.json && isatty(STDERR_FILENO) == 1);
  line.Show(absl::StrCat("waiting for ", ax::ForTerminal(given.peer)));
  absl::Status written;
  const auto heard = [&](const Answer& notification) {
    if (notification.params == nullptr) return;
    const object& told = *notification.params;
    if (arguments.json) {
      object event = told;
      event["event"] = notification.method.substr(sizeof("files.") - 1);
      if (written.ok()) written = WriteResult(JsonLine(event));
    } else if (notification.method == "files.progress") {
      line.Show(ProgressForPeople(told));
    } else if (notification.method == "files.file") {
      line.Clear();
      // As sha256sum writes it, and so that it can be checked by it; but for
      // names that would do something to a terminal.
      if (written.ok()) {
        written = WriteResult(
            absl::StrCat(TextOf(&told, "sha256"), "  ",
                         ax::ForTerminal(TextOf(&told, "path")), "\n"));
      }
    } else if (notification.method == "files.left_out") {
      line.Clear();
      Complain(absl::StrCat("left out: ", TextOf(&told, "path"), ": ",
                            TextOf(&told, "why")));
    } else if (notification.method == "files.retry") {
      line.Clear();
      TellPerson(absl::StrCat("the connection was lost, and is tried again: ",
                              TextOf(ObjectOf(&told, "status"), "message")));
    }
  };
  // As long as it takes: the daemon gives up what does not move.
  const absl::StatusOr<Answer> answer =
      (*daemon)->Call("files.send", boost::json::serialize(*params),
                      absl::InfiniteFuture(), stop_fd, heard);
  line.Clear();
  if (absl::IsCancelled(answer.status())) {
    // The daemon sees that we go, and ends it, unless it had ended.
    Complain(
        "interrupted: the daemon ends it now, and how far it had come was not "
        "told; send it again, and what is there is not sent twice");
    return ExitCode::kUnknown;
  }
  if (!answer.ok()) {
    Complain(absl::StrCat(answer.status().message(),
                          ": the daemon was sending, and how it ended was not "
                          "told; send it again, and what is there is not sent "
                          "twice"));
    return ExitCode::kUnknown;
  }
  if (answer->error.has_value()) return Refused(*answer->error);
  const object* result = ResultOf(*answer);
  if (result == nullptr) return Complain(NoAnswer());
  if (!written.ok()) return Complain(written);
  const ExitCode code = ExitCodeOfSent(*result);
  if (arguments.json) {
    object event = *result;
    event["event"] = "ended";
    if (absl::Status last = WriteResult(JsonLine(event)); !last.ok()) {
      return Complain(last);
    }
  }
  if (TextOf(result, "outcome") != "done") {
    Complain(absl::StrCat(
        TextOf(result, "outcome"), ": ", TextOf(result, "reason"),
        FlagOf(result, "resumable") ? "; send it again to go on with it" : ""));
  } else if (!arguments.json && isatty(STDOUT_FILENO) == 1) {
    if (absl::Status last = WriteResult(Row("sent", SentForPeople(*result)));
        !last.ok()) {
      return Complain(last);
    }
  }
  return code;
}

ExitCode Receive(const Arguments& arguments, int stop_fd) {
  const ReceiveArguments& given = arguments.receive;
  object params{{"peer", Json(given.peer)},
                {"process", getpid()},
                {"descriptor", STDOUT_FILENO}};
  if (given.wait != absl::InfiniteDuration()) {
    params["deadline_ms"] = absl::ToInt64Milliseconds(given.wait);
  }
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  TerminalLine line(isatty(STDERR_FILENO) == 1);
  const auto heard = [&](const Answer& notification) {
    if (notification.params == nullptr) return;
    const object& told = *notification.params;
    if (notification.method == "files.progress") {
      line.Show(ProgressForPeople(told));
    } else if (notification.method == "files.waiting") {
      line.Show(
          absl::StrCat("waiting for ", ax::ForTerminal(TextOf(&told, "peer"))));
    }
  };
  // The daemon knows when it has waited for long enough.
  const absl::StatusOr<Answer> answer =
      (*daemon)->Call("files.receive", boost::json::serialize(params),
                      absl::InfiniteFuture(), stop_fd, heard);
  line.Clear();
  if (!answer.ok() || !answer->error.has_value()) FollowOutput();
  if (!answer.ok()) {
    Complain(absl::StrCat(
        absl::IsCancelled(answer.status()) ? "interrupted"
                                           : answer.status().message(),
        ": the daemon was not to write any more, and how far it had come was "
        "not told"));
    return ExitCode::kUnknown;
  }
  if (answer->error.has_value()) return Refused(*answer->error);
  const object* result = ResultOf(*answer);
  if (result == nullptr) return Complain(NoAnswer());
  if (TextOf(result, "outcome") != "done") {
    Complain(
        absl::StrCat(TextOf(result, "outcome"), ": ", TextOf(result, "reason"),
                     "; what was written to standard output is not all of it"));
  }
  return ExitCodeOfSent(*result);
}

}  // namespace tactus::cli
