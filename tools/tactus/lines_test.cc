#include "tools/tactus/lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

class LinesTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(pipe(fds_), 0); }
  void TearDown() override {
    close(fds_[0]);
    End();
  }
  void Put(const std::string& text) {
    ASSERT_EQ(write(fds_[1], text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void End() {
    if (fds_[1] >= 0) close(fds_[1]);
    fds_[1] = -1;
  }
  // The next line; "<end>" when there is none.
  std::string Next(LineReader& lines) {
    absl::StatusOr<std::optional<std::string>> line = lines.Next();
    if (!line.ok()) return std::string(line.status().message());
    return line->value_or("<end>");
  }

  int fds_[2] = {-1, -1};
};

TEST_F(LinesTest, EachEndOfALineIsTakenOffAndTheLastNeedsNone) {
  LineReader lines(fds_[0]);
  Put("one\ntwo\r\n\nfour");
  End();
  EXPECT_EQ(Next(lines), "one");
  EXPECT_EQ(Next(lines), "two");
  EXPECT_EQ(Next(lines), "");
  EXPECT_EQ(Next(lines), "four");
  EXPECT_EQ(Next(lines), "<end>");
  EXPECT_EQ(Next(lines), "<end>");
}

TEST_F(LinesTest, LineThatIsThereIsSeenWithoutWaiting) {
  LineReader lines(fds_[0]);
  EXPECT_FALSE(lines.Waiting());
  Put("half");
  EXPECT_FALSE(lines.Waiting());
  Put(" a line\nnext");
  EXPECT_TRUE(lines.Waiting());
  EXPECT_EQ(Next(lines), "half a line");
  EXPECT_FALSE(lines.Waiting());
  End();
  EXPECT_TRUE(lines.Waiting());
  EXPECT_EQ(Next(lines), "next");
  EXPECT_FALSE(lines.Waiting());
}

TEST_F(LinesTest, LineThatIsTooLongIsNamedAndTheNextOneIsRead) {
  LineReader lines(fds_[0]);
  std::thread writer([this] {
    const std::string text(3 * LineReader::kMostLine, 'x');
    size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t n = write(fds_[1], text.data() + sent, text.size() - sent);
      if (n <= 0) return;
      sent += static_cast<size_t>(n);
    }
    EXPECT_EQ(write(fds_[1], "\nafter\n", 7), 7);
    End();
  });
  EXPECT_EQ(Next(lines), "a line is longer than 1048576 bytes: it is left out");
  EXPECT_EQ(Next(lines), "after");
  EXPECT_EQ(Next(lines), "<end>");
  writer.join();
}

TEST_F(LinesTest, StopEndsTheInput) {
  int stop[2];
  ASSERT_EQ(pipe(stop), 0);
  LineReader lines(fds_[0], stop[0]);
  Put("one\n");
  EXPECT_EQ(Next(lines), "one");
  EXPECT_FALSE(lines.Stopped());
  ASSERT_EQ(write(stop[1], "x", 1), 1);
  EXPECT_TRUE(lines.Stopped());
  EXPECT_EQ(Next(lines), "<end>");
  EXPECT_TRUE(lines.Stopped());
  EXPECT_FALSE(LineReader(fds_[0]).Stopped());
  close(stop[0]);
  close(stop[1]);
}

TEST_F(LinesTest, WhatCannotBeReadIsAnError) {
  LineReader folder(open("/", O_RDONLY));
  EXPECT_EQ(Next(folder), "standard input could not be read");
}

}  // namespace
}  // namespace tactus::cli
