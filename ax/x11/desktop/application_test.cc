// Any application: paste and type at the end of what it holds.
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

using atspi::DesktopVariable;
using atspi::Dump;

// Letters with marks, a family of joined emoji, right to left.
const char kText[] = "héllo 👩‍👩‍👧 שלום";

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

std::string DumpWhenAsLongAs(const std::string& expected) {
  const absl::Time end = Soon();
  std::string dump;
  do {
    dump = Dump();
  } while (dump.size() < expected.size() && Clock::Real().Now() < end);
  return dump;
}

TEST(ApplicationTest, PasteAndTypingArriveExactlyAndTheClipboardIsAsItWas) {
  absl::StatusOr<std::unique_ptr<X11Input>> opened = OpenX11Input({}, Soon());
  ASSERT_TRUE(opened.ok()) << opened.status();
  X11Input& input = **opened;
  const bool terminal = DesktopVariable("TACTUS_DESKTOP_APP") == "vte";
  const std::string before = Dump();

  const std::string display = DesktopVariable("DISPLAY");
  TestOwner owner(display, {.values = {{"UTF8_STRING", Utf8("the user's")}}});
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      input.Lend(kText, {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  ASSERT_EQ(input.Press(terminal ? PasteKeys::kCtrlShiftV : PasteKeys::kCtrlV,
                        Soon()),
            absl::OkStatus());
  const ClipboardLoan::State state = (*loan)->WaitServed(1, Soon());
  EXPECT_GE(state.served, 1);
  EXPECT_FALSE(state.lost);
  RecordProperty("served", state.served);
  EXPECT_EQ(DumpWhenAsLongAs(before + kText), before + kText);
  RecordProperty("served_in_all", (*loan)->state().served);
  EXPECT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(display);
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("the user's"));

  const std::string typed = " Hello, World! ~`{}@#$%^&*()_+|";
  ASSERT_EQ(input.Type(typed, Soon()), absl::OkStatus());
  EXPECT_EQ(DumpWhenAsLongAs(before + kText + typed), before + kText + typed);
}

}  // namespace
}  // namespace tactus::ax::x11
