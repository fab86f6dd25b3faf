// Chromium and what is built on it, which show accessibility nothing of their
// pages unless started with a flag.
//
// Electron applications have any name, so they are known by their children:
// each Chromium has some that were started with --type=.
#ifndef TACTUS_TOOLS_TACTUS_CHROMIUM_H_
#define TACTUS_TOOLS_TACTUS_CHROMIUM_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/tactus/processes.h"

namespace tactus::cli {

inline constexpr char kAccessibilityFlag[] = "--force-renderer-accessibility";

struct Browser {
  pid_t pid = 0;
  std::string program;    // the last part of its path
  bool has_flag = false;  // it was started with kAccessibilityFlag

  friend bool operator==(const Browser&, const Browser&) = default;
};

// The browsers of `user` among `processes`, in the order of their ids. One that
// had accessibility switched on by hand, in its own pages, cannot be told from
// one that has not.
std::vector<Browser> RunningBrowsers(absl::Span<const Process> processes,
                                     uid_t user);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_CHROMIUM_H_
