// An X server of a test's own, without a window manager.
//
// Example:
//
//   Xvfb server;
//   auto selection = Selection::Open(server.display(), deadline);
//   server.Kill();   // everything that is connected loses its display
#ifndef TACTUS_AX_X11_TESTING_XVFB_H_
#define TACTUS_AX_X11_TESTING_XVFB_H_

#include <sys/types.h>
#include <xcb/xcb.h>

#include <string>
#include <vector>

namespace tactus::ax::x11 {

class Xvfb {
 public:
  // Ends the test program with a sentence where it does not start.
  explicit Xvfb(const std::vector<std::string>& more_arguments = {});
  ~Xvfb();
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;

  const std::string& display() const { return display_; }
  void Kill();

 private:
  pid_t pid_ = 0;
  std::string display_;
  // Between two clients of a test the server would end.
  xcb_connection_t* connection_ = nullptr;
};

// Runs a program of the system with its arguments, and fails the test when it
// does not exit with 0.
void RunProgram(const std::vector<std::string>& arguments);

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_TESTING_XVFB_H_
