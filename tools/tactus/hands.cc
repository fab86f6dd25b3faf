#include "tools/tactus/hands.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/input.h"
#include "ax/x11/keeper.h"

namespace tactus::cli {
namespace {

// For what was put back on the clipboard to find an owner that stays.
constexpr absl::Duration kHandOver = absl::Seconds(2);
// Not for users: this program, started as what keeps the clipboard.
constexpr char kKeepClipboard[] = "keep-clipboard";

}  // namespace

Hands::Hands()
    : input_(&ax::Clock::Real(),
             [this](absl::Time deadline) { return Open(deadline); }) {}

absl::Status Hands::HandOver() {
  if (opened_ == nullptr) return absl::OkStatus();
  const absl::Status handed =
      opened_->HandOver(ax::Clock::Real().Now() + kHandOver);
  if (handed.ok()) return handed;
  return absl::Status(
      handed.code(),
      absl::StrCat("the clipboard could not be kept: ", handed.message()));
}

absl::StatusOr<std::unique_ptr<ax::Input>> Hands::Open(absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<ax::x11::X11Input>> x11 =
      ax::x11::OpenX11Input({.keeper = {"/proc/self/exe", kKeepClipboard}},
                            deadline);
  if (!x11.ok()) return x11.status();
  opened_ = x11->get();
  return *std::move(x11);
}

std::optional<int> KeptClipboard(int argc, char** argv) {
  if (argc != 2 || strcmp(argv[1], kKeepClipboard) != 0) return std::nullopt;
  const absl::Status kept =
      ax::x11::KeepClipboard(ax::x11::kKeeperContent, ax::x11::kKeeperReport);
  return kept.ok() ? 0 : 1;
}

}  // namespace tactus::cli
