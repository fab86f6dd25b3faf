#include "transfer/files/sender.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/files/chunk_reader.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/frame_io.h"
#include "transfer/files/limits.h"
#include "transfer/files/path.h"
#include "transfer/files/progress.h"
#include "transfer/files/unique_fd.h"
#include "transfer/files/walk.h"
#include "transfer/files/worker.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// A pipe that says nothing: so often the receiver is told that it is waited
// for, and Cancel is looked for.
constexpr absl::Duration kAliveEvery = absl::Seconds(5);
// For the receiver to say how it ended. Whoever cancelled waits for that, and a
// receiver that does not answer is one of the reasons to cancel.
constexpr absl::Duration kSettled = absl::Seconds(10);
constexpr absl::Duration kCancelled = absl::Milliseconds(900);
// Of a pause between two tries, so that Cancel ends it.
constexpr absl::Duration kSlice = absl::Milliseconds(100);
// Chunks up to this are copied, to leave with others.
constexpr size_t kPackChunk = size_t{32} << 10;
// Of a group that is asked about at once, over all files: see kGroup.
constexpr uint64_t kMostAsked = kGroup;

// Whether another connection may help.
bool Temporary(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kOutOfRange:  // the peer closed its side
      return true;
    default:
      return false;
  }
}

class Counter : public Visitor {
 public:
  explicit Counter(Progress* progress) : progress_(progress) {}

  absl::Status OnFolder(const Found&, const struct stat&) override {
    return absl::OkStatus();
  }
  absl::Status OnFolderEnd(const Found&, const struct stat&) override {
    return absl::OkStatus();
  }
  absl::Status OnFile(const Found& found) override {
    struct stat info;
    const int follow = found.folder == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(found.folder, found.name, &info, follow) == 0) {
      ++progress_->total_files;
      progress_->total_bytes += static_cast<uint64_t>(info.st_size);
    }
    return absl::OkStatus();
  }
  absl::Status OnLink(const Found&) override { return absl::OkStatus(); }
  absl::Status OnLeftOut(const std::string&, absl::string_view) override {
    return absl::OkStatus();
  }

 private:
  Progress* progress_;
};

}  // namespace

// All that one try sends before the verdict.
class Sender::Content : public Visitor {
 public:
  // `accept` is null where the receiver has not answered yet.
  Content(Sender* sender, FrameWriter* writer, FrameReader* reader,
          const Accept* accept)
      : sender_(sender),
        writer_(writer),
        reader_(reader),
        accepted_(accept != nullptr),
        ask_(accept != nullptr && accept->ask),
        worker_(ChunkReader::kAhead) {}

  absl::Status SendAll() {
    sender_->left_out_ = 0;
    if (sender_->options_.pipe >= 0) {
      absl::Status sent = SendPipe();
      return sent.ok() ? SendEnd() : sent;
    }
    for (const Phase phase :
         {Phase::kContent, Phase::kLinks, Phase::kFolderEnds}) {
      if (phase == Phase::kLinks && !links_) continue;
      phase_ = phase;
      for (const Root& root : sender_->options_.roots) {
        root_ = &root;
        const absl::Status walked = Walk(root, *this);
        if (absl::IsNotFound(walked) && !failed_) {
          // It was there when it was counted.
          if (absl::Status noted = OnLeftOut(root.name, walked.message());
              !noted.ok()) {
            return noted;
          }
        } else if (!walked.ok()) {
          return walked;
        }
        if (absl::Status sent = SendDeclared(); !sent.ok()) return sent;
      }
    }
    return SendEnd();
  }

  absl::Status OnFolder(const Found& found, const struct stat& info) override {
    if (phase_ != Phase::kContent) return Going();
    return Declare(FolderEntry(EntryType::kFolder, found, info));
  }

  absl::Status OnFolderEnd(const Found& found,
                           const struct stat& info) override {
    if (phase_ != Phase::kFolderEnds) return Going();
    return Declare(FolderEntry(EntryType::kFolderDone, found, info));
  }

  absl::Status OnLink(const Found& found) override {
    links_ = true;
    if (phase_ != Phase::kLinks) return Going();
    std::string target(kLongestPath + 1, '\0');
    const ssize_t size =
        readlinkat(found.folder, found.name, target.data(), target.size());
    struct stat info;
    if (size <= 0 || static_cast<size_t>(size) > kLongestPath ||
        fstatat(found.folder, found.name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return LeaveOut(found.path, "the link cannot be read");
    }
    target.resize(static_cast<size_t>(size));
    if (!StaysInside(found.path, target)) {
      return LeaveOut(found.path, "the link leads out of what is sent");
    }
    return Declare(
        {.type = EntryType::kLink,
         .path = found.path,
         .mtime_seconds = info.st_mtim.tv_sec,
         .mtime_nanoseconds = static_cast<uint32_t>(info.st_mtim.tv_nsec),
         .target = std::move(target)});
  }

  absl::Status OnFile(const Found& found) override {
    if (phase_ != Phase::kContent) return Going();
    absl::StatusOr<UniqueFd> fd = OpenFound(found);
    struct stat info;
    if (!fd.ok() || fstat(fd->get(), &info) != 0) {
      return LeaveOut(found.path, "it cannot be read");
    }
    const Entry entry = FileEntry(found.path, info);
    if (absl::Status declared = Declare(entry); !declared.ok()) return declared;
    if (!ask_) return SendFile(fd->get(), entry, {});
    declared_.push_back({root_, entry});
    asked_ += std::min<uint64_t>(kGroup, entry.size / kChunk + 1);
    if (declared_.size() < kMostDeclared && asked_ < kMostAsked) {
      return absl::OkStatus();
    }
    return SendDeclared();
  }

  absl::Status OnLeftOut(const std::string& path,
                         absl::string_view why) override {
    if (phase_ != Phase::kContent) return Going();
    return LeaveOut(path, why);
  }

 private:
  enum class Phase { kContent, kLinks, kFolderEnds };
  struct Declared {
    const Root* root;
    Entry entry;
  };

  absl::Time Deadline(absl::Duration patience) {
    return sender_->clock_->Now() + patience;
  }

  absl::Status Fail(absl::Status why) {
    failed_ = true;
    return why;
  }

  absl::Status Going() {
    if (!sender_->stopping()) return absl::OkStatus();
    return Fail(absl::CancelledError("it was stopped here"));
  }

  static Entry FileEntry(const std::string& path, const struct stat& info) {
    const uint64_t size = static_cast<uint64_t>(info.st_size);
    return {.type = EntryType::kFile,
            .path = path,
            .mode = static_cast<uint16_t>(info.st_mode & 0777),
            .mtime_seconds = info.st_mtim.tv_sec,
            .mtime_nanoseconds = static_cast<uint32_t>(info.st_mtim.tv_nsec),
            .size = size,
            .sparse = static_cast<uint64_t>(info.st_blocks) * 512 < size};
  }

  static Entry FolderEntry(EntryType type, const Found& found,
                           const struct stat& info) {
    return {.type = type,
            .path = found.path,
            .mode = static_cast<uint16_t>(info.st_mode & 0777),
            .mtime_seconds = info.st_mtim.tv_sec,
            .mtime_nanoseconds = static_cast<uint32_t>(info.st_mtim.tv_nsec)};
  }

  absl::Status LeaveOut(absl::string_view path, absl::string_view why) {
    ++sender_->left_out_;
    sender_->observer_->OnLeftOut(path, why);
    return Going();
  }

  absl::Status Declare(const Entry& entry) {
    // Folders and links are not amid files whose content has not ended, but new
    // folders may be.
    writer_->Add(entry);
    ++entries_;
    return MaybeFlush();
  }

  absl::Status MaybeFlush() {
    if (absl::Status going = Going(); !going.ok()) return going;
    if (!writer_->full()) return absl::OkStatus();
    return Flush();
  }

  absl::Status Write() {
    absl::Status wrote = writer_->Flush(Deadline(sender_->options_.stall));
    if (!wrote.ok()) return Fail(std::move(wrote));
    sender_->moved_ = sender_->clock_->Now();
    sender_->Tell();
    return absl::OkStatus();
  }

  absl::Status Flush() {
    // There is more than goes with an offer.
    if (absl::Status answered = AwaitAnswer(); !answered.ok()) return answered;
    return Look();
  }

  // Whether the receiver said something meanwhile: only that it has ended.
  absl::Status Look() {
    while (true) {
      absl::StatusOr<Incoming> came = reader_->Next(sender_->clock_->Now());
      if (absl::IsDeadlineExceeded(came.status())) return absl::OkStatus();
      if (!came.ok()) return Fail(came.status());
      if (std::holds_alternative<Alive>(came->frame)) continue;
      if (IsAnswer(came->frame)) continue;
      return Fail(Judge(came->frame));
    }
  }

  // Whether it is what this began without.
  bool IsAnswer(const Frame& frame) {
    if (accepted_ || !std::holds_alternative<Accept>(frame)) return false;
    return accepted_ = sender_->accepted_ = true;
  }

  // Sends what is packed, and waits until the receiver has answered the offer:
  // a person may be asked first.
  absl::Status AwaitAnswer() {
    if (absl::Status wrote = Write(); !wrote.ok()) return wrote;
    while (!accepted_) {
      absl::StatusOr<Incoming> came =
          reader_->Next(Deadline(sender_->options_.decision));
      if (!came.ok()) return Fail(came.status());
      if (std::holds_alternative<Alive>(came->frame)) continue;
      if (!IsAnswer(came->frame)) return Fail(Judge(came->frame));
    }
    return absl::OkStatus();
  }

  // OK is only for what is not expected to be anything but a verdict.
  absl::Status Judge(Frame& frame) {
    if (auto* verdict = std::get_if<Verdict>(&frame)) {
      if (verdict->id == sender_->options_.id) {
        sender_->verdict_ = std::move(*verdict);
        sender_->have_verdict_ = true;
        return absl::CancelledError("the receiver has ended it");
      }
    }
    return absl::InvalidArgumentError("the peer sent what no receiver does");
  }

  absl::StatusOr<Frame> Await() {
    if (absl::Status wrote = Write(); !wrote.ok()) return wrote;
    while (true) {
      absl::StatusOr<Incoming> came =
          reader_->Next(Deadline(sender_->options_.patience));
      if (!came.ok()) return Fail(came.status());
      sender_->moved_ = sender_->clock_->Now();
      if (std::holds_alternative<Alive>(came->frame)) continue;
      return std::move(came->frame);
    }
  }

  absl::StatusOr<std::vector<Hash128>> AwaitHave() {
    absl::StatusOr<Frame> frame = Await();
    if (!frame.ok()) return frame.status();
    if (auto* have = std::get_if<Have>(&*frame)) return std::move(have->chunks);
    return Fail(Judge(*frame));
  }

  absl::Status SendDeclared() {
    if (declared_.empty()) return absl::OkStatus();
    writer_->Add(Turn());
    std::vector<std::vector<Hash128>> haves;
    for (size_t i = 0; i < declared_.size(); ++i) {
      absl::StatusOr<std::vector<Hash128>> have = AwaitHave();
      if (!have.ok()) return have.status();
      haves.push_back(*std::move(have));
    }
    const std::vector<Declared> declared = std::move(declared_);
    declared_.clear();
    asked_ = 0;
    for (size_t i = 0; i < declared.size(); ++i) {
      const Entry& entry = declared[i].entry;
      absl::StatusOr<UniqueFd> fd = OpenAgain(*declared[i].root, entry.path);
      absl::Status sent =
          fd.ok() ? SendFile(fd->get(), entry, std::move(haves[i]))
                  : EndLeftOut(entry.path, "it cannot be read any more");
      if (!sent.ok()) return sent;
    }
    return absl::OkStatus();
  }

  absl::Status EndLeftOut(absl::string_view path, absl::string_view why) {
    writer_->Add(FileEnd{.left_out = true});
    return LeaveOut(path, why);
  }

  absl::Status SendChunk(const ReadChunk& chunk) {
    if (chunk.size <= kPackChunk) {
      writer_->AddChunk(chunk.hash, chunk.bytes);
      return MaybeFlush();
    }
    if (!accepted_) {
      absl::Status answered = AwaitAnswer();
      if (!answered.ok()) return answered;
    }
    absl::Status wrote =
        writer_->WriteEncoded(chunk.frame, Deadline(sender_->options_.stall));
    if (!wrote.ok()) return Fail(std::move(wrote));
    sender_->moved_ = sender_->clock_->Now();
    sender_->Tell();
    if (absl::Status going = Going(); !going.ok()) return going;
    return Look();
  }

  // Runs of chunks that need no bytes: of one kind at a time.
  absl::Status EndRun() {
    if (keep_ > 0) writer_->Add(Keep{static_cast<uint32_t>(keep_)});
    if (hole_ > 0) writer_->Add(Hole{hole_});
    keep_ = 0;
    hole_ = 0;
    return MaybeFlush();
  }

  absl::Status SendFile(int fd, const Entry& entry, std::vector<Hash128> have) {
    std::optional<Sha256> sha256;
    if (sender_->options_.sha256) sha256.emplace();
    ChunkReader chunks(&worker_, fd,
                       {.size = entry.size,
                        .sparse = entry.sparse,
                        .sha256 = sha256.has_value() ? &*sha256 : nullptr});
    return SendChunks(chunks, entry.path, std::move(have), sha256);
  }

  absl::Status SendPipe() {
    const Entry entry = {.type = EntryType::kFile,
                         .path = sender_->options_.pipe_name,
                         .mode = 0666,
                         .mtime_seconds = absl::ToUnixSeconds(absl::Now()),
                         .size = kSizeUnknown};
    if (absl::Status declared = Declare(entry); !declared.ok()) return declared;
    if (absl::Status sent = Flush(); !sent.ok()) return sent;
    sender_->pipe_begun_ = true;
    std::optional<Sha256> sha256;
    if (sender_->options_.sha256) sha256.emplace();
    ChunkReader chunks(
        &worker_, sender_->options_.pipe,
        {.plain = false, .sha256 = sha256.has_value() ? &*sha256 : nullptr});
    return SendChunks(chunks, entry.path, {}, sha256);
  }

  absl::Status SendChunks(ChunkReader& chunks, const std::string& path,
                          std::vector<Hash128> have,
                          std::optional<Sha256>& sha256) {
    Progress& progress = sender_->progress_;
    RootHash root;
    uint64_t size = 0;
    uint64_t index = 0;
    uint64_t group = 0;  // the chunk that `have` begins with
    while (true) {
      // The receiver says what it has of the group that follows, even of none.
      if (have.size() == kGroup && index == group + kGroup) {
        if (absl::Status run = EndRun(); !run.ok()) return run;
        absl::StatusOr<std::vector<Hash128>> next = AwaitHave();
        if (!next.ok()) return next.status();
        have = *std::move(next);
        group = index;
      }
      absl::StatusOr<ReadChunk> chunk = chunks.Next(kAliveEvery);
      if (absl::IsDeadlineExceeded(chunk.status())) {
        writer_->Add(Alive());
        if (absl::Status told = Flush(); !told.ok()) return told;
        if (absl::Status going = Going(); !going.ok()) return going;
        continue;
      }
      if (!chunk.ok()) {
        if (absl::Status run = EndRun(); !run.ok()) return run;
        return EndLeftOut(path, chunk.status().message());
      }
      if (chunk->size == 0) break;
      const bool kept = size == index * kChunk && index - group < have.size() &&
                        have[index - group] == chunk->hash;
      if ((keep_ > 0 && !kept) || (hole_ > 0 && (kept || !chunk->hole)) ||
          keep_ == kGroup || hole_ == kGroup * kChunk) {
        if (absl::Status run = EndRun(); !run.ok()) return run;
      }
      progress.bytes += chunk->size;
      if (kept) {
        ++keep_;
        progress.kept += chunk->size;
        if (absl::Status going = Going(); !going.ok()) return going;
      } else if (chunk->hole) {
        hole_ += chunk->size;
        if (absl::Status going = Going(); !going.ok()) return going;
      } else {
        progress.fresh += chunk->size;
        if (absl::Status sent = SendChunk(*chunk); !sent.ok()) return sent;
        // What a pipe said is not kept for company.
        if (sender_->options_.pipe >= 0 && !writer_->empty()) {
          if (absl::Status sent = Flush(); !sent.ok()) return sent;
        }
      }
      root.Add(chunk->hash);
      size += chunk->size;
      ++index;
      if (keep_ > 0 || hole_ > 0) sender_->Tell();
    }
    if (absl::Status run = EndRun(); !run.ok()) return run;
    FileEnd end = {.size = size, .root = root.Digest()};
    if (sha256.has_value()) end.sha256 = sha256->Finish();
    writer_->Add(end);
    ++progress.files;
    sender_->observer_->OnFile(path, size, end.sha256);
    return MaybeFlush();
  }

  absl::Status SendEnd() {
    if (absl::Status going = Going(); !going.ok()) return going;
    writer_->Add(End{.entries = entries_});
    sender_->all_sent_ = true;
    absl::Status answered = AwaitAnswer();
    if (sender_->have_verdict_) return absl::OkStatus();
    if (!answered.ok()) return answered;
    absl::StatusOr<Frame> last = Await();
    if (!last.ok()) return last.status();
    const absl::Status judged = Judge(*last);
    return sender_->have_verdict_ ? absl::OkStatus() : judged;
  }

  Sender* const sender_;
  FrameWriter* const writer_;
  FrameReader* const reader_;
  bool accepted_;
  const bool ask_;
  Worker worker_;
  Phase phase_ = Phase::kContent;
  const Root* root_ = nullptr;
  bool links_ = false;
  bool failed_ = false;  // the walk ended by us, not by what it found
  uint64_t entries_ = 0;
  std::vector<Declared> declared_;
  uint64_t asked_ = 0;
  uint64_t keep_ = 0;  // chunks
  uint64_t hole_ = 0;  // bytes
};

Sender::Sender(Transport* transport, Clock* clock, SendOptions options,
               Observer* observer)
    : transport_(transport),
      clock_(clock),
      options_(std::move(options)),
      observer_(observer != nullptr ? observer : &nobody_) {}

Sender::~Sender() = default;

void Sender::Stop(std::atomic<bool>& why) {
  why = true;
  MutexLock lock(&mutex_);
  if (stream_ != nullptr) stream_->Cancel();
}

void Sender::Cancel() { Stop(cancelled_); }
void Sender::Park() { Stop(parked_); }

void Sender::Tell() { observer_->OnProgress(progress_); }

TransferResult Sender::Result(Outcome outcome, std::string reason) {
  TransferResult result = {.id = options_.id,
                           .outcome = outcome,
                           .reason = std::move(reason),
                           .progress = progress_,
                           .left_out = left_out_};
  if (have_verdict_) {
    result.replaced = verdict_.replaced;
    result.left_out += verdict_.links_left_out;
  }
  return result;
}

TransferResult Sender::FromVerdict() {
  Tell();
  return Result(verdict_.outcome, verdict_.reason);
}

absl::Status Sender::CheckRoots() const {
  if (!options_.folder.empty()) {
    if (absl::Status good = CheckPath(options_.folder); !good.ok()) return good;
  }
  if (options_.pipe >= 0) return CheckName(options_.pipe_name);
  if (options_.roots.empty()) {
    return absl::InvalidArgumentError("there is nothing to send");
  }
  std::set<std::string> names;
  for (const Root& root : options_.roots) {
    if (absl::Status good = CheckName(root.name); !good.ok()) return good;
    if (!names.insert(root.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("two of what is sent are called '",
                       absl::Utf8SafeCEscape(root.name), "'"));
    }
    struct stat info;
    if (stat(root.path.c_str(), &info) != 0) {
      return absl::ErrnoToStatus(
          errno,
          absl::StrCat("cannot send '", absl::Utf8SafeCEscape(root.path), "'"));
    }
  }
  return absl::OkStatus();
}

void Sender::Count() {
  if (options_.pipe >= 0) {
    progress_.total_files = 1;
    return;
  }
  progress_.total_bytes = 0;
  Counter counter(&progress_);
  for (const Root& root : options_.roots) (void)Walk(root, counter);
}

bool Sender::Pause(absl::Duration pause) {
  const absl::Time until = clock_->Now() + pause;
  while (!stopping()) {
    const absl::Time now = clock_->Now();
    if (now >= until) return true;
    clock_->SleepUntil(std::min(until, now + kSlice));
  }
  return false;
}

TransferResult Sender::Run() {
  if (absl::Status good = CheckRoots(); !good.ok()) {
    return Result(Outcome::kFailed, std::string(good.message()));
  }
  Count();
  moved_ = clock_->Now();
  absl::Duration pause = options_.first_pause;
  absl::Status why;
  bool temporary = true;
  while (!stopping()) {
    const uint64_t fresh = progress_.fresh;
    ++progress_.tries;
    why = Try();
    if (have_verdict_) return FromVerdict();
    if (stopping()) break;
    temporary = Temporary(why);
    if (!temporary || pipe_begun_) break;
    if (clock_->Now() - moved_ >= options_.give_up) break;
    observer_->OnRetry(why);
    pause = progress_.fresh > fresh ? options_.first_pause
                                    : std::min(2 * pause, options_.most_pause);
    if (!Pause(pause)) break;
  }
  if (parked_ && !cancelled_) {
    TransferResult result =
        Result(all_sent_ ? Outcome::kUnknown : Outcome::kCancelled,
               "it was put aside, and can be gone on with");
    result.parked = true;
    return result;
  }
  // Somebody may still wait for it there, and what was sent may have arrived.
  if (cancelled_ || pipe_begun_ || all_sent_) Settle();
  if (have_verdict_ && verdict_.outcome != Outcome::kUnknown) {
    // That it ended because we asked is not why it ended.
    if (verdict_.outcome != Outcome::kCancelled || cancelled_) {
      return FromVerdict();
    }
  } else if (all_sent_) {
    std::string reason;
    if (have_verdict_) {
      reason = verdict_.reason;
    } else if (accepted_) {
      reason = absl::StrCat("all was sent, and the peer cannot be asked: ",
                            why.message());
    } else {
      reason = absl::StrCat("it was sent, and the peer never answered: ",
                            why.message());
    }
    TransferResult result = Result(Outcome::kUnknown, std::move(reason));
    result.parked = temporary && !cancelled_ && !pipe_begun_;
    return result;
  }
  if (cancelled_) return Result(Outcome::kCancelled, "it was cancelled here");
  if (pipe_begun_) {
    return Result(Outcome::kFailed,
                  absl::StrCat("the connection was lost, and a pipe cannot be "
                               "read again: ",
                               why.message()));
  }
  TransferResult result = Result(Outcome::kFailed, std::string(why.message()));
  result.parked = temporary;
  return result;
}

absl::Status Sender::Try() {
  progress_.bytes = 0;
  progress_.kept = 0;
  progress_.files = 0;
  absl::StatusOr<std::unique_ptr<Stream>> stream =
      transport_->Open(options_.peer, {.kind = StreamKind::kFile},
                       clock_->Now() + options_.patience);
  if (!stream.ok()) return stream.status();
  {
    MutexLock lock(&mutex_);
    stream_ = stream->get();
  }
  const absl::Cleanup gone = [this] {
    MutexLock lock(&mutex_);
    stream_ = nullptr;
  };
  if (stopping()) return absl::CancelledError("it was stopped here");
  return Exchange(**stream);
}

absl::Status Sender::Exchange(Stream& stream) {
  FrameWriter writer(&stream);
  FrameReader reader(&stream);
  Offer offer = {.id = options_.id,
                 .files = progress_.total_files,
                 .bytes = progress_.total_bytes,
                 .folder = options_.folder};
  if (options_.pipe >= 0) {
    offer.roots = 1;
    offer.names.push_back(options_.pipe_name);
  } else {
    offer.roots = static_cast<uint32_t>(options_.roots.size());
    for (const Root& root : options_.roots) {
      if (offer.names.size() < kMostNames) offer.names.push_back(root.name);
    }
  }
  writer.Add(offer);
  // Of a later try the receiver may have some already. What a pipe says is not
  // read for a receiver that may refuse it.
  if (progress_.tries == 1 && options_.pipe < 0 &&
      progress_.total_bytes <= kEarlyBytes &&
      progress_.total_files <= kEarlyFiles) {
    return SendContent(stream, writer, reader, nullptr);
  }
  absl::Status wrote = writer.Flush(clock_->Now() + options_.patience);
  if (!wrote.ok()) return wrote;
  while (true) {
    absl::StatusOr<Incoming> answer =
        reader.Next(clock_->Now() + options_.decision);
    if (!answer.ok()) return answer.status();
    if (std::holds_alternative<Alive>(answer->frame)) continue;
    if (auto* verdict = std::get_if<Verdict>(&answer->frame)) {
      if (verdict->id != options_.id) break;
      verdict_ = std::move(*verdict);
      have_verdict_ = true;
      Leave(stream);
      return absl::OkStatus();
    }
    const auto* accept = std::get_if<Accept>(&answer->frame);
    if (accept == nullptr) break;
    accepted_ = true;
    moved_ = clock_->Now();
    return SendContent(stream, writer, reader, accept);
  }
  return absl::InvalidArgumentError("the peer sent what no receiver does");
}

absl::Status Sender::SendContent(Stream& stream, FrameWriter& writer,
                                 FrameReader& reader, const Accept* accept) {
  Content content(this, &writer, &reader, accept);
  absl::Status sent = content.SendAll();
  if (!have_verdict_) return sent;
  Leave(stream);
  return absl::OkStatus();
}

// So that the peer need not wait for us.
void Sender::Leave(Stream& stream) {
  (void)stream.CloseWrite(clock_->Now() + options_.patience);
}

void Sender::Settle() {
  have_verdict_ = false;
  const absl::Time deadline =
      clock_->Now() +
      std::min(options_.patience, cancelled_ ? kCancelled : kSettled);
  absl::Duration pause = options_.first_pause;
  while (!have_verdict_ && clock_->Now() < deadline) {
    absl::StatusOr<std::unique_ptr<Stream>> stream =
        transport_->Open(options_.peer, {.kind = StreamKind::kFile}, deadline);
    if (stream.ok()) {
      FrameWriter writer(stream->get());
      FrameReader reader(stream->get());
      writer.Add(files::Settle{options_.id});
      if (writer.Flush(deadline).ok()) {
        while (!have_verdict_) {
          absl::StatusOr<Incoming> came = reader.Next(deadline);
          if (!came.ok()) break;
          if (std::holds_alternative<Alive>(came->frame)) continue;
          auto* verdict = std::get_if<Verdict>(&came->frame);
          if (verdict == nullptr || verdict->id != options_.id) break;
          verdict_ = std::move(*verdict);
          have_verdict_ = true;
          (void)(*stream)->CloseWrite(deadline);
        }
      }
    } else if (!Temporary(stream.status())) {
      return;
    }
    if (have_verdict_) return;
    const absl::Time until = std::min(deadline, clock_->Now() + pause);
    clock_->SleepUntil(until);
    pause = std::min(2 * pause, options_.most_pause);
  }
}

}  // namespace tactus::transfer::files
