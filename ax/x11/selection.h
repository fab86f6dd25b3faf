// The CLIPBOARD selection as one client of the X server has it: owned, served,
// and read (ICCCM 2.0, section 2).
//
// Used by the clipboard and by the keeper, each from one thread, which has to
// call Process whenever the connection is readable.
//
// Example: put something there and serve it until somebody else takes over.
//
//   absl::StatusOr<xcb_timestamp_t> now = selection.ServerTime(deadline);
//   absl::Status owned = selection.Own(content, *now, deadline);
//   while (selection.Process().ok() && selection.owning()) {
//     selection.connection().Wait(-1, selection.NextExpiry());
//   }
//
// Whoever asks or answers is hostile: what a requestor sends is bounded, one
// that stops fetching is forgotten after half a minute, and reading is bounded
// in bytes, in targets and in time.
#ifndef TACTUS_AX_X11_SELECTION_H_
#define TACTUS_AX_X11_SELECTION_H_

#include <xcb/xcb.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/x11/connection.h"
#include "ax/x11/content.h"

namespace tactus::ax::x11 {

class Selection {
 public:
  static absl::StatusOr<std::unique_ptr<Selection>> Open(
      const std::string& display, absl::Time deadline);

  Connection& connection() { return *connection_; }
  xcb_window_t window() const { return window_; }
  TextAtoms text_atoms() const;

  // Handles all that has come, without waiting. Unavailable when the display
  // has gone.
  absl::Status Process();

  // Handles what comes until `done` says true of an event that is none of the
  // owner's. DeadlineExceeded, Unavailable.
  absl::Status ProcessUntil(
      absl::FunctionRef<bool(const xcb_generic_event_t&)> done,
      absl::Time deadline);

  // When a requestor that fetches no further is to be forgotten; call Process
  // by then.
  absl::Time NextExpiry() const;

  // The server's own time, which is what ownership is stamped with.
  absl::StatusOr<xcb_timestamp_t> ServerTime(absl::Time deadline);
  // XCB_NONE when nobody does.
  absl::StatusOr<xcb_window_t> Owner(absl::Time deadline);

  // Takes the selection as of `time` and serves `content` from then on. The
  // server refuses what is older than the last change of owner: Unavailable,
  // and somebody else has it. On any error `content` is not served.
  absl::Status Own(std::shared_ptr<const Content> content, xcb_timestamp_t time,
                   absl::Time deadline);
  // Serves this from now on, without telling anybody. Null refuses everyone.
  void SetContent(std::shared_ptr<const Content> content);
  // Nobody owns the selection any more.
  absl::Status Disown(xcb_timestamp_t time, absl::Time deadline);

  bool owning() const { return owning_; }
  std::shared_ptr<const Content> content() const { return content_; }
  // Times that other clients were handed text, whole, of what Own was last
  // given.
  int served() const { return served_; }
  // Times that other clients were handed anything, since the start.
  int handed_out() const { return handed_out_; }
  // Whether somebody has fetched a part of something and not yet the rest.
  bool transferring() const { return !transfers_.empty(); }

  // Everything that `owner` offers, but for targets that make it do something.
  // What it refuses is left out. ResourceExhausted when it is more than
  // `max_bytes`; DeadlineExceeded; Unavailable when it hands out nothing of
  // what it offers, or is gone.
  absl::StatusOr<Content> Read(xcb_window_t owner, xcb_timestamp_t time,
                               int64_t max_bytes, absl::Time deadline);

  // Has the clipboard manager of the desktop fetch what we hold, to serve it
  // once we are gone. NotFound when there is none; Unavailable when it refuses
  // or says that it has what it never fetched.
  absl::Status SaveToManager(absl::Time deadline);

 private:
  enum AtomIndex {
    kClipboard,
    kTargets,
    kMultiple,
    kTimestamp,
    kIncr,
    kAtomPair,
    kUtf8String,
    kTextPlainUtf8,
    kTextPlain,
    kText,
    kSecretHint,
    kClipboardManager,
    kSaveTargets,
    kNull,
    kTransferProperty,
    kClockProperty,
    kAtoms
  };

  // A hand-out in pieces, each of which the requestor asks for by deleting the
  // one before.
  struct Transfer {
    xcb_window_t requestor;
    xcb_atom_t property;
    std::shared_ptr<const Content> content;
    const Offer* offer;
    size_t sent = 0;
    absl::Time expires;
  };

  // How a request ended.
  enum class Outcome { kRefused, kMeta, kWhole, kWholeText, kBegun };

  struct Property {
    xcb_atom_t type;
    uint8_t format;
    std::string bytes;
  };

  Selection(std::unique_ptr<Connection> connection,
            const std::vector<xcb_atom_t>& atoms);

  void Handle(const xcb_generic_event_t& event);
  void HandleRequest(const xcb_selection_request_event_t& request);
  Outcome Convert(xcb_window_t requestor, xcb_atom_t target,
                  xcb_atom_t property);
  Outcome ConvertMultiple(xcb_window_t requestor, xcb_atom_t property);
  Outcome Begin(xcb_window_t requestor, xcb_atom_t property,
                const Offer& offer);
  void Continue(xcb_window_t requestor, xcb_atom_t property);
  std::list<Transfer>::iterator End(std::list<Transfer>::iterator transfer);
  bool Fetching(xcb_window_t requestor) const;
  // Hears, or does not any more, of another client's window.
  void Listen(xcb_window_t window, bool on);
  void Expire();
  bool Put(xcb_window_t window, xcb_atom_t property, xcb_atom_t type,
           uint8_t format, const void* data, size_t bytes);
  void CountHandOut(const Content& content, bool is_text);
  size_t LargestPiece() const;

  absl::StatusOr<Property> ReadTarget(xcb_window_t owner, xcb_atom_t target,
                                      xcb_timestamp_t time, int64_t max_bytes,
                                      absl::Time deadline);
  absl::StatusOr<Property> TakeProperty(xcb_window_t window,
                                        xcb_atom_t property, int64_t max_bytes,
                                        absl::Time deadline);
  absl::StatusOr<std::vector<xcb_atom_t>> WorthReading(
      const std::vector<xcb_atom_t>& targets, absl::Time deadline);

  std::unique_ptr<Connection> connection_;
  std::array<xcb_atom_t, kAtoms> atoms_ = {};
  xcb_window_t window_ = XCB_NONE;

  std::shared_ptr<const Content> content_;
  bool owning_ = false;
  // The request by which we own it: news from before it are old.
  unsigned owning_since_ = 0;
  xcb_timestamp_t owned_at_ = XCB_CURRENT_TIME;
  // What Own was last given.
  std::shared_ptr<const Content> counted_;
  int served_ = 0;
  int handed_out_ = 0;
  std::list<Transfer> transfers_;
};

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_SELECTION_H_
