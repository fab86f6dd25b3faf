#include "ax/atspi/fields.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/matches.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Elements of a walk that are asked at once. An application answers one call at
// a time, and what else it has to do must come in between.
constexpr int kMostAtOnce = 4;
// Of one element of a walk: its states, its role, its children.
constexpr int kCallsEach = 3;
// Nested deeper than any window is; a tree that goes on is made up as it is
// asked for.
constexpr int kMostDepth = 64;
// What GetMatches finds beside the fields: the parts of a document that can be
// edited are elements too.
constexpr size_t kMatchesAField = 8;

constexpr uint32_t kEditableBit = 1u << 7;

bool OnScreen(States states) {
  // GTK 4 gives SHOWING to windows alone, so either will do.
  return (states & (kStateShowing | kStateVisible)) != 0;
}

// Whether a person could type into it.
bool IsField(const RoleValue& role, States states) {
  if ((states & kStateDefunct) || !OnScreen(states)) return false;
  switch (role.role) {
    case Role::kPassword:
    case Role::kTerminal:
      return true;
    case Role::kTextField:
    case Role::kTextArea:
    case Role::kDocument:
    case Role::kCombo:
      return (states & kStateEditable) != 0;
    case Role::kUnknown:
    case Role::kOther:
    case Role::kParagraph:
    case Role::kContainer:
      return false;
  }
  return false;
}

// At most kMostFieldName bytes of it, whole characters.
std::string Name(std::string name) {
  name = Sanitize(name);
  if (name.size() <= kMostFieldName) return name;
  size_t end = kMostFieldName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) {
    --end;
  }
  name.resize(end);
  return name;
}

// The window that says it is active. Where there is one alone it is that,
// whatever it says.
absl::StatusOr<Element> ActiveWindow(Bus& bus, const App& app,
                                     const FieldLimits& limits,
                                     Traffic* traffic, absl::Time deadline) {
  const std::string root = kRootPath;
  Flight first(traffic);
  const int children =
      first.Add(bus, Call{app.name, root, kAccessible, "GetChildren"});
  first.Run(deadline);
  if (!first.status(children).ok()) return first.status(children);
  absl::StatusOr<std::vector<Element>> windows =
      DecodeReferences(first.reply(children));
  if (!windows.ok()) return windows.status();
  windows->erase(std::remove_if(windows->begin(), windows->end(),
                                [&](const Element& window) {
                                  return window.application != app.name;
                                }),
                 windows->end());
  if (windows->size() == 1) return windows->front();
  if (windows->size() > static_cast<size_t>(limits.most_calls)) {
    windows->resize(static_cast<size_t>(limits.most_calls));
  }
  Flight states(traffic);
  for (const Element& window : *windows) {
    states.Add(bus,
               Call{window.application, window.path, kAccessible, "GetState"});
  }
  states.Run(deadline);
  absl::Status silent;
  for (int i = 0; i < states.size(); ++i) {
    if (!states.status(i).ok()) {
      silent = states.status(i);
      continue;
    }
    const States said = DecodeState(states.reply(i)).value_or(kStateDefunct);
    if ((said & kStateActive) && !(said & kStateDefunct)) {
      return (*windows)[static_cast<size_t>(i)];
    }
  }
  if (!silent.ok()) return silent;
  return absl::NotFoundError("no window of the application says it is active");
}

struct Seen {
  Element element;
  RoleValue role;
  States states = 0;
};

// What is editable in `window`, as the application finds it by itself.
absl::Status ByMatches(Bus& bus, const Element& window,
                       const FieldLimits& limits, Traffic* traffic,
                       absl::Time deadline, std::vector<Seen>* seen,
                       bool* complete) {
  const size_t most = std::min(
      limits.most_fields * kMatchesAField,
      static_cast<size_t>(std::max<int64_t>(limits.most_calls, 2)) / 2);
  Flight search(traffic);
  const int matches =
      AddMatches(search, bus, window, kEditableBit, static_cast<int32_t>(most));
  search.Run(deadline);
  if (!search.status(matches).ok()) return search.status(matches);
  absl::StatusOr<std::vector<Element>> found =
      DecodeReferences(search.reply(matches));
  if (!found.ok()) return found.status();
  // The limit is a wish: the other side may answer more.
  if (found->size() >= most) {
    *complete = false;
    found->resize(most);
  }
  // Of another application it would be the other's to answer.
  found->erase(std::remove_if(found->begin(), found->end(),
                              [&](const Element& element) {
                                return element.application !=
                                       window.application;
                              }),
               found->end());
  Flight what(traffic);
  for (const Element& element : *found) {
    what.Add(bus,
             Call{element.application, element.path, kAccessible, "GetState"});
    what.Add(bus,
             Call{element.application, element.path, kAccessible, "GetRole"});
  }
  what.Run(deadline);
  for (size_t i = 0; i < found->size(); ++i) {
    const int state = static_cast<int>(2 * i);
    const int role = state + 1;
    if (!what.status(state).ok() || !what.status(role).ok()) {
      *complete = false;
      continue;
    }
    const absl::StatusOr<States> states = DecodeState(what.reply(state));
    const absl::StatusOr<uint32_t> number = DecodeUint32(what.reply(role));
    if (!states.ok() || !number.ok()) {
      *complete = false;
      continue;
    }
    seen->push_back({(*found)[i], RoleFromNumber(*number), *states});
  }
  return absl::OkStatus();
}

// Through what is on the screen, in the order in which it is shown.
class Walk {
 public:
  Walk(Bus& bus, const App& app, const FieldLimits& limits, Traffic* traffic)
      : bus_(bus), app_(app), limits_(limits), flight_(traffic) {}

  absl::Status Run(const Element& window, absl::Time deadline) {
    nodes_.emplace_back();
    nodes_.front().element = window;
    nodes_.front().is_window = true;
    waiting_.push_back(0);
    Next();
    flight_.Run(deadline, [this](int call) { return OnReply(call); });
    for (int call = 0; call < std::min(kCallsEach, flight_.size()); ++call) {
      if (!flight_.status(call).ok()) return flight_.status(call);
    }
    return absl::OkStatus();
  }

  // By their places in the window.
  std::vector<Seen> Take() {
    std::vector<const Node*> order;
    for (const Node& node : nodes_) {
      if (!node.role_known || !node.states_known) {
        complete_ = false;
        continue;
      }
      if (!node.is_window) order.push_back(&node);
    }
    std::sort(order.begin(), order.end(), [](const Node* a, const Node* b) {
      return a->branch < b->branch;
    });
    std::vector<Seen> seen;
    for (const Node* node : order) {
      seen.push_back({node->element, node->role, node->states});
    }
    return seen;
  }
  bool complete() const { return complete_; }

 private:
  enum What { kState, kRole, kChildren };

  struct Node {
    Element element;
    std::string branch;  // two bytes an index, which sorts depth first
    int depth = 0;
    int open = 0;
    bool is_window = false;
    RoleValue role;
    bool role_known = false;
    States states = 0;
    bool states_known = false;
    std::optional<std::vector<Element>> children;
  };

  void Next() {
    while (!waiting_.empty() && at_once_ < kMostAtOnce) {
      if (flight_.size() + kCallsEach > limits_.most_calls) {
        complete_ = false;
        waiting_.clear();
        return;
      }
      const size_t index = waiting_.front();
      waiting_.pop_front();
      ++at_once_;
      static constexpr const char* kMembers[] = {"GetState", "GetRole",
                                                 "GetChildren"};
      for (const What what : {kState, kRole, kChildren}) {
        const Element& element = nodes_[index].element;
        ++nodes_[index].open;
        asked_[flight_.Add(bus_, Call{element.application, element.path,
                                      kAccessible, kMembers[what]})] = {index,
                                                                        what};
      }
    }
  }

  void Expand(size_t index) {
    const Node& parent = nodes_[index];
    if (!parent.states_known || (parent.states & kStateDefunct)) return;
    if (!parent.is_window && !OnScreen(parent.states)) return;
    // A field has parts, and none of them is a field of its own.
    if (IsField(parent.role, parent.states) &&
        parent.role.role != Role::kDocument) {
      return;
    }
    if (!parent.children.has_value()) {
      complete_ = false;
      return;
    }
    if (parent.depth >= kMostDepth) {
      complete_ = false;
      return;
    }
    const std::vector<Element> children = *parent.children;
    const std::string branch = parent.branch;
    const int depth = parent.depth + 1;
    // Depth first, so that a limit cuts off the end of the window.
    for (size_t i = children.size(); i-- > 0;) {
      if (children[i].application != app_.name) continue;
      if (nodes_.size() >= static_cast<size_t>(limits_.most_calls)) {
        complete_ = false;
        break;
      }
      Node& node = nodes_.emplace_back();
      node.element = children[i];
      node.branch = branch;
      node.branch.push_back(static_cast<char>((i >> 8) & 0xFF));
      node.branch.push_back(static_cast<char>(i & 0xFF));
      node.depth = depth;
      waiting_.push_front(nodes_.size() - 1);
    }
  }

  bool OnReply(int call) {
    const auto found = asked_.find(call);
    if (found == asked_.end()) return false;
    const auto [index, what] = found->second;
    Node& node = nodes_[index];
    if (flight_.status(call).ok()) {
      switch (what) {
        case kState: {
          absl::StatusOr<States> states = DecodeState(flight_.reply(call));
          node.states_known = states.ok();
          node.states = states.value_or(0);
          break;
        }
        case kRole: {
          absl::StatusOr<uint32_t> role = DecodeUint32(flight_.reply(call));
          node.role_known = role.ok();
          if (role.ok()) node.role = RoleFromNumber(*role);
          break;
        }
        case kChildren: {
          absl::StatusOr<std::vector<Element>> children =
              DecodeReferences(flight_.reply(call));
          if (children.ok()) node.children = *std::move(children);
          break;
        }
      }
    }
    if (--node.open > 0) return false;
    --at_once_;
    Expand(index);
    Next();
    return at_once_ == 0;
  }

  Bus& bus_;
  const App& app_;
  const FieldLimits& limits_;
  Flight flight_;
  std::deque<Node> nodes_;  // stable: held by reference while it grows
  std::deque<size_t> waiting_;
  struct Asked {
    size_t node;
    What what;
  };
  absl::flat_hash_map<int, Asked> asked_;
  int at_once_ = 0;
  bool complete_ = true;
};

void AskNames(Bus& bus, Traffic* traffic, absl::Time deadline,
              std::vector<TextField>* fields) {
  Flight names(traffic);
  std::vector<size_t> of;
  for (size_t i = 0; i < fields->size(); ++i) {
    const TextField& field = (*fields)[i];
    if (field.role.role == Role::kPassword) continue;
    names.AddGet(bus, field.element.application, field.element.path,
                 kAccessible, "Name");
    of.push_back(i);
  }
  if (of.empty()) return;
  names.Run(deadline);
  // A field without a name is still one that can be chosen.
  for (int call = 0; call < names.size(); ++call) {
    if (!names.status(call).ok()) continue;
    absl::StatusOr<std::string> name = DecodeStringProperty(names.reply(call));
    if (name.ok()) {
      (*fields)[of[static_cast<size_t>(call)]].name = Name(*std::move(name));
    }
  }
}

}  // namespace

absl::StatusOr<TextFieldList> FindTextFields(Bus& bus, const App& app,
                                             const FieldLimits& limits,
                                             Traffic* traffic,
                                             absl::Time deadline) {
  const absl::StatusOr<Element> window =
      ActiveWindow(bus, app, limits, traffic, deadline);
  if (!window.ok()) return window.status();
  TextFieldList list;
  std::vector<Seen> seen;
  absl::Status status = absl::UnimplementedError("");
  if (app.quirks->search == Search::kMatches) {
    status = ByMatches(bus, *window, limits, traffic, deadline, &seen,
                       &list.complete);
  }
  if (absl::IsUnimplemented(status) || absl::IsDataLoss(status)) {
    Walk walk(bus, app, limits, traffic);
    status = walk.Run(*window, deadline);
    seen = walk.Take();
    list.complete = walk.complete();
  }
  if (!status.ok()) return status;
  for (Seen& one : seen) {
    if (!IsField(one.role, one.states)) continue;
    if (list.fields.size() >= limits.most_fields) {
      list.complete = false;
      break;
    }
    list.fields.push_back(
        {std::move(one.element), std::move(one.role), one.states, ""});
  }
  AskNames(bus, traffic, deadline, &list.fields);
  return list;
}

absl::Status GrabFocus(Bus& bus, const Element& element, Traffic* traffic,
                       absl::Time deadline) {
  Flight flight(traffic);
  const int grab = flight.Add(
      bus, Call{element.application, element.path, kComponent, "GrabFocus"});
  flight.Run(deadline);
  if (!flight.status(grab).ok()) return flight.status(grab);
  const absl::StatusOr<bool> done = DecodeBool(flight.reply(grab));
  if (!done.ok()) return done.status();
  if (!*done) {
    return absl::FailedPreconditionError(
        "the application says that it did not give it the focus");
  }
  return absl::OkStatus();
}

}  // namespace tactus::ax::atspi
