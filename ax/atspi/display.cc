#include "ax/atspi/display.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// More windows than a person keeps; bounds the answer of a strange window
// manager.
constexpr uint32_t kMaxWindows = 256;
// Of a property, in 32-bit words: window titles and one bus address.
constexpr uint32_t kMaxWords = 1024;

struct Free {
  void operator()(void* p) const { free(p); }
};
using Reply = std::unique_ptr<xcb_get_property_reply_t, Free>;

class XcbDisplay : public Display {
 public:
  XcbDisplay(xcb_connection_t* connection, xcb_window_t root, Traffic* traffic)
      : connection_(connection), root_(root), traffic_(traffic) {}
  ~XcbDisplay() override { xcb_disconnect(connection_); }

  absl::Status InternAtoms() {
    static constexpr std::array<const char*, kAtoms> kNames = {
        "_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING",
        "_NET_WM_PID",        "_NET_WM_NAME",
        "AT_SPI_BUS",         "UTF8_STRING"};
    std::array<xcb_intern_atom_cookie_t, kAtoms> cookies;
    for (size_t i = 0; i < kAtoms; ++i) {
      cookies[i] =
          xcb_intern_atom(connection_, 0, strlen(kNames[i]), kNames[i]);
    }
    ++traffic_->flights;
    traffic_->calls += kAtoms;
    for (size_t i = 0; i < kAtoms; ++i) {
      std::unique_ptr<xcb_intern_atom_reply_t, Free> reply(
          xcb_intern_atom_reply(connection_, cookies[i], nullptr));
      if (reply == nullptr) {
        return absl::UnavailableError("the X display closed the connection");
      }
      atoms_[i] = reply->atom;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<pid_t> ActivePid(absl::Time deadline) override {
    // The window is mostly the one of the last time, so its process is asked
    // for in the same flight. The answer is used only if the guess was right.
    const xcb_window_t guess = last_active_;
    const xcb_get_property_cookie_t active = Ask(root_, kActiveWindow, 1);
    xcb_get_property_cookie_t guessed_pid = {};
    if (guess != XCB_NONE) guessed_pid = Ask(guess, kPid, 1);
    ++traffic_->flights;
    absl::StatusOr<Reply> active_reply = Take(active, deadline);
    absl::StatusOr<Reply> pid = absl::NotFoundError("not asked");
    if (guess != XCB_NONE) pid = Take(guessed_pid, deadline);
    if (!active_reply.ok()) return active_reply.status();
    last_active_ = Cardinal(**active_reply);
    if (last_active_ == XCB_NONE) {
      return absl::NotFoundError(
          "no window is active (_NET_ACTIVE_WINDOW is not set)");
    }
    if (last_active_ != guess) {
      ++traffic_->flights;
      pid = Take(Ask(last_active_, kPid, 1), deadline);
    }
    if (!pid.ok()) return pid.status();
    const uint32_t value = Cardinal(**pid);
    if (value == 0) {
      return absl::NotFoundError(
          "the active window does not name its process (_NET_WM_PID)");
    }
    return static_cast<pid_t>(value);
  }

  absl::StatusOr<std::vector<Window>> Windows(absl::Time deadline) override {
    const xcb_get_property_cookie_t active = Ask(root_, kActiveWindow, 1);
    const xcb_get_property_cookie_t list =
        Ask(root_, kClientListStacking, kMaxWindows);
    ++traffic_->flights;
    absl::StatusOr<Reply> active_reply = Take(active, deadline);
    if (!active_reply.ok()) return active_reply.status();
    const xcb_window_t active_window = Cardinal(**active_reply);
    absl::StatusOr<Reply> list_reply = Take(list, deadline);
    if (!list_reply.ok()) return list_reply.status();

    std::vector<xcb_window_t> ids = Cardinals(**list_reply);
    if (ids.empty()) {
      return absl::NotFoundError(
          "no window manager lists windows here "
          "(_NET_CLIENT_LIST_STACKING is empty)");
    }
    std::reverse(ids.begin(), ids.end());  // the property is bottom to top
    std::vector<std::pair<xcb_get_property_cookie_t, xcb_get_property_cookie_t>>
        cookies;
    cookies.reserve(ids.size());
    for (xcb_window_t id : ids) {
      cookies.emplace_back(Ask(id, kPid, 1), Ask(id, kName, kMaxWords));
    }
    ++traffic_->flights;
    std::vector<Window> windows;
    windows.reserve(ids.size());
    for (size_t i = 0; i < ids.size(); ++i) {
      absl::StatusOr<Reply> pid = Take(cookies[i].first, deadline);
      if (absl::IsDeadlineExceeded(pid.status())) return pid.status();
      absl::StatusOr<Reply> name = Take(cookies[i].second, deadline);
      Window window;
      window.active = ids[i] == active_window;
      // A window that closed meanwhile answers an error: it is left without.
      if (pid.ok()) window.pid = static_cast<pid_t>(Cardinal(**pid));
      if (name.ok()) window.title = Text(**name);
      windows.push_back(std::move(window));
    }
    return windows;
  }

  absl::StatusOr<std::string> AccessibilityBus(absl::Time deadline) override {
    absl::StatusOr<Reply> reply =
        Wait(Ask(root_, kAtSpiBus, kMaxWords), deadline);
    if (!reply.ok()) return reply.status();
    std::string address = Text(**reply);
    if (address.empty()) {
      return absl::NotFoundError("the root window has no AT_SPI_BUS property");
    }
    return address;
  }

 private:
  enum AtomIndex {
    kActiveWindow,
    kClientListStacking,
    kPid,
    kName,
    kAtSpiBus,
    kUtf8String,
    kAtoms
  };

  xcb_get_property_cookie_t Ask(xcb_window_t window, AtomIndex property,
                                uint32_t words) {
    ++traffic_->calls;
    return xcb_get_property(connection_, 0, window, atoms_[property],
                            XCB_GET_PROPERTY_TYPE_ANY, 0, words);
  }

  // One request waited for alone: a flight.
  absl::StatusOr<Reply> Wait(xcb_get_property_cookie_t cookie,
                             absl::Time deadline) {
    ++traffic_->flights;
    return Take(cookie, deadline);
  }

  // xcb_wait_for_reply has no deadline, so the socket is polled instead.
  absl::StatusOr<Reply> Take(xcb_get_property_cookie_t cookie,
                             absl::Time deadline) {
    xcb_flush(connection_);
    for (;;) {
      void* raw = nullptr;
      xcb_generic_error_t* raw_error = nullptr;
      const int ready =
          xcb_poll_for_reply(connection_, cookie.sequence, &raw, &raw_error);
      std::unique_ptr<xcb_generic_error_t, Free> error(raw_error);
      Reply reply(static_cast<xcb_get_property_reply_t*>(raw));
      if (ready) {
        if (reply != nullptr) return reply;
        if (error != nullptr) {
          return absl::NotFoundError("the window has gone");
        }
        return absl::UnavailableError("the X display closed the connection");
      }
      if (xcb_connection_has_error(connection_)) {
        return absl::UnavailableError("the X display closed the connection");
      }
      const absl::Duration left = deadline - Clock::Real().Now();
      if (left <= absl::ZeroDuration()) {
        xcb_discard_reply(connection_, cookie.sequence);
        return absl::DeadlineExceededError("no answer from the X display");
      }
      pollfd fd{xcb_get_file_descriptor(connection_), POLLIN, 0};
      const timespec timeout = absl::ToTimespec(std::min(left, absl::Hours(1)));
      ppoll(&fd, 1, &timeout, nullptr);
    }
  }

  static std::vector<uint32_t> Cardinals(
      const xcb_get_property_reply_t& reply) {
    if (reply.format != 32) return {};
    const size_t bytes = xcb_get_property_value_length(&reply);
    std::vector<uint32_t> values(bytes / sizeof(uint32_t));
    memcpy(values.data(), xcb_get_property_value(&reply),
           values.size() * sizeof(uint32_t));
    return values;
  }

  static uint32_t Cardinal(const xcb_get_property_reply_t& reply) {
    const std::vector<uint32_t> values = Cardinals(reply);
    return values.empty() ? 0 : values.front();
  }

  static std::string Text(const xcb_get_property_reply_t& reply) {
    if (reply.format != 8) return "";
    return std::string(static_cast<const char*>(xcb_get_property_value(&reply)),
                       xcb_get_property_value_length(&reply));
  }

  xcb_connection_t* connection_;
  xcb_window_t root_;
  Traffic* traffic_;
  std::array<xcb_atom_t, kAtoms> atoms_ = {};
  xcb_window_t last_active_ = XCB_NONE;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Display>> Display::Open(const std::string& name,
                                                       Traffic* traffic) {
  if (name.empty() && getenv("DISPLAY") == nullptr) {
    return absl::FailedPreconditionError(
        getenv("WAYLAND_DISPLAY") != nullptr
            ? "a Wayland session lists no windows to programs: only "
              "accessibility itself can say which window is active"
            : "DISPLAY is not set: run this inside a desktop session, or "
              "under tools/desktop/run");
  }
  int screen_number = 0;
  xcb_connection_t* connection =
      xcb_connect(name.empty() ? nullptr : name.c_str(), &screen_number);
  ++traffic->connections;
  if (xcb_connection_has_error(connection)) {
    xcb_disconnect(connection);
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot open the X display '",
        name.empty() ? getenv("DISPLAY") : name.c_str(),
        "': check that it runs and that this user may use it (xhost)"));
  }
  xcb_screen_iterator_t screens =
      xcb_setup_roots_iterator(xcb_get_setup(connection));
  for (; screen_number > 0 && screens.rem > 1; --screen_number) {
    xcb_screen_next(&screens);
  }
  auto display =
      std::make_unique<XcbDisplay>(connection, screens.data->root, traffic);
  if (absl::Status status = display->InternAtoms(); !status.ok()) {
    return status;
  }
  return display;
}

}  // namespace tactus::ax::atspi
