// A program that is a keeper and nothing else, for tests.
#include "ax/x11/keeper.h"

int main() {
  using tactus::ax::x11::KeepClipboard;
  using tactus::ax::x11::kKeeperContent;
  using tactus::ax::x11::kKeeperReport;
  return KeepClipboard(kKeeperContent, kKeeperReport).ok() ? 0 : 1;
}
