// What a mock desktop held while an edit was under way, and what it would hold
// had the user been alone: the truth that a verdict is found by (verdict.h).
//
// It stands behind every seam alike, since it sees the mock's messages and not
// the client's calls.
//
//   Witness witness;
//   server.BetweenMessages([&](World& w, int) { witness.Enter(w); });
//   ...                                         // actions, hostilities
//   server.Add(MakeWatching(&witness));         // the last of them
//   witness.Begin(world, ShownLate(script));
//   editor.Apply(...);
//   witness.LastReadOf(element)->text;          // in truth, when it was read
#ifndef TACTUS_AX_EDIT_WITNESS_H_
#define TACTUS_AX_EDIT_WITNESS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

// What the world held when, and what it would hold had the user been alone.
class Witness {
 public:
  // An element by its application and its path before it was replaced.
  using Key = std::pair<std::string, std::string>;
  static Key KeyOf(const Element& element);

  struct Sight {
    Element element;
    std::u32string text;  // in truth
    // It changed before the count was read.
    bool torn = false;
    int64_t count = 0;  // in truth, when it was last read
    // Without the lateness: a field that has just been replaced shows sooner.
    std::u32string at_once = {};
  };
  // What was about to be sent.
  struct Sending {
    std::optional<Sight> read;  // the last text that was read before
    bool edits = false;         // a write that is no selection
    bool told_secure = false;   // of what has the keyboard
    Element element = {};       // of a write: whom it goes to
  };

  // What is read is as old as `lateness` says.
  void Begin(const mock::World& world, absl::Duration lateness);

  // The user has selected, moved the caret or typed: what is selected now is
  // his.
  void UserActs(const mock::World& world);
  // The editor is about to select.
  void Selects(const mock::World& world, const mock::Effect& effect);
  void Hears(const mock::World& world, const Event& event);
  // What was typed has replaced a selection that the editor had set.
  bool Overtyped() const { return !overtyped_.empty(); }

  void Notes(const mock::World& world, absl::Time now);

  // Around what is not the editor's.
  void Enter(const mock::World& world);
  void Leave(const mock::World& world, bool edits_are_sent);

  void Sends(const mock::World& world, const mock::Message& message);
  void Reads(const mock::World& world, const mock::Message& message,
             const Reading& reading);

  // The element's text when it was last read; null when it never was.
  const Sight* LastReadOf(const Element& element) const;
  // Every text that was read, with the index of the message.
  const std::vector<std::pair<int, Sight>>& sights() const { return sights_; }
  // Every text that the element had when a message was sent.
  std::vector<std::u32string> TextsHeldBy(const Element& element) const;
  // By the messages' indices.
  const std::map<int, Sending>& sendings() const { return sendings_; }
  bool ChangedInGap(const Element& element) const {
    return in_gap_.contains(KeyOf(element));
  }
  // Of the element that `concerns` names, or of all. What the user has put over
  // what the edit did must be what was there at first.
  bool AsAlone(const mock::World& world, const EditResult& result,
               const std::optional<Key>& concerns) const;

 private:
  using Texts = std::map<Key, std::u32string>;
  // A selection of the editor's that stands, and the text that it stands in.
  struct Ours {
    Range range;
    std::u32string text;
  };

  // The truth; where that shows late, the truth that shows.
  std::u32string ShownAt(const mock::World& world,
                         const mock::Message& message) const;

  bool others_turn_ = false;
  absl::Duration lateness_;
  size_t noted_ = 0;
  std::vector<std::pair<absl::Time, Texts>> texts_;
  std::map<Key, std::optional<Range>> users_;
  std::map<Key, Ours> ours_;
  std::set<Key> overtyped_;
  size_t print_ = 0;
  Texts entered_;
  Texts alone_;
  // The editor had changed it before the user did.
  std::set<Key> moved_;
  std::set<Key> in_gap_;
  std::optional<Sight> last_;
  std::vector<std::pair<int, Sight>> sights_;
  std::map<std::pair<std::string, std::string>, Sight> reads_;
  std::map<int, Sending> sendings_;
  std::set<std::pair<std::string, std::string>> told_;
};

// Tells `witness` of every message. The last of the hostilities, so that it
// sees what all others have done.
std::unique_ptr<mock::Hostility> MakeWatching(Witness* witness);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_WITNESS_H_
