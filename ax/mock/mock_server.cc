#include "ax/mock/mock_server.h"

#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/mock/honest.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

// Names of connections that no application id can be taken for.
constexpr char kRegistry[] = "\nregistry";
constexpr char kDisplay[] = "\ndisplay";
constexpr char kObserver[] = "\nobserver";

absl::Status Late() { return absl::DeadlineExceededError("no answer"); }

std::string ConnectionOf(const Message& message) {
  switch (message.verb) {
    case Verb::kWindowList:
      return kDisplay;
    case Verb::kFocusedElements:
    case Verb::kTextFields:
    case Verb::kFocus:
    case Verb::kRead:
    case Verb::kWrite:
      return message.element.application;
    case Verb::kObserve:
      return kObserver;
    default:
      return kRegistry;
  }
}

bool ForApplication(Verb verb) {
  return verb == Verb::kFocusedElements || verb == Verb::kTextFields ||
         verb == Verb::kFocus || verb == Verb::kRead || verb == Verb::kWrite;
}

int64_t SizeOf(const std::string& text) {
  return static_cast<int64_t>(text.size());
}

int64_t SizeOf(const Application& application) {
  return 4 + SizeOf(application.id) + SizeOf(application.name) +
         SizeOf(application.toolkit) + SizeOf(application.toolkit_version);
}

bool Known(Attribute attribute) {
  return attribute >= Attribute::kRole && attribute <= Attribute::kSelectedText;
}

absl::Status Check(const WriteRequest& request) {
  using Kind = WriteRequest::Kind;
  const Kind kind = request.kind;
  if (kind < Kind::kReplaceRange || kind > Kind::kSelect ||
      request.element.application.empty()) {
    return absl::InvalidArgumentError("no such write or element");
  }
  const Range range = request.range;
  const bool replaces = kind == Kind::kReplaceRange;
  if ((kind != Kind::kSetValue &&
       (range.begin < 0 || range.end < range.begin)) ||
      (replaces && request.caret.value_or(0) < 0)) {
    return absl::InvalidArgumentError("offsets negative or out of order");
  }
  if (kind != Kind::kSelect && !IsUtf8(request.text)) {
    return absl::InvalidArgumentError("the text is not UTF-8");
  }
  if (kind != Kind::kSelect && request.text.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("the text holds a zero");
  }
  return absl::OkStatus();
}

// False: the element has no interface that the write could use. An element that
// is not there may have any.
bool Offers(const World& world, const WriteRequest& request) {
  const Node* node = world.Find(request.element);
  if (node == nullptr) return world.FindPane(request.element) == nullptr;
  const State needed = request.kind == WriteRequest::Kind::kSelect
                           ? kStateSupportsText
                           : kStateSupportsEditing;
  return (node->states & needed) != 0;
}

std::vector<Message> MessagesOf(const WriteRequest& request) {
  std::vector<Message> messages;
  const auto add = [&](Change what, Range range, const std::string& text) {
    Message& message = messages.emplace_back();
    message.verb = Verb::kWrite;
    message.element = request.element;
    message.what = what;
    message.range = range;
    message.text = text;
  };
  const Range range = request.range;
  switch (request.kind) {
    case WriteRequest::Kind::kReplaceRange:
      if (!range.empty()) add(Change::kDelete, range, "");
      if (!request.text.empty()) {
        add(Change::kInsert, {range.begin, range.begin}, request.text);
      }
      if (request.caret.has_value() && !messages.empty()) {
        add(Change::kSetCaret, {*request.caret, *request.caret}, "");
      }
      break;
    case WriteRequest::Kind::kSetValue:
      add(Change::kSetValue, {}, request.text);
      break;
    case WriteRequest::Kind::kSelect:
      add(Change::kSelect, range, "");
      break;
  }
  return messages;
}

}  // namespace

int64_t ReplySize(const Reading& reading) {
  if (!reading.ok()) return 0;
  if (std::holds_alternative<bool>(*reading)) return 1;
  if (std::holds_alternative<int64_t>(*reading)) return 8;
  if (std::holds_alternative<Range>(*reading)) return 16;
  if (const auto* text = std::get_if<std::string>(&*reading)) {
    return SizeOf(*text);
  }
  if (const auto* element = std::get_if<Element>(&*reading)) {
    return SizeOf(element->application) + SizeOf(element->path);
  }
  if (const auto* role = std::get_if<RoleValue>(&*reading)) {
    return 8 + SizeOf(role->native);
  }
  return 0;
}

// One set of messages that are waited for together.
struct MockServer::Flight {
  absl::Time deadline;
  // When the link has carried all that was sent and answered so far.
  absl::Time cursor;
  // When the last answer of the flight arrives.
  absl::Time end;
  bool missing = false;  // an answer will not come by the deadline
  int places = 0;
  // What each application's own slowness adds.
  std::map<std::string, absl::Duration> delays;
};

// Events on their way to one source. Shared by the source and, weakly, by the
// server, so that either may go first.
struct MockServer::Queue {
  MockServer* server = nullptr;  // null once the server is gone
  SimulatedClock* clock = nullptr;
  ObserveOptions options;
  std::atomic<bool> cancelled = false;
  std::deque<TimedEvent> events;  // by time

  void Insert(const TimedEvent& event) {
    if (events.size() >= kMaxQueuedEvents) {
      const absl::Time at = events[kMaxQueuedEvents / 2 - 1].at;
      events.erase(events.begin(), events.begin() + kMaxQueuedEvents / 2);
      events.push_front({at, {Event::Kind::kLost, {}}});
    }
    const auto place = std::upper_bound(
        events.begin(), events.end(), event,
        [](const TimedEvent& a, const TimedEvent& b) { return a.at < b.at; });
    events.insert(place, event);
  }
};

class MockServer::Source : public EventSource {
 public:
  explicit Source(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}

  absl::StatusOr<Event> Next(absl::Time deadline) override {
    while (true) {
      if (queue_->cancelled.exchange(false)) {
        return absl::CancelledError("cancelled");
      }
      const absl::Time now = queue_->clock->Now();
      if (!queue_->events.empty() && queue_->events.front().at <= now) {
        Event event = queue_->events.front().event;
        queue_->events.pop_front();
        return event;
      }
      MockServer* const server = queue_->server;
      if (server == nullptr) return absl::UnavailableError("the server ended");
      for (const auto& hostility : server->hostilities_) {
        if (!hostility->SourceStands(now)) {
          return absl::UnavailableError("the connection ended");
        }
      }
      // What comes next: an event, something that happens, or the deadline.
      absl::Time next = absl::InfiniteFuture();
      if (!queue_->events.empty()) next = queue_->events.front().at;
      next = std::min(next, server->world_->NextAction());
      if (next > deadline || next == absl::InfiniteFuture()) {
        server->AdvanceTo(deadline);
        return Late();
      }
      server->AdvanceTo(next);
    }
  }

  void Cancel() override { queue_->cancelled = true; }

 private:
  const std::shared_ptr<Queue> queue_;
};

MockServer::MockServer(World* world, SimulatedClock* clock, Latency latency)
    : world_(world), clock_(clock), latency_(latency) {
  listener_ = world_->AddListener([this](const Event& event) { Hear(event); });
}

MockServer::~MockServer() {
  world_->RemoveListener(listener_);
  for (const std::weak_ptr<Queue>& weak : queues_) {
    if (const std::shared_ptr<Queue> queue = weak.lock()) {
      queue->server = nullptr;
    }
  }
}

void MockServer::Add(std::unique_ptr<Hostility> hostility) {
  hostilities_.push_back(std::move(hostility));
  hostilities_.back()->Attach(*world_);
}

int MockServer::TextSentToSecure() const {
  return static_cast<int>(
      std::count_if(log_.begin(), log_.end(), [](const LoggedMessage& m) {
        return m.message.BearsText() && m.secure;
      }));
}

int MockServer::TextSentToToldSecure() const {
  return static_cast<int>(
      std::count_if(log_.begin(), log_.end(), [](const LoggedMessage& m) {
        return m.message.BearsText() && m.told_secure;
      }));
}

void MockServer::Precede(const Message& message) {
  for (const auto& hook : hooks_) hook(*world_, message.index);
  for (const auto& hostility : hostilities_) {
    hostility->BeforeMessage(*world_, message);
  }
}

int MockServer::Interleave() {
  AdvanceTo(clock_->Now());  // what is overdue
  Message message;
  message.verb = Verb::kInput;
  message.index = next_message_++;
  message.flight = traffic_.flights;
  message.sent = clock_->Now();
  message.deadline = absl::InfiniteFuture();
  Precede(message);
  return message.index;
}

absl::Status MockServer::Exchange(Flight& flight, Message message,
                                  Answer answer) {
  message.index = next_message_++;
  message.flight = traffic_.flights;
  message.place = flight.places++;
  message.deadline = flight.deadline;
  traffic_.calls += 1;
  const int64_t request = kRequestBytes + SizeOf(message.text);
  traffic_.bytes += request;

  const std::string connection = ConnectionOf(message);
  const bool cold = !connected_.contains(connection);
  if (cold) flight.cursor += latency_.cold_connection;
  flight.cursor += latency_.per_call + latency_.per_byte * request;
  AdvanceTo(std::min(flight.cursor, flight.deadline));
  message.sent = clock_->Now();

  Precede(message);
  Fate fate;
  for (const auto& hostility : hostilities_) {
    hostility->Decide(*world_, message, fate);
  }

  LoggedMessage entry;
  entry.message = message;
  entry.secure = world_->IsSecure(message.element);
  const auto told =
      told_.find({message.element.application, message.element.path});
  entry.told_secure = told != told_.end() &&
                      (told->second.role || told->second.subrole) &&
                      told->second.flight < message.flight;

  const bool in_reach = flight.cursor <= flight.deadline && !fate.mute;
  if (cold && in_reach) {
    connected_.insert(connection);
    traffic_.connections += 1;
  } else if (cold && fate.mute) {
    // The time that a connection would have taken is not spent: it is waited
    // for until the deadline, beside what else is in the flight.
    flight.cursor -= latency_.cold_connection;
  }

  const bool no_reply = fate.silent || fate.mute || fate.unanswered;
  const bool gone = ForApplication(message.verb) &&
                    world_->FindProgram(message.element.application) == nullptr;
  absl::Status status;
  int64_t payload = 0;
  if (!gone && fate.die) {
    // A verb of the registry harms nobody but who asks: there is no one to die.
    world_->Quit(message.element.application).IgnoreError();
    connected_.erase(connection);
    status = absl::UnavailableError("the application ended");
  } else if (gone) {
    connected_.erase(connection);
    status = absl::UnavailableError("no such application");
  } else if (fate.silent || fate.mute) {
    status = Late();
  } else if (!fate.refusal.ok()) {
    status = fate.refusal;
  } else if (in_reach) {
    const absl::StatusOr<int64_t> size = answer(message);
    status = size.status();
    if (size.ok()) payload = *size;
  }

  if (no_reply) {
    flight.missing = true;
    status = Late();
  } else {
    absl::Duration& delay = flight.delays[connection];
    delay += fate.delay;
    const int64_t reply = kReplyBytes + payload;
    const absl::Time cursor = flight.cursor + latency_.per_byte * reply;
    const absl::Time arrival = std::max(cursor + delay, fate.not_before);
    if (arrival > flight.deadline) {
      flight.missing = true;
      status = Late();
    } else {
      flight.cursor = cursor;
      flight.end = std::max(flight.end, arrival);
      traffic_.bytes += reply;
    }
  }

  entry.outcome = status.code();
  if (log_.size() < kMaxLog) {
    log_.push_back(std::move(entry));
  } else {
    ++messages_not_logged_;
  }
  return status;
}

void MockServer::Finish(const Flight& flight) {
  AdvanceTo(flight.missing ? flight.deadline : flight.end);
}

absl::Status MockServer::ExchangeAlone(Message message, absl::Time deadline,
                                       Answer answer) {
  if (clock_->Now() > deadline) return Late();
  traffic_.flights += 1;
  Flight flight;
  flight.deadline = deadline;
  flight.cursor = flight.end = clock_->Now() + latency_.per_flight;
  absl::Status status = Exchange(flight, std::move(message), answer);
  Finish(flight);
  return status;
}

absl::StatusOr<Application> MockServer::AskForApplication(
    Message message, absl::Time deadline, absl::string_view missing,
    absl::FunctionRef<const Program*(const Message&)> find) {
  absl::StatusOr<Application> found;
  absl::Status status =
      ExchangeAlone(std::move(message), deadline,
                    [&](const Message& m) -> absl::StatusOr<int64_t> {
                      const Program* program = find(m);
                      if (program == nullptr) {
                        found = absl::NotFoundError(missing);
                      } else {
                        found = program->application;
                      }
                      for (const auto& hostility : hostilities_) {
                        hostility->AlterApplication(*world_, m, found);
                      }
                      if (!found.ok()) return found.status();
                      return SizeOf(*found);
                    });
  if (!status.ok()) return status;
  return found;
}

absl::StatusOr<Application> MockServer::FocusedApplication(
    absl::Time deadline) {
  Message message;
  message.verb = Verb::kFocusedApplication;
  return AskForApplication(
      message, deadline, "no application has the keyboard",
      [this](const Message&) {
        return world_->FindProgram(world_->desktop().focused);
      });
}

absl::StatusOr<std::vector<Window>> MockServer::WindowList(
    absl::Time deadline) {
  Message message;
  message.verb = Verb::kWindowList;
  absl::StatusOr<std::vector<Window>> windows;
  absl::Status status = ExchangeAlone(
      message, deadline, [&](const Message& m) -> absl::StatusOr<int64_t> {
        windows = std::vector<Window>();
        for (const Pane& pane : world_->desktop().panes) {
          windows->push_back(pane.window);
        }
        for (const auto& hostility : hostilities_) {
          hostility->AlterWindows(*world_, m, windows);
        }
        if (!windows.ok()) return windows.status();
        int64_t size = 0;
        for (const Window& window : *windows) size += 5 + SizeOf(window.title);
        return size;
      });
  if (!status.ok()) return status;
  return windows;
}

absl::StatusOr<Application> MockServer::ApplicationOfProcess(
    pid_t pid, absl::Time deadline) {
  if (pid <= 0) return absl::InvalidArgumentError("not a process id");
  Message message;
  message.verb = Verb::kApplicationOfProcess;
  message.pid = pid;
  return AskForApplication(
      message, deadline, "no application of that process",
      [this](const Message& m) { return world_->FindProcess(m.pid); });
}

absl::StatusOr<std::vector<Application>> MockServer::Applications(
    absl::Time deadline) {
  Message message;
  message.verb = Verb::kApplications;
  absl::StatusOr<std::vector<Application>> found;
  absl::Status status = ExchangeAlone(
      message, deadline, [&](const Message& m) -> absl::StatusOr<int64_t> {
        found = std::vector<Application>();
        for (const Program& program : world_->desktop().programs) {
          found->push_back(program.application);
        }
        for (const auto& hostility : hostilities_) {
          hostility->AlterApplications(*world_, m, found);
        }
        if (!found.ok()) return found.status();
        int64_t size = 0;
        for (const Application& application : *found) {
          size += SizeOf(application);
        }
        return size;
      });
  if (!status.ok()) return status;
  return found;
}

absl::StatusOr<std::vector<Element>> MockServer::FocusedElements(
    const Application& application, absl::Time deadline) {
  if (application.id.empty()) {
    return absl::InvalidArgumentError("the application has no id");
  }
  Message message;
  message.verb = Verb::kFocusedElements;
  message.element = {application.id, ""};
  absl::StatusOr<std::vector<Element>> found;
  absl::Status status = ExchangeAlone(
      message, deadline, [&](const Message& m) -> absl::StatusOr<int64_t> {
        found = HonestFocus(*world_, m.element.application);
        for (const auto& hostility : hostilities_) {
          hostility->AlterElements(*world_, m, found);
        }
        if (!found.ok()) return found.status();
        int64_t size = 0;
        for (const Element& element : *found) {
          size += SizeOf(element.application) + SizeOf(element.path);
        }
        return size;
      });
  if (!status.ok()) return status;
  return found;
}

absl::StatusOr<TextFieldList> MockServer::TextFields(
    const Application& application, const FieldLimits& limits,
    absl::Time deadline) {
  if (application.id.empty()) {
    return absl::InvalidArgumentError("the application has no id");
  }
  Message message;
  message.verb = Verb::kTextFields;
  message.element = {application.id, ""};
  absl::StatusOr<TextFieldList> found;
  absl::Status status = ExchangeAlone(
      message, deadline, [&](const Message& m) -> absl::StatusOr<int64_t> {
        found = HonestFields(*world_, m.element.application, limits);
        for (const auto& hostility : hostilities_) {
          hostility->AlterFields(*world_, m, found);
        }
        if (!found.ok()) return found.status();
        int64_t size = 0;
        for (const TextField& field : found->fields) {
          size += SizeOf(field.element.application) +
                  SizeOf(field.element.path) + SizeOf(field.name);
        }
        return size;
      });
  if (!status.ok()) return status;
  return found;
}

absl::Status MockServer::Focus(const Element& element, absl::Time deadline) {
  if (element.application.empty()) {
    return absl::InvalidArgumentError("no such element");
  }
  Message message;
  message.verb = Verb::kFocus;
  message.element = element;
  return ExchangeAlone(
      message, deadline, [&](const Message& m) -> absl::StatusOr<int64_t> {
        bool lands = world_->Find(m.element) != nullptr;
        absl::Status answer = lands ? absl::OkStatus()
                                    : absl::UnavailableError("no such element");
        for (const auto& hostility : hostilities_) {
          hostility->AlterFocus(*world_, m, lands, answer);
        }
        if (lands) world_->Focus(m.element).IgnoreError();
        if (!answer.ok()) return answer;
        return 1;
      });
}

Reading MockServer::ReadInFlight(Flight& flight, const ReadRequest& request,
                                 bool batched) {
  Message message;
  message.verb = Verb::kRead;
  message.element = request.element;
  message.attribute = request.attribute;
  message.range = request.range;
  message.batched = batched;
  Reading reading;
  absl::Status status = Exchange(
      flight, message, [&](const Message& m) -> absl::StatusOr<int64_t> {
        reading = HonestReading(*world_, m);
        for (const auto& hostility : hostilities_) {
          hostility->AlterReading(*world_, m, reading);
        }
        if (!reading.ok()) return reading.status();
        return ReplySize(reading);
      });
  if (!status.ok()) return status;
  if (const auto* role = std::get_if<RoleValue>(&*reading)) {
    Told& told = told_[{request.element.application, request.element.path}];
    const bool before = told.role || told.subrole;
    const bool password = role->role == Role::kPassword;
    if (request.attribute == Attribute::kRole) told.role = password;
    if (request.attribute == Attribute::kSubrole) told.subrole = password;
    if (!before) told.flight = traffic_.flights;
  }
  return reading;
}

Reading MockServer::Read(const ReadRequest& request, absl::Time deadline) {
  if (!Known(request.attribute) || request.element.application.empty()) {
    return absl::InvalidArgumentError("no such attribute or element");
  }
  if (clock_->Now() > deadline) return Late();
  traffic_.flights += 1;
  Flight flight;
  flight.deadline = deadline;
  flight.cursor = flight.end = clock_->Now() + latency_.per_flight;
  Reading reading = ReadInFlight(flight, request, /*batched=*/false);
  Finish(flight);
  return reading;
}

absl::StatusOr<std::vector<Reading>> MockServer::ReadMany(
    absl::Span<const ReadRequest> requests, absl::Time deadline) {
  absl::StatusOr<std::vector<Reading>> readings = std::vector<Reading>();
  readings->reserve(requests.size());
  std::optional<Flight> flight;
  for (const ReadRequest& request : requests) {
    if (!Known(request.attribute) || request.element.application.empty()) {
      readings->push_back(
          absl::InvalidArgumentError("no such attribute or element"));
      continue;
    }
    if (!flight.has_value()) {
      if (clock_->Now() > deadline) {
        readings->push_back(Late());
        continue;
      }
      traffic_.flights += 1;
      flight.emplace();
      flight->deadline = deadline;
      flight->cursor = flight->end = clock_->Now() + latency_.per_flight;
    }
    readings->push_back(ReadInFlight(*flight, request, /*batched=*/true));
  }
  if (!flight.has_value()) return readings;
  Finish(*flight);
  for (const auto& hostility : hostilities_) {
    hostility->AlterBatch(*world_, readings);
  }
  return readings;
}

absl::Status MockServer::WriteInFlight(Flight& flight, Message message) {
  return Exchange(flight, std::move(message),
                  [&](const Message& m) -> absl::StatusOr<int64_t> {
                    Effect effect = HonestEffect(*world_, m);
                    for (const auto& hostility : hostilities_) {
                      hostility->AlterWrite(*world_, m, effect);
                    }
                    Carry(effect, *world_);
                    if (!effect.answer.ok()) return effect.answer;
                    return 1;
                  });
}

WriteResult MockServer::Write(const WriteRequest& request,
                              absl::Time deadline) {
  if (absl::Status wrong = Check(request); !wrong.ok()) return {false, wrong};
  if (clock_->Now() > deadline) return {false, Late()};
  if (!Offers(*world_, request)) {
    return {false,
            absl::UnimplementedError("the element offers no such thing")};
  }
  const std::vector<Message> messages = MessagesOf(request);
  if (messages.empty()) return {false, absl::OkStatus()};
  traffic_.flights += 1;
  Flight flight;
  flight.deadline = deadline;
  flight.cursor = flight.end = clock_->Now() + latency_.per_flight;
  WriteResult result;
  result.sent = true;
  for (const Message& message : messages) {
    if (message.what == Change::kSetCaret) {
      // A wish: neither waited for nor told.
      const bool missing = flight.missing;
      WriteInFlight(flight, message).IgnoreError();
      flight.missing = missing;
      continue;
    }
    const absl::Status answer = WriteInFlight(flight, message);
    if (result.status.ok() || absl::IsDeadlineExceeded(answer)) {
      result.status = answer;
    }
  }
  Finish(flight);
  return result;
}

absl::StatusOr<std::unique_ptr<EventSource>> MockServer::Observe(
    const ObserveOptions& options, absl::Time deadline) {
  Message message;
  message.verb = Verb::kObserve;
  absl::Status status = ExchangeAlone(
      message, deadline,
      [](const Message&) -> absl::StatusOr<int64_t> { return 0; });
  connected_.erase(kObserver);  // the next source opens one of its own
  if (!status.ok()) return status;
  auto queue = std::make_shared<Queue>();
  queue->server = this;
  queue->clock = clock_;
  queue->options = options;
  queues_.push_back(queue);
  return std::make_unique<Source>(std::move(queue));
}

void MockServer::Hear(const Event& event) {
  const bool text = event.kind == Event::Kind::kTextChanged ||
                    event.kind == Event::Kind::kSelectionChanged;
  for (const std::weak_ptr<Queue>& weak : queues_) {
    const std::shared_ptr<Queue> queue = weak.lock();
    if (queue == nullptr || (text && !queue->options.text)) continue;
    std::vector<TimedEvent> events = {{clock_->Now(), event}};
    for (const auto& hostility : hostilities_) {
      hostility->AlterEvents(*world_, events);
    }
    for (const TimedEvent& timed : events) queue->Insert(timed);
  }
}

}  // namespace tactus::ax::mock
