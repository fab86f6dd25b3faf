#include "ax/snapshot/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/read/read.h"
#include "ax/resolve/resolve.h"
#include "ax/score/claims.h"
#include "ax/server/server.h"
#include "ax/snapshot/token.h"
#include "ax/text/slice.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// A server that offers more claims than this is not telling anything; real ones
// leave two or three stale ones.
constexpr size_t kMaxCandidates = 8;

constexpr Attribute kIdentity[] = {
    Attribute::kRole, Attribute::kSubrole, Attribute::kStates,
    Attribute::kValueSettable, Attribute::kSelectionSettable};

bool HoldsText(States states, Role role) {
  if (states & kStateSupportsText) return true;
  // Some servers' lists of interfaces vary from call to call; a role that is
  // nothing but text is asked all the same.
  switch (role) {
    case Role::kTextField:
    case Role::kTextArea:
    case Role::kTerminal:
    case Role::kParagraph:
      return true;
    default:
      return false;
  }
}

struct TextReadings {
  absl::StatusOr<std::string> text;
  absl::StatusOr<int64_t> count;
  absl::StatusOr<int64_t> caret;
  absl::StatusOr<Range> selection;
  int64_t length = 0;  // of text, in code points
};

TextReadings ReadText(Server& server, const Element& element, Range range,
                      absl::Time deadline) {
  const ReadRequest requests[] = {{element, Attribute::kText, range},
                                  {element, Attribute::kCharacterCount},
                                  {element, Attribute::kCaret},
                                  {element, Attribute::kSelection}};
  const ReadResult result = ReadAll(server, requests, deadline);
  TextReadings readings{
      Get<std::string>(result.readings[0]), Get<int64_t>(result.readings[1]),
      Get<int64_t>(result.readings[2]), Get<Range>(result.readings[3])};
  if (readings.text.ok()) readings.length = CodePointLength(*readings.text);
  return readings;
}

// Whether text and count contradict each other, given that at most `limit` code
// points were asked for.
bool Contradict(const TextReadings& readings, int64_t limit) {
  if (!readings.text.ok() || !readings.count.ok()) return false;
  return readings.length != std::min(*readings.count, limit);
}

// Keeps what a writer may rely on: positions inside the text, in order.
void CheckPositions(int64_t size, Snapshot& snapshot) {
  if (snapshot.caret.ok() && (*snapshot.caret < 0 || *snapshot.caret > size)) {
    snapshot.caret = absl::DataLossError(
        absl::StrCat("the server puts the caret at ", *snapshot.caret,
                     " in a text of ", size, " characters"));
  }
  if (snapshot.selection.ok()) {
    Range& range = *snapshot.selection;
    if (range.begin > range.end) std::swap(range.begin, range.end);
    if (range.begin < 0 || range.end > size) {
      snapshot.selection = absl::DataLossError(
          absl::StrCat("the server selects ", range.begin, " to ", range.end,
                       " in a text of ", size, " characters"));
    }
  } else if (absl::IsNotFound(snapshot.selection.status()) &&
             snapshot.caret.ok()) {
    snapshot.selection = Range{*snapshot.caret, *snapshot.caret};
  }
}

void TakeText(Server& server, const SnapshotOptions& options,
              Snapshot& snapshot) {
  const int64_t limit = std::max<int64_t>(options.max_text, 1);
  TextReadings readings =
      ReadText(server, snapshot.element, {0, limit}, options.deadline);

  if (Contradict(readings, limit)) {
    // The user typed between the two, or the server lies. A second look tells
    // one from the other; it asks for exactly what the count promises, since
    // one toolkit answers an open-ended request with nothing.
    const int64_t wanted = std::clamp<int64_t>(*readings.count, 1, limit);
    readings =
        ReadText(server, snapshot.element, {0, wanted}, options.deadline);
    if (Contradict(readings, wanted)) {
      snapshot.notes.push_back(
          absl::StrCat("the server counts ", *readings.count,
                       " characters, its text has ", readings.length));
    } else {
      snapshot.notes.push_back(
          "text and count disagreed once and were re-read");
    }
  }

  Range window{0, readings.length};
  const bool more =
      readings.count.ok() && *readings.count > limit && readings.length > 0;
  if (more && readings.text.ok() && readings.caret.ok() &&
      *readings.caret <= *readings.count) {
    const int64_t caret = std::max<int64_t>(*readings.caret, 0);
    const int64_t begin =
        std::clamp<int64_t>(caret - limit / 2, 0, *readings.count - limit);
    if (begin > 0) {
      const ReadRequest request{
          snapshot.element, Attribute::kText, {begin, begin + limit}};
      const ReadResult result =
          ReadAll(server, {&request, 1}, options.deadline);
      readings.text = Get<std::string>(result.readings[0]);
      readings.length =
          readings.text.ok() ? CodePointLength(*readings.text) : 0;
      window = {begin, begin + readings.length};
    }
  }

  snapshot.window = window;
  snapshot.character_count = readings.count;
  snapshot.caret = readings.caret;
  snapshot.selection = readings.selection;
  snapshot.value = std::move(readings.text);
  snapshot.whole = snapshot.value.ok() && !more;
  if (!snapshot.value.ok()) return;

  const std::string& text = *snapshot.value;
  // Where the server's count is a lie the text is what there is.
  const int64_t size =
      more ? std::max(*snapshot.character_count, window.end) : window.end;
  CheckPositions(size, snapshot);

  std::optional<Range> around;
  if (snapshot.selection.ok()) {
    around = *snapshot.selection;
  } else if (snapshot.caret.ok()) {
    around = Range{*snapshot.caret, *snapshot.caret};
  }
  if (snapshot.selection.ok()) {
    const Range selection = *snapshot.selection;
    if (window.Contains(selection)) {
      snapshot.selected_text = std::string(CodePointSlice(
          text, selection.begin - window.begin, selection.end - window.begin));
    } else {
      snapshot.selected_text =
          absl::OutOfRangeError("the selection is not within the window read");
    }
  } else {
    snapshot.selected_text = snapshot.selection.status();
  }
  if (around.has_value()) {
    const int64_t begin =
        std::clamp(around->begin, window.begin, window.end) - window.begin;
    const int64_t end =
        std::clamp(around->end, window.begin, window.end) - window.begin;
    const int64_t context = std::max<int64_t>(options.context, 0);
    snapshot.context_before =
        CodePointSlice(text, std::max<int64_t>(begin - context, 0), begin);
    snapshot.context_after =
        CodePointSlice(text, end, end + std::min(context, readings.length));
  }
}

void NoText(absl::Status why, Snapshot& snapshot) {
  snapshot.value = why;
  snapshot.character_count = why;
  snapshot.caret = why;
  snapshot.selection = why;
  snapshot.selected_text = std::move(why);
}

// The better of two statuses to return when no candidate serves: what the
// server said of the element says more than that it does not serve.
absl::Status WhyNone(const std::vector<Claim>& claims) {
  for (const Claim& claim : claims) {
    const absl::Status& status = claim.states.status();
    if (!status.ok()) return status;
  }
  return absl::UnavailableError("no element claims the focus any longer");
}

// Some element beyond the first `read` is none of these: what it is, is not
// known.
bool HasUnread(const std::vector<Element>& candidates, size_t read) {
  const auto unread = candidates.begin() + static_cast<ptrdiff_t>(read);
  return std::any_of(unread, candidates.end(), [&](const Element& element) {
    return std::find(candidates.begin(), unread, element) == unread;
  });
}

absl::StatusOr<Snapshot> Take(Server& server, const Target& target,
                              const SnapshotOptions& options) {
  const size_t candidates = std::min(target.candidates.size(), kMaxCandidates);
  std::vector<ReadRequest> requests;
  requests.reserve(candidates * std::size(kIdentity) + 1);
  for (size_t i = 0; i < candidates; ++i) {
    for (Attribute attribute : kIdentity) {
      requests.push_back({target.candidates[i], attribute});
    }
  }
  const bool ask_window =
      target.window.has_value() && !target.application.claims_are_current;
  if (ask_window) requests.push_back({*target.window, Attribute::kStates});
  const ReadResult result = ReadAll(server, requests, options.deadline);

  if (ask_window) {
    const absl::StatusOr<int64_t> window = Get<int64_t>(result.readings.back());
    if (!window.ok()) return window.status();
    if (!(*window & kStateActive)) {
      return absl::UnavailableError("its window is not active any longer");
    }
  }

  std::vector<Claim> claims;
  claims.reserve(candidates);
  for (size_t i = 0; i < candidates; ++i) {
    const Reading* reading = &result.readings[i * std::size(kIdentity)];
    claims.push_back({.element = target.candidates[i],
                      .role = Get<RoleValue>(reading[0]),
                      .subrole = Get<RoleValue>(reading[1]),
                      .states = Get<int64_t>(reading[2])});
  }
  const Choice choice = Choose(claims);
  if (!choice.best.has_value()) return WhyNone(claims);

  const Claim& claim = claims[*choice.best];
  const Reading* reading =
      &result.readings[*choice.best * std::size(kIdentity)];
  Snapshot snapshot;
  snapshot.application = target.application;
  snapshot.element = claim.element;
  snapshot.route = target.route;
  snapshot.system_wide = target.system_wide;
  snapshot.role = claim.role;
  snapshot.secure = MayBeSecure(claim);
  snapshot.states = static_cast<States>(*claim.states);
  snapshot.value_settable = Get<bool>(reading[3]);
  snapshot.selection_settable = Get<bool>(reading[4]);
  snapshot.ambiguous = choice.tie;
  snapshot.secure_beside =
      choice.secure_beside || HasUnread(target.candidates, candidates);
  if (!result.batched) {
    snapshot.notes.push_back(
        "the server rejects batches: read attribute by attribute");
  }
  if (choice.tie) {
    snapshot.notes.push_back("more than one element claims the focus");
  }
  if (snapshot.secure_beside) {
    snapshot.notes.push_back("another claim of the focus is secure, or may be");
  }

  if (snapshot.secure) {
    NoText(
        absl::PermissionDeniedError(
            snapshot.role.ok() ? "the field is secure: its text is never read"
                               : absl::StrCat("the role could not be read (",
                                              snapshot.role.status().message(),
                                              "): the field may be secure")),
        snapshot);
  } else if (!HoldsText(snapshot.states, snapshot.role->role)) {
    NoText(absl::UnimplementedError("the element holds no text"), snapshot);
  } else {
    TakeText(server, options, snapshot);
  }
  return snapshot;
}

absl::StatusOr<Snapshot> Finish(Server& server, absl::Time begun,
                                const Traffic& before,
                                absl::StatusOr<Snapshot> snapshot) {
  if (!snapshot.ok()) return snapshot;
  snapshot->taken = server.clock().Now();
  snapshot->elapsed = snapshot->taken - begun;
  snapshot->traffic = server.traffic() - before;
  return snapshot;
}

}  // namespace

absl::string_view StrategyName(Strategy strategy) {
  switch (strategy) {
    case Strategy::kRangeEdit:
      return "range-edit";
    case Strategy::kPaste:
      return "paste";
    case Strategy::kTerminal:
      return "terminal-paste";
    case Strategy::kSecure:
      return "refused-secure";
    case Strategy::kReadOnly:
      return "refused-read-only";
    case Strategy::kNone:
      return "none";
  }
  return "none";
}

Strategy Snapshot::strategy() const {
  if (secure) return Strategy::kSecure;
  if (!role.ok() || !HoldsText(states, role->role)) return Strategy::kNone;
  if (states & kStateReadOnly) return Strategy::kReadOnly;
  if (role->role == Role::kTerminal) return Strategy::kTerminal;
  if (value_settable.ok() && *value_settable) return Strategy::kRangeEdit;
  if (states & kStateEditable) return Strategy::kPaste;
  return Strategy::kReadOnly;
}

std::string Snapshot::token() const {
  SnapshotToken parts;
  parts.application = application.id;
  parts.pid = application.pid;
  parts.path = element.path;
  parts.window = window;
  parts.character_count = character_count.ok() ? *character_count : -1;
  parts.caret = caret.ok() ? *caret : -1;
  parts.selection = selection.ok() ? *selection : Range{-1, -1};
  parts.text_digest = value.ok() ? DigestOf(*value) : std::string();
  return EncodeToken(parts);
}

absl::StatusOr<Snapshot> SnapshotTarget(Server& server, const Target& target,
                                        const SnapshotOptions& options) {
  const absl::Time begun = server.clock().Now();
  const Traffic before = server.traffic();
  return Finish(server, begun, before, Take(server, target, options));
}

absl::StatusOr<Snapshot> SnapshotFocused(Server& server,
                                         const SnapshotOptions& options,
                                         FocusHints* hints) {
  const absl::Time begun = server.clock().Now();
  const Traffic before = server.traffic();
  if (hints != nullptr) {
    absl::StatusOr<Target> hint = hints->Hint();
    if (hint.ok()) {
      absl::StatusOr<Snapshot> snapshot = Take(server, *hint, options);
      if (snapshot.ok()) {
        return Finish(server, begun, before, std::move(snapshot));
      }
      hints->Refute(*hint);
      if (absl::IsDeadlineExceeded(snapshot.status())) return snapshot;
    }
  }
  // An element that went away between being found and being read is looked for
  // once more: applications replace widgets while the user types.
  absl::StatusOr<Snapshot> snapshot = absl::UnavailableError("not read");
  for (int attempt = 0; attempt < 2; ++attempt) {
    absl::StatusOr<Target> target = Resolve(server, options.deadline);
    if (!target.ok()) return target.status();
    snapshot = Take(server, *target, options);
    if (snapshot.ok() || !absl::IsUnavailable(snapshot.status())) break;
  }
  return Finish(server, begun, before, std::move(snapshot));
}

}  // namespace tactus::ax
