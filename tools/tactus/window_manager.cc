#include "tools/tactus/window_manager.h"

#include <poll.h>
#include <time.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"

namespace tactus::cli {
namespace {

// Of one property, in 32-bit words. A window manager that knows every hint of
// the specification lists some ninety.
constexpr uint32_t kMaxWords = 1024;

struct Free {
  void operator()(void* p) const { free(p); }
};
struct Disconnect {
  void operator()(xcb_connection_t* connection) const {
    xcb_disconnect(connection);
  }
};
using Connection = std::unique_ptr<xcb_connection_t, Disconnect>;
using Property = std::unique_ptr<xcb_get_property_reply_t, Free>;

// One request, waited for until the deadline: xcb_wait_for_reply has none.
template <typename Reply>
absl::StatusOr<std::unique_ptr<Reply, Free>> Wait(xcb_connection_t* connection,
                                                  unsigned int sequence,
                                                  absl::Time deadline) {
  xcb_flush(connection);
  for (;;) {
    void* reply = nullptr;
    xcb_generic_error_t* error = nullptr;
    const int ready = xcb_poll_for_reply(connection, sequence, &reply, &error);
    const std::unique_ptr<xcb_generic_error_t, Free> owned(error);
    if (ready != 0 && reply != nullptr) {
      return std::unique_ptr<Reply, Free>(static_cast<Reply*>(reply));
    }
    if (ready != 0 && error != nullptr) {
      return absl::NotFoundError("the window has gone");
    }
    if (ready != 0 || xcb_connection_has_error(connection) != 0) {
      return absl::UnavailableError("the X display closed the connection");
    }
    const absl::Duration left = deadline - ax::Clock::Real().Now();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError("no answer from the X display");
    }
    pollfd fd{xcb_get_file_descriptor(connection), POLLIN, 0};
    const timespec timeout = absl::ToTimespec(std::min(left, absl::Hours(1)));
    ppoll(&fd, 1, &timeout, nullptr);
  }
}

class Asker {
 public:
  Asker(xcb_connection_t* connection, absl::Time deadline)
      : connection_(connection), deadline_(deadline) {}

  absl::StatusOr<xcb_atom_t> Atom(const char* name) {
    auto reply = Wait<xcb_intern_atom_reply_t>(
        connection_,
        xcb_intern_atom(connection_, 0, static_cast<uint16_t>(strlen(name)),
                        name)
            .sequence,
        deadline_);
    if (!reply.ok()) return reply.status();
    return (*reply)->atom;
  }

  absl::StatusOr<Property> Get(xcb_window_t window, const char* name) {
    const absl::StatusOr<xcb_atom_t> atom = Atom(name);
    if (!atom.ok()) return atom.status();
    return Wait<xcb_get_property_reply_t>(
        connection_,
        xcb_get_property(connection_, 0, window, *atom,
                         XCB_GET_PROPERTY_TYPE_ANY, 0, kMaxWords)
            .sequence,
        deadline_);
  }

 private:
  xcb_connection_t* connection_;
  absl::Time deadline_;
};

std::vector<uint32_t> Words(const xcb_get_property_reply_t& reply) {
  if (reply.format != 32) return {};
  const size_t bytes =
      static_cast<size_t>(xcb_get_property_value_length(&reply));
  std::vector<uint32_t> words(bytes / sizeof(uint32_t));
  if (!words.empty()) {
    memcpy(words.data(), xcb_get_property_value(&reply),
           words.size() * sizeof(uint32_t));
  }
  return words;
}

std::string Text(const xcb_get_property_reply_t& reply) {
  if (reply.format != 8) return "";
  return std::string(
      static_cast<const char*>(xcb_get_property_value(&reply)),
      static_cast<size_t>(xcb_get_property_value_length(&reply)));
}

constexpr char kCheck[] = "_NET_SUPPORTING_WM_CHECK";

}  // namespace

absl::StatusOr<WindowManager> FindWindowManager(absl::Time deadline) {
  int screen = 0;
  const Connection connection(xcb_connect(nullptr, &screen));
  if (xcb_connection_has_error(connection.get()) != 0) {
    const char* name = getenv("DISPLAY");
    return absl::UnavailableError(absl::StrCat(
        "the X display '", name == nullptr ? "" : name,
        "' cannot be opened: it does not run, or not for this user"));
  }
  xcb_screen_iterator_t screens =
      xcb_setup_roots_iterator(xcb_get_setup(connection.get()));
  for (; screen > 0 && screens.rem > 1; --screen) xcb_screen_next(&screens);
  const xcb_window_t root = screens.data->root;
  Asker asker(connection.get(), deadline);

  const auto none = [] {
    return absl::NotFoundError("no window manager announces itself");
  };
  const absl::StatusOr<Property> announced = asker.Get(root, kCheck);
  if (!announced.ok()) return announced.status();
  const std::vector<uint32_t> window = Words(**announced);
  if (window.empty()) return none();
  // The property outlives a window manager that was killed; its window does
  // not, and names itself.
  const absl::StatusOr<Property> confirmed = asker.Get(window[0], kCheck);
  if (absl::IsNotFound(confirmed.status())) return none();
  if (!confirmed.ok()) return confirmed.status();
  if (Words(**confirmed) != window) return none();

  WindowManager manager;
  const absl::StatusOr<Property> name = asker.Get(window[0], "_NET_WM_NAME");
  if (name.ok()) manager.name = Text(**name);
  const absl::StatusOr<xcb_atom_t> active = asker.Atom("_NET_ACTIVE_WINDOW");
  if (!active.ok()) return active.status();
  const absl::StatusOr<Property> supported = asker.Get(root, "_NET_SUPPORTED");
  if (!supported.ok()) return supported.status();
  const std::vector<uint32_t> hints = Words(**supported);
  manager.tells_active_window =
      std::find(hints.begin(), hints.end(), *active) != hints.end();
  return manager;
}

}  // namespace tactus::cli
