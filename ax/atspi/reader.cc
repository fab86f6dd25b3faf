#include "ax/atspi/reader.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/calls.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/atspi/replies.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Of the way from an element up to its window.
constexpr int kMaxAncestors = 64;

// How long an empty text is doubted, once for each application that fetches its
// text only when it is asked for.
constexpr absl::Duration kColdPatience = absl::Milliseconds(250);
constexpr absl::Duration kColdPause = absl::Milliseconds(5);

class Batch {
 public:
  Batch(Applications& applications, Traffic* traffic, absl::Time deadline)
      : applications_(applications),
        traffic_(traffic),
        deadline_(deadline),
        flight_(traffic) {}

  std::vector<Reading> Run(absl::Span<const ReadRequest> requests) {
    for (const ReadRequest& request : requests) {
      Part& part = PartOf(request.element);
      if (part.calls.has_value()) part.calls->Ask(request);
    }
    flight_.Run(deadline_);
    for (Part& part : parts_) {
      if (!part.calls.has_value()) continue;
      part.replies.emplace(*part.calls, flight_, traffic_, deadline_);
    }
    std::vector<Reading> readings;
    readings.reserve(requests.size());
    for (const ReadRequest& request : requests) {
      readings.push_back(Answer(PartOf(request.element), request.attribute));
    }
    return readings;
  }

  // True when an application that fetches text only once it is asked for it
  // has answered an empty one, which may be what it has not fetched yet.
  bool MetColdText() {
    for (Part& part : parts_) {
      if (!part.calls.has_value() || !part.calls->quirks().cold_text ||
          part.calls->app().text_seen || !part.replies->AnsweredText()) {
        continue;
      }
      if (part.replies->AnsweredEmptyText()) return true;
      part.calls->app().text_seen = true;
    }
    return false;
  }

  // There is none: it has had its time.
  void BelieveEmptyText() {
    for (Part& part : parts_) {
      if (part.calls.has_value()) part.calls->app().text_seen = true;
    }
  }

 private:
  // What is asked of one element.
  struct Part {
    const Element* element = nullptr;
    absl::Status no_app;                // why there are no calls
    std::optional<ElementCalls> calls;  // in place: the replies refer to them
    std::optional<ElementReplies> replies;
  };

  // Batches name a handful of elements, so a scan is faster than a map.
  Part& PartOf(const Element& element) {
    for (Part& part : parts_) {
      if (*part.element == element) return part;
    }
    Part& part = parts_.emplace_back();
    part.element = &element;
    absl::StatusOr<AppPtr> app =
        applications_.ByName(element.application, deadline_);
    if (app.ok()) {
      part.calls.emplace(&applications_, *std::move(app), element, &flight_);
    } else {
      part.no_app = app.status();
    }
    return part;
  }

  Reading Answer(Part& part, Attribute attribute) {
    if (!part.calls.has_value()) return part.no_app;
    switch (attribute) {
      case Attribute::kWindow:
        return WindowOf(*part.calls);
      case Attribute::kSelectedText:
        return SelectedTextOf(*part.element, *part.replies);
      default:
        return part.replies->Answer(attribute);
    }
  }

  // Two waits, since the text asked for depends on the selection.
  Reading SelectedTextOf(const Element& element, ElementReplies& replies) {
    const absl::StatusOr<Range> selection = replies.Selection();
    if (absl::IsNotFound(selection.status())) return Value(std::string());
    if (!selection.ok()) return selection.status();
    const ReadRequest request{element,
                              Attribute::kText,
                              {std::min(selection->begin, selection->end),
                               std::max(selection->begin, selection->end)}};
    return ReadAttributes(applications_, traffic_, {&request, 1}, deadline_)
        .front();
  }

  Reading WindowOf(const ElementCalls& calls) {
    Element element = calls.element();
    for (int i = 0; i < kMaxAncestors; ++i) {
      Flight flight(traffic_);
      const int parent =
          flight.AddGet(applications_.Route(calls.app()), element.application,
                        element.path, kAccessible, "Parent");
      flight.Run(deadline_);
      if (!flight.status(parent).ok()) return flight.status(parent);
      absl::StatusOr<Reference> up =
          DecodeReferenceProperty(flight.reply(parent));
      if (!up.ok()) return up.status();
      if (up->path == kRootPath) return Value(element);
      if (absl::EndsWith(up->path, "/null") || *up == element) {
        // LibreOffice's frames have no parent; what says that it is active is a
        // window all the same.
        const ReadRequest state{element, Attribute::kStates};
        const absl::StatusOr<int64_t> states = Get<int64_t>(
            ReadAttributes(applications_, traffic_, {&state, 1}, deadline_)
                .front());
        if (states.ok() && (*states & kStateActive)) return Value(element);
        break;
      }
      element = *std::move(up);
    }
    return absl::NotFoundError("no window holds the element");
  }

  Applications& applications_;
  Traffic* traffic_;
  absl::Time deadline_;
  Flight flight_;
  std::deque<Part> parts_;  // stable: replies refer to calls
};

}  // namespace

std::vector<Reading> ReadAttributes(Applications& applications,
                                    Traffic* traffic,
                                    absl::Span<const ReadRequest> requests,
                                    absl::Time deadline) {
  Clock& clock = Clock::Real();
  const absl::Time patience = std::min(deadline, clock.Now() + kColdPatience);
  for (;;) {
    Batch batch(applications, traffic, deadline);
    std::vector<Reading> readings = batch.Run(requests);
    if (!batch.MetColdText()) return readings;
    if (clock.Now() + kColdPause >= patience) {
      batch.BelieveEmptyText();
      return readings;
    }
    absl::SleepFor(kColdPause);
  }
}

}  // namespace tactus::ax::atspi
