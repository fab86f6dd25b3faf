// Two network namespaces and a link between them that a test can break: see
// usage(), and netns.py, which is how Python uses it.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tools/netns/delay_line.h"

namespace tactus::netns {
namespace {

constexpr int kEnded = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kNotAllowed = 3;

constexpr char kHelp[] =
    R"(usage: link [--delay-ms N] [--loss-permille N] [--seed N]

Makes two network namespaces, each with a loopback of its own and one end of a
link between them, and carries the packets of that link: a TUN device is in each,
and this process is the wire. When both are there it prints one line of JSON:

  {"a":{"address":"192.0.2.1","address6":"2001:db8::1","enter":["nsenter",...]},
   "b":{...}}

A program runs in one of them when the words of "enter" stand before its command.
"address6" is empty where the kernel has no IPv6. Packets have at most 1500 bytes.

Lines on standard input change the link, each answered by a line of JSON:

  delay N   each packet takes N milliseconds more, each way; 0 to 1000
  loss N    N of 1000 packets are lost, each way
  cut       nothing comes through, and nobody is told
  join      the link is whole again
  counts    {"a_to_b":{"carried":..,"bytes":..,"lost":..,"cut":..,"full":..},..}

It ends when its standard input does, or on SIGTERM, and the link with it. A
namespace goes when the last process in it has ended: end what you started there.
Nothing outside of both is changed. It needs root, or a kernel that gives user
namespaces and a /dev/net/tun that this user may open.

Exit codes: 0 ended as asked; 1 failed; 2 usage; 3 namespaces are not allowed
here: the message says what was refused.
)";

// The longest that a packet of 1500 bytes can be, and to spare.
constexpr size_t kPacket = 2048;
// Packets of one direction before the other has its turn.
constexpr int kBatch = 64;
// A command is a word and a number.
constexpr size_t kLine = 256;

struct Side {
  const char* name;
  const char* address;
  const char* address6;
  int ns = -1;
  int tun = -1;
  bool has6 = false;
};

absl::Status Errno(absl::string_view what) {
  return absl::ErrnoToStatus(errno, what);
}

absl::Status WriteFile(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return Errno(path);
  const ssize_t written = write(fd, text.data(), text.size());
  const absl::Status status = written == static_cast<ssize_t>(text.size())
                                  ? absl::OkStatus()
                                  : Errno(path);
  close(fd);
  return status;
}

// In a user namespace of its own whoever starts this is root.
absl::Status BecomeRoot() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return Errno("no user namespace");
  if (absl::Status s = WriteFile("/proc/self/setgroups", "deny"); !s.ok()) {
    return s;
  }
  if (absl::Status s =
          WriteFile("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1"));
      !s.ok()) {
    return s;
  }
  return WriteFile("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1"));
}

absl::Status BringUp(int control, const char* device) {
  ifreq request = {};
  snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
  if (ioctl(control, SIOCGIFFLAGS, &request) != 0) return Errno(device);
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (ioctl(control, SIOCSIFFLAGS, &request) != 0) return Errno(device);
  return absl::OkStatus();
}

// A /30 and a /64: the other end is on the link, and nothing else is anywhere.
absl::Status Address(int control, const char* device, Side* side) {
  ifreq request = {};
  snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, side->address, &address.sin_addr);
  memcpy(&request.ifr_addr, &address, sizeof(address));
  if (ioctl(control, SIOCSIFADDR, &request) != 0) return Errno("an address");
  inet_pton(AF_INET, "255.255.255.252", &address.sin_addr);
  memcpy(&request.ifr_netmask, &address, sizeof(address));
  if (ioctl(control, SIOCSIFNETMASK, &request) != 0) return Errno("a netmask");
  if (absl::Status s = BringUp(control, device); !s.ok()) return s;
  // A kernel without IPv6 is no failure.
  const int control6 = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control6 < 0) return absl::OkStatus();
  in6_ifreq request6 = {};
  if (ioctl(control, SIOCGIFINDEX, &request) == 0) {
    inet_pton(AF_INET6, side->address6, &request6.ifr6_addr);
    request6.ifr6_prefixlen = 64;
    request6.ifr6_ifindex = request.ifr_ifindex;
    side->has6 = ioctl(control6, SIOCSIFADDR, &request6) == 0;
  }
  close(control6);
  return absl::OkStatus();
}

// A new namespace, which this process then is in, and its end of the link.
absl::Status Make(Side* side) {
  if (unshare(CLONE_NEWNET) != 0) return Errno("no network namespace");
  side->ns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  if (side->ns < 0) return Errno("/proc/self/ns/net");
  side->tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (side->tun < 0) return Errno("/dev/net/tun");
  ifreq request = {};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  snprintf(request.ifr_name, sizeof(request.ifr_name), "link0");
  if (ioctl(side->tun, TUNSETIFF, &request) != 0) return Errno("a TUN device");
  const int control = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (control < 0) return Errno("a socket");
  absl::Status status = BringUp(control, "lo");
  if (status.ok()) status = Address(control, "link0", side);
  close(control);
  return status;
}

std::string Describe(const Side& side, bool user_namespace) {
  std::string enter = "\"nsenter\"";
  if (user_namespace) {
    absl::StrAppend(&enter, ",\"--user=/proc/", getpid(),
                    "/ns/user\",\"--preserve-credentials\"");
  }
  absl::StrAppend(&enter, ",\"--net=/proc/", getpid(), "/fd/", side.ns,
                  "\",\"--\"");
  return absl::StrCat("\"", side.name, "\":{\"address\":\"", side.address,
                      "\",\"address6\":\"", side.has6 ? side.address6 : "",
                      "\",\"enter\":[", enter, "]}");
}

std::string Describe(absl::string_view name, const DelayLine::Counts& counts) {
  return absl::StrCat("\"", name, "\":{\"carried\":", counts.carried,
                      ",\"bytes\":", counts.bytes, ",\"lost\":", counts.lost,
                      ",\"cut\":", counts.cut, ",\"full\":", counts.full, "}");
}

bool Say(const std::string& line) {
  const std::string whole = absl::StrCat(line, "\n");
  return write(STDOUT_FILENO, whole.data(), whole.size()) ==
         static_cast<ssize_t>(whole.size());
}

class Link {
 public:
  Link(const std::array<Side, 2>& sides, const LinkOptions& options)
      : sides_(sides), lines_{DelayLine(options), DelayLine(Other(options))} {}

  // Until standard input ends.
  int Run() {
    while (true) {
      for (int to : {0, 1}) Deliver(to);
      std::array<pollfd, 3> ready = {pollfd{sides_[0].tun, POLLIN, 0},
                                     pollfd{sides_[1].tun, POLLIN, 0},
                                     pollfd{STDIN_FILENO, POLLIN, 0}};
      const absl::Time due = std::min(lines_[0].NextDue(), lines_[1].NextDue());
      timespec wait = {};
      if (due != absl::InfiniteFuture()) {
        wait =
            absl::ToTimespec(std::max(due - absl::Now(), absl::ZeroDuration()));
      }
      if (ppoll(ready.data(), ready.size(),
                due == absl::InfiniteFuture() ? nullptr : &wait, nullptr) < 0) {
        if (errno == EINTR) continue;
        return kFailed;
      }
      for (int from : {0, 1}) {
        if (ready[from].revents != 0) Take(from);
      }
      if (ready[2].revents != 0 && !Listen()) return kEnded;
    }
  }

 private:
  // Both directions must not lose the same ones.
  static LinkOptions Other(LinkOptions options) {
    options.seed += 0x9e3779b97f4a7c15u;
    return options;
  }

  // lines_[i] leads away from side i.
  void Take(int from) {
    std::array<char, kPacket> packet;
    const absl::Time now = absl::Now();
    for (int i = 0; i < kBatch; ++i) {
      const ssize_t got = read(sides_[from].tun, packet.data(), packet.size());
      if (got <= 0) return;
      lines_[from].Push(
          absl::string_view(packet.data(), static_cast<size_t>(got)), now);
    }
  }

  void Deliver(int to) {
    const absl::Time now = absl::Now();
    while (std::optional<std::string> packet = lines_[1 - to].Pop(now)) {
      // A device that takes no more drops it, as a full queue does anywhere.
      (void)!write(sides_[to].tun, packet->data(), packet->size());
    }
  }

  // False when there will be no more commands.
  bool Listen() {
    std::array<char, kLine> bytes;
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got <= 0) return got < 0 && errno == EINTR;
    said_.append(bytes.data(), static_cast<size_t>(got));
    for (size_t end = said_.find('\n'); end != std::string::npos;
         end = said_.find('\n')) {
      const std::string line = said_.substr(0, end);
      said_.erase(0, end + 1);
      if (!Say(Obey(line))) return false;
    }
    return said_.size() <= kLine;
  }

  std::string Obey(absl::string_view line) {
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    int number = 0;
    const bool counted = words.size() == 2 &&
                         absl::SimpleAtoi(words[1], &number) && number >= 0 &&
                         number <= 1000;
    if (counted && words[0] == "delay") {
      for (DelayLine& one : lines_) one.SetDelay(absl::Milliseconds(number));
    } else if (counted && words[0] == "loss") {
      for (DelayLine& one : lines_) one.SetLoss(number);
    } else if (words.size() == 1 && (words[0] == "cut" || words[0] == "join")) {
      for (DelayLine& one : lines_) one.SetCut(words[0] == "cut");
    } else if (words.size() != 1 || words[0] != "counts") {
      return "{\"error\":\"no such command, or no number from 0 to 1000\"}";
    }
    return absl::StrCat("{", Describe("a_to_b", lines_[0].counts()), ",",
                        Describe("b_to_a", lines_[1].counts()), "}");
  }

  const std::array<Side, 2> sides_;
  std::array<DelayLine, 2> lines_;
  std::string said_;
};

int Main(int argc, char** argv) {
  LinkOptions options;
  int delay_ms = 0;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      return fputs(kHelp, stdout) < 0 ? kFailed : kEnded;
    }
    const char* value = i + 1 < argc ? argv[++i] : "";
    if (argument == "--delay-ms" && absl::SimpleAtoi(value, &delay_ms) &&
        delay_ms >= 0 && delay_ms <= 1000) {
      options.delay = absl::Milliseconds(delay_ms);
    } else if (argument == "--loss-permille" &&
               absl::SimpleAtoi(value, &options.loss_permille) &&
               options.loss_permille >= 0 && options.loss_permille <= 1000) {
    } else if (argument != "--seed" ||
               !absl::SimpleAtoi(value, &options.seed)) {
      fprintf(stderr, "link: no such option, or no such value: %s %s\n%s",
              argv[i - 1], value, kHelp);
      return kUsage;
    }
  }
  // Not to outlive whoever wanted the link.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_IGN);
  std::array<Side, 2> sides = {Side{"a", "192.0.2.1", "2001:db8::1"},
                               Side{"b", "192.0.2.2", "2001:db8::2"}};
  const bool user_namespace = geteuid() != 0;
  absl::Status made = user_namespace ? BecomeRoot() : absl::OkStatus();
  for (Side& side : sides) {
    if (made.ok()) made = Make(&side);
  }
  if (!made.ok()) {
    fprintf(stderr, "link: network namespaces are not allowed here: %s\n",
            std::string(made.message()).c_str());
    return kNotAllowed;
  }
  if (!Say(absl::StrCat("{", Describe(sides[0], user_namespace), ",",
                        Describe(sides[1], user_namespace), "}"))) {
    return kFailed;
  }
  return Link(sides, options).Run();
}

}  // namespace
}  // namespace tactus::netns

int main(int argc, char** argv) { return tactus::netns::Main(argc, argv); }
