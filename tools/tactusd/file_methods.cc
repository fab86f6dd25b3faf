#include "tools/tactusd/file_methods.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/config/config.h"
#include "tools/control/json_rpc.h"
#include "tools/control/params.h"
#include "tools/tactus/size_text.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/discards.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/peers.h"
#include "transfer/clock/clock.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/meter.h"
#include "transfer/files/path.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/sender.h"
#include "transfer/files/unique_fd.h"
#include "transfer/files/walk.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using boost::json::object;
using control::Params;
using control::Quoted;
using transfer::DeviceId;
using transfer::PinnedPeer;
using transfer::files::Decision;
using transfer::files::kSizeUnknown;
using transfer::files::Offer;
using transfer::files::Outcome;
using transfer::files::Progress;
using transfer::files::Reading;
using transfer::files::Root;
using transfer::files::Sender;
using transfer::files::SendOptions;
using transfer::files::TransferResult;
using transfer::files::UniqueFd;

// Between two notifications of how far it is: as often as a person can read.
constexpr absl::Duration kEvery = absl::Milliseconds(100);

absl::Time Now() { return transfer::Clock::Real().Now(); }

std::string OrNull(uint64_t number) {
  return number == kSizeUnknown ? "null" : absl::StrCat(number);
}

std::string Size(uint64_t bytes) {
  if (bytes == kSizeUnknown) return "a size that is not known";
  if (bytes < 1000) return absl::StrCat(bytes, " bytes");
  return cli::SizeText(bytes);
}

std::string ProgressJson(const Progress& progress, const Reading& reading) {
  return absl::StrCat(
      "\"bytes\":", progress.bytes,
      ",\"total_bytes\":", OrNull(progress.total_bytes),
      ",\"kept\":", progress.kept, ",\"new\":", progress.fresh,
      ",\"files\":", progress.files,
      ",\"total_files\":", OrNull(progress.total_files),
      ",\"tries\":", progress.tries, ",\"percent\":",
      reading.percent.has_value() ? absl::StrCat(*reading.percent) : "null",
      ",\"bytes_per_second\":",
      reading.rate.has_value() ? absl::StrCat(static_cast<int64_t>(
                                     reading.rate->bits_per_second() / 8))
                               : "null",
      ",\"left_ms\":",
      reading.left.has_value()
          ? absl::StrCat(absl::ToInt64Milliseconds(*reading.left))
          : "null");
}

// To the peer's Discards instead of to its disk.
class DiscardTransport : public transfer::Transport {
 public:
  explicit DiscardTransport(transfer::Transport* transport)
      : transport_(*transport) {}

  absl::StatusOr<std::unique_ptr<transfer::Stream>> Open(
      const DeviceId& peer, const transfer::StreamHeader& header,
      absl::Time deadline) override {
    transfer::StreamHeader labelled = header;
    labelled.label = Discards::kLabel;
    return transport_.Open(peer, labelled, deadline);
  }
  absl::StatusOr<std::unique_ptr<transfer::Stream>> Accept(
      absl::Time deadline) override {
    return transport_.Accept(deadline);
  }
  void Forget(const DeviceId& peer) override { transport_.Forget(peer); }
  void Shutdown() override { transport_.Shutdown(); }

 private:
  transfer::Transport& transport_;
};

// The client's own, opened anew so that it stays when the client goes.
absl::StatusOr<UniqueFd> OpenInput(int64_t process, int64_t descriptor) {
  const std::string path = absl::StrCat("/proc/", process, "/fd/", descriptor);
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_NOCTTY | O_CLOEXEC));
  if (fd.valid()) return fd;
  if (errno == ENXIO) {
    return absl::FailedPreconditionError(
        "standard input is a socket, which cannot be handed over: put `cat |` "
        "in front");
  }
  return absl::ErrnoToStatus(errno, "cannot open standard input");
}

// The same of what is written to. A file is gone on with where its process is
// in it, as if that one wrote.
absl::StatusOr<UniqueFd> OpenOutput(int64_t process, int64_t descriptor) {
  const std::string path = absl::StrCat("/proc/", process, "/fd/", descriptor);
  std::ifstream told(absl::StrCat("/proc/", process, "/fdinfo/", descriptor));
  std::string name;
  off_t position = 0;
  int flags = 0;
  told >> name >> std::dec >> position >> name >> std::oct >> flags;
  struct stat info;
  if (!told || stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError("cannot open standard output: it is not there");
  }
  if (S_ISSOCK(info.st_mode)) {
    return absl::FailedPreconditionError(
        "standard output is a socket, which cannot be handed over: put `| cat` "
        "behind");
  }
  if ((flags & O_ACCMODE) == O_RDONLY) {
    return absl::FailedPreconditionError(
        "standard output is not open for writing");
  }
  // Not to wait for a reader that has gone.
  UniqueFd fd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
                                     (flags & O_APPEND)));
  if (!fd.valid()) {
    if (errno == ENXIO) {
      return absl::UnavailableError("nobody reads standard output");
    }
    return absl::ErrnoToStatus(errno, "cannot open standard output");
  }
  if (isatty(fd.get()) == 1) {
    return absl::FailedPreconditionError(
        "standard output is a terminal, to which the bytes of another device "
        "could do anything: write it into a pipe or a file");
  }
  if (S_ISREG(info.st_mode) && lseek(fd.get(), position, SEEK_SET) < 0) {
    return absl::ErrnoToStatus(errno, "cannot go on in standard output");
  }
  return fd;
}

}  // namespace

std::string DefaultInbox() {
  const char* home = getenv("HOME");
  if (home == nullptr || home[0] != '/') return "";
  return absl::StrCat(home, "/Downloads");
}

absl::StatusOr<Root> RootOf(const std::string& path) {
  if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("a path to send must begin with /");
  }
  std::string end = path;
  while (end.size() > 1 && end.back() == '/') end.pop_back();
  std::string name(transfer::files::NameOf(end));
  if (name == "." || name == "..") {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(end, error);
    if (error) {
      return absl::NotFoundError(
          absl::StrCat("cannot send: ", error.message()));
    }
    name = real.filename().string();
  }
  if (name.empty()) {
    return absl::InvalidArgumentError(
        "the root of the file system has no name to be sent under");
  }
  return Root{path, name};
}

// Tells the client, and `status`, of one transfer.
class FileMethods::Watcher : public transfer::files::Observer {
 public:
  // Of what is sent.
  Watcher(FileMethods* files, Session* session, int64_t number)
      : files_(*files), session_(session), number_(number) {}
  // Of what is received from `peer`, as somebody wished, or where `wish` is
  // null as the configuration or a person says.
  Watcher(FileMethods* files, std::string name, const DeviceId& peer,
          std::shared_ptr<Wish> wish)
      : files_(*files),
        session_(wish == nullptr ? nullptr : wish->session),
        wish_(std::move(wish)),
        name_(std::move(name)),
        peer_(peer) {}

  void OnBegin(const transfer::files::TransferId& id,
               const Progress& progress) override {
    number_ = files_.Begin(
        {.peer = name_, .from = peer_, .id = id, .progress = progress});
  }
  void OnEnd(const TransferResult& result) override {
    files_.End(number_);
    // The last: nothing of the session is touched any more.
    if (wish_ != nullptr) files_.EndWish(*wish_, result);
  }

  void OnProgress(const Progress& progress) override {
    const std::string json = files_.Note(number_, progress);
    if (session_ == nullptr || json.empty()) return;
    session_->Progress("files.progress", absl::StrCat("{", json, "}"));
  }
  void OnFile(
      absl::string_view path, uint64_t size,
      const std::optional<transfer::files::Sha256Digest>& sha256) override {
    // As sha256sum would: each, or it is of no use.
    if (session_ == nullptr || !sha256.has_value()) return;
    session_->Tell(
        "files.file",
        absl::StrCat("{\"path\":", Quoted(path), ",\"size\":", size,
                     ",\"sha256\":\"", transfer::files::Hex(*sha256), "\"}"));
  }
  void OnLeftOut(absl::string_view path, absl::string_view why) override {
    if (session_ == nullptr || ++left_out_ > kMostTold) return;
    session_->Tell("files.left_out",
                   absl::StrCat("{\"path\":", Quoted(path),
                                ",\"why\":", Quoted(why), "}"));
  }
  void OnRetry(const absl::Status& why) override {
    if (session_ == nullptr || ++retries_ > kMostTold) return;
    session_->Tell("files.retry",
                   absl::StrCat("{\"status\":", control::StatusJson(why), "}"));
  }

 private:
  FileMethods& files_;
  Session* const session_ = nullptr;
  const std::shared_ptr<Wish> wish_;
  const std::string name_;
  const DeviceId peer_;
  int64_t number_ = 0;
  int left_out_ = 0;
  int retries_ = 0;
};

FileMethods::FileMethods(Peers* peers, Approvals* approvals,
                         FileMethodsOptions options)
    : peers_(*peers),
      approvals_(*approvals),
      options_(std::move(options)),
      receiver_({.clock = &transfer::Clock::Real(),
                 .decide =
                     [this](const DeviceId& peer, const Offer& offer,
                            const std::function<bool()>& gone) {
                       return Decide(peer, offer, gone);
                     },
                 .delivered = &delivered_}),
      discards_(&approvals_,
                {.config = options_.config,
                 .name = [this](const DeviceId& peer) { return NameOf(peer); },
                 .watch =
                     [this](const DeviceId& peer) {
                       return std::make_shared<Watcher>(this, NameOf(peer),
                                                        peer, nullptr);
                     }}) {
  if (!options_.state.empty()) {
    const absl::Status loaded =
        delivered_.Load(absl::StrCat(options_.state, "/delivered"));
    if (!loaded.ok()) {
      options_.log(absl::StrCat("what was delivered is not remembered: ",
                                loaded.message()));
    }
  }
}

void FileMethods::Register(Methods& methods) {
  methods.AddLong("files.send", [this](const object& given, Session& session) {
    return Send(given, session);
  });
  methods.AddLong("files.receive",
                  [this](const object& given, Session& session) {
                    return Receive(given, session);
                  });
  methods.AddBrief("files.cancel",
                   [this](const object& given) { return Cancel(given); });
  methods.AddStatus("moving", [this] { return ListMoving(); });
  methods.AddStatus("receiving", [this] { return ListWishes(); });
  peers_.Handle(
      transfer::StreamKind::kFile,
      [this](std::unique_ptr<transfer::Stream> stream) {
        const std::string name = NameOf(stream->peer());
        const std::string label = stream->header().label;
        const bool discard = label == Discards::kLabel;
        if (!discard && !label.empty()) {
          options_.log(absl::StrCat("a stream of ", name,
                                    " was cut: its label is not known here"));
          return;
        }
        const std::optional<TransferResult> result =
            discard ? discards_.Serve(std::move(stream))
                    : receiver_.Serve(std::move(stream));
        // Of those there are a hundred in a minute.
        if (discard || !result.has_value()) return;
        options_.log(absl::StrCat(
            "received ", result->progress.files, " files, ",
            result->progress.bytes, " bytes from ", name, ": ",
            result->parked ? "cut, to be gone on with"
                           : transfer::files::OutcomeName(result->outcome)));
      });
}

std::string FileMethods::NameOf(const DeviceId& peer) {
  for (const PinnedPeer& one : peers_.pinned().List()) {
    if (one.id() == peer) return one.name;
  }
  return peer.text();
}

int64_t FileMethods::Begin(Moving moving) {
  MutexLock lock(&mutex_);
  moving_.emplace(next_, std::move(moving));
  return next_++;
}

void FileMethods::End(int64_t number) {
  MutexLock lock(&mutex_);
  moving_.erase(number);
}

std::string FileMethods::Note(int64_t number, const Progress& progress) {
  MutexLock lock(&mutex_);
  const auto found = moving_.find(number);
  if (found == moving_.end()) return "";
  Moving& moving = found->second;
  // Kept each time: `status` may ask when nothing more comes for long.
  moving.progress = progress;
  const absl::Time now = Now();
  if (now - moving.told < kEvery) return "";
  moving.told = now;
  return ProgressJson(progress, moving.meter.Read(progress, now));
}

std::string FileMethods::ListMoving() {
  MutexLock lock(&mutex_);
  const absl::Time now = Now();
  std::string list;
  for (auto& [number, moving] : moving_) {
    absl::StrAppend(
        &list, list.empty() ? "" : ",", "{\"id\":", number,
        ",\"peer\":", Quoted(moving.peer), ",\"direction\":\"",
        moving.sending ? "send" : "receive", "\",",
        ProgressJson(moving.progress, moving.meter.Read(moving.progress, now)),
        "}");
  }
  return absl::StrCat("[", list, "]");
}

std::string FileMethods::ListWishes() {
  const absl::Time now = Now();
  MutexLock lock(&mutex_);
  std::string list;
  for (const auto& [peer, wish] : wishes_) {
    const bool ends = wish->deadline != absl::InfiniteFuture();
    absl::StrAppend(
        &list, list.empty() ? "" : ",", "{\"peer\":", Quoted(wish->name),
        ",\"left_ms\":",
        ends ? absl::StrCat(std::max<int64_t>(
                   0, absl::ToInt64Milliseconds(wish->deadline - now)))
             : "null",
        "}");
  }
  return absl::StrCat("[", list, "]");
}

Decision FileMethods::Decide(const DeviceId& peer, const Offer& offer,
                             const std::function<bool()>& gone) {
  const std::string name = NameOf(peer);
  if (std::shared_ptr<Wish> wish = TakeWish(peer, offer)) {
    const int sink = wish->sink;
    return {.accepted = true,
            .sink = sink,
            .observer =
                std::make_shared<Watcher>(this, name, peer, std::move(wish))};
  }
  const config::PeerPolicy policy = config::PolicyOf(*options_.config, name);
  if (policy.files == config::PeerPolicy::Files::kRefuse) {
    return {.reason = "this device takes no files from that one"};
  }
  const bool chosen = !policy.folder.empty();
  const std::string folder = chosen ? policy.folder : options_.inbox;
  if (folder.empty()) {
    return {.reason =
                "this device has no folder for files: give it one in its "
                "configuration"};
  }
  if (policy.files == config::PeerPolicy::Files::kAsk) {
    std::string what = offer.names.empty() ? "nothing" : offer.names[0];
    if (offer.roots > 1) {
      absl::StrAppend(&what, " and ", offer.roots - 1, " more");
    }
    const absl::Status answer = approvals_.Ask(
        {.peer = name,
         .kind = "files",
         .text = absl::StrCat(what, ", ", offer.files, " files, ",
                              Size(offer.bytes), ", into ", folder,
                              offer.folder.empty() ? "" : "/", offer.folder)},
        gone);
    if (!answer.ok()) return {.reason = RefusalOf(answer)};
  }
  // A folder that a person named is one that is there, or a mistake.
  if (!chosen && mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return {.reason = "the folder for files cannot be made there"};
  }
  return {.accepted = true,
          .folder = folder,
          .observer = std::make_shared<Watcher>(this, name, peer, nullptr)};
}

Reply FileMethods::Cancel(const object& given) {
  Params params(given);
  int64_t number = 0;
  params.Number("id", 1, INT64_MAX, &number);
  if (!params.Has("id")) params.Wrong("id", "there");
  if (auto error = params.End()) return *error;
  DeviceId from;
  transfer::files::TransferId id;
  {
    MutexLock lock(&mutex_);
    const auto found = moving_.find(number);
    if (found == moving_.end()) {
      return NotDone(absl::NotFoundError(
          absl::StrCat("nothing moves under number ", number)));
    }
    // It cannot go meanwhile: its end waits for the lock.
    if (found->second.sender != nullptr) {
      found->second.sender->Cancel();
      return "{}";
    }
    from = found->second.from;
    id = found->second.id;
  }
  if (receiver_.Cancel(from, id) || discards_.Cancel(from, id)) return "{}";
  return NotDone(absl::NotFoundError(
      absl::StrCat("number ", number, " does not move at present")));
}

std::shared_ptr<FileMethods::Wish> FileMethods::TakeWish(const DeviceId& peer,
                                                         const Offer& offer) {
  if (offer.roots != 1 || offer.names.size() != 1 || offer.files != 1) {
    return nullptr;
  }
  MutexLock lock(&mutex_);
  const auto found = wishes_.find(peer);
  if (found == wishes_.end() || found->second->cancelled) return nullptr;
  std::shared_ptr<Wish> wish = std::move(found->second);
  wishes_.erase(found);
  changed_.NotifyAll();
  pollfd end = {.fd = wish->sink, .events = POLLOUT, .revents = 0};
  if (poll(&end, 1, 0) > 0 && (end.revents & POLLERR) != 0) {
    // It is no use to the peer either.
    wish->state = Wish::State::kEnded;
    wish->result.outcome = Outcome::kFailed;
    wish->result.reason = "nobody reads standard output any more";
    return nullptr;
  }
  wish->state = Wish::State::kTaken;
  wish->id = offer.id;
  return wish;
}

void FileMethods::EndWish(Wish& wish, const TransferResult& result) {
  MutexLock lock(&mutex_);
  wish.result = result;
  wish.state = Wish::State::kEnded;
  changed_.NotifyAll();
}

Reply FileMethods::Receive(const object& given, Session& session) {
  Params params(given);
  std::string peer;
  int64_t process = 0;
  int64_t descriptor = -1;
  int64_t deadline_ms = 0;
  params.String("peer", &peer);
  params.Number("process", 1, INT32_MAX, &process);
  params.Number("descriptor", 0, INT32_MAX, &descriptor);
  params.Number("deadline_ms", 1, INT32_MAX, &deadline_ms);
  for (const char* needed : {"peer", "process", "descriptor"}) {
    if (!params.Has(needed)) params.Wrong(needed, "there");
  }
  if (auto error = params.End()) return *error;
  const absl::StatusOr<PinnedPeer> found = peers_.pinned().Find(peer);
  if (!found.ok()) return NotDone(found.status());
  const DeviceId from = found->id();
  const absl::StatusOr<UniqueFd> output = OpenOutput(process, descriptor);
  if (!output.ok()) return NotDone(output.status());

  const absl::Time begun = Now();
  const absl::Time deadline = params.Has("deadline_ms")
                                  ? begun + absl::Milliseconds(deadline_ms)
                                  : absl::InfiniteFuture();
  const auto wish = std::make_shared<Wish>();
  wish->sink = output->get();
  wish->session = &session;
  wish->name = found->name;
  wish->deadline = deadline;
  {
    MutexLock lock(&mutex_);
    if (!wishes_.emplace(from, wish).second) {
      return NotDone(absl::AlreadyExistsError(absl::StrCat(
          "another command waits for what ", found->name, " sends next")));
    }
  }
  session.OnCancel([this, wish] {
    MutexLock lock(&mutex_);
    wish->cancelled = true;
    changed_.NotifyAll();
  });
  // From here on what the peer offers is for it.
  session.Tell("files.waiting",
               absl::StrCat("{\"peer\":", Quoted(found->name), "}"));
  bool waiting = false;  // of the wish: nobody has taken it
  bool told = false;     // the receiver, that it is cancelled
  TransferResult result;
  for (;;) {
    bool cancel = false;
    {
      MutexLock lock(&mutex_);
      waiting = wish->state == Wish::State::kWaiting;
      if (wish->state == Wish::State::kEnded) {
        result = wish->result;
        break;
      }
      if (waiting && (wish->cancelled || Now() >= deadline)) {
        wishes_.erase(from);
        break;
      }
      cancel = !waiting && wish->cancelled && !told;
      // The end of one that is taken always comes: what it waits for has
      // deadlines.
      if (!cancel) {
        changed_.WaitFor(&mutex_,
                         waiting ? deadline - Now() : absl::InfiniteDuration());
      }
    }
    if (!cancel) continue;
    told = true;
    // False where it is ending already.
    (void)receiver_.Cancel(from, wish->id);
  }
  session.OnCancel(nullptr);
  if (waiting) {
    if (const absl::Status gone = session.status(); !gone.ok()) {
      return NotDone(gone);
    }
    return NotDone(absl::DeadlineExceededError(
        absl::StrCat(found->name, " offered no single file in time")));
  }
  return absl::StrCat(
      "{\"outcome\":\"", transfer::files::OutcomeName(result.outcome),
      "\",\"reason\":", result.reason.empty() ? "null" : Quoted(result.reason),
      ",\"transfer\":\"", result.id.Hex(), "\",\"peer\":", Quoted(found->name),
      ",\"bytes\":", result.progress.bytes,
      ",\"elapsed_ms\":", absl::ToInt64Milliseconds(Now() - begun), "}");
}

Reply FileMethods::Send(const object& given, Session& session) {
  Params params(given);
  std::string peer;
  std::string folder;
  std::string name;
  std::vector<std::string> paths;
  std::vector<std::string> encoded;
  int64_t process = 0;
  int64_t descriptor = -1;
  bool discard = false;
  SendOptions options;
  params.String("peer", &peer);
  params.String("folder", &folder);
  params.Strings("paths", kMostPaths, &paths);
  params.Strings("paths_base64", kMostPaths, &encoded);
  params.Number("process", 1, INT32_MAX, &process);
  params.Number("descriptor", 0, INT32_MAX, &descriptor);
  params.String("name", &name);
  params.Flag("sha256", &options.sha256);
  params.Flag("discard", &discard);
  if (!params.Has("peer")) params.Wrong("peer", "there");
  const bool input = params.Has("process");
  if (input != params.Has("descriptor") || input != params.Has("name")) {
    params.Wrong("process", "there with descriptor and name, or not at all");
  }
  if (input == (params.Has("paths") || params.Has("paths_base64"))) {
    params.Wrong("paths", "there, or process is, and not both");
  }
  for (const std::string& one : encoded) {
    std::string path;
    if (!absl::Base64Unescape(one, &path)) {
      params.Wrong("paths_base64", "texts in base64");
      break;
    }
    paths.push_back(std::move(path));
  }
  if (auto error = params.End()) return *error;
  const absl::StatusOr<PinnedPeer> found = peers_.pinned().Find(peer);
  if (!found.ok()) return NotDone(found.status());
  options.peer = found->id();
  options.folder = folder;
  for (const std::string& path : paths) {
    absl::StatusOr<Root> root = RootOf(path);
    if (!root.ok()) return NotDone(root.status());
    options.roots.push_back(*std::move(root));
  }
  UniqueFd pipe;
  if (input) {
    absl::StatusOr<UniqueFd> opened = OpenInput(process, descriptor);
    if (!opened.ok()) return NotDone(opened.status());
    pipe = *std::move(opened);
    options.pipe = pipe.get();
    options.pipe_name = name;
  }

  const absl::Time begun = Now();
  const int64_t number = Begin({.peer = found->name, .sending = true});
  Watcher watcher(this, &session, number);
  DiscardTransport to_nothing(&peers_.transport());
  transfer::Transport* const transport =
      discard ? static_cast<transfer::Transport*>(&to_nothing)
              : &peers_.transport();
  Sender sender(transport, &transfer::Clock::Real(), std::move(options),
                &watcher);
  {
    MutexLock lock(&mutex_);
    moving_[number].sender = &sender;
  }
  session.OnCancel([this, &sender] {
    if (options_.ending != nullptr && *options_.ending) {
      sender.Park();
    } else {
      sender.Cancel();
    }
  });
  const TransferResult result = sender.Run();
  const absl::Duration elapsed = Now() - begun;
  // Nobody touches the sender any more.
  session.OnCancel(nullptr);
  End(number);
  if (!discard) {
    options_.log(absl::StrCat("sent ", result.progress.files, " files, ",
                              result.progress.bytes, " bytes to ", found->name,
                              ": ",
                              transfer::files::OutcomeName(result.outcome)));
  }
  return absl::StrCat(
      "{\"outcome\":\"", transfer::files::OutcomeName(result.outcome),
      "\",\"reason\":", result.reason.empty() ? "null" : Quoted(result.reason),
      ",\"transfer\":\"", result.id.Hex(), "\",\"peer\":", Quoted(found->name),
      ",\"files\":", result.progress.files,
      ",\"bytes\":", result.progress.bytes, ",\"kept\":", result.progress.kept,
      ",\"new\":", result.progress.fresh, ",\"replaced\":", result.replaced,
      ",\"left_out\":", result.left_out, ",\"tries\":", result.progress.tries,
      ",\"resumable\":", result.parked ? "true" : "false",
      ",\"elapsed_ms\":", absl::ToInt64Milliseconds(elapsed),
      ",\"elapsed_us\":", absl::ToInt64Microseconds(elapsed), "}");
}

}  // namespace tactus::daemon
