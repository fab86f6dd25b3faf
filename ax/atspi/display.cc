#include "ax/atspi/display.h"

#include <sys/types.h>
#include <xcb/xcb.h>

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
#include "absl/time/time.h"
#include "ax/atspi/environment.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "ax/x11/connection.h"

namespace tactus::ax::atspi {
namespace {

// More windows than a person keeps; bounds the answer of a strange window
// manager.
constexpr uint32_t kMaxWindows = 256;
// Of a property, in 32-bit words: window titles and one bus address.
constexpr uint32_t kMaxWords = 1024;

using Reply = x11::Reply<xcb_get_property_reply_t>;

class XcbDisplay : public Display {
 public:
  // `atoms` are in the order of AtomIndex.
  XcbDisplay(std::unique_ptr<x11::Connection> connection,
             const std::vector<xcb_atom_t>& atoms, Traffic* traffic)
      : connection_(std::move(connection)),
        root_(connection_->root()),
        traffic_(traffic) {
    std::copy_n(atoms.begin(), atoms_.size(), atoms_.begin());
  }

  static const std::vector<const char*>& AtomNames() {
    static const auto& names = *new std::vector<const char*>{
        "_NET_ACTIVE_WINDOW", "_NET_CLIENT_LIST_STACKING",
        "_NET_WM_PID",        "_NET_WM_NAME",
        "AT_SPI_BUS",         "UTF8_STRING"};
    return names;
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
    return xcb_get_property(connection_->raw(), 0, window, atoms_[property],
                            XCB_GET_PROPERTY_TYPE_ANY, 0, words);
  }

  // One request waited for alone: a flight.
  absl::StatusOr<Reply> Wait(xcb_get_property_cookie_t cookie,
                             absl::Time deadline) {
    ++traffic_->flights;
    return Take(cookie, deadline);
  }

  absl::StatusOr<Reply> Take(xcb_get_property_cookie_t cookie,
                             absl::Time deadline) {
    absl::StatusOr<Reply> reply =
        connection_->Take<xcb_get_property_reply_t>(cookie, deadline);
    if (absl::IsNotFound(reply.status())) {
      return absl::NotFoundError("the window has gone");
    }
    return reply;
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

  const std::unique_ptr<x11::Connection> connection_;
  const xcb_window_t root_;
  Traffic* const traffic_;
  std::array<xcb_atom_t, kAtoms> atoms_ = {};
  xcb_window_t last_active_ = XCB_NONE;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Display>> Display::Open(const std::string& name,
                                                       Traffic* traffic,
                                                       absl::Time deadline) {
  if (name.empty() && Environment("DISPLAY").empty()) {
    return absl::FailedPreconditionError(
        !Environment("WAYLAND_DISPLAY").empty()
            ? "a Wayland session lists no windows to programs: only "
              "accessibility itself can say which window is active"
            : "DISPLAY is not set: run this inside a desktop session, or "
              "under tools/desktop/run");
  }
  absl::StatusOr<std::unique_ptr<x11::Connection>> connection =
      x11::Connection::Open(name, deadline);
  ++traffic->connections;
  if (!connection.ok()) return connection.status();
  ++traffic->flights;
  traffic->calls += static_cast<int64_t>(XcbDisplay::AtomNames().size());
  const absl::StatusOr<std::vector<xcb_atom_t>> atoms =
      (*connection)->Intern(XcbDisplay::AtomNames(), deadline);
  if (!atoms.ok()) return atoms.status();
  return std::make_unique<XcbDisplay>(*std::move(connection), *atoms, traffic);
}

}  // namespace tactus::ax::atspi
