// Paste and type into a real application, and ask it what it then holds.
#include <stdlib.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/input.h"
#include "ax/x11/testing/client.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

using atspi::Control;
using atspi::DesktopVariable;
using atspi::Dump;

// Letters with marks, a family of joined emoji, right to left.
const char kText[] = "héllo 👩‍👩‍👧 שלום";

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

class FieldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<X11Input>> input = OpenX11Input({}, Soon());
    ASSERT_TRUE(input.ok()) << input.status();
    input_ = *std::move(input);
    // The control socket is answered by the application's own loop, so what was
    // sent to it before has been seen.
    Control({"focus", "text"});
    Control({"set", ""});
  }

  // What the application holds once it holds something else than `before`, or
  // in the end: keys and the clipboard reach it when it gets to them.
  std::string DumpAfter(const std::string& before) {
    const absl::Time end = Soon();
    std::string dump;
    do {
      dump = Dump();
    } while (dump == before && Clock::Real().Now() < end);
    return dump;
  }

  std::string DumpWhenAsLongAs(const std::string& expected) {
    const absl::Time end = Soon();
    std::string dump;
    do {
      dump = Dump();
    } while (dump.size() < expected.size() && Clock::Real().Now() < end);
    return dump;
  }

  std::unique_ptr<X11Input> input_;
};

TEST_F(FieldTest, PasteArrivesExactlyAndTheClipboardIsAsItWas) {
  const std::string display = DesktopVariable("DISPLAY");
  const Value html = {"text/html", 8, "<b>the user's</b>"};
  TestOwner owner(display, {.values = {{"UTF8_STRING", Utf8("the user's")},
                                       {"text/html", html}}});
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      input_->Lend(kText, {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  ASSERT_EQ(input_->Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  const ClipboardLoan::State state = (*loan)->WaitServed(1, Soon());
  EXPECT_EQ(state.served, 1);
  EXPECT_FALSE(state.lost);
  EXPECT_EQ(DumpAfter(""), kText);
  EXPECT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());

  TestRequestor other(display);
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("the user's"));
  EXPECT_EQ(other.Fetch("text/html"), html);
  // And the application pastes that again, not what it remembers.
  ASSERT_EQ(input_->Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  EXPECT_EQ(DumpAfter(kText), std::string(kText) + "the user's");
}

TEST_F(FieldTest, LargePasteArrivesExactly) {
  std::string text;
  while (text.size() < 600 << 10) text += std::string(kText) + "\n";
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      input_->Lend(text, {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  ASSERT_EQ(input_->Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  EXPECT_EQ((*loan)->WaitServed(1, Soon()).served, 1);
  EXPECT_TRUE(DumpAfter("") == text);
  EXPECT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());
}

TEST_F(FieldTest, TypingArrivesExactly) {
  const std::string text = "Hello, World! ~`{}";
  ASSERT_EQ(input_->Type(text, Soon()), absl::OkStatus());
  EXPECT_EQ(DumpWhenAsLongAs(text), text);
}

TEST_F(FieldTest, EveryCharacterThatCanBeTypedArrivesInOrder) {
  std::string text = "first line\n\tsecond ";
  for (int round = 0; round < 5; ++round) {
    for (char c = ' '; c <= '~'; ++c) text.push_back(c);
  }
  ASSERT_EQ(input_->Type(text, Soon()), absl::OkStatus());
  EXPECT_EQ(DumpWhenAsLongAs(text), text);
}

}  // namespace
}  // namespace tactus::ax::x11
