#include "ax/atspi/desktop/activate.h"

#include <sys/types.h>
#include <xcb/xcb.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

struct Free {
  void operator()(void* reply) const { std::free(reply); }
};

struct Disconnect {
  void operator()(xcb_connection_t* x) const { xcb_disconnect(x); }
};

xcb_atom_t Atom(xcb_connection_t* x, const std::string& name) {
  const std::unique_ptr<xcb_intern_atom_reply_t, Free> reply(
      xcb_intern_atom_reply(
          x,
          xcb_intern_atom(x, 0, static_cast<uint16_t>(name.size()),
                          name.c_str()),
          nullptr));
  return reply == nullptr ? XCB_ATOM_NONE : reply->atom;
}

std::vector<uint32_t> Property(xcb_connection_t* x, xcb_window_t window,
                               const std::string& name) {
  constexpr uint32_t kMost = 256;
  const std::unique_ptr<xcb_get_property_reply_t, Free> reply(
      xcb_get_property_reply(
          x,
          xcb_get_property(x, 0, window, Atom(x, name), XCB_ATOM_ANY, 0, kMost),
          nullptr));
  if (reply == nullptr || reply->format != 32) return {};
  const auto* values =
      static_cast<const uint32_t*>(xcb_get_property_value(reply.get()));
  return {values, values + xcb_get_property_value_length(reply.get()) / 4};
}

}  // namespace

void ActivateWindowOf(pid_t pid) {
  const std::unique_ptr<xcb_connection_t, Disconnect> connection(
      xcb_connect(nullptr, nullptr));
  xcb_connection_t* const x = connection.get();
  ASSERT_EQ(xcb_connection_has_error(x), 0);
  const xcb_window_t root =
      xcb_setup_roots_iterator(xcb_get_setup(x)).data->root;
  for (const xcb_window_t window : Property(x, root, "_NET_CLIENT_LIST")) {
    if (Property(x, window, "_NET_WM_PID") !=
        std::vector<uint32_t>{static_cast<uint32_t>(pid)}) {
      continue;
    }
    xcb_client_message_event_t event = {};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = window;
    event.type = Atom(x, "_NET_ACTIVE_WINDOW");
    event.data.data32[0] = 2;  // a pager, which is always obeyed
    xcb_send_event(x, 0, root,
                   XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY |
                       XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
                   reinterpret_cast<const char*>(&event));
    xcb_flush(x);
    return;
  }
  FAIL() << "no window of process " << pid;
}

}  // namespace tactus::ax::atspi
