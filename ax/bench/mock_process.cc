// The other process of //ax/bench:two_process: an editor with the reference's
// document of 44 characters, behind the mock server, answering what is asked on
// the sockets that it has inherited.
//
//   mock_process FD...
//
// It ends when all of them are closed, and with the process that started it.
// Exit codes: 0 all were closed; 1 nothing can be served; 2 usage.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/bench/wire.h"
#include "ax/clock/clock.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::bench {
namespace {

class Service {
 public:
  Service() : world_(mock::EditorDesktop()), server_(&world_, &clock_) {}

  // Nothing where the message is none.
  std::string Answer(absl::string_view message) {
    Unpacker request(message);
    Packer reply;
    const absl::Time never = absl::InfiniteFuture();
    switch (static_cast<Verb>(request.TakeNumber())) {
      case Verb::kFocusedApplication: {
        const absl::StatusOr<Application> found =
            server_.FocusedApplication(never);
        reply.PutStatus(found.status());
        if (found.ok()) reply.Put(*found);
        break;
      }
      case Verb::kApplicationOfProcess: {
        const absl::StatusOr<Application> found = server_.ApplicationOfProcess(
            static_cast<pid_t>(request.TakeNumber()), never);
        reply.PutStatus(found.status());
        if (found.ok()) reply.Put(*found);
        break;
      }
      case Verb::kWindowList: {
        const absl::StatusOr<std::vector<Window>> found =
            server_.WindowList(never);
        reply.PutStatus(found.status());
        if (!found.ok()) break;
        reply.Put(static_cast<int64_t>(found->size()));
        for (const Window& window : *found) {
          reply.Put(int64_t{window.pid})
              .Put(window.title)
              .Put(int64_t{window.active});
        }
        break;
      }
      case Verb::kFocusedElements: {
        const absl::StatusOr<std::vector<Element>> found =
            server_.FocusedElements(request.TakeApplication(), never);
        reply.PutStatus(found.status());
        if (!found.ok()) break;
        reply.Put(static_cast<int64_t>(found->size()));
        for (const Element& element : *found) reply.Put(element);
        break;
      }
      case Verb::kReadMany: {
        std::vector<ReadRequest> requests;
        for (int64_t left = request.TakeNumber(); left > 0 && request.ok();
             --left) {
          ReadRequest& one = requests.emplace_back();
          one.element = request.TakeElement();
          one.attribute = static_cast<Attribute>(request.TakeNumber());
          one.range = request.TakeRange();
        }
        const absl::StatusOr<std::vector<Reading>> readings =
            server_.ReadMany(requests, never);
        reply.PutStatus(readings.status());
        if (!readings.ok()) break;
        reply.Put(static_cast<int64_t>(readings->size()));
        for (const Reading& reading : *readings) reply.PutReading(reading);
        break;
      }
      case Verb::kWrite: {
        WriteRequest write;
        write.element = request.TakeElement();
        write.kind = static_cast<WriteRequest::Kind>(request.TakeNumber());
        write.range = request.TakeRange();
        write.text = request.TakeText();
        const WriteResult result = server_.Write(write, never);
        reply.Put(int64_t{result.sent}).PutStatus(result.status);
        break;
      }
      case Verb::kObserve:
        reply.PutStatus(absl::OkStatus());
        break;
      default:
        return "";
    }
    return request.ok() ? reply.bytes() : "";
  }

 private:
  SimulatedClock clock_;
  mock::World world_;
  mock::MockServer server_;
};

int Serve(std::vector<pollfd> sockets) {
  Service service;
  size_t open = sockets.size();
  while (open > 0) {
    if (poll(sockets.data(), sockets.size(), -1) < 0) return 1;
    for (pollfd& socket : sockets) {
      if (socket.fd < 0 || socket.revents == 0) continue;
      const absl::StatusOr<std::string> request = Receive(socket.fd);
      const std::string reply = request.ok() ? service.Answer(*request) : "";
      if (reply.empty() || !Send(socket.fd, reply).ok()) {
        close(socket.fd);
        socket.fd = -1;
        --open;
      }
    }
  }
  return 0;
}

int Main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<pollfd> sockets;
  for (int i = 1; i < argc; ++i) {
    int fd = -1;
    if (!absl::SimpleAtoi(argv[i], &fd) || fd < 0) {
      std::fprintf(stderr, "usage: mock_process FD...\n");
      return 2;
    }
    sockets.push_back({fd, POLLIN, 0});
  }
  if (sockets.empty()) {
    std::fprintf(stderr, "usage: mock_process FD...\n");
    return 2;
  }
  return Serve(std::move(sockets));
}

}  // namespace
}  // namespace tactus::ax::bench

int main(int argc, char** argv) { return tactus::ax::bench::Main(argc, argv); }
