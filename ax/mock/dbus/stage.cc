#include "ax/mock/dbus/stage.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/honest.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

absl::StatusOr<std::unique_ptr<Stage>> Stage::Make(const Script& script,
                                                   absl::Duration patience) {
  std::unique_ptr<Stage> stage(new Stage(script, patience));
  for (const HostilitySpec& spec : script.hostilities) {
    absl::StatusOr<std::unique_ptr<Hostility>> made =
        MakeHostility(spec.name, spec.options);
    if (!made.ok()) return made.status();
    stage->hostilities_.push_back(*std::move(made));
    stage->hostilities_.back()->Attach(stage->world_);
  }
  for (const Action& action : script.actions) {
    (action.at.has_value() ? stage->timed_ : stage->before_).push_back(action);
  }
  return stage;
}

absl::Time Stage::Advance() {
  world_.AdvanceTo(Clock::Real().Now(), played_);
  return world_.NextAction();
}

Fate Stage::Begin(Message& message) {
  Advance();
  message.index = next_++;
  // The wire does not tell flights. What changes one element without anything
  // between is taken for one.
  const bool goes_on = message.verb == Verb::kWrite &&
                       last_.verb == Verb::kWrite &&
                       last_.element == message.element;
  message.flight = goes_on ? last_.flight : message.index + 1;
  last_ = message;
  message.sent = Clock::Real().Now();
  message.deadline = message.sent + patience_;
  for (const Action& action : before_) {
    if (action.before == message.index) Perform(action, world_).IgnoreError();
  }
  for (const auto& hostility : hostilities_) {
    hostility->BeforeMessage(world_, message);
  }
  if (logger_) logger_(message, world_.IsSecure(message.element));
  Fate fate;
  for (const auto& hostility : hostilities_) {
    hostility->Decide(world_, message, fate);
  }
  return fate;
}

Reading Stage::Read(const Message& message) {
  Reading reading = HonestReading(world_, message);
  for (const auto& hostility : hostilities_) {
    hostility->AlterReading(world_, message, reading);
  }
  return reading;
}

absl::Status Stage::Write(const Message& message, bool refused) {
  Effect effect = HonestEffect(world_, message);
  if (refused && effect.answer.ok()) {
    effect.lands = false;
    effect.answer = absl::FailedPreconditionError("the toolkit says no");
  }
  for (const auto& hostility : hostilities_) {
    hostility->AlterWrite(world_, message, effect);
  }
  Carry(effect, world_);
  return effect.answer;
}

absl::StatusOr<std::vector<Element>> Stage::Focus(const Message& message) {
  absl::StatusOr<std::vector<Element>> found =
      HonestFocus(world_, message.element.application);
  for (const auto& hostility : hostilities_) {
    hostility->AlterElements(world_, message, found);
  }
  return found;
}

absl::StatusOr<std::vector<Application>> Stage::Applications(
    const Message& message) {
  absl::StatusOr<std::vector<Application>> found = std::vector<Application>();
  for (const Program& program : world_.desktop().programs) {
    found->push_back(program.application);
  }
  for (const auto& hostility : hostilities_) {
    hostility->AlterApplications(world_, message, found);
  }
  return found;
}

std::vector<TimedEvent> Stage::Events(const Event& event) {
  std::vector<TimedEvent> events = {{Clock::Real().Now(), event}};
  for (const auto& hostility : hostilities_) {
    hostility->AlterEvents(world_, events);
    if (!hostility->SourceStands(Clock::Real().Now())) events.clear();
  }
  return events;
}

}  // namespace tactus::ax::mock
