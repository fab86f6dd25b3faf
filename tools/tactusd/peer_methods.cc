#include "tools/tactusd/peer_methods.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "tools/config/config.h"
#include "tools/control/json_rpc.h"
#include "tools/control/params.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/nearby.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/threads.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/name.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/offer.h"
#include "transfer/pairing/pairing.h"
#include "transfer/stream/stream.h"
#include "transfer/tls/transport.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using boost::json::object;
using control::Error;
using control::Params;
using control::Quoted;
using transfer::DeviceId;
using transfer::IsName;
using transfer::IsNameByte;
using transfer::kLongestName;
using transfer::PairingCode;
using transfer::PairingConnection;
using transfer::PairingPeer;
using transfer::PairingResult;
using transfer::PinnedPeer;

constexpr char kSayWhere[] =
    "say where the other device is: --at HOST:PORT, as it shows it beside the "
    "code";

// An offer looks so often whether it is wanted still.
constexpr absl::Duration kLook = absl::Milliseconds(250);

absl::Time Now() { return transfer::Clock::Real().Now(); }

std::string JsonList(const std::vector<std::string>& texts) {
  return absl::StrCat("[",
                      absl::StrJoin(texts, ",",
                                    [](std::string* out, const auto& text) {
                                      out->append(Quoted(text));
                                    }),
                      "]");
}

absl::string_view FilesName(config::PeerPolicy::Files files) {
  switch (files) {
    case config::PeerPolicy::Files::kAccept:
      return "accept";
    case config::PeerPolicy::Files::kRefuse:
      return "refuse";
    case config::PeerPolicy::Files::kAsk:
      break;
  }
  return "ask";
}

uint16_t PortOf(const std::vector<std::string>& listening) {
  int port = 0;
  if (listening.empty()) return 0;
  const std::string& first = listening.front();
  if (!absl::SimpleAtoi(first.substr(first.rfind(':') + 1), &port)) return 0;
  return static_cast<uint16_t>(port);
}

// The list of peers, as a pairing sees it.
class PeerList : public transfer::PairingStore {
 public:
  // `name` is what the peer is to be called here; empty: what it calls itself.
  // `at` is where it was reached; empty: it came by itself.
  PeerList(Peers* peers, std::string name, std::string at)
      : peers_(*peers), name_(std::move(name)), at_(std::move(at)) {}

  std::string NameOf(const PairingPeer& peer) const {
    const auto known = peers_.pinned().FindByKey(peer.key);
    // It was paired before, and proves once more that it is the one.
    if (known.has_value()) return known->name;
    return name_.empty() ? peer.name : name_;
  }

  absl::Status Check(const PairingPeer& peer) override {
    if (peer.key == peers_.identity().digest()) {
      return absl::FailedPreconditionError(
          "this is the same device: a copy of its key is there too. Remove "
          "identity.pem on one of them, and pair again");
    }
    if (peers_.pinned().FindByKey(peer.key).has_value()) {
      return absl::OkStatus();
    }
    const std::string name = NameOf(peer);
    for (const PinnedPeer& other : peers_.pinned().List()) {
      if (other.name != name) continue;
      return absl::AlreadyExistsError(absl::StrCat(
          name, " is the name of another device here, with another key (",
          other.id().text(),
          "). If it is the same device with a new key, run "
          "`tactus forget ",
          name,
          "` and pair again; if not, pair with "
          "--name and another name"));
    }
    return absl::OkStatus();
  }

  absl::Status Keep(const PairingPeer& peer) override {
    const std::vector<std::string> addresses = AddressesOf(peer);
    const auto known = peers_.pinned().FindByKey(peer.key);
    if (known.has_value()) {
      if (addresses.empty()) return absl::OkStatus();
      return peers_.pinned().SetAddresses(known->id(), addresses);
    }
    absl::Status added = peers_.pinned().Add(
        {.name = NameOf(peer), .key = peer.key, .addresses = addresses});
    added_ = added.ok();
    return added;
  }

  void Drop(const PairingPeer& peer) override {
    // One that was there before stays: it was not paired by this.
    if (added_) (void)peers_.Forget(DeviceId(peer.key).text());
  }

 private:
  std::vector<std::string> AddressesOf(const PairingPeer& peer) const {
    if (!at_.empty()) return {at_};
    if (peer.port == 0 || peer.host.empty()) return {};
    return {absl::StrCat(peer.host, ":", peer.port)};
  }

  Peers& peers_;
  const std::string name_;
  const std::string at_;
  bool added_ = false;
};

// What both sides of a pairing end with.
Reply Paired(Peers& peers, const PeerList& list, const PairingResult& result,
             const std::function<void(const std::string&)>& log) {
  if (!result.status.ok()) {
    log(absl::StrCat("a pairing failed: ",
                     absl::StatusCodeToString(result.status.code())));
    return NotDone(result.status);
  }
  const std::string name = list.NameOf(result.peer);
  const DeviceId id(result.peer.key);
  log(absl::StrCat("paired with ", name, ", ", id.text(),
                   result.confirmed ? "" : ", which has not confirmed it"));
  peers.transport().KeepWarm(id);
  return absl::StrCat(
      "{\"peer\":{\"name\":", Quoted(name), ",\"id\":", Quoted(id.text()),
      "},\"confirmed\":", result.confirmed ? "true" : "false", "}");
}

Error BadName() {
  return {control::Code::kBadParams,
          "\"name\" must be 1 to 64 of A-Z a-z 0-9 . _ -, and no dash first"};
}

// A connection that is being opened to pair. Of the transport only its deadline
// ends that, so another thread waits for it.
struct Opening {
  ax::Mutex mutex;
  ax::Condition changed;
  bool cancelled ABSL_GUARDED_BY(mutex) = false;
  std::optional<absl::StatusOr<PairingConnection>> result
      ABSL_GUARDED_BY(mutex);
};

}  // namespace

std::string DeviceName(absl::string_view host) {
  std::string name;
  for (const char c : host.substr(0, host.find('\0'))) {
    if (IsNameByte(c) && !(name.empty() && c == '-')) name.push_back(c);
  }
  name.resize(std::min(name.size(), kLongestName));
  return name.empty() ? "device" : name;
}

std::vector<std::string> ReachableAt(
    const std::vector<std::string>& listening) {
  std::vector<std::string> reachable;
  ifaddrs* all = nullptr;
  // Without a list of its own addresses what is listened on is all there is to
  // tell.
  if (getifaddrs(&all) != 0) return listening;
  const auto freed = absl::MakeCleanup([all] { freeifaddrs(all); });
  for (const std::string& address : listening) {
    const std::string port = address.substr(address.rfind(':'));
    const bool all4 = absl::StartsWith(address, "0.0.0.0:");
    const bool all6 = absl::StartsWith(address, "[::]:");
    if (!all4 && !all6) reachable.push_back(address);
    for (const ifaddrs* one = all; (all4 || all6) && one != nullptr;
         one = one->ifa_next) {
      if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0 ||
          (one->ifa_flags & IFF_LOOPBACK) != 0) {
        continue;
      }
      char text[INET6_ADDRSTRLEN];
      if (all4 && one->ifa_addr->sa_family == AF_INET) {
        const auto* in = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
        reachable.push_back(absl::StrCat(text, port));
      } else if (all6 && one->ifa_addr->sa_family == AF_INET6) {
        const auto* in = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
        // Of one link alone, and nobody types its zone.
        if (IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr)) continue;
        inet_ntop(AF_INET6, &in->sin6_addr, text, sizeof(text));
        reachable.push_back(absl::StrCat("[", text, "]", port));
      }
    }
  }
  // Shorter ones are typed sooner.
  std::sort(reachable.begin(), reachable.end(),
            [](const std::string& a, const std::string& b) {
              return a.size() != b.size() ? a.size() < b.size() : a < b;
            });
  return reachable;
}

PeerMethods::PeerMethods(Peers* peers, Approvals* approvals,
                         PeerMethodsOptions options)
    : peers_(*peers),
      approvals_(*approvals),
      options_(std::move(options)),
      openings_(kMostOpenings, Threads::OfTheSystem()) {}

void PeerMethods::Register(Methods& methods) {
  methods.AddLong("peers.offer", [this](const object& given, Session& session) {
    return Offer(given, session);
  });
  methods.AddLong("peers.pair", [this](const object& given, Session& session) {
    return Pair(given, session);
  });
  // It writes to the disk and waits for it.
  methods.AddLong("peers.forget", [this](const object& given, Session&) {
    return Forget(given);
  });
  methods.AddBrief("peers.list", [this](const object& given) -> Reply {
    Params params(given);
    if (std::optional<Error> error = params.End()) return *error;
    return absl::StrCat("{\"device\":", Device(), ",\"peers\":", List(), "}");
  });
  methods.AddBrief("approve",
                   [this](const object& given) { return Approve(given); });
  methods.AddStatus("device", [this] { return Device(); });
  methods.AddStatus("listening",
                    [this] { return JsonList(peers_.listening()); });
  methods.AddStatus("peers", [this] { return List(); });
  methods.AddStatus("waiting", [this] { return Waiting(); });
}

Reply PeerMethods::Offer(const object& given, Session& session) {
  Params params(given);
  std::string name;
  absl::Duration wait = kOffer;
  params.String("name", &name);
  params.Milliseconds("for_ms", kLongestOffer, &wait);
  if (std::optional<Error> error = params.End()) return *error;
  if (params.Has("name") && !IsName(name)) return BadName();
  if (offering_.exchange(true)) {
    return Error{control::Code::kBusy,
                 "an offer to pair is open already: use its code, or end it"};
  }
  const auto over = absl::MakeCleanup([this] {
    peers_.transport().AllowPairing(false);
    offering_ = false;
  });
  const absl::StatusOr<PairingCode> code = PairingCode::Generate();
  if (!code.ok()) return NotDone(code.status());
  const absl::StatusOr<std::vector<std::string>> listening = peers_.Listen();
  if (!listening.ok()) return NotDone(listening.status());
  peers_.transport().AllowPairing(true);
  options_.log("an offer to pair is open");
  const std::unique_ptr<Announcement> told = Announce(*listening);
  session.Tell(
      "peers.offered",
      absl::StrCat("{\"code\":", Quoted(code->text()),
                   ",\"at\":", JsonList(ReachableAt(*listening)),
                   ",\"for_ms\":", absl::ToInt64Milliseconds(wait),
                   ",\"announced\":", told == nullptr ? "false" : "true", "}"));
  PeerList list(&peers_, name, "");
  const PairingResult result = transfer::ServeOffer(
      *code, {.name = options_.device, .port = PortOf(*listening)}, list,
      [&](absl::Time until) -> absl::StatusOr<transfer::PairingConnection> {
        for (;;) {
          if (absl::Status wanted = session.status(); !wanted.ok()) {
            return wanted;
          }
          const absl::Time look = std::min(until, Now() + kLook);
          absl::StatusOr<transfer::PairingConnection> next =
              peers_.transport().AcceptPairing(look);
          if (!absl::IsDeadlineExceeded(next.status()) || look >= until) {
            return next;
          }
        }
      },
      transfer::Clock::Real(), {.deadline = Now() + wait});
  return Paired(peers_, list, result, options_.log);
}

std::unique_ptr<Announcement> PeerMethods::Announce(
    const std::vector<std::string>& listening) {
  if (options_.nearby == nullptr) return nullptr;
  for (const std::string& address : listening) {
    // Nobody else reaches these.
    if (absl::StartsWith(address, "127.") ||
        absl::StartsWith(address, "[::1]")) {
      continue;
    }
    absl::StatusOr<std::unique_ptr<Announcement>> told =
        options_.nearby->Announce(peers_.identity().id(), PortOf({address}));
    if (told.ok()) return *std::move(told);
    options_.log(absl::StrCat("nobody nearby is told of the offer: ",
                              told.status().message()));
    return nullptr;
  }
  return nullptr;
}

absl::StatusOr<NearbyDevice> PeerMethods::Find(absl::Time deadline,
                                               Session& session) {
  if (options_.nearby == nullptr) {
    return absl::InvalidArgumentError(kSayWhere);
  }
  absl::StatusOr<NearbyDevice> found = options_.nearby->Find(
      peers_.identity().id(), std::min(deadline, Now() + kFind),
      [&session] { return !session.status().ok(); });
  if (absl::Status going = session.status(); !going.ok()) return going;
  if (found.ok()) return found;
  return absl::Status(found.status().code(),
                      absl::StrCat(found.status().message(), ": ", kSayWhere));
}

absl::StatusOr<PairingConnection> PeerMethods::Connect(const std::string& at,
                                                       absl::Time deadline,
                                                       Session& session) {
  const auto opening = std::make_shared<Opening>();
  const bool started = openings_.Start([this, opening, at, deadline] {
    absl::StatusOr<PairingConnection> opened =
        peers_.transport().OpenPairing(at, deadline);
    MutexLock lock(&opening->mutex);
    // Who is not wanted any more is let go of below, without the lock.
    if (!opening->cancelled) opening->result = std::move(opened);
    opening->changed.NotifyAll();
  });
  if (!started) {
    return absl::ResourceExhaustedError(
        "too many others are being connected to: try again in ten seconds");
  }
  session.OnCancel([opening] {
    MutexLock lock(&opening->mutex);
    opening->cancelled = true;
    opening->changed.NotifyAll();
  });
  const auto heard =
      absl::MakeCleanup([&session] { session.OnCancel(nullptr); });
  MutexLock lock(&opening->mutex);
  while (!opening->result.has_value() && !opening->cancelled) {
    opening->changed.Wait(&opening->mutex);
  }
  if (!opening->result.has_value()) {
    return absl::CancelledError("it was cancelled while it connected");
  }
  return *std::move(opening->result);
}

Reply PeerMethods::Pair(const object& given, Session& session) {
  Params params(given);
  std::string typed;
  std::string at;
  std::string name;
  absl::Duration wait = kPair;
  if (!params.Has("code")) params.Wrong("code", "there");
  params.String("code", &typed);
  params.String("at", &at);
  params.String("name", &name);
  params.Milliseconds("deadline_ms", absl::Minutes(1), &wait);
  if (std::optional<Error> error = params.End()) return *error;
  if (params.Has("name") && !IsName(name)) return BadName();
  const absl::Time deadline = Now() + wait;
  const absl::StatusOr<PairingCode> code = PairingCode::Parse(typed);
  if (!code.ok()) return NotDone(code.status());
  std::vector<std::string> addresses = {at};
  std::optional<DeviceId> wanted;
  if (at.empty()) {
    absl::StatusOr<NearbyDevice> found = Find(deadline, session);
    if (!found.ok()) return NotDone(found.status());
    addresses = std::move(found->at);
    wanted = found->id;
  }
  // Before it says where it listens. That it cannot listen is no hindrance.
  const absl::StatusOr<std::vector<std::string>> listening = peers_.Listen();
  if (!listening.ok()) {
    options_.log(absl::StrCat("the peer will not be able to connect here: ",
                              listening.status().message()));
  }
  absl::StatusOr<PairingConnection> connection =
      absl::InternalError("there is no address");
  for (const std::string& address : addresses) {
    at = address;
    connection = Connect(at, deadline, session);
    if (absl::Status going = session.status(); !going.ok()) {
      return NotDone(going);
    }
    if (connection.ok()) break;
  }
  if (!connection.ok()) {
    return NotDone(absl::Status(connection.status().code(),
                                absl::StrCat("cannot pair at ", at, ": ",
                                             connection.status().message())));
  }
  // Its key is proved by now. It saves the code from who only took the address.
  if (wanted.has_value() && DeviceId(connection->peer_key) != *wanted) {
    return NotDone(absl::PermissionDeniedError(
        absl::StrCat("who answers at ", at, " is not the device ",
                     wanted->text(), " that was told of there: ", kSayWhere)));
  }
  transfer::Stream* const stream = connection->stream.get();
  session.OnCancel([stream] { stream->Cancel(); });
  PeerList list(&peers_, name, at);
  const PairingResult result = transfer::PairAsGuest(
      *connection, *code,
      {.name = options_.device,
       .port = listening.ok() ? PortOf(*listening) : uint16_t{0}},
      list, deadline);
  session.OnCancel(nullptr);
  return Paired(peers_, list, result, options_.log);
}

Reply PeerMethods::Forget(const object& given) {
  Params params(given);
  std::string peer;
  if (!params.Has("peer")) params.Wrong("peer", "there");
  params.String("peer", &peer);
  if (std::optional<Error> error = params.End()) return *error;
  const absl::StatusOr<PinnedPeer> forgotten = peers_.Forget(peer);
  if (!forgotten.ok()) return NotDone(forgotten.status());
  options_.log(
      absl::StrCat("forgot ", forgotten->name, ", ", forgotten->id().text()));
  return absl::StrCat("{\"name\":", Quoted(forgotten->name),
                      ",\"id\":", Quoted(forgotten->id().text()), "}");
}

Reply PeerMethods::Approve(const object& given) {
  Params params(given);
  int64_t id = 0;
  bool approved = true;
  if (!params.Has("id")) params.Wrong("id", "there");
  params.Number("id", 1, INT64_MAX, &id);
  params.Flag("approved", &approved);
  if (std::optional<Error> error = params.End()) return *error;
  if (absl::Status answered = approvals_.Answer(id, approved); !answered.ok()) {
    return NotDone(answered);
  }
  return absl::StrCat("{\"approved\":", approved ? "true" : "false", "}");
}

std::string PeerMethods::Device() const {
  return absl::StrCat("{\"name\":", Quoted(options_.device),
                      ",\"id\":", Quoted(peers_.identity().id().text()), "}");
}

std::string PeerMethods::List() const {
  const std::vector<PinnedPeer> all = peers_.pinned().List();
  // Whoever connects to the daemon asks for this first: the transport is not
  // kept busy with it where there is nothing to tell.
  if (all.empty()) return "[]";
  std::map<DeviceId, transfer::TlsPeerStatus> connected;
  for (transfer::TlsPeerStatus& status : peers_.transport().PeerStatus()) {
    connected[status.id] = std::move(status);
  }
  std::vector<std::string> rows;
  for (const PinnedPeer& peer : all) {
    const transfer::TlsPeerStatus& status = connected[peer.id()];
    // None is measured where none is open.
    const bool measured = status.round_trip > absl::ZeroDuration();
    rows.push_back(absl::StrCat(
        "{\"name\":", Quoted(peer.name), ",\"id\":", Quoted(peer.id().text()),
        ",\"addresses\":", JsonList(peer.addresses), ",\"files\":",
        Quoted(FilesName(config::PolicyOf(*options_.config, peer.name).files)),
        ",\"path\":", status.path.empty() ? "null" : Quoted(status.path),
        ",\"round_trip_us\":",
        measured ? absl::StrCat(absl::ToInt64Microseconds(status.round_trip))
                 : "null",
        ",\"warm\":", status.warm, ",\"streams\":", status.streams,
        ",\"trouble\":", control::StatusJson(status.trouble), "}"));
  }
  return absl::StrCat("[", absl::StrJoin(rows, ","), "]");
}

std::string PeerMethods::Waiting() const {
  std::vector<std::string> rows;
  for (const WaitingQuestion& one : approvals_.Waiting()) {
    rows.push_back(absl::StrCat(
        "{\"id\":", one.id, ",\"peer\":", Quoted(one.question.peer),
        ",\"kind\":", Quoted(one.question.kind),
        ",\"text\":", Quoted(one.question.text),
        ",\"left_ms\":", absl::ToInt64Milliseconds(one.left), "}"));
  }
  return absl::StrCat("[", absl::StrJoin(rows, ","), "]");
}

}  // namespace tactus::daemon
