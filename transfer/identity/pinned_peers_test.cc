#include "transfer/identity/pinned_peers.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/private_folder.h"

namespace tactus::transfer {
namespace {

KeyDigest Key(uint8_t seed) { return KeyDigest::OfPublicKey({&seed, 1}); }

class PinnedPeersTest : public testing::Test {
 protected:
  PinnedPeersTest() : folder_(*PrivateFolder::Open(NewPath())) {
    peers_ = *PinnedPeers::Open(folder_);
  }

  static std::string NewPath() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/peers.XXXXXX");
    return absl::StrCat(mkdtemp(pattern.data()), "/state");
  }

  std::string File() { return *folder_.Read(PinnedPeers::kFileName, 1 << 20); }

  PrivateFolder folder_;
  std::unique_ptr<PinnedPeers> peers_;
};

TEST_F(PinnedPeersTest, WhatIsAddedIsThereAfterTheNextStart) {
  ASSERT_TRUE(peers_
                  ->Add({.name = "laptop",
                         .key = Key(1),
                         .addresses = {"10.0.0.2:7411", "[fe80::1]:7411"},
                         .granted = {"mcp:echo", "files"}})
                  .ok());
  ASSERT_TRUE(peers_->Add({.name = "desk", .key = Key(2)}).ok());
  const std::unique_ptr<PinnedPeers> again = *PinnedPeers::Open(folder_);
  const std::vector<PinnedPeer> list = again->List();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].name, "desk");
  EXPECT_TRUE(list[0].granted.empty());
  EXPECT_EQ(list[1].name, "laptop");
  EXPECT_EQ(list[1].key, Key(1));
  EXPECT_EQ(list[1].addresses[1], "[fe80::1]:7411");
  EXPECT_EQ(list[1].granted.count("mcp:echo"), 1u);
}

TEST_F(PinnedPeersTest, IsFoundByNameIdAndKeyAndNothingElse) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  const DeviceId id(Key(1));
  EXPECT_EQ(peers_->FindByKey(Key(1))->name, "laptop");
  EXPECT_EQ(peers_->FindById(id)->name, "laptop");
  EXPECT_EQ(peers_->Find("laptop")->id(), id);
  EXPECT_EQ(peers_->Find(id.text())->id(), id);
  EXPECT_FALSE(peers_->FindByKey(Key(2)).has_value());
  EXPECT_FALSE(peers_->FindById(DeviceId(Key(2))).has_value());
  const absl::Status missing = peers_->Find("Laptop").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(missing.message(), "there is laptop"));
}

TEST_F(PinnedPeersTest, AChangedKeyForANameIsRefusedWithWhatToDo) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  const absl::Status changed = peers_->Add({.name = "laptop", .key = Key(2)});
  EXPECT_EQ(changed.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(absl::StrContains(changed.message(), "tactus forget laptop"));
  EXPECT_TRUE(absl::StrContains(changed.message(), DeviceId(Key(2)).text()));
  EXPECT_EQ(peers_->Find("laptop")->key, Key(1));
  EXPECT_EQ(peers_->Add({.name = "other", .key = Key(1)}).code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(peers_->List().size(), 1u);
}

TEST_F(PinnedPeersTest, APinIsTheKeyAndNothingLess) {
  const PinnedPeer laptop = {.name = "laptop", .key = Key(1)};
  EXPECT_TRUE(CheckPin(laptop, Key(1)).ok());
  const absl::Status changed = CheckPin(laptop, Key(2));
  EXPECT_EQ(changed.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(changed.message(), DeviceId(Key(1)).text()));
  EXPECT_TRUE(absl::StrContains(changed.message(), DeviceId(Key(2)).text()));
  EXPECT_TRUE(absl::StrContains(changed.message(), "tactus forget laptop"));
  // Alike in the 115 bits that people see, and still another key.
  std::array<uint8_t, 32> twin = Key(1).bytes();
  twin[31] ^= 1;
  EXPECT_EQ(DeviceId(KeyDigest(twin)), laptop.id());
  EXPECT_FALSE(CheckPin(laptop, KeyDigest(twin)).ok());
}

TEST_F(PinnedPeersTest, NothingIsGrantedUntilItIsAndNotAfterItIsTaken) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  const DeviceId id(Key(1));
  EXPECT_TRUE(peers_->FindById(id)->granted.empty());
  EXPECT_TRUE(peers_->Grant(id, "files", true).ok());
  EXPECT_EQ(peers_->FindById(id)->granted.count("files"), 1u);
  EXPECT_TRUE(peers_->Grant(id, "files", false).ok());
  EXPECT_TRUE(peers_->FindById(id)->granted.empty());
  EXPECT_FALSE(peers_->Grant(id, "with\nnewline", true).ok());
  EXPECT_EQ(peers_->Grant(DeviceId(Key(2)), "files", true).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(PinnedPeersTest, AKeyThatDiffersInOneByteIsAnother) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  for (size_t i = 0; i < 32; ++i) {
    std::array<uint8_t, 32> bytes = Key(1).bytes();
    bytes[i] ^= 1;
    EXPECT_FALSE(peers_->FindByKey(KeyDigest(bytes)).has_value()) << i;
  }
}

TEST_F(PinnedPeersTest, AForgottenPeerIsGoneFromTheFileToo) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  EXPECT_TRUE(peers_->Remove(DeviceId(Key(1))).ok());
  EXPECT_FALSE(peers_->FindByKey(Key(1)).has_value());
  EXPECT_FALSE(absl::StrContains(File(), Key(1).Hex()));
  EXPECT_EQ(peers_->Remove(DeviceId(Key(1))).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(PinnedPeersTest, ChangesOfAnotherProcessAreKept) {
  const std::unique_ptr<PinnedPeers> other = *PinnedPeers::Open(folder_);
  ASSERT_TRUE(peers_->Add({.name = "a", .key = Key(1)}).ok());
  ASSERT_TRUE(other->Add({.name = "b", .key = Key(2)}).ok());
  EXPECT_EQ(other->List().size(), 2u);
  EXPECT_EQ(peers_->List().size(), 1u);
  EXPECT_TRUE(peers_->Reload().ok());
  EXPECT_EQ(peers_->List().size(), 2u);
}

TEST_F(PinnedPeersTest, ChangesFromManyThreadsAreAllKept) {
  std::vector<std::thread> threads;
  for (uint8_t i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      EXPECT_TRUE(
          peers_->Add({.name = absl::StrCat("p", i), .key = Key(i)}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(peers_->List().size(), 8u);
}

TEST_F(PinnedPeersTest, BadNamesAddressesAndTooManyAreRefused) {
  for (const char* name : {"", "-x", "a b", "a/b", "a\x1b[2J", "ä"}) {
    EXPECT_EQ(peers_->Add({.name = name, .key = Key(1)}).code(),
              absl::StatusCode::kInvalidArgument)
        << name;
  }
  EXPECT_FALSE(peers_->Add({.name = std::string(65, 'a'), .key = Key(1)}).ok());
  EXPECT_FALSE(
      peers_->Add({.name = DeviceId(Key(3)).text(), .key = Key(1)}).ok());
  EXPECT_FALSE(
      peers_->Add({.name = "a", .key = Key(1), .addresses = {"a b:1"}}).ok());
  EXPECT_FALSE(peers_
                   ->Add({.name = "a",
                          .key = Key(1),
                          .addresses = std::vector<std::string>(9, "a:1")})
                   .ok());
  EXPECT_TRUE(peers_->List().empty());
  EXPECT_FALSE(folder_.Read(PinnedPeers::kFileName, 9).ok());
}

TEST_F(PinnedPeersTest, ADamagedFileIsRefusedAndLeftAlone) {
  ASSERT_TRUE(peers_->Add({.name = "laptop", .key = Key(1)}).ok());
  const std::string good = File();
  std::vector<std::string> damaged = {
      "",
      "[]",
      "{}",
      good + "x",
      absl::StrReplaceAll(good, {{"\"version\": 1", "\"version\": 2"}}),
      absl::StrReplaceAll(good, {{Key(1).Hex(), Key(2).Hex()}}),
      absl::StrReplaceAll(good, {{"laptop", "lap top"}}),
      absl::StrReplaceAll(good, {{"\"granted\":[]", "\"granted\":[1]"}}),
      absl::StrReplaceAll(good, {{"\"granted\":[]", "\"granted\":{}"}}),
      absl::StrReplaceAll(good, {{"\"granted\":[]", "\"more\":[]"}}),
  };
  // Each is written to the disk, which takes its time: not at every byte.
  for (size_t cut = 0; cut + 3 < good.size(); cut += 7) {
    damaged.push_back(good.substr(0, cut));
  }
  for (const std::string& text : damaged) {
    ASSERT_NE(text, good);
    ASSERT_TRUE(folder_.Replace(PinnedPeers::kFileName, text).ok());
    EXPECT_EQ(peers_->Reload().code(), absl::StatusCode::kDataLoss) << text;
    EXPECT_EQ(peers_->Add({.name = "b", .key = Key(2)}).code(),
              absl::StatusCode::kDataLoss);
    EXPECT_EQ(File(), text);
  }
  // What was known stays known.
  EXPECT_TRUE(peers_->FindByKey(Key(1)).has_value());
}

}  // namespace
}  // namespace tactus::transfer
