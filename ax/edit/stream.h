// Text that is still changing, written into a field while it changes: what a
// dictation tool hears, corrected as it hears more.
//
// A partial takes the place of the one before it, in place, with the fewest
// characters rewritten: what both begin and end with is left alone. The field
// is pinned by the first one. A final stays, and the next partial starts behind
// it. When the user edits the text meanwhile, the stream ends at once, refused,
// and touches nothing more.
//
// Example:
//
//   Stream stream(&editor, {});
//   stream.Partial("the quick", options);
//   stream.Partial("the quiet", options);   // rewrites "ck" as "et"
//   EditResult result = stream.Final("The quiet fox.", options);
//
// One undo takes back what the stream has written, all finals that follow each
// other without a gap and the partial behind them: also when the user has ended
// it by an edit of his own, as long as that left what was written as it was.
//
// A terminal takes what is added and nothing else: there partials are refused
// and the final is pasted.
#ifndef TACTUS_AX_EDIT_STREAM_H_
#define TACTUS_AX_EDIT_STREAM_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/types/types.h"

namespace tactus::ax {

// What becomes of the next text when the focus has moved to another field.
enum class WhenMoved {
  kHold,  // it is refused; finals are kept, and written when the focus is back
          // and more comes
  kRefuse,  // it is refused, and the stream ends
  kFollow,  // it is written in the new field; the old one keeps what it has
};

struct StreamOptions {
  WhenMoved when_moved = WhenMoved::kHold;
  bool allow_newlines = false;  // as in Edit
};

class Stream {
 public:
  // `editor` must outlive it.
  Stream(Editor* editor, StreamOptions options)
      : editor_(*editor), options_(options) {}

  // Each ends in an outcome of its own. After kDiverged, kUnknown and a refusal
  // for kTextChanged the stream has ended, and all that follows is refused with
  // kEnded.
  EditResult Partial(const std::string& text, const EditOptions& options);
  EditResult Final(const std::string& text, const EditOptions& options);
  // Takes out what was written since the last final, and puts back what was
  // selected before it.
  EditResult Cancel(const EditOptions& options);

  bool ended() const { return ended_; }
  // Whether something was written that no final has confirmed yet.
  bool pending() const { return phrase_.has_value(); }
  // Whether finals are held that could not be written yet: they are written in
  // front of what comes next. Final("") writes them alone.
  bool holding() const { return !held_.empty(); }

  // Characters sent and taken out so far, in code points.
  struct Rewritten {
    int64_t inserted = 0;
    int64_t deleted = 0;
  };
  const Rewritten& rewritten() const { return rewritten_; }

 private:
  // What is being dictated, from the end of the last final.
  struct Phrase {
    int64_t begin = 0;
    std::string text;      // as it stands in the field
    std::string replaced;  // what stood there before
    std::string window;    // the text round it, as it was read last
    int64_t window_begin = 0;
  };

  // What an undo takes back: `text` stands from `begin` on, in the place of
  // `replaced`.
  struct Span {
    int64_t begin = 0;
    std::string text;
    std::string replaced;
  };

  EditResult Write(const std::string& heard, bool final,
                   const EditOptions& options);
  EditResult Start(const std::string& text, bool final,
                   const EditOptions& options);
  EditResult Rewrite(const std::string& text, const EditOptions& options);
  void Take(const EditResult& result);
  // After a write that left the field as `result` says.
  void KeepUndo(const Span& span, const EditResult& result);
  Span Whole() const;

  Editor& editor_;
  const StreamOptions options_;
  std::optional<Element> pinned_;
  std::optional<Application> application_;
  std::optional<Phrase> phrase_;
  // Finals, of which each began where the one before ended; what comes next may
  // go on from there.
  std::optional<Span> done_;
  std::string held_;
  Rewritten rewritten_;
  bool ended_ = false;
};

// How `to` is made of `from` with the fewest characters rewritten: `range` of
// `from` becomes `text`. Cuts no character that people see as one.
struct Change {
  Range range;
  std::string text;

  friend bool operator==(const Change&, const Change&) = default;
};
Change LeastChange(const std::string& from, const std::string& to);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_STREAM_H_
