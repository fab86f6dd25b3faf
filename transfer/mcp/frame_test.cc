#include "transfer/mcp/frame.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

std::string Frame(FrameKind kind, const std::string& payload) {
  return absl::StrCat(FrameHead(kind, payload.size()), payload);
}

// What is read of `bytes`, given `chunk` at a time: "o:abc" and so on, pieces
// of output that follow each other joined; then the status where it is none.
std::string Read(absl::string_view bytes, size_t chunk, bool* between) {
  FrameReader reader;
  std::string all;
  char last = '\0';
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    const absl::Status status = reader.Feed(
        bytes.substr(at, chunk), [&](FrameKind kind, absl::string_view piece) {
          const char name = static_cast<char>(kind);
          if (name != 'o' || last != 'o') {
            absl::StrAppend(&all, all.empty() ? "" : " ", std::string(1, name),
                            ":");
          }
          absl::StrAppend(&all, piece);
          last = name;
        });
    if (!status.ok()) {
      return absl::StrCat(all, " ", absl::StatusCodeToString(status.code()));
    }
  }
  *between = reader.between_frames();
  return all;
}

TEST(Frame, IsReadHoweverItIsCut) {
  const std::string bytes = absl::StrCat(
      Frame(FrameKind::kOutput, "ab\n"), Frame(FrameKind::kErrors, "why"),
      Frame(FrameKind::kPulse, "."), Frame(FrameKind::kOutput, "c"),
      Frame(FrameKind::kEnd, EncodeEndNote({EndNote::Kind::kKilled, 9})));
  for (size_t chunk = 1; chunk <= bytes.size(); ++chunk) {
    bool between = false;
    EXPECT_EQ(Read(bytes, chunk, &between), "o:ab\n e:why p:. o:c x:s\t");
    EXPECT_TRUE(between);
    EXPECT_EQ(Read(bytes.substr(0, bytes.size() - 1), chunk, &between),
              "o:ab\n e:why p:. o:c");
    EXPECT_FALSE(between);
  }
}

TEST(Frame, WhatIsNoFrameIsDataLoss) {
  bool between = false;
  for (const std::string& bytes :
       {Frame(static_cast<FrameKind>('z'), "a"),
        FrameHead(FrameKind::kOutput, 0),
        FrameHead(FrameKind::kErrors, kLongestFrame + 1),
        FrameHead(FrameKind::kOutput, 0xFFFFFFFF)}) {
    EXPECT_EQ(Read(bytes, bytes.size(), &between), " DATA_LOSS");
  }
  EXPECT_EQ(Read(absl::StrCat(Frame(FrameKind::kEnd, "cx"),
                              Frame(FrameKind::kOutput, "a")),
                 100, &between),
            "x:cx DATA_LOSS");
}

TEST(EndNote, IsReadAsItWasWritten) {
  for (const EndNote& note :
       {EndNote{EndNote::Kind::kExited, 255},
        {EndNote::Kind::kKilled, 9},
        {EndNote::Kind::kNotStarted, 0, "there is no program"}}) {
    EXPECT_EQ(DecodeEndNote(EncodeEndNote(note)), note);
  }
  EXPECT_EQ(
      EncodeEndNote({EndNote::Kind::kNotStarted, 0, std::string(1000, 'a')})
          .size(),
      2 + kLongestWhy);
  for (const std::string& bad :
       {std::string(), std::string("c"), std::string("cxy"), std::string("zx"),
        std::string("nx"), std::string(2 + kLongestWhy + 1, 'n')}) {
    EXPECT_EQ(DecodeEndNote(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace tactus::transfer
