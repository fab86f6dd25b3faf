// One script, played in real time: the world, its hostilities and its actions,
// shared by the applications that a mock process shows on D-Bus.
//
// Each call that an application gets is one message, and goes through a stage
// as a message of MockServer does:
//
//   Message message = ...;                 // verb, element, attribute, range
//   Fate fate = stage.Begin(message);      // acts, then decides
//   if (!fate.silent) Reading reading = stage.Read(message);
//
// Not thread-safe.
#ifndef TACTUS_AX_MOCK_DBUS_STAGE_H_
#define TACTUS_AX_MOCK_DBUS_STAGE_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

class Stage {
 public:
  // `patience` stands for the deadline that the client has in mind, which the
  // wire does not tell: a message's deadline is its arrival and that much.
  // Errors are those of MakeHostility.
  static absl::StatusOr<std::unique_ptr<Stage>> Make(const Script& script,
                                                     absl::Duration patience);

  World& world() { return world_; }

  // Actions of the script that wait for a time.
  const std::vector<Action>& timed() const { return timed_; }

  // Does what the world has scheduled until now, and says when the next of it
  // is due.
  absl::Time Advance();

  // Numbers the message, does what the script does before it, and says what
  // becomes of it.
  Fate Begin(Message& message);

  // The answers, lies included.
  Reading Read(const Message& message);
  // Carries out a message whose verb is kWrite. FailedPrecondition when the
  // answer is that it was not done; so it is with `refused`, unless a hostility
  // thinks otherwise.
  absl::Status Write(const Message& message, bool refused);
  absl::StatusOr<std::vector<Element>> Focus(const Message& message);
  absl::StatusOr<std::vector<Application>> Applications(const Message& message);

  // What the client gets to see of an event of the world, and when.
  std::vector<TimedEvent> Events(const Event& event);

  // Told of every message that has arrived, with whether its element was secure
  // at that moment.
  using Logger = std::function<void(const Message&, bool secure)>;
  void set_logger(Logger logger) { logger_ = std::move(logger); }

 private:
  Stage(const Script& script, absl::Duration patience)
      : world_(script.desktop), patience_(patience) {}

  World world_;
  const absl::Duration patience_;
  std::vector<std::unique_ptr<Hostility>> hostilities_;
  std::vector<Action> before_;
  std::vector<Action> timed_;
  Logger logger_;
  int next_ = 0;
  SimulatedClock played_;  // follows the real one
  Message last_;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_STAGE_H_
