// The process between a bridge and the MCP server that it runs; what it is for
// is told in server_process.h.
//
// It is a copy of the process that starts it, which may have threads and locks
// that nobody will ever give back. So nothing here allocates or locks: it is
// system calls alone (signal-safety(7)), and it never returns.
#ifndef TACTUS_TRANSFER_MCP_KEEPER_H_
#define TACTUS_TRANSFER_MCP_KEEPER_H_

namespace tactus::transfer {

// Descriptors, each for the keeper alone once it has begun.
struct KeeperOptions {
  int input = -1;    // of the server
  int output = -1;   // of the server
  int errors = -1;   // of the server
  int life = -1;     // 't' and 'k' send SIGTERM and SIGKILL; its end ends all
  int status = -1;   // where it writes how the server ended, as waitpid has it
  int failure = -1;  // where errno is written if the program cannot be run; its
                     // end says that it runs
  const char* program = nullptr;  // a path
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int grace_ms = 0;  // once `life` has ended, before SIGKILL
};

// To be called after fork, in the child.
[[noreturn]] void RunKeeper(const KeeperOptions& options);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_KEEPER_H_
