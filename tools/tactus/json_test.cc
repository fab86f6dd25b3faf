#include "tools/tactus/json.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"
#include "tools/tactus/sample_snapshot.h"
#include "tools/tactus/watch.h"

namespace tactus::cli {
namespace {

std::string Json(const ax::Snapshot& snapshot) {
  return SnapshotJson(snapshot, absl::Microseconds(1500));
}

TEST(SnapshotJsonTest, WholeSnapshotIsExactlyThis) {
  const ax::Snapshot snapshot = SampleSnapshot();
  EXPECT_EQ(
      Json(snapshot),
      absl::StrCat(
          R"({"schema":"tactus.snapshot/1",)"
          R"("value":"héllo שלום","value_status":null,"value_exact":true,)"
          R"("window":{"begin":0,"end":10},"whole":true,"character_count":10,)"
          R"("caret":5,"selection":{"begin":1,"end":5},)"
          R"("selected_text":"éllo","context_before":"h",)"
          R"("context_after":" שלום",)"
          R"("role":{"kind":"text-area","native":"text"},"secure":false,)"
          R"("strategy":"range-edit","ambiguous":false,"secure_beside":false,)"
          R"("value_settable":true,"selection_settable":true,)"
          R"("states":["focused","editable","supports_text",)"
          R"("supports_editing"],)"
          R"("application":{"id":":1.7","name":"editor","pid":812,)"
          R"("toolkit":"gtk","toolkit_version":"3.24.38"},)"
          R"("element":{"application":":1.7",)"
          R"("path":"/org/a11y/atspi/accessible/3"},)"
          R"("route":"system-wide","system_wide_status":null,"token":")",
          snapshot.token(),
          R"(","notes":[],"errors":{},"connect_us":1500,"elapsed_us":1850,)"
          R"("traffic":{"flights":4,"calls":17,"bytes":24,"connections":1}})",
          "\n"));
}

TEST(SnapshotJsonTest, SecureFieldHasNoValueAndSaysWhy) {
  const std::string json = Json(SecureSnapshot());
  const std::string why =
      R"({"code":"PERMISSION_DENIED","message":"the field is secure"})";
  for (const std::string& part :
       {absl::StrCat(R"("value":null,"value_status":)", why,
                     R"(,"value_exact":null,"window":null,"whole":false)"),
        std::string(R"("secure":true,"strategy":"refused-secure")"),
        absl::StrCat(R"("errors":{"value":)", why, R"(,"character_count":)",
                     why, R"(,"caret":)", why, R"(,"selection":)", why,
                     R"(,"selected_text":)", why, "}")}) {
    EXPECT_TRUE(absl::StrContains(json, part))
        << part << "\nis not in " << json;
  }
  EXPECT_FALSE(absl::StrContains(json, "llo"));
}

TEST(SnapshotJsonTest, AttributeThatFailedIsNullWithItsOwnReason) {
  ax::Snapshot snapshot = SampleSnapshot();
  snapshot.caret = absl::DataLossError("a caret of -1");
  snapshot.value_settable = absl::DeadlineExceededError("late");
  const std::string json = Json(snapshot);
  for (const char* part :
       {R"("value":"héllo שלום")", R"("caret":null)",
        R"("value_settable":null)",
        R"("errors":{"caret":{"code":"DATA_LOSS","message":"a caret of -1"},)"
        R"("value_settable":{"code":"DEADLINE_EXCEEDED","message":"late"}})"}) {
    EXPECT_TRUE(absl::StrContains(json, part))
        << part << "\nis not in " << json;
  }
}

TEST(SnapshotJsonTest, RouteThatDidNotServeIsTold) {
  ax::Snapshot snapshot = SampleSnapshot();
  snapshot.route = ax::Route::kWindowList;
  snapshot.system_wide = absl::NotFoundError("nobody knows");
  EXPECT_TRUE(absl::StrContains(
      Json(snapshot),
      R"("route":"window-list","system_wide_status":{"code":"NOT_FOUND",)"
      R"("message":"nobody knows"})"));
}

TEST(SnapshotJsonTest, WhatUtf8CannotHoldIsReplacedOneForOneAndTold) {
  ax::Snapshot snapshot = SampleSnapshot();
  snapshot.value =
      "a\xED\xA0\xBD"
      "b\xFF";  // a lone surrogate, a stray byte
  snapshot.context_before = "\xED\xA0\xBD";
  snapshot.application.name = "\xFF";
  const std::string json = Json(snapshot);
  EXPECT_TRUE(ax::IsValidUtf8(json));
  EXPECT_TRUE(
      absl::StrContains(json,
                        "\"value\":\"a\uFFFDb\uFFFD\",\"value_status\":null,"
                        "\"value_exact\":false"))
      << json;
  EXPECT_TRUE(absl::StrContains(json, "\"context_before\":\"\uFFFD\""));
  EXPECT_TRUE(absl::StrContains(json, "\"name\":\"\uFFFD\""));
}

TEST(SnapshotJsonTest, NothingThatCouldForgeATerminalIsRaw) {
  ax::Snapshot snapshot = SampleSnapshot();
  // ESC, DEL, CSI as one character, right-to-left override, line separator;
  // the joiner of an emoji stays.
  snapshot.value = "\x1b\x7f\xC2\x9b\u202e\u2028\"\\/\n👩\u200d👧";
  EXPECT_TRUE(absl::StrContains(
      Json(snapshot), R"("value":"\u001b\u007f\u009b\u202e\u2028\"\\/\n)"
                      "👩\u200d👧\""))
      << Json(snapshot);
}

TEST(ChangeJsonTest, FocusIsToldWithASummaryOfTheField) {
  Change change;
  change.kind = Change::Kind::kFocus;
  change.at = absl::Microseconds(12900);
  change.events = 5;
  change.snapshot = SampleSnapshot();
  EXPECT_EQ(
      ChangeJson(change),
      absl::StrCat(
          R"({"schema":"tactus.event/1","kind":"focus","at_ms":12,"events":5,)"
          R"("application":{"id":":1.7","name":"editor","pid":812,)"
          R"("toolkit":"gtk","toolkit_version":"3.24.38"},)"
          R"("element":{"application":":1.7",)"
          R"("path":"/org/a11y/atspi/accessible/3"},"status":null,)"
          R"("snapshot":{"value":"héllo שלום","value_status":null,)"
          R"("value_exact":true,"window":{"begin":0,"end":10},"whole":true,)"
          R"("character_count":10,"caret":5,"selection":{"begin":1,"end":5},)"
          R"("role":{"kind":"text-area","native":"text"},"secure":false,)"
          R"("strategy":"range-edit","ambiguous":false,"secure_beside":false,)"
          R"("token":")",
          SampleSnapshot().token(), R"(","errors":{}}})", "\n"));
}

TEST(ChangeJsonTest, LossOfTheFocusIsToldWithItsReason) {
  Change change;
  change.kind = Change::Kind::kNoFocus;
  change.why = absl::NotFoundError("no window is active");
  EXPECT_EQ(ChangeJson(change),
            R"({"schema":"tactus.event/1","kind":"no-focus","at_ms":0,)"
            R"("events":0,"application":null,"element":null,)"
            R"("status":{"code":"NOT_FOUND","message":"no window is active"},)"
            R"("snapshot":null})"
            "\n");
}

TEST(AppsJsonTest, HungApplicationAndUnknownWindowAreNamed) {
  Apps apps;
  apps.apps.push_back({{":1.7", "editor", 812, "gtk", "3.24.38"},
                       "editor",
                       true,
                       true,
                       true,
                       "text",
                       "by paste"});
  apps.apps.push_back(
      {{":1.9", "", 900, "", ""}, "stuck", false, false, false, "", ""});
  apps.unknown.push_back({{77, "a title", false}, "xterm"});
  EXPECT_EQ(
      AppsJson(apps),
      R"({"schema":"tactus.apps/1","applications":[{"application":)"
      R"({"id":":1.7","name":"editor","pid":812,"toolkit":"gtk",)"
      R"("toolkit_version":"3.24.38"},"process":"editor","answers":true,)"
      R"("focused":true,"own_socket":true,"reading":"text",)"
      R"("editing":"by paste"},{"application":{"id":":1.9","name":"",)"
      R"("pid":900,"toolkit":"","toolkit_version":""},"process":"stuck",)"
      R"("answers":false,"focused":false,"own_socket":null,"reading":null,)"
      R"("editing":null}],"unknown_windows":[{"pid":77,"process":"xterm",)"
      R"("title":"a title","active":false}],"focus_status":null,)"
      R"("windows_status":null})"
      "\n");
}

ax::EditResult SampleEdit() {
  ax::EditResult result;
  result.outcome = ax::Outcome::kVerified;
  result.message = "the field holds the text";
  result.rung = ax::Rung::kPaste;
  result.attempts = {{ax::Rung::kRange, ax::Outcome::kFailed,
                      ax::Reason::kNotLanded, "unchanged"},
                     {ax::Rung::kPaste, ax::Outcome::kVerified,
                      ax::Reason::kNone, "the field holds the text"}};
  result.application = {":1.7", "editor", 812, "gtk", "3.24.38"};
  result.element = {":1.7", "/org/a11y/atspi/accessible/3"};
  result.replaced = {1, 3};
  result.written = {1, 2};
  result.window_begin = 0;
  result.before = "héllo";
  result.expected = "hΩlo";
  result.after = "hΩlo";
  result.gap = absl::Microseconds(150);
  result.elapsed = absl::Microseconds(6250);
  result.traffic = {6, 31, 40, 1};
  return result;
}

constexpr char kSampleEdit[] =
    R"({"schema":"tactus.edit/1","outcome":"verified","reason":"none",)"
    R"("message":"the field holds the text","rung":"paste",)"
    R"("attempts":[{"rung":"range","outcome":"failed",)"
    R"("reason":"not-landed","message":"unchanged"},)"
    R"({"rung":"paste","outcome":"verified","reason":"none",)"
    R"("message":"the field holds the text"}],)"
    R"("application":{"id":":1.7","name":"editor","pid":812,)"
    R"("toolkit":"gtk","toolkit_version":"3.24.38"},)"
    R"("element":{"application":":1.7",)"
    R"("path":"/org/a11y/atspi/accessible/3"},)"
    R"("replaced":{"begin":1,"end":3},"written":{"begin":1,"end":2},)"
    R"("window_begin":0,"before":"héllo","expected":"hΩlo",)"
    R"("after":"hΩlo","gap_us":150,"elapsed_us":6250,)"
    R"("traffic":{"flights":6,"calls":31,"bytes":40,"connections":1})";

TEST(EditJsonTest, WholeResultIsExactlyThis) {
  EXPECT_EQ(EditJson(SampleEdit()), absl::StrCat(kSampleEdit, "}\n"));
}

TEST(EditJsonTest, RefusalWithoutAFieldHasNullForWhatIsNotKnown) {
  ax::EditResult result;
  result.reason = ax::Reason::kNoFocus;
  result.message = "nothing has the focus";
  EXPECT_EQ(EditJson(result),
            R"({"schema":"tactus.edit/1","outcome":"refused",)"
            R"("reason":"no-focus","message":"nothing has the focus",)"
            R"("rung":"none","attempts":[],"application":null,)"
            R"("element":null,"replaced":null,"written":null,)"
            R"("window_begin":0,"before":null,"expected":null,"after":null,)"
            R"("gap_us":0,"elapsed_us":0,)"
            R"("traffic":{"flights":0,"calls":0,"bytes":0,"connections":0}})"
            "\n");
}

TEST(EditJsonTest, WhatIsWrittenIsToldOnlyWhereItIsProved) {
  for (const ax::Outcome outcome :
       {ax::Outcome::kRefused, ax::Outcome::kFailed, ax::Outcome::kDiverged,
        ax::Outcome::kUnknown}) {
    ax::EditResult result = SampleEdit();
    result.outcome = outcome;
    const std::string json = EditJson(result);
    EXPECT_TRUE(absl::StrContains(
        json, R"("replaced":{"begin":1,"end":3},"written":null)"))
        << json;
  }
}

TEST(EditJsonTest, NothingFromAnApplicationCouldForgeALineOrATerminal) {
  const std::string evil = "\x1b[2J\n\u202e\xED\xA0\xBD";
  ax::EditResult result = SampleEdit();
  result.message = evil;
  result.attempts[0].message = evil;
  result.application = {evil, evil, 1, evil, evil};
  result.element = {evil, evil};
  result.before = evil;
  result.expected = evil;
  result.after = evil;
  const std::string json = EditJson(result);
  EXPECT_TRUE(ax::IsValidUtf8(json));
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_FALSE(absl::StrContains(json, "\x1b"));
  EXPECT_FALSE(absl::StrContains(json, "\u202e"));
  EXPECT_TRUE(
      absl::StrContains(json, "\"before\":\"\\u001b[2J\\n\\u202e\uFFFD\""))
      << json;
}

TEST(StreamJsonTest, AnswerIsTheResultAndWhatItAnswers) {
  for (const char* kind : {"partial", "final", "cancel"}) {
    EXPECT_EQ(StreamJson(SampleEdit(), kind),
              absl::StrCat(kSampleEdit, R"(,"answers":")", kind, "\"}\n"));
  }
}

// What a line is read as: its kind in front, or what is wrong with it.
std::string Read(absl::string_view line) {
  const absl::StatusOr<StreamLine> read = ParseStreamLine(line);
  if (!read.ok()) {
    EXPECT_TRUE(absl::IsInvalidArgument(read.status()));
    return absl::StrCat("wrong: ", read.status().message());
  }
  switch (read->kind) {
    case StreamLine::Kind::kPartial:
      return absl::StrCat("partial: ", read->text);
    case StreamLine::Kind::kFinal:
      return absl::StrCat("final: ", read->text);
    case StreamLine::Kind::kCancel:
      return absl::StrCat("cancel: ", read->text);
  }
  return "";
}

TEST(ParseStreamLineTest, PlainLineIsAPartialAsItIs) {
  EXPECT_EQ(Read("the quick"), "partial: the quick");
  EXPECT_EQ(Read(""), "partial: ");
  EXPECT_EQ(Read(" {\"final\": \"a\"}"), "partial:  {\"final\": \"a\"}");
  EXPECT_EQ(Read("[1]"), "partial: [1]");
  EXPECT_EQ(Read("\"a\""), "partial: \"a\"");
  EXPECT_EQ(Read("\xff"), "partial: \xff");
}

TEST(ParseStreamLineTest, JsonSaysWhatTheLineIs) {
  EXPECT_EQ(Read(R"({"partial": "a"})"), "partial: a");
  EXPECT_EQ(Read(R"({"partial": ""})"), "partial: ");
  EXPECT_EQ(Read(R"({"final": "\u05e9\ud83d\ude42\n{"})"), "final: ש🙂\n{");
  EXPECT_EQ(Read(R"(  {"final": "a"})").substr(0, 8), "partial:");
  EXPECT_EQ(Read(R"({"cancel":true} )"), "cancel: ");
}

TEST(ParseStreamLineTest, WrongLineSaysWhatIsWrong) {
  const std::string one =
      "wrong: a line is not one of {\"partial\": TEXT}, {\"final\": TEXT} and "
      "{\"cancel\": true}: ";
  EXPECT_EQ(Read("{}"), one + "it needs exactly one member");
  EXPECT_EQ(Read(R"({"partial":"a","final":"b"})"),
            one + "it needs exactly one member");
  EXPECT_EQ(Read(R"({"other":"a"})"), one + "it has another member");
  EXPECT_EQ(Read(R"({"partial":1})"), one + "its text is no string");
  EXPECT_EQ(Read(R"({"final":null})"), one + "its text is no string");
  EXPECT_EQ(Read(R"({"cancel":false})"),
            one + "\"cancel\" is true or not there");
  EXPECT_EQ(Read(R"({"cancel":1})"), one + "\"cancel\" is true or not there");
  for (const char* line :
       {"{", "{nonsense", R"({"partial":"a"} x)", R"({"partial":"a)",
        "{\"partial\":\"\xff\"}", R"({"partial":"\ud800"})"}) {
    EXPECT_EQ(Read(line).substr(0, one.size()), one) << line;
    EXPECT_GT(Read(line).size(), one.size()) << line;
  }
  // As deep as a parser would recurse.
  EXPECT_EQ(Read("{\"partial\":" + std::string(100000, '[')).substr(0, 6),
            "wrong:");
}

ax::UndoRecord SampleUndo() {
  ax::UndoRecord undo;
  undo.application = {":1.7", "editor", 812, "gtk", "3.24.38"};
  undo.element = {":1.7", "/org/a11y/atspi/accessible/3"};
  undo.range = {4, 8};
  undo.text = "שלום";
  undo.window_begin = 0;
  undo.expected = "The slow";
  undo.elsewhere_may_differ = true;
  return undo;
}

constexpr char kSampleUndo[] =
    R"({"schema":"tactus.undo/1",)"
    R"("application":{"id":":1.7","name":"editor","pid":812,)"
    R"("toolkit":"gtk","toolkit_version":"3.24.38"},)"
    R"("element":{"application":":1.7",)"
    R"("path":"/org/a11y/atspi/accessible/3"},)"
    R"("range":{"begin":4,"end":8},"text":"שלום","window_begin":0,)"
    R"("expected":"The slow","elsewhere_may_differ":true})"
    "\n";

TEST(UndoJsonTest, WholeRecordIsExactlyThis) {
  EXPECT_EQ(UndoJson(SampleUndo()), kSampleUndo);
}

TEST(UndoJsonTest, RecordIsReadBackButForWhatTheApplicationCallsItself) {
  const absl::StatusOr<ax::UndoRecord> undo = ParseUndo(kSampleUndo);
  ASSERT_TRUE(undo.ok()) << undo.status();
  ax::UndoRecord wanted = SampleUndo();
  wanted.application = {};
  wanted.application.id = ":1.7";
  wanted.application.pid = 812;
  EXPECT_EQ(*undo, wanted);
}

// `from`, which is there once, becomes `to`.
std::string With(std::string json, absl::string_view from,
                 absl::string_view to) {
  const size_t at = json.find(from.data(), 0, from.size());
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to.data(), to.size());
}

TEST(UndoJsonTest, WhatUndoJsonDidNotWriteIsRefused) {
  const std::pair<const char*, const char*> changes[] = {
      {"undo/1", "undo/2"},
      {R"("schema")", R"("Schema")"},
      {R"("id":":1.7",)", ""},
      {R"("pid":812)", R"("pid":"812")"},
      {R"("pid":812)", R"("pid":-1)"},
      {R"("pid":812)", R"("pid":4294967296)"},
      {R"({"application":":1.7",)", R"({)"},
      {R"("path":"/org)", R"("path":7,"x":"/org)"},
      {R"("begin":4)", R"("begin":-4)"},
      {R"("begin":4)", R"("begin":9)"},
      {R"("begin":4)", R"("begin":4.5)"},
      {R"("end":8)", R"("end":null)"},
      {R"("end":8)", R"("end":9223372036854775807)"},
      {R"("end":8)", R"("end":18446744073709551615)"},
      {R"("text":"שלום")", R"("text":["שלום"])"},
      {R"("text":"שלום")", "\"text\":\"\xff\""},
      {R"("window_begin":0)", R"("window_begin":-1)"},
      {R"("window_begin":0)", R"("window_begin":9223372036854775807)"},
      {R"(,"expected":"The slow")", ""},
      {R"(,"elsewhere_may_differ":true)", ""},
      {R"("elsewhere_may_differ":true)", R"("elsewhere_may_differ":1)"}};
  for (const auto& [from, to] : changes) {
    EXPECT_EQ(ParseUndo(With(kSampleUndo, from, to)).status(),
              absl::InvalidArgumentError("it is no record of an edit"))
        << from << " as " << to;
  }
  for (const char* json : {"", "null", "[]", "7", "\"a\"", "{}"}) {
    EXPECT_FALSE(ParseUndo(json).ok()) << json;
  }
}

TEST(DoctorJsonTest, EachCheckHasItsStateAndRemedy) {
  EXPECT_EQ(DoctorJson({{{"display", Check::State::kOk, "X11", ""},
                         {"bus", Check::State::kMissing, "none", "mend"}}}),
            R"({"schema":"tactus.doctor/1","ok":false,"checks":[)"
            R"({"name":"display","state":"ok","found":"X11","remedy":null},)"
            R"({"name":"bus","state":"missing","found":"none",)"
            R"("remedy":"mend"}]})"
            "\n");
}

}  // namespace
}  // namespace tactus::cli
