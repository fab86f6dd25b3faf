#include "transfer/benchmark/trips.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"

namespace tactus::transfer {
namespace {

// The longest answer of a daemon that is read here: a snapshot of a short text.
constexpr size_t kAnswer = 256 << 10;
// What takes longer hangs.
constexpr time_t kPatienceSeconds = 20;
// Blocks before the others, which are not kept.
constexpr int kWarmUp = 3;

double Median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  return n % 2 == 1 ? samples[n / 2]
                    : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

double Block(const Way& way, int trips) {
  std::vector<double> times;
  times.reserve(static_cast<size_t>(trips));
  for (int i = 0; i < trips; ++i) {
    const absl::Time begun = Clock::Real().Now();
    way.trip();
    times.push_back(absl::ToDoubleMicroseconds(Clock::Real().Now() - begun));
  }
  return Median(std::move(times));
}

}  // namespace

void Die(absl::string_view why) {
  fprintf(stderr, "%s\n", std::string(why).c_str());
  exit(1);
}

void DieOfErrno(absl::string_view what) {
  Die(absl::StrCat(what, ": ", strerror(errno)));
}

void WriteAll(int fd, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, data, size);
    if (written <= 0) DieOfErrno("write");
    data += written;
    size -= static_cast<size_t>(written);
  }
}

bool ReadAll(int fd, char* data, size_t size) {
  while (size > 0) {
    const ssize_t got = read(fd, data, size);
    if (got <= 0) return false;
    data += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

Child::Child(const std::function<void()>& body) {
  fflush(stdout);
  pid_ = fork();
  if (pid_ < 0) DieOfErrno("fork");
  if (pid_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  body();
  _exit(0);
}

Child::~Child() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

UnixEcho::UnixEcho() : message_(kMessage, 'm') {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    DieOfErrno("a Unix socket");
  }
  fd_ = pair[0];
  child_ = std::make_unique<Child>([this, &pair] {
    close(pair[0]);
    while (ReadAll(pair[1], message_.data(), kMessage)) {
      WriteAll(pair[1], message_.data(), kMessage);
    }
  });
  close(pair[1]);
}

UnixEcho::~UnixEcho() { close(fd_); }

void UnixEcho::Trip() {
  WriteAll(fd_, message_.data(), kMessage);
  if (!ReadAll(fd_, message_.data(), kMessage)) Die("the floor was cut");
}

Control::Control(const std::string& path, absl::string_view request)
    : request_(absl::StrCat(request, "\n")), answer_(kAnswer, '\0') {
  fd_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  if (fd_ < 0 || path.size() >= sizeof(at.sun_path)) Die("no such socket");
  memcpy(at.sun_path, path.data(), path.size());
  if (connect(fd_, reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0) {
    DieOfErrno(path);
  }
  const timeval patience = {.tv_sec = kPatienceSeconds, .tv_usec = 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

Control::~Control() { close(fd_); }

void Control::Send(absl::string_view request) {
  WriteAll(fd_, request.data(), request.size());
}

absl::string_view Control::Receive() {
  size_t begin = 0;
  size_t have = 0;
  while (true) {
    const size_t end =
        absl::string_view(answer_.data(), have).find('\n', begin);
    if (end != absl::string_view::npos) {
      const absl::string_view line(&answer_[begin], end + 1 - begin);
      begin = end + 1;
      if (absl::StrContains(line, "\"method\"")) continue;
      // Speed does not count where the answer is wrong.
      if (!absl::StrContains(line, "\"result\"")) {
        Die(absl::StrCat("the daemon answered ", line));
      }
      return line;
    }
    if (have == answer_.size()) Die("the daemon says too much");
    const ssize_t got = read(fd_, &answer_[have], answer_.size() - have);
    if (got <= 0) Die("the daemon does not answer");
    have += static_cast<size_t>(got);
  }
}

void TakeInTurn(std::vector<Way>& ways, const Turns& turns) {
  for (int block = 0; block < kWarmUp + turns.blocks; ++block) {
    for (size_t i = 0; i < ways.size(); ++i) {
      Way& way = ways[(static_cast<size_t>(block) + i) % ways.size()];
      const double sample = Block(way, turns.trips);
      if (block >= kWarmUp) way.samples.push_back(sample);
    }
  }
}

void PrintSeries(absl::string_view name, absl::string_view unit,
                 const std::vector<double>& samples) {
  printf("%s\n", absl::StrCat("{\"series\":\"", name, "\",\"unit\":\"", unit,
                              "\",\"samples\":[", absl::StrJoin(samples, ","),
                              "],\"failures\":0}")
                     .c_str());
  fflush(stdout);
}

}  // namespace tactus::transfer
