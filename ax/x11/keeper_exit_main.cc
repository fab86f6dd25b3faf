// A process that lends the clipboard, gives it back and ends, for tests.
//
//   keeper_exit_main DISPLAY KEEPER
#include <stdio.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/clipboard.h"

int main(int argc, char** argv) {
  using tactus::ax::ClipboardLoan;
  using tactus::ax::Clock;
  using tactus::ax::x11::Clipboard;
  if (argc != 3) return 2;
  const absl::Time deadline = Clock::Real().Now() + absl::Seconds(20);
  absl::StatusOr<std::unique_ptr<Clipboard>> clipboard = Clipboard::Open(
      {.display = argv[1], .keeper = {argv[2]}, .farewell = absl::Seconds(20)},
      deadline);
  if (!clipboard.ok()) return 3;
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      (*clipboard)
          ->Lend("text", {.deadline = deadline, .patience = absl::Seconds(20)});
  if (!loan.ok()) return 4;
  if (!(*loan)->GiveBack(deadline).ok()) return 5;
  puts("given back");
  return 0;
}
