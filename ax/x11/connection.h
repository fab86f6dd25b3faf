// A connection to an X server on which every wait has a deadline.
//
// Used by what this folder does with the clipboard and the keyboard, and by the
// AT-SPI backend for what the display knows of windows. XCB's own waits for
// replies have no end; these poll the socket instead.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Connection>> x =
//       Connection::Open("", deadline);
//   absl::StatusOr<Reply<xcb_get_selection_owner_reply_t>> owner =
//       (*x)->Take<xcb_get_selection_owner_reply_t>(
//           xcb_get_selection_owner((*x)->raw(), selection), deadline);
//
// Errors: NotFound when the server answers a request with an error (what it was
// about does not exist any more), DeadlineExceeded, and Unavailable when the
// display has gone.
//
// One thread at a time.
#ifndef TACTUS_AX_X11_CONNECTION_H_
#define TACTUS_AX_X11_CONNECTION_H_

#include <stdlib.h>
#include <xcb/xcb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tactus::ax::x11 {

struct Free {
  void operator()(void* p) const { free(p); }
};
template <typename T>
using Reply = std::unique_ptr<T, Free>;

class Connection {
 public:
  // Opens `display`, or $DISPLAY where it is empty. FailedPrecondition where
  // there is none; the message says what to do. DeadlineExceeded where an X
  // server accepts and does not greet in time: XCB offers no way to bound that,
  // so it connects on a thread, which is left behind then and ends when that
  // server does. ResourceExhausted where too many of them are left already.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(
      const std::string& display, absl::Time deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  xcb_connection_t* raw() { return connection_; }
  xcb_window_t root() const { return root_; }
  // Once it is broken it stays so.
  bool broken() const { return xcb_connection_has_error(connection_) != 0; }
  // Whether this connection has made the window.
  bool Made(xcb_window_t window) const;

  // The reply to a request.
  template <typename T, typename Cookie>
  absl::StatusOr<Reply<T>> Take(Cookie cookie, absl::Time deadline) {
    absl::StatusOr<Reply<void>> reply = TakeAny(cookie.sequence, deadline);
    if (!reply.ok()) return reply.status();
    return Reply<T>(static_cast<T*>(reply->release()));
  }

  // Whether the server did what checked requests without a reply asked, in one
  // round trip; the first error.
  absl::Status Check(const std::vector<xcb_void_cookie_t>& cookies,
                     absl::Time deadline);

  absl::StatusOr<std::vector<xcb_atom_t>> Intern(
      const std::vector<const char*>& names, absl::Time deadline);

  // Blocks until the server has sent something, `other_fd` (where not -1) is
  // readable, or `deadline`. Look for events that have come already before.
  void Wait(int other_fd, absl::Time deadline);

 private:
  Connection(xcb_connection_t* connection, xcb_window_t root)
      : connection_(connection), root_(root) {}

  absl::StatusOr<Reply<void>> TakeAny(unsigned sequence, absl::Time deadline);

  xcb_connection_t* const connection_;
  const xcb_window_t root_;
};

// What every call says once the display has gone.
absl::Status DisplayGone();

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_CONNECTION_H_
