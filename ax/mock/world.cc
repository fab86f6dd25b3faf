#include "ax/mock/world.h"

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr absl::string_view kWindowPath = "/window";

absl::Status NoElement() { return absl::NotFoundError("no such element"); }
absl::Status NoProgram() { return absl::NotFoundError("no such application"); }

int64_t Length(const Node& node) {
  return static_cast<int64_t>(node.text.size());
}

}  // namespace

Node TextArea(std::string path, absl::string_view text) {
  Node node;
  node.path = std::move(path);
  node.role = {Role::kTextArea, "text"};
  node.states = kStateFocused | kStateShowing | kStateVisible | kStateEditable |
                kStateEnabled | kStateMultiLine | kStateSupportsText |
                kStateSupportsEditing;
  node.text = DecodeUtf8(text);
  node.caret = Length(node);
  return node;
}

Program MakeProgram(std::string name, pid_t pid, std::vector<Node> nodes) {
  Program program;
  program.application = {.id = absl::StrCat("app:", pid),
                         .name = std::move(name),
                         .pid = pid,
                         .toolkit = "mock",
                         .toolkit_version = "1"};
  program.nodes = std::move(nodes);
  for (const Node& node : program.nodes) {
    if ((node.states & kStateFocused) == 0) continue;
    program.focus = node.path;
    break;
  }
  return program;
}

Desktop EditorDesktop(absl::string_view text) {
  Desktop desktop;
  desktop.programs.push_back(
      MakeProgram("editor", 100, {TextArea("/text", text)}));
  const Application& editor = desktop.programs[0].application;
  desktop.panes.push_back(
      {{.pid = editor.pid, .title = "document - editor", .active = true},
       {editor.id, std::string(kWindowPath)}});
  desktop.focused = editor.id;
  return desktop;
}

std::optional<Element> World::Focused() const {
  const Program* program = FindProgram(desktop_.focused);
  if (program == nullptr || program->focus.empty()) return std::nullopt;
  return Element{program->application.id, program->focus};
}

const Program* World::FindProgram(absl::string_view id) const {
  for (const Program& program : desktop_.programs) {
    if (program.application.id == id) return &program;
  }
  return nullptr;
}

const Program* World::FindProcess(pid_t pid) const {
  for (const Program& program : desktop_.programs) {
    if (program.application.pid == pid) return &program;
  }
  return nullptr;
}

const Node* World::Find(const Element& element) const {
  const Program* program = FindProgram(element.application);
  if (program == nullptr) return nullptr;
  for (const Node& node : program->nodes) {
    if (node.path == element.path) return &node;
  }
  return nullptr;
}

const Pane* World::FindPane(const Element& window) const {
  for (const Pane& pane : desktop_.panes) {
    if (pane.element == window) return &pane;
  }
  return nullptr;
}

std::optional<Element> World::WindowOf(const Element& element) const {
  const Node* node = Find(element);
  if (node == nullptr) return std::nullopt;
  for (const Pane& pane : desktop_.panes) {
    if (pane.element.application != element.application) continue;
    if (node->window.empty() || node->window == pane.element.path) {
      return pane.element;
    }
  }
  return std::nullopt;
}

bool World::IsSecure(const Element& element) const {
  const Node* node = Find(element);
  if (node == nullptr) return false;
  return node->role.role == Role::kPassword ||
         (node->subrole.has_value() && node->subrole->role == Role::kPassword);
}

Node* World::Mutable(const Element& element) {
  return const_cast<Node*>(Find(element));
}

Program* World::MutableProgram(absl::string_view id) {
  return const_cast<Program*>(FindProgram(id));
}

absl::Status World::Focus(const Element& element) {
  Program* program = MutableProgram(element.application);
  Node* node = Mutable(element);
  if (program == nullptr || node == nullptr) return NoElement();
  if (!program->focus.empty() && program->focus != element.path) {
    Node* old = Mutable({element.application, program->focus});
    if (old != nullptr) old->states &= ~kStateFocused;
  }
  program->focus = element.path;
  node->states |= kStateFocused;
  absl::Status activated = Activate(element.application);
  if (!activated.ok()) return activated;
  Emit({Event::Kind::kFocused, element});
  return absl::OkStatus();
}

absl::Status World::Activate(absl::string_view id) {
  const Program* program = FindProgram(id);
  if (program == nullptr) return NoProgram();
  if (desktop_.focused == id) return absl::OkStatus();
  std::vector<Event> events;
  for (Pane& pane : desktop_.panes) {
    if (!pane.window.active) continue;
    pane.window.active = false;
    events.push_back({Event::Kind::kWindowDeactivated, pane.element});
  }
  std::vector<Pane> behind;
  std::vector<Pane> front;
  for (Pane& pane : desktop_.panes) {
    (pane.element.application == id ? front : behind)
        .push_back(std::move(pane));
  }
  front.insert(front.end(), std::make_move_iterator(behind.begin()),
               std::make_move_iterator(behind.end()));
  desktop_.panes = std::move(front);
  desktop_.focused = std::string(id);
  if (!desktop_.panes.empty() &&
      desktop_.panes.front().element.application == id) {
    desktop_.panes.front().window.active = true;
    events.push_back(
        {Event::Kind::kWindowActivated, desktop_.panes.front().element});
  }
  if (!program->focus.empty()) {
    events.push_back(
        {Event::Kind::kFocused, {program->application.id, program->focus}});
  }
  for (const Event& event : events) Emit(event);
  return absl::OkStatus();
}

absl::Status World::Type(const Element& element, absl::string_view text) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  const std::u32string points = DecodeUtf8(text);
  if (node->selection.has_value()) {
    const Range range = Clamp(*node->selection, Length(*node));
    node->text.replace(static_cast<size_t>(range.begin),
                       static_cast<size_t>(range.length()), points);
    node->selection.reset();
    node->caret = range.begin + static_cast<int64_t>(points.size());
    node->other_carets.clear();
  } else {
    // From the last caret to the first, so that the earlier offsets hold.
    std::vector<int64_t*> carets = {&node->caret};
    for (int64_t& caret : node->other_carets) carets.push_back(&caret);
    std::sort(carets.begin(), carets.end(),
              [](const int64_t* a, const int64_t* b) { return *a > *b; });
    int64_t before = static_cast<int64_t>(carets.size());
    for (int64_t* caret : carets) {
      const int64_t at = std::clamp<int64_t>(*caret, 0, Length(*node));
      node->text.insert(static_cast<size_t>(at), points);
      *caret = at + before * static_cast<int64_t>(points.size());
      --before;
    }
  }
  Emit({Event::Kind::kTextChanged, element});
  Emit({Event::Kind::kSelectionChanged, element});
  return absl::OkStatus();
}

absl::Status World::MoveCaret(const Element& element, int64_t caret) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  node->caret = std::clamp<int64_t>(caret, 0, Length(*node));
  node->selection.reset();
  Emit({Event::Kind::kSelectionChanged, element});
  return absl::OkStatus();
}

absl::Status World::Select(const Element& element, Range range) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  const Range within = Clamp(range, Length(*node));
  node->selection.reset();
  if (!within.empty()) node->selection = within;
  node->caret = within.end;
  Emit({Event::Kind::kSelectionChanged, element});
  return absl::OkStatus();
}

absl::Status World::ReplaceRange(const Element& element, Range range,
                                 absl::string_view text) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  const Range within = Clamp(range, Length(*node));
  const std::u32string points = DecodeUtf8(text);
  if (within.empty() && points.empty()) return absl::OkStatus();
  const int64_t end = within.begin + static_cast<int64_t>(points.size());
  const auto moved = [&](int64_t position) {
    if (position < within.begin) return position;
    return end + std::max<int64_t>(position - within.end, 0);
  };
  const int64_t length = Length(*node);
  node->text.replace(static_cast<size_t>(within.begin),
                     static_cast<size_t>(within.length()), points);
  const int64_t caret = node->caret;
  const std::optional<Range> selection = node->selection;
  node->caret = moved(std::min(caret, length));
  for (int64_t& other : node->other_carets) {
    other = moved(std::min(other, length));
  }
  if (selection.has_value()) {
    const Range old = Clamp(*selection, length);
    node->selection = Range{moved(old.begin), moved(old.end)};
    if (node->selection->empty()) node->selection.reset();
  }
  const bool told = node->caret != caret || node->selection != selection;
  Emit({Event::Kind::kTextChanged, element});
  if (told) Emit({Event::Kind::kSelectionChanged, element});
  return absl::OkStatus();
}

absl::Status World::SetText(const Element& element, absl::string_view text) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  node->text = DecodeUtf8(text);
  node->caret = std::min(node->caret, Length(*node));
  node->selection.reset();
  for (int64_t& caret : node->other_carets) {
    caret = std::min(caret, Length(*node));
  }
  Emit({Event::Kind::kTextChanged, element});
  return absl::OkStatus();
}

absl::Status World::SetSecure(const Element& element, bool secure) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  node->role = secure ? RoleValue{Role::kPassword, "password text"}
                      : RoleValue{Role::kTextField, "entry"};
  return absl::OkStatus();
}

absl::Status World::ChangeStates(const Element& element, States set,
                                 States clear) {
  Node* node = Mutable(element);
  if (node == nullptr) return NoElement();
  node->states = (node->states & ~clear) | set;
  return absl::OkStatus();
}

absl::StatusOr<Element> World::Replace(const Element& element) {
  Program* program = MutableProgram(element.application);
  Node* node = Mutable(element);
  if (program == nullptr || node == nullptr) return NoElement();
  Element fresh = element;
  do {
    fresh.path = absl::StrCat(element.path.substr(0, element.path.find('#')),
                              "#", ++next_name_);
  } while (Find(fresh) != nullptr);
  for (Node& parent : program->nodes) {
    std::replace(parent.children.begin(), parent.children.end(), element.path,
                 fresh.path);
  }
  node->path = fresh.path;
  if (program->focus == element.path) {
    program->focus = fresh.path;
    Emit({Event::Kind::kFocused, fresh});
  }
  return fresh;
}

absl::Status World::Remove(const Element& element) {
  Program* program = MutableProgram(element.application);
  if (program == nullptr || Find(element) == nullptr) return NoElement();
  std::vector<Node>& nodes = program->nodes;
  nodes.erase(
      std::remove_if(nodes.begin(), nodes.end(),
                     [&](const Node& n) { return n.path == element.path; }),
      nodes.end());
  for (Node& parent : nodes) {
    parent.children.erase(std::remove(parent.children.begin(),
                                      parent.children.end(), element.path),
                          parent.children.end());
  }
  if (program->focus == element.path) program->focus.clear();
  return absl::OkStatus();
}

absl::Status World::Rename(absl::string_view id, std::string name) {
  Program* program = MutableProgram(id);
  if (program == nullptr) return NoProgram();
  program->application.name = std::move(name);
  return absl::OkStatus();
}

absl::Status World::Start(Program program, std::string title) {
  if (FindProgram(program.application.id) != nullptr) {
    return absl::AlreadyExistsError("an application has that id");
  }
  const Application& application = program.application;
  desktop_.panes.push_back(
      {{.pid = application.pid, .title = std::move(title), .active = false},
       {application.id, std::string(kWindowPath)}});
  desktop_.programs.push_back(std::move(program));
  return absl::OkStatus();
}

absl::Status World::Quit(absl::string_view id) {
  if (FindProgram(id) == nullptr) return NoProgram();
  const std::string gone(id);  // `id` may point into what is erased
  auto& programs = desktop_.programs;
  programs.erase(std::remove_if(programs.begin(), programs.end(),
                                [&](const Program& p) {
                                  return p.application.id == gone;
                                }),
                 programs.end());
  auto& panes = desktop_.panes;
  panes.erase(std::remove_if(
                  panes.begin(), panes.end(),
                  [&](const Pane& p) { return p.element.application == gone; }),
              panes.end());
  if (desktop_.focused == gone) desktop_.focused.clear();
  Emit({Event::Kind::kApplicationGone, {gone, ""}});
  return absl::OkStatus();
}

absl::StatusOr<Application> World::Restart(absl::string_view id,
                                           bool same_pid) {
  const Program* old = FindProgram(id);
  if (old == nullptr) return NoProgram();
  Program program = *old;
  const std::string gone = program.application.id;
  const bool focused = desktop_.focused == gone;
  std::string title;
  for (const Pane& pane : desktop_.panes) {
    if (pane.element.application == gone) title = pane.window.title;
  }
  program.application.id = NewId();
  if (!same_pid) program.application.pid = NewPid();
  Application application = program.application;
  absl::Status quit = Quit(gone);
  if (!quit.ok()) return quit;
  absl::Status started = Start(std::move(program), std::move(title));
  if (!started.ok()) return started;
  if (focused) {
    absl::Status activated = Activate(application.id);
    if (!activated.ok()) return activated;
  }
  return application;
}

absl::StatusOr<Application> World::ReusePid(absl::string_view id) {
  const Program* old = FindProgram(id);
  if (old == nullptr) return NoProgram();
  Program other = MakeProgram("stranger", old->application.pid,
                              {TextArea("/stranger", "not yours")});
  other.application.id = NewId();
  Application application = other.application;
  absl::Status quit = Quit(id);
  if (!quit.ok()) return quit;
  absl::Status started = Start(std::move(other), "stranger");
  if (!started.ok()) return started;
  return application;
}

void World::At(absl::Time time, std::function<void(World&)> action) {
  scheduled_.emplace(time, std::move(action));
}

absl::Time World::NextAction() const {
  return scheduled_.empty() ? absl::InfiniteFuture()
                            : scheduled_.begin()->first;
}

void World::AdvanceTo(absl::Time time, SimulatedClock& clock) {
  while (!scheduled_.empty() && scheduled_.begin()->first <= time) {
    clock.AdvanceTo(scheduled_.begin()->first);
    const std::function<void(World&)> action =
        std::move(scheduled_.begin()->second);
    scheduled_.erase(scheduled_.begin());
    action(*this);
  }
  clock.AdvanceTo(time);
}

void World::Emit(const Event& event) {
  // A copy, since a listener may add or remove one.
  const std::map<int, Listener> listeners = listeners_;
  for (const auto& [id, listener] : listeners) listener(event);
}

int World::AddListener(Listener listener) {
  listeners_[next_listener_] = std::move(listener);
  return next_listener_++;
}

void World::RemoveListener(int id) { listeners_.erase(id); }

std::string World::NewId() {
  std::string id;
  do {
    id = absl::StrCat("app:new", ++next_name_);
  } while (FindProgram(id) != nullptr);
  return id;
}

pid_t World::NewPid() const {
  pid_t pid = 5000;
  while (FindProcess(pid) != nullptr) ++pid;
  return pid;
}

}  // namespace tactus::ax::mock
