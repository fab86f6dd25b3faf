// The words in which Tactus speaks of the focused text, on every platform.
//
// Offsets and lengths are Unicode code points and ranges are half-open, always.
// Text is UTF-8; a surrogate without its partner, which a UTF-16 server can
// hold, stays as its three-byte generalized form and is replaced only where
// text leaves the process. A backend converts at its own edge, so nothing above
// it ever sees another unit.
#ifndef TACTUS_AX_TYPES_TYPES_H_
#define TACTUS_AX_TYPES_TYPES_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ax {

// Half-open, in code points: [begin, end). Empty when begin == end.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t length() const { return end - begin; }
  bool empty() const { return begin == end; }
  bool Contains(Range other) const {
    return begin <= other.begin && other.end <= end;
  }
  friend bool operator==(const Range&, const Range&) = default;
};

// What kind of element this is. Only the kinds that change how text is read or
// edited have a value of their own; the server's own name for the role travels
// beside it in `RoleValue`.
enum class Role {
  kUnknown,    // the server answered nothing that we know
  kOther,      // known, and of no interest here: a button, a list
  kTextField,  // one line
  kTextArea,   // many lines
  kDocument,   // a page or a document that holds text
  kParagraph,  // one block of a document; offices focus these
  kCombo,      // a combination of list and field
  kTerminal,   // what is typed goes to a program, not to a field
  kPassword,   // secure: no text-bearing call may ever be sent to it
  kContainer,  // a frame, panel or window: focused only by mistake
};

absl::string_view RoleName(Role role);

struct RoleValue {
  Role role = Role::kUnknown;
  std::string
      native;  // the server's own word, for people: "entry", "AXTextArea"

  friend bool operator==(const RoleValue&, const RoleValue&) = default;
};

// What an element says of itself, as a set.
enum State : uint32_t {
  kStateFocused = 1u << 0,
  kStateActive = 1u << 1,  // of a window: it has the keyboard
  kStateShowing = 1u << 2,
  kStateVisible = 1u << 3,
  kStateEditable = 1u << 4,
  kStateReadOnly = 1u << 5,
  kStateEnabled = 1u << 6,
  kStateSingleLine = 1u << 7,
  kStateMultiLine = 1u << 8,
  kStateDefunct = 1u << 9,        // the element no longer exists
  kStateSupportsText = 1u << 10,  // it can be asked for text
  kStateSupportsEditing = 1u
                          << 11,  // it offers to be edited through the server
};
using States = uint32_t;

// A running program that accessibility knows. `id` is the server's own name for
// it (a bus name, a process id) and means nothing to anybody else.
struct Application {
  std::string id;
  std::string name;
  pid_t pid = 0;
  std::string toolkit;  // "gtk", "Qt", "Chromium"; empty when it does not say
  std::string toolkit_version;
  // In it one element at a time that holds text says that it is focused, and
  // only while its window is active: such a claim needs no look at the window.
  bool claims_are_current = false;

  friend bool operator==(const Application&, const Application&) = default;
};

// One element of one application's tree. Both parts are opaque to everyone but
// the server that made them. An element may cease to exist at any time.
struct Element {
  std::string application;  // Application::id
  std::string path;

  friend bool operator==(const Element&, const Element&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Element& e) {
    return H::combine(std::move(h), e.application, e.path);
  }
};

// What can be read. Structure may be asked of any element; the others bear text
// or tell of it, and are never sent to a secure one.
enum class Attribute {
  // Structure.
  kRole,               // RoleValue
  kSubrole,            // RoleValue; on platforms that split the two, either may
                       // say that the field is secure
  kStates,             // States as int64_t
  kValueSettable,      // bool
  kSelectionSettable,  // bool
  kWindow,             // Element: the window that holds the element
  // Text.
  kText,            // std::string, of the request's range
  kCharacterCount,  // int64_t
  kCaret,           // int64_t
  kSelection,       // Range; NotFound when nothing is selected
  kSelectedText,    // std::string
};

absl::string_view AttributeName(Attribute attribute);

// True when asking for `attribute` could carry the user's text, or how much of
// it there is, to us.
constexpr bool BearsText(Attribute attribute) {
  return attribute >= Attribute::kText;
}

using Value = std::variant<std::monostate, bool, int64_t, std::string, Range,
                           RoleValue, Element>;

// One attribute's answer. Its status is the attribute's own: NotFound (no
// value), Unimplemented (the element lacks it), Unavailable (the application
// or the element is gone), DeadlineExceeded, PermissionDenied, DataLoss (the
// answer had the wrong type or size).
using Reading = absl::StatusOr<Value>;

// Takes the `T` out of a reading; DataLoss when it holds another type, since a
// server that answers the wrong type has lied and not merely failed.
template <typename T>
absl::StatusOr<T> Get(const Reading& reading) {
  if (!reading.ok()) return reading.status();
  if (const T* value = std::get_if<T>(&*reading)) return *value;
  return absl::DataLossError("the server answered a value of the wrong type");
}

// A window as the display knows it, which need not be known to accessibility.
struct Window {
  pid_t pid = 0;        // 0 when the window does not say
  std::string title;    // may be empty
  bool active = false;  // it has the keyboard
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_TYPES_TYPES_H_
