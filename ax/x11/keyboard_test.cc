#include "ax/x11/keyboard.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <xcb/xcb.h>
#include <xcb/xtest.h>
#include <xkbcommon/xkbcommon-x11.h>
#include <xkbcommon/xkbcommon.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/testing/client.h"
#include "ax/x11/testing/xvfb.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

// Keycodes of a PC keyboard.
constexpr uint8_t kControl = 37;
constexpr uint8_t kShift = 50;
// What stands for AltGr in X11's own layouts, whichever key of the user's that
// is.
constexpr uint8_t kAltGr = 92;
constexpr uint8_t kCapsLock = 66;
constexpr uint8_t kNumLock = 77;
constexpr uint8_t kV = 55;

absl::Time In(absl::Duration duration) {
  return Clock::Real().Now() + duration;
}
absl::Time Soon() { return In(absl::Seconds(20)); }

std::string AllThatCanBeTyped() {
  std::string all = "\n\t";
  for (char c = ' '; c <= '~'; ++c) all.push_back(c);
  return all;
}

struct KeyEvent {
  bool press = false;
  uint8_t key = 0;
  uint16_t state = 0;  // before the event

  friend bool operator==(const KeyEvent&, const KeyEvent&) = default;
};
std::ostream& operator<<(std::ostream& out, const KeyEvent& event) {
  return out << (event.press ? "+" : "-") << int{event.key} << "/"
             << event.state;
}

class KeyboardTest : public ::testing::Test {
 protected:
  void SetUp() override {
    xcb_map_window(user_.x(), user_.window());
    xcb_set_input_focus(user_.x(), XCB_INPUT_FOCUS_PARENT, user_.window(),
                        XCB_CURRENT_TIME);
    user_.Sync();
    absl::StatusOr<std::unique_ptr<Keyboard>> keyboard =
        Keyboard::Open(server_.display(), Soon());
    ASSERT_TRUE(keyboard.ok()) << keyboard.status();
    keyboard_ = *std::move(keyboard);
  }

  void Layout(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"setxkbmap", "-display",
                                        server_.display()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    RunProgram(command);
    user_.Sync();
  }

  // The user's own keys.
  void Key(bool press, uint8_t key) {
    xcb_test_fake_input(user_.x(), press ? XCB_KEY_PRESS : XCB_KEY_RELEASE, key,
                        XCB_CURRENT_TIME, XCB_NONE, 0, 0, 0);
    user_.Sync();
  }
  void Tap(uint8_t key) {
    Key(true, key);
    Key(false, key);
  }

  // What has come to the window that has the focus since the last time.
  std::vector<KeyEvent> Events() {
    user_.Sync();
    std::vector<KeyEvent> events;
    while (const std::unique_ptr<xcb_generic_event_t, decltype(&free)> event{
        xcb_poll_for_event(user_.x()), free}) {
      if (event->response_type != XCB_KEY_PRESS &&
          event->response_type != XCB_KEY_RELEASE) {
        continue;
      }
      const auto* key = reinterpret_cast<xcb_key_press_event_t*>(event.get());
      events.push_back(
          {event->response_type == XCB_KEY_PRESS, key->detail, key->state});
    }
    return events;
  }

  // What an application reads from them.
  std::string Read(const std::vector<KeyEvent>& events) {
    xkb_x11_setup_xkb_extension(user_.x(), XKB_X11_MIN_MAJOR_XKB_VERSION,
                                XKB_X11_MIN_MINOR_XKB_VERSION,
                                XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, nullptr,
                                nullptr, nullptr, nullptr);
    xkb_context* context = xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
    xkb_keymap* keymap = xkb_x11_keymap_new_from_device(
        context, user_.x(), xkb_x11_get_core_keyboard_device_id(user_.x()),
        XKB_KEYMAP_COMPILE_NO_FLAGS);
    xkb_state* state = xkb_state_new(keymap);
    std::string text;
    for (const KeyEvent& event : events) {
      if (!event.press) continue;
      // The bits of a core event: eight modifiers, and the layout above.
      xkb_state_update_mask(state, event.state & 0xFF, 0, 0, 0, 0,
                            (event.state >> 13) & 3);
      char buffer[8] = {};
      xkb_state_key_get_utf8(state, event.key, buffer, sizeof(buffer));
      text += buffer[0] == '\r' ? "\n" : buffer;
    }
    xkb_state_unref(state);
    xkb_keymap_unref(keymap);
    xkb_context_unref(context);
    return text;
  }

  std::vector<int> Down() {
    const std::unique_ptr<xcb_query_keymap_reply_t, decltype(&free)> reply(
        xcb_query_keymap_reply(user_.x(), xcb_query_keymap(user_.x()), nullptr),
        free);
    std::vector<int> down;
    for (int key = 0; key < 256; ++key) {
      if (reply->keys[key / 8] & (1 << (key % 8))) down.push_back(key);
    }
    return down;
  }

  void ExpectTyped(const std::string& text) {
    Events();
    EXPECT_EQ(keyboard_->Type(text, Soon()), absl::OkStatus());
    EXPECT_EQ(Read(Events()), text);
    EXPECT_EQ(Down(), std::vector<int>());
  }

  void ExpectPressed(const std::vector<KeyEvent>& events,
                     PasteKeys keys = PasteKeys::kCtrlV) {
    Events();
    EXPECT_EQ(keyboard_->Press(keys, Soon()), absl::OkStatus());
    EXPECT_EQ(Events(), events);
    EXPECT_EQ(Down(), std::vector<int>());
  }

  Xvfb server_;
  TestClient user_{server_.display()};
  std::unique_ptr<Keyboard> keyboard_;
};

TEST_F(KeyboardTest, PasteKeysArePressedAndReleasedInOrder) {
  Layout({"us"});
  ExpectPressed({{true, kControl, 0},
                 {true, kV, 4},
                 {false, kV, 4},
                 {false, kControl, 4}});
  ExpectPressed({{true, kControl, 0},
                 {true, kShift, 4},
                 {true, kV, 5},
                 {false, kV, 5},
                 {false, kShift, 5},
                 {false, kControl, 4}},
                PasteKeys::kCtrlShiftV);
}

TEST_F(KeyboardTest, EveryCharacterIsTypedInTheUsLayout) {
  Layout({"us"});
  ExpectTyped(AllThatCanBeTyped());
  ExpectTyped("Hello, World! ~`{}");
}

TEST_F(KeyboardTest, UpperCaseIsTypedWithShift) {
  Layout({"us"});
  EXPECT_EQ(keyboard_->Type("aA", Soon()), absl::OkStatus());
  EXPECT_EQ(Events(), (std::vector<KeyEvent>{{true, 38, 0},
                                             {false, 38, 0},
                                             {true, kShift, 0},
                                             {true, 38, 1},
                                             {false, 38, 1},
                                             {false, kShift, 1}}));
}

TEST_F(KeyboardTest, LayoutsWithOtherKeysAndAltGrAreTypedIn) {
  for (const char* layout : {"de", "fr", "gb", "it", "se"}) {
    SCOPED_TRACE(layout);
    Layout({layout});
    // Letters, digits and what needs Shift or AltGr somewhere; no dead keys.
    ExpectTyped("Hello, World! azqwyAZQWY 0123456789 {}[]@#\\|/?*+-_<>");
  }
}

TEST_F(KeyboardTest, AltGrIsHeldForWhatNeedsIt) {
  Layout({"de"});
  EXPECT_EQ(keyboard_->Type("@", Soon()), absl::OkStatus());
  EXPECT_EQ(Events(), (std::vector<KeyEvent>{{true, kAltGr, 0},
                                             {true, 24, 0x80},
                                             {false, 24, 0x80},
                                             {false, kAltGr, 0x80}}));
}

TEST_F(KeyboardTest, DvorakHasItsVElsewhere) {
  Layout({"us", "-variant", "dvorak"});
  ExpectPressed({{true, kControl, 0},
                 {true, 60, 4},
                 {false, 60, 4},
                 {false, kControl, 4}});
  ExpectTyped(AllThatCanBeTyped());
}

TEST_F(KeyboardTest, SwappedControlAndCapsLockAreFoundWhereTheyAre) {
  Layout({"us", "-option", "ctrl:swapcaps"});
  ExpectPressed({{true, kCapsLock, 0},
                 {true, kV, 4},
                 {false, kV, 4},
                 {false, kCapsLock, 4}});
}

TEST_F(KeyboardTest, CharacterWithoutAKeyIsRefusedBeforeAnythingIsSent) {
  Layout({"ru"});
  Events();
  const absl::Status status = keyboard_->Type("1a", Soon());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the active keyboard layout has no key for 'a'");
  EXPECT_EQ(keyboard_->Press(PasteKeys::kCtrlV, Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Events(), std::vector<KeyEvent>());
  ExpectTyped("1 + 2\n");
}

TEST_F(KeyboardTest, DeadKeysAreNotTakenForTheCharactersTheyCarry) {
  // ' " ^ ` and ~ are dead there, and stand on AltGr or nowhere.
  Layout({"us", "-variant", "intl"});
  ExpectTyped(AllThatCanBeTyped());
}

TEST_F(KeyboardTest, LayoutWithoutLatinPastesWithTheKeyOfAnotherLayout) {
  Layout({"ru,us"});
  ExpectPressed({{true, kControl, 0},
                 {true, kV, 4},
                 {false, kV, 4},
                 {false, kControl, 4}});
}

TEST_F(KeyboardTest, ActiveLayoutOfSeveralIsTheOneThatCounts) {
  Layout({"us,us,de", "-variant", ",dvorak,", "-option", "grp:menu_toggle"});
  constexpr uint8_t kMenu = 135;
  ExpectTyped("yz @");
  Tap(kMenu);
  Events();
  EXPECT_EQ(keyboard_->Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  std::vector<KeyEvent> events = Events();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[1], (KeyEvent{true, 60, 0x2000 | 4}));
  ExpectTyped(AllThatCanBeTyped());
  // The third, which the core protocol has no place for.
  Tap(kMenu);
  Events();
  EXPECT_EQ(keyboard_->Type("z", Soon()), absl::OkStatus());
  events = Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0], (KeyEvent{true, 29, 0x4000}));
  ExpectTyped("yz @{}");
}

TEST_F(KeyboardTest, LocksChangeNothingAndStayAsTheyAre) {
  Layout({"us"});
  Tap(kCapsLock);
  Tap(kNumLock);
  Events();
  constexpr uint16_t kLocks = 0x12;
  ExpectTyped(AllThatCanBeTyped());
  ExpectPressed({{true, kControl, kLocks},
                 {true, kV, kLocks | 4},
                 {false, kV, kLocks | 4},
                 {false, kControl, kLocks | 4}});
  // Digits come from their own row, whatever the keypad is at the moment.
  EXPECT_EQ(keyboard_->Type("1", Soon()), absl::OkStatus());
  EXPECT_EQ(Events(),
            (std::vector<KeyEvent>{{true, 10, kLocks}, {false, 10, kLocks}}));
}

TEST_F(KeyboardTest, KeypadIsLeftAloneWhereItWouldNeedNoShift) {
  // In French both need Shift among the letters.
  Layout({"fr"});
  Tap(kNumLock);
  Events();
  EXPECT_EQ(keyboard_->Type("1/", Soon()), absl::OkStatus());
  std::vector<int> pressed;
  for (const KeyEvent& event : Events()) {
    if (event.press) pressed.push_back(event.key);
  }
  EXPECT_EQ(pressed, (std::vector<int>{kShift, 10, kShift, 60}));
}

TEST_F(KeyboardTest, ModifierThatStaysHeldIsRefusedAndNothingIsSent) {
  Layout({"us"});
  for (uint8_t modifier : {kShift, kControl, uint8_t{64}, uint8_t{133}}) {
    Key(true, modifier);
    Events();
    EXPECT_EQ(
        keyboard_->Press(PasteKeys::kCtrlV, In(absl::Milliseconds(30))).code(),
        absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(keyboard_->Type("a", In(absl::Milliseconds(30))).code(),
              absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(Events(), std::vector<KeyEvent>());
    EXPECT_EQ(Down(), std::vector<int>{modifier});
    Key(false, modifier);
  }
}

TEST_F(KeyboardTest, ModifierIsWaitedForUntilItIsLetGo) {
  Layout({"us"});
  Key(true, kShift);
  Events();
  absl::Status pressed;
  std::thread pressing(
      [&] { pressed = keyboard_->Press(PasteKeys::kCtrlV, Soon()); });
  // However long that takes, nothing comes before Shift is let go.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Events(), std::vector<KeyEvent>());
  Key(false, kShift);
  pressing.join();
  EXPECT_EQ(pressed, absl::OkStatus());
  EXPECT_EQ(Events(), (std::vector<KeyEvent>{{false, kShift, 1},
                                             {true, kControl, 0},
                                             {true, kV, 4},
                                             {false, kV, 4},
                                             {false, kControl, 4}}));
}

TEST_F(KeyboardTest, KeyThatTheUserHoldsIsNotPressedAgain) {
  Layout({"us"});
  Key(true, kV);
  Events();
  EXPECT_EQ(
      keyboard_->Press(PasteKeys::kCtrlV, In(absl::Milliseconds(30))).code(),
      absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Down(), std::vector<int>{kV});
  Key(false, kV);
}

TEST_F(KeyboardTest, WhatIsNotPlainAsciiIsInvalid) {
  for (const char* text : {"é", "a\x7f", "a\rb", "\x1b", "a\x80"}) {
    EXPECT_EQ(keyboard_->Type(text, Soon()).code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(keyboard_->Type(std::string(1, '\0'), Soon()).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Events(), std::vector<KeyEvent>());
  EXPECT_EQ(keyboard_->Type("", Soon()), absl::OkStatus());
}

TEST_F(KeyboardTest, TypingStopsWhileTheUserHoldsAModifier) {
  Layout({"us"});
  Events();
  const std::string text(5000, 'a');
  absl::Status typed;
  std::atomic<bool> done = false;
  std::thread typing([&] {
    typed = keyboard_->Type(text, In(absl::Milliseconds(700)));
    done = true;
  });
  std::vector<KeyEvent> events;
  while (events.empty() && !done) events = Events();
  Key(true, kControl);
  typing.join();
  const std::vector<KeyEvent> more = Events();
  events.insert(events.end(), more.begin(), more.end());
  EXPECT_EQ(typed.code(), absl::StatusCode::kDeadlineExceeded);
  const auto count = std::count_if(
      events.begin(), events.end(),
      [](const KeyEvent& event) { return event.press && event.key == 38; });
  EXPECT_EQ(typed.message(),
            absl::StrCat(count,
                         " of 5000 characters were typed: the user "
                         "holds a modifier key (Shift, Control, Alt, "
                         "...)"));
  EXPECT_LT(count, 5000);
  EXPECT_EQ(Down(), std::vector<int>{kControl});
  Key(false, kControl);
}

TEST_F(KeyboardTest, PastDeadlineSendsNothing) {
  EXPECT_EQ(keyboard_->Type("a", absl::InfinitePast()).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(keyboard_->Press(PasteKeys::kCtrlV, absl::InfinitePast()).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Events(), std::vector<KeyEvent>());
}

TEST(KeyboardOpenTest, DisplayWithoutXTestIsNamed) {
  Xvfb server({"-extension", "XTEST"});
  const absl::Status status = Keyboard::Open(server.display(), Soon()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(status.message(), "XTEST")) << status;
}

TEST(KeyboardOpenTest, DisplayThatEndsIsUnavailable) {
  Xvfb server;
  absl::StatusOr<std::unique_ptr<Keyboard>> keyboard =
      Keyboard::Open(server.display(), Soon());
  ASSERT_TRUE(keyboard.ok()) << keyboard.status();
  server.Kill();
  EXPECT_EQ((*keyboard)->Press(PasteKeys::kCtrlV, Soon()).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ((*keyboard)->Type("a", Soon()).code(),
            absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tactus::ax::x11
