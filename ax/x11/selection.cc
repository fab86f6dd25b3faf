#include "ax/x11/selection.h"

#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/x11/connection.h"
#include "ax/x11/content.h"

namespace tactus::ax::x11 {
namespace {

// More goes in pieces of this size (as GTK does): a request as large as the
// server takes would make every other client wait for it.
constexpr size_t kPiece = 256 << 10;
// LibreOffice offers about 30 targets, GIMP about 50.
constexpr size_t kMaxTargets = 512;
// Of one MULTIPLE request, and of hand-outs in progress: nobody asks for more
// than there are targets, and each of the latter keeps a content alive.
constexpr size_t kMaxPairs = 256;
constexpr size_t kMaxTransfers = 64;
// One that fetches no further piece for so long does not want it any more.
constexpr absl::Duration kTransferPatience = absl::Seconds(30);
// For the server to answer while somebody is served. It answers within a
// millisecond or is not there.
constexpr absl::Duration kServerPatience = absl::Seconds(1);

// Targets by which a requestor tells the owner something, or makes it do
// something, and those that hold the id of something in the owner's server
// memory, which is gone when the owner frees it.
constexpr std::array<absl::string_view, 14> kNotContent = {
    "TARGETS",      "MULTIPLE",         "TIMESTAMP",       "DELETE",
    "SAVE_TARGETS", "INSERT_SELECTION", "INSERT_PROPERTY", "_SUN_SELN_READONLY",
    "PIXMAP",       "BITMAP",           "DRAWABLE",        "COLORMAP",
    "WINDOW",       "CLIENT_WINDOW"};

absl::Time Now() { return Clock::Real().Now(); }

uint8_t Kind(const xcb_generic_event_t& event) {
  return event.response_type & 0x7F;  // the highest bit: another client sent it
}

template <typename T>
const T& As(const xcb_generic_event_t& event) {
  return reinterpret_cast<const T&>(event);
}

std::vector<uint32_t> Words(absl::string_view bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  // Of nothing there is no address either.
  if (words.empty()) return words;
  memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

absl::Status TooMuch() {
  return absl::ResourceExhaustedError(
      "the clipboard holds more than may be saved and put back");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Selection>> Selection::Open(
    const std::string& display, absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(display, deadline);
  if (!connection.ok()) return connection.status();
  // In the order of AtomIndex.
  absl::StatusOr<std::vector<xcb_atom_t>> atoms =
      (*connection)
          ->Intern({"CLIPBOARD", "TARGETS", "MULTIPLE", "TIMESTAMP", "INCR",
                    "ATOM_PAIR", "UTF8_STRING", "text/plain;charset=utf-8",
                    "text/plain", "TEXT", "x-kde-passwordManagerHint",
                    "CLIPBOARD_MANAGER", "SAVE_TARGETS", "NULL",
                    "TACTUS_TRANSFER", "TACTUS_CLOCK"},
                   deadline);
  if (!atoms.ok()) return atoms.status();
  std::unique_ptr<Selection> selection(
      new Selection(*std::move(connection), *atoms));
  return selection;
}

Selection::Selection(std::unique_ptr<Connection> connection,
                     const std::vector<xcb_atom_t>& atoms)
    : connection_(std::move(connection)) {
  std::copy_n(atoms.begin(), atoms_.size(), atoms_.begin());
  window_ = xcb_generate_id(connection_->raw());
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(connection_->raw(), XCB_COPY_FROM_PARENT, window_,
                    connection_->root(), 0, 0, 1, 1, 0,
                    XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT,
                    XCB_CW_EVENT_MASK, &events);
  xcb_flush(connection_->raw());
}

TextAtoms Selection::text_atoms() const {
  return {.utf8_string = atoms_[kUtf8String],
          .text_plain_utf8 = atoms_[kTextPlainUtf8],
          .text_plain = atoms_[kTextPlain],
          .text = atoms_[kText],
          .secret_hint = atoms_[kSecretHint]};
}

// Events.

absl::Status Selection::Process() {
  for (;;) {
    const Reply<xcb_generic_event_t> event(
        xcb_poll_for_event(connection_->raw()));
    if (event == nullptr) break;
    Handle(*event);
  }
  Expire();
  xcb_flush(connection_->raw());
  return connection_->broken() ? DisplayGone() : absl::OkStatus();
}

absl::Status Selection::ProcessUntil(
    absl::FunctionRef<bool(const xcb_generic_event_t&)> done,
    absl::Time deadline) {
  for (;;) {
    const Reply<xcb_generic_event_t> event(
        xcb_poll_for_event(connection_->raw()));
    if (event != nullptr) {
      Handle(*event);
      if (done(*event)) return absl::OkStatus();
    } else if (connection_->broken()) {
      return DisplayGone();
    }
    // Also between two events: a flood of them is no answer.
    if (Now() >= deadline) {
      return absl::DeadlineExceededError("it took too long");
    }
    if (event == nullptr) {
      Expire();
      connection_->Wait(-1, std::min(deadline, NextExpiry()));
    }
  }
}

void Selection::Handle(const xcb_generic_event_t& event) {
  // Only what the server itself says: another client can send any event.
  switch (event.response_type) {
    case XCB_SELECTION_REQUEST:
      HandleRequest(As<xcb_selection_request_event_t>(event));
      break;
    case XCB_SELECTION_CLEAR: {
      const auto& clear = As<xcb_selection_clear_event_t>(event);
      // One from before we took it again is of the time before. The server says
      // in each event which of our requests it had seen by then.
      if (clear.selection == atoms_[kClipboard] && clear.owner == window_ &&
          static_cast<int32_t>(event.full_sequence - owning_since_) >= 0) {
        owning_ = false;
        content_ = nullptr;
      }
      break;
    }
    case XCB_PROPERTY_NOTIFY: {
      const auto& changed = As<xcb_property_notify_event_t>(event);
      if (changed.state == XCB_PROPERTY_DELETE) {
        Continue(changed.window, changed.atom);
      }
      break;
    }
    case XCB_DESTROY_NOTIFY: {
      const xcb_window_t window = As<xcb_destroy_notify_event_t>(event).window;
      transfers_.remove_if(
          [&](const Transfer& t) { return t.requestor == window; });
      break;
    }
    default:
      break;
  }
}

// Serving.

void Selection::HandleRequest(const xcb_selection_request_event_t& request) {
  // Clients from before ICCCM name no property and mean the target.
  const xcb_atom_t property =
      request.property == XCB_NONE ? request.target : request.property;
  Outcome outcome = Outcome::kRefused;
  if (request.owner == window_ && request.selection == atoms_[kClipboard] &&
      content_ != nullptr && !connection_->Made(request.requestor)) {
    if (request.target != atoms_[kMultiple]) {
      outcome = Convert(request.requestor, request.target, property);
    } else if (request.property != XCB_NONE) {
      outcome = ConvertMultiple(request.requestor, property);
    }
  }
  const std::shared_ptr<const Content> content = content_;
  xcb_selection_notify_event_t notify = {};
  notify.response_type = XCB_SELECTION_NOTIFY;
  notify.time = request.time;
  notify.requestor = request.requestor;
  notify.selection = request.selection;
  notify.target = request.target;
  notify.property = outcome == Outcome::kRefused ? XCB_NONE : property;
  // An event has 32 bytes whatever its kind.
  std::array<char, 32> bytes = {};
  static_assert(sizeof(notify) <= bytes.size());
  memcpy(bytes.data(), &notify, sizeof(notify));
  const absl::Status sent = connection_->Check(
      {xcb_send_event_checked(connection_->raw(), 0, request.requestor,
                              XCB_EVENT_MASK_NO_EVENT, bytes.data())},
      Now() + kServerPatience);
  // One that has gone meanwhile was handed nothing.
  if (!sent.ok() || content == nullptr) return;
  if (outcome == Outcome::kWhole || outcome == Outcome::kWholeText) {
    CountHandOut(*content, outcome == Outcome::kWholeText);
  }
}

Selection::Outcome Selection::Convert(xcb_window_t requestor, xcb_atom_t target,
                                      xcb_atom_t property) {
  if (target == atoms_[kTargets]) {
    std::vector<xcb_atom_t> targets = {atoms_[kTargets], atoms_[kMultiple],
                                       atoms_[kTimestamp]};
    for (const Offer& offer : content_->offers) {
      targets.push_back(offer.target);
    }
    return Put(requestor, property, XCB_ATOM_ATOM, 32, targets.data(),
               targets.size() * sizeof(xcb_atom_t))
               ? Outcome::kMeta
               : Outcome::kRefused;
  }
  if (target == atoms_[kTimestamp]) {
    return Put(requestor, property, XCB_ATOM_INTEGER, 32, &owned_at_,
               sizeof(owned_at_))
               ? Outcome::kMeta
               : Outcome::kRefused;
  }
  for (const Offer& offer : content_->offers) {
    if (offer.target != target) continue;
    if (offer.bytes.size() > LargestPiece()) {
      return Begin(requestor, property, offer);
    }
    if (!Put(requestor, property, offer.type, offer.format, offer.bytes.data(),
             offer.bytes.size())) {
      return Outcome::kRefused;
    }
    return offer.is_text ? Outcome::kWholeText : Outcome::kWhole;
  }
  return Outcome::kRefused;
}

// Each pair is a target and a property. One that cannot be had is answered by
// None in place of its property, as GTK, Qt and Xt do and understand.
Selection::Outcome Selection::ConvertMultiple(xcb_window_t requestor,
                                              xcb_atom_t property) {
  absl::StatusOr<Reply<xcb_get_property_reply_t>> asked =
      connection_->Take<xcb_get_property_reply_t>(
          xcb_get_property(connection_->raw(), 0, requestor, property,
                           XCB_GET_PROPERTY_TYPE_ANY, 0, 2 * kMaxPairs),
          Now() + kServerPatience);
  if (!asked.ok() || (*asked)->format != 32 || (*asked)->bytes_after != 0) {
    return Outcome::kRefused;
  }
  std::vector<uint32_t> pairs = Words(absl::string_view(
      static_cast<const char*>(xcb_get_property_value(asked->get())),
      xcb_get_property_value_length(asked->get())));
  if (pairs.empty() || pairs.size() % 2 != 0) return Outcome::kRefused;
  Outcome all = Outcome::kMeta;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    Outcome one = Outcome::kRefused;
    if (pairs[i] != atoms_[kMultiple] && pairs[i + 1] != XCB_NONE) {
      one = Convert(requestor, pairs[i], pairs[i + 1]);
    }
    if (one == Outcome::kRefused) pairs[i + 1] = XCB_NONE;
    if (one == Outcome::kWholeText ||
        (one == Outcome::kWhole && all != Outcome::kWholeText)) {
      all = one;
    }
  }
  return Put(requestor, property, atoms_[kAtomPair], 32, pairs.data(),
             pairs.size() * sizeof(uint32_t))
             ? all
             : Outcome::kRefused;
}

Selection::Outcome Selection::Begin(xcb_window_t requestor, xcb_atom_t property,
                                    const Offer& offer) {
  transfers_.remove_if([&](const Transfer& t) {
    return t.requestor == requestor && t.property == property;
  });
  if (transfers_.size() >= kMaxTransfers) return Outcome::kRefused;
  // Before it can delete the property, or we would never hear of it.
  Listen(requestor, true);
  const uint32_t size =
      static_cast<uint32_t>(std::min<size_t>(offer.bytes.size(), UINT32_MAX));
  if (!Put(requestor, property, atoms_[kIncr], 32, &size, sizeof(size))) {
    return Outcome::kRefused;
  }
  transfers_.push_back({.requestor = requestor,
                        .property = property,
                        .content = content_,
                        .offer = &offer,
                        .expires = Now() + kTransferPatience});
  return Outcome::kBegun;
}

void Selection::Continue(xcb_window_t requestor, xcb_atom_t property) {
  const auto transfer = std::find_if(
      transfers_.begin(), transfers_.end(), [&](const Transfer& t) {
        return t.requestor == requestor && t.property == property;
      });
  if (transfer == transfers_.end()) return;
  const Offer& offer = *transfer->offer;
  const size_t piece =
      std::min(LargestPiece(), offer.bytes.size() - transfer->sent);
  // After the last piece an empty one, which says that it was the last.
  const bool put = Put(requestor, property, offer.type, offer.format,
                       offer.bytes.data() + transfer->sent, piece);
  if (put && piece > 0) {
    transfer->sent += piece;
    transfer->expires = Now() + kTransferPatience;
    return;
  }
  if (put) CountHandOut(*transfer->content, offer.is_text);
  End(transfer);
}

std::list<Selection::Transfer>::iterator Selection::End(
    std::list<Transfer>::iterator transfer) {
  const xcb_window_t requestor = transfer->requestor;
  const auto next = transfers_.erase(transfer);
  if (!Fetching(requestor)) Listen(requestor, false);
  return next;
}

bool Selection::Fetching(xcb_window_t requestor) const {
  return std::any_of(
      transfers_.begin(), transfers_.end(),
      [&](const Transfer& t) { return t.requestor == requestor; });
}

void Selection::Listen(xcb_window_t window, bool on) {
  const uint32_t events =
      on ? XCB_EVENT_MASK_PROPERTY_CHANGE | XCB_EVENT_MASK_STRUCTURE_NOTIFY
         : XCB_EVENT_MASK_NO_EVENT;
  xcb_change_window_attributes(connection_->raw(), window, XCB_CW_EVENT_MASK,
                               &events);
}

void Selection::Expire() {
  const absl::Time now = Now();
  for (auto transfer = transfers_.begin(); transfer != transfers_.end();) {
    transfer = transfer->expires <= now ? End(transfer) : std::next(transfer);
  }
}

absl::Time Selection::NextExpiry() const {
  absl::Time next = absl::InfiniteFuture();
  for (const Transfer& transfer : transfers_) {
    next = std::min(next, transfer.expires);
  }
  return next;
}

bool Selection::Put(xcb_window_t window, xcb_atom_t property, xcb_atom_t type,
                    uint8_t format, const void* data, size_t bytes) {
  return connection_
      ->Check(
          {xcb_change_property_checked(
              connection_->raw(), XCB_PROP_MODE_REPLACE, window, property, type,
              format, static_cast<uint32_t>(bytes / (format / 8)), data)},
          Now() + kServerPatience)
      .ok();
}

void Selection::CountHandOut(const Content& content, bool is_text) {
  ++handed_out_;
  if (is_text && &content == counted_.get()) ++served_;
}

size_t Selection::LargestPiece() const {
  // The length of a request is in words and counts its head.
  const size_t server =
      size_t{xcb_get_maximum_request_length(connection_->raw())} * 4 - 64;
  return std::min(kPiece, server) & ~size_t{3};
}

// Owning.

absl::StatusOr<xcb_timestamp_t> Selection::ServerTime(absl::Time deadline) {
  // Nothing is appended to a property, and the server says when.
  const unsigned sequence =
      xcb_change_property(connection_->raw(), XCB_PROP_MODE_APPEND, window_,
                          atoms_[kClockProperty], XCB_ATOM_INTEGER, 32, 0,
                          nullptr)
          .sequence;
  xcb_timestamp_t time = XCB_CURRENT_TIME;
  const absl::Status told = ProcessUntil(
      [&](const xcb_generic_event_t& event) {
        if (event.response_type != XCB_PROPERTY_NOTIFY) return false;
        const auto& changed = As<xcb_property_notify_event_t>(event);
        if (changed.window != window_ ||
            changed.atom != atoms_[kClockProperty] ||
            static_cast<int32_t>(event.full_sequence - sequence) < 0) {
          return false;
        }
        time = changed.time;
        return true;
      },
      deadline);
  if (!told.ok()) return told;
  return time;
}

absl::StatusOr<xcb_window_t> Selection::Owner(absl::Time deadline) {
  absl::StatusOr<Reply<xcb_get_selection_owner_reply_t>> reply =
      connection_->Take<xcb_get_selection_owner_reply_t>(
          xcb_get_selection_owner(connection_->raw(), atoms_[kClipboard]),
          deadline);
  if (!reply.ok()) return reply.status();
  return (*reply)->owner;
}

absl::Status Selection::Own(std::shared_ptr<const Content> content,
                            xcb_timestamp_t time, absl::Time deadline) {
  const std::shared_ptr<const Content> before = content_;
  // Requests may be among the events that come with the answer below.
  content_ = content;
  counted_ = std::move(content);
  served_ = 0;
  owned_at_ = time;
  owning_since_ = xcb_set_selection_owner(connection_->raw(), window_,
                                          atoms_[kClipboard], time)
                      .sequence;
  owning_ = true;
  const absl::StatusOr<xcb_window_t> owner = Owner(deadline);
  if (owner.ok() && *owner == window_) return absl::OkStatus();
  content_ = before;
  counted_ = nullptr;
  if (!owner.ok()) return owner.status();
  owning_ = false;
  return absl::UnavailableError("another client took the clipboard first");
}

void Selection::SetContent(std::shared_ptr<const Content> content) {
  content_ = std::move(content);
}

absl::Status Selection::Disown(xcb_timestamp_t time, absl::Time deadline) {
  owning_ = false;
  content_ = nullptr;
  return connection_->Check(
      {xcb_set_selection_owner_checked(connection_->raw(), XCB_NONE,
                                       atoms_[kClipboard], time)},
      deadline);
}

// Reading.

absl::StatusOr<Content> Selection::Read(xcb_window_t owner,
                                        xcb_timestamp_t time, int64_t max_bytes,
                                        absl::Time deadline) {
  // So that the end of an owner in the middle is an answer at once.
  Listen(owner, true);
  absl::StatusOr<Content> content = [&]() -> absl::StatusOr<Content> {
    std::vector<xcb_atom_t> targets;
    absl::StatusOr<Property> listed =
        ReadTarget(owner, atoms_[kTargets], time,
                   kMaxTargets * sizeof(xcb_atom_t), deadline);
    if (listed.ok() && listed->format == 32) {
      targets = Words(listed->bytes);
    } else if (listed.ok() || absl::IsNotFound(listed.status())) {
      // From before ICCCM: it cannot say, so it is tried.
      targets = {atoms_[kUtf8String], XCB_ATOM_STRING};
    } else {
      return listed.status();
    }
    absl::StatusOr<std::vector<xcb_atom_t>> worth =
        WorthReading(targets, deadline);
    if (!worth.ok()) return worth.status();

    Content read;
    int64_t left = max_bytes;
    for (xcb_atom_t target : *worth) {
      absl::StatusOr<Property> value =
          ReadTarget(owner, target, time, left, deadline);
      if (absl::IsNotFound(value.status())) continue;
      if (!value.ok()) return value.status();
      left -= static_cast<int64_t>(value->bytes.size());
      read.offers.push_back({.target = target,
                             .type = value->type,
                             .format = value->format,
                             .bytes = std::move(value->bytes)});
    }
    if (read.offers.empty() && !targets.empty()) {
      return absl::UnavailableError(
          "the clipboard's owner hands out nothing of what it offers");
    }
    return read;
  }();
  Listen(owner, Fetching(owner));
  return content;
}

absl::StatusOr<std::vector<xcb_atom_t>> Selection::WorthReading(
    const std::vector<xcb_atom_t>& targets, absl::Time deadline) {
  std::vector<xcb_atom_t> once;
  for (xcb_atom_t target : targets) {
    if (target != XCB_NONE &&
        std::find(once.begin(), once.end(), target) == once.end()) {
      once.push_back(target);
    }
  }
  std::vector<xcb_get_atom_name_cookie_t> cookies;
  cookies.reserve(once.size());
  for (xcb_atom_t target : once) {
    cookies.push_back(xcb_get_atom_name(connection_->raw(), target));
  }
  std::vector<xcb_atom_t> worth;
  absl::Status failed;
  for (size_t i = 0; i < once.size(); ++i) {
    absl::StatusOr<Reply<xcb_get_atom_name_reply_t>> name =
        connection_->Take<xcb_get_atom_name_reply_t>(cookies[i], deadline);
    // No atom at all: an owner that lists anything.
    if (absl::IsNotFound(name.status())) continue;
    if (!name.ok()) {
      failed = name.status();
      continue;
    }
    const absl::string_view text(xcb_get_atom_name_name(name->get()),
                                 xcb_get_atom_name_name_length(name->get()));
    if (std::find(kNotContent.begin(), kNotContent.end(), text) ==
        kNotContent.end()) {
      worth.push_back(once[i]);
    }
  }
  if (!failed.ok()) return failed;
  return worth;
}

// NotFound when the owner refuses.
absl::StatusOr<Selection::Property> Selection::ReadTarget(xcb_window_t owner,
                                                          xcb_atom_t target,
                                                          xcb_timestamp_t time,
                                                          int64_t max_bytes,
                                                          absl::Time deadline) {
  // A window for each, so that nothing late or made up of one can be taken for
  // the answer to another.
  xcb_connection_t* x = connection_->raw();
  const xcb_window_t window = xcb_generate_id(x);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
  xcb_create_window(x, XCB_COPY_FROM_PARENT, window, connection_->root(), 0, 0,
                    1, 1, 0, XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT,
                    XCB_CW_EVENT_MASK, &events);
  const xcb_atom_t property = atoms_[kTransferProperty];
  xcb_convert_selection(x, window, atoms_[kClipboard], target, property, time);

  bool gone = false;
  const auto owner_gone = [&](const xcb_generic_event_t& event) {
    gone = gone || (event.response_type == XCB_DESTROY_NOTIFY &&
                    As<xcb_destroy_notify_event_t>(event).window == owner);
    return gone;
  };
  const auto piece_came = [&](const xcb_generic_event_t& event) {
    if (event.response_type != XCB_PROPERTY_NOTIFY) return false;
    const auto& changed = As<xcb_property_notify_event_t>(event);
    return changed.window == window && changed.atom == property &&
           changed.state == XCB_PROPERTY_NEW_VALUE;
  };
  absl::StatusOr<Property> read = [&]() -> absl::StatusOr<Property> {
    xcb_atom_t answered = XCB_NONE;
    absl::Status notified = ProcessUntil(
        [&](const xcb_generic_event_t& event) {
          if (owner_gone(event)) return true;
          if (Kind(event) != XCB_SELECTION_NOTIFY) return false;
          const auto& notify = As<xcb_selection_notify_event_t>(event);
          if (notify.requestor != window ||
              notify.selection != atoms_[kClipboard] ||
              notify.target != target) {
            return false;
          }
          answered = notify.property;
          return true;
        },
        deadline);
    if (absl::IsDeadlineExceeded(notified)) {
      return absl::DeadlineExceededError(
          "the clipboard's owner does not answer in time");
    }
    if (!notified.ok()) return notified;
    if (gone) return absl::UnavailableError("the clipboard's owner has gone");
    if (answered != property) return absl::NotFoundError("refused");
    // Deleting the property below asks for the first piece, if it is to come in
    // pieces, and nothing changes on this window before.
    absl::StatusOr<Property> value =
        TakeProperty(window, property, max_bytes, deadline);
    if (!value.ok() || value->type != atoms_[kIncr]) return value;

    const std::vector<uint32_t> at_least = Words(value->bytes);
    if (!at_least.empty() && at_least.front() > max_bytes) return TooMuch();
    Property whole = {};
    for (;;) {
      absl::Status came = ProcessUntil(
          [&](const xcb_generic_event_t& event) {
            return owner_gone(event) || piece_came(event);
          },
          deadline);
      if (absl::IsDeadlineExceeded(came)) {
        return absl::DeadlineExceededError(
            "the clipboard's owner hands it over too slowly, or without end");
      }
      if (!came.ok()) return came;
      if (gone) return absl::UnavailableError("the clipboard's owner has gone");
      absl::StatusOr<Property> piece = TakeProperty(
          window, property,
          max_bytes - static_cast<int64_t>(whole.bytes.size()), deadline);
      // The change of the property that announced all this comes late.
      if (absl::IsNotFound(piece.status())) continue;
      if (!piece.ok()) return piece.status();
      if (whole.format == 0) {
        whole.type = piece->type;
        whole.format = piece->format;
      } else if (!piece->bytes.empty() && piece->format != whole.format) {
        return absl::NotFoundError("pieces of different kinds");
      }
      if (piece->bytes.empty()) return whole;
      whole.bytes += piece->bytes;
    }
  }();
  xcb_destroy_window(x, window);
  xcb_flush(x);
  return read;
}

// Reads and deletes. NotFound when there is no such property.
absl::StatusOr<Selection::Property> Selection::TakeProperty(
    xcb_window_t window, xcb_atom_t property, int64_t max_bytes,
    absl::Time deadline) {
  // One word more than may be, and the announcement of pieces has one.
  const uint32_t words = static_cast<uint32_t>(
      std::clamp<int64_t>(max_bytes, 0, int64_t{1} << 31) / 4 + 1);
  absl::StatusOr<Reply<xcb_get_property_reply_t>> reply =
      connection_->Take<xcb_get_property_reply_t>(
          xcb_get_property(connection_->raw(), 1, window, property,
                           XCB_GET_PROPERTY_TYPE_ANY, 0, words),
          deadline);
  if (!reply.ok()) return reply.status();
  if ((*reply)->type == XCB_NONE)
    return absl::NotFoundError("no such property");
  const int64_t length = xcb_get_property_value_length(reply->get());
  if ((*reply)->type == atoms_[kIncr]) {
    // Whatever else it holds, the property must go for the pieces to come.
    if ((*reply)->bytes_after != 0) return absl::NotFoundError("malformed");
  } else if ((*reply)->bytes_after != 0 || length > max_bytes) {
    return TooMuch();
  }
  return Property{
      .type = (*reply)->type,
      .format = (*reply)->format,
      .bytes = std::string(
          static_cast<const char*>(xcb_get_property_value(reply->get())),
          static_cast<size_t>(length))};
}

absl::Status Selection::SaveToManager(absl::Time deadline) {
  xcb_connection_t* x = connection_->raw();
  absl::StatusOr<Reply<xcb_get_selection_owner_reply_t>> manager =
      connection_->Take<xcb_get_selection_owner_reply_t>(
          xcb_get_selection_owner(x, atoms_[kClipboardManager]), deadline);
  if (!manager.ok()) return manager.status();
  if ((*manager)->owner == XCB_NONE) {
    return absl::NotFoundError("no clipboard manager runs");
  }
  absl::StatusOr<xcb_timestamp_t> time = ServerTime(deadline);
  if (!time.ok()) return time.status();
  std::vector<xcb_atom_t> targets;
  if (content_ != nullptr) {
    for (const Offer& offer : content_->offers) {
      targets.push_back(offer.target);
    }
  }
  const xcb_atom_t property = atoms_[kTransferProperty];
  xcb_change_property(x, XCB_PROP_MODE_REPLACE, window_, property,
                      XCB_ATOM_ATOM, 32, static_cast<uint32_t>(targets.size()),
                      targets.data());
  const int before = handed_out_;
  xcb_convert_selection(x, window_, atoms_[kClipboardManager],
                        atoms_[kSaveTargets], property, *time);
  xcb_atom_t answered = XCB_NONE;
  const absl::Status notified = ProcessUntil(
      [&](const xcb_generic_event_t& event) {
        if (Kind(event) != XCB_SELECTION_NOTIFY) return false;
        const auto& notify = As<xcb_selection_notify_event_t>(event);
        if (notify.requestor != window_ ||
            notify.selection != atoms_[kClipboardManager] ||
            notify.target != atoms_[kSaveTargets]) {
          return false;
        }
        answered = notify.property;
        return true;
      },
      deadline);
  xcb_delete_property(x, window_, property);
  xcb_flush(x);
  if (absl::IsDeadlineExceeded(notified)) {
    return absl::DeadlineExceededError("the clipboard manager does not answer");
  }
  if (!notified.ok()) return notified;
  if (answered == XCB_NONE) {
    return absl::UnavailableError("the clipboard manager refuses");
  }
  if (handed_out_ == before) {
    return absl::UnavailableError(
        "the clipboard manager says that it has what it never fetched");
  }
  return absl::OkStatus();
}

}  // namespace tactus::ax::x11
