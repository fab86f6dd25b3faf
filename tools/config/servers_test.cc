#include "tools/config/servers.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::config {
namespace {

std::string Folder() {
  return absl::StrCat(
      testing::TempDir(), "/",
      testing::UnitTest::GetInstance()->current_test_info()->name());
}

TEST(Servers, WhatIsSavedIsReadAgainAndIsForItsOwnerAlone) {
  const std::string path = absl::StrCat(Folder(), "/made/servers.json");
  ASSERT_EQ(LoadServers(path).value(), ExposedServers());
  const ExposedServers servers = {
      {"notes", {.command = {"/bin/a", "--b", "ü\"\n"}}},
      {"focused-text", {.command = {"/bin/tactus"}, .focused_text = true}}};
  ASSERT_EQ(SaveServers(path, servers), absl::OkStatus());
  EXPECT_EQ(LoadServers(path).value(), servers);
  struct stat found;
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600u);
  // In place of what is there.
  ASSERT_EQ(SaveServers(path, {}), absl::OkStatus());
  EXPECT_EQ(LoadServers(path).value(), ExposedServers());
}

TEST(Servers, FileThatOthersCanWriteToIsRefusedWithWhatToDo) {
  const std::string path = absl::StrCat(testing::TempDir(), "/open.json");
  std::ofstream(path) << R"({"servers":{}})";
  ASSERT_EQ(chmod(path.c_str(), 0620), 0);
  const absl::Status refused = LoadServers(path).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(refused.message(), "chmod it to 600"));
}

TEST(Servers, WhatIsNotUnderstoodIsRefusedAndNamed) {
  for (const char* text : {
           "",
           "[]",
           "{}",
           R"({"servers":[]})",
           R"({"servers":{},"more":1})",
           R"({"servers":{"a":{}}})",
           R"({"servers":{"a":{"command":[]}}})",
           R"({"servers":{"a":{"command":["relative"]}}})",
           R"({"servers":{"a":{"command":["/x",1]}}})",
           R"({"servers":{"a":{"command":["/x"],"to":["b"]}}})",
           R"({"servers":{"-a":{"command":["/x"]}}})",
           R"({"servers":{"a b":{"command":["/x"]}}})",
           R"({"servers":{"":{"command":["/x"]}}})",
           R"({"servers":{"a":{"command":["/x\u0000y"]}}})",
           R"({"servers":{"a":{"command":["/x","y"],"focused_text":true}}})",
       }) {
    const absl::Status refused = ParseServers(text, "/etc/s.json").status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << text;
    EXPECT_TRUE(absl::StartsWith(refused.message(), "/etc/s.json: ")) << text;
  }
}

TEST(Servers, MoreThanCanBeGrantedAreNotKept) {
  ExposedServers servers;
  for (size_t i = 0; i < kMostServers; ++i) {
    servers[absl::StrCat("s", i)] = {.command = {"/x"}};
  }
  const std::string path = absl::StrCat(Folder(), ".json");
  EXPECT_EQ(SaveServers(path, servers), absl::OkStatus());
  servers["more"] = {.command = {"/x"}};
  EXPECT_EQ(SaveServers(path, servers).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Servers, GrantIsFoundByTheNamesThatStandForItAndNoOthers) {
  for (const bool ask : {true, false}) {
    for (const bool write : {true, false}) {
      const ServerGrant grant{.ask = ask, .write = write};
      const std::vector<std::string> names = NamesOfGrant(grant, "notes");
      const std::set<std::string> granted(names.begin(), names.end());
      EXPECT_EQ(GrantIn(granted, "notes"), grant);
      EXPECT_EQ(GrantIn(granted, "note"), std::nullopt);
      EXPECT_EQ(GrantIn(granted, "notes2"), std::nullopt);
      for (const std::string& name : names) {
        const std::vector<std::string> all = AllNamesOfGrants("notes");
        EXPECT_EQ(std::count(all.begin(), all.end(), name), 1);
      }
    }
  }
  EXPECT_EQ(GrantIn({}, "notes"), std::nullopt);
  // Writing alone is no grant, and of two the one that asks counts.
  EXPECT_EQ(GrantIn({"mcp.write:notes"}, "notes"), std::nullopt);
  EXPECT_EQ(GrantIn({"mcp.allow:notes", "mcp.ask:notes"}, "notes"),
            (ServerGrant{.ask = true}));
}

}  // namespace
}  // namespace tactus::config
