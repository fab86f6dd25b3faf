// The clipboard of an X11 desktop, lent and given back.
//
// Used by X11Input, see ax/input/input.h for what Lend promises. A thread of
// its own, on a connection of its own, serves what the clipboard holds: the
// text while it is lent, and afterwards what was there before, for as long as
// this lives and nobody else takes the clipboard.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Clipboard>> clipboard =
//       Clipboard::Open({.keeper = {"/proc/self/exe", "keep-clipboard"}},
//       soon);
//   auto loan = (*clipboard)->Lend("hello", {.deadline = soon});
//   (*loan)->WaitServed(1, soon);
//   (*loan)->GiveBack(soon);
//   (*clipboard)->HandOver(soon);     // before the process ends
//
// X11 keeps no clipboard by itself: what a process owns is gone with it. So
// what was given back needs somebody who goes on serving it, which is what
// HandOver is for. The destructor does it too, within `farewell`.
//
// Caveats:
// - A loan that is handed out is not one that was pasted: clipboard managers
//   fetch it too, mark or no mark.
// - A paste that an application begins after the text was given back gets what
//   was there before.
// - Between the last look at the old owner and the new owner's request another
//   client may take the clipboard with a time stamp from before both; that copy
//   is lost. With a time stamp from after, it wins.
#ifndef TACTUS_AX_X11_CLIPBOARD_H_
#define TACTUS_AX_X11_CLIPBOARD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/input/input.h"

namespace tactus::ax::x11 {

struct ClipboardOptions {
  // $DISPLAY where it is empty.
  std::string display;
  // The program that goes on serving where no clipboard manager runs, and its
  // arguments: what calls KeepClipboard. None where it is empty.
  std::vector<std::string> keeper;
  // How long the destructor may take to hand over.
  absl::Duration farewell = absl::Seconds(2);
};

class Clipboard {
 public:
  // FailedPrecondition where there is no display.
  static absl::StatusOr<std::unique_ptr<Clipboard>> Open(
      const ClipboardOptions& options, absl::Time deadline);
  // Hands over what it still owns. Loans that are left do nothing any more.
  ~Clipboard();
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;

  // As Input::Lend. Besides its errors: InvalidArgument for what is not UTF-8,
  // and FailedPrecondition while another loan is out.
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> Lend(
      absl::string_view text, const LendOptions& options);

  // Gives back what is lent, and has the desktop's clipboard manager, or else
  // the keeper, serve what this owns from now on. OK also when there is nothing
  // to hand over. Errors, after which this is still the owner:
  // FailedPrecondition (no manager runs and there is no keeper to start),
  // Unavailable (the keeper would not; the display has gone),
  // DeadlineExceeded.
  absl::Status HandOver(absl::Time deadline);

 private:
  class Thread;
  class Loan;

  explicit Clipboard(std::shared_ptr<Thread> thread, absl::Duration farewell);

  const std::shared_ptr<Thread> thread_;
  const absl::Duration farewell_;
};

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_CLIPBOARD_H_
