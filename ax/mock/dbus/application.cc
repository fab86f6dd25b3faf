#include "ax/mock/dbus/application.h"

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/editing.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
constexpr char kApplication[] = "org.a11y.atspi.Application";
constexpr char kCache[] = "org.a11y.atspi.Cache";
constexpr char kCollection[] = "org.a11y.atspi.Collection";
constexpr char kEditableText[] = "org.a11y.atspi.EditableText";
constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kProperties[] = "org.freedesktop.DBus.Properties";
constexpr char kRegistry[] = "org.a11y.atspi.Registry";
constexpr char kSocket[] = "org.a11y.atspi.Socket";

constexpr uint32_t kFocusedBit = 1u << 12;
// Replies and signals that wait to be sent. A client that makes this many calls
// without an answer floods; the oldest is given up, as a full socket would.
constexpr size_t kMostDelayed = 10'000;

absl::Status FromErrno(int r, const char* what) {
  if (r >= 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(what, ": ", strerror(-r)));
}

// The name of the D-Bus error that stands for a status.
const char* ErrorName(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return SD_BUS_ERROR_UNKNOWN_METHOD;
    case absl::StatusCode::kUnavailable:
      return SD_BUS_ERROR_UNKNOWN_OBJECT;
    case absl::StatusCode::kPermissionDenied:
      return SD_BUS_ERROR_ACCESS_DENIED;
    case absl::StatusCode::kInvalidArgument:
      return SD_BUS_ERROR_INVALID_ARGS;
    default:
      return SD_BUS_ERROR_FAILED;
  }
}

int32_t Narrow(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
}

std::string Signature(sd_bus_message* m) {
  const char* signature = sd_bus_message_get_signature(m, 1);
  return signature == nullptr ? "" : signature;
}

int AppendStrings(const std::vector<std::string>& strings,
                  sd_bus_message* reply) {
  int r = sd_bus_message_open_container(reply, 'a', "s");
  for (const std::string& string : strings) {
    if (r >= 0) r = sd_bus_message_append(reply, "s", string.c_str());
  }
  if (r >= 0) r = sd_bus_message_close_container(reply);
  return r;
}

int AppendWords(States states, sd_bus_message* reply) {
  const std::vector<uint32_t> words = StateWords(states);
  return sd_bus_message_append_array(reply, 'u', words.data(),
                                     words.size() * sizeof(uint32_t));
}

// Appends a value as its own type, whatever was asked for: so a lie about the
// type arrives as one.
struct Appender {
  sd_bus_message* reply;
  bool variant;

  template <typename... T>
  int Append(const char* type, T... values) const {
    if (variant) return sd_bus_message_append(reply, "v", type, values...);
    return sd_bus_message_append(reply, type, values...);
  }
  int operator()(std::monostate) const { return variant ? Append("s", "") : 0; }
  int operator()(bool flag) const { return Append("b", flag ? 1 : 0); }
  int operator()(int64_t number) const { return Append("i", Narrow(number)); }
  int operator()(const std::string& text) const {
    return Append("s", Carriable(text).c_str());
  }
  int operator()(Range range) const {
    return Append(variant ? "(ii)" : "ii", Narrow(range.begin),
                  Narrow(range.end));
  }
  int operator()(const RoleValue& role) const {
    return Append("u", RoleNumber(role.role));
  }
  int operator()(const Element& element) const {
    return Append("(so)", ":1.0", PathOf(element.path).c_str());
  }
};

absl::Status AppendValue(const Value& value, bool variant,
                         sd_bus_message* reply) {
  return FromErrno(std::visit(Appender{reply, variant}, value), "a value");
}

}  // namespace

absl::StatusOr<std::unique_ptr<WireApplication>> WireApplication::Connect(
    const std::string& address, sd_event* event, Stage* stage,
    const std::string& id) {
  std::unique_ptr<WireApplication> self(new WireApplication(event, stage, id));
  const auto failed = [&](int r) {
    return absl::UnavailableError(
        absl::StrCat("the accessibility bus does not answer: ", strerror(-r)));
  };
  int r = sd_bus_new(&self->bus_);
  if (r >= 0) r = sd_bus_set_address(self->bus_, address.c_str());
  if (r >= 0) r = sd_bus_set_bus_client(self->bus_, 1);
  if (r >= 0) r = sd_bus_start(self->bus_);
  if (r < 0) return failed(r);
  const char* name = nullptr;
  r = sd_bus_get_unique_name(self->bus_, &name);
  if (r < 0) return failed(r);
  self->name_ = name;
  r = sd_bus_add_fallback(self->bus_, nullptr, "/org/a11y/atspi",
                          &WireApplication::OnCall, self.get());
  if (r >= 0) r = sd_bus_attach_event(self->bus_, event, 0);
  if (r >= 0) r = sd_bus_set_exit_on_disconnect(self->bus_, 1);
  if (r < 0) return failed(r);
  return self;
}

std::unique_ptr<WireApplication> WireApplication::OnBus(sd_event* event,
                                                        Stage* stage,
                                                        const std::string& id,
                                                        const std::string& name,
                                                        Tamper tamper) {
  std::unique_ptr<WireApplication> self(new WireApplication(event, stage, id));
  self->name_ = name;
  self->tamper_ = std::move(tamper);
  return self;
}

WireApplication::~WireApplication() { Die(); }

void WireApplication::Die() {
  alive_ = false;
  for (const Delayed& delayed : delayed_) {
    sd_event_source_disable_unref(delayed.timer);
    sd_bus_message_unref(delayed.message);
  }
  delayed_.clear();
  if (bus_ == nullptr) return;
  sd_bus_detach_event(bus_);
  sd_bus_close(bus_);
  // The message that is being handled still holds it.
  sd_bus_unref(bus_);
  bus_ = nullptr;
}

void WireApplication::Embed(std::function<void()> done) {
  embedded_ = std::move(done);
  sd_bus_message* m = nullptr;
  int r = sd_bus_message_new_method_call(bus_, &m, kRegistry, kRootPath,
                                         kSocket, "Embed");
  if (r >= 0) r = sd_bus_message_append(m, "(so)", name_.c_str(), kRootPath);
  if (r >= 0) {
    r = sd_bus_call_async(bus_, nullptr, m, &WireApplication::OnEmbedded, this,
                          0);
  }
  sd_bus_message_unref(m);
  if (r < 0) embedded_();
}

int WireApplication::OnEmbedded(sd_bus_message*, void* userdata,
                                sd_bus_error*) {
  static_cast<WireApplication*>(userdata)->embedded_();
  return 1;
}

int WireApplication::OnCall(sd_bus_message* call, void* userdata,
                            sd_bus_error*) {
  uint8_t type = 0;
  if (sd_bus_message_get_type(call, &type) < 0 ||
      type != SD_BUS_MESSAGE_METHOD_CALL) {
    return 0;
  }
  static_cast<WireApplication*>(userdata)->Handle(call);
  return 1;
}

bool WireApplication::Kills(sd_bus_message* m) {
  const auto is = [&](const char* interface, const char* member) {
    return sd_bus_message_is_method_call(m, interface, member) > 0;
  };
  const std::string signature = Signature(m);
  int32_t begin = 0;
  int32_t end = 0;
  bool kills = false;
  if (is(kProperties, "GetAll")) {
    kills = true;
  } else if (is(kText, "GetText")) {
    kills = signature != "ii" ||
            sd_bus_message_read(m, "ii", &begin, &end) < 0 || begin < 0 ||
            end < -1 || (end >= 0 && end < begin) ||
            end == std::numeric_limits<int32_t>::max();
  } else if (is(kText, "GetSelection")) {
    kills = signature != "i" || sd_bus_message_read(m, "i", &begin) < 0 ||
            begin < 0;
  } else if (is(kEditableText, "DeleteText")) {
    kills = signature != "ii" ||
            sd_bus_message_read(m, "ii", &begin, &end) < 0 || begin < 0 ||
            end < begin;
  } else if (is(kEditableText, "InsertText")) {
    const char* text = nullptr;
    kills = signature != "isi" ||
            sd_bus_message_read(m, "isi", &begin, &text, &end) < 0 ||
            begin < 0 || end < 0;
  }
  sd_bus_message_rewind(m, 1);
  return kills;
}

absl::Status WireApplication::FindTarget(const std::string& path,
                                         Call& call) const {
  call.element.application = id_;
  if (path == kRootPath) {
    call.root = true;
    return absl::OkStatus();
  }
  if (path == kCachePath) {
    call.cache = true;
    return absl::OkStatus();
  }
  const std::optional<std::string> node = PathToNode(path);
  if (!node.has_value()) return absl::UnavailableError("no such object");
  call.element.path = *node;
  return absl::OkStatus();
}

absl::Status WireApplication::Understand(sd_bus_message* m, Call& call) const {
  const char* interface = sd_bus_message_get_interface(m);
  const char* member = sd_bus_message_get_member(m);
  const char* path = sd_bus_message_get_path(m);
  if (member == nullptr || path == nullptr || interface == nullptr) {
    return absl::UnimplementedError("no such method");
  }
  call.interface = interface;
  call.member = member;
  Message& message = call.message;
  // Whatever names no element of its own concerns the application.
  message.verb = Verb::kFocusedElements;
  message.element = {id_, ""};
  if (absl::Status found = FindTarget(path, call); !found.ok()) {
    return found;
  }
  if (call.interface == kProperties) {
    const char* name = nullptr;
    if (call.member != "Get" || Signature(m) != "ss" ||
        sd_bus_message_read(m, "ss", &interface, &name) < 0) {
      return absl::UnimplementedError("no such method");
    }
    call.property = true;
    call.interface = interface;
    call.member = name;
  }

  const auto read = [&](Attribute attribute) {
    message.verb = Verb::kRead;
    message.element = call.element;
    message.attribute = attribute;
  };
  const bool element = !call.root && !call.cache;
  if (call.interface == kAccessible && element && !call.property) {
    if (call.member == "GetRole" || call.member == "GetRoleName") {
      read(Attribute::kRole);
    } else if (call.member == "GetState" || call.member == "GetInterfaces") {
      read(Attribute::kStates);
    }
  }
  if (call.interface == kAccessible && call.member == "GetChildAtIndex") {
    int32_t index = 0;
    if (Signature(m) != "i" || sd_bus_message_read(m, "i", &index) < 0) {
      return absl::InvalidArgumentError("GetChildAtIndex takes an index");
    }
    call.argument = index;
  }
  if (element && !call.property && IsEdit(call.interface, call.member)) {
    absl::StatusOr<EditCall> edit = ReadEdit(m, call.member);
    if (!edit.ok()) return edit.status();
    call.edit = *std::move(edit);
    message.verb = Verb::kWrite;
    message.element = call.element;
    Fill(*call.edit, stage_->world().Find(call.element), manners(), message);
    return absl::OkStatus();
  }
  if (call.interface == kText && element) {
    if (call.property && call.member == "CharacterCount") {
      read(Attribute::kCharacterCount);
    } else if (call.property && call.member == "CaretOffset") {
      read(Attribute::kCaret);
    } else if (call.member == "GetNSelections") {
      read(Attribute::kSelection);
    } else if (call.member == "GetSelection") {
      int32_t index = 0;
      sd_bus_message_read(m, "i", &index);
      call.argument = index;
      read(Attribute::kSelection);
    } else if (call.member == "GetText") {
      int32_t begin = 0;
      int32_t end = 0;
      sd_bus_message_read(m, "ii", &begin, &end);
      read(Attribute::kText);
      call.to_end = end == -1;
      const Node* node = stage_->world().Find(call.element);
      if (node != nullptr) {
        const bool utf16 = manners().utf16;
        message.range = {ToPoints(node->text, begin, utf16),
                         call.to_end ? static_cast<int64_t>(node->text.size())
                                     : ToPoints(node->text, end, utf16)};
      } else {
        // An element that is gone may still be answered for.
        message.range = {begin, call.to_end ? INT64_MAX : int64_t{end}};
      }
    }
  }
  if (call.interface == kCollection && call.member == "GetMatches") {
    // Of the rule only the states matter here.
    const char kRule[] = "(aiia{ss}iaiiasib)uib";
    if (Signature(m) != kRule) {
      return absl::InvalidArgumentError("not a match rule");
    }
    const void* states = nullptr;
    size_t size = 0;
    uint32_t order = 0;
    int32_t limit = 0;
    int descend = 0;
    int r = sd_bus_message_enter_container(m, 'r', "aiia{ss}iaiiasib");
    if (r >= 0) r = sd_bus_message_read_array(m, 'i', &states, &size);
    if (r >= 0) r = sd_bus_message_skip(m, "ia{ss}iaiiasib");
    if (r >= 0) r = sd_bus_message_exit_container(m);
    if (r >= 0) r = sd_bus_message_read(m, "uib", &order, &limit, &descend);
    if (r < 0) return absl::InvalidArgumentError("not a match rule");
    uint32_t word = 0;
    if (size >= sizeof(word)) memcpy(&word, states, sizeof(word));
    if ((word & kFocusedBit) == 0) {
      return absl::InvalidArgumentError("only what is focused can be matched");
    }
    call.argument = limit;
    call.states = word;
  }
  return absl::OkStatus();
}

void WireApplication::Handle(sd_bus_message* m) {
  Call call;
  const bool kills = Kills(m);
  const absl::Status understood = Understand(m, call);
  const Fate fate = stage_->Begin(call.message);
  if (!alive_) return;  // the script ended us before this message
  if (kills || fate.die) {
    Die();
    return;
  }
  if (fate.silent || fate.mute) return;
  if (call.edit.has_value()) {
    const Node* node = stage_->world().Find(call.element);
    if (VerdictOn(*call.edit, node, manners()) == Verdict::kNever) return;
    // By the element as it is now: it may have changed before this message.
    Fill(*call.edit, node, manners(), call.message);
  }
  sd_bus_message* reply = nullptr;
  absl::Status status = understood;
  if (!fate.refusal.ok()) status = fate.refusal;
  if (status.ok()) {
    status = FromErrno(sd_bus_message_new_method_return(m, &reply), "a reply");
  }
  if (status.ok()) status = Answer(call, reply);
  if (!status.ok()) {
    sd_bus_message_unref(reply);
    reply = nullptr;
    const std::string text = Carriable(
        absl::string_view(status.message().data(), status.message().size()));
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_error_set(&error, ErrorName(status), text.c_str());
    const int r = sd_bus_message_new_method_error(m, &reply, &error);
    sd_bus_error_free(&error);
    if (r < 0) return;
  }
  if (tamper_) reply = tamper_(m, reply);
  if (fate.unanswered) sd_bus_message_unref(reply);
  if (fate.unanswered || reply == nullptr) return;
  const absl::Time now = Clock::Real().Now();
  busy_until_ = std::max(now, busy_until_) + fate.delay;
  SendAt(reply, std::max(busy_until_, fate.not_before));
}

absl::Status WireApplication::Answer(const Call& call, sd_bus_message* reply) {
  if (program() == nullptr) {
    return absl::UnavailableError("the application has ended");
  }
  if (call.cache) {
    if (call.interface == kCache && call.member == "GetItems") {
      return AppendItems(call, reply);
    }
    return absl::UnimplementedError("no such method");
  }
  const Element& element = call.element;
  // What is read or written is said to be gone where its turn comes, since a
  // hostility may answer for it.
  const bool reads_or_writes =
      call.message.verb == Verb::kRead || call.message.verb == Verb::kWrite;
  if (!call.root && !reads_or_writes &&
      stage_->world().Find(element) == nullptr &&
      stage_->world().FindPane(element) == nullptr) {
    return absl::UnavailableError("no such object");
  }
  if (call.edit.has_value()) return AnswerEdit(call, reply);
  if (call.interface == kAccessible) return AnswerAccessible(call, reply);
  if (call.interface == kApplication && call.root) {
    return AnswerApplication(call, reply);
  }
  if (call.interface == kText && !call.root) return AnswerText(call, reply);
  if (call.interface == kCollection && call.member == "GetMatches" &&
      !call.property && manners().collection) {
    absl::StatusOr<std::vector<Element>> found = stage_->Focus(call.message);
    if (absl::IsNotFound(found.status())) found = std::vector<Element>();
    if (!found.ok()) return found.status();
    // What the focus says is the hostilities' to decide; the other states are
    // the element's own. A claim for what does not exist is not filtered.
    found->erase(std::remove_if(
                     found->begin(), found->end(),
                     [&](const Element& element) {
                       const Node* node = stage_->world().Find(element);
                       const uint32_t others = call.states & ~kFocusedBit;
                       return node != nullptr &&
                              (StateWords(node->states)[0] & others) != others;
                     }),
                 found->end());
    if (call.argument > 0 &&
        found->size() > static_cast<size_t>(call.argument)) {
      found->resize(static_cast<size_t>(call.argument));
    }
    return AppendReferences(*found, reply);
  }
  return absl::UnimplementedError("no such method");
}

absl::Status WireApplication::AnswerAccessible(const Call& call,
                                               sd_bus_message* reply) {
  const World& world = stage_->world();
  if (call.property) {
    if (call.member == "Name") {
      std::string name = program()->application.name;
      if (!call.root) {
        const Pane* pane = world.FindPane(call.element);
        name = pane == nullptr ? "" : pane->window.title;
      }
      return AppendValue(Value(name), true, reply);
    }
    if (call.member == "Description") {
      return AppendValue(Value(std::string()), true, reply);
    }
    if (call.member == "ChildCount") {
      return AppendValue(Value(static_cast<int64_t>(Children(call).size())),
                         true, reply);
    }
    if (call.member == "Parent") {
      const std::optional<Element> parent =
          call.root ? std::nullopt : ParentOf(world, call.element);
      std::string name = name_;
      std::string path = kRootPath;
      if (call.root) name = kRegistry;
      if (parent.has_value()) path = PathOf(parent->path);
      return FromErrno(
          sd_bus_message_append(reply, "v", "(so)", name.c_str(), path.c_str()),
          "a parent");
    }
    return absl::UnimplementedError("no such property");
  }
  if (call.member == "GetRole") {
    if (call.root) {
      constexpr uint32_t kApplicationRole = 75;
      return FromErrno(sd_bus_message_append(reply, "u", kApplicationRole),
                       "a role");
    }
    const Reading role = stage_->Read(call.message);
    if (!role.ok()) return role.status();
    return AppendValue(*role, false, reply);
  }
  if (call.member == "GetRoleName") {
    if (call.root)
      return AppendValue(Value(std::string("application")), false, reply);
    const absl::StatusOr<RoleValue> role =
        Get<RoleValue>(stage_->Read(call.message));
    if (!role.ok()) return role.status();
    return AppendValue(Value(role->native), false, reply);
  }
  if (call.member == "GetState" || call.member == "GetInterfaces") {
    const bool interfaces = call.member == "GetInterfaces";
    if (call.root) {
      std::vector<std::string> names = {kAccessible, kApplication};
      if (manners().collection) names.emplace_back(kCollection);
      return FromErrno(interfaces ? AppendStrings(names, reply)
                                  : AppendWords(kStateVisible, reply),
                       "the states");
    }
    const Reading reading = stage_->Read(call.message);
    if (!reading.ok()) return reading.status();
    const int64_t* number = std::get_if<int64_t>(&*reading);
    if (number == nullptr) return AppendValue(*reading, false, reply);
    const States states = static_cast<States>(*number);
    return FromErrno(interfaces ? AppendStrings(Interfaces(states), reply)
                                : AppendWords(states, reply),
                     "the states");
  }
  if (call.member == "GetChildren") {
    return AppendReferences(Children(call), reply);
  }
  if (call.member == "GetChildAtIndex") {
    const std::vector<Element> children = Children(call);
    if (call.argument < 0 ||
        call.argument >= static_cast<int64_t>(children.size())) {
      return FromErrno(
          sd_bus_message_append(reply, "(so)", "", "/org/a11y/atspi/null"),
          "no child");
    }
    return AppendReference(children[static_cast<size_t>(call.argument)], reply);
  }
  if (call.member == "GetIndexInParent") {
    int64_t index = -1;
    if (!call.root) {
      const std::optional<Element> parent = ParentOf(world, call.element);
      const std::vector<Element> siblings = parent.has_value()
                                                ? ChildrenOf(world, *parent)
                                                : WindowsOf(world, id_);
      const auto found =
          std::find(siblings.begin(), siblings.end(), call.element);
      if (found != siblings.end()) index = found - siblings.begin();
    }
    return AppendValue(Value(index), false, reply);
  }
  if (call.member == "GetApplication") {
    return FromErrno(
        sd_bus_message_append(reply, "(so)", name_.c_str(), kRootPath),
        "the application");
  }
  return absl::UnimplementedError("no such method");
}

absl::Status WireApplication::AnswerApplication(const Call& call,
                                                sd_bus_message* reply) {
  if (!call.property) return absl::UnimplementedError("no such method");
  const Application& application = program()->application;
  if (call.member == "ToolkitName") {
    return AppendValue(Value(application.toolkit), true, reply);
  }
  if (call.member == "Version") {
    return AppendValue(Value(application.toolkit_version), true, reply);
  }
  if (call.member == "AtspiVersion") {
    return AppendValue(Value(std::string("2.1")), true, reply);
  }
  if (call.member == "Id") {
    return AppendValue(Value(int64_t{1}), true, reply);
  }
  return absl::UnimplementedError("no such property");
}

absl::Status WireApplication::AnswerEdit(const Call& call,
                                         sd_bus_message* reply) {
  const Node* node = stage_->world().Find(call.element);
  const bool refused =
      VerdictOn(*call.edit, node, manners()) == Verdict::kRefused;
  const absl::Status done = stage_->Write(call.message, refused);
  if (!done.ok() && !absl::IsFailedPrecondition(done)) return done;
  return AppendValue(Value(done.ok()), false, reply);
}

absl::Status WireApplication::AnswerText(const Call& call,
                                         sd_bus_message* reply) {
  if (call.message.verb != Verb::kRead) {
    return absl::UnimplementedError("no such method");
  }
  const Node* node = stage_->world().Find(call.element);
  static const std::u32string& kNothing = *new std::u32string();
  const std::u32string& text = node == nullptr ? kNothing : node->text;
  const Manners manner = manners();
  const bool entry = node != nullptr && node->role.role == Role::kTextField;
  Reading reading = stage_->Read(call.message);
  if (call.member == "GetNSelections") {
    if (!reading.ok() && !absl::IsNotFound(reading.status())) {
      return reading.status();
    }
    return AppendValue(Value(int64_t{reading.ok() ? 1 : 0}), false, reply);
  }
  if (call.member == "GetSelection") {
    if (call.argument > 0) reading = absl::NotFoundError("no such selection");
    if (absl::IsNotFound(reading.status()) && !manner.no_selection_is_error) {
      reading = Value(Range{0, 0});
    }
  }
  if (!reading.ok()) return reading.status();
  if (call.member == "GetText") {
    std::string* answer = std::get_if<std::string>(&*reading);
    if (answer != nullptr && call.to_end && entry &&
        manner.entry_to_end_is_empty) {
      answer->clear();
    }
  }
  const auto units = [&](int64_t points) {
    return ToUnits(text, points, manner.utf16);
  };
  if (int64_t* number = std::get_if<int64_t>(&*reading)) {
    *number = units(*number);
  } else if (Range* range = std::get_if<Range>(&*reading)) {
    *range = {units(range->begin), units(range->end)};
  }
  return AppendValue(*reading, call.property, reply);
}

absl::Status WireApplication::AppendItems(const Call& call,
                                          sd_bus_message* reply) {
  const World& world = stage_->world();
  int r = sd_bus_message_open_container(reply, 'a', "((so)(so)(so)iiassusau)");
  // Only GTK 4 has anything in it; a tree that is not there yet has nothing.
  const absl::StatusOr<std::vector<Element>> focus =
      stage_->Focus(call.message);
  const bool cold = absl::IsNotFound(focus.status());
  const std::vector<Node> none;
  for (const Node& node : manners().cache && !cold ? program()->nodes : none) {
    const Element element = {id_, node.path};
    const std::optional<Element> parent = ParentOf(world, element);
    const std::string path = PathOf(node.path);
    const std::string up =
        parent.has_value() ? PathOf(parent->path) : kRootPath;
    if (r >= 0) {
      r = sd_bus_message_open_container(reply, 'r', "(so)(so)(so)iiassusau");
    }
    if (r >= 0) {
      r = sd_bus_message_append(reply, "(so)(so)(so)ii", name_.c_str(),
                                path.c_str(), name_.c_str(), kRootPath,
                                name_.c_str(), up.c_str(), int32_t{0},
                                static_cast<int32_t>(node.children.size()));
    }
    if (r >= 0) r = AppendStrings(Interfaces(node.states), reply);
    if (r >= 0) {
      r = sd_bus_message_append(reply, "sus", "", RoleNumber(node.role.role),
                                "");
    }
    if (r >= 0) r = AppendWords(node.states, reply);
    if (r >= 0) r = sd_bus_message_close_container(reply);
  }
  if (r >= 0) r = sd_bus_message_close_container(reply);
  return FromErrno(r, "the cache");
}

absl::Status WireApplication::AppendReference(const Element& element,
                                              sd_bus_message* reply) {
  return FromErrno(sd_bus_message_append(reply, "(so)", name_.c_str(),
                                         PathOf(element.path).c_str()),
                   "a reference");
}

absl::Status WireApplication::AppendReferences(
    const std::vector<Element>& elements, sd_bus_message* reply) {
  absl::Status status =
      FromErrno(sd_bus_message_open_container(reply, 'a', "(so)"), "a list");
  for (const Element& element : elements) {
    if (status.ok()) status = AppendReference(element, reply);
  }
  if (!status.ok()) return status;
  return FromErrno(sd_bus_message_close_container(reply), "a list");
}

std::vector<Element> WireApplication::Children(const Call& call) {
  const World& world = stage_->world();
  if (call.root) return WindowsOf(world, id_);
  // A tree that is cold or empty stays so however it is walked.
  if (world.FindPane(call.element) != nullptr) {
    const absl::StatusOr<std::vector<Element>> focus =
        stage_->Focus(call.message);
    const bool empty = focus.ok() && focus->empty();
    if (empty ||
        (absl::IsNotFound(focus.status()) && !program()->focus.empty())) {
      return {};
    }
  }
  return ChildrenOf(world, call.element);
}

Manners WireApplication::manners() const {
  const Program* self = program();
  return self == nullptr ? Manners() : MannersOf(self->application);
}

void WireApplication::Tell(const TimedEvent& timed, sd_bus* to) {
  if (!alive_) return;
  const std::string path = PathOf(timed.event.element.path);
  const char* interface = "org.a11y.atspi.Event.Object";
  const char* member = nullptr;
  const char* detail = "";
  int32_t first = 0;
  const bool lower = manners().lower_case;
  switch (timed.event.kind) {
    case Event::Kind::kFocused:
      member = "StateChanged";
      detail = "focused";
      first = 1;
      break;
    case Event::Kind::kWindowActivated:
      interface = "org.a11y.atspi.Event.Window";
      member = lower ? "activate" : "Activate";
      break;
    case Event::Kind::kWindowDeactivated:
      interface = "org.a11y.atspi.Event.Window";
      member = lower ? "deactivate" : "Deactivate";
      break;
    case Event::Kind::kTextChanged:
      member = "TextChanged";
      detail = "insert";
      break;
    case Event::Kind::kSelectionChanged:
      member = "TextCaretMoved";
      break;
    case Event::Kind::kApplicationGone:
    case Event::Kind::kLost:
      return;  // the bus tells the one, nothing tells the other
  }
  sd_bus_message* m = nullptr;
  int r = sd_bus_message_new_signal(to, &m, path.c_str(), interface, member);
  // A daemon adds it; where there is none the application does.
  if (r >= 0 && bus_ == nullptr) {
    r = sd_bus_message_set_sender(m, name_.c_str());
  }
  if (r >= 0) {
    r = sd_bus_message_append(m, "siiva{sv}", detail, first, int32_t{0}, "i",
                              int32_t{0}, 0);
  }
  if (r < 0) {
    sd_bus_message_unref(m);
    return;
  }
  SendAt(m, timed.at);
}

void WireApplication::SendNow(sd_bus_message* message) {
  sd_bus_send(sd_bus_message_get_bus(message), message, nullptr);
}

void WireApplication::SendAt(sd_bus_message* message, absl::Time at) {
  const absl::Duration wait = at - Clock::Real().Now();
  if (wait <= absl::ZeroDuration()) {
    SendNow(message);
    sd_bus_message_unref(message);
    return;
  }
  if (delayed_.size() >= kMostDelayed) {
    sd_event_source_disable_unref(delayed_.front().timer);
    sd_bus_message_unref(delayed_.front().message);
    delayed_.pop_front();
  }
  Delayed& delayed = delayed_.emplace_back();
  delayed.self = this;
  delayed.message = message;
  // An accuracy of 0 would mean a quarter of a second.
  constexpr uint64_t kAccuracy = 1;
  const int r = sd_event_add_time_relative(
      event_, &delayed.timer, CLOCK_MONOTONIC,
      static_cast<uint64_t>(
          absl::ToInt64Microseconds(std::min(wait, absl::Hours(1)))),
      kAccuracy, &WireApplication::OnTimer, &delayed);
  if (r < 0) {
    sd_bus_message_unref(message);
    delayed_.pop_back();
  }
}

int WireApplication::OnTimer(sd_event_source*, uint64_t, void* userdata) {
  Delayed* const due = static_cast<Delayed*>(userdata);
  WireApplication* const self = due->self;
  SendNow(due->message);
  sd_bus_message_unref(due->message);
  sd_event_source_disable_unref(due->timer);
  self->delayed_.remove_if([&](const Delayed& d) { return &d == due; });
  return 0;
}

}  // namespace tactus::ax::mock
