#include "ax/mock/mock_input.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/mock/code_points.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr char kBeside[] = "/beside";

// Keys do something to it.
bool Takes(const Node& node) {
  return node.role.role == Role::kTerminal ||
         ((node.states & kStateEditable) != 0 &&
          (node.states & kStateReadOnly) == 0);
}

bool IsTypable(char c) {
  return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

// The first `units` UTF-16 units; half of a pair comes alone.
std::u32string Cut(const std::u32string& text, int64_t units) {
  std::u32string out;
  for (const char32_t point : text) {
    if (units <= 0) break;
    const bool pair = point > 0xFFFF;
    out += pair && units == 1 ? 0xD800 + ((point - 0x10000) >> 10) : point;
    units -= pair ? 2 : 1;
  }
  return out;
}

}  // namespace

struct MockInput::State {
  // What a loan and the clipboard know of each other.
  struct Lent {
    int served = 0;
  };

  World* world = nullptr;
  SimulatedClock* clock = nullptr;
  MockServer* server = nullptr;
  InputTiming timing;
  std::map<InputFault, int64_t> faults;  // with their parameters
  Clipboard clipboard;
  std::shared_ptr<Lent> owner;  // null: another client, or nobody
  absl::Time held_until = absl::InfinitePast();
  std::vector<LoggedInput> log;

  bool Has(InputFault fault) const { return faults.contains(fault); }
  bool Held() const { return clock->Now() < held_until; }

  // What happens before a verb; then its entry in the log, by its place there.
  size_t Begin(InputVerb verb, absl::string_view text = {}) {
    int index = static_cast<int>(log.size());
    if (server != nullptr) {
      index = server->Interleave();
    } else {
      world->AdvanceTo(clock->Now(), *clock);
    }
    LoggedInput& entry = log.emplace_back();
    entry.verb = verb;
    entry.index = index;
    entry.text = std::string(text);
    entry.at = clock->Now();
    const std::optional<Element> focused = world->Focused();
    entry.secure = focused.has_value() && world->IsSecure(*focused);
    return log.size() - 1;
  }

  absl::Status End(size_t entry, absl::Status status) {
    log[entry].outcome = status.code();
    return status;
  }

  void Take(Clipboard content, std::shared_ptr<Lent> by) {
    clipboard = std::move(content);
    owner = std::move(by);
  }

  void Paste(const Element& element) {
    const Node* node = world->Find(element);
    const auto text = clipboard.find(kTextTarget);
    if (node == nullptr || !Takes(*node) || text == clipboard.end()) return;
    if (owner != nullptr) ++owner->served;
    std::u32string points = DecodeUtf8(text->second);
    if (Has(InputFault::kPasteStripsNewlines)) {
      std::erase_if(points,
                    [](char32_t p) { return p == U'\n' || p == U'\r'; });
    }
    if (const auto cut = faults.find(InputFault::kPasteTruncated);
        cut != faults.end()) {
      points = Cut(points, cut->second);
    }
    world->Type(element, EncodeUtf8(points)).IgnoreError();
  }

  // What is selected; of no selection, the character behind the caret.
  void Delete(const Element& element) {
    const Node* node = world->Find(element);
    if (node == nullptr || !Takes(*node) ||
        node->role.role == Role::kTerminal) {
      return;
    }
    const Range range =
        node->selection.value_or(Range{node->caret, node->caret + 1});
    world->ReplaceRange(element, range, "").IgnoreError();
  }

  // One key, to whatever has the keyboard.
  void Key(char key) {
    const std::optional<Element> focused = world->Focused();
    if (!focused.has_value()) return;
    const Node* node = world->Find(*focused);
    if (node == nullptr || !Takes(*node)) return;
    if ((node->states & kStateSingleLine) != 0 && key < ' ') return;
    if (Has(InputFault::kTypeWrongLayout)) {
      const absl::string_view from = "yzYZ";
      const size_t at = from.find(key);
      if (at != absl::string_view::npos) key = "zyZY"[at];
    }
    world->Type(*focused, absl::string_view(&key, 1)).IgnoreError();
  }
};

class MockInput::Loan : public ClipboardLoan {
 public:
  Loan(std::shared_ptr<MockInput::State> state,
       std::shared_ptr<MockInput::State::Lent> lent, Clipboard saved)
      : state_(std::move(state)),
        lent_(std::move(lent)),
        saved_(std::move(saved)) {}
  ~Loan() override { Return().IgnoreError(); }

  State state() override {
    return {lent_->served, ended_.has_value() ? !ended_->ok() : Lost()};
  }

  State WaitServed(int times, absl::Time deadline) override {
    state_->Begin(InputVerb::kWaitServed);
    const auto waiting = [&] {
      const State now = state();
      return !ended_.has_value() && now.served < times && !now.lost &&
             state_->clock->Now() < deadline;
    };
    while (waiting()) {
      state_->world->AdvanceTo(std::min(state_->world->NextAction(), deadline),
                               *state_->clock);
    }
    return state();
  }

  absl::Status GiveBack(absl::Time) override {
    const size_t entry = state_->Begin(InputVerb::kGiveBack);
    return state_->End(entry, Return());
  }

 private:
  bool Lost() const { return state_->owner != lent_; }

  absl::Status Return() {
    if (!ended_.has_value()) {
      if (Lost()) {
        ended_ = absl::FailedPreconditionError("another client has taken it");
      } else {
        state_->Take(std::move(saved_), nullptr);
        ended_ = absl::OkStatus();
      }
    }
    return *ended_;
  }

  const std::shared_ptr<MockInput::State> state_;
  const std::shared_ptr<MockInput::State::Lent> lent_;
  Clipboard saved_;
  std::optional<absl::Status> ended_;  // how it was given back
};

MockInput::MockInput(World* world, SimulatedClock* clock, MockServer* server,
                     InputTiming timing)
    : state_(std::make_shared<State>()) {
  state_->world = world;
  state_->clock = clock;
  state_->server = server;
  state_->timing = timing;
}

MockInput::~MockInput() = default;

absl::Status MockInput::Add(const InputFaultSpec& fault) {
  const absl::StatusOr<int64_t> parameter = ParameterOf(fault);
  if (!parameter.ok()) return parameter.status();
  const InputFault kind = FindInputFault(fault.name)->fault;
  state_->faults[kind] = *parameter;
  const std::optional<Element> focused = state_->world->Focused();
  if (kind == InputFault::kFocusMovesBeforePaste && focused.has_value() &&
      state_->world->Find({focused->application, kBeside}) == nullptr) {
    Node beside = TextArea(kBeside, "decoy");
    beside.states &= ~kStateFocused;
    state_->world->MutableProgram(focused->application)
        ->nodes.push_back(std::move(beside));
  }
  return absl::OkStatus();
}

const Clipboard& MockInput::clipboard() const { return state_->clipboard; }

void MockInput::TakeClipboard(Clipboard content) {
  state_->Take(std::move(content), nullptr);
}

void MockInput::HoldModifiers(absl::Time until) { state_->held_until = until; }

const std::vector<LoggedInput>& MockInput::log() const { return state_->log; }

Clock& MockInput::clock() { return *state_->clock; }

absl::StatusOr<std::unique_ptr<ClipboardLoan>> MockInput::Lend(
    absl::string_view text, const LendOptions& options) {
  State& state = *state_;
  const size_t entry = state.Begin(InputVerb::kLend, text);
  if (!IsUtf8(text)) {
    return state.End(entry,
                     absl::InvalidArgumentError("the text is not UTF-8"));
  }
  if (state.Has(InputFault::kClipboardOwnerHangs) ||
      state.clock->Now() > options.deadline) {
    const absl::Time patience = state.clock->Now() + options.patience;
    state.world->AdvanceTo(std::min(patience, options.deadline), *state.clock);
    return state.End(
        entry, absl::DeadlineExceededError("nobody hands the clipboard over"));
  }
  int64_t size = 0;
  for (const auto& [target, content] : state.clipboard) {
    size += static_cast<int64_t>(content.size());
  }
  if (state.Has(InputFault::kClipboardTooLarge) ||
      size > options.max_saved_bytes) {
    return state.End(
        entry, absl::ResourceExhaustedError("the clipboard holds too much"));
  }
  auto lent = std::make_shared<State::Lent>();
  Clipboard saved = std::move(state.clipboard);
  state.Take({{kTextTarget, std::string(text)}, {kHiddenTarget, "secret"}},
             lent);
  return std::make_unique<Loan>(state_, std::move(lent), std::move(saved));
}

absl::Status MockInput::Press(PasteKeys keys, absl::Time deadline) {
  State& state = *state_;
  const size_t entry = state.Begin(InputVerb::kPress);
  state.log[entry].keys = keys;
  if (state.clock->Now() > deadline) {
    return state.End(entry,
                     absl::DeadlineExceededError("no time to press a key"));
  }
  if (state.Has(InputFault::kPressFails)) {
    return state.End(entry,
                     absl::FailedPreconditionError("there is no such key"));
  }
  if (state.Held()) {
    state.world->AdvanceTo(std::min(state.held_until, deadline), *state.clock);
    if (state.Held()) {
      return state.End(entry,
                       absl::FailedPreconditionError("modifiers are held"));
    }
  }
  if (state.Has(InputFault::kClipboardStolen)) {
    state.Take({{kTextTarget, "another's"}}, nullptr);
  }
  if (state.Has(InputFault::kFocusMovesBeforePaste)) {
    state.world->Focus({state.world->desktop().focused, kBeside}).IgnoreError();
  }
  const std::optional<Element> focused = state.world->Focused();
  const Node* node =
      focused.has_value() ? state.world->Find(*focused) : nullptr;
  if (node == nullptr) return absl::OkStatus();
  const bool terminal = node->role.role == Role::kTerminal;
  if (keys == PasteKeys::kDelete) {
    state.world->At(state.clock->Now() + state.timing.key,
                    [shared = state_, element = *focused](World&) {
                      shared->Delete(element);
                    });
    return absl::OkStatus();
  }
  if (keys != (terminal ? PasteKeys::kCtrlShiftV : PasteKeys::kCtrlV)) {
    return absl::OkStatus();
  }
  if (state.Has(InputFault::kPasteNever)) return absl::OkStatus();
  absl::Duration after = state.timing.paste;
  if (const auto late = state.faults.find(InputFault::kPasteLate);
      late != state.faults.end()) {
    after = absl::Milliseconds(late->second);
  }
  const int times = state.Has(InputFault::kPasteTwice) ? 2 : 1;
  for (int i = 0; i < times; ++i) {
    state.world->At(state.clock->Now() + after,
                    [shared = state_, element = *focused](World&) {
                      shared->Paste(element);
                    });
  }
  return absl::OkStatus();
}

absl::Status MockInput::Type(absl::string_view ascii, absl::Time deadline) {
  State& state = *state_;
  const size_t entry = state.Begin(InputVerb::kType, ascii);
  if (!std::all_of(ascii.begin(), ascii.end(), IsTypable)) {
    return state.End(entry, absl::InvalidArgumentError("not printable ASCII"));
  }
  if (state.Has(InputFault::kTypeFails)) {
    return state.End(entry,
                     absl::FailedPreconditionError("there is no such key"));
  }
  if (state.Held()) {
    return state.End(entry,
                     absl::FailedPreconditionError("modifiers are held"));
  }
  bool drops = state.Has(InputFault::kTypeFirstKeyDropped);
  for (const char key : ascii) {
    const absl::Time done = state.clock->Now() + state.timing.key;
    if (done > deadline) {
      state.world->AdvanceTo(deadline, *state.clock);
      return state.End(entry, absl::DeadlineExceededError("not all was typed"));
    }
    state.world->AdvanceTo(done, *state.clock);
    if (!drops) state.Key(key);
    drops = false;
  }
  return absl::OkStatus();
}

}  // namespace tactus::ax::mock
