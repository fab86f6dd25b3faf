// What became of a write: reads until the text is as asked for, or until there
// is nothing left to wait for.
//
// Applications publish what they were told at once, hundreds of milliseconds
// later, or a prefix at a time; some answer the new text and never commit it.
// So one read proves little: the text and the count, read together, must agree,
// and a text that is still what it was counts as unchanged only at the end of
// the whole wait.
//
// Example:
//
//   const absl::Time until = clock.Now() + absl::Milliseconds(600);
//   const Seen seen = ReadBack(server, element, plan, {.until = until});
//   if (seen.sight == Sight::kLanded) ...
//
// What it cannot know: a server that answers all of it from a shadow which
// never reaches the application, text and count alike, looks like one that is
// honest.
#ifndef TACTUS_AX_EDIT_READ_BACK_H_
#define TACTUS_AX_EDIT_READ_BACK_H_

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/plan.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

enum class Sight {
  kLanded,         // what was asked for
  kUnchanged,      // what was there before
  kOnTheWay,       // a beginning of what was asked for
  kOther,          // neither
  kContradiction,  // text and count do not belong together
  kUnreadable,     // the element could not be read
};

struct Seen {
  Sight sight = Sight::kUnreadable;
  // The window as it was read last; absent when it never was.
  std::optional<std::string> text;
  absl::Status status;  // of the last read
  bool timely = true;   // the deadline left the whole wait
  absl::Time at;        // when the last read had come back
};

// What one read of the window and of the count tells. Pure.
Sight Judge(const Plan& plan, const absl::StatusOr<std::string>& text,
            const absl::StatusOr<int64_t>& count);

struct ReadBackOptions {
  // Until then what is not there yet is waited for.
  absl::Time until = absl::InfiniteFuture();
  // When every read ends.
  absl::Time deadline = absl::InfiniteFuture();
  // A text that is neither the old one nor on the way to the new one is final
  // when it has stood so long.
  absl::Duration settled = absl::Milliseconds(100);
  // Waits at least this long after each read before the next, growing to
  // kSlowest: an application that is busy with a paste is not to be kept busy
  // with answers.
  absl::Duration pause = absl::Milliseconds(1);
};

// One read, without waiting.
Seen Look(Server& server, const Element& element, const Plan& plan,
          absl::Time deadline);

// Looks again and again. `stop` is asked between two looks and ends the wait
// when it says so.
Seen ReadBack(Server& server, const Element& element, const Plan& plan,
              const ReadBackOptions& options,
              absl::FunctionRef<bool(const Seen&)> stop);
Seen ReadBack(Server& server, const Element& element, const Plan& plan,
              const ReadBackOptions& options);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_READ_BACK_H_
