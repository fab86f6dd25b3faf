#include "tools/tactus/json.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
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
          R"("strategy":"range-edit","ambiguous":false,)"
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
          R"("strategy":"range-edit","ambiguous":false,"token":")",
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
