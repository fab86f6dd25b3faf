#include "ax/x11/keyboard.h"

#include <xcb/xcb.h>
#include <xcb/xtest.h>
#include <xkbcommon/xkbcommon-keysyms.h>
#include <xkbcommon/xkbcommon-x11.h>
#include <xkbcommon/xkbcommon.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/connection.h"

namespace tactus::ax::x11 {
namespace {

// Between two looks at keys that the user holds: shorter than a person takes to
// let go of one, and next to nothing for the server.
constexpr absl::Duration kLook = absl::Milliseconds(5);
// For a busy display to answer while keys are being pressed.
constexpr absl::Duration kDisplayPatience = absl::Seconds(1);
// How long a layout that was read is believed: reading it takes some dozen
// round trips, which between the last check of a field and the key would be a
// gap for the user to type in.
constexpr absl::Duration kKeymapAge = absl::Seconds(2);

absl::Time Now() { return Clock::Real().Now(); }

struct Unref {
  void operator()(xkb_context* p) const { xkb_context_unref(p); }
  void operator()(xkb_keymap* p) const { xkb_keymap_unref(p); }
  void operator()(xkb_state* p) const { xkb_state_unref(p); }
};
template <typename T>
using Ref = std::unique_ptr<T, Unref>;

// Keys that are down together: modifiers, and the one that they are for.
struct Stroke {
  std::vector<xkb_keycode_t> modifiers;
  xkb_keycode_t key = 0;
};

// What the keys mean at a moment.
struct Modes {
  xkb_mod_mask_t held = 0;  // or latched: both change the next key
  xkb_mod_mask_t locked = 0;
  xkb_layout_index_t layout = 0;

  bool SameMeaning(const Modes& other) const {
    return locked == other.locked && layout == other.layout;
  }
};

bool IsKeypad(xkb_keysym_t symbol) {
  return symbol >= XKB_KEY_KP_Space && symbol <= XKB_KEY_KP_Equal;
}

// The symbol that a key has by itself.
xkb_keysym_t PlainSymbol(xkb_keymap* keymap, xkb_keycode_t key,
                         xkb_layout_index_t layout) {
  const xkb_keysym_t* symbols = nullptr;
  const xkb_layout_index_t layouts =
      xkb_keymap_num_layouts_for_key(keymap, key);
  if (layouts == 0) return XKB_KEY_NoSymbol;
  const int n = xkb_keymap_key_get_syms_by_level(
      keymap, key, std::min(layout, layouts - 1), 0, &symbols);
  return n == 1 ? symbols[0] : XKB_KEY_NoSymbol;
}

std::optional<xkb_keycode_t> KeyOf(xkb_keymap* keymap, xkb_keysym_t symbol,
                                   xkb_layout_index_t layout) {
  for (xkb_keycode_t key = xkb_keymap_min_keycode(keymap);
       key <= xkb_keymap_max_keycode(keymap); ++key) {
    if (PlainSymbol(keymap, key, layout) == symbol) return key;
  }
  return std::nullopt;
}

// A key that holds the modifier `name` while it is down.
std::optional<xkb_keycode_t> ModifierKey(
    xkb_keymap* keymap, const std::vector<xkb_keysym_t>& symbols,
    const char* name, xkb_layout_index_t layout) {
  for (xkb_keysym_t symbol : symbols) {
    const std::optional<xkb_keycode_t> key = KeyOf(keymap, symbol, layout);
    if (!key.has_value()) continue;
    const Ref<xkb_state> state(xkb_state_new(keymap));
    xkb_state_update_mask(state.get(), 0, 0, 0, 0, 0, layout);
    xkb_state_update_key(state.get(), *key, XKB_KEY_DOWN);
    if (xkb_state_mod_name_is_active(state.get(), name,
                                     XKB_STATE_MODS_EFFECTIVE) > 0) {
      return key;
    }
  }
  return std::nullopt;
}

class XTestKeyboard : public Keyboard {
 public:
  XTestKeyboard(std::unique_ptr<Connection> connection,
                Ref<xkb_context> context, int32_t device)
      : connection_(std::move(connection)),
        context_(std::move(context)),
        device_(device) {}

  absl::Status Press(PasteKeys keys, absl::Time deadline) override {
    if (Now() >= deadline) {
      return absl::DeadlineExceededError("no time to press keys");
    }
    // A caller gives a short time for the user's keys to be let go. That the
    // display is busy must not make keys of which nobody knows.
    const absl::Time answers = std::max(deadline, Now() + kDisplayPatience);
    if (absl::Status read = Prepare(answers); !read.ok()) return read;
    xkb_keymap* const keymap = keymap_.get();
    absl::StatusOr<Modes> modes = WaitUntilFree(keymap, deadline);
    if (!modes.ok()) return modes.status();
    absl::StatusOr<Stroke> stroke = PasteStroke(keymap, keys, *modes);
    if (!stroke.ok()) return stroke.status();
    if (absl::Status up = WaitUntilUp(*stroke, deadline, answers); !up.ok()) {
      return up;
    }
    return Send(*stroke, answers);
  }

  absl::Status Prepare(absl::Time deadline) override {
    const absl::Time now = Now();
    if (keymap_ != nullptr && now - read_ < kKeymapAge) return absl::OkStatus();
    keymap_.reset();
    absl::StatusOr<Ref<xkb_keymap>> keymap = ReadKeymap(deadline);
    if (!keymap.ok()) return keymap.status();
    keymap_ = *std::move(keymap);
    read_ = now;
    return absl::OkStatus();
  }

  absl::Status Type(absl::string_view ascii, absl::Time deadline) override {
    for (char c : ascii) {
      if ((c < ' ' || c > '~') && c != '\n' && c != '\t') {
        return absl::InvalidArgumentError(
            "only printable ASCII, newline and tab can be typed");
      }
    }
    if (ascii.empty()) return absl::OkStatus();
    absl::StatusOr<Ref<xkb_keymap>> keymap = ReadKeymap(deadline);
    if (!keymap.ok()) return keymap.status();
    absl::StatusOr<Modes> begun = WaitUntilFree(keymap->get(), deadline);
    if (!begun.ok()) return begun.status();
    const std::map<char, Stroke> strokes = Strokes(keymap->get(), *begun);
    for (char c : ascii) {
      if (!strokes.contains(c)) {
        return absl::FailedPreconditionError(
            absl::StrCat("the active keyboard layout has no key for '",
                         c == '\n'   ? "\\n"
                         : c == '\t' ? "\\t"
                                     : std::string(1, c),
                         "'"));
      }
    }
    if (absl::Status up =
            WaitUntilUp(strokes.at(ascii.front()), deadline, deadline);
        !up.ok()) {
      return up;
    }
    for (size_t sent = 0; sent < ascii.size(); ++sent) {
      // One look at the keyboard for each key paces them, and keeps what the
      // user does meanwhile from changing what is typed.
      const auto interrupted = [&](const absl::Status& why) {
        return absl::DeadlineExceededError(
            absl::StrCat(sent, " of ", ascii.size(),
                         " characters were typed: ", why.message()));
      };
      while (sent > 0) {
        absl::StatusOr<Modes> modes = WaitUntilFree(keymap->get(), deadline);
        if (absl::IsUnavailable(modes.status())) return modes.status();
        if (!modes.ok()) return interrupted(modes.status());
        if (modes->SameMeaning(*begun)) break;
        if (Now() >= deadline) {
          return interrupted(absl::FailedPreconditionError(
              "the layout or a lock of the keyboard was changed"));
        }
        connection_->Wait(-1, std::min(deadline, Now() + kLook));
        DropEvents();
      }
      if (sent > 0 && Now() >= deadline) {
        return interrupted(absl::DeadlineExceededError("out of time"));
      }
      const absl::Status put = Send(strokes.at(ascii[sent]), deadline);
      if (absl::IsUnavailable(put)) return put;
      if (!put.ok()) return interrupted(put);
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Ref<xkb_keymap>> ReadKeymap(absl::Time deadline) {
    if (Now() >= deadline) {
      return absl::DeadlineExceededError("no time to press keys");
    }
    // What follows has no deadline, so the server shows first that it answers.
    absl::StatusOr<Reply<xcb_get_input_focus_reply_t>> answers =
        connection_->Take<xcb_get_input_focus_reply_t>(
            xcb_get_input_focus(connection_->raw()), deadline);
    if (!answers.ok()) return answers.status();
    // Read anew each time: layouts change without our being told.
    Ref<xkb_keymap> keymap(
        xkb_x11_keymap_new_from_device(context_.get(), connection_->raw(),
                                       device_, XKB_KEYMAP_COMPILE_NO_FLAGS));
    DropEvents();
    if (connection_->broken()) return DisplayGone();
    if (keymap == nullptr) {
      return absl::FailedPreconditionError(
          "the keyboard's layout is unreadable");
    }
    return keymap;
  }

  absl::StatusOr<Modes> ReadModes(xkb_keymap* keymap) {
    const Ref<xkb_state> state(
        xkb_x11_state_new_from_device(keymap, connection_->raw(), device_));
    if (connection_->broken()) return DisplayGone();
    if (state == nullptr) {
      return absl::FailedPreconditionError(
          "the keyboard's state is unreadable");
    }
    return Modes{
        .held = xkb_state_serialize_mods(
            state.get(),
            static_cast<xkb_state_component>(XKB_STATE_MODS_DEPRESSED |
                                             XKB_STATE_MODS_LATCHED)),
        .locked = xkb_state_serialize_mods(state.get(), XKB_STATE_MODS_LOCKED),
        .layout = xkb_state_serialize_layout(state.get(),
                                             XKB_STATE_LAYOUT_EFFECTIVE)};
  }

  // Looks at least once.
  absl::StatusOr<Modes> WaitUntilFree(xkb_keymap* keymap, absl::Time deadline) {
    for (;;) {
      absl::StatusOr<Modes> modes = ReadModes(keymap);
      if (!modes.ok() || modes->held == 0) return modes;
      if (Now() >= deadline) {
        return absl::FailedPreconditionError(
            "the user holds a modifier key (Shift, Control, Alt, ...)");
      }
      connection_->Wait(-1, std::min(deadline, Now() + kLook));
      DropEvents();
    }
  }

  // A key that is down already cannot be pressed.
  absl::Status WaitUntilUp(const Stroke& stroke, absl::Time deadline,
                           absl::Time answers) {
    for (;;) {
      absl::StatusOr<Reply<xcb_query_keymap_reply_t>> keys =
          connection_->Take<xcb_query_keymap_reply_t>(
              xcb_query_keymap(connection_->raw()), answers);
      if (!keys.ok()) return keys.status();
      const auto down = [&](xkb_keycode_t key) {
        return ((*keys)->keys[key / 8] & (1 << (key % 8))) != 0;
      };
      if (!down(stroke.key) && std::none_of(stroke.modifiers.begin(),
                                            stroke.modifiers.end(), down)) {
        return absl::OkStatus();
      }
      connection_->Wait(-1, std::min(deadline, Now() + kLook));
      DropEvents();
      if (Now() >= deadline) {
        return absl::FailedPreconditionError(
            "the user holds one of the keys that are to be pressed");
      }
    }
  }

  // Changes of the keyboard are announced to every client, asked for or not.
  void DropEvents() {
    while (const Reply<xcb_generic_event_t> event{
        xcb_poll_for_event(connection_->raw())}) {
    }
  }

  static absl::StatusOr<Stroke> PasteStroke(xkb_keymap* keymap, PasteKeys keys,
                                            const Modes& modes) {
    const xkb_keysym_t symbol = keys == PasteKeys::kDelete  ? XKB_KEY_Delete
                                : keys == PasteKeys::kCtrlZ ? XKB_KEY_z
                                                            : XKB_KEY_v;
    std::optional<xkb_keycode_t> key = KeyOf(keymap, symbol, modes.layout);
    const xkb_layout_index_t layouts = xkb_keymap_num_layouts(keymap);
    for (xkb_layout_index_t i = 0; i < layouts && !key.has_value(); ++i) {
      key = KeyOf(keymap, symbol, i);
    }
    if (!key.has_value()) {
      char name[64] = "";
      xkb_keysym_get_name(symbol, name, sizeof(name));
      return absl::FailedPreconditionError(
          absl::StrCat("no layout of this keyboard has a key for ", name));
    }
    Stroke stroke;
    stroke.key = *key;
    if (keys == PasteKeys::kDelete) return stroke;
    const std::optional<xkb_keycode_t> control =
        ModifierKey(keymap, {XKB_KEY_Control_L, XKB_KEY_Control_R},
                    XKB_MOD_NAME_CTRL, modes.layout);
    if (!control.has_value()) {
      return absl::FailedPreconditionError("this keyboard has no Control key");
    }
    stroke.modifiers.push_back(*control);
    if (keys == PasteKeys::kCtrlShiftV) {
      const std::optional<xkb_keycode_t> shift =
          ModifierKey(keymap, {XKB_KEY_Shift_L, XKB_KEY_Shift_R},
                      XKB_MOD_NAME_SHIFT, modes.layout);
      if (!shift.has_value()) {
        return absl::FailedPreconditionError("this keyboard has no Shift key");
      }
      stroke.modifiers.push_back(*shift);
    }
    return stroke;
  }

  // How each character is typed that can be, with the fewest modifiers.
  static std::map<char, Stroke> Strokes(xkb_keymap* keymap,
                                        const Modes& modes) {
    std::map<char, Stroke> strokes;
    std::vector<std::vector<xkb_keycode_t>> sets = {{}};
    const std::optional<xkb_keycode_t> shift =
        ModifierKey(keymap, {XKB_KEY_Shift_L, XKB_KEY_Shift_R},
                    XKB_MOD_NAME_SHIFT, modes.layout);
    const std::optional<xkb_keycode_t> level3 =
        KeyOf(keymap, XKB_KEY_ISO_Level3_Shift, modes.layout);
    if (shift.has_value()) sets.push_back({*shift});
    if (level3.has_value()) sets.push_back({*level3});
    if (shift.has_value() && level3.has_value()) {
      sets.push_back({*shift, *level3});
    }
    for (const std::vector<xkb_keycode_t>& modifiers : sets) {
      // What an application will make of the keys, locks and all.
      const Ref<xkb_state> state(xkb_state_new(keymap));
      xkb_state_update_mask(state.get(), 0, 0, modes.locked, 0, 0,
                            modes.layout);
      for (xkb_keycode_t modifier : modifiers) {
        xkb_state_update_key(state.get(), modifier, XKB_KEY_DOWN);
      }
      for (xkb_keycode_t key = xkb_keymap_min_keycode(keymap);
           key <= xkb_keymap_max_keycode(keymap); ++key) {
        const xkb_keysym_t symbol = xkb_state_key_get_one_sym(state.get(), key);
        // Keypad keys are digits or arrows by the mood of the application.
        if (IsKeypad(symbol)) continue;
        uint32_t character = xkb_keysym_to_utf32(symbol);
        if (symbol == XKB_KEY_Return) character = '\n';
        if (symbol == XKB_KEY_Tab) character = '\t';
        const bool control = character == '\n' || character == '\t';
        // Shift with Return or Tab means something else.
        if (control && !modifiers.empty()) continue;
        if (control ? symbol != XKB_KEY_Return && symbol != XKB_KEY_Tab
                    : character < ' ' || character > '~') {
          continue;
        }
        strokes.try_emplace(static_cast<char>(character),
                            Stroke{.modifiers = modifiers, .key = key});
      }
    }
    return strokes;
  }

  absl::Status Send(const Stroke& stroke, absl::Time deadline) {
    std::vector<xcb_void_cookie_t> cookies;
    const auto fake = [&](uint8_t type, xkb_keycode_t key) {
      cookies.push_back(xcb_test_fake_input_checked(
          connection_->raw(), type, static_cast<uint8_t>(key), XCB_CURRENT_TIME,
          XCB_NONE, 0, 0, 0));
    };
    for (xkb_keycode_t modifier : stroke.modifiers) {
      fake(XCB_KEY_PRESS, modifier);
    }
    fake(XCB_KEY_PRESS, stroke.key);
    fake(XCB_KEY_RELEASE, stroke.key);
    for (auto modifier = stroke.modifiers.rbegin();
         modifier != stroke.modifiers.rend(); ++modifier) {
      fake(XCB_KEY_RELEASE, *modifier);
    }
    const absl::Status sent = connection_->Check(cookies, deadline);
    if (absl::IsNotFound(sent)) {
      return absl::UnavailableError(
          absl::StrCat("the keys were refused: ", sent.message()));
    }
    return sent;
  }

  const std::unique_ptr<Connection> connection_;
  const Ref<xkb_context> context_;
  const int32_t device_;
  Ref<xkb_keymap> keymap_;  // as it was read at `read_`; null before
  absl::Time read_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Keyboard>> Keyboard::Open(
    const std::string& display, absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(display, deadline);
  if (!connection.ok()) return connection.status();
  xcb_connection_t* x = (*connection)->raw();
  constexpr absl::string_view kXTest = "XTEST";
  absl::StatusOr<Reply<xcb_query_extension_reply_t>> xtest =
      (*connection)
          ->Take<xcb_query_extension_reply_t>(
              xcb_query_extension(x, kXTest.size(), kXTest.data()), deadline);
  if (!xtest.ok()) return xtest.status();
  if (!(*xtest)->present) {
    return absl::FailedPreconditionError(
        "this X display lets no program press keys (it lacks the XTEST "
        "extension): start it with +extension XTEST");
  }
  Ref<xkb_context> context(xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES));
  if (context == nullptr) return absl::InternalError("no xkb_context");
  if (!xkb_x11_setup_xkb_extension(x, XKB_X11_MIN_MAJOR_XKB_VERSION,
                                   XKB_X11_MIN_MINOR_XKB_VERSION,
                                   XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS,
                                   nullptr, nullptr, nullptr, nullptr)) {
    return absl::FailedPreconditionError(
        "this X display does not tell its keyboard's layout (it lacks the XKB "
        "extension)");
  }
  const int32_t device = xkb_x11_get_core_keyboard_device_id(x);
  if (device < 0) {
    return absl::FailedPreconditionError("this X display has no keyboard");
  }
  return std::make_unique<XTestKeyboard>(*std::move(connection),
                                         std::move(context), device);
}

}  // namespace tactus::ax::x11
