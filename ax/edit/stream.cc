#include "ax/edit/stream.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/text/graphemes.h"
#include "ax/text/slice.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Code points that both begin with.
size_t CommonPrefix(std::string_view a, std::string_view b) {
  size_t common = 0;
  while (!a.empty() && !b.empty()) {
    const DecodedCodePoint one = DecodeOne(a);
    const DecodedCodePoint other = DecodeOne(b);
    if (a.substr(0, one.size) != b.substr(0, other.size)) break;
    a.remove_prefix(one.size);
    b.remove_prefix(other.size);
    ++common;
  }
  return common;
}

// Code points that both end with, of which each has at most `most`.
size_t CommonSuffix(std::string_view a, std::string_view b, size_t most) {
  size_t common = 0;
  size_t bytes = 0;
  while (common < most && bytes < a.size() && bytes < b.size() &&
         a[a.size() - 1 - bytes] == b[b.size() - 1 - bytes]) {
    ++bytes;
    // The first byte of a code point: all of it is common.
    if ((static_cast<unsigned char>(a[a.size() - bytes]) & 0xC0) != 0x80) {
      ++common;
    }
  }
  return common;
}

EditResult Ended() {
  EditResult result;
  result.reason = Reason::kEnded;
  result.message = "the stream has ended: start another one";
  return result;
}

}  // namespace

Change LeastChange(const std::string& from, const std::string& to) {
  const auto before = static_cast<size_t>(CodePointLength(from));
  const auto after = static_cast<size_t>(CodePointLength(to));
  size_t prefix = CommonPrefix(from, to);
  while (prefix > 0 && !(IsGraphemeBoundary(from, prefix) &&
                         IsGraphemeBoundary(to, prefix))) {
    --prefix;
  }
  size_t suffix = CommonSuffix(from, to, std::min(before, after) - prefix);
  while (suffix > 0 && !(IsGraphemeBoundary(from, before - suffix) &&
                         IsGraphemeBoundary(to, after - suffix))) {
    --suffix;
  }
  return {{static_cast<int64_t>(prefix), static_cast<int64_t>(before - suffix)},
          std::string(CodePointSlice(to, static_cast<int64_t>(prefix),
                                     static_cast<int64_t>(after - suffix)))};
}

void Stream::Take(const EditResult& result) {
  switch (result.outcome) {
    case Outcome::kVerified:
      rewritten_.inserted += result.written.length();
      rewritten_.deleted += result.replaced.length();
      break;
    case Outcome::kFailed:
      break;
    case Outcome::kRefused:
      ended_ |= result.reason == Reason::kTextChanged ||
                result.reason == Reason::kSecure ||
                (result.reason == Reason::kStale &&
                 options_.when_moved == WhenMoved::kRefuse);
      break;
    case Outcome::kDiverged:
    case Outcome::kUnknown:
      // What stands in the field is not known well enough to go on from.
      ended_ = true;
      break;
  }
}

EditResult Stream::Start(const std::string& text, bool final,
                         const EditOptions& options) {
  EditResult result = editor_.Apply({.kind = Edit::Kind::kReplaceSelection,
                                     .text = text,
                                     .element = pinned_,
                                     .allow_newlines = options_.allow_newlines,
                                     .must_be_replaceable = !final},
                                    options);
  Take(result);
  if (result.outcome != Outcome::kVerified) return result;
  pinned_ = result.element;
  application_ = result.application;
  Phrase phrase;
  phrase.begin = result.replaced.begin;
  phrase.text = text;
  phrase.replaced = CodePointSlice(*result.before,
                                   result.replaced.begin - result.window_begin,
                                   result.replaced.end - result.window_begin);
  phrase.window = *result.after;
  phrase.window_begin = result.window_begin;
  const bool goes_on =
      done_.has_value() && result.replaced.empty() &&
      phrase.begin == done_->begin + CodePointLength(done_->text) &&
      done_->begin >= result.window_begin;
  if (!goes_on) done_.reset();
  phrase_ = std::move(phrase);
  KeepUndo(Whole(), result);
  return result;
}

Stream::Span Stream::Whole() const {
  Span whole = done_.value_or(Span{phrase_->begin, "", phrase_->replaced});
  whole.text += phrase_->text;
  return whole;
}

void Stream::KeepUndo(const Span& span, const EditResult& result) {
  editor_.set_undo(
      UndoRecord{*application_,
                 *pinned_,
                 {span.begin, span.begin + CodePointLength(span.text)},
                 span.replaced,
                 result.window_begin,
                 *result.after,
                 /*elsewhere_may_differ=*/true});
}

EditResult Stream::Rewrite(const std::string& text,
                           const EditOptions& options) {
  Phrase& phrase = *phrase_;
  const Change change = LeastChange(phrase.text, text);
  EditResult result =
      editor_.Apply({.kind = Edit::Kind::kReplaceRange,
                     .text = change.text,
                     .range = {phrase.begin + change.range.begin,
                               phrase.begin + change.range.end},
                     .expect = phrase.window,
                     .expect_begin = phrase.window_begin,
                     .element = pinned_,
                     .caret = phrase.begin + CodePointLength(text),
                     .allow_newlines = options_.allow_newlines,
                     .allow_split_characters = true},
                    options);
  Take(result);
  if (result.outcome == Outcome::kVerified) {
    phrase.text = text;
    phrase.window = *result.after;
    phrase.window_begin = result.window_begin;
    KeepUndo(Whole(), result);
  } else if (result.reason == Reason::kTextChanged) {
    // Both texts: what we left there, and what is there.
    result.expected = phrase.window;
    result.after = result.before;
    result.message =
        "somebody else has edited the text: it is left alone from here on";
  }
  return result;
}

EditResult Stream::Write(const std::string& heard, bool final,
                         const EditOptions& options) {
  if (ended_) return Ended();
  const std::string text = held_ + heard;
  EditResult result = phrase_.has_value() ? Rewrite(text, options)
                                          : Start(text, final, options);
  if (result.reason == Reason::kStale &&
      options_.when_moved == WhenMoved::kFollow) {
    // The phrase starts anew where the focus is.
    phrase_.reset();
    pinned_.reset();
    done_.reset();
    result = Start(text, final, options);
  }
  return result;
}

EditResult Stream::Partial(const std::string& text,
                           const EditOptions& options) {
  return Write(text, /*final=*/false, options);
}

EditResult Stream::Final(const std::string& text, const EditOptions& options) {
  EditResult result = Write(text, /*final=*/true, options);
  if (result.reason == Reason::kStale &&
      options_.when_moved == WhenMoved::kHold) {
    held_ += text;
  }
  if (result.outcome != Outcome::kVerified) return result;
  held_.clear();
  if (phrase_.has_value()) done_ = Whole();
  phrase_.reset();
  return result;
}

EditResult Stream::Cancel(const EditOptions& options) {
  if (ended_) return Ended();
  if (!phrase_.has_value()) {
    EditResult result;
    result.reason = Reason::kNothingToUndo;
    result.message = "no partial is there that could be taken out";
    return result;
  }
  // What is held was final: it stays, and only what came after it goes.
  if (holding()) return Rewrite(held_, options);
  EditResult result = Rewrite(phrase_->replaced, options);
  if (result.outcome == Outcome::kVerified) {
    phrase_.reset();
    if (done_.has_value()) {
      KeepUndo(*done_, result);
    } else {
      editor_.set_undo(std::nullopt);
    }
  }
  return result;
}

}  // namespace tactus::ax
