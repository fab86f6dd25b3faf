#include "ax/focus/tracker.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

FocusTracker::Known* FocusTracker::Entry(const std::string& application) {
  const auto found = known_.find(application);
  if (found != known_.end()) return &found->second;
  if (known_.size() >= kApplications) return nullptr;
  return &known_[application];
}

void FocusTracker::Remember(Known& known, const Element& element) {
  std::vector<Element>& focused = known.focused;
  focused.erase(std::remove(focused.begin(), focused.end(), element),
                focused.end());
  focused.insert(focused.begin(), element);
  if (focused.size() > kRecent) focused.resize(kRecent);
}

bool FocusTracker::Take(const Event& event) {
  const std::string& application = event.element.application;
  switch (event.kind) {
    case Event::Kind::kFocused: {
      Known* known = Entry(application);
      if (known == nullptr) return false;
      Remember(*known, event.element);
      return application == active_;
    }
    case Event::Kind::kWindowActivated: {
      Known* known = Entry(application);
      if (known == nullptr) return false;
      known->window = event.element;
      active_ = application;
      return true;
    }
    case Event::Kind::kWindowDeactivated: {
      // One toolkit tells this about 100 ms after the next application's
      // activation, so it ends only the activation of the same window.
      if (application != active_) return false;
      const auto found = known_.find(application);
      if (found == known_.end() || !(found->second.window == event.element)) {
        return false;
      }
      active_.clear();
      return true;
    }
    case Event::Kind::kApplicationGone:
      known_.erase(application);
      if (application != active_) return false;
      active_.clear();
      return true;
    case Event::Kind::kLost:
      Clear();
      return true;
    case Event::Kind::kTextChanged:
    case Event::Kind::kSelectionChanged:
      return false;
  }
  return false;
}

std::optional<FocusTracker::Guess> FocusTracker::guess() const {
  if (active_.empty()) return std::nullopt;
  const auto found = known_.find(active_);
  if (found == known_.end() || found->second.window.path.empty()) {
    return std::nullopt;
  }
  return Guess{active_, found->second.window, found->second.focused};
}

void FocusTracker::Clear() {
  known_.clear();
  active_.clear();
}

void FocusTracker::Forget(const Element& element) {
  const auto found = known_.find(element.application);
  if (found == known_.end()) return;
  std::vector<Element>& focused = found->second.focused;
  focused.erase(std::remove(focused.begin(), focused.end(), element),
                focused.end());
}

void FocusTracker::Learn(const Element& window, const Element& focused) {
  Known* known = Entry(window.application);
  if (known == nullptr) return;
  known->window = window;
  Remember(*known, focused);
  active_ = window.application;
}

}  // namespace tactus::ax
