// Connections on this machine's loopback, for what stands beside ours: messages
// leave at once, as ours do.
//
// Example:
//
//   sockaddr_in at;
//   const int listener = ListenOnLoopback(&at);
//   const Child other([&] { Answer(Accept(listener)); });
//   Ask(Connect(at));
//
// What fails ends the process, as in trips.h.
#ifndef TACTUS_TRANSFER_BENCHMARK_LOOPBACK_H_
#define TACTUS_TRANSFER_BENCHMARK_LOOPBACK_H_

#include <netinet/in.h>

namespace tactus::transfer {

// At a port that was free, which `at` tells.
int ListenOnLoopback(sockaddr_in* at);

int Connect(const sockaddr_in& at);
int Accept(int listener);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_LOOPBACK_H_
