#include "ax/atspi/desktop/field.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);
// How long an application is given to show what its Ctrl+Z did. What comes
// later is recorded as nothing; no test depends on it.
constexpr absl::Duration kUndoPatience = absl::Milliseconds(400);
constexpr int kMostUndos = 4;

// In the order in which Tab goes through them: in our page and in no widget.
constexpr const char* kFields[] = {"text", "entry", "password", "readonly"};

absl::Time Soon() { return Clock::Real().Now() + kPatience; }

int PlaceOf(const std::string& field) {
  return static_cast<int>(
      std::find(std::begin(kFields), std::end(kFields), field) -
      std::begin(kFields));
}

// Where the page's focus is: it outlives the fixture of one case.
int focused_place = 0;

bool IsWidget(const std::string& application) {
  return application == "gtk3" || application == "gtk4" ||
         application == "qt5" || application == "qt6";
}

bool IsBrowser(const std::string& application) {
  return application == "chromium" || application == "firefox";
}

}  // namespace

bool HasOtherFields(const std::string& application) {
  return IsWidget(application) || IsBrowser(application);
}

Field::Field(Input* input)
    : input_(*input),
      application_(DesktopVariable("TACTUS_DESKTOP_APP")),
      widget_(IsWidget(application_)),
      browser_(IsBrowser(application_)) {}

void Field::Focus(const std::string& field) {
  if (widget_) {
    Control({"focus", field});
    return;
  }
  if (!browser_) return;
  for (; focused_place < PlaceOf(field); ++focused_place) PressKeys({"Tab"});
  for (; focused_place > PlaceOf(field); --focused_place) {
    PressKeys({"shift+Tab"});
  }
}

std::string Field::Dump() const { return atspi::Dump(); }

bool Field::Holds(const std::string& text) const {
  const absl::Time end = Soon();
  std::string dump;
  do {
    dump = Dump();
    if (dump == text) return true;
  } while (Clock::Real().Now() < end && !::testing::Test::HasFailure());
  ADD_FAILURE() << application_ << " holds '" << dump << "' and not '" << text
                << "'";
  return false;
}

void Field::Reset(const std::string& text) {
  if (is_terminal()) {
    const std::string before = Dump();
    PressKeys({"Return"});
    Holds(before + "\n");
    return;
  }
  if (widget_) {
    Control({"set", text});
    return;
  }
  PressKeys({"ctrl+a", "Delete"});
  if (!Holds("") || text.empty()) return;
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      input_.Lend(text, {.deadline = Soon(), .patience = kPatience});
  ASSERT_TRUE(loan.ok()) << loan.status();
  ASSERT_EQ(input_.Press(PasteKeys::kCtrlV, Soon()), absl::OkStatus());
  (*loan)->WaitServed(1, Soon());
  Holds(text);
  EXPECT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());
}

void Field::Select(int64_t begin, int64_t end, int64_t length) {
  if (is_terminal()) return;
  if (widget_) {
    Control({"select", absl::StrCat(begin), absl::StrCat(end)});
    return;
  }
  std::vector<std::string> keys(static_cast<size_t>(length - end), "Left");
  keys.resize(static_cast<size_t>(length - begin), "shift+Left");
  if (!keys.empty()) PressKeys(keys);
}

int Field::UndoByOwnKeys(const std::string& before) {
  std::string held = Dump();
  for (int pressed = 1; pressed <= kMostUndos; ++pressed) {
    if (!input_.Press(PasteKeys::kCtrlZ, Soon()).ok()) return 0;
    const absl::Time end = Clock::Real().Now() + kUndoPatience;
    std::string now;
    do {
      now = Dump();
      if (now == before) return pressed;
    } while (now == held && Clock::Real().Now() < end);
    if (now == held) return 0;
    held = std::move(now);
  }
  return 0;
}

}  // namespace tactus::ax::atspi
