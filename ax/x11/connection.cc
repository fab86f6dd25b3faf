#include "ax/x11/connection.h"

#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"

namespace tactus::ax::x11 {
namespace {

absl::Status Refused(const xcb_generic_error_t& error) {
  return absl::NotFoundError(absl::StrCat("the X server refused request ",
                                          error.major_code, " with error ",
                                          error.error_code));
}

// Threads that may wait at once for a greeting that nobody waits for any more.
// A process asks one display or two; each that hangs costs a thread and a
// socket until its server ends.
constexpr int kMaxLeftBehind = 4;

// One act of connecting, shared by who waits for it and the thread that does
// it.
struct Connecting {
  Mutex mutex;
  Condition changed;
  bool done ABSL_GUARDED_BY(mutex) = false;
  // Nobody waits any more: the thread closes what it has opened.
  bool left ABSL_GUARDED_BY(mutex) = false;
  xcb_connection_t* connection ABSL_GUARDED_BY(mutex) = nullptr;
  int screen ABSL_GUARDED_BY(mutex) = 0;
};

std::atomic<int> left_behind = 0;

void Connect(const std::string& display, Connecting& connecting) {
  int screen = 0;
  xcb_connection_t* connection =
      xcb_connect(display.empty() ? nullptr : display.c_str(), &screen);
  MutexLock lock(&connecting.mutex);
  if (connecting.left) {
    xcb_disconnect(connection);
    --left_behind;
    return;
  }
  connecting.connection = connection;
  connecting.screen = screen;
  connecting.done = true;
  connecting.changed.NotifyAll();
}

}  // namespace

absl::Status DisplayGone() {
  return absl::UnavailableError("the X display closed the connection");
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(
    const std::string& display, absl::Time deadline) {
  const char* from_environment = getenv("DISPLAY");
  if (display.empty() &&
      (from_environment == nullptr || *from_environment == '\0')) {
    return absl::FailedPreconditionError(
        getenv("WAYLAND_DISPLAY") != nullptr
            ? "this is a Wayland session without X11 (DISPLAY is not set), "
              "where no program may use the clipboard and the keyboard of "
              "another: log in to an X11 session, or enable XWayland and start "
              "the application on it"
            : "DISPLAY is not set: run this inside a desktop session, or "
              "under tools/desktop/run");
  }
  const std::string name = display.empty() ? from_environment : display;
  if (Clock::Real().Now() >= deadline) {
    return absl::DeadlineExceededError(
        absl::StrCat("no time was left to open the X display '", name, "'"));
  }
  if (left_behind >= kMaxLeftBehind) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the X display '", name,
                     "' is not asked: earlier ones accepted the connection and "
                     "have not greeted yet"));
  }
  const auto connecting = std::make_shared<Connecting>();
  std::thread([display, connecting] {
    Connect(display, *connecting);
  }).detach();
  int screen_number = 0;
  xcb_connection_t* connection = nullptr;
  {
    MutexLock lock(&connecting->mutex);
    for (;;) {
      if (connecting->done) break;
      const absl::Duration left = deadline - Clock::Real().Now();
      if (left <= absl::ZeroDuration()) {
        connecting->left = true;
        ++left_behind;
        return absl::DeadlineExceededError(absl::StrCat(
            "the X display '", name,
            "' does not greet: check that its server is not stopped"));
      }
      connecting->changed.WaitFor(&connecting->mutex, left);
    }
    connection = connecting->connection;
    screen_number = connecting->screen;
  }
  if (xcb_connection_has_error(connection)) {
    xcb_disconnect(connection);
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot open the X display '", name,
        "': check that it runs and that this user may use it (xhost)"));
  }
  xcb_screen_iterator_t screens =
      xcb_setup_roots_iterator(xcb_get_setup(connection));
  for (; screen_number > 0 && screens.rem > 1; --screen_number) {
    xcb_screen_next(&screens);
  }
  return std::unique_ptr<Connection>(
      new Connection(connection, screens.data->root));
}

Connection::~Connection() { xcb_disconnect(connection_); }

bool Connection::Made(xcb_window_t window) const {
  const xcb_setup_t* setup = xcb_get_setup(connection_);
  return (window & ~setup->resource_id_mask) == setup->resource_id_base;
}

absl::Status Connection::Check(const std::vector<xcb_void_cookie_t>& cookies,
                               absl::Time deadline) {
  // A request without a reply is known to be done when a later one is answered.
  absl::StatusOr<Reply<xcb_get_input_focus_reply_t>> later =
      Take<xcb_get_input_focus_reply_t>(xcb_get_input_focus(connection_),
                                        deadline);
  absl::Status first;
  for (xcb_void_cookie_t cookie : cookies) {
    if (!later.ok()) {
      xcb_discard_reply(connection_, cookie.sequence);
      continue;
    }
    void* reply = nullptr;
    xcb_generic_error_t* error = nullptr;
    xcb_poll_for_reply(connection_, cookie.sequence, &reply, &error);
    if (error != nullptr && first.ok()) first = Refused(*error);
    free(error);
  }
  return later.ok() ? first : later.status();
}

absl::StatusOr<std::vector<xcb_atom_t>> Connection::Intern(
    const std::vector<const char*>& names, absl::Time deadline) {
  std::vector<xcb_intern_atom_cookie_t> cookies;
  cookies.reserve(names.size());
  for (const char* name : names) {
    cookies.push_back(xcb_intern_atom(connection_, 0, strlen(name), name));
  }
  std::vector<xcb_atom_t> atoms;
  atoms.reserve(names.size());
  for (xcb_intern_atom_cookie_t cookie : cookies) {
    absl::StatusOr<Reply<xcb_intern_atom_reply_t>> reply =
        Take<xcb_intern_atom_reply_t>(cookie, deadline);
    if (!reply.ok()) return reply.status();
    atoms.push_back((*reply)->atom);
  }
  return atoms;
}

absl::StatusOr<Reply<void>> Connection::TakeAny(unsigned sequence,
                                                absl::Time deadline) {
  xcb_flush(connection_);
  for (;;) {
    void* raw = nullptr;
    xcb_generic_error_t* raw_error = nullptr;
    const int ready =
        xcb_poll_for_reply(connection_, sequence, &raw, &raw_error);
    const Reply<xcb_generic_error_t> error(raw_error);
    Reply<void> reply(raw);
    if (ready) {
      if (reply != nullptr) return reply;
      if (error != nullptr) {
        return Refused(*error);
      }
      return DisplayGone();
    }
    if (broken()) return DisplayGone();
    if (Clock::Real().Now() >= deadline) {
      xcb_discard_reply(connection_, sequence);
      return absl::DeadlineExceededError("no answer from the X display");
    }
    Wait(-1, deadline);
  }
}

void Connection::Wait(int other_fd, absl::Time deadline) {
  xcb_flush(connection_);
  const absl::Duration left = std::clamp(deadline - Clock::Real().Now(),
                                         absl::ZeroDuration(), absl::Hours(1));
  // A broken connection is readable for ever; poll ignores negative ones.
  std::array<pollfd, 2> fds = {
      pollfd{broken() ? -1 : xcb_get_file_descriptor(connection_), POLLIN, 0},
      pollfd{other_fd, POLLIN, 0}};
  const timespec timeout = absl::ToTimespec(left);
  ppoll(fds.data(), fds.size(), &timeout, nullptr);
}

}  // namespace tactus::ax::x11
