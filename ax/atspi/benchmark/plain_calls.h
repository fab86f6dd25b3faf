// The calls of a snapshot, each sent when the one before was answered, with
// nothing between them and sd-bus.
//
// It is the yardstick for what batching saves: the same calls as the two
// flights of a snapshot send, on the same kind of connection, by the same
// library, and no work besides. A slower baseline would flatter.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<PlainCalls>> calls =
//       PlainCalls::OnBus(bus_address, element);
//   absl::StatusOr<std::string> text = (*calls)->ReadInTurn();
#ifndef TACTUS_AX_ATSPI_BENCHMARK_PLAIN_CALLS_H_
#define TACTUS_AX_ATSPI_BENCHMARK_PLAIN_CALLS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi::bench {

class PlainCalls {
 public:
  // Calls in ReadInTurn: role, states, interfaces, text, character count, caret
  // and selection.
  static constexpr int kReads = 7;

  static absl::StatusOr<std::unique_ptr<PlainCalls>> OnBus(
      const std::string& bus_address, const Element& element);
  // On the socket of the application itself; NotFound when it offers none.
  static absl::StatusOr<std::unique_ptr<PlainCalls>> OnSocket(
      const std::string& bus_address, const Element& element);
  virtual ~PlainCalls() = default;

  // All seven; the text.
  virtual absl::StatusOr<std::string> ReadInTurn() = 0;
  // Five of them: all but interfaces and selection.
  virtual absl::Status FiveInTurn() = 0;
};

}  // namespace tactus::ax::atspi::bench

#endif  // TACTUS_AX_ATSPI_BENCHMARK_PLAIN_CALLS_H_
