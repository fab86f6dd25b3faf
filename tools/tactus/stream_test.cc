#include "tools/tactus/stream.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/stream.h"
#include "ax/mock/code_points.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json.h"
#include "tools/tactus/lines.h"

namespace tactus::cli {
namespace {

class StreamCommandTest : public testing::Test {
 protected:
  StreamCommandTest()
      : world_(ax::mock::EditorDesktop("")),
        server_(&world_, &clock_),
        editor_(&server_, nullptr),
        stream_(&editor_, {}) {}

  // Everything is there before the first line is read.
  ExitCode Run(const std::string& input, int stop_fd = -1) {
    int fds[2];
    EXPECT_EQ(pipe(fds), 0);
    EXPECT_EQ(write(fds[1], input.data(), input.size()),
              static_cast<ssize_t>(input.size()));
    close(fds[1]);
    LineReader lines(fds[0], stop_fd);
    LocalStream target(&stream_, [this] {
      return ax::EditOptions{.deadline = clock_.Now() + absl::Seconds(5)};
    });
    const ExitCode code = RunStream(target, lines, clock_, absl::Seconds(3),
                                    [this](const std::string& line) {
                                      answers_.push_back(line);
                                      return report_;
                                    });
    close(fds[0]);
    return code;
  }
  // "final verified", of each answer.
  std::vector<std::string> Answers() const {
    std::vector<std::string> words;
    for (const std::string& line : answers_) {
      std::string word;
      for (const char* kind : {"partial", "final", "cancel"}) {
        if (absl::StrContains(line, absl::StrCat("\"answers\":\"", kind))) {
          word = kind;
        }
      }
      for (const char* reason :
           {"superseded", "bad-text", "stale", "ended", "nothing-to-undo"}) {
        if (absl::StrContains(line, absl::StrCat("\"reason\":\"", reason))) {
          absl::StrAppend(&word, " ", reason);
        }
      }
      if (absl::StrContains(line, "\"outcome\":\"verified\"")) word += " ok";
      words.push_back(word);
    }
    return words;
  }
  std::string Held() {
    return ax::mock::EncodeUtf8(world_.Find({"app:100", "/text"})->text);
  }
  using Words = std::vector<std::string>;

  ax::SimulatedClock clock_;
  ax::mock::World world_;
  ax::mock::MockServer server_;
  ax::Editor editor_;
  ax::Stream stream_;
  std::vector<std::string> answers_;
  absl::Status report_;
};

TEST_F(StreamCommandTest, PlainLinesArePartialsAndTheEndMakesTheLastFinal) {
  EXPECT_EQ(Run("the"), ExitCode::kDone);
  EXPECT_EQ(Answers(), (Words{"partial ok", "final ok"}));
  EXPECT_EQ(Held(), "the");
}

TEST_F(StreamCommandTest, PartialBehindWhichAnotherWaitsIsSuperseded) {
  EXPECT_EQ(Run("t\nth\nthe\nthe q\n"), ExitCode::kDone);
  EXPECT_EQ(Answers(), (Words{"partial superseded", "partial superseded",
                              "partial superseded", "partial ok", "final ok"}));
  EXPECT_EQ(Held(), "the q");
}

TEST_F(StreamCommandTest, JsonLinesAreAnsweredOneByOne) {
  EXPECT_EQ(Run("{\"final\": \"One. \"}\n{\"partial\": \"tw\"}\n"
                "{\"cancel\": true}\n{\"final\": \"\\u05e9\"}\n"),
            ExitCode::kDone);
  EXPECT_EQ(Answers(),
            (Words{"final ok", "partial ok", "cancel ok", "final ok"}));
  EXPECT_EQ(Held(), "One. \xD7\xA9");
}

TEST_F(StreamCommandTest, WrongLineIsNamedAndTheOthersAreDone) {
  EXPECT_EQ(Run("{\"partial\": 1}\n{\"final\": \"a\"}\n{nonsense\n"
                "{\"final\": \"b\", \"partial\": \"c\"}\n{\"cancel\": false}\n"
                "{\"other\": \"d\"}\n"),
            ExitCode::kFailed);
  EXPECT_EQ(Answers(), (Words{"partial bad-text", "final ok",
                              "partial bad-text", "partial bad-text",
                              "partial bad-text", "partial bad-text"}));
  EXPECT_TRUE(absl::StrContains(answers_[0], "its text is no string"));
  EXPECT_EQ(Held(), "a");
}

TEST_F(StreamCommandTest, AnswersAreInTheOrderOfTheLines) {
  EXPECT_EQ(Run("one\n{nonsense\n{\"final\": \"two\"}\n"), ExitCode::kFailed);
  EXPECT_EQ(Answers(), (Words{"partial ok", "partial bad-text", "final ok"}));
  EXPECT_EQ(Held(), "two");
}

TEST_F(StreamCommandTest, CancelWithNothingToTakeOutIsRefused) {
  EXPECT_EQ(Run("{\"cancel\": true}\n"), ExitCode::kFailed);
  EXPECT_EQ(Answers(), (Words{"cancel nothing-to-undo"}));
}

TEST_F(StreamCommandTest, HeldTextIsWrittenWhenTheFocusComesBack) {
  ax::mock::Node other = ax::mock::TextArea("/other", "");
  other.states &= ~ax::kStateFocused;
  world_.MutableProgram("app:100")->nodes.push_back(other);
  const ax::Element first{"app:100", "/text"};
  ASSERT_TRUE(world_.Focus({"app:100", "/other"}).ok());
  ASSERT_TRUE(world_.Focus(first).ok());
  EXPECT_EQ(Run("{\"final\": \"One.\"}\n"), ExitCode::kDone);

  ASSERT_TRUE(world_.Focus({"app:100", "/other"}).ok());
  server_.At(clock_.Now() + absl::Seconds(1), [first](ax::mock::World& world) {
    EXPECT_TRUE(world.Focus(first).ok());
  });
  answers_.clear();
  EXPECT_EQ(Run("{\"partial\": \" Two\"}\n"), ExitCode::kDone);
  EXPECT_EQ(Answers(), (Words{"partial stale", "final ok"}));
  EXPECT_EQ(Held(), "One. Two");
}

TEST_F(StreamCommandTest, FocusThatNeverComesBackEndsInARefusal) {
  ax::mock::Node other = ax::mock::TextArea("/other", "");
  other.states &= ~ax::kStateFocused;
  world_.MutableProgram("app:100")->nodes.push_back(other);
  EXPECT_EQ(Run("{\"final\": \"One.\"}\n"), ExitCode::kDone);
  ASSERT_TRUE(world_.Focus({"app:100", "/other"}).ok());
  answers_.clear();
  const absl::Time begun = clock_.Now();
  EXPECT_EQ(Run("{\"final\": \" Two.\"}\n"), ExitCode::kFailed);
  EXPECT_EQ(Answers(), (Words{"final stale", "final stale"}));
  EXPECT_EQ(clock_.Now() - begun, absl::Seconds(3));
  EXPECT_EQ(Held(), "One.");
}

TEST_F(StreamCommandTest, WhoeverStopsItDoesNotWaitForTheFocus) {
  ax::mock::Node other = ax::mock::TextArea("/other", "");
  other.states &= ~ax::kStateFocused;
  world_.MutableProgram("app:100")->nodes.push_back(other);
  EXPECT_EQ(Run("{\"final\": \"One.\"}\n"), ExitCode::kDone);
  ASSERT_TRUE(world_.Focus({"app:100", "/other"}).ok());
  // Held, and stopped while it is waited for.
  int stop[2];
  ASSERT_EQ(pipe(stop), 0);
  const absl::Time at = clock_.Now() + absl::Seconds(1);
  server_.At(
      at, [&stop](ax::mock::World&) { EXPECT_EQ(write(stop[1], "x", 1), 1); });
  answers_.clear();
  EXPECT_EQ(Run("{\"final\": \" Two.\"}\n", stop[0]), ExitCode::kFailed);
  EXPECT_EQ(Answers(), (Words{"final stale", "final stale"}));
  EXPECT_LE(clock_.Now(), at + absl::Milliseconds(200));
  EXPECT_EQ(Held(), "One.");
  close(stop[0]);
  close(stop[1]);
}

TEST_F(StreamCommandTest, ReaderThatGoesAwayEndsIt) {
  report_ = absl::CancelledError("the pipe was closed");
  EXPECT_EQ(Run("{\"final\": \"a\"}\n{\"final\": \"b\"}\n"), ExitCode::kDone);
  EXPECT_EQ(Held(), "a");
}

}  // namespace
}  // namespace tactus::cli
