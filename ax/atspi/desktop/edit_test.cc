// Every kind of edit on a real application: what it reports against what the
// application itself then holds. The outcomes that differ from application to
// application are in a table, so that one that changes is seen.
#include <stdlib.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/atspi/desktop/field.h"
#include "ax/atspi/desktop/record.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "ax/x11/input.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

// Each part is edited by some case. Its end is what keys can select one by one:
// see Field::Select.
const char kBase[] = "one héllo 👩‍👩‍👧 שלום end.";

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

int64_t Length(std::string_view text) {
  return static_cast<int64_t>(CodePointCount(text));
}

// For people: what is wrong shows at an end, or in the length.
std::string Short(const std::string& text) {
  constexpr size_t kShown = 200;
  if (text.size() <= 2 * kShown) return text;
  return absl::StrCat(text.substr(0, kShown), " [", text.size(), " bytes] ",
                      text.substr(text.size() - kShown));
}

Range Find(const std::string& text, const std::string& part) {
  const int64_t begin =
      Length(std::string_view(text).substr(0, text.find(part)));
  return {begin, begin + Length(part)};
}

struct TextKind {
  const char* name;
  std::string text;
};

std::string TenThousand() {
  std::string text;
  const std::string words = "brown fox é שלום 👩‍👩‍👧 🦊 ";
  while (Length(text) + Length(words) <= 10000) text += words;
  text.append(static_cast<size_t>(10000 - Length(text)), '.');
  return text;
}

const std::vector<TextKind>& Kinds() {
  static const auto* kinds = new std::vector<TextKind>{
      {"ascii", "brown"},
      {"emoji", "👨‍👩‍👧‍👦🏳️‍🌈"},
      {"combining", "e\u0301o\u0308\u0323"},
      {"right-to-left", "עִבְרִית"},
      {"lines", "first\nsecond\n\nlast"},
      {"long", TenThousand()},
  };
  return *kinds;
}

struct Case {
  std::string operation;
  std::string kind;
  std::string base;
  // What is replaced, by what.
  Range range;
  std::string text;
  Edit edit;
  // Selected beforehand; absent where the caret is left at the end.
  Range selection = {-1, -1};
  // Taken back by UndoLast, which is then what is judged.
  bool undo = false;

  std::string expected() const {
    return absl::StrCat(std::string(SubstrOf(0, range.begin)), text,
                        std::string(SubstrOf(range.end, Length(base))));
  }

 private:
  std::string_view SubstrOf(int64_t begin, int64_t end) const {
    return SubstrByCodePoints(base, static_cast<size_t>(begin),
                              static_cast<size_t>(end));
  }
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.operation << " " << c.kind;
}

Case ReplaceRange(const TextKind& kind, const std::string& part) {
  const Range range = Find(kBase, part);
  return {.operation = "replace range",
          .kind = kind.name,
          .base = kBase,
          .range = range,
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kReplaceRange,
                   .text = kind.text,
                   .range = range}};
}

Case ReplaceText(const TextKind& kind) {
  return {.operation = "replace text",
          .kind = kind.name,
          .base = kBase,
          .range = Find(kBase, "שלום"),
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kReplaceText,
                   .text = kind.text,
                   .old_text = "שלום"}};
}

Case InsertAtCaret(const TextKind& kind) {
  const int64_t caret = Length(kBase) - 4;
  return {.operation = "insert at caret",
          .kind = kind.name,
          .base = kBase,
          .range = {caret, caret},
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kInsertAtCaret, .text = kind.text},
          .selection = {caret, caret}};
}

Case ReplaceSelection(const TextKind& kind) {
  const Range range = Find(kBase, "end");
  return {.operation = "replace selection",
          .kind = kind.name,
          .base = kBase,
          .range = range,
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kReplaceSelection, .text = kind.text},
          .selection = range};
}

Case SetValue(const TextKind& kind) {
  return {.operation = "set value",
          .kind = kind.name,
          .base = kBase,
          .range = {0, Length(kBase)},
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kSetValue, .text = kind.text}};
}

Case InsertIntoEmpty(const TextKind& kind) {
  return {.operation = "insert into empty field",
          .kind = kind.name,
          .base = "",
          .range = {0, 0},
          .text = kind.text,
          .edit = {.kind = Edit::Kind::kInsertAtCaret, .text = kind.text}};
}

Case Delete(const char* name, const std::string& part) {
  Case deleted = ReplaceRange({name, ""}, part);
  deleted.operation = "delete";
  return deleted;
}

Case ThenUndo(Case done) {
  done.undo = true;
  absl::StrAppend(&done.operation, ", undo");
  return done;
}

// A terminal has no text of which something could be taken away.
std::vector<Case> CasesOfTerminals() {
  const TextKind& ascii = Kinds()[0];
  std::vector<Case> cases;
  const auto at_the_start = [&](Case c) {
    c.edit.range = {0, 3};
    c.edit.old_text = "one";
    cases.push_back(std::move(c));
  };
  // First, while the screen still has what it began with.
  at_the_start(ReplaceRange(ascii, "one"));
  at_the_start(ReplaceText(ascii));
  at_the_start(SetValue(ascii));
  at_the_start(Delete("ascii", "one"));
  for (const TextKind& kind : Kinds()) {
    cases.push_back(InsertAtCaret(kind));
    cases.push_back(ReplaceSelection(kind));
  }
  cases.push_back(ThenUndo(InsertAtCaret(ascii)));
  return cases;
}

std::vector<Case> Cases() {
  const char* application = getenv("TACTUS_DESKTOP_APP");
  if (application != nullptr && application == std::string_view("vte")) {
    return CasesOfTerminals();
  }
  std::vector<Case> cases;
  for (const TextKind& kind : Kinds()) {
    cases.push_back(ReplaceRange(kind, "héllo"));
    cases.push_back(ReplaceText(kind));
    cases.push_back(InsertAtCaret(kind));
    cases.push_back(ReplaceSelection(kind));
    cases.push_back(SetValue(kind));
    cases.push_back(InsertIntoEmpty(kind));
  }
  cases.push_back(Delete("ascii", "one "));
  cases.push_back(Delete("emoji", "👩‍👩‍👧"));
  cases.push_back(Delete("right-to-left", " שלום"));
  cases.push_back(Delete("everything", kBase));
  const TextKind& emoji = Kinds()[1];
  cases.push_back(ThenUndo(ReplaceRange(emoji, "héllo")));
  cases.push_back(ThenUndo(ReplaceText(emoji)));
  cases.push_back(ThenUndo(InsertAtCaret(emoji)));
  cases.push_back(ThenUndo(ReplaceSelection(emoji)));
  cases.push_back(ThenUndo(SetValue(emoji)));
  cases.push_back(ThenUndo(InsertIntoEmpty(emoji)));
  cases.push_back(ThenUndo(Delete("emoji", "👩‍👩‍👧")));
  return cases;
}

class RealFieldTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<AtspiServer>> server =
        AtspiServer::Connect({}, Soon());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    absl::StatusOr<std::unique_ptr<x11::X11Input>> input =
        x11::OpenX11Input({}, Soon());
    ASSERT_TRUE(input.ok()) << input.status();
    input_ = *std::move(input);
    field_ = std::make_unique<Field>(input_.get());
    editor_ = std::make_unique<Editor>(server_.get(), input_.get());
    field_->Focus("text");
  }

  absl::StatusOr<Snapshot> Take() {
    return SnapshotFocused(*server_, {.deadline = Soon()});
  }

  // Waits until accessibility shows what the application holds already: it may
  // be late, which is not what these cases are about. Whether it came is not
  // judged; an edit has to end truly all the same.
  void AwaitShown(const std::function<bool(const Snapshot&)>& shown) {
    const absl::Time end = Clock::Real().Now() + absl::Seconds(3);
    do {
      const absl::StatusOr<Snapshot> snapshot = Take();
      if (snapshot.ok() && shown(*snapshot)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } while (Clock::Real().Now() < end);
  }

  void AwaitText(const std::string& text, Range selection) {
    if (field_->is_terminal()) return;
    AwaitShown([&](const Snapshot& s) {
      return s.value.ok() && *s.value == text && s.selection.ok() &&
             *s.selection == selection;
    });
  }

  // The outcome is what the application itself holds: `before` where nothing
  // was to have changed, `expected` where it was.
  static bool Agrees(const EditResult& result, const std::string& before,
                     const std::string& expected, const std::string& dump) {
    switch (result.outcome) {
      case Outcome::kVerified:
        return dump == expected;
      case Outcome::kRefused:
      case Outcome::kFailed:
        return dump == before;
      case Outcome::kDiverged:
        // It may be all that was asked for, where not all of it can be read.
        return dump != before;
      case Outcome::kUnknown:
        break;
    }
    return true;
  }

  // What has landed is seen at once; the rest is patience with a busy machine.
  static EditOptions Options() {
    return {.deadline = Soon(),
            .read_back = absl::Seconds(5),
            .paste_wait = absl::Seconds(10)};
  }

  std::unique_ptr<AtspiServer> server_;
  std::unique_ptr<x11::X11Input> input_;
  std::unique_ptr<Field> field_;
  std::unique_ptr<Editor> editor_;
};

// How one application ends an edit otherwise than verified, or its undo.
struct Other {
  const char* application;
  std::string_view operation;  // how it begins; empty for every one
  std::string_view kind;       // empty for every one
  const char* ended;           // or one of several, with "; " between
};

constexpr Other kOthers[] = {
    // So long a paragraph goes over pages, each part an element of its own; the
    // caret, and the focus with it, is then in another than before. Whether the
    // first part is read before or after that is up to the application.
    {"libreoffice", "", "long", "unknown, unreadable; diverged, other"},
    // What a terminal has taken in nobody but its program can take back.
    {"vte", "insert at caret, undo", "", "refused, no-way"},
    {"vte", "", "lines", "refused, newline"},
    // More than a line: it shows that in several.
    {"vte", "insert at caret", "long", "unknown, unreadable"},
    {"vte", "replace selection", "long", "unknown, unreadable"},
    {"vte", "insert at caret", "", "verified"},
    {"vte", "replace selection", "", "verified"},
    {"vte", "", "", "refused, no-way"},
};

std::vector<std::string> EndsOf(const std::string& application, const Case& c) {
  for (const Other& other : kOthers) {
    if (application == other.application &&
        c.operation.starts_with(other.operation) &&
        (other.kind.empty() || c.kind == other.kind)) {
      return absl::StrSplit(other.ended, "; ");
    }
  }
  return {"verified"};
}

std::string Ended(const EditResult& result) {
  std::string ended(OutcomeName(result.outcome));
  if (result.reason != Reason::kNone) {
    absl::StrAppend(&ended, ", ", ReasonName(result.reason));
  }
  return ended;
}

class EditTest : public RealFieldTest,
                 public ::testing::WithParamInterface<Case> {};

TEST_P(EditTest, OutcomeIsWhatTheApplicationHolds) {
  Case c = GetParam();
  field_->Reset(c.base);
  Range selection = c.selection;
  if (selection.begin >= 0) {
    field_->Select(selection.begin, selection.end, Length(c.base));
  } else {
    selection = {Length(c.base), Length(c.base)};
  }
  AwaitText(c.base, selection);
  if (field_->is_terminal()) {
    c.base = field_->Dump();
    c.range = {Length(c.base), Length(c.base)};
  }

  EditResult result = editor_->Apply(c.edit, Options());
  std::string before = c.base;
  std::string expected = c.expected();
  std::string dump = field_->Dump();
  if (c.undo) {
    ASSERT_TRUE(Agrees(result, before, expected, dump))
        << Ended(result) << ": " << result.message
        << "\nholds: " << Short(dump);
    SCOPED_TRACE(absl::StrCat("the edit was ", Ended(result)));
    std::swap(before, expected);
    result = editor_->UndoLast(Options());
    dump = field_->Dump();
  }
  const bool agrees = Agrees(result, before, expected, dump);
  EXPECT_TRUE(agrees) << OutcomeName(result.outcome) << ", "
                      << ReasonName(result.reason) << ": " << result.message
                      << "\nholds: " << Short(dump)
                      << "\nasked: " << Short(expected);
  EXPECT_THAT(EndsOf(field_->application(), c),
              ::testing::Contains(Ended(result)))
      << result.message << "\nholds: " << Short(dump);
  int own_undo = -1;
  if (result.outcome == Outcome::kVerified && !c.undo) {
    own_undo = field_->UndoByOwnKeys(before);
  }
  Record({.application = field_->application(),
          .operation = c.operation,
          .text = c.kind,
          .field = "text",
          .agrees = agrees,
          .own_undo = own_undo},
         result);
}

INSTANTIATE_TEST_SUITE_P(Edits, EditTest, ::testing::ValuesIn(Cases()),
                         [](const auto& info) {
                           std::string name = absl::StrCat(
                               info.param.operation, " ", info.param.kind);
                           return absl::StrReplaceAll(
                               name, {{" ", "_"}, {",", ""}, {"-", "_"}});
                         });

// What must be refused, and in which field.
struct Refused {
  const char* name;
  const char* field;
  const char* kind;
  Edit edit;
  Reason reason;
};

std::ostream& operator<<(std::ostream& out, const Refused& refused) {
  return out << refused.name;
}

std::vector<Refused> OtherFields() {
  const char* application = getenv("TACTUS_DESKTOP_APP");
  if (application == nullptr || !HasOtherFields(application)) return {};
  const Edit insert = {.kind = Edit::Kind::kInsertAtCaret, .text = "brown"};
  const Edit set = {.kind = Edit::Kind::kSetValue, .text = "brown"};
  const Edit remove = {.kind = Edit::Kind::kReplaceRange, .range = {0, 3}};
  const Edit lines = {.kind = Edit::Kind::kInsertAtCaret, .text = "a\nb"};
  return {
      {"insert into password", "password", "ascii", insert, Reason::kSecure},
      {"set password", "password", "ascii", set, Reason::kSecure},
      {"delete in password", "password", "nothing", remove, Reason::kSecure},
      {"insert into read-only field", "readonly", "ascii", insert,
       Reason::kReadOnly},
      {"set read-only field", "readonly", "ascii", set, Reason::kReadOnly},
      {"delete in read-only field", "readonly", "nothing", remove,
       Reason::kReadOnly},
      {"insert a line break into an entry", "entry", "lines", lines,
       Reason::kNewline},
  };
}

class RefusalTest : public RealFieldTest,
                    public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusalTest, ChangesNothing) {
  const Refused& refused = GetParam();
  const bool read_only = refused.reason == Reason::kReadOnly;
  field_->Focus(refused.field);
  // No key reaches it: it holds what it was given in the beginning.
  if (!read_only || field_->Dump().empty()) field_->Reset("before");
  const std::string before = field_->Dump();
  ASSERT_NE(before, "");
  AwaitShown([&](const Snapshot& s) {
    switch (refused.reason) {
      case Reason::kSecure:
        return s.secure;
      case Reason::kReadOnly:
        return s.strategy() == Strategy::kReadOnly;
      default:
        return s.value.ok() && *s.value == before;
    }
  });
  const EditResult result = editor_->Apply(refused.edit, Options());
  const std::string dump = field_->Dump();
  EXPECT_EQ(dump, before);
  EXPECT_EQ(Ended(result),
            absl::StrCat("refused, ", ReasonName(refused.reason)))
      << result.message;
  EXPECT_EQ(result.rung, Rung::kNone);
  Record({.application = field_->application(),
          .operation = refused.name,
          .text = refused.kind,
          .field = refused.field,
          .agrees = Agrees(result, before, before, dump)},
         result);
}

// An editor of files has no other field, and so no such case.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RefusalTest);
INSTANTIATE_TEST_SUITE_P(Fields, RefusalTest,
                         ::testing::ValuesIn(OtherFields()),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param.name,
                                                      {{" ", "_"}, {"-", "_"}});
                         });

class TokenTest : public RealFieldTest {
 protected:
  SnapshotToken TakeToken() {
    const absl::StatusOr<Snapshot> snapshot = Take();
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    absl::StatusOr<SnapshotToken> token =
        DecodeToken(snapshot.value_or(Snapshot()).token());
    EXPECT_TRUE(token.ok()) << token.status();
    return token.value_or(SnapshotToken());
  }

  void ExpectRefused(const char* operation, const SnapshotToken& token,
                     Reason reason) {
    const std::string before = field_->Dump();
    const EditResult result =
        editor_->Apply({.kind = Edit::Kind::kInsertAtCaret,
                        .text = "brown",
                        .snapshot = token},
                       Options());
    const std::string dump = field_->Dump();
    EXPECT_EQ(dump, before);
    EXPECT_EQ(Ended(result), absl::StrCat("refused, ", ReasonName(reason)))
        << result.message;
    EXPECT_EQ(result.rung, Rung::kNone);
    Record({.application = field_->application(),
            .operation = operation,
            .text = "ascii",
            .field = "text",
            .agrees = Agrees(result, before, before, dump)},
           result);
  }
};

TEST_F(TokenTest, TokenOfAnotherTextIsRefusedAndChangesNothing) {
  field_->Reset(kBase);
  AwaitText(kBase, {Length(kBase), Length(kBase)});
  const SnapshotToken token = TakeToken();
  PressKeys({"x"});
  AwaitShown([&](const Snapshot& s) {
    return s.value.ok() && DigestOf(*s.value) != token.text_digest;
  });
  ExpectRefused("edit with an old token", token, Reason::kTextChanged);
}

TEST_F(TokenTest, TokenOfAnotherCaretIsRefusedAndChangesNothing) {
  field_->Reset(kBase);
  AwaitText(kBase, {Length(kBase), Length(kBase)});
  const SnapshotToken token = TakeToken();
  // In a terminal there is no other place for it until something is typed.
  PressKeys({field_->is_terminal() ? "x" : "Left"});
  AwaitShown(
      [&](const Snapshot& s) { return s.caret.value_or(-1) != token.caret; });
  ExpectRefused(
      "edit with the token of another caret", token,
      field_->is_terminal() ? Reason::kTextChanged : Reason::kSelectionChanged);
}

TEST_F(TokenTest, EditOfOtherTextThanExpectedIsRefusedAndChangesNothing) {
  field_->Reset(kBase);
  AwaitText(kBase, {Length(kBase), Length(kBase)});
  const std::string before = field_->Dump();
  const EditResult result = editor_->Apply({.kind = Edit::Kind::kInsertAtCaret,
                                            .text = "brown",
                                            .expect = "what it never held"},
                                           Options());
  const std::string dump = field_->Dump();
  EXPECT_EQ(dump, before);
  EXPECT_EQ(Ended(result), "refused, text-changed") << result.message;
  Record({.application = field_->application(),
          .operation = "edit of other text than expected",
          .text = "ascii",
          .field = "text",
          .agrees = Agrees(result, before, before, dump)},
         result);
}

// Its edges lie inside of what people see as one character.
TEST_F(TokenTest, HalfACharacterIsRefusedAndChangesNothing) {
  field_->Reset(kBase);
  AwaitText(kBase, {Length(kBase), Length(kBase)});
  const std::string before = field_->Dump();
  const Range family = Find(before, "👩‍👩‍👧");
  const EditResult result =
      editor_->Apply({.kind = Edit::Kind::kReplaceRange,
                      .text = "brown",
                      .range = {family.begin + 1, family.end}},
                     Options());
  const std::string dump = field_->Dump();
  EXPECT_EQ(dump, before);
  EXPECT_EQ(Ended(result), "refused, splits-character") << result.message;
  Record({.application = field_->application(),
          .operation = "replace half a character",
          .text = "ascii",
          .field = "text",
          .agrees = Agrees(result, before, before, dump)},
         result);
}

}  // namespace
}  // namespace tactus::ax::atspi
