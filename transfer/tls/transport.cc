#include "transfer/tls/transport.h"

#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/pairing/connection.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"
#include "transfer/sync/thread.h"
#include "transfer/sync/unshared.h"
#include "transfer/tls/backoff.h"
#include "transfer/tls/channel.h"
#include "transfer/tls/context.h"
#include "transfer/tls/socket.h"
#include "transfer/tls/tls_stream.h"

namespace tactus::transfer {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// What goes over a connection before its stream begins (docs/protocol.md).
constexpr char kProbe = '\0';    // are you there? and: I am
constexpr char kWelcome = '\1';  // this device lets you in

// Attempts to connect to one peer at a time.
constexpr size_t kMostDialing = 4;
// Between the tries of a peer's addresses (RFC 8305 section 8).
constexpr absl::Duration kStagger = absl::Milliseconds(250);
// A connection that was taken is replaced after this, so that the handshake
// does not compete with the first message for the processor.
constexpr absl::Duration kRefill = absl::Milliseconds(50);
// Threads that ask for names and may hang there; more peers than this whose
// names are slow wait for each other.
constexpr int kMostResolving = 8;
constexpr absl::Duration kResolvePoll = absl::Milliseconds(5);
// When the system gives no more sockets.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);
// A sleep that matters to a connection: less than this and TCP did not notice.
constexpr absl::Duration kSlept = absl::Seconds(1);

constexpr char kPairingExport[] = "EXPORTER-tactus-pairing/1";
constexpr size_t kPairingExportSize = 32;

absl::Time Now() { return Clock::Real().Now(); }

absl::Status ShutDown() {
  return absl::CancelledError("the transport was shut down");
}

double SystemRandom() {
  static thread_local std::random_device device;
  return static_cast<double>(device()) /
         (static_cast<double>(std::random_device::max()) + 1.0);
}

absl::Duration SystemSlept() {
  timespec with;
  timespec without;
  clock_gettime(CLOCK_MONOTONIC, &without);
  clock_gettime(CLOCK_BOOTTIME, &with);
  return absl::TimeFromTimespec(with) - absl::TimeFromTimespec(without);
}

// A connection that the transport's thread waits for. Of that thread alone.
struct Link : std::enable_shared_from_this<Link> {
  Link(asio::io_context& io, std::shared_ptr<Channel> its_channel)
      : channel(std::move(its_channel)), descriptor(io), timer(io) {
    error_code error;
    descriptor.assign(channel->fd(), error);
    if (error) {
      channel->Cut(absl::UnavailableError("the socket cannot be watched"));
    }
  }
  ~Link() { Release(); }

  // Ends a wait in progress, with Cancelled; the socket is the channel's alone
  // from then on.
  void Release() {
    released = true;
    if (descriptor.is_open()) (void)descriptor.release();
    timer.cancel();
  }

  // Cuts the connection, and ends a wait in progress.
  void Abort(const absl::Status& why) {
    channel->Cut(why);
    error_code ignored;
    if (descriptor.is_open()) descriptor.cancel(ignored);
  }

  // Until the socket can do what is wanted. DeadlineExceeded; Cancelled.
  asio::awaitable<absl::Status> Wait(Channel::Want want, absl::Time deadline) {
    if (released || !descriptor.is_open()) {
      co_return absl::CancelledError("the connection was taken");
    }
    const std::shared_ptr<Link> self = shared_from_this();
    const uint64_t number = ++waits;
    timed_out = false;
    timer.expires_after(
        absl::ToChronoNanoseconds(std::min(deadline - Now(), absl::Hours(24))));
    timer.async_wait([self, number](error_code error) {
      if (error || self->waits != number || self->released) return;
      self->timed_out = true;
      error_code ignored;
      self->descriptor.cancel(ignored);
    });
    error_code error;
    co_await descriptor.async_wait(
        want == Channel::Want::kWrite ? asio::posix::descriptor_base::wait_write
                                      : asio::posix::descriptor_base::wait_read,
        asio::redirect_error(asio::use_awaitable, error));
    ++waits;
    timer.cancel();
    if (released) co_return absl::CancelledError("the connection was taken");
    if (timed_out) co_return absl::DeadlineExceededError("no answer in time");
    // Aborted: the channel says why.
    co_return absl::OkStatus();
  }

  asio::awaitable<absl::Status> Handshake(absl::Time deadline) {
    while (true) {
      const absl::StatusOr<Channel::Want> want = channel->TryHandshake();
      if (!want.ok()) co_return want.status();
      if (*want == Channel::Want::kNothing) co_return absl::OkStatus();
      const absl::Status ready = co_await Wait(*want, deadline);
      if (!ready.ok()) co_return ready;
    }
  }

  // Unavailable at the end of what the peer says.
  asio::awaitable<absl::StatusOr<char>> ReadByte(absl::Time deadline) {
    char byte;
    while (true) {
      const absl::StatusOr<Channel::Progress> read =
          channel->TryRead(absl::MakeSpan(&byte, 1));
      if (!read.ok()) co_return read.status();
      if (read->bytes == 1) co_return byte;
      if (read->end) {
        co_return absl::UnavailableError("the peer closed the connection");
      }
      const absl::Status ready = co_await Wait(read->want, deadline);
      if (!ready.ok()) co_return ready;
    }
  }

  asio::awaitable<absl::Status> WriteByte(char byte, absl::Time deadline) {
    absl::string_view left(&byte, 1);
    while (true) {
      const absl::StatusOr<Channel::Progress> wrote = channel->TryWrite(left);
      if (!wrote.ok()) co_return wrote.status();
      left.remove_prefix(wrote->bytes);
      if (wrote->want == Channel::Want::kNothing) co_return absl::OkStatus();
      const absl::Status ready = co_await Wait(wrote->want, deadline);
      if (!ready.ok()) co_return ready;
    }
  }

  std::shared_ptr<Channel> channel;
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
  uint64_t waits = 0;
  bool timed_out = false;
  bool released = false;
};

// A connection that somebody waits for: Open, on a thread of its own.
struct Request {
  Mutex mutex;
  Condition changed;
  bool done ABSL_GUARDED_BY(mutex) = false;
  // Nobody waits any more.
  bool given_up ABSL_GUARDED_BY(mutex) = false;
  absl::Status status ABSL_GUARDED_BY(mutex);
  std::shared_ptr<Channel> channel ABSL_GUARDED_BY(mutex);
  size_t unanswered ABSL_GUARDED_BY(mutex) = 0;

  // False when nobody waits: what was brought is the bringer's still.
  bool Answer(const absl::Status& why, std::shared_ptr<Channel> brought,
              size_t probes) {
    MutexLock lock(&mutex);
    if (given_up || done) return false;
    done = true;
    status = Unshared(why);
    channel = std::move(brought);
    unanswered = probes;
    changed.NotifyAll();
    return true;
  }
};

// A connection that waits to be taken, by any thread: whoever opens a stream
// takes it without waking the transport's thread, which watches it until it
// hears of that. So each of the two looks under the lock before it touches the
// channel.
struct Warm {
  Warm(std::shared_ptr<Link> its_link, absl::Duration slept_so_far)
      : link(std::move(its_link)), slept(slept_so_far) {}

  const std::shared_ptr<Link> link;  // of the transport's thread
  const absl::Duration slept;        // by this machine, when it was made

  // The channel is the caller's from now on; the answers to so many probes come
  // on it first.
  size_t Take() {
    MutexLock lock(&mutex);
    taken = true;
    return unanswered;
  }

  // What follows is of the transport's thread, and Cancelled once it is taken.

  // kNothing when an answer to a probe came; otherwise what to wait for.
  absl::StatusOr<Channel::Want> TryHear() {
    MutexLock lock(&mutex);
    if (taken) return Taken();
    char byte;
    const absl::StatusOr<Channel::Progress> read =
        link->channel->TryRead(absl::MakeSpan(&byte, 1));
    if (!read.ok()) return read.status();
    if (read->end) {
      return absl::UnavailableError("the peer closed the connection");
    }
    if (read->bytes == 0) return read->want;
    // With the byte, or who takes it would wait for one that has come.
    if (byte == kProbe && unanswered > 0) {
      --unanswered;
      return Channel::Want::kNothing;
    }
    return absl::DataLossError("the peer says what nobody asked");
  }

  // What does not leave at once leaves with what is said next.
  absl::Status Probe() {
    MutexLock lock(&mutex);
    if (taken) return Taken();
    ++unanswered;
    return link->channel->TryWrite(absl::string_view(&kProbe, 1)).status();
  }

  bool asked() {
    MutexLock lock(&mutex);
    return unanswered > 0;
  }

  // Cuts it. False when it was taken, and is not to be cut.
  bool GiveUp(const absl::Status& why) {
    MutexLock lock(&mutex);
    if (taken) return false;
    link->channel->Cut(why);
    return true;
  }

 private:
  static absl::Status Taken() {
    return absl::CancelledError("the connection was taken");
  }

  Mutex mutex;
  bool taken ABSL_GUARDED_BY(mutex) = false;
  size_t unanswered ABSL_GUARDED_BY(mutex) = 0;  // probes
};

struct Pool {
  Pool(asio::io_context& io, const DeviceId& peer, Backoff its_backoff)
      : id(peer), backoff(std::move(its_backoff)), retry(io) {}

  DeviceId id;
  bool keep = false;     // connections warm
  bool dropped = false;  // the peer is forgotten
  std::deque<std::shared_ptr<Request>> requests;
  size_t dialing = 0;
  Backoff backoff;
  asio::steady_timer retry;
  bool waiting = false;  // for `retry`, before dialing for the pool
  bool failing = false;  // the last attempt to connect was in vain
  absl::Status trouble;
  std::string path;
};

struct Listener {
  explicit Listener(asio::io_context& io) : descriptor(io), pause(io) {}
  asio::posix::stream_descriptor descriptor;
  asio::steady_timer pause;
};

// The tries of one peer's addresses against each other.
struct Race {
  explicit Race(asio::io_context& io) : wake(io) {}
  std::shared_ptr<Link> winner;
  std::string path;
  size_t running = 0;
  absl::Status trouble;
  asio::steady_timer wake;
};

// A worse reason hides a better one: who is refused wants to know that, and not
// that another address did not answer.
void Worsen(absl::Status* all, const absl::Status& one) {
  if (all->ok() || absl::IsPermissionDenied(one)) *all = one;
}

}  // namespace

class TlsTransport::Engine {
 public:
  Engine(std::shared_ptr<TlsContext> context, const KeyDigest& own_key,
         const PinnedPeers& peers, TlsOptions options)
      : context_(std::move(context)),
        own_key_(own_key),
        peers_(peers),
        options_(std::move(options)),
        work_(asio::make_work_guard(io_)) {
    if (options_.random == nullptr) options_.random = SystemRandom;
    if (options_.slept == nullptr) options_.slept = SystemSlept;
  }
  ~Engine();

  absl::Status Start();

  absl::StatusOr<std::string> Listen(const std::string& address);
  void KeepWarm(const DeviceId& peer);
  void NetworkChanged();
  std::vector<TlsPeerStatus> PeerStatus();
  size_t refused() const { return refused_; }
  void AllowPairing(bool allow) { context_->AllowPairing(allow); }
  absl::StatusOr<PairingConnection> AcceptPairing(absl::Time deadline);
  absl::StatusOr<PairingConnection> OpenPairing(const std::string& address,
                                                absl::Time deadline);
  absl::StatusOr<std::unique_ptr<Stream>> Open(const DeviceId& peer,
                                               const StreamHeader& header,
                                               absl::Time deadline);
  absl::StatusOr<std::unique_ptr<Stream>> Accept(absl::Time deadline);
  void Forget(const DeviceId& peer);
  void Shutdown();

 private:
  // Runs `what` on the transport's thread, and waits for it. Not from there.
  void OnThread(const std::function<void()>& what);
  absl::Status Await(Request& request, absl::Time deadline);

  // Everything from here to the next comment is of the transport's thread.
  asio::awaitable<void> Serve(std::shared_ptr<Listener> listener);
  asio::awaitable<void> Greet(int fd);
  asio::awaitable<void> AwaitHeader(std::shared_ptr<Link> link, DeviceId peer);
  asio::awaitable<void> Dial(std::shared_ptr<Pool> pool);
  asio::awaitable<void> DialToPair(HostPort where,
                                   std::shared_ptr<Request> request);
  asio::awaitable<void> Try(std::shared_ptr<Race> race, Endpoint endpoint,
                            std::optional<KeyDigest> key);
  asio::awaitable<absl::StatusOr<std::shared_ptr<Link>>> TryOne(
      Endpoint endpoint, std::optional<KeyDigest> key);
  asio::awaitable<absl::StatusOr<std::vector<Endpoint>>> ResolveAll(
      std::vector<std::string> addresses);
  asio::awaitable<absl::Status> RunRace(std::shared_ptr<Race> race,
                                        std::vector<std::string> addresses,
                                        std::optional<KeyDigest> key);
  asio::awaitable<void> Watch(std::shared_ptr<Pool> pool,
                              std::shared_ptr<Warm> warm);
  asio::awaitable<void> Sleep(absl::Duration duration);

  std::shared_ptr<Pool> PoolOf(const DeviceId& peer);
  void Ask(const DeviceId& peer, const std::shared_ptr<Request>& request);
  void Top(const std::shared_ptr<Pool>& pool);
  void TopLater(const std::shared_ptr<Pool>& pool, absl::Duration wait);
  void DropWarm(const DeviceId& peer, const absl::Status& why);
  void DropPool(const DeviceId& peer);
  void Note(const std::shared_ptr<Link>& link);
  void Deliver(const std::shared_ptr<Link>& link, const DeviceId& peer,
               const StreamHeader& header);
  void DeliverPairing(const std::shared_ptr<Link>& link);

  // Of any thread.
  bool Register(const DeviceId& peer, const std::shared_ptr<Channel>& channel,
                size_t most);
  bool RegisterLocked(const DeviceId& peer,
                      const std::shared_ptr<Channel>& channel, size_t most)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A warm connection, for a stream; null where there is none. LetGo is to be
  // called soon after it, on the transport's thread.
  std::shared_ptr<Warm> TakeWarm(const DeviceId& peer, size_t* unanswered);
  size_t WarmCount(const DeviceId& peer);

  // The transport's thread watches it no more, and makes another in its place.
  void LetGo(const DeviceId& peer, const std::shared_ptr<Warm>& warm);

  struct Waiting {
    DeviceId peer;
    std::unique_ptr<Stream> stream;
  };

  const std::shared_ptr<TlsContext> context_;
  const KeyDigest own_key_;
  const PinnedPeers& peers_;
  TlsOptions options_;
  std::atomic<size_t> refused_ = 0;

  // Destroyed last to first: what waits on io_ before it, its coroutines with
  // it.
  Mutex mutex_;
  Condition changed_;  // a pairing
  Condition came_;     // a stream, for whoever takes one
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Waiting> accepted_ ABSL_GUARDED_BY(mutex_);
  std::optional<PairingConnection> pairing_ ABSL_GUARDED_BY(mutex_);
  // Streams in use, those that are gone among them until the next is noted.
  std::map<DeviceId, std::list<std::weak_ptr<Channel>>> streams_
      ABSL_GUARDED_BY(mutex_);
  // What a stream may take, the oldest first. What leaves it to be a stream's
  // is in streams_ before the lock is given up, so that Forget finds it.
  std::map<DeviceId, std::deque<std::shared_ptr<Warm>>> warm_
      ABSL_GUARDED_BY(mutex_);

  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;

  // Of the transport's thread.
  std::map<DeviceId, std::shared_ptr<Pool>> pools_;
  std::list<std::shared_ptr<Listener>> listeners_;
  std::list<std::weak_ptr<Link>> handshakes_;
  std::map<DeviceId, std::list<std::shared_ptr<Link>>> idle_;
};

absl::Status TlsTransport::Engine::Start() {
  // std::thread throws where the system gives none.
  try {
    thread_ = std::thread([this] { io_.run(); });
  } catch (const std::system_error& error) {
    return absl::UnavailableError(
        absl::StrCat("the system gives no thread: ", error.what()));
  }
  return absl::OkStatus();
}

TlsTransport::Engine::~Engine() {
  Shutdown();
  pools_.clear();
  listeners_.clear();
  idle_.clear();
}

void TlsTransport::Engine::Shutdown() {
  std::deque<Waiting> waiting;
  {
    MutexLock lock(&mutex_);
    if (shut_down_) return;
    shut_down_ = true;
    changed_.NotifyAll();
    came_.NotifyAll();
    waiting.swap(accepted_);
    pairing_.reset();
    for (auto& [peer, channels] : streams_) {
      for (const auto& one : channels) {
        if (const auto channel = one.lock()) channel->Cut(ShutDown());
      }
    }
  }
  if (!thread_.joinable()) return;
  // Handlers that are running finish; all others never run.
  asio::post(io_, [this] {
    for (auto& [peer, pool] : pools_) {
      DropWarm(peer, ShutDown());
      for (const auto& one : pool->requests)
        one->Answer(ShutDown(), nullptr, 0);
      pool->requests.clear();
    }
    for (const auto& listener : listeners_) {
      error_code ignored;
      listener->descriptor.close(ignored);
    }
    for (auto& [peer, links] : idle_) {
      for (const auto& link : links) link->channel->Cut(ShutDown());
    }
    io_.stop();
  });
  thread_.join();
}

void TlsTransport::Engine::OnThread(const std::function<void()>& what) {
  const auto done = std::make_shared<Request>();
  {
    // Under the lock, so that Shutdown's last handler comes after this one.
    MutexLock lock(&mutex_);
    if (shut_down_) return;
    asio::post(io_, [&what, done] {
      what();
      done->Answer(absl::OkStatus(), nullptr, 0);
    });
  }
  MutexLock lock(&done->mutex);
  while (!done->done) {
    done->changed.WaitFor(&done->mutex, absl::InfiniteDuration());
  }
}

bool TlsTransport::Engine::Register(const DeviceId& peer,
                                    const std::shared_ptr<Channel>& channel,
                                    size_t most) {
  MutexLock lock(&mutex_);
  return RegisterLocked(peer, channel, most);
}

bool TlsTransport::Engine::RegisterLocked(
    const DeviceId& peer, const std::shared_ptr<Channel>& channel,
    size_t most) {
  if (shut_down_) return false;
  auto& channels = streams_[peer];
  channels.remove_if([](const auto& one) { return one.expired(); });
  if (channels.size() >= most) return false;
  channels.push_back(channel);
  return true;
}

asio::awaitable<void> TlsTransport::Engine::Sleep(absl::Duration duration) {
  asio::steady_timer timer(io_);
  timer.expires_after(absl::ToChronoNanoseconds(duration));
  error_code ignored;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

// ---- Who connects to us.

absl::StatusOr<std::string> TlsTransport::Engine::Listen(
    const std::string& address) {
  const absl::StatusOr<HostPort> where = ParseHostPort(address);
  if (!where.ok()) return where.status();
  const std::vector<Endpoint> endpoints = NumericEndpoints(*where);
  if (endpoints.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", where->host,
                     "' is a name: to listen, give the number of an "
                     "address of this machine, 0.0.0.0 or [::] for all"));
  }
  const absl::StatusOr<int> fd = ListenSocket(endpoints[0]);
  if (!fd.ok()) return fd.status();
  const absl::StatusOr<Endpoint> local = LocalEndpoint(*fd);
  if (!local.ok()) {
    close(*fd);
    return local.status();
  }
  bool listening = false;
  OnThread([&] {
    auto listener = std::make_shared<Listener>(io_);
    error_code error;
    listener->descriptor.assign(*fd, error);
    if (error) return;
    listening = true;
    listeners_.push_back(listener);
    asio::co_spawn(io_, Serve(listener), asio::detached);
  });
  if (!listening) {
    close(*fd);
    return ShutDown();
  }
  return local->Text();
}

asio::awaitable<void> TlsTransport::Engine::Serve(
    std::shared_ptr<Listener> listener) {
  while (listener->descriptor.is_open()) {
    error_code error;
    co_await listener->descriptor.async_wait(
        asio::posix::descriptor_base::wait_read,
        asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    while (true) {
      Endpoint from;
      bool failed = false;
      const int fd = AcceptSocket(listener->descriptor.native_handle(),
                                  options_.socket, &from, &failed);
      if (failed) co_await Sleep(kAcceptPause);
      if (fd < 0) break;
      asio::co_spawn(io_, Greet(fd), asio::detached);
    }
  }
}

void TlsTransport::Engine::Note(const std::shared_ptr<Link>& link) {
  handshakes_.remove_if([](const auto& one) { return one.expired(); });
  if (handshakes_.size() >= options_.most_handshakes) {
    const std::shared_ptr<Link> oldest = handshakes_.front().lock();
    handshakes_.pop_front();
    if (oldest != nullptr) {
      oldest->Abort(absl::UnavailableError("too many connect at a time"));
    }
  }
  handshakes_.push_back(link);
}

asio::awaitable<void> TlsTransport::Engine::Greet(int fd) {
  absl::StatusOr<SslPtr> ssl = context_->NewServer();
  if (!ssl.ok()) {
    close(fd);
    co_return;
  }
  auto link = std::make_shared<Link>(
      io_, std::make_shared<Channel>(context_, *std::move(ssl), fd));
  Note(link);
  const absl::Time deadline = Now() + options_.patience;
  absl::Status done = co_await link->Handshake(deadline);
  if (done.ok()) done = co_await link->WriteByte(kWelcome, deadline);
  handshakes_.remove_if(
      [&](const auto& one) { return one.expired() || one.lock() == link; });
  if (!done.ok()) {
    ++refused_;
    co_return;
  }
  if (link->channel->pairing()) {
    DeliverPairing(link);
    co_return;
  }
  const DeviceId peer(link->channel->peer());
  auto& idle = idle_[peer];
  if (idle.size() >= options_.most_idle) {
    idle.front()->Abort(
        absl::UnavailableError("the peer holds too many connections"));
    idle.pop_front();
  }
  idle.push_back(link);
  co_await AwaitHeader(link, peer);
}

asio::awaitable<void> TlsTransport::Engine::AwaitHeader(
    std::shared_ptr<Link> link, DeviceId peer) {
  std::string header;
  // Who probes is there; who has not for three times as long as he would is
  // not.
  const absl::Duration patience = 3 * options_.socket.detection();
  absl::Time deadline = Now() + patience;
  std::optional<DecodedStreamHeader> decoded;
  while (!decoded.has_value()) {
    const absl::StatusOr<char> byte = co_await link->ReadByte(deadline);
    if (!byte.ok()) break;
    if (header.empty() && *byte == kProbe) {
      deadline = Now() + patience;
      if (!(co_await link->WriteByte(kProbe, deadline)).ok()) break;
      continue;
    }
    if (header.empty()) deadline = Now() + options_.patience;
    header += *byte;
    const auto read = DecodeStreamHeader(header);
    if (!read.ok()) break;
    decoded = *read;
  }
  const auto found = idle_.find(peer);
  if (found != idle_.end()) {
    found->second.remove(link);
    if (found->second.empty()) idle_.erase(found);
  }
  if (decoded.has_value()) Deliver(link, peer, decoded->header);
}

void TlsTransport::Engine::Deliver(const std::shared_ptr<Link>& link,
                                   const DeviceId& peer,
                                   const StreamHeader& header) {
  // Forgotten while the header came: the stream would be a stranger's.
  if (!link->channel->status().ok() ||
      !peers_.FindByKey(link->channel->peer()).has_value()) {
    return;
  }
  link->Release();
  if (!Register(peer, link->channel, options_.most_streams)) {
    link->channel->Cut(absl::UnavailableError("the peer has too many streams"));
    return;
  }
  auto stream = std::make_unique<TlsStream>(link->channel, header, "", 0);
  {
    MutexLock lock(&mutex_);
    // A stream that nobody takes is dropped, and the peer sees a cut.
    if (shut_down_ || accepted_.size() >= options_.most_waiting) return;
    accepted_.push_back({peer, std::move(stream)});
  }
  // Without the lock, which whom it wakes wants first.
  came_.NotifyOne();
}

void TlsTransport::Engine::DeliverPairing(const std::shared_ptr<Link>& link) {
  const absl::StatusOr<std::string> binding =
      link->channel->Export(kPairingExport, kPairingExportSize);
  if (!binding.ok()) return;
  link->Release();
  const DeviceId peer(link->channel->peer());
  if (!Register(peer, link->channel, SIZE_MAX)) return;
  PairingConnection connection = {
      .stream = std::make_unique<TlsStream>(
          link->channel, StreamHeader{.kind = StreamKind::kControl}, "", 0),
      .own_key = own_key_,
      .peer_key = link->channel->peer(),
      .binding = *binding,
      .peer_host = PeerHost(link->channel->fd())};
  MutexLock lock(&mutex_);
  // One at a time: a second is somebody else's try.
  if (shut_down_ || pairing_.has_value()) return;
  pairing_ = std::move(connection);
  changed_.NotifyAll();
}

absl::StatusOr<std::unique_ptr<Stream>> TlsTransport::Engine::Accept(
    absl::Time deadline) {
  MutexLock lock(&mutex_);
  while (true) {
    if (shut_down_) return ShutDown();
    if (!accepted_.empty()) {
      std::unique_ptr<Stream> stream = std::move(accepted_.front().stream);
      accepted_.pop_front();
      return stream;
    }
    const absl::Time now = Now();
    if (now >= deadline) {
      return absl::DeadlineExceededError("no peer opened a stream in time");
    }
    came_.WaitFor(&mutex_, deadline - now);
  }
}

absl::StatusOr<PairingConnection> TlsTransport::Engine::AcceptPairing(
    absl::Time deadline) {
  MutexLock lock(&mutex_);
  while (true) {
    if (shut_down_) return ShutDown();
    if (pairing_.has_value()) {
      PairingConnection connection = *std::move(pairing_);
      pairing_.reset();
      return connection;
    }
    const absl::Time now = Now();
    if (now >= deadline) {
      return absl::DeadlineExceededError("nobody came to pair in time");
    }
    changed_.WaitFor(&mutex_, deadline - now);
  }
}

// ---- Whom we connect to.

absl::Status TlsTransport::Engine::Await(Request& request,
                                         absl::Time deadline) {
  MutexLock lock(&request.mutex);
  while (!request.done) {
    const absl::Time now = Now();
    if (now >= deadline) {
      request.given_up = true;
      return absl::DeadlineExceededError(
          "the peer was not reached in time; `tactus status` says what is "
          "tried");
    }
    request.changed.WaitFor(&request.mutex, deadline - now);
  }
  return Unshared(request.status);
}

absl::StatusOr<std::unique_ptr<Stream>> TlsTransport::Engine::Open(
    const DeviceId& peer, const StreamHeader& header, absl::Time deadline) {
  absl::StatusOr<std::string> bytes = EncodeStreamHeader(header);
  if (!bytes.ok()) return bytes.status();
  if (!peers_.FindById(peer).has_value()) {
    return absl::NotFoundError(absl::StrCat(
        peer.text(),
        " is not paired with this device: `tactus pair` pairs it"));
  }
  size_t unanswered = 0;
  if (const auto warm = TakeWarm(peer, &unanswered)) {
    // Once the header is on its way: to wake a thread before would delay it,
    // and one that still watches when the peer answers is woken in vain.
    return std::make_unique<TlsStream>(
        warm->link->channel, header, *std::move(bytes), unanswered,
        [this, peer, warm] {
          asio::post(io_, [this, peer, warm] { LetGo(peer, warm); });
        });
  }
  const auto request = std::make_shared<Request>();
  {
    MutexLock lock(&mutex_);
    if (shut_down_) return ShutDown();
    asio::post(io_, [this, peer, request] { Ask(peer, request); });
  }
  if (absl::Status got = Await(*request, deadline); !got.ok()) return got;
  std::shared_ptr<Channel> channel;
  {
    MutexLock lock(&request->mutex);
    channel = std::move(request->channel);
    unanswered = request->unanswered;
  }
  return std::make_unique<TlsStream>(std::move(channel), header,
                                     *std::move(bytes), unanswered);
}

std::shared_ptr<Pool> TlsTransport::Engine::PoolOf(const DeviceId& peer) {
  std::shared_ptr<Pool>& pool = pools_[peer];
  if (pool == nullptr) {
    pool = std::make_shared<Pool>(io_, peer,
                                  Backoff(options_.backoff, options_.random));
  }
  return pool;
}

void TlsTransport::Engine::Ask(const DeviceId& peer,
                               const std::shared_ptr<Request>& request) {
  // Forgotten since Open looked.
  if (!peers_.FindById(peer).has_value()) {
    request->Answer(absl::CancelledError("the peer was forgotten"), nullptr, 0);
    return;
  }
  const std::shared_ptr<Pool> pool = PoolOf(peer);
  pool->keep = options_.warm > 0;
  // Made since Open looked.
  size_t unanswered = 0;
  if (const auto warm = TakeWarm(peer, &unanswered)) {
    LetGo(peer, warm);
    request->Answer(absl::OkStatus(), warm->link->channel, unanswered);
    return;
  }
  pool->requests.push_back(request);
  Top(pool);
}

std::shared_ptr<Warm> TlsTransport::Engine::TakeWarm(const DeviceId& peer,
                                                     size_t* unanswered) {
  const absl::Duration slept = options_.slept();
  while (true) {
    std::shared_ptr<Warm> warm;
    {
      MutexLock lock(&mutex_);
      const auto found = warm_.find(peer);
      if (found == warm_.end() || found->second.empty()) return nullptr;
      warm = std::move(found->second.front());
      found->second.pop_front();
      if (!RegisterLocked(peer, warm->link->channel, SIZE_MAX)) return nullptr;
    }
    *unanswered = warm->Take();
    const std::shared_ptr<Channel>& channel = warm->link->channel;
    if (slept - warm->slept > kSlept) {
      channel->Cut(absl::UnavailableError("this machine slept"));
    }
    // One that is cut ends the watch over it by that.
    if (channel->status().ok()) return warm;
  }
}

size_t TlsTransport::Engine::WarmCount(const DeviceId& peer) {
  MutexLock lock(&mutex_);
  const auto found = warm_.find(peer);
  return found == warm_.end() ? 0 : found->second.size();
}

void TlsTransport::Engine::LetGo(const DeviceId& peer,
                                 const std::shared_ptr<Warm>& warm) {
  warm->link->Release();
  const auto found = pools_.find(peer);
  if (found != pools_.end()) TopLater(found->second, kRefill);
}

void TlsTransport::Engine::Top(const std::shared_ptr<Pool>& pool) {
  if (pool->dropped) return;
  const auto dial = [&] {
    ++pool->dialing;
    asio::co_spawn(io_, Dial(pool), asio::detached);
  };
  // Who waits is dialed for at once; what is for later waits its turn.
  while (pool->dialing < std::min(pool->requests.size(), kMostDialing)) dial();
  if (!pool->keep) return;
  // An attempt may fail before it returns (no address, no network), and then
  // waits for the next: asked each time, or this would never end.
  while (!pool->waiting && pool->dialing < kMostDialing &&
         WarmCount(pool->id) + pool->dialing <
             pool->requests.size() + options_.warm) {
    dial();
  }
}

void TlsTransport::Engine::TopLater(const std::shared_ptr<Pool>& pool,
                                    absl::Duration wait) {
  if (pool->dropped || pool->waiting) return;
  pool->waiting = true;
  pool->retry.expires_after(absl::ToChronoNanoseconds(wait));
  pool->retry.async_wait([this, pool](error_code error) {
    if (error) return;
    pool->waiting = false;
    Top(pool);
  });
}

asio::awaitable<void> TlsTransport::Engine::Dial(std::shared_ptr<Pool> pool) {
  const std::optional<PinnedPeer> peer = peers_.FindById(pool->id);
  auto race = std::make_shared<Race>(io_);
  absl::Status done =
      absl::NotFoundError("the peer is not paired with this device any more");
  if (peer.has_value() && peer->addresses.empty()) {
    done = absl::UnavailableError(
        absl::StrCat("no address of ", peer->name,
                     " is known: give one, or open a stream "
                     "from there"));
  } else if (peer.has_value()) {
    std::vector<std::string> addresses = peer->addresses;
    // What answered last answers first, most likely.
    const auto last = std::find(addresses.begin(), addresses.end(), pool->path);
    if (last != addresses.end()) std::rotate(addresses.begin(), last, last + 1);
    done = co_await RunRace(race, addresses, peer->key);
  }
  --pool->dialing;
  if (pool->dropped) co_return;
  if (!done.ok()) {
    pool->trouble = done;
    pool->failing = true;
    // Each try was for somebody; the others have tries of their own.
    while (pool->requests.size() > pool->dialing) {
      pool->requests.front()->Answer(done, nullptr, 0);
      pool->requests.pop_front();
    }
    if (pool->keep) TopLater(pool, pool->backoff.Next());
    co_return;
  }
  pool->trouble = absl::OkStatus();
  pool->path = race->path;
  if (pool->failing) {
    // It is back: what was to be tried much later is of use now.
    pool->failing = false;
    pool->backoff.Reset();
    pool->retry.cancel();
    pool->waiting = false;
  }
  const std::shared_ptr<Link> link = race->winner;
  while (!pool->requests.empty()) {
    const std::shared_ptr<Request> request = pool->requests.front();
    pool->requests.pop_front();
    link->Release();
    if (!Register(pool->id, link->channel, SIZE_MAX)) co_return;
    if (request->Answer(absl::OkStatus(), link->channel, 0)) {
      TopLater(pool, kRefill);
      co_return;
    }
  }
  if (link->released || !pool->keep) {
    Top(pool);
    co_return;
  }
  const auto warm = std::make_shared<Warm>(link, options_.slept());
  {
    MutexLock lock(&mutex_);
    warm_[pool->id].push_back(warm);
  }
  Top(pool);
  co_await Watch(pool, warm);
}

// Until the connection is taken, or dead.
asio::awaitable<void> TlsTransport::Engine::Watch(std::shared_ptr<Pool> pool,
                                                  std::shared_ptr<Warm> warm) {
  absl::Status end;
  while (end.ok()) {
    const bool asked = warm->asked();
    const absl::Time deadline =
        Now() + (asked ? options_.socket.patience : options_.socket.idle);
    absl::StatusOr<Channel::Want> heard = warm->TryHear();
    while (heard.ok() && *heard != Channel::Want::kNothing) {
      const absl::Status ready = co_await warm->link->Wait(*heard, deadline);
      heard = ready.ok() ? warm->TryHear() : ready;
    }
    if (heard.ok()) {
      // It lasts. Before this a peer that takes connections and drops them is
      // tried less and less often.
      pool->backoff.Reset();
    } else if (absl::IsDeadlineExceeded(heard.status()) && !asked) {
      end = warm->Probe();
    } else {
      end = heard.status();
    }
  }
  if (!warm->GiveUp(absl::UnavailableError("the connection is dead")))
    co_return;
  {
    MutexLock lock(&mutex_);
    auto& all = warm_[pool->id];
    const auto at = std::find(all.begin(), all.end(), warm);
    // Dropped, or about to be taken.
    if (at == all.end()) co_return;
    all.erase(at);
  }
  pool->trouble = end;
  TopLater(pool, pool->backoff.Next());
}

asio::awaitable<absl::StatusOr<std::vector<Endpoint>>>
TlsTransport::Engine::ResolveAll(std::vector<std::string> addresses) {
  // What the thread that asks leaves here; nobody may be left to read it.
  struct Answer {
    Mutex mutex;
    std::optional<absl::StatusOr<std::vector<Endpoint>>> endpoints
        ABSL_GUARDED_BY(mutex);
  };
  static std::atomic<int> resolving = 0;
  std::vector<Endpoint> all;
  absl::Status trouble;
  const absl::Time deadline = Now() + options_.patience;
  for (const std::string& address : addresses) {
    const absl::StatusOr<HostPort> where = ParseHostPort(address);
    if (!where.ok()) {
      trouble = where.status();
      continue;
    }
    std::vector<Endpoint> endpoints = NumericEndpoints(*where);
    all.insert(all.end(), endpoints.begin(), endpoints.end());
    if (!endpoints.empty()) continue;
    // getaddrinfo cannot be told to stop, so it is left behind when too slow.
    auto answer = std::make_shared<Answer>();
    bool asked = false;
    while (Now() < deadline) {
      if (!asked && resolving < kMostResolving) {
        ++resolving;
        absl::StatusOr<std::thread> resolver =
            StartThread([answer, where = *where] {
              absl::StatusOr<std::vector<Endpoint>> found = Resolve(where);
              --resolving;
              MutexLock lock(&answer->mutex);
              answer->endpoints = std::move(found);
            });
        asked = resolver.ok();
        if (asked) {
          resolver->detach();
        } else {
          // There may be one by and by.
          --resolving;
        }
      }
      co_await Sleep(kResolvePoll);
      MutexLock lock(&answer->mutex);
      if (!answer->endpoints.has_value()) continue;
      if (answer->endpoints->ok()) {
        all.insert(all.end(), (*answer->endpoints)->begin(),
                   (*answer->endpoints)->end());
      } else {
        trouble = answer->endpoints->status();
      }
      break;
    }
  }
  if (!all.empty()) co_return all;
  if (!trouble.ok()) co_return trouble;
  co_return absl::UnavailableError("the peer's name was not found in time");
}

asio::awaitable<absl::Status> TlsTransport::Engine::RunRace(
    std::shared_ptr<Race> race, std::vector<std::string> addresses,
    std::optional<KeyDigest> key) {
  const absl::StatusOr<std::vector<Endpoint>> endpoints =
      co_await ResolveAll(std::move(addresses));
  if (!endpoints.ok()) co_return endpoints.status();
  error_code ignored;
  for (const Endpoint& endpoint : *endpoints) {
    const size_t before = ++race->running;
    asio::co_spawn(io_, Try(race, endpoint, key), asio::detached);
    if (race->winner != nullptr) break;
    // Failed already.
    if (race->running < before) continue;
    race->wake.expires_after(absl::ToChronoNanoseconds(kStagger));
    co_await race->wake.async_wait(
        asio::redirect_error(asio::use_awaitable, ignored));
    if (race->winner != nullptr) break;
  }
  while (race->winner == nullptr && race->running > 0) {
    // Each try has a deadline of its own and wakes us.
    race->wake.expires_after(std::chrono::hours(1));
    co_await race->wake.async_wait(
        asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (race->winner != nullptr) co_return absl::OkStatus();
  co_return race->trouble;
}

asio::awaitable<void> TlsTransport::Engine::Try(std::shared_ptr<Race> race,
                                                Endpoint endpoint,
                                                std::optional<KeyDigest> key) {
  const absl::StatusOr<std::shared_ptr<Link>> link =
      co_await TryOne(endpoint, key);
  --race->running;
  if (!link.ok()) {
    Worsen(&race->trouble, absl::Status(link.status().code(),
                                        absl::StrCat(endpoint.Text(), ": ",
                                                     link.status().message())));
  } else if (race->winner == nullptr) {
    race->winner = *link;
    race->path = endpoint.Text();
  }
  race->wake.cancel();
}

asio::awaitable<absl::StatusOr<std::shared_ptr<Link>>>
TlsTransport::Engine::TryOne(Endpoint endpoint, std::optional<KeyDigest> key) {
  absl::StatusOr<SslPtr> ssl = key.has_value() ? context_->NewClient(*key)
                                               : context_->NewPairingClient();
  if (!ssl.ok()) co_return ssl.status();
  const absl::StatusOr<int> fd = ConnectSocket(endpoint, options_.socket);
  if (!fd.ok()) co_return fd.status();
  auto link = std::make_shared<Link>(
      io_, std::make_shared<Channel>(context_, *std::move(ssl), *fd));
  const absl::Time deadline = Now() + options_.patience;
  absl::Status done = co_await link->Wait(Channel::Want::kWrite, deadline);
  if (done.ok()) done = ConnectResult(*fd);
  if (done.ok()) done = co_await link->Handshake(deadline);
  if (done.ok()) {
    // In TLS 1.3 this side is done before the other has judged it.
    const absl::StatusOr<char> welcome = co_await link->ReadByte(deadline);
    done = welcome.status();
    if (done.ok() && *welcome != kWelcome) {
      done = absl::DataLossError("the peer greets in an unknown way");
    }
  }
  if (absl::IsDeadlineExceeded(done)) {
    co_return absl::UnavailableError("nothing answers there");
  }
  if (!done.ok()) co_return done;
  co_return link;
}

absl::StatusOr<PairingConnection> TlsTransport::Engine::OpenPairing(
    const std::string& address, absl::Time deadline) {
  const absl::StatusOr<HostPort> where = ParseHostPort(address);
  if (!where.ok()) return where.status();
  const auto request = std::make_shared<Request>();
  {
    MutexLock lock(&mutex_);
    if (shut_down_) return ShutDown();
    asio::post(io_, [this, where = *where, request] {
      asio::co_spawn(io_, DialToPair(where, request), asio::detached);
    });
  }
  if (absl::Status got = Await(*request, deadline); !got.ok()) return got;
  MutexLock lock(&request->mutex);
  const absl::StatusOr<std::string> binding =
      request->channel->Export(kPairingExport, kPairingExportSize);
  if (!binding.ok()) return binding.status();
  return PairingConnection{
      .stream = std::make_unique<TlsStream>(
          request->channel, StreamHeader{.kind = StreamKind::kControl}, "", 0),
      .own_key = own_key_,
      .peer_key = request->channel->peer(),
      .binding = *binding,
      .peer_host = PeerHost(request->channel->fd())};
}

asio::awaitable<void> TlsTransport::Engine::DialToPair(
    HostPort where, std::shared_ptr<Request> request) {
  auto race = std::make_shared<Race>(io_);
  const std::string address =
      where.host.find(':') == std::string::npos
          ? absl::StrCat(where.host, ":", where.port)
          : absl::StrCat("[", where.host, "]:", where.port);
  const absl::Status done =
      co_await RunRace(race, std::vector<std::string>{address}, std::nullopt);
  if (!done.ok()) {
    request->Answer(done, nullptr, 0);
    co_return;
  }
  race->winner->Release();
  const std::shared_ptr<Channel> channel = race->winner->channel;
  if (Register(DeviceId(channel->peer()), channel, SIZE_MAX)) {
    request->Answer(absl::OkStatus(), channel, 0);
  } else {
    request->Answer(ShutDown(), nullptr, 0);
  }
}

// ---- What changes.

void TlsTransport::Engine::DropWarm(const DeviceId& peer,
                                    const absl::Status& why) {
  std::deque<std::shared_ptr<Warm>> dropped;
  {
    MutexLock lock(&mutex_);
    const auto found = warm_.find(peer);
    if (found == warm_.end()) return;
    dropped = std::move(found->second);
    warm_.erase(found);
  }
  for (const std::shared_ptr<Warm>& warm : dropped) {
    warm->link->Release();
    warm->link->channel->Cut(why);
  }
}

void TlsTransport::Engine::KeepWarm(const DeviceId& peer) {
  OnThread([&] {
    if (!peers_.FindById(peer).has_value()) return;
    const std::shared_ptr<Pool> pool = PoolOf(peer);
    pool->keep = options_.warm > 0;
    Top(pool);
  });
}

void TlsTransport::Engine::NetworkChanged() {
  OnThread([&] {
    for (auto& [peer, pool] : pools_) {
      DropWarm(peer, absl::UnavailableError("the network changed"));
      pool->backoff.Reset();
      pool->retry.cancel();
      pool->waiting = false;
      Top(pool);
    }
  });
}

void TlsTransport::Engine::DropPool(const DeviceId& peer) {
  const auto found = pools_.find(peer);
  if (found == pools_.end()) return;
  const std::shared_ptr<Pool> pool = found->second;
  pools_.erase(found);
  const absl::Status forgotten = absl::CancelledError("the peer was forgotten");
  pool->dropped = true;
  pool->retry.cancel();
  DropWarm(peer, forgotten);
  for (const auto& request : pool->requests) {
    request->Answer(forgotten, nullptr, 0);
  }
  pool->requests.clear();
}

void TlsTransport::Engine::Forget(const DeviceId& peer) {
  const absl::Status forgotten = absl::CancelledError("the peer was forgotten");
  OnThread([&] {
    // Tickets of others go with it; they prove their keys once more.
    (void)context_->RotateTicketKeys();
    context_->ForgetSessions(peer);
    DropPool(peer);
    const auto idle = idle_.find(peer);
    if (idle != idle_.end()) {
      for (const auto& link : idle->second) link->Abort(forgotten);
    }
    // Who has shaken hands and is not welcomed yet.
    for (const auto& one : handshakes_) {
      const std::shared_ptr<Link> link = one.lock();
      if (link != nullptr && DeviceId(link->channel->peer()) == peer) {
        link->Abort(forgotten);
      }
    }
    std::deque<Waiting> dropped;
    MutexLock lock(&mutex_);
    std::deque<Waiting> kept;
    for (Waiting& one : accepted_) {
      (one.peer == peer ? dropped : kept).push_back(std::move(one));
    }
    accepted_ = std::move(kept);
    const auto found = streams_.find(peer);
    if (found == streams_.end()) return;
    for (const auto& one : found->second) {
      if (const auto channel = one.lock()) channel->Cut(forgotten);
    }
    streams_.erase(found);
  });
}

std::vector<TlsPeerStatus> TlsTransport::Engine::PeerStatus() {
  std::map<DeviceId, TlsPeerStatus> all;
  OnThread([&] {
    for (const auto& [peer, pool] : pools_) {
      TlsPeerStatus& status = all[peer];
      status.path = pool->path;
      status.trouble = Unshared(pool->trouble);
    }
    for (const auto& [peer, links] : idle_) all[peer];
    MutexLock lock(&mutex_);
    for (const auto& [peer, connections] : warm_) {
      if (connections.empty()) continue;
      all[peer].warm = connections.size();
      all[peer].round_trip =
          RoundTrip(connections.front()->link->channel->fd());
    }
    for (auto& [peer, channels] : streams_) {
      channels.remove_if([](const auto& one) { return one.expired(); });
      if (channels.empty()) continue;
      all[peer].streams = channels.size();
      if (all[peer].round_trip > absl::ZeroDuration()) continue;
      if (const auto channel = channels.front().lock()) {
        all[peer].round_trip = RoundTrip(channel->fd());
      }
    }
  });
  std::vector<TlsPeerStatus> list;
  for (auto& [peer, status] : all) {
    status.id = peer;
    list.push_back(std::move(status));
  }
  return list;
}

// ---- The transport.

TlsTransport::TlsTransport(std::unique_ptr<Engine> engine)
    : engine_(std::move(engine)) {}

TlsTransport::~TlsTransport() = default;

absl::StatusOr<std::unique_ptr<TlsTransport>> TlsTransport::Create(
    const Identity& identity, const PinnedPeers& peers, TlsOptions options) {
  absl::StatusOr<std::unique_ptr<TlsContext>> context =
      TlsContext::Create(identity, [&peers](const KeyDigest& key) {
        return peers.FindByKey(key).has_value();
      });
  if (!context.ok()) return context.status();
  auto engine = std::make_unique<Engine>(*std::move(context), identity.digest(),
                                         peers, std::move(options));
  if (absl::Status started = engine->Start(); !started.ok()) return started;
  return std::unique_ptr<TlsTransport>(new TlsTransport(std::move(engine)));
}

absl::StatusOr<std::string> TlsTransport::Listen(const std::string& address) {
  return engine_->Listen(address);
}
void TlsTransport::KeepWarm(const DeviceId& peer) { engine_->KeepWarm(peer); }
void TlsTransport::NetworkChanged() { engine_->NetworkChanged(); }
std::vector<TlsPeerStatus> TlsTransport::PeerStatus() const {
  return engine_->PeerStatus();
}
size_t TlsTransport::refused() const { return engine_->refused(); }
void TlsTransport::AllowPairing(bool allow) { engine_->AllowPairing(allow); }
absl::StatusOr<PairingConnection> TlsTransport::AcceptPairing(
    absl::Time deadline) {
  return engine_->AcceptPairing(deadline);
}
absl::StatusOr<PairingConnection> TlsTransport::OpenPairing(
    const std::string& address, absl::Time deadline) {
  return engine_->OpenPairing(address, deadline);
}
absl::StatusOr<std::unique_ptr<Stream>> TlsTransport::Open(
    const DeviceId& peer, const StreamHeader& header, absl::Time deadline) {
  return engine_->Open(peer, header, deadline);
}
absl::StatusOr<std::unique_ptr<Stream>> TlsTransport::Accept(
    absl::Time deadline) {
  return engine_->Accept(deadline);
}
void TlsTransport::Forget(const DeviceId& peer) { engine_->Forget(peer); }
void TlsTransport::Shutdown() { engine_->Shutdown(); }

}  // namespace tactus::transfer
