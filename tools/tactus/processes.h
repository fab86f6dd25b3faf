// The processes of this machine, as /proc shows them.
//
// Example:
//
//   for (const Process& process : AllProcesses("/proc")) ...
//   ProcessName("/proc", 812);  // "mousepad"
#ifndef TACTUS_TOOLS_TACTUS_PROCESSES_H_
#define TACTUS_TOOLS_TACTUS_PROCESSES_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace tactus::cli {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  uid_t user = 0;
  std::vector<std::string> command;  // its arguments, the program first
};

// Those that could be read; one that ends meanwhile is left out. `proc` is
// where /proc is mounted; another folder of that form in a test.
std::vector<Process> AllProcesses(const std::string& proc);

// The short name of a process; empty when there is none.
std::string ProcessName(const std::string& proc, pid_t pid);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_PROCESSES_H_
