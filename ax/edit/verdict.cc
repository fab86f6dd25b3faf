#include "ax/edit/verdict.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/trial.h"
#include "ax/edit/witness.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

using mock::Action;
using mock::ActionKind;
using mock::InputVerb;
using mock::World;

constexpr absl::Duration kGiveBack = absl::Milliseconds(500);

const mock::Clipboard& Copied() {
  static const mock::Clipboard& copied =
      *new mock::Clipboard{{"UTF8_STRING", "copied"}, {"image/png", "\x89PNG"}};
  return copied;
}

const mock::Clipboard& Taken() {
  static const mock::Clipboard& taken =
      *new mock::Clipboard{{"text/html", "<b>taken</b>"}};
  return taken;
}

int64_t Size(const std::u32string& text) {
  return static_cast<int64_t>(text.size());
}

// `size` code points from `begin` on.
std::string Slice(const std::u32string& text, int64_t begin, int64_t size) {
  const int64_t from = std::clamp<int64_t>(begin, 0, Size(text));
  return mock::EncodeUtf8(std::u32string_view(text).substr(
      static_cast<size_t>(from), static_cast<size_t>(size)));
}

int Markers(const World& world) {
  const char32_t marker = mock::DecodeUtf8(kMarker)[0];
  int64_t found = 0;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      found += std::count(node.text.begin(), node.text.end(), marker);
    }
  }
  return static_cast<int>(found);
}

std::string Quote(absl::string_view text) {
  return absl::StrCat("\"", text, "\"");
}

}  // namespace

Verdict Try(const Trial& trial, const MakeBackend& make) {
  const mock::Script& script = trial.script;
  Verdict verdict;
  SimulatedClock clock;
  World world(script.desktop);
  mock::MockServer server(&world, &clock, script.latency);
  mock::MockInput input(&world, &clock, &server);
  Witness witness;

  // What happens before a message is not the editor's, from here on to the
  // last of the hostilities.
  server.BetweenMessages([&](World& w, int) { witness.Enter(w); });
  const auto act = [&witness](const Action& action, World& w) {
    // Before it acts on what it finds; after that what it found is the user's.
    mock::Perform(action, w).IgnoreError();
    if (action.kind == ActionKind::kType ||
        action.kind == ActionKind::kMoveCaret ||
        action.kind == ActionKind::kSelect) {
      witness.UserActs(w);
    }
  };
  const int listener = world.AddListener(
      [&](const Event& event) { witness.Hears(world, event); });
  bool copied = false;
  server.BetweenMessages([&](World& w, int index) {
    for (const Action& action : script.actions) {
      if (!action.at.has_value() && action.before == index) {
        act(action, w);
      }
    }
    if (trial.clipboard_taken == index) {
      input.TakeClipboard(Taken());
      copied = true;
    }
  });
  for (const mock::HostilitySpec& spec : script.hostilities) {
    absl::StatusOr<std::unique_ptr<mock::Hostility>> made =
        mock::MakeHostility(spec.name, spec.options);
    if (made.ok()) server.Add(*std::move(made));
  }
  server.Add(MakeWatching(&witness));
  input.TakeClipboard(Copied());
  if (!mock::Play(script, input).ok()) return verdict;
  input.HoldModifiers(clock.Now() + trial.modifiers_held);
  for (const Action& action : script.actions) {
    if (!action.at.has_value()) continue;
    server.At(clock.Now() + *action.at, [&witness, act, action](World& w) {
      witness.Enter(w);
      act(action, w);
      witness.Leave(w, false);
    });
  }

  Edit edit = trial.edit;
  // What was expected: the truth before anybody acts.
  std::optional<Element> expected_element;
  std::u32string expected_text;
  if (trial.with_token || trial.with_expect) {
    mock::MockServer honest(&world, &clock);
    const std::unique_ptr<Backend> of_honest = make ? make(honest) : nullptr;
    const absl::StatusOr<Snapshot> then =
        SnapshotFocused(make ? of_honest->server() : honest,
                        {.max_text = trial.options.max_text});
    if (then.ok() && then->value.ok()) {
      expected_element =
          make ? of_honest->InTruth(then->element) : then->element;
      expected_text = world.Find(*expected_element)->text;
      if (trial.with_token) edit.snapshot = *DecodeToken(then->token());
      if (trial.with_expect) {
        edit.expect = *then->value;
        edit.element = then->element;
      }
    }
  }
  witness.Begin(world, ShownLate(script));

  EditOptions options = trial.options;
  options.deadline = clock.Now() + trial.time;
  const std::unique_ptr<Backend> backend = make ? make(server) : nullptr;
  Editor editor(make ? &backend->server() : &server, make ? nullptr : &input);
  verdict.result = editor.Apply(edit, options);
  const EditResult& result = verdict.result;
  const Element element =
      make ? backend->InTruth(result.element) : result.element;
  verdict.provable = Provable(script);
  verdict.user_in_gap = witness.ChangedInGap(element);
  const auto breaks = [&](absl::string_view promise, absl::string_view what) {
    if (verdict.broken.empty()) {
      verdict.broken = absl::StrCat(promise, ": ", what);
    }
  };

  // On any server.
  if (result.elapsed > trial.time + kGiveBack) {
    breaks("deadline", absl::FormatDuration(result.elapsed));
  }
  if (server.TextSentToToldSecure() != 0) breaks("secure", "text");
  std::set<int> keys;  // by the messages' indices
  for (const mock::LoggedInput& entry : input.log()) {
    const bool pressed =
        entry.verb == InputVerb::kPress || entry.verb == InputVerb::kType;
    // Of keys that were cut by the deadline some were sent.
    if (!pressed || !(entry.outcome == absl::StatusCode::kOk ||
                      entry.outcome == absl::StatusCode::kDeadlineExceeded)) {
      continue;
    }
    keys.insert(entry.index);
  }
  int edits = 0;
  for (const auto& [index, sending] : witness.sendings()) {
    if (keys.contains(index) && sending.told_secure) breaks("secure", "a key");
    if (sending.edits) ++edits;
    // One that was replaced and still answers stands for the new one.
    if (!sending.element.application.empty() &&
        Witness::KeyOf(sending.element) != Witness::KeyOf(element)) {
      breaks("target", "a write to another element");
    }
  }
  const bool stolen = Has(script, "clipboard_stolen");
  if (!stolen && input.clipboard() != (copied ? Taken() : Copied())) {
    breaks("clipboard", "it holds something else");
  }
  verdict.overtyped = witness.Overtyped();
  world.RemoveListener(listener);
  if (result.outcome == Outcome::kRefused && (edits > 0 || !keys.empty())) {
    breaks("refused", absl::StrCat(edits, " writes, ", keys.size(), " keys"));
  }
  if (!verdict.provable) return verdict;

  const auto window = [&](const std::u32string& text, absl::string_view of) {
    return Slice(text, result.window_begin,
                 Size(mock::DecodeUtf8(std::string(of))));
  };
  const bool whole = trial.options.max_text > 8;
  if (result.outcome == Outcome::kVerified) {
    const Witness::Sight* read = witness.LastReadOf(element);
    // An echo of as many characters as the field holds by then is a perfect
    // one, whoever made it hold as many; and so is one beside which the user
    // types what is missing of the count.
    const int64_t held_size = whole && read != nullptr
                                  ? Size(read->text)
                                  : Size(mock::DecodeUtf8(*result.before));
    const bool same_count =
        held_size == Size(mock::DecodeUtf8(*result.expected));
    // Of a text that came in twice the right prefix reads, for a while, as all
    // there is.
    const bool perfect =
        (Has(script, "write_echo") &&
         (same_count || (read != nullptr && read->torn))) ||
        (Has(script, "write_prefixes") && Has(script, "write_doubles"));
    const auto shown = [&](const std::u32string& text) {
      return whole ? mock::EncodeUtf8(text) : window(text, *result.expected);
    };
    const std::string held =
        read == nullptr ? "(never read)" : shown(read->text);
    const bool sooner =
        read != nullptr && shown(read->at_once) == *result.expected;
    // An element that was replaced when the edit had landed goes on answering
    // with it, whatever the user does to the one in its place.
    bool answers_as_it_was = false;
    if (Has(script, "write_element_swapped")) {
      for (const std::u32string& text : witness.TextsHeldBy(element)) {
        answers_as_it_was |= shown(text) == *result.expected;
      }
    }
    // What the client was told last is among what was read since it sent.
    bool was_read = false;
    if (make && backend->ReadsForItself()) {
      int sent = -1;
      for (const auto& [index, sending] : witness.sendings()) {
        if (sending.edits) sent = index;
      }
      for (const auto& [at, sight] : witness.sights()) {
        was_read |= at > sent && sight.element == element &&
                    shown(sight.text) == *result.expected;
      }
    }
    if (!perfect && !sooner && !answers_as_it_was && !was_read &&
        held != *result.expected) {
      breaks("verified", absl::StrCat("expected ", Quote(*result.expected),
                                      ", held ", Quote(held)));
    }
  }
  if (expected_element.has_value()) {
    const auto is_expected = [&](const Witness::Sight& read, int64_t count) {
      if (!(read.element == *expected_element)) return false;
      if (whole) return read.text == expected_text;
      return (!trial.with_token || count == Size(expected_text)) &&
             window(read.text, *result.before) == *result.before;
    };
    for (const auto& [index, sending] : witness.sendings()) {
      if (!sending.edits && !keys.contains(index)) continue;
      bool same = sending.read.has_value() &&
                  is_expected(*sending.read, sending.read->count);
      if (make && backend->ReadsForItself()) {
        for (const auto& [at, read] : witness.sights()) {
          same |= at < index && is_expected(read, Size(read.text));
        }
      }
      if (!same) breaks("stale", "sent over another text");
      // The first alone: what comes after it has the first one's effects.
      break;
    }
  }
  if (verdict.user_in_gap && result.attempts.size() > 1 &&
      result.attempts.front().outcome == Outcome::kFailed) {
    const Witness::Sight* read = witness.LastReadOf(element);
    if (read != nullptr && result.before.has_value() &&
        window(read->text, *result.before) != *result.before &&
        result.outcome != Outcome::kVerified) {
      breaks("retried", Quote(*result.before));
    }
  }
  if (verdict.overtyped && (result.outcome == Outcome::kRefused ||
                            result.outcome == Outcome::kFailed)) {
    breaks("overtyped", OutcomeName(result.outcome));
  }
  // What is late comes now.
  world.AdvanceTo(clock.Now() + absl::Seconds(5), clock);
  if (result.outcome == Outcome::kFailed ||
      result.outcome == Outcome::kRefused) {
    // A server that says no of what lands in another field is believed: this
    // one is unchanged.
    std::optional<Witness::Key> concerns;
    if (Has(script, "write_other_element")) concerns = Witness::KeyOf(element);
    if (!witness.AsAlone(world, result, concerns)) {
      breaks("unchanged", OutcomeName(result.outcome));
    }
  }
  const bool doubles = Has(script, "write_doubles") ||
                       Has(script, "paste_twice") ||
                       Has(script, "write_other_element");
  if (!doubles && Markers(world) > 1) {
    breaks("doubled", absl::StrCat(Markers(world), " times"));
  }
  return verdict;
}

}  // namespace tactus::ax
