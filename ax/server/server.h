// The seam: what an accessibility server can be asked, in a few verbs.
//
// Everything above this header is written once and never names a platform;
// behind it stand the mock, AT-SPI on Linux and the AX C API on macOS. Use it
// when you add a backend, or when you write something that must work on all of
// them. To read the focused text, use ax/snapshot instead.
//
// Example: the role and the state of the focused element, in one flight.
//
//   const absl::Time deadline = server.clock().Now() + absl::Milliseconds(200);
//   absl::StatusOr<Application> app = server.FocusedApplication(deadline);
//   if (!app.ok()) return app.status();
//   absl::StatusOr<std::vector<Element>> found =
//       server.FocusedElements(*app, deadline);
//   if (!found.ok()) return found.status();
//   const ReadRequest requests[] = {{found->front(), Attribute::kRole},
//                                   {found->front(), Attribute::kStates}};
//   absl::StatusOr<std::vector<Reading>> answers =
//       server.ReadMany(requests, deadline);
//
// Errors, the same from every verb:
//   NotFound            nothing is focused; there is no value
//   Unimplemented       this server or this element cannot do that at all
//   Unavailable         the application or the element is gone
//   DeadlineExceeded    no answer by the deadline
//   PermissionDenied    not allowed: no trust, or the field is secure
//   InvalidArgument     the request is wrong; nothing was sent
//   DataLoss            an answer of the wrong type or size
//   FailedPrecondition  cannot work on this machine; the message says what to
//   do
//
// A verb returns by its deadline whatever the other side does. One application
// never delays what is asked of another.
//
// A `Server` is used by one thread at a time. An `EventSource` may live on
// another thread than the server that made it.
#ifndef TACTUS_AX_SERVER_SERVER_H_
#define TACTUS_AX_SERVER_SERVER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/types/types.h"

namespace tactus::ax {

// One attribute of one element. `range` matters to kText alone: it is clamped
// to the text, so that [0, n) asks for "at most the first n".
struct ReadRequest {
  Element element;
  Attribute attribute = Attribute::kRole;
  Range range = {};
};

// What a list of fields may cost.
struct FieldLimits {
  size_t most_fields = 64;    // what is beyond is left out
  int64_t most_calls = 2000;  // of the server to the application
};

// A field that can be typed into, as a list of them tells it: what it is, and
// never what it holds.
struct TextField {
  Element element;
  RoleValue role;
  States states = 0;
  // What the application calls it, valid UTF-8, cut at kMostFieldName bytes;
  // empty where it has no name. Never asked of what is secure.
  std::string name;

  friend bool operator==(const TextField&, const TextField&) = default;
};
inline constexpr size_t kMostFieldName = 256;

struct TextFieldList {
  std::vector<TextField> fields;  // in the order in which they are shown
  // False: a limit ended the list, or an element did not answer.
  bool complete = true;
};

// One change of one element. Offsets are code points of the text as it is when
// the server carries the change out: a server has no transaction, so a caller
// checks what is there just before, and reads what became of it afterwards.
struct WriteRequest {
  enum class Kind {
    kReplaceRange,  // [range) becomes `text`; where empty, `text` is inserted
    kSetValue,      // all there is becomes `text`; may cost undo and formatting
    kSelect,        // `range` is selected; where empty, the caret goes there
  };
  Element element;
  Kind kind = Kind::kReplaceRange;
  Range range = {};
  std::string text = {};  // valid UTF-8 without U+0000
  // Of kReplaceRange: where the caret is put after that, if it can be. Absent:
  // wherever the application leaves it.
  std::optional<int64_t> caret = {};
  // What the caller last read, from the start of the text. A server that counts
  // in other units converts positions by it; where it ends before they do, or
  // is not given, the server reads what it lacks, which takes a flight more
  // between check and write. Must outlive the call.
  absl::string_view known = {};
};

// What a server says of a write. Never proof that it landed: some answer
// success and do nothing, some change the text and answer an error.
//
// Many servers know no replacement, only a deletion and an insertion. Both are
// sent then, whatever becomes of the first, and one of them may land alone: the
// text is neither the old nor the new one, and only reading it says so.
struct WriteResult {
  // False: nothing that could change anything was put on the wire, so the
  // element holds what it held.
  bool sent = false;
  // Where `sent`, what was said of the text, or of the selection of kSelect:
  //   OK                  all of it was done
  //   DeadlineExceeded    an answer is missing, whatever the others say: it may
  //                       still be done later
  //   FailedPrecondition  the server says that it was not done
  //   any other           an error, of the first part that has one
  // Whether the caret could be placed after a replacement is not part of it:
  // that is a wish, and who must know reads where the caret is.
  // Where not `sent`, OK says that there was nothing to do.
  absl::Status status;
};

// What a server has put on the wire so far. A *flight* is a set of calls that
// are waited for together; its cost is one wait, however many calls it holds.
// Displays count as well: asking the window system is a flight.
struct Traffic {
  int64_t flights = 0;
  int64_t calls = 0;
  int64_t bytes = 0;        // sent and received
  int64_t connections = 0;  // opened

  friend Traffic operator-(const Traffic& a, const Traffic& b) {
    return {a.flights - b.flights, a.calls - b.calls, a.bytes - b.bytes,
            a.connections - b.connections};
  }
  Traffic& operator+=(const Traffic& other) {
    flights += other.flights;
    calls += other.calls;
    bytes += other.bytes;
    connections += other.connections;
    return *this;
  }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// Something that happened on the desktop, told by the server unasked.
struct Event {
  enum class Kind {
    kFocused,            // `element` says that it has the focus now
    kWindowActivated,    // `element` is the window
    kWindowDeactivated,  // `element` is the window
    kTextChanged,        // `element`'s text
    kSelectionChanged,   // `element`'s caret or selection
    kApplicationGone,    // `element.application` left
    kLost,               // events were dropped: what was learnt is not to be
                         // trusted
  };
  Kind kind = Kind::kFocused;
  Element element;
};

// Events, pulled. It has a connection of its own, so that a flood of events
// never delays a read and a slow reader never fills the connection of another.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // The next event, or DeadlineExceeded when there is none until `deadline`;
  // Unavailable when the connection has ended and none will ever come.
  virtual absl::StatusOr<Event> Next(absl::Time deadline) = 0;

  // Makes a `Next` that is waiting, or the next one, return Cancelled; the one
  // after that waits again. The only function here that another thread may
  // call.
  virtual void Cancel() = 0;
};

struct ObserveOptions {
  bool text = false;  // kTextChanged and kSelectionChanged too
};

class Server {
 public:
  virtual ~Server() = default;

  // The clock on which this server reads deadlines.
  virtual Clock& clock() = 0;

  // The system-wide route: the application that has the keyboard, as the system
  // says. NotFound when it does not know; the window list may know.
  virtual absl::StatusOr<Application> FocusedApplication(
      absl::Time deadline) = 0;

  // The window-list route: windows from front to back.
  virtual absl::StatusOr<std::vector<Window>> WindowList(
      absl::Time deadline) = 0;

  // The application that runs as process `pid`; NotFound when accessibility
  // does not know it.
  virtual absl::StatusOr<Application> ApplicationOfProcess(
      pid_t pid, absl::Time deadline) = 0;

  // Everything that accessibility knows on this desktop, in no order.
  virtual absl::StatusOr<std::vector<Application>> Applications(
      absl::Time deadline) = 0;

  // What claims to have the focus in `application`, likeliest first. Usually
  // one; some applications leave stale claims behind, so a caller reads the
  // state of all and scores them. NotFound when nothing does; never empty.
  virtual absl::StatusOr<std::vector<Element>> FocusedElements(
      const Application& application, absl::Time deadline) = 0;

  // The fields of `application`'s active window that can be typed into and are
  // on the screen, secure ones among them. Empty where there are none.
  // NotFound: no window of it is active.
  virtual absl::StatusOr<TextFieldList> TextFields(
      const Application& application, const FieldLimits& limits,
      absl::Time deadline) = 0;

  // Asks that `element` gets the focus. As of a write, what is answered is no
  // proof: some say yes and do nothing. FailedPrecondition: the application
  // says that it did not.
  virtual absl::Status Focus(const Element& element, absl::Time deadline) = 0;

  // One attribute.
  virtual Reading Read(const ReadRequest& request, absl::Time deadline) = 0;

  // Many, in one flight. On success there are as many readings as requests, in
  // their order, each with a status of its own. An error of the whole means
  // that the server rejects batches: read one by one.
  virtual absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) = 0;

  // Changes the element, in one flight. Never asked of a secure element. These
  // are not sent:
  //   InvalidArgument  offsets that are negative or out of order; text that is
  //                    not UTF-8 (a lone surrogate is not), holds U+0000, which
  //                    ends the text of toolkits written in C, or cannot be
  //                    carried by this server
  //   Unimplemented    the element offers nothing for this kind of change
  //   OK               kReplaceRange of an empty range by an empty text, with a
  //                    caret or without: to place a caret alone is kSelect
  virtual WriteResult Write(const WriteRequest& request,
                            absl::Time deadline) = 0;

  // Starts to listen. Events before the call are not told.
  virtual absl::StatusOr<std::unique_ptr<EventSource>> Observe(
      const ObserveOptions& options, absl::Time deadline) = 0;

  // Totals since the server was made. Never decreases.
  virtual Traffic traffic() const = 0;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_SERVER_SERVER_H_
