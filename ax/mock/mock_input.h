// A clipboard and a keyboard without a display: on the same world and the same
// clock as the mock server, deterministic, and as faulty as asked.
//
// Use it to test what pastes and types. A key that pastes takes no time, and
// what it does comes later, as in an application that has to ask for the
// clipboard: `paste` after the key, the text that the clipboard holds by then
// replaces the selection of the field that had the keyboard at the key.
//
//   MockServer server(&world, &clock);
//   MockInput input(&world, &clock, &server);
//   input.TakeClipboard({{"UTF8_STRING", "the user's"}});
//   input.Add("paste_late", 300).IgnoreError();     // input_faults.h
//   auto loan = *input.Lend("hello", {});
//   input.Press(PasteKeys::kCtrlV, deadline).IgnoreError();
//   (*loan)->WaitServed(1, deadline);               // moves the clock by 300
//   ms
//   // EncodeUtf8(world.Find(*world.Focused())->text) == "...hello"
//
// Terminals paste by Ctrl+Shift+V alone, all others by Ctrl+V alone; Delete
// takes `key` and does nothing in terminals, Ctrl+Z does nothing. Keys reach
// what is editable and terminals; anything else swallows them, and a field of
// one line the newlines and tabs that are typed.
//
// Each verb, of a loan too and but for state(), is a message more to the server
// that was given: its hooks, and what its hostilities do before messages,
// happen before it. Nothing takes time but typing, `key` for each, and waiting.
//
// Not thread-safe: what is lent is served while the clock moves.
#ifndef TACTUS_AX_MOCK_MOCK_INPUT_H_
#define TACTUS_AX_MOCK_MOCK_INPUT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"

namespace tactus::ax::mock {

// By target. Empty: nobody owns it.
using Clipboard = std::map<std::string, std::string>;

// The target that text is pasted from.
inline constexpr char kTextTarget[] = "UTF8_STRING";
// What a loan holds besides, so that clipboard histories skip it.
inline constexpr char kHiddenTarget[] = "x-kde-passwordManagerHint";

struct InputTiming {
  absl::Duration paste = absl::Milliseconds(5);
  absl::Duration key = absl::Milliseconds(1);
};

enum class InputVerb { kLend, kPress, kType, kWaitServed, kGiveBack };

struct LoggedInput {
  InputVerb verb = InputVerb::kLend;
  int index = 0;                       // among the server's messages
  PasteKeys keys = PasteKeys::kCtrlV;  // of kPress
  std::string text;                    // of kLend and kType
  absl::Time at;                       // when it began
  bool secure = false;                 // what had the keyboard then was secure
  absl::StatusCode outcome = absl::StatusCode::kOk;
};

class MockInput : public Input {
 public:
  // All that is given must outlive it and what it lends; without a server,
  // nothing happens between two verbs but what the world has scheduled.
  MockInput(World* world, SimulatedClock* clock, MockServer* server = nullptr,
            InputTiming timing = {});
  ~MockInput() override;

  MockInput(const MockInput&) = delete;
  MockInput& operator=(const MockInput&) = delete;

  // Errors are those of ParameterOf.
  absl::Status Add(const InputFaultSpec& fault);

  // What the clipboard holds now.
  const Clipboard& clipboard() const;
  // Another client, or the user, takes it.
  void TakeClipboard(Clipboard content);
  // The user holds modifiers until then.
  void HoldModifiers(absl::Time until);

  // Every verb so far, oldest first.
  const std::vector<LoggedInput>& log() const;

  // Input:
  Clock& clock() override;
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> Lend(
      absl::string_view text, const LendOptions& options) override;
  absl::Status Press(PasteKeys keys, absl::Time deadline) override;
  absl::Status Type(absl::string_view ascii, absl::Time deadline) override;

 private:
  class Loan;
  struct State;

  // Shared with loans and with pastes that are due.
  const std::shared_ptr<State> state_;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_MOCK_INPUT_H_
