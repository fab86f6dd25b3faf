// What became of a text while an edit had a range of it selected.
//
// A paste has to select first, and what the user types from then on replaces
// that selection: text is gone that the user never selected. Typing leaves no
// other trace than the text, so this tells from the text before and the text
// now whether the selection of the edit has had a part in it. It is pure, so
// that each case can be tested by itself.
//
// Example: "x" was typed at the end, then "y" over the "quick" that the edit
// had selected.
//
//   const Told told = Tell("The quick fox", "The y foxx", {4, 9}, Range{13,
//   13}); told.what == Meanwhile::kTypedOver; told.repair->range == Range{4,
//   10};      // "y foxx" told.repair->text == "quick foxxy";      // had the
//   user been left alone
//
// What it cannot know: keys that bring the very text that they replace leave
// the text as it was, and count as nothing. Offsets are code points of the text
// that is given.
#ifndef TACTUS_AX_EDIT_MEANWHILE_H_
#define TACTUS_AX_EDIT_MEANWHILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ax/types/types.h"

namespace tactus::ax {

enum class Meanwhile {
  kNothing,    // the text is what it was
  kElsewhere,  // it has changed where the user was, and the range is untouched
  kTypedOver,  // it has changed where the edit had selected
  kUnclear,    // all that was there is there, and either may have been
};

// `text` in the place of `range` of the text now makes of it what it would be,
// had what was typed gone where the user was.
struct Repair {
  Range range;
  std::string text;

  friend bool operator==(const Repair&, const Repair&) = default;
};

struct Told {
  Meanwhile what = Meanwhile::kNothing;
  // Where the user is in the text now; absent where that cannot be told.
  std::optional<Range> user = {};
  // Of kTypedOver, where it can be told what was typed where.
  std::optional<Repair> repair = {};
  // Of kElsewhere: in place of what the user had selected.
  bool over_users = false;
};

// `ours` is what the edit had selected (empty: where it had put the caret), and
// `users` what the user had, both in `before`.
Told Tell(std::string_view before, std::string_view now, Range ours,
          std::optional<Range> users);

// Where `range` of `before`, which is not empty, begins in the text now, when
// all that has changed lies on one side of it. Absent when its own text has
// changed, or both sides of it.
std::optional<int64_t> MovedTo(std::string_view before, std::string_view now,
                               Range range);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_MEANWHILE_H_
