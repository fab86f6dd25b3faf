#include "tools/config/config.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::config {
namespace {

TEST(ConfigTest, DenialsAreRead) {
  const absl::StatusOr<Config> config =
      ParseConfig(R"({"applications": {"deny": ["KeePassXC", "gpg"]}})", "f");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->denied, (std::vector<std::string>{"KeePassXC", "gpg"}));
  EXPECT_EQ(config->path, "f");
}

TEST(ConfigTest, WhereToListenAndWhatPeersMayDoIsRead) {
  const absl::StatusOr<Config> config = ParseConfig(
      R"({"listen": ["127.0.0.1:0", "[::]:7411"],
          "peers": {"laptop": {"files": "accept", "folder": "/in"},
                    "phone": {"files": "refuse"}, "tv": {}}})",
      "f");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config->listen,
            (std::vector<std::string>{"127.0.0.1:0", "[::]:7411"}));
  using Files = PeerPolicy::Files;
  EXPECT_EQ(PolicyOf(*config, "laptop"),
            (PeerPolicy{.files = Files::kAccept, .folder = "/in"}));
  EXPECT_EQ(PolicyOf(*config, "phone"),
            (PeerPolicy{.files = Files::kRefuse, .folder = ""}));
  EXPECT_EQ(PolicyOf(*config, "tv"), PeerPolicy());
  EXPECT_EQ(PolicyOf(*config, "nobody"), PeerPolicy());
  EXPECT_EQ(PeerPolicy().files, Files::kAsk);
}

TEST(ConfigTest, AnEmptyListListensNowhereAndNoneIsTheDefault) {
  absl::StatusOr<Config> config = ParseConfig(R"({"listen": []})", "f");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(*config->listen, std::vector<std::string>());
  config = ParseConfig("{}", "f");
  ASSERT_TRUE(config.ok());
  EXPECT_FALSE(config->listen.has_value());
}

TEST(ConfigTest, EmptyObjectIsTheDefaults) {
  const absl::StatusOr<Config> config = ParseConfig(" {} \n", "f");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->denied, std::vector<std::string>());
}

TEST(ConfigTest, WhatIsWrongIsNamedWithItsLineAndTheRemedy) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\n \"aplications\": {}\n}",
       "f:2: the key \"aplications\" is not known: take it out, or write "
       "\"applications\", \"listen\" or \"peers\""},
      {"{\"applications\": {\n\"deny\": [\"applications\"],\n\n\"Deny\": []}}",
       "f:4: the key \"Deny\" is not known: take it out, or write \"deny\""},
      {"{\"applications\": 7}",
       "f:1: \"applications\" must be an object, as in {\"deny\": "
       "[\"KeePassXC\"]}"},
      {"{\"applications\":\n{\"deny\": \"a\"}}",
       "f:2: \"deny\" must be a list of names of applications, as `tactus "
       "apps` tells them"},
      {"{\"applications\": {\"deny\": [7]}}",
       "f:1: \"deny\" must be a list of names of applications, as `tactus "
       "apps` tells them"},
      {"{\"applications\": {\"deny\": [\"\"]}}",
       "f:1: \"deny\" must be a list of names of applications, as `tactus "
       "apps` tells them"},
      {R"({"listen": 7})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"listen": [7]})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"listen": ["7411"]})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"listen": ["[::]:"]})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"listen": ["a:65536"]})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"listen": [":7411"]})",
       "f:1: \"listen\" must be a list of at most 16 addresses with ports, as "
       "in [\"192.168.1.7:7411\", \"[::1]:7411\"]; [] listens nowhere"},
      {R"({"peers": []})",
       "f:1: \"peers\" must be an object, as in {\"laptop\": {\"files\": "
       "\"ask\"}}"},
      {R"({"peers": {"-x": {}}})",
       "f:1: \"-x\" is no name of a peer: `tactus status` tells those there "
       "are"},
      {"{\"peers\":\n{\"a\": 7}}",
       "f:2: \"a\" must be an object, as in {\"files\": \"accept\", "
       "\"folder\": \"/srv/inbox\"}"},
      {"{\"peers\": {\"b\": {},\n\"a\": {\"files\": \"yes\"}}}",
       "f:2: \"files\" must be \"ask\", \"accept\" or \"refuse\""},
      {R"({"peers": {"a": {"folder": "in"}}})",
       "f:1: \"folder\" must be an absolute path, as in \"/srv/inbox\""},
      {R"({"peers": {"a": {"file": "ask"}}})",
       "f:1: the key \"file\" is not known: take it out, or write \"files\" or "
       "\"folder\""},
      {R"({"peers": {"a": {"files": "accept"}}})",
       "f:1: \"files\": \"accept\" needs a \"folder\" for them, as in "
       "\"/srv/inbox\""},
      {"[]", "f:1: it must be a JSON object"},
      {"{} {}", "f:1: there is more after its end"},
      {"{", "f: it is no JSON: its end is missing"},
      {"", "f: it is no JSON: its end is missing"},
  };
  for (const auto& [text, message] : cases) {
    const absl::Status status = ParseConfig(text, "f").status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << text;
    EXPECT_EQ(status.message(), message) << text;
  }
  const std::string broken(
      ParseConfig("{\n\n  nonsense\n}", "f").status().message());
  EXPECT_EQ(broken.substr(0, 18), "f:3: it is no JSON");
}

class ConfigFileTest : public testing::Test {
 protected:
  ConfigFileTest() {
    char name[] = "/tmp/tactus_config.XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/config.json";
  }
  ~ConfigFileTest() override {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  void Write(const std::string& text, mode_t mode) {
    FILE* file = fopen(path_.c_str(), "w");
    ASSERT_NE(file, nullptr);
    fputs(text.c_str(), file);
    fclose(file);
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(ConfigFileTest, NoFileIsTheDefaults) {
  for (const std::string& path : {path_, std::string()}) {
    const absl::StatusOr<Config> config = LoadConfig(path);
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->path, "");
    EXPECT_EQ(config->denied, std::vector<std::string>());
  }
}

TEST_F(ConfigFileTest, FileIsRead) {
  Write(R"({"applications":{"deny":["a"]}})", 0644);
  const absl::StatusOr<Config> config = LoadConfig(path_);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->denied, std::vector<std::string>{"a"});
  EXPECT_EQ(config->path, path_);
}

TEST_F(ConfigFileTest, FileThatOthersCanWriteToIsRefused) {
  Write("{}", 0666);
  EXPECT_EQ(LoadConfig(path_).status(),
            absl::FailedPreconditionError(
                path_ + ": others can write to it, and so could take a denial "
                        "out: chmod it to 600, and own it"));
}

TEST_F(ConfigFileTest, FileThatIsTooLongIsRefused) {
  Write(std::string((1 << 20) + 1, ' '), 0600);
  EXPECT_TRUE(absl::IsFailedPrecondition(LoadConfig(path_).status()));
}

TEST_F(ConfigFileTest, WhatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(LoadConfig(path_).status(),
            absl::FailedPreconditionError(path_ + ": it is no file"));
}

TEST(ConfigPathTest, IsTheOneOfTheUser) {
  setenv("XDG_CONFIG_HOME", "/c", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(ConfigPath(), "/c/tactus/config.json");
  unsetenv("XDG_CONFIG_HOME");
  EXPECT_EQ(ConfigPath(), "/h/.config/tactus/config.json");
  unsetenv("HOME");
  EXPECT_EQ(ConfigPath(), "");
}

}  // namespace
}  // namespace tactus::config
