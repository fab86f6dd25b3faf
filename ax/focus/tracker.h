// What the events of a desktop say about the focus. No input or output of its
// own: it is fed, and asked.
//
// "The last event wins" is wrong in four of the toolkits that were measured, so
// the tracker keeps the last few elements that each application called focused,
// and which window of which application was activated last. What it knows is
// where to look, not what is so: a reader scores the candidates by what they
// say of themselves now.
//
// Example:
//
//   FocusTracker tracker;
//   tracker.Take(event);
//   std::optional<FocusTracker::Guess> guess = tracker.guess();
#ifndef TACTUS_AX_FOCUS_TRACKER_H_
#define TACTUS_AX_FOCUS_TRACKER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

class FocusTracker {
 public:
  // Focused elements kept of each application. The worst sender measured tells
  // a passing object and a container beside the field: three.
  static constexpr size_t kRecent = 4;
  // Applications kept. Beyond any desktop; bounds what a hostile bus costs.
  static constexpr size_t kApplications = 256;

  struct Guess {
    std::string application;
    Element window;
    std::vector<Element> candidates;  // last told first; may be empty
  };

  // True when the guess may be another one now.
  bool Take(const Event& event);

  // Nullopt until a window was activated, and after events were lost.
  std::optional<Guess> guess() const;

  // Forgets all, or an element that has proved to be gone.
  void Clear();
  void Forget(const Element& element);

  // What a search has found, as if events had told it.
  void Learn(const Element& window, const Element& focused);

 private:
  struct Known {
    Element window;                // last activated; path empty: none yet
    std::vector<Element> focused;  // last told first
  };
  Known* Entry(const std::string& application);
  void Remember(Known& known, const Element& element);

  absl::flat_hash_map<std::string, Known> known_;
  std::string active_;  // application; empty: none
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_FOCUS_TRACKER_H_
