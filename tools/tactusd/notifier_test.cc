#include "tools/tactusd/notifier.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/mock/dbus/private_bus.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "gtest/gtest.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/testing/fake_service.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using ax::mock::PrivateBus;
using Lines = std::vector<std::string>;

// What a notification server was told, and what was answered.
class Told {
 public:
  void Add(std::string line) {
    MutexLock lock(&mutex_);
    lines_.push_back(std::move(line));
  }
  // Once there are as many, or after a minute.
  Lines Until(size_t count) {
    for (int i = 0; i < 3000; ++i) {
      {
        MutexLock lock(&mutex_);
        if (lines_.size() >= count) return lines_;
      }
      absl::SleepFor(absl::Milliseconds(20));
    }
    MutexLock lock(&mutex_);
    return lines_;
  }

 private:
  ax::Mutex mutex_;
  Lines lines_ ABSL_GUARDED_BY(mutex_);
};

// Tells each call in words: its method, its texts, its actions.
int Show(sd_bus_message* call, Told* told) {
  const std::string method = sd_bus_message_get_member(call);
  if (method == "CloseNotification") {
    uint32_t number = 0;
    sd_bus_message_read(call, "u", &number);
    told->Add(absl::StrCat("close ", number));
    return sd_bus_reply_method_return(call, "");
  }
  const char* name = nullptr;
  const char* icon = nullptr;
  const char* summary = nullptr;
  const char* body = nullptr;
  uint32_t replaces = 1;
  sd_bus_message_read(call, "susss", &name, &replaces, &icon, &summary, &body);
  std::string line = absl::StrCat(name, "|", replaces, "|", icon, "|", summary,
                                  "|", body, "|");
  sd_bus_message_enter_container(call, 'a', "s");
  const char* action = nullptr;
  while (sd_bus_message_read(call, "s", &action) > 0) {
    absl::StrAppend(&line, action, ",");
  }
  sd_bus_message_exit_container(call);
  sd_bus_message_skip(call, "a{sv}");
  int32_t timeout = 0;
  sd_bus_message_read(call, "i", &timeout);
  told->Add(absl::StrCat(line, "|", timeout));
  return sd_bus_reply_method_return(call, "u", uint32_t{7});
}

WaitingQuestion Of(int64_t id, const std::string& kind) {
  return {.id = id,
          .question = {.peer = "laptop",
                       .kind = kind,
                       .text = "an agent there wants to use the server notes"},
          .left = absl::Seconds(60)};
}

class NotifierTest : public testing::Test {
 protected:
  NotifierTest()
      : bus_(*PrivateBus::Start()),
        notifier_({.session_bus = bus_->address(),
                   .answer = [this](int64_t id, bool approved) {
                     answers_.Add(absl::StrCat(id, approved ? " yes" : " no"));
                   }}) {}

  std::unique_ptr<FakeService> Server() {
    auto server = std::make_unique<FakeService>(
        bus_->address(), "org.freedesktop.Notifications",
        [this](sd_bus_message* call) { return Show(call, &told_); });
    EXPECT_TRUE(server->good());
    return server;
  }
  static void Choose(FakeService& server, uint32_t number, const char* action) {
    server.Do([number, action](sd_bus* bus) {
      sd_bus_emit_signal(bus, "/org/freedesktop/Notifications",
                         "org.freedesktop.Notifications", "ActionInvoked", "us",
                         number, action);
    });
  }

  const std::unique_ptr<PrivateBus> bus_;
  Told told_;
  Told answers_;
  Notifier notifier_;
};

TEST_F(NotifierTest, QuestionForAServerIsShownAndCanBeAnsweredThere) {
  const auto server = Server();
  notifier_.Asked(Of(3, "mcp"));
  EXPECT_EQ(told_.Until(1),
            Lines{"Tactus|0||Tactus: laptop asks|an agent there wants to use "
                  "the server notes|approve,Approve,refuse,Refuse,|60000"});
  Choose(*server, 7, "approve");
  EXPECT_EQ(answers_.Until(1), Lines{"3 yes"});
  notifier_.Ended(3);
  EXPECT_EQ(told_.Until(2)[1], "close 7");
}

TEST_F(NotifierTest, RefusalIsOneAndWhatIsNoAnswerIsNone) {
  const auto server = Server();
  notifier_.Asked(Of(3, "mcp"));
  told_.Until(1);
  // Of another notification, and of none of the two actions.
  Choose(*server, 8, "approve");
  absl::SleepFor(absl::Milliseconds(200));
  Choose(*server, 7, "default");
  absl::SleepFor(absl::Milliseconds(200));
  Choose(*server, 7, "refuse");
  EXPECT_EQ(answers_.Until(1), Lines{"3 no"});
}

TEST_F(NotifierTest, OfFilesNothingThatThePeerHasWrittenIsShown) {
  const auto server = Server();
  WaitingQuestion question = Of(4, "files");
  question.question.text = "a <b>name</b> of the peer's";
  notifier_.Asked(question);
  EXPECT_EQ(told_.Until(1),
            Lines{"Tactus|0||Tactus: laptop asks|It wants to send files. "
                  "`tactus status` tells more, and `tactus approve 4` takes "
                  "them.||60000"});
}

TEST_F(NotifierTest, QuestionToMeasureSaysThatNothingIsKept) {
  const auto server = Server();
  WaitingQuestion question = Of(5, "bench");
  question.question.text = "to measure, files of which nothing is kept";
  notifier_.Asked(question);
  EXPECT_EQ(told_.Until(1),
            Lines{"Tactus|0||Tactus: laptop asks|to measure, files of which "
                  "nothing is kept|approve,Approve,refuse,Refuse,|60000"});
}

TEST_F(NotifierTest, WhatHasEndedBeforeItWasShownIsNotShown) {
  ax::Mutex mutex;
  ax::Condition changed;
  bool open = false;
  // Busy with the first one.
  FakeService server(bus_->address(), "org.freedesktop.Notifications",
                     [&](sd_bus_message* call) {
                       told_.Add("called");
                       MutexLock lock(&mutex);
                       while (!open) changed.Wait(&mutex);
                       return Show(call, &told_);
                     });
  ASSERT_TRUE(server.good());
  notifier_.Asked(Of(1, "files"));
  told_.Until(1);
  for (int64_t id = 2; id < 100; ++id) {
    notifier_.Asked(Of(id, "files"));
    notifier_.Ended(id);
  }
  notifier_.Asked(Of(100, "files"));
  {
    MutexLock lock(&mutex);
    open = true;
    changed.NotifyAll();
  }
  const Lines told = told_.Until(4);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_TRUE(absl::StrContains(told[1], "`tactus approve 1`")) << told[1];
  EXPECT_TRUE(absl::StrContains(told[3], "`tactus approve 100`")) << told[3];
}

TEST_F(NotifierTest, WithoutAServerNothingIsShownAndTheNextOneIs) {
  notifier_.Asked(Of(1, "mcp"));
  notifier_.Ended(1);
  absl::SleepFor(absl::Milliseconds(200));
  const auto server = Server();
  notifier_.Asked(Of(2, "mcp"));
  EXPECT_EQ(told_.Until(1).size(), 1u);
}

TEST_F(NotifierTest, ServerThatHangsHoldsTheEndUpNoLongerThanItsPatience) {
  const FakeService server(bus_->address(), "org.freedesktop.Notifications",
                           [](sd_bus_message*) { return 0; });
  notifier_.Asked(Of(1, "mcp"));
  absl::SleepFor(absl::Milliseconds(100));
  notifier_.Stop();
  notifier_.Asked(Of(2, "mcp"));
}

}  // namespace
}  // namespace tactus::daemon
