// Whether an edit on a hostile desktop kept its promises, on the mock itself or
// on a backend over it.
//
// Shared by the property test and by the fuzzers (//fuzz:ax_server,
// //fuzz:ax_macos): bytes become a desktop, an edit, what goes wrong and what
// the user does, and the verdict names the promise that was broken.
//
//   const Verdict verdict = Try(TrialFromBytes(bytes));
//   RC_ASSERT(verdict.broken == "");
//
// The promises, by the names that a verdict gives them:
//
//   verified    verified: when the text was read last, the element held exactly
//               what was expected
//   stale       what carries a token or a text is sent only while the text that
//               was read last is the one it names
//   retried     a user's edit that left a trace is never verified over, and
//               ends the ladder
//   unchanged   failed or refused: the world holds what it would hold had the
//               user been alone
//   refused     refused: no change was asked for and no key was sent
//   overtyped   failed or refused: nothing that was typed has replaced what the
//               editor had selected to be pasted over
//   doubled     the new text is there once at most
//   secure      nothing that bears text, and no key, goes to a field that has
//               told that it is secure
//   target      nothing is written to an element that the snapshot did not name
//   deadline    the edit ends by its deadline, or half a second later where it
//               gives back what it took
//   clipboard   the clipboard holds what it held, or what another client put
//               there
//
// The last four hold on any server. The others are asked of servers alone of
// which a client can know in principle, see Provable in trial.h.
#ifndef TACTUS_AX_EDIT_VERDICT_H_
#define TACTUS_AX_EDIT_VERDICT_H_

#include <functional>
#include <memory>
#include <string>

#include "ax/edit/outcome.h"
#include "ax/edit/trial.h"
#include "ax/mock/mock_server.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

struct Verdict {
  // "" or the promise that was broken, with what was and what ought to be.
  std::string broken;
  EditResult result;
  bool provable = false;  // all promises were asked for
  bool user_in_gap = false;
  bool overtyped = false;  // keys replaced what the editor had selected
};

// A server over a mock one, as a client of the former sees it.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual Server& server() = 0;
  // The mock's name for an element of the server's; as it is where there is
  // none.
  virtual Element InTruth(const Element& element) = 0;
  // It reads texts that it tells nobody, to convert positions by: then the text
  // that was read last need not be the one that the client was told last.
  virtual bool ReadsForItself() const { return false; }
};

// Called twice for a trial that expects something: for an honest server, which
// ends before the second call, and for the one that the edit meets. What is
// named by the first must be known to the second.
using MakeBackend = std::function<std::unique_ptr<Backend>(mock::MockServer&)>;

// Without a backend the mock itself, with its clipboard and its keyboard. A
// backend has neither.
Verdict Try(const Trial& trial, const MakeBackend& make = nullptr);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_VERDICT_H_
