#include "tools/tactus/human.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"
#include "tools/tactus/sample_snapshot.h"

namespace tactus::cli {
namespace {

std::string Text(const ax::Snapshot& snapshot) {
  return SnapshotForPeople(snapshot, absl::Microseconds(1500));
}

TEST(SnapshotForPeopleTest, WholeSnapshotIsExactlyThis) {
  const ax::Snapshot snapshot = SampleSnapshot();
  EXPECT_EQ(Text(snapshot),
            absl::StrCat("application  editor, process 812, gtk 3.24.38\n"
                         "found by     system-wide\n"
                         "element      :1.7/org/a11y/atspi/accessible/3\n"
                         "role         text-area (text)\n"
                         "editing      range-edit: through accessibility\n"
                         "text         héllo שלום\n"
                         "characters   10, all read\n"
                         "caret        5\n"
                         "selected     1 to 5: éllo\n"
                         "read in      1.9 ms, after 1.5 ms to connect: 4 "
                         "flights, 17 calls\n"
                         "token        ",
                         snapshot.token(), "\n"));
}

TEST(SnapshotForPeopleTest, SecureFieldSaysWhyItWasNotRead) {
  const std::string text = Text(SecureSnapshot());
  EXPECT_TRUE(
      absl::StrContains(text, "text         not read: the field is secure\n"));
  EXPECT_TRUE(absl::StrContains(text, "refused-secure"));
  EXPECT_FALSE(absl::StrContains(text, "caret"));
}

TEST(SnapshotForPeopleTest, WindowOfALongTextIsToldWithItsOffsets) {
  ax::Snapshot snapshot = SampleSnapshot();
  snapshot.whole = false;
  snapshot.character_count = 5000;
  snapshot.window = {100, 110};
  EXPECT_TRUE(absl::StrContains(Text(snapshot),
                                "characters   5000, read from 100 to 110\n"));
}

TEST(SnapshotForPeopleTest, NothingFromAnApplicationIsRaw) {
  const std::string evil = "\x1b[2J\nforged: line\u202e\xff";
  ax::Snapshot snapshot = SampleSnapshot();
  snapshot.application = {evil, evil, 1, evil, evil};
  snapshot.element = {evil, evil};
  snapshot.role->native = evil;
  snapshot.value = evil;
  snapshot.selected_text = evil;
  snapshot.system_wide = absl::NotFoundError(evil);
  snapshot.notes = {evil};
  ax::Snapshot failed = snapshot;
  failed.role = absl::UnknownError(evil);
  failed.value = absl::UnknownError(evil);
  failed.caret = absl::UnknownError(evil);
  failed.selection = absl::UnknownError(evil);
  Apps apps;
  apps.apps.push_back(
      {snapshot.application, evil, true, true, true, evil, evil});
  apps.apps.push_back(
      {{evil, "", 2, "", ""}, evil, false, false, false, "", ""});
  apps.unknown.push_back({{3, evil, true}, evil});
  apps.focus = absl::NotFoundError(evil);
  apps.windows = absl::NotFoundError(evil);
  const Check check = {"name", Check::State::kMissing, evil, evil};
  for (const std::string& text :
       {Text(snapshot), Text(failed), AppsForPeople(apps),
        DoctorForPeople({{check}})}) {
    EXPECT_FALSE(absl::StrContains(text, "\x1b")) << text;
    EXPECT_FALSE(absl::StrContains(text, "\u202e")) << text;
    EXPECT_FALSE(absl::StrContains(text, "\xff")) << text;
    EXPECT_FALSE(absl::StrContains(text, "\nforged")) << text;
    EXPECT_TRUE(absl::StrContains(text, "\\x1b[2J\\nforged")) << text;
  }
}

ax::EditResult SampleEdit(ax::Outcome outcome) {
  ax::EditResult result;
  result.outcome = outcome;
  result.application = {":1.7", "editor", 812, "gtk", "3.24.38"};
  result.element = {":1.7", "/org/a11y/atspi/accessible/3"};
  result.rung = ax::Rung::kRange;
  result.replaced = {1, 3};
  result.written = {1, 4};
  result.before = "abcd";
  result.expected = "axyzd";
  result.after = "aXYZd";
  result.elapsed = absl::Microseconds(6250);
  return result;
}

TEST(EditForPeopleTest, VerifiedEditIsExactlyThis) {
  EXPECT_EQ(EditForPeople(SampleEdit(ax::Outcome::kVerified)),
            "outcome      verified\n"
            "application  editor\n"
            "by           range\n"
            "replaced     1:3\n"
            "written      1:4\n"
            "took         6.2 ms\n");
}

TEST(EditForPeopleTest, DivergedEditShowsBothTexts) {
  ax::EditResult result = SampleEdit(ax::Outcome::kDiverged);
  result.reason = ax::Reason::kOther;
  result.rung = ax::Rung::kPaste;
  EXPECT_EQ(EditForPeople(result),
            "outcome      diverged\n"
            "reason       other\n"
            "application  editor\n"
            "by           paste\n"
            "before       \"abcd\"\n"
            "now          \"aXYZd\"\n"
            "took         6.2 ms\n");
}

TEST(EditForPeopleTest, RefusalWithoutAFieldNamesNone) {
  ax::EditResult result;
  result.reason = ax::Reason::kNoFocus;
  EXPECT_EQ(EditForPeople(result),
            "outcome      refused\n"
            "reason       no-focus\n"
            "took         0.0 ms\n");
}

TEST(EditForPeopleTest, TextIsShownOnlyWhereItTellsWhatWentWrong) {
  for (const ax::Outcome outcome :
       {ax::Outcome::kVerified, ax::Outcome::kRefused, ax::Outcome::kFailed,
        ax::Outcome::kUnknown}) {
    const std::string text = EditForPeople(SampleEdit(outcome));
    EXPECT_FALSE(absl::StrContains(text, "abcd")) << text;
    EXPECT_FALSE(absl::StrContains(text, "axyzd")) << text;
    EXPECT_FALSE(absl::StrContains(text, "aXYZd")) << text;
  }
}

TEST(EditForPeopleTest, NothingFromAnApplicationIsRaw) {
  const std::string evil = "\x1b[2J\nforged: line\u202e\xff";
  ax::EditResult result = SampleEdit(ax::Outcome::kDiverged);
  result.application = {evil, evil, 1, evil, evil};
  result.element = {evil, evil};
  result.message = evil;
  result.attempts = {
      {ax::Rung::kRange, ax::Outcome::kFailed, ax::Reason::kRejected, evil}};
  result.before = evil;
  result.expected = evil;
  result.after = evil;
  EXPECT_EQ(EditForPeople(result),
            "outcome      diverged\n"
            "application  \\x1b[2J\\nforged: line\\u{202e}\\xff\n"
            "by           range\n"
            "before       \"\\x1b[2J\\nforged: line\\u{202e}\\xff\"\n"
            "now          \"\\x1b[2J\\nforged: line\\u{202e}\\xff\"\n"
            "took         6.2 ms\n");
}

TEST(AppsForPeopleTest, EachIsToldWithWhatWorksThere) {
  Apps apps;
  apps.apps.push_back({{":1.7", "editor", 812, "gtk", "3.24.38"},
                       "edit-bin",
                       true,
                       true,
                       true,
                       "text",
                       "by paste"});
  apps.apps.push_back(
      {{":1.9", "", 900, "", ""}, "stuck", false, false, false, "", ""});
  apps.unknown.push_back({{77, "a title", false}, "xterm"});
  EXPECT_EQ(AppsForPeople(apps),
            "* editor, process 812 (edit-bin), gtk 3.24.38, over a socket of "
            "its own\n"
            "      reading: text\n"
            "      editing: by paste\n"
            "  without a name, process 900 (stuck): DOES NOT ANSWER; nothing "
            "of it can be read\n"
            "  xterm, process 77, \"a title\": accessibility does not know it; "
            "nothing of it can be read\n"
            "* has the keyboard\n");
}

TEST(DoctorForPeopleTest, RemedyFollowsWhatIsMissing) {
  EXPECT_EQ(DoctorForPeople({{{"display", Check::State::kOk, "X11", ""},
                              {"accessibility switch", Check::State::kMissing,
                               "it is off", "switch it on"}}}),
            "ok       display                X11\n"
            "missing  accessibility switch   it is off\n"
            "         mend it: switch it on\n");
}

}  // namespace
}  // namespace tactus::cli
