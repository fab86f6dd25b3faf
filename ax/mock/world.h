// The desktop that the mock server describes: programs, windows, elements,
// text, and who has the keyboard.
//
// Use it to stage a test and to act as the user or an application would while
// the code under test is between two messages. Every action tells its listeners
// the events that a well-behaved application would send; changing a node
// through `Mutable` tells nothing, as an application that keeps silent.
//
//   World world(EditorDesktop("hello"));       // one editor, its text focused
//   const Element field = *world.Focused();
//   world.Type(field, " world").IgnoreError();  // the user types
//   // EncodeUtf8(world.Find(field)->text) == "hello world"
//
// Offsets are code points. Actions return NotFound when what they name does not
// exist, and then change nothing. Not thread-safe.
#ifndef TACTUS_AX_MOCK_WORLD_H_
#define TACTUS_AX_MOCK_WORLD_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// One element, as its application holds it.
struct Node {
  std::string path;  // unique within the program
  RoleValue role;
  std::optional<RoleValue> subrole;  // none: the platform has no such thing
  States states = 0;
  std::u32string text;
  int64_t caret = 0;
  std::optional<Range> selection;  // none: nothing is selected
  // An editor with several carets has these besides `caret`; what the user
  // types lands at each. No attribute tells of them.
  std::vector<int64_t> other_carets;
  bool value_settable = true;
  bool selection_settable = true;
  std::vector<std::string> children;  // paths
  std::string window;  // the path of its window; empty: the program's first
  // What its application calls it, for a list of fields; no script sets it.
  std::string name;

  friend bool operator==(const Node&, const Node&) = default;
};

// One running application.
struct Program {
  Application application;
  std::vector<Node> nodes;  // in tree order, so a search meets them in it
  std::string focus;        // the path that has the widget focus; may be empty

  friend bool operator==(const Program&, const Program&) = default;
};

// A window of the display, and the element that stands for it in the tree.
struct Pane {
  Window window;
  Element element;
};

// Everything, as plain data.
struct Desktop {
  std::vector<Program> programs;
  std::vector<Pane> panes;  // front to back
  std::string focused;      // Application::id with the keyboard; may be empty
};

// A text area that is focused, editable and showing, with its caret at the end.
Node TextArea(std::string path, absl::string_view text);

// A program named `name` with the process id `pid` and the given nodes; the
// first that is focused has the focus. Its id is "app:<pid>".
Program MakeProgram(std::string name, pid_t pid, std::vector<Node> nodes);

// One editor, "editor", pid 100, id "app:100", whose one window is active and
// whose one text area "/text" holds `text` and has the keyboard.
Desktop EditorDesktop(
    absl::string_view text = "The quick brown fox jumps over the lazy dog.");

class World {
 public:
  explicit World(Desktop desktop = {}) : desktop_(std::move(desktop)) {}

  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Desktop& desktop() const { return desktop_; }

  // Truth, for tests to compare with.
  std::optional<Element> Focused() const;  // what has the keyboard
  const Program* FindProgram(absl::string_view id) const;
  const Program* FindProcess(pid_t pid) const;
  const Node* Find(const Element& element) const;
  const Pane* FindPane(const Element& window) const;
  std::optional<Element> WindowOf(const Element& element) const;
  // Role or subrole says password.
  bool IsSecure(const Element& element) const;

  // To change without an event. Invalidated by any action.
  Node* Mutable(const Element& element);
  Program* MutableProgram(absl::string_view id);
  std::vector<Pane>& mutable_panes() { return desktop_.panes; }
  void set_focused(std::string id) { desktop_.focused = std::move(id); }

  // The user's actions.
  // Gives `element` the focus and brings its application to the front.
  absl::Status Focus(const Element& element);
  // Brings the application to the front; its own focus stays as it was.
  absl::Status Activate(absl::string_view id);
  // Replaces the selection, or inserts at each caret. `text` is UTF-8.
  absl::Status Type(const Element& element, absl::string_view text);
  // Clamped to the text; drops the selection.
  absl::Status MoveCaret(const Element& element, int64_t caret);
  // Clamped to the text; the caret goes to its end. Empty: nothing is selected.
  absl::Status Select(const Element& element, Range range);

  // An application's actions.
  // `range`, clamped to the text, becomes `text`. A caret or an end of the
  // selection that stands before the range stays, one after it moves along, and
  // one within it or at its edge goes to the end of what was put there.
  absl::Status ReplaceRange(const Element& element, Range range,
                            absl::string_view text);
  absl::Status SetText(const Element& element, absl::string_view text);
  // "Show password" and back: the role becomes kPassword, or kTextField.
  absl::Status SetSecure(const Element& element, bool secure);
  absl::Status ChangeStates(const Element& element, States set, States clear);
  // A new element stands where the old one was, with the same content and
  // focus; the old one is gone.
  absl::StatusOr<Element> Replace(const Element& element);
  absl::Status Remove(const Element& element);
  absl::Status Rename(absl::string_view id, std::string name);
  absl::Status Start(Program program, std::string title);
  absl::Status Quit(absl::string_view id);
  // Quits and starts again with the same content under a new id; with the same
  // process id when `same_pid`, since systems reuse them.
  absl::StatusOr<Application> Restart(absl::string_view id, bool same_pid);
  // Another program starts under the process id of `id`, which quits.
  absl::StatusOr<Application> ReusePid(absl::string_view id);

  // What happens by itself: `action` is done when AdvanceTo reaches `time`, or
  // at once at its next call when that has passed. Equal times keep the order
  // of the calls. An action may outlive whoever asked for it, and must not need
  // him.
  void At(absl::Time time, std::function<void(World&)> action);
  // When the next of these is due; the infinite future when nothing is.
  absl::Time NextAction() const;
  // Moves the clock to `time`, unless that has passed, and does on the way what
  // becomes due. Whoever waits on this world moves the clock by this alone.
  void AdvanceTo(absl::Time time, SimulatedClock& clock);

  // Tells the listeners.
  void Emit(const Event& event);
  using Listener = std::function<void(const Event&)>;
  int AddListener(Listener listener);
  void RemoveListener(int id);

 private:
  std::string NewId();
  pid_t NewPid() const;

  Desktop desktop_;
  std::map<int, Listener> listeners_;
  int next_listener_ = 0;
  std::multimap<absl::Time, std::function<void(World&)>> scheduled_;
  int64_t next_name_ = 0;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_WORLD_H_
