#include "tools/mcp/permitted_backend.h"

#include <sys/stat.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tools/audit/audit.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/backend.h"

namespace tactus::mcp {
namespace {

using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Code;
using Lines = std::vector<std::string>;

Answer Result(const std::string& json) {
  Answer answer;
  answer.result = std::make_shared<const value>(boost::json::parse(json));
  return answer;
}
Answer Refusal(Code code) {
  Answer answer;
  answer.error =
      control::Error{code, "because", absl::PermissionDeniedError("because")};
  return answer;
}

// What is called, in order, and with which token.
class FakeBackend : public Backend {
 public:
  explicit FakeBackend(Lines* called) : called_(*called) {}

  absl::StatusOr<Answer> Call(absl::string_view method,
                              absl::string_view params,
                              absl::Duration) override {
    const object given =
        boost::json::parse({params.data(), params.size()}).as_object();
    std::string line(method);
    for (const char* name : {"snapshot", "max_text"}) {
      if (const value* held = given.if_contains(name)) {
        absl::StrAppend(&line, " ", name, "=", boost::json::serialize(*held));
      }
    }
    called_.push_back(line);
    return answers[std::string(method)];
  }
  absl::StatusOr<std::string> Applications(absl::Duration) override {
    called_.push_back("applications");
    return "{}";
  }

  std::map<std::string, absl::StatusOr<Answer>> answers = {
      {"text.snapshot", Result(R"({"snapshot":{"token":"T1","value":"x"}})")},
      {"text.insert", Result(R"({"edit":{"outcome":"verified"}})")},
      {"text.replace", Result(R"({"edit":{"outcome":"diverged"}})")},
      {"text.undo", Result(R"({"edit":{"outcome":"verified"}})")},
      {"text.fields", Result(R"({"fields":[]})")},
      {"text.focus", Result(R"({"outcome":"failed"})")},
  };

 private:
  Lines& called_;
};

class PermittedBackendTest : public testing::Test {
 protected:
  PermittedBackendTest()
      : folder_(absl::StrCat(
            testing::TempDir(), "/",
            testing::UnitTest::GetInstance()->current_test_info()->name())),
        audit_(folder_),
        fake_(&called_),
        backend_(
            &fake_,
            {.peer = "laptop",
             .server = "focused-text",
             .permit =
                 [this](const std::string& params) { return Permit(params); },
             .audit = &audit_,
             .now =
                 [this] {
                   return absl::UnixEpoch() + absl::Milliseconds(++moment_);
                 }}) {
    mkdir(folder_.c_str(), 0700);
  }

  absl::StatusOr<Answer> Permit(const std::string& params) {
    const object given = boost::json::parse(params).as_object();
    EXPECT_EQ(given.at("peer"), value("laptop"));
    EXPECT_EQ(given.at("server"), value("focused-text"));
    const bool ask = given.at("ask").as_bool();
    const bool again = given.at("again").as_bool();
    const bool writes = given.at("writes").as_bool();
    called_.push_back(absl::StrCat(ask ? "ask " : "may ",
                                   given.at("tool").as_string().c_str(),
                                   writes ? " writes" : ""));
    if (ask ? !person_says_yes_ : !granted_) return Refusal(Code::kNotDone);
    return Result(asks_ && (writes || !again) ? R"({"asks":true})"
                                              : R"({"asks":false})");
  }

  absl::StatusOr<Answer> Call(absl::string_view method,
                              absl::string_view params = "{}") {
    return backend_.Call(method, params, absl::Seconds(1));
  }
  // "tool outcome" of each line that was kept.
  Lines Kept() {
    Lines kept;
    for (absl::string_view line :
         absl::StrSplit(audit_.Read().value(), '\n', absl::SkipEmpty())) {
      const object one =
          boost::json::parse({line.data(), line.size()}).as_object();
      EXPECT_EQ(one.size(), 5u);
      EXPECT_EQ(one.at("peer"), value("laptop"));
      kept.push_back(absl::StrCat(one.at("tool").as_string().c_str(), " ",
                                  one.at("outcome").as_string().c_str()));
    }
    return kept;
  }

  // How many lines are kept of edits apart from the rest.
  ptrdiff_t EditsKept() const {
    std::ifstream file(absl::StrCat(folder_, "/", audit::Audit::kEditsFile));
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }

  const std::string folder_;
  const audit::Audit audit_;
  int moment_ = 0;  // a later one for each line
  Lines called_;
  bool granted_ = true;
  bool asks_ = false;
  bool person_says_yes_ = true;
  FakeBackend fake_;
  PermittedBackend backend_;
};

TEST_F(PermittedBackendTest, WhatIsGrantedIsDoneAndKept) {
  EXPECT_TRUE(Call("text.snapshot").value().result != nullptr);
  EXPECT_TRUE(Call("text.insert").value().result != nullptr);
  EXPECT_TRUE(Call("text.replace").value().result != nullptr);
  EXPECT_TRUE(Call("text.undo").value().result != nullptr);
  EXPECT_TRUE(backend_.Applications(absl::Seconds(1)).ok());
  EXPECT_EQ(called_, (Lines{"may read_focused_text", "text.snapshot",
                            "may insert_text writes", "text.insert",
                            "may replace_text writes", "text.replace",
                            "may undo_edit writes", "text.undo",
                            "may list_applications", "applications"}));
  EXPECT_EQ(Kept(), (Lines{"read_focused_text read", "insert_text begun",
                           "insert_text verified", "replace_text begun",
                           "replace_text diverged", "undo_edit begun",
                           "undo_edit verified", "list_applications read"}));
  // Each begun and ended.
  EXPECT_EQ(EditsKept(), 6);
}

TEST_F(PermittedBackendTest, ListOfFieldsIsAReadingAndTheFocusAnEdit) {
  asks_ = true;
  EXPECT_TRUE(Call("text.fields").value().result != nullptr);
  EXPECT_TRUE(Call("text.focus").value().result != nullptr);
  // It is tied to what it names, so nothing is read for it.
  EXPECT_EQ(called_, (Lines{"may list_text_fields", "ask list_text_fields",
                            "text.fields", "may focus_text_field writes",
                            "ask focus_text_field writes", "text.focus"}));
  EXPECT_EQ(Kept(), (Lines{"list_text_fields read", "focus_text_field begun",
                           "focus_text_field failed"}));
}

TEST_F(PermittedBackendTest, WhatIsNotGrantedIsRefusedBeforeAnythingIsDone) {
  granted_ = false;
  for (const char* method :
       {"text.snapshot", "text.insert", "text.replace", "text.undo"}) {
    const absl::StatusOr<Answer> answer = Call(method);
    ASSERT_TRUE(answer.ok() && answer->error.has_value()) << method;
    EXPECT_EQ(answer->error->code, Code::kNotDone);
  }
  EXPECT_EQ(backend_.Applications(absl::Seconds(1)).status().code(),
            absl::StatusCode::kPermissionDenied);
  for (const std::string& call : called_) {
    EXPECT_TRUE(absl::StartsWith(call, "may ")) << call;
  }
  EXPECT_EQ(Kept(), (Lines{"read_focused_text refused", "insert_text refused",
                           "replace_text refused", "undo_edit refused",
                           "list_applications refused"}));
  EXPECT_EQ(EditsKept(), 0);
}

TEST_F(PermittedBackendTest, EditIsTiedToWhatWasThereBeforeThePersonWasAsked) {
  asks_ = true;
  EXPECT_TRUE(Call("text.insert", R"({"max_text":9})").value().result !=
              nullptr);
  // The reading that it is tied to is not told to anybody, and so not kept.
  EXPECT_EQ(called_,
            (Lines{"may insert_text writes", "text.snapshot max_text=9",
                   "ask insert_text writes",
                   R"(text.insert snapshot="T1" max_text=9)"}));
  EXPECT_EQ(Kept(), (Lines{"insert_text begun", "insert_text verified"}));
  called_.clear();
  // The agent's own token holds: it is older still.
  Call("text.replace", R"({"snapshot":"T0"})").IgnoreError();
  EXPECT_EQ(called_,
            (Lines{"may replace_text writes", "ask replace_text writes",
                   R"(text.replace snapshot="T0")"}));
}

TEST_F(PermittedBackendTest, WhereNothingHasTheFocusNobodyIsAsked) {
  asks_ = true;
  fake_.answers["text.snapshot"] = Result(R"({"snapshot":{"token":null}})");
  const absl::StatusOr<Answer> answer = Call("text.insert");
  ASSERT_TRUE(answer.ok() && answer->error.has_value());
  EXPECT_EQ(answer->error->code, Code::kNotRead);
  EXPECT_EQ(called_, (Lines{"may insert_text writes", "text.snapshot"}));
  EXPECT_EQ(Kept(), Lines{"insert_text refused"});
}

TEST_F(PermittedBackendTest, PersonIsAskedOnceForReadingAndForEachEdit) {
  asks_ = true;
  for (int i = 0; i < 2; ++i) {
    Call("text.snapshot").IgnoreError();
    Call("text.undo").IgnoreError();
  }
  EXPECT_EQ(
      called_,
      (Lines{"may read_focused_text", "ask read_focused_text", "text.snapshot",
             "may undo_edit writes", "ask undo_edit writes", "text.undo",
             "may read_focused_text", "text.snapshot", "may undo_edit writes",
             "ask undo_edit writes", "text.undo"}));
}

TEST_F(PermittedBackendTest, SilenceAndRefusalDoNothing) {
  asks_ = true;
  person_says_yes_ = false;
  EXPECT_TRUE(Call("text.snapshot").value().error.has_value());
  EXPECT_TRUE(Call("text.undo").value().error.has_value());
  EXPECT_EQ(called_, (Lines{"may read_focused_text", "ask read_focused_text",
                            "may undo_edit writes", "ask undo_edit writes"}));
  EXPECT_EQ(Kept(), (Lines{"read_focused_text refused", "undo_edit refused"}));
}

TEST_F(PermittedBackendTest, NothingIsDoneWhereItCannotBeKept) {
  const audit::Audit nowhere("/nowhere");
  PermittedBackend backend(
      &fake_,
      {.peer = "laptop",
       .server = "focused-text",
       .permit = [this](const std::string& params) { return Permit(params); },
       .audit = &nowhere,
       .now = [] { return absl::UnixEpoch(); }});
  EXPECT_TRUE(backend.Call("text.insert", "{}", absl::Seconds(1))
                  .value()
                  .error.has_value());
  EXPECT_EQ(called_, Lines{"may insert_text writes"});
  // What was read is not told.
  EXPECT_TRUE(backend.Call("text.snapshot", "{}", absl::Seconds(1))
                  .value()
                  .error.has_value());
}

TEST_F(PermittedBackendTest, HowAnEditEndedIsNotKnownWithoutAnAnswer) {
  fake_.answers["text.insert"] = absl::UnavailableError("the daemon has gone");
  EXPECT_FALSE(Call("text.insert").ok());
  EXPECT_EQ(Kept(), (Lines{"insert_text begun", "insert_text unknown"}));
}

}  // namespace
}  // namespace tactus::mcp
