// How many descriptors this process may have, and what it runs.
//
// The soft limit that most systems give, 1024, is for programs that use
// select(2), which can take no descriptor beyond it. A process that serves many
// raises its own, and gives what it runs the limit that it had.
//
// Example:
//
//   RaiseOpenFiles();          // first of all, before any thread
//   ...
//   RestoreOpenFiles();        // in the child, before execve
#ifndef TACTUS_TRANSFER_MCP_OPEN_FILES_H_
#define TACTUS_TRANSFER_MCP_OPEN_FILES_H_

namespace tactus::transfer {

// 128 agents that are carried hold 11 each, and 128 servers of one peer 5 each,
// with a connection for each of them: this is several times as much as they and
// all clients of a daemon can hold.
constexpr unsigned int kMostOpenFiles = 8192;

// Raises the soft limit to kMostOpenFiles, or to the hard one where that is
// less; a higher one is left.
void RaiseOpenFiles();

// The soft limit is again what it was before RaiseOpenFiles; nothing without
// it. After fork: system calls alone.
void RestoreOpenFiles();

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_OPEN_FILES_H_
