// One way in which an accessibility server, an application or its user makes a
// client's life hard. Hostilities are added to a `MockServer` and compose: each
// sees every message in the order in which they were added, what one has
// altered the next alters further; delays add up, and silence wins over them.
//
// Use the ready ones of hostilities.h by name; derive to add one. Override only
// the hooks that matter:
//
//   // Answers an empty text whatever the element holds.
//   class EmptyText : public Hostility {
//    public:
//     void AlterReading(World&, const Message& message,
//                       Reading& reading) override {
//       if (message.attribute == Attribute::kText) reading = std::string();
//     }
//   };
//
// A hostility is deterministic: what is random comes from a seed given to its
// constructor. It may change the world; it must not call the server.
#ifndef TACTUS_AX_MOCK_HOSTILITY_H_
#define TACTUS_AX_MOCK_HOSTILITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// What becomes of one message.
struct Fate {
  // Added to the application's own time: later messages to the same
  // application in the same flight wait as well, other applications' do not.
  absl::Duration delay;
  // The reply comes at this time and not before.
  absl::Time not_before = absl::InfinitePast();
  // The application dies as it gets the message; the client learns so after
  // `delay`.
  bool die = false;
  // No reply ever.
  bool silent = false;
  // Not even a connection: counts as no contact. Silent as well.
  bool mute = false;
  // It is carried out, and no reply ever.
  bool unanswered = false;
  // Unless OK: the reply is this error.
  absl::Status refusal;
};

// What one message of a write does, and what is answered. Both begin as the
// truth, and neither need have to do with the other.
struct Effect {
  Change what = Change::kDelete;
  Element element;
  Range range;
  std::string text;
  // Where the caret goes after that; none: where an editor leaves it.
  std::optional<int64_t> caret;
  bool lands = false;  // false: nothing changes
  absl::Status answer;
};

struct TimedEvent {
  absl::Time at;  // when the client can see it
  Event event;
};

class Hostility {
 public:
  virtual ~Hostility() = default;

  // Once, as it is added to a server: stage what it needs.
  virtual void Attach(World& world) {}

  // Before `message` reaches its receiver: act on the world.
  virtual void BeforeMessage(World& world, const Message& message) {}

  // Change what becomes of `message`.
  virtual void Decide(const World& world, const Message& message, Fate& fate) {}

  // Change what a write does and what is answered. Not called for a message
  // that is not carried out. Called before the change: what it does to the
  // world itself comes first.
  virtual void AlterWrite(World& world, const Message& message,
                          Effect& effect) {}

  // Change the answers. None is called for a message that gets no reply.
  virtual void AlterReading(World& world, const Message& message,
                            Reading& reading) {}
  // The batch as a whole, after each of its readings was altered.
  virtual void AlterBatch(World& world,
                          absl::StatusOr<std::vector<Reading>>& readings) {}
  virtual void AlterApplication(World& world, const Message& message,
                                absl::StatusOr<Application>& application) {}
  virtual void AlterApplications(
      World& world, const Message& message,
      absl::StatusOr<std::vector<Application>>& applications) {}
  virtual void AlterElements(World& world, const Message& message,
                             absl::StatusOr<std::vector<Element>>& elements) {}
  virtual void AlterFields(World& world, const Message& message,
                           absl::StatusOr<TextFieldList>& fields) {}
  // Whether the focus moves, and what is answered; before it does.
  virtual void AlterFocus(World& world, const Message& message, bool& lands,
                          absl::Status& answer) {}
  virtual void AlterWindows(World& world, const Message& message,
                            absl::StatusOr<std::vector<Window>>& windows) {}

  // Change what one event of the world becomes for one source: drop it, delay
  // it, add others. A source sorts by time and keeps the given order of equals.
  virtual void AlterEvents(World& world, std::vector<TimedEvent>& events) {}

  // Whether a source stands. False: its connection has ended.
  virtual bool SourceStands(absl::Time now) { return true; }
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_HOSTILITY_H_
