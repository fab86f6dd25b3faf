#include "ax/fields/fields.h"

#include <algorithm>
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
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Between two looks at where the focus is. An application moves it within some
// milliseconds, and each look costs it a few calls.
constexpr absl::Duration kPause = absl::Milliseconds(5);
constexpr absl::Duration kLongestPause = absl::Milliseconds(50);

// The system's word first, and of windows the one that is active: who has the
// keyboard need not have a focused element for that.
absl::StatusOr<Application> WithKeyboard(Server& server, absl::Time deadline) {
  const absl::Time now = server.clock().Now();
  absl::StatusOr<Application> told =
      server.FocusedApplication(now + (deadline - now) / 2);
  if (told.ok()) return told;
  const absl::StatusOr<std::vector<Window>> windows =
      server.WindowList(deadline);
  if (!windows.ok()) return told.status();
  for (const Window& window : *windows) {
    if (window.active && window.pid > 0) {
      return server.ApplicationOfProcess(window.pid, deadline);
    }
  }
  return told.status();
}

enum class Place { kThere, kElsewhere, kUnreadable };

// Where the focus is, as a read tells that is made for it.
Place Look(Server& server, const Application& application,
           const Element& element, absl::Time deadline) {
  const absl::StatusOr<Application> keyboard = WithKeyboard(server, deadline);
  if (!keyboard.ok()) return Place::kUnreadable;
  if (keyboard->id != application.id) return Place::kElsewhere;
  const absl::StatusOr<std::vector<Element>> focused =
      server.FocusedElements(application, deadline);
  if (absl::IsNotFound(focused.status())) return Place::kElsewhere;
  if (!focused.ok()) return Place::kUnreadable;
  // A second claim may be a stale one, or the field's own part.
  if (std::find(focused->begin(), focused->end(), element) == focused->end()) {
    return Place::kElsewhere;
  }
  const absl::StatusOr<int64_t> states =
      Get<int64_t>(server.Read({element, Attribute::kStates}, deadline));
  if (!states.ok()) return Place::kUnreadable;
  return (static_cast<States>(*states) & kStateFocused) != 0
             ? Place::kThere
             : Place::kElsewhere;
}

FieldFocus Refused(std::string reason, std::string message) {
  return {FieldFocus::Outcome::kRefused, std::move(reason), std::move(message),
          std::nullopt};
}

}  // namespace

absl::string_view OutcomeName(FieldFocus::Outcome outcome) {
  switch (outcome) {
    case FieldFocus::Outcome::kVerified:
      return "verified";
    case FieldFocus::Outcome::kRefused:
      return "refused";
    case FieldFocus::Outcome::kFailed:
      return "failed";
    case FieldFocus::Outcome::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string FieldHandle(const Element& element) {
  return absl::StrCat(element.application, " ", element.path);
}

absl::StatusOr<FieldList> ListFields(Server& server,
                                     const FieldOptions& options) {
  absl::StatusOr<Application> application =
      WithKeyboard(server, options.deadline);
  if (!application.ok()) return application.status();
  absl::StatusOr<TextFieldList> found =
      server.TextFields(*application, options.limits, options.deadline);
  if (!found.ok()) return found.status();
  if (found->fields.size() > options.limits.most_fields) {
    found->fields.resize(options.limits.most_fields);
    found->complete = false;
  }
  return FieldList{*std::move(application), std::move(found->fields),
                   found->complete};
}

FieldFocus FocusField(Server& server, absl::string_view handle,
                      const FieldOptions& options) {
  const absl::StatusOr<FieldList> list = ListFields(server, options);
  if (!list.ok()) {
    return Refused(
        absl::IsDeadlineExceeded(list.status()) ? "no-time" : "no-focus",
        absl::StrCat("the fields were not listed: ", list.status().message()));
  }
  const auto named = std::find_if(list->fields.begin(), list->fields.end(),
                                  [&](const TextField& field) {
                                    return FieldHandle(field.element) == handle;
                                  });
  if (named == list->fields.end()) {
    return Refused("stale",
                   "no field of the window that has the keyboard has this "
                   "handle: list the fields again");
  }
  const bool types_a_secret = std::any_of(
      list->fields.begin(), list->fields.end(), [&](const TextField& field) {
        return IsSecure(field) && (field.states & kStateFocused) != 0 &&
               !(field.element == named->element);
      });
  if (types_a_secret) {
    return Refused("secure",
                   "a secure field has the focus: what is typed there would be "
                   "shown elsewhere");
  }
  FieldFocus result;
  result.field = *named;
  if (Look(server, list->application, named->element, options.deadline) ==
      Place::kThere) {
    result.outcome = FieldFocus::Outcome::kVerified;
    result.reason = "none";
    result.message = "the field had the focus already";
    return result;
  }
  Clock& clock = server.clock();
  if (clock.Now() >= options.deadline) {
    result.reason = "no-time";
    result.message = "the deadline came before anything was sent";
    return result;
  }
  const absl::Status asked = server.Focus(named->element, options.deadline);
  if (absl::IsUnimplemented(asked) || absl::IsInvalidArgument(asked) ||
      absl::IsPermissionDenied(asked)) {
    result.reason = "no-way";
    result.message =
        absl::StrCat("the focus cannot be moved there: ", asked.message());
    return result;
  }
  Place place = Place::kUnreadable;
  absl::Duration pause = kPause;
  while (clock.Now() < options.deadline) {
    place = Look(server, list->application, named->element, options.deadline);
    if (place == Place::kThere) {
      result.outcome = FieldFocus::Outcome::kVerified;
      result.reason = "none";
      result.message = "the field has the focus";
      return result;
    }
    clock.SleepUntil(std::min(clock.Now() + pause, options.deadline));
    pause = std::min(2 * pause, kLongestPause);
  }
  if (place == Place::kElsewhere && !absl::IsDeadlineExceeded(asked)) {
    result.outcome = FieldFocus::Outcome::kFailed;
    result.reason = "not-moved";
    result.message =
        absl::StrCat("the focus is elsewhere",
                     asked.ok() ? "" : absl::StrCat(": ", asked.message()));
    return result;
  }
  result.outcome = FieldFocus::Outcome::kUnknown;
  result.reason = "unreadable";
  result.message = absl::StrCat(
      "the application was asked, and where the focus is cannot be told",
      asked.ok() ? "" : absl::StrCat(": ", asked.message()));
  return result;
}

}  // namespace tactus::ax
