#include "ax/atspi/focus_search.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/matches.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Of claims that an application may make. Chromium was seen with four.
constexpr int32_t kMaxMatches = 4;
// Of elements in a walk. The toolkits that need one have some hundreds; beyond
// this it is no walk but a siege, and the focus stays unknown.
constexpr size_t kMaxNodes = 4000;
// Nodes of a walk that are asked at once: one at first, since the field that is
// typed into mostly lies in the first branch and an application answers one
// call at a time; one more for each eight that were asked in vain, up to this.
constexpr int kMaxNodesInFlight = 4;
constexpr int kNotAsked = -1;

// AT-SPI's numbers of states, as bits of the first word.
constexpr uint32_t kEditableBit = 1u << 7;
constexpr uint32_t kFocusedBit = 1u << 12;
constexpr uint32_t kShowingBit = 1u << 25;
constexpr uint32_t kTypedInto = kFocusedBit | kEditableBit | kShowingBit;

// GTK 4 gives SHOWING to windows alone, so either will do.
bool OnScreen(States states) {
  return (states & (kStateShowing | kStateVisible)) != 0;
}

bool SaysItHoldsText(States states) {
  return (states & (kStateEditable | kStateMultiLine | kStateSingleLine)) != 0;
}

absl::Status NothingFocused(const App& app) {
  return absl::NotFoundError(absl::StrCat("nothing in ", app.info.name,
                                          " (process ", app.pid,
                                          ") says that it has the focus"));
}

// GetMatches in a flight of its own.
absl::StatusOr<std::vector<Element>> Matches(Bus& bus, const Element& within,
                                             uint32_t states, int32_t limit,
                                             Traffic* traffic,
                                             absl::Time deadline) {
  Flight flight(traffic);
  const int call = AddMatches(flight, bus, within, states, limit);
  flight.Run(deadline);
  if (!flight.status(call).ok()) return flight.status(call);
  return DecodeReferences(flight.reply(call));
}

// The windows of `app`, in the order in which it tells them.
absl::StatusOr<std::vector<Element>> DecodeWindows(const Flight& flight,
                                                   int call, const App& app) {
  if (!flight.status(call).ok()) return flight.status(call);
  absl::StatusOr<std::vector<Element>> windows =
      DecodeReferences(flight.reply(call));
  if (!windows.ok()) return windows;
  windows->erase(std::remove_if(windows->begin(), windows->end(),
                                [&](const Element& window) {
                                  return window.application != app.name;
                                }),
                 windows->end());
  return windows;
}

// Those of `windows` that say they are active.
std::vector<Element> Active(Bus& bus, absl::Span<const Element> windows,
                            Traffic* traffic, absl::Time deadline) {
  Flight flight(traffic);
  for (const Element& window : windows) {
    flight.Add(bus,
               Call{window.application, window.path, kAccessible, "GetState"});
  }
  flight.Run(deadline);
  std::vector<Element> active;
  for (int i = 0; i < flight.size(); ++i) {
    if (!flight.status(i).ok()) continue;
    const States states = DecodeState(flight.reply(i)).value_or(0);
    if ((states & kStateActive) && !(states & kStateDefunct)) {
      active.push_back(windows[static_cast<size_t>(i)]);
    }
  }
  return active;
}

// First for the one thing that is typed into. The application stops at the
// first match, where a search for all claims walks all there is (a page of
// 18,000 nodes). What is focused, editable and showing was unique within a
// window in every toolkit that has this query; documents and containers claim
// the focus beside it. Then, where the focus is on something else, for all
// claims.
absl::StatusOr<std::vector<Element>> ByMatches(Bus& bus, App& app,
                                               Traffic* traffic,
                                               absl::Time deadline) {
  const Element root{app.name, kRootPath};
  if (app.quirks->one_focus) {
    return Matches(bus, root, kFocusedBit, 1, traffic, deadline);
  }
  // Windows behind keep their claims. Which windows there are comes in the same
  // flight as the answer that holds when there is only one; a browser has
  // hidden ones beside it.
  Flight first(traffic);
  const int windows_call = first.Add(
      bus, Call{root.application, root.path, kAccessible, "GetChildren"});
  const int typed_call = AddMatches(first, bus, root, kTypedInto, 1);
  first.Run(deadline);
  if (!first.status(typed_call).ok()) return first.status(typed_call);
  absl::StatusOr<std::vector<Element>> found =
      DecodeReferences(first.reply(typed_call));
  if (!found.ok()) return found;
  absl::StatusOr<std::vector<Element>> windows =
      DecodeWindows(first, windows_call, app);
  if (windows.ok() && windows->size() > 1) {
    windows = Active(bus, *windows, traffic, deadline);
    // Where none or several say that they are active, a second one that is
    // typed into is looked for, so that a doubt is seen.
    const bool sure = windows->size() == 1;
    found = Matches(bus, sure ? windows->front() : root, kTypedInto,
                    sure ? 1 : 2, traffic, deadline);
    if (!found.ok()) return found;
  }
  const bool one_window = windows.ok() && windows->size() == 1;
  if (one_window) app.last_window = windows->front();
  if (!found->empty()) return found;
  return Matches(bus, one_window ? app.last_window : root, kFocusedBit,
                 kMaxMatches, traffic, deadline);
}

// Whether what was found last has the focus still, in one flight where a search
// may take many. Empty where it has not, or where that cannot be known without
// a search.
std::vector<Element> ByMemory(Bus& bus, const App& app, Traffic* traffic,
                              absl::Time deadline) {
  if (app.last_focus.path.empty()) return {};
  if (!app.quirks->one_focus && app.last_window.path.empty()) return {};
  Flight flight(traffic);
  const int state =
      flight.Add(bus, Call{app.last_focus.application, app.last_focus.path,
                           kAccessible, "GetState"});
  const int window = app.quirks->one_focus
                         ? kNotAsked
                         : flight.Add(bus, Call{app.last_window.application,
                                                app.last_window.path,
                                                kAccessible, "GetState"});
  flight.Run(deadline);
  const auto states_of = [&](int call) -> States {
    if (!flight.status(call).ok()) return kStateDefunct;
    return DecodeState(flight.reply(call)).value_or(kStateDefunct);
  };
  const States states = states_of(state);
  if (!(states & kStateFocused) || (states & kStateDefunct)) return {};
  if (window == kNotAsked) {
    // A tab may claim the focus beside the text that has got it since.
    if (app.quirks->search == Search::kTree && !SaysItHoldsText(states)) {
      return {};
    }
    return OnScreen(states) ? std::vector<Element>{app.last_focus}
                            : std::vector<Element>();
  }
  if (!(states_of(window) & kStateActive)) return {};
  if (!(states & kStateEditable) || !(states & kStateShowing)) return {};
  return {app.last_focus};
}

absl::StatusOr<std::vector<Element>> ByCacheItems(Bus& bus, const App& app,
                                                  Traffic* traffic,
                                                  absl::Time deadline) {
  Flight flight(traffic);
  const std::string path = kCachePath;
  const int items = flight.Add(bus, Call{app.name, path, kCache, "GetItems"});
  flight.Run(deadline);
  if (!flight.status(items).ok()) return flight.status(items);
  absl::StatusOr<std::vector<CacheItem>> cache =
      DecodeCacheItems(flight.reply(items));
  if (!cache.ok()) return cache.status();
  std::vector<Element> found;
  for (CacheItem& item : *cache) {
    if ((item.states & kStateFocused) && !(item.states & kStateDefunct) &&
        found.size() < static_cast<size_t>(kMaxMatches)) {
      found.push_back(std::move(item.self));
    }
  }
  return found;
}

// One walk, depth first: breadth first would ask every tool bar and menu on the
// way down to the field.
class Walk {
 public:
  // `active_only` looks into no window but those that say they are active.
  Walk(Bus& bus, const App& app, Traffic* traffic, bool active_only)
      : bus_(bus), app_(app), flight_(traffic), active_only_(active_only) {}

  absl::StatusOr<std::vector<Element>> Run(absl::Time deadline) {
    Node& root = nodes_.emplace_back();
    root.element = Element{app_.name, kRootPath};
    root.state_known = true;
    Ask(0, kChildren);
    flight_.Run(deadline, [this](int call) { return OnReply(call); });
    if (!found_.empty()) return found_;
    // Nothing found: if the walk was cut short, that is what to tell.
    for (int call = 0; call < flight_.size(); ++call) {
      const absl::Status& status = flight_.status(call);
      if (absl::IsDeadlineExceeded(status)) return status;
    }
    if (!flight_.status(0).ok()) return flight_.status(0);
    return found_;
  }

 private:
  enum What { kState, kChildren, kInterfaces };

  struct Node {
    Element element;
    // Of the branch: two bytes an index, so that the order of strings is the
    // order depth first.
    std::string branch;
    int depth = 0;
    int open = 0;  // calls of it that are not answered
    States states = 0;
    bool state_known = false;
    bool in_focus = false;  // it or an ancestor has the focus and holds text
    bool children_known = false;
    std::vector<Element> children;
  };

  struct Asked {
    size_t node;
    What what;
  };

  void Ask(size_t index, What what) {
    static constexpr const char* kMembers[] = {"GetState", "GetChildren",
                                               "GetInterfaces"};
    Node& node = nodes_[index];
    if (node.open++ == 0) ++nodes_in_flight_;
    if (node.in_focus) ++open_in_focus_;
    asked_[flight_.Add(bus_, Call{node.element.application, node.element.path,
                                  kAccessible, kMembers[what]})] = {index,
                                                                    what};
  }

  // Where the focus can lie: in an active window, and there among what shows.
  bool MayHoldFocus(const Node& node) const {
    if (node.depth == 0) return true;
    if (node.states & kStateDefunct) return false;
    if (node.depth == 1 && active_only_) return node.states & kStateActive;
    return OnScreen(node.states);
  }

  void Expand(size_t index) {
    const std::vector<Element> children = std::move(nodes_[index].children);
    nodes_[index].children.clear();
    for (size_t i = 0; i < children.size(); ++i) {
      // An application tells only of itself here: what it embeds of another is
      // the other's to answer, and its delay would become ours.
      if (children[i].application != app_.name) continue;
      if (nodes_.size() >= kMaxNodes) return;
      const size_t child = nodes_.size();
      Node& node = nodes_.emplace_back();
      node.element = children[i];
      const Node& parent = nodes_[index];
      node.branch = parent.branch;
      node.branch.push_back(static_cast<char>((i >> 8) & 0xFF));
      node.branch.push_back(static_cast<char>(i & 0xFF));
      node.depth = parent.depth + 1;
      node.in_focus = parent.in_focus;
      ready_.emplace(node.branch, child);
    }
  }

  void Next() {
    const int limit =
        std::min(kMaxNodesInFlight, 1 + static_cast<int>(asked_.size() / 16));
    while (!ready_.empty() && nodes_in_flight_ < limit) {
      const size_t index = ready_.begin()->second;
      ready_.erase(ready_.begin());
      // Once the focus is known only what lies inside it is of interest.
      if (focus_known_ && !nodes_[index].in_focus) continue;
      Ask(index, kState);
      Ask(index, kChildren);
    }
  }

  bool OnReply(int call) {
    const auto asked = asked_.find(call);
    if (asked == asked_.end()) return false;
    const auto [index, what] = asked->second;
    Node& node = nodes_[index];
    if (node.in_focus) --open_in_focus_;
    if (--node.open == 0) --nodes_in_flight_;
    const absl::Status& status = flight_.status(call);
    switch (what) {
      case kState:
        if (status.ok()) {
          absl::StatusOr<States> states = DecodeState(flight_.reply(call));
          node.state_known = states.ok();
          node.states = states.value_or(0);
        }
        if ((node.states & kStateFocused) && !(node.states & kStateDefunct)) {
          Claim(index);
        }
        break;
      case kChildren:
        node.children_known = true;
        if (status.ok()) {
          node.children = DecodeReferences(flight_.reply(call))
                              .value_or(std::vector<Element>());
        }
        break;
      case kInterfaces:
        if (status.ok() && (DecodeInterfaces(flight_.reply(call)).value_or(0) &
                            kStateSupportsText)) {
          Settle(node);
        }
        break;
    }
    if (what != kInterfaces && node.state_known && node.children_known &&
        MayHoldFocus(node)) {
      Expand(index);
    }
    Next();
    return settled_ || (focus_known_ && open_in_focus_ == 0 && !InFocusReady());
  }

  bool InFocusReady() const {
    for (const auto& [branch, index] : ready_) {
      if (nodes_[index].in_focus) return true;
    }
    return false;
  }

  // A tab may claim the focus beside the text that has it, so a claim ends the
  // walk only when it comes from something that holds text, is on the screen,
  // and belongs to a toolkit in which there is no second. Elsewhere all claims
  // are collected, so that a doubt is seen. Deeper claims are likelier: the
  // field of a combination before the combination.
  void Claim(size_t index) {
    Node& node = nodes_[index];
    const bool on_screen = OnScreen(node.states);
    if (found_.size() < static_cast<size_t>(kMaxMatches)) {
      // What is not on the screen comes after all that is.
      found_.insert(on_screen ? found_.begin() : found_.end(), node.element);
    }
    if (!on_screen || !app_.quirks->one_focus || node.in_focus) return;
    if (SaysItHoldsText(node.states)) {
      Settle(node);
      // What has many lines is no combination with a field inside.
      settled_ = (node.states & kStateMultiLine) != 0;
    } else {
      Ask(index, kInterfaces);
    }
  }

  // The focus lies in `node`: what is outside of it is of no interest any more.
  void Settle(Node& node) {
    focus_known_ = true;
    if (node.in_focus) return;
    node.in_focus = true;
    open_in_focus_ += node.open;
  }

  Bus& bus_;
  const App& app_;
  Flight flight_;
  const bool active_only_;
  std::deque<Node> nodes_;  // stable: held by reference while it grows
  std::map<std::string, size_t> ready_;
  absl::flat_hash_map<int, Asked> asked_;
  std::vector<Element> found_;
  bool focus_known_ = false;
  bool settled_ = false;  // and nothing inside it can be likelier
  int open_in_focus_ = 0;
  int nodes_in_flight_ = 0;
};

absl::StatusOr<std::vector<Element>> ByWalk(Bus& bus, const App& app,
                                            Traffic* traffic,
                                            absl::Time deadline) {
  absl::StatusOr<std::vector<Element>> found =
      Walk(bus, app, traffic, /*active_only=*/true).Run(deadline);
  if (!found.ok() || !found->empty()) return found;
  // A window may have the keyboard and not say so.
  return Walk(bus, app, traffic, /*active_only=*/false).Run(deadline);
}

}  // namespace

absl::StatusOr<std::vector<Element>> FindFocused(Bus& bus, App& app,
                                                 Traffic* traffic,
                                                 absl::Time deadline) {
  absl::StatusOr<std::vector<Element>> found =
      ByMemory(bus, app, traffic, deadline);
  if (!found->empty()) return found;
  app.last_window = Element();
  switch (app.quirks->search) {
    case Search::kMatches:
      found = ByMatches(bus, app, traffic, deadline);
      break;
    case Search::kCacheItems:
      found = ByCacheItems(bus, app, traffic, deadline);
      break;
    case Search::kTree:
      found = ByWalk(bus, app, traffic, deadline);
      break;
  }
  // The short way finds nothing where a toolkit keeps an incomplete list, or
  // lacks the interface in this version: then the walk decides.
  const bool short_way = app.quirks->search != Search::kTree;
  if (short_way && ((found.ok() && found->empty()) ||
                    absl::IsUnimplemented(found.status()) ||
                    absl::IsDataLoss(found.status()))) {
    found = ByWalk(bus, app, traffic, deadline);
  }
  if (!found.ok()) return found.status();
  if (found->empty()) return NothingFocused(app);
  // With a doubt the next search has to see it again.
  app.last_focus = found->size() == 1 ? found->front() : Element();
  return found;
}

absl::StatusOr<ActiveWindow> FindActiveWindow(Applications& applications,
                                              absl::Span<const AppPtr> apps,
                                              Traffic* traffic,
                                              absl::Time deadline) {
  Flight flight(traffic);
  struct Asked {
    AppPtr app;
    Element window;  // path empty: the application's windows were asked for
  };
  absl::flat_hash_map<int, Asked> asked;
  const std::string root = kRootPath;
  for (const AppPtr& app : apps) {
    const int call =
        flight.Add(applications.Route(*app),
                   Call{app->name, root, kAccessible, "GetChildren"});
    asked[call] = {app, {}};
  }
  absl::StatusOr<ActiveWindow> found =
      absl::NotFoundError("no application says that a window of it is active");
  flight.Run(deadline, [&](int call) {
    const auto at = asked.find(call);
    if (at == asked.end() || !flight.status(call).ok()) return false;
    const Asked one = at->second;
    if (one.window.path.empty()) {
      for (Element& window : DecodeReferences(flight.reply(call))
                                 .value_or(std::vector<Element>())) {
        if (window.application != one.app->name) continue;
        const int next = flight.Add(
            applications.Route(*one.app),
            Call{window.application, window.path, kAccessible, "GetState"});
        asked[next] = {one.app, std::move(window)};
      }
      return false;
    }
    const States states = DecodeState(flight.reply(call)).value_or(0);
    if (!(states & kStateActive) || (states & kStateDefunct)) return false;
    found = ActiveWindow{one.app, one.window};
    return true;
  });
  if (found.ok()) return found;
  int silent = 0;
  for (int call = 0; call < flight.size(); ++call) {
    if (absl::IsDeadlineExceeded(flight.status(call))) ++silent;
  }
  // One that does not answer may be the active one.
  if (silent > 0) {
    return absl::DeadlineExceededError(
        absl::StrCat(found.status().message(), ", and of ", apps.size(),
                     " some did not answer (", silent, " questions)"));
  }
  return found;
}

}  // namespace tactus::ax::atspi
