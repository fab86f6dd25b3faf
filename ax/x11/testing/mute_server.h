// Something that accepts connections where an X server would, and never says a
// word: an X server that is stopped.
//
// Example:
//
//   MuteServer mute;
//   Connection::Open(mute.display(), soon);   // DeadlineExceeded
//   mute.End();                               // what waits for it is let go
#ifndef TACTUS_AX_X11_TESTING_MUTE_SERVER_H_
#define TACTUS_AX_X11_TESTING_MUTE_SERVER_H_

#include <string>

namespace tactus::ax::x11 {

class MuteServer {
 public:
  MuteServer();
  ~MuteServer() { End(); }
  MuteServer(const MuteServer&) = delete;
  MuteServer& operator=(const MuteServer&) = delete;

  const std::string& display() const { return display_; }
  // Resets every connection.
  void End();

 private:
  int socket_ = -1;
  std::string display_;
};

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_TESTING_MUTE_SERVER_H_
