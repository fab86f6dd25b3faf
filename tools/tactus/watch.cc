#include "tools/tactus/watch.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::cli {
namespace {

// A burst is over when nothing has come for this long. The events of one window
// switch were measured 3 to 7 ms apart in most toolkits.
constexpr absl::Duration kQuiet = absl::Milliseconds(20);
// Longest burst: an application that never falls silent must not keep what
// happens from being told.
constexpr absl::Duration kLongestBurst = absl::Milliseconds(200);

template <typename T>
bool Same(const absl::StatusOr<T>& a, const absl::StatusOr<T>& b) {
  return a.ok() && b.ok() ? *a == *b : a.status().code() == b.status().code();
}

bool SameField(const ax::Snapshot& a, const ax::Snapshot& b) {
  return a.application.id == b.application.id && a.element == b.element &&
         a.secure == b.secure;
}

bool SameText(const ax::Snapshot& a, const ax::Snapshot& b) {
  return Same(a.value, b.value) && a.window == b.window &&
         Same(a.character_count, b.character_count);
}

class Watcher {
 public:
  Watcher(ax::Server& server, ax::EventSource& events,
          const WatchOptions& options,
          absl::FunctionRef<absl::Status(const Change&)> report)
      : server_(server),
        events_(events),
        options_(options),
        report_(report),
        begun_(server.clock().Now()),
        end_(begun_ + options.run_for) {}

  absl::Status Run() {
    absl::Status status = Look(0);
    while (status.ok() && !done_) {
      absl::StatusOr<ax::Event> event = events_.Next(end_);
      if (absl::IsCancelled(event.status()) ||
          absl::IsDeadlineExceeded(event.status())) {
        return absl::OkStatus();
      }
      if (!event.ok()) return event.status();
      status = TakeBurst(*event);
    }
    return status;
  }

 private:
  absl::Status TakeBurst(const ax::Event& first) {
    const absl::Time longest =
        std::min(server_.clock().Now() + kLongestBurst, end_);
    int64_t count = 0;
    bool matters = false;
    bool lost = false;
    absl::StatusOr<ax::Event> event = first;
    while (event.ok()) {
      ++count;
      matters |= Matters(*event);
      lost |= event->kind == ax::Event::Kind::kLost;
      event = events_.Next(std::min(server_.clock().Now() + kQuiet, longest));
    }
    if (absl::IsCancelled(event.status())) {
      done_ = true;
      return absl::OkStatus();
    }
    if (!absl::IsDeadlineExceeded(event.status())) return event.status();
    if (lost) {
      Change change;
      change.kind = Change::Kind::kLost;
      if (absl::Status status = Report(std::move(change), count);
          !status.ok() || done_) {
        return status;
      }
    }
    return matters ? Look(count) : absl::OkStatus();
  }

  bool Matters(const ax::Event& event) const {
    switch (event.kind) {
      case ax::Event::Kind::kFocused:
      case ax::Event::Kind::kWindowActivated:
      case ax::Event::Kind::kWindowDeactivated:
      case ax::Event::Kind::kLost:
        return true;
      case ax::Event::Kind::kTextChanged:
      case ax::Event::Kind::kSelectionChanged:
        // An office tells of the paragraph where the focus is on another
        // element, so the application is what is compared.
        return options_.text && IsFocused(event.element.application);
      case ax::Event::Kind::kApplicationGone:
        return IsFocused(event.element.application);
    }
    return true;
  }

  bool IsFocused(const std::string& application) const {
    return last_.has_value() && last_->application.id == application;
  }

  // Reads the focus, and reports how it differs from the last reading.
  absl::Status Look(int64_t events) {
    absl::StatusOr<ax::Snapshot> snapshot = ax::SnapshotFocused(
        server_, {.deadline = server_.clock().Now() + options_.deadline,
                  .max_text = options_.max_text,
                  .context = 0});
    Change change;
    if (!snapshot.ok()) {
      const bool known = looked_ && !last_.has_value() &&
                         why_.code() == snapshot.status().code();
      looked_ = true;
      last_.reset();
      why_ = snapshot.status();
      if (known) return absl::OkStatus();
      change.kind = Change::Kind::kNoFocus;
      change.why = why_;
      return Report(std::move(change), events);
    }
    looked_ = true;
    const std::optional<ax::Snapshot> before =
        std::exchange(last_, *std::move(snapshot));
    if (!before.has_value() || !SameField(*before, *last_)) {
      change.kind = Change::Kind::kFocus;
    } else if (!options_.text) {
      return absl::OkStatus();
    } else if (!SameText(*before, *last_)) {
      change.kind = Change::Kind::kText;
    } else if (!Same(before->selection, last_->selection) ||
               !Same(before->caret, last_->caret)) {
      change.kind = Change::Kind::kSelection;
    } else {
      return absl::OkStatus();
    }
    change.snapshot = last_;
    return Report(std::move(change), events);
  }

  absl::Status Report(Change change, int64_t events) {
    change.at = server_.clock().Now() - begun_;
    change.events = events;
    ++reported_;
    done_ = reported_ == options_.count;
    return report_(change);
  }

  ax::Server& server_;
  ax::EventSource& events_;
  const WatchOptions options_;
  const absl::FunctionRef<absl::Status(const Change&)> report_;
  const absl::Time begun_;
  const absl::Time end_;
  std::optional<ax::Snapshot> last_;  // none: nothing has the focus
  absl::Status why_;                  // of that
  bool looked_ = false;
  int64_t reported_ = 0;
  bool done_ = false;
};

}  // namespace

absl::string_view KindName(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kFocus:
      return "focus";
    case Change::Kind::kText:
      return "text";
    case Change::Kind::kSelection:
      return "selection";
    case Change::Kind::kNoFocus:
      return "no-focus";
    case Change::Kind::kLost:
      return "lost";
  }
  return "unknown";
}

absl::Status Watch(ax::Server& server, ax::EventSource& events,
                   const WatchOptions& options,
                   absl::FunctionRef<absl::Status(const Change&)> report) {
  return Watcher(server, events, options, report).Run();
}

}  // namespace tactus::cli
