// One application of the stage, as AT-SPI sees it: a connection to the
// accessibility bus of its own, an object tree, answers, events.
//
//   absl::StatusOr<std::unique_ptr<WireApplication>> app =
//       WireApplication::Connect(address, event, stage, "app:7");
//   (*app)->Embed([] { /* the registry knows it now */ });
//
// It answers what a client needs to find and read the focused text:
// Accessible (GetRole, GetRoleName, GetState, GetInterfaces, GetChildren,
// GetChildAtIndex, GetIndexInParent, GetApplication; Name, Description, Parent,
// ChildCount), Application (ToolkitName, Version, AtspiVersion, Id), Text
// (GetText, GetSelection, GetNSelections; CharacterCount, CaretOffset),
// what editing.h names of EditableText and Text, all of it answered by whether
// it was done; Collection.GetMatches of what is focused and Cache.GetItems
// where its toolkit has them, and org.freedesktop.DBus.Peer. Anything else is
// UnknownMethod.
//
// What kills some real application kills this one always, so that a client that
// does it is caught: Properties.GetAll, GetText of another signature or up to
// INT_MAX, a negative index to GetSelection, EditableText with a negative or
// inverted range. To die is to close the connection, which is all that the bus
// sees of it.
#ifndef TACTUS_AX_MOCK_DBUS_APPLICATION_H_
#define TACTUS_AX_MOCK_DBUS_APPLICATION_H_

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/mock/dbus/editing.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

class WireApplication {
 public:
  // `event` and `stage` must outlive it; `id` is the stage's name for the
  // application. Unavailable when nobody listens at `address`.
  static absl::StatusOr<std::unique_ptr<WireApplication>> Connect(
      const std::string& address, sd_event* event, Stage* stage,
      const std::string& id);
  // One of several behind a socket that is not theirs (wire_bus.h). `tamper`
  // gets each reply before it is sent, may be null, and returns what is sent.
  using Tamper =
      std::function<sd_bus_message*(sd_bus_message* call, sd_bus_message*)>;
  static std::unique_ptr<WireApplication> OnBus(sd_event* event, Stage* stage,
                                                const std::string& id,
                                                const std::string& name,
                                                Tamper tamper);
  ~WireApplication();

  WireApplication(const WireApplication&) = delete;
  WireApplication& operator=(const WireApplication&) = delete;

  // Registers with org.a11y.atspi.Registry; `done` runs when that has answered,
  // with an error too: a bus without a registry still has its applications.
  void Embed(std::function<void()> done);

  const std::string& id() const { return id_; }
  const std::string& bus_name() const { return name_; }
  // False once it has died.
  bool alive() const { return alive_; }
  // Closes the connection.
  void Die();

  // Sends the signal of an event of one of its elements, when it is due.
  void Tell(const TimedEvent& timed) { Tell(timed, bus_); }
  void Tell(const TimedEvent& timed, sd_bus* to);

  // Answers a call to it, and may die of it.
  void Handle(sd_bus_message* m);

 private:
  struct Delayed {
    WireApplication* self = nullptr;
    sd_bus_message* message = nullptr;
    sd_event_source* timer = nullptr;
  };
  // A call, understood.
  struct Call {
    std::string interface;
    std::string member;  // of the method, or of the property that is got
    bool property = false;
    bool root = false;     // to the application itself
    bool cache = false;    // to its cache
    Element element;       // in the stage's names; path empty for the root
    int64_t argument = 0;  // an index; the limit of GetMatches, 0 for none
    uint32_t states = 0;   // of GetMatches: the first word that must be set
    bool to_end = false;   // GetText up to -1
    std::optional<EditCall> edit;
    Message message;
  };

  WireApplication(sd_event* event, Stage* stage, std::string id)
      : event_(event), stage_(stage), id_(std::move(id)) {}

  static int OnCall(sd_bus_message* call, void* userdata, sd_bus_error*);
  static int OnEmbedded(sd_bus_message* reply, void* userdata, sd_bus_error*);
  static int OnTimer(sd_event_source* timer, uint64_t, void* userdata);

  // Whether the call is one that kills, whatever the script says.
  static bool Kills(sd_bus_message* m);
  // Consumes the call's arguments. UnknownMethod is Unimplemented, a path that
  // is nobody's NotFound.
  absl::Status Understand(sd_bus_message* m, Call& call) const;
  absl::Status FindTarget(const std::string& path, Call& call) const;
  // Writes the answer into `reply`.
  absl::Status Answer(const Call& call, sd_bus_message* reply);
  absl::Status AnswerAccessible(const Call& call, sd_bus_message* reply);
  absl::Status AnswerApplication(const Call& call, sd_bus_message* reply);
  absl::Status AnswerEdit(const Call& call, sd_bus_message* reply);
  absl::Status AnswerText(const Call& call, sd_bus_message* reply);
  absl::Status AppendItems(const Call& call, sd_bus_message* reply);
  absl::Status AppendReference(const Element& element, sd_bus_message* reply);
  absl::Status AppendReferences(const std::vector<Element>& elements,
                                sd_bus_message* reply);
  std::vector<Element> Children(const Call& call);
  const Program* program() const { return stage_->world().FindProgram(id_); }
  Manners manners() const;
  // Sends at `at`, or now when that has passed. Takes the message.
  static void SendNow(sd_bus_message* message);
  void SendAt(sd_bus_message* message, absl::Time at);

  sd_event* const event_;
  Stage* const stage_;
  const std::string id_;
  sd_bus* bus_ = nullptr;  // its own; null where others share it
  bool alive_ = true;
  Tamper tamper_;
  std::string name_;
  std::function<void()> embedded_;
  std::list<Delayed> delayed_;
  absl::Time busy_until_ = absl::InfinitePast();
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_APPLICATION_H_
