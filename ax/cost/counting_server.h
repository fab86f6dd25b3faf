// What a server was asked and what each question cost: a decorator round any
// server, which passes everything on unchanged.
//
// Use it to get the trace from which `CostModel` predicts, and to hold a caller
// to its budget of flights and calls:
//
//   CountingServer counted(&server);
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(counted, options);
//   EXPECT_EQ(counted.total().traffic.flights, 4);
//   for (const TraceEntry& entry : counted.trace()) {
//     // VerbName(entry.verb), entry.traffic.calls, entry.elapsed
//   }
//   model.Predict(counted.total().traffic);
//
// The figures are the differences of the inner server's own `traffic()`, so
// that another user of the inner server would be counted as well. Events are
// not counted: they come unasked, on a connection of their own.
//
// Not thread-safe, like every server.
#ifndef TACTUS_AX_COST_COUNTING_SERVER_H_
#define TACTUS_AX_COST_COUNTING_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::cost {

enum class Verb {
  kFocusedApplication,
  kWindowList,
  kApplicationOfProcess,
  kApplications,
  kFocusedElements,
  kTextFields,
  kFocus,
  kRead,
  kReadMany,
  kWrite,
  kObserve,
};

// "focused_application", "read_many".
absl::string_view VerbName(Verb verb);

struct TraceEntry {
  Verb verb = Verb::kRead;
  Traffic traffic;         // of this one question
  absl::Duration elapsed;  // on the server's clock

  friend bool operator==(const TraceEntry&, const TraceEntry&) = default;
};

class CountingServer : public Server {
 public:
  // Entries kept. A snapshot makes about five; a resident process that forgets
  // to Reset stops remembering here, and goes on adding up.
  static constexpr size_t kMaxTrace = 4096;

  // `inner` must outlive it.
  explicit CountingServer(Server* inner) : inner_(*inner) {}

  struct Total {
    int64_t questions = 0;
    Traffic traffic;
    absl::Duration elapsed;  // within the server, not between questions
  };

  // Since it was made, or since the last Reset.
  const std::vector<TraceEntry>& trace() const { return trace_; }
  const Total& total() const { return total_; }
  int64_t questions_not_traced() const {
    return total_.questions - static_cast<int64_t>(trace_.size());
  }
  void Reset();

  // Server:
  Clock& clock() override { return inner_.clock(); }
  absl::StatusOr<Application> FocusedApplication(absl::Time deadline) override;
  absl::StatusOr<std::vector<Window>> WindowList(absl::Time deadline) override;
  absl::StatusOr<Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) override;
  absl::StatusOr<std::vector<Application>> Applications(
      absl::Time deadline) override;
  absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time deadline) override;
  absl::StatusOr<TextFieldList> TextFields(const Application& application,
                                           const FieldLimits& limits,
                                           absl::Time deadline) override;
  absl::Status Focus(const Element& element, absl::Time deadline) override;
  Reading Read(const ReadRequest& request, absl::Time deadline) override;
  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) override;
  WriteResult Write(const WriteRequest& request, absl::Time deadline) override;
  absl::StatusOr<std::unique_ptr<EventSource>> Observe(
      const ObserveOptions& options, absl::Time deadline) override;
  // The inner server's, since it was made.
  Traffic traffic() const override { return inner_.traffic(); }

 private:
  // Asks, and notes what it cost.
  template <typename Ask>
  auto Count(Verb verb, Ask ask);

  Server& inner_;
  std::vector<TraceEntry> trace_;
  Total total_;
};

}  // namespace tactus::ax::cost

#endif  // TACTUS_AX_COST_COUNTING_SERVER_H_
