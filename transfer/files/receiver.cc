#include "transfer/files/receiver.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
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
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/files/assembler.h"
#include "transfer/files/block.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/frame_io.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"
#include "transfer/files/worker.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// How often the sender hears that the disk is still at it, in real time.
constexpr absl::Duration kAliveEvery = absl::Seconds(5);
// For a session that was cut to see it: its next read or write fails, and a
// chunk that is on its way to the disk ends first.
constexpr absl::Duration kClaim = absl::Seconds(20);
constexpr absl::Duration kClaimPoll = absl::Milliseconds(5);
// For the sender to read a verdict, and to stop sending.
constexpr absl::Duration kLinger = absl::Seconds(10);
// An offer of no more than this is written by the thread that reads it: to wake
// another takes longer, and the kernel takes so little without its disk.
constexpr uint64_t kSmallBytes = uint64_t{64} << 10;
constexpr uint64_t kSmallFiles = 16;
// Frames that go to the disk's thread together: what small files amount to.
constexpr size_t kPackBytes = size_t{256} << 10;
constexpr size_t kPackFrames = 1024;

std::string Short(absl::string_view reason) {
  return std::string(reason.substr(0, kLongestReason));
}

// All of them, where all were named.
std::set<std::string> Roots(const Offer& offer) {
  if (offer.roots > offer.names.size()) return {};
  return std::set<std::string>(offer.names.begin(), offer.names.end());
}

// What somebody agreed to: the rest may change from one try to the next.
std::string Agreed(const Offer& offer) {
  Offer agreed = offer;
  agreed.files = 0;
  agreed.bytes = 0;
  return EncodeFrame(agreed);
}

}  // namespace

class Receiver::Session {
 public:
  Session(Receiver* receiver, std::unique_ptr<Stream> stream)
      : receiver_(receiver),
        clock_(receiver->options_.clock),
        stream_(std::move(stream)),
        reader_(stream_.get()),
        writer_(stream_.get()) {}

  std::optional<TransferResult> Run();

  // By others, while this is claimed: under the receiver's lock.
  void Cut() {
    cut_ = true;
    stream_->Cancel();
  }
  void CancelByUser() {
    cancelled_ = true;
    Cut();
  }

 private:
  absl::Time Deadline() { return clock_->Now() + receiver_->options_.patience; }

  std::optional<TransferResult> RunOffer(const Offer& offer);
  void RunSettle(const TransferId& id);
  absl::Status Receive(Assembler& assembler);
  absl::Status ReceiveFrames(Assembler& assembler, Worker& worker);
  absl::Status Drain(Worker& worker);
  absl::Status TakeFrame(Incoming incoming, Assembler& assembler,
                         Worker& worker);
  void Post(Assembler& assembler, Worker& worker);
  void Do(Worker& worker, std::function<absl::Status()> task);
  void DoHere(const std::function<absl::Status()>& task);
  absl::Status Note(const Incoming& incoming);
  absl::Status SendHaves(const std::vector<Have>& haves);
  void Say(const Verdict& verdict);
  absl::Status Failure() {
    MutexLock lock(&mutex_);
    return absl::Status(failure_.code(), failure_.message());
  }

  Receiver* const receiver_;
  Clock* const clock_;
  std::unique_ptr<Stream> stream_;
  FrameReader reader_;
  FrameWriter writer_;
  std::atomic<bool> cut_ = false;
  std::atomic<bool> cancelled_ = false;
  Key key_;
  std::shared_ptr<Observer> observer_;
  Progress progress_;

  // Frames that are on their way to the worker.
  std::vector<Incoming> pack_;
  size_t pack_bytes_ = 0;
  // They are not worth a worker.
  bool small_ = false;
  // Of each file that was declared: whether its last group was full, and the
  // chunks until it ends. Only then is more to be told about it.
  struct Ahead {
    bool full = false;
    uint64_t left = 0;
  };
  std::deque<Ahead> ahead_;

  Mutex mutex_;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> failed_ = false;
};

std::optional<TransferResult> Receiver::Session::Run() {
  absl::StatusOr<Incoming> first = reader_.Next(Deadline());
  if (!first.ok()) return std::nullopt;
  if (auto* settle = std::get_if<Settle>(&first->frame)) {
    RunSettle(settle->id);
    return std::nullopt;
  }
  auto* offer = std::get_if<Offer>(&first->frame);
  if (offer == nullptr) return std::nullopt;
  return RunOffer(*offer);
}

// Says a verdict and waits for the sender to have it: a stream that is given up
// with bytes that nobody read would be cut, and the verdict with it.
void Receiver::Session::Say(const Verdict& verdict) {
  const absl::Time deadline = clock_->Now() + kLinger;
  writer_.Add(verdict);
  if (!writer_.Flush(deadline).ok()) return;
  if (!stream_->CloseWrite(deadline).ok()) return;
  Block waste = Block::Take(kPackBytes);
  while (clock_->Now() < deadline) {
    const absl::StatusOr<size_t> got =
        stream_->Read(absl::MakeSpan(waste.data(), waste.size()), deadline);
    if (!got.ok() || *got == 0) return;
  }
}

void Receiver::Session::RunSettle(const TransferId& id) {
  key_ = {stream_->peer(), id};
  bool known = false;
  const absl::Status claimed = receiver_->Claim(key_, this, &known);
  Verdict verdict = {.id = id, .reason = "this device knows nothing of it"};
  if (claimed.ok()) {
    known = known || receiver_->FindDecision(key_, nullptr).has_value();
    const std::optional<Verdict> found = receiver_->Find(key_);
    if (found.has_value()) {
      verdict = *found;
    } else {
      // An offer of it that is under way still is not to begin it anew.
      const Verdict ended = {.id = id,
                             .outcome = Outcome::kCancelled,
                             .reason = "the sender ended it"};
      receiver_->Remember(key_, ended);
      if (known) verdict = ended;
    }
    receiver_->Release(key_, this);
  } else {
    verdict.reason = "this device is not done with it";
  }
  Say(verdict);
}

std::optional<TransferResult> Receiver::Session::RunOffer(const Offer& offer) {
  key_ = {stream_->peer(), offer.id};
  bool known = false;
  // Without an answer the sender tries again.
  if (!receiver_->Claim(key_, this, &known).ok()) return std::nullopt;
  bool claimed = true;
  const auto release = [&] {
    if (claimed) receiver_->Release(key_, this);
    claimed = false;
  };
  const absl::Cleanup released = release;
  if (const auto found = receiver_->Find(key_); found.has_value()) {
    release();
    Say(*found);
    return std::nullopt;
  }
  std::optional<Decision> decision = receiver_->FindDecision(key_, &offer);
  if (!decision.has_value()) {
    decision = receiver_->options_.decide(stream_->peer(), offer,
                                          [this] { return cut_.load(); });
    const bool to_sink = decision->accepted && decision->sink >= 0;
    // One to a pipe has its end here all the same: whoever gave the pipe waits
    // for it.
    if (cut_ && !cancelled_ && !to_sink) return std::nullopt;
    // Nor is the pipe kept for another try.
    if (decision->accepted && !to_sink) {
      receiver_->RememberDecision(key_, offer, *decision);
    }
  }
  observer_ = decision->observer != nullptr ? decision->observer
                                            : std::make_shared<Observer>();
  progress_.total_bytes = offer.bytes;
  progress_.total_files = offer.files;
  progress_.tries = 1;
  observer_->OnBegin(offer.id, progress_);
  TransferResult result = {.id = offer.id};
  Verdict verdict = {.id = offer.id, .outcome = Outcome::kDone};
  absl::Status received;
  if (!decision->accepted) {
    verdict.outcome = Outcome::kRefused;
    verdict.reason = Short(decision->reason);
  } else {
    std::unique_ptr<Destination> destination;
    if (decision->sink < 0) {
      auto opened = Destination::Open(decision->folder, offer.folder,
                                      receiver_->options_.destination);
      received = opened.status();
      if (opened.ok()) destination = *std::move(opened);
    }
    std::optional<Assembler> assembler;
    if (received.ok()) {
      Accept accept;
      for (const std::string& name : offer.names) {
        accept.ask = accept.ask ||
                     (destination != nullptr && offer.bytes != kSizeUnknown &&
                      destination->Exists(name, stream_->peer().text()));
      }
      // Not into a pipe, which may take nothing for long, nor in the place of
      // another file, which the disk is waited for first.
      small_ = destination != nullptr && !accept.ask &&
               offer.bytes <= kSmallBytes && offer.files <= kSmallFiles;
      Delivered* delivered = receiver_->options_.delivered;
      assembler.emplace(
          destination.get(),
          delivered != nullptr ? delivered : &receiver_->own_delivered_,
          AssemblerOptions{.peer = stream_->peer().text(),
                           .roots = Roots(offer),
                           .sink = decision->sink,
                           .stop = [this] { return cut_.load(); }});
      // Sent before anything is waited for: what came with the offer is taken
      // first, since to send takes longer than to write a small file.
      writer_.Add(accept);
      received = Receive(*assembler);
      const Assembled& made = assembler->assembled();
      verdict.files = made.files;
      verdict.bytes = made.bytes;
      verdict.replaced = made.replaced;
      verdict.links_left_out = made.links_left_out;
      result.replaced = made.replaced;
      result.left_out = made.links_left_out;
      progress_.kept = made.kept;
      progress_.fresh = made.fresh;
    }
    if (!received.ok()) {
      // What is said of the disk, or of what the peer sends, is final. The rest
      // is the connection.
      const bool final = failed_ || assembler == std::nullopt ||
                         absl::IsInvalidArgument(received);
      verdict.outcome = Outcome::kFailed;
      verdict.reason = Short(received.message());
      if (cancelled_) {
        verdict.outcome = Outcome::kCancelled;
        verdict.reason = "it was cancelled by the receiver";
      } else if (decision->sink >= 0) {
        if (!final || cut_) {
          verdict.reason = Short(
              absl::StrCat("the connection was lost, and what was written to a "
                           "pipe cannot be written again: ",
                           received.message()));
        }
      } else if (!final || cut_) {
        result.outcome = Outcome::kCancelled;
        result.reason = verdict.reason;
        result.parked = true;
        result.progress = progress_;
        observer_->OnEnd(result);
        return result;
      }
    }
  }
  receiver_->Remember(key_, verdict);
  result.outcome = verdict.outcome;
  result.reason = verdict.reason;
  result.progress = progress_;
  observer_->OnProgress(progress_);
  observer_->OnEnd(result);
  release();
  Say(verdict);
  return result;
}

absl::Status Receiver::Session::Receive(Assembler& assembler) {
  Worker worker(kMostWaiting);
  absl::Status received = ReceiveFrames(assembler, worker);
  // What was read before a cut is on its way to the disk, and stays.
  if (!pack_.empty() && !failed_) Post(assembler, worker);
  worker.Drain();
  if (failed_) return Failure();
  return received;
}

absl::Status Receiver::Session::ReceiveFrames(Assembler& assembler,
                                              Worker& worker) {
  while (true) {
    if (!reader_.has_some() && !writer_.empty()) {
      absl::Status told = writer_.Flush(Deadline());
      if (!told.ok()) return told;
    }
    absl::StatusOr<Incoming> incoming = reader_.Next(Deadline());
    if (failed_) return Failure();
    if (!incoming.ok()) return incoming.status();
    if (auto* end = std::get_if<End>(&incoming->frame)) {
      Post(assembler, worker);
      const End all = *end;
      Do(worker, [&assembler, all] { return assembler.Finish(all); });
      return Drain(worker);
    }
    absl::Status taken = TakeFrame(*std::move(incoming), assembler, worker);
    if (!taken.ok()) return taken;
  }
}

// Until the worker has done all, however long its disk takes.
absl::Status Receiver::Session::Drain(Worker& worker) {
  while (!worker.Drain(kAliveEvery)) {
    writer_.Add(Alive());
    // Whoever is gone meanwhile asks again. The transfer may be done all the
    // same.
    (void)writer_.Flush(Deadline());
  }
  return failed_ ? Failure() : absl::OkStatus();
}

void Receiver::Session::Post(Assembler& assembler, Worker& worker) {
  if (pack_.empty()) return;
  // More than was offered: from now on the worker has it all, in order.
  small_ = small_ && pack_bytes_ <= kSmallBytes;
  auto pack = std::make_shared<std::vector<Incoming>>(std::move(pack_));
  pack_.clear();
  pack_bytes_ = 0;
  const auto apply = [&assembler, pack]() -> absl::Status {
    for (Incoming& one : *pack) {
      absl::Status applied =
          assembler.Apply(std::move(one.frame), std::move(one.content));
      if (!applied.ok()) return applied;
    }
    return absl::OkStatus();
  };
  // The worker is idle then: what else it does is waited for.
  if (small_) {
    DoHere(apply);
  } else {
    Do(worker, apply);
  }
}

// By the worker.
void Receiver::Session::Do(Worker& worker, std::function<absl::Status()> task) {
  worker.Post([this, task = std::move(task)] { DoHere(task); });
}

// Unless something before has failed.
void Receiver::Session::DoHere(const std::function<absl::Status()>& task) {
  if (failed_) return;
  absl::Status done = task();
  if (done.ok()) return;
  MutexLock lock(&mutex_);
  failure_ = std::move(done);
  failed_ = true;
}

absl::Status Receiver::Session::SendHaves(const std::vector<Have>& haves) {
  for (const Have& have : haves) {
    writer_.Add(have);
    if (!writer_.full()) continue;
    if (absl::Status sent = writer_.Flush(Deadline()); !sent.ok()) return sent;
  }
  return writer_.Flush(Deadline());
}

// Keeps count, for whoever watches, and of the groups.
absl::Status Receiver::Session::Note(const Incoming& incoming) {
  uint64_t chunks = 0;
  if (std::holds_alternative<Alive>(incoming.frame) ||
      std::holds_alternative<Turn>(incoming.frame)) {
    return absl::OkStatus();
  }
  if (const auto* entry = std::get_if<Entry>(&incoming.frame)) {
    if (entry->type != EntryType::kFile) return absl::OkStatus();
    if (ahead_.size() >= kMostDeclared) {
      return absl::InvalidArgumentError("too many files at once");
    }
    ahead_.emplace_back();
    return absl::OkStatus();
  }
  if (const auto* end = std::get_if<FileEnd>(&incoming.frame)) {
    if (!ahead_.empty()) ahead_.pop_front();
    if (!end->left_out) ++progress_.files;
    return absl::OkStatus();
  }
  if (std::holds_alternative<Chunk>(incoming.frame)) {
    chunks = 1;
    progress_.bytes += incoming.content.size();
    progress_.fresh += incoming.content.size();
  } else if (const auto* hole = std::get_if<Hole>(&incoming.frame)) {
    chunks = (hole->bytes + kChunk - 1) / kChunk;
    progress_.bytes += hole->bytes;
  } else if (const auto* keep = std::get_if<Keep>(&incoming.frame)) {
    chunks = keep->chunks;
    progress_.bytes += chunks * kChunk;
    progress_.kept += chunks * kChunk;
  }
  // The last chunk of a file that is kept may be short.
  if (progress_.total_bytes != kSizeUnknown) {
    progress_.bytes = std::min(progress_.bytes, progress_.total_bytes);
  }
  if (ahead_.empty()) {
    return absl::InvalidArgumentError("content of no file");
  }
  Ahead& ahead = ahead_.front();
  if (ahead.full && chunks > ahead.left) {
    return absl::InvalidArgumentError("a group is passed over");
  }
  ahead.left -= std::min(ahead.left, chunks);
  return absl::OkStatus();
}

absl::Status Receiver::Session::TakeFrame(Incoming incoming,
                                          Assembler& assembler,
                                          Worker& worker) {
  const absl::Status noted = Note(incoming);
  // Of each frame, since who bounds the transfer in time looks at the time now;
  // and before the worker has it, who may wait for a pipe that nobody reads.
  observer_->OnProgress(progress_);
  if (!noted.ok()) return noted;
  if (std::holds_alternative<Alive>(incoming.frame)) return absl::OkStatus();
  if (std::holds_alternative<Turn>(incoming.frame)) {
    Post(assembler, worker);
    std::vector<Have> haves;
    Do(worker, [&assembler, &haves] {
      absl::StatusOr<std::vector<Have>> taken = assembler.TakeTurn();
      if (!taken.ok()) return taken.status();
      haves = *std::move(taken);
      return absl::OkStatus();
    });
    if (absl::Status done = Drain(worker); !done.ok()) return done;
    for (size_t i = 0; i < haves.size() && i < ahead_.size(); ++i) {
      ahead_[i].full = haves[i].chunks.size() == kGroup;
      ahead_[i].left = kGroup;
    }
    return SendHaves(haves);
  }
  pack_bytes_ += incoming.content.size();
  pack_.push_back(std::move(incoming));
  // Nothing waits for company while there is none.
  if (pack_bytes_ >= kPackBytes || pack_.size() >= kPackFrames ||
      !reader_.has_some()) {
    Post(assembler, worker);
  }
  if (ahead_.empty() || !ahead_.front().full || ahead_.front().left > 0) {
    return absl::OkStatus();
  }
  Post(assembler, worker);
  Have have;
  Do(worker, [&assembler, &have] {
    absl::StatusOr<Have> next = assembler.NextGroup();
    if (!next.ok()) return next.status();
    have = *std::move(next);
    return absl::OkStatus();
  });
  if (absl::Status done = Drain(worker); !done.ok()) return done;
  ahead_.front() = {.full = have.chunks.size() == kGroup, .left = kGroup};
  return SendHaves({std::move(have)});
}

Receiver::Receiver(ReceiverOptions options) : options_(std::move(options)) {}
Receiver::~Receiver() = default;

std::optional<TransferResult> Receiver::Serve(std::unique_ptr<Stream> stream) {
  Session session(this, std::move(stream));
  return session.Run();
}

absl::Status Receiver::Claim(const Key& key, Session* session, bool* known) {
  const absl::Time deadline = options_.clock->Now() + kClaim;
  while (true) {
    {
      MutexLock lock(&mutex_);
      if (stopped_) return absl::CancelledError("the receiver was stopped");
      const auto [at, fresh] = active_.emplace(key, session);
      if (fresh) return absl::OkStatus();
      *known = true;
      at->second->Cut();
    }
    const absl::Time now = options_.clock->Now();
    if (now >= deadline) {
      return absl::UnavailableError("the transfer before it does not end");
    }
    options_.clock->SleepUntil(now + kClaimPoll);
  }
}

void Receiver::Release(const Key& key, Session* session) {
  MutexLock lock(&mutex_);
  const auto found = active_.find(key);
  if (found != active_.end() && found->second == session) active_.erase(found);
}

std::optional<Verdict> Receiver::Find(const Key& key) {
  MutexLock lock(&mutex_);
  const auto& verdicts = remembered_[key.first].verdicts;
  const auto found = verdicts.find(key.second);
  if (found == verdicts.end()) return std::nullopt;
  return found->second;
}

void Receiver::Remember(const Key& key, const Verdict& verdict) {
  MutexLock lock(&mutex_);
  Remembered& peer = remembered_[key.first];
  if (!peer.verdicts.emplace(key.second, verdict).second) return;
  peer.verdict_order.push_back(key.second);
  if (peer.verdict_order.size() <= kMostRemembered) return;
  peer.verdicts.erase(peer.verdict_order.front());
  peer.verdict_order.pop_front();
}

std::optional<Decision> Receiver::FindDecision(const Key& key,
                                               const Offer* offer) {
  MutexLock lock(&mutex_);
  const auto& decisions = remembered_[key.first].decisions;
  const auto found = decisions.find(key.second);
  if (found == decisions.end()) return std::nullopt;
  // Another offer under the name of one that was agreed to is asked about.
  if (offer != nullptr && found->second.first != Agreed(*offer)) {
    return std::nullopt;
  }
  return found->second.second;
}

void Receiver::RememberDecision(const Key& key, const Offer& offer,
                                const Decision& decision) {
  MutexLock lock(&mutex_);
  Remembered& peer = remembered_[key.first];
  if (!peer.decisions
           .insert_or_assign(key.second,
                             std::make_pair(Agreed(offer), decision))
           .second) {
    return;
  }
  peer.decision_order.push_back(key.second);
  if (peer.decision_order.size() <= kMostRemembered) return;
  peer.decisions.erase(peer.decision_order.front());
  peer.decision_order.pop_front();
}

bool Receiver::Cancel(const DeviceId& peer, const TransferId& id) {
  MutexLock lock(&mutex_);
  const auto found = active_.find({peer, id});
  if (found == active_.end()) return false;
  found->second->CancelByUser();
  return true;
}

void Receiver::Stop() {
  MutexLock lock(&mutex_);
  stopped_ = true;
  for (const auto& [key, session] : active_) session->Cut();
}

}  // namespace tactus::transfer::files
