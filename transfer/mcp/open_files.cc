#include "transfer/mcp/open_files.h"

#include <sys/resource.h>

#include <algorithm>

namespace tactus::transfer {
namespace {

// What it was; of the process, as the limit is.
rlim_t before = 0;
bool raised = false;

}  // namespace

void RaiseOpenFiles() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t most = std::min<rlim_t>(limit.rlim_max, kMostOpenFiles);
  if (limit.rlim_cur >= most) return;
  const rlim_t was = limit.rlim_cur;
  limit.rlim_cur = most;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  // The first one counts.
  if (!raised) before = was;
  raised = true;
}

void RestoreOpenFiles() {
  rlimit limit;
  if (!raised || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min(before, limit.rlim_max);
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace tactus::transfer
