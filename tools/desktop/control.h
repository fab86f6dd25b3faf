// The control socket of the test widgets, without any toolkit.
//
// A test that edits a field through accessibility has to know, by another way,
// what the application then holds. Each widget answers on a Unix socket from
// within its own main loop:
//
//   ControlServer server(&window, "/run/x/control");
//   // have the toolkit watch server.fd(), and when it is readable:
//   server.OnReadable();
//
// A request is one line of JSON, and so is its answer:
//
//   {"do":"state"}  {"do":"set","text":"x"}  {"do":"select","start":0,"end":2}
//   {"do":"focus","field":"entry"}  {"do":"replace-widget"}  {"do":"window2"}
//
// Answers carry "ok", and "error" where it is false. Offsets are code points.
// Set and select take the focused field, or the one that "field" names.

#ifndef TOOLS_DESKTOP_CONTROL_H_
#define TOOLS_DESKTOP_CONTROL_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::desktop {

// What one field holds, as its toolkit says.
struct FieldState {
  std::string text;
  int caret = 0;
  // Half open; nothing where no text is selected.
  std::optional<std::pair<int, int>> selection;
};

// A window with fields, in some toolkit. Names that do not exist are refused by
// the server before they get here.
class FieldWindow {
 public:
  virtual ~FieldWindow() = default;

  virtual std::vector<std::string> Names() const = 0;
  // The field with the keyboard's focus inside the application; empty if none.
  virtual std::string Focused() const = 0;
  // Whether a window of this application is the active one.
  virtual bool Active() const = 0;
  virtual FieldState State(const std::string& name) const = 0;

  // Leaves the caret at the end with nothing selected.
  virtual void SetText(const std::string& name, const std::string& text) = 0;
  // Selects [start, end) with the caret at its end. The server has checked both
  // against the text.
  virtual void Select(const std::string& name, int start, int end) = 0;
  virtual void Focus(const std::string& name) = 0;
  // Destroys the field's widget and puts another with the same text in its
  // place, which then has the focus.
  virtual void ReplaceWidget(const std::string& name) = 0;
  // Opens a second window with the field "window2".
  virtual void OpenSecondWindow() = 0;
};

class ControlServer {
 public:
  // Listens on `path`; ends the program with a sentence where it cannot.
  ControlServer(FieldWindow* window, const std::string& path);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Readable whenever there is something to do.
  int fd() const { return epoll_; }
  // Does what can be done without waiting.
  void OnReadable();

 private:
  struct Connection {
    std::string in;
    std::string out;
  };

  void Accept();
  void Serve(int connection, unsigned events);
  void Close(int connection);
  std::string Answer(std::string_view request);

  FieldWindow* const window_;
  int listener_ = -1;
  int epoll_ = -1;
  std::map<int, Connection> connections_;
};

// The command line of every widget: --control PATH, --kind FIELD and
// --text-file PATH. Ends the program with status 2 where it is wrong.
struct Options {
  std::string control;
  std::string kind = "text";
  std::string text;
};
Options ParseOptions(int argc, char** argv);

}  // namespace tactus::desktop

#endif  // TOOLS_DESKTOP_CONTROL_H_
