#include "ax/edit/meanwhile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Code points as they are written, so that ill-formed ones compare too.
using Points = std::vector<std::string_view>;

Points PointsOf(std::string_view text) {
  Points points;
  points.reserve(text.size());
  while (!text.empty()) {
    const size_t size = DecodeOne(text).size;
    points.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return points;
}

std::string Join(const Points& points, int64_t begin, int64_t end) {
  std::string text;
  for (int64_t i = begin; i < end; ++i) text += points[static_cast<size_t>(i)];
  return text;
}

class Pair {
 public:
  Pair(std::string_view before, std::string_view now)
      : before_(PointsOf(before)), now_(PointsOf(now)) {
    const auto least = std::min(before_.size(), now_.size());
    while (prefix_ < static_cast<int64_t>(least) && SameAt(prefix_)) ++prefix_;
    while (suffix_ < static_cast<int64_t>(least) && SameFromEnd(suffix_)) {
      ++suffix_;
    }
  }

  int64_t length_before() const { return static_cast<int64_t>(before_.size()); }
  int64_t length_now() const { return static_cast<int64_t>(now_.size()); }

  // All that has changed is that `range` became something else. How long that
  // is; absent when something else has changed.
  std::optional<int64_t> OnlyChanged(Range range) const {
    const int64_t behind = length_before() - range.end;
    const int64_t length = length_now() - range.begin - behind;
    if (prefix_ < range.begin || suffix_ < behind || length < 0) {
      return std::nullopt;
    }
    return length;
  }

  // The end in the text now of the one place that has changed.
  int64_t EndOfChange() const {
    const int64_t most = std::min(length_before(), length_now()) - prefix_;
    return length_now() - std::min(suffix_, most);
  }

  // The text now holds all of the text before in its order, with anything in
  // between.
  bool HasAll() const {
    size_t found = 0;
    for (const std::string_view point : now_) {
      if (found < before_.size() && before_[found] == point) ++found;
    }
    return found == before_.size();
  }

  // The two ranges, which do not overlap, are all that has changed: what each
  // became, as ranges of the text now.
  struct Two {
    Range first;
    Range second;
  };
  std::optional<Two> OnlyChanged(Range first, Range second) const {
    const int64_t behind = length_before() - second.end;
    if (prefix_ < first.begin || suffix_ < behind ||
        first.begin + behind > length_now()) {
      return std::nullopt;
    }
    const auto from = now_.begin() + first.begin;
    const auto to = now_.end() - behind;
    const auto between_begin = before_.begin() + first.end;
    const auto between_end = before_.begin() + second.begin;
    const auto found = std::search(from, to, between_begin, between_end);
    if (found == to && between_begin != between_end) return std::nullopt;
    const int64_t end_of_first = found - now_.begin();
    return Two{
        {first.begin, end_of_first},
        {end_of_first + (between_end - between_begin), length_now() - behind}};
  }

  std::string Before(Range range) const {
    return Join(before_, range.begin, range.end);
  }
  std::string Now(Range range) const {
    return Join(now_, range.begin, range.end);
  }

 private:
  bool SameAt(int64_t i) const {
    return before_[static_cast<size_t>(i)] == now_[static_cast<size_t>(i)];
  }
  bool SameFromEnd(int64_t i) const {
    return before_[before_.size() - 1 - static_cast<size_t>(i)] ==
           now_[now_.size() - 1 - static_cast<size_t>(i)];
  }

  const Points before_;
  const Points now_;
  int64_t prefix_ = 0;
  int64_t suffix_ = 0;  // may overlap with the prefix
};

// What was typed at the user's own place came first, and what went into our
// selection after it: put together at the user's place, with ours as it was.
std::optional<Repair> RepairOf(const Pair& texts, Range ours, Range users) {
  const bool ours_first = ours.end <= users.begin;
  if (!ours_first && users.end > ours.begin) return std::nullopt;
  const Range first = ours_first ? ours : users;
  const Range second = ours_first ? users : ours;
  std::optional<Pair::Two> now;
  if (const std::optional<int64_t> typed = texts.OnlyChanged(ours)) {
    const Range over = {ours.begin, ours.begin + *typed};
    const int64_t by = *typed - ours.length();
    now = ours_first ? Pair::Two{over, {users.begin + by, users.end + by}}
                     : Pair::Two{users, over};
  } else {
    now = texts.OnlyChanged(first, second);
  }
  if (!now.has_value()) return std::nullopt;
  const std::string between = texts.Before({first.end, second.begin});
  const std::string typed =
      ours_first ? texts.Now(now->second) + texts.Now(now->first)
                 : texts.Now(now->first) + texts.Now(now->second);
  const std::string kept = texts.Before(ours);
  return Repair{{now->first.begin, now->second.end},
                ours_first ? kept + between + typed : typed + between + kept};
}

}  // namespace

Told Tell(std::string_view before, std::string_view now, Range ours,
          std::optional<Range> users) {
  if (before == now) return {Meanwhile::kNothing, users};
  const Pair texts(before, now);
  if (users.has_value()) {
    if (const std::optional<int64_t> typed = texts.OnlyChanged(*users)) {
      // Where the two share characters a change of ours alone may be either.
      const bool shared =
          *users != ours && users->begin < ours.end && ours.begin < users->end;
      if (shared && texts.OnlyChanged(ours).has_value()) {
        return {Meanwhile::kUnclear};
      }
      const int64_t caret = users->begin + *typed;
      return {.what = Meanwhile::kElsewhere,
              .user = Range{caret, caret},
              .over_users = !users->empty()};
    }
  }
  Told over = {Meanwhile::kTypedOver};
  if (users.has_value()) over.repair = RepairOf(texts, ours, *users);
  // At its edges too: that is where a caret of ours was.
  if (texts.OnlyChanged(ours).has_value()) return over;
  const int64_t end = texts.length_before();
  if (texts.OnlyChanged(Range{0, ours.begin}).has_value() ||
      texts.OnlyChanged(Range{ours.end, end}).has_value()) {
    const int64_t caret = texts.EndOfChange();
    return {Meanwhile::kElsewhere, Range{caret, caret}};
  }
  if (texts.HasAll()) return {Meanwhile::kUnclear};
  return over;
}

std::optional<int64_t> MovedTo(std::string_view before, std::string_view now,
                               Range range) {
  const Pair texts(before, now);
  const int64_t end = texts.length_before();
  if (range.empty() || range.begin < 0 || range.end > end) return std::nullopt;
  if (texts.OnlyChanged(Range{range.end, end}).has_value()) return range.begin;
  if (texts.OnlyChanged(Range{0, range.begin}).has_value()) {
    return range.begin + texts.length_now() - end;
  }
  return std::nullopt;
}

}  // namespace tactus::ax
