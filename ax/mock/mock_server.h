// An accessibility server without a desktop: in process, deterministic, on a
// simulated clock, and as hostile as asked.
//
// Use it to test anything above the seam. It answers from a `World`, takes the
// time that its `Latency` says and no other, and keeps a log of every message.
//
//   SimulatedClock clock;
//   World world(EditorDesktop("hello"));
//   MockServer server(&world, &clock, {.per_flight = absl::Microseconds(20),
//                                      .per_call = absl::Microseconds(5)});
//   server.Add(*MakeHostility("hung", {}));         // hostilities.h
//   server.BetweenMessages([](World& w, int index) {
//     if (index == 3) w.Type(*w.Focused(), "x").IgnoreError();
//   });
//   const absl::Time deadline = clock.Now() + absl::Milliseconds(200);
//   server.FocusedApplication(deadline);
//
// What each verb costs:
//
//   verb                   flights  calls  connections (each on first contact)
//   FocusedApplication     1        1      the registry
//   WindowList             1        1      the display
//   ApplicationOfProcess   1        1      the registry
//   Applications           1        1      the registry
//   FocusedElements        1        1      the application
//   TextFields             1        1      the application
//   Focus                  1        1      the application
//   Read                   1        1      the application
//   ReadMany of n          1        n      each application; n = 0 costs none
//   Write of kReplaceRange 1        0-3    the application; see below
//   Write of another kind  1        1      the application
//   Observe                1        1      always one, of its own
//
// kReplaceRange takes a call to delete unless the range is empty, one to insert
// unless the text is, and after either one to set the caret where one is given,
// all in one flight and in this order; neither of the two costs nothing, and is
// done. Each is sent whatever became of the one before. Its status is
// DeadlineExceeded when an answer of these two is missing, otherwise the first
// that is not OK; what is said of the caret is not told, and not waited for
// where it does not come. Whether an element offers a change at all is known
// without asking it.
//
// A call sends kRequestBytes and the text that it writes; its reply is
// kReplyBytes and what ReplySize() says, that of a write a bool. A request that
// is wrong in itself (InvalidArgument), or made after its deadline, sends
// nothing. A flight of n calls takes
//
//   connections * cold_connection + per_flight + n * per_call + bytes *
//   per_byte
//
// which is what ax/cost predicts from its traffic; only a hostility's delay
// adds to it. Messages are evaluated one after the other, so that what happens
// between them tears the flight: the user may type between a delete and its
// insert. A write whose reply comes too late has landed. A reply that would
// come after the deadline is DeadlineExceeded, one that comes exactly at it is
// an answer; the verb returns exactly at the later of its last answer and, when
// one is missing, its deadline. An application that dies stays in the world's
// past: its id answers Unavailable.
//
// A batch carries one status a reading, PermissionDenied and DeadlineExceeded
// too; its whole fails only where a hostility rejects it. What is answered in
// truth is in honest.h.
//
// Not thread-safe, except EventSource::Cancel.
#ifndef TACTUS_AX_MOCK_MOCK_SERVER_H_
#define TACTUS_AX_MOCK_MOCK_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

inline constexpr int64_t kRequestBytes = 64;
inline constexpr int64_t kReplyBytes = 32;

// The payload of one reading: 1 for a bool, 8 for a number, 16 for a range, 8
// and the native name for a role, both parts of an element, its bytes for a
// text, 0 for an error.
int64_t ReplySize(const Reading& reading);

struct Latency {
  absl::Duration cold_connection = {};
  absl::Duration per_flight = {};
  absl::Duration per_call = {};
  absl::Duration per_byte = {};

  friend bool operator==(const Latency&, const Latency&) = default;
};

class MockServer : public Server {
 public:
  // Entries kept in the log. A snapshot makes some ten messages; a fuzz run
  // that makes more than this loops, and its tail says nothing new.
  static constexpr size_t kMaxLog = 1 << 16;

  // Events kept for a source that is not read. When one more comes the oldest
  // half is dropped and kLost told in its place.
  static constexpr size_t kMaxQueuedEvents = 4096;

  // Both must outlive the server, and may be shared with another.
  MockServer(World* world, SimulatedClock* clock, Latency latency = {});
  ~MockServer() override;

  MockServer(const MockServer&) = delete;
  MockServer& operator=(const MockServer&) = delete;

  World& world() { return *world_; }

  // Appends; see hostility.h for how they compose.
  void Add(std::unique_ptr<Hostility> hostility);

  // Runs before every message reaches its receiver, after what was added by an
  // earlier call and before any hostility. `message_index` counts from 0 over
  // the server's life.
  void BetweenMessages(std::function<void(World&, int message_index)> hook) {
    hooks_.push_back(std::move(hook));
  }

  // Runs `action` when the clock, moved by anybody who waits on this world,
  // reaches `time`; at once before the next message when that has passed
  // already.
  void At(absl::Time time, std::function<void(World&)> action) {
    world_->At(time, std::move(action));
  }

  // What happens before a message, for one that does not go through this
  // server: a key, or the clipboard. It has an index and is not logged. Returns
  // that.
  int Interleave();

  // Every message so far, oldest first, at most kMaxLog.
  const std::vector<LoggedMessage>& log() const { return log_; }
  int64_t messages_not_logged() const { return messages_not_logged_; }
  void ClearLog() { log_.clear(); }

  // Messages of the log that bore text and met a secure element; of these the
  // second counts only those whose sender had been told. The first may be
  // more than 0 only where a field turns secure under way.
  int TextSentToSecure() const;
  int TextSentToToldSecure() const;

  // Server:
  Clock& clock() override { return *clock_; }
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
  Traffic traffic() const override { return traffic_; }

 private:
  class Source;
  struct Flight;
  struct Queue;

  // What the client has been told of an element.
  struct Told {
    bool role = false;     // kRole answered password
    bool subrole = false;  // kSubrole answered password
    int64_t flight = 0;    // in which the first of these was told
  };

  // What the receiver answers: the size of its payload, or its error.
  using Answer = absl::FunctionRef<absl::StatusOr<int64_t>(const Message&)>;

  // What happens before `message` reaches its receiver.
  void Precede(const Message& message);
  // Sends one message of `flight`. OK: `answer` has run, with success, and its
  // reply arrives in time.
  absl::Status Exchange(Flight& flight, Message message, Answer answer);
  // The one message of a flight of its own.
  absl::Status ExchangeAlone(Message message, absl::Time deadline,
                             Answer answer);
  // What both verbs that answer one application do with what `find` finds.
  absl::StatusOr<Application> AskForApplication(
      Message message, absl::Time deadline, absl::string_view missing,
      absl::FunctionRef<const Program*(const Message&)> find);
  absl::Status WriteInFlight(Flight& flight, Message message);
  Reading ReadInFlight(Flight& flight, const ReadRequest& request,
                       bool batched);
  // Waits for the flight's answers.
  void Finish(const Flight& flight);
  void AdvanceTo(absl::Time time) { world_->AdvanceTo(time, *clock_); }
  void Hear(const Event& event);

  World* const world_;
  SimulatedClock* const clock_;
  const Latency latency_;
  std::vector<std::unique_ptr<Hostility>> hostilities_;
  std::vector<std::function<void(World&, int)>> hooks_;
  Traffic traffic_;
  std::set<std::string> connected_;
  int next_message_ = 0;
  std::vector<LoggedMessage> log_;
  int64_t messages_not_logged_ = 0;
  std::map<std::pair<std::string, std::string>, Told> told_;
  std::vector<std::weak_ptr<Queue>> queues_;
  int listener_ = 0;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_MOCK_SERVER_H_
