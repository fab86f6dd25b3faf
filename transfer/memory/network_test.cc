#include "transfer/memory/network.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/schedule.h"
#include "transfer/stream/header.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {
namespace {

using absl::StatusCode;

DeviceId Id(uint8_t seed) {
  return DeviceId(KeyDigest::OfPublicKey({&seed, 1}));
}

absl::Time At(int seconds) { return absl::FromUnixSeconds(seconds); }

// All until the end; what Read returned where that is not one.
absl::StatusOr<std::string> ReadAll(Stream& stream, absl::Time deadline) {
  std::string text;
  char buffer[7];
  while (true) {
    const absl::StatusOr<size_t> n =
        stream.Read(absl::MakeSpan(buffer), deadline);
    if (!n.ok()) return n.status();
    if (*n == 0) return text;
    text.append(buffer, *n);
  }
}

// Two devices, each a program; the streams are theirs.
struct Pair {
  explicit Pair(MemoryOptions options = {})
      : network(std::move(options)),
        a(network.Add(Id(1))),
        b(network.Add(Id(2))) {}

  std::unique_ptr<Stream> Open() {
    auto stream =
        a.Open(Id(2), {.kind = StreamKind::kMcp, .label = "x"}, At(1000));
    EXPECT_TRUE(stream.ok()) << stream.status();
    return stream.ok() ? *std::move(stream) : nullptr;
  }

  MemoryNetwork network;
  Transport& a;
  Transport& b;
};

TEST(MemoryNetwork, WhatIsWrittenIsReadThenTheEndBothWays) {
  Pair pair;
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      EXPECT_EQ(stream->peer(), Id(2));
                      EXPECT_TRUE(stream->Write("question", At(9)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
                      EXPECT_EQ(*ReadAll(*stream, At(9)), "the answer");
                    },
                    [&] {
                      const auto stream = *pair.b.Accept(At(9));
                      EXPECT_EQ(stream->peer(), Id(1));
                      EXPECT_EQ(stream->header().kind, StreamKind::kMcp);
                      EXPECT_EQ(stream->header().label, "x");
                      EXPECT_EQ(*ReadAll(*stream, At(9)), "question");
                      // Half closed: the other half goes on.
                      EXPECT_TRUE(stream->Write("the answer", At(9)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
                      EXPECT_EQ(stream->Write("more", At(9)).code(),
                                StatusCode::kFailedPrecondition);
                    }});
  EXPECT_EQ(pair.network.clock().Now(), At(0));
  // The header goes with the first message: no packet is its own.
  EXPECT_EQ(pair.network.messages(),
            (std::vector<MemoryMessage>{
                {Id(1), Id(2), 0, MemoryMessage::kOpen, 0},
                {Id(1), Id(2), 0, MemoryMessage::kWrite, 12},
                {Id(1), Id(2), 0, MemoryMessage::kClose, 0},
                {Id(2), Id(1), 0, MemoryMessage::kWrite, 10},
                {Id(2), Id(1), 0, MemoryMessage::kClose, 0}}));
}

TEST(MemoryNetwork, AnOpenerThatReadsFirstIsSeenByThePeer) {
  Pair pair;
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      EXPECT_EQ(*ReadAll(*stream, At(9)), "hello");
                    },
                    [&] {
                      const auto stream = *pair.b.Accept(At(9));
                      EXPECT_TRUE(stream->Write("hello", At(9)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
                    }});
}

TEST(MemoryNetwork, AWriterWaitsAtExactlyTheCapacity) {
  Pair pair({.capacity = 10});
  pair.network.Run(
      {[&] {
         const auto stream = pair.Open();
         EXPECT_TRUE(stream->Write("123456", At(1)).ok());  // and 4 of header
         EXPECT_EQ(stream->Write("7", At(2)).code(),
                   StatusCode::kDeadlineExceeded);
         EXPECT_EQ(pair.network.clock().Now(), At(2));
         // The rest of a message that was begun is never followed by another.
         EXPECT_EQ(stream->Write("8", At(9)).code(),
                   StatusCode::kDeadlineExceeded);
         pair.network.clock().SleepUntil(At(5));
       },
       [&] {
         pair.network.clock().SleepUntil(At(3));
         const auto stream = *pair.b.Accept(At(9));
         char buffer[20];
         EXPECT_EQ(*stream->Read(absl::MakeSpan(buffer), At(9)), 6u);
         EXPECT_EQ(stream->Read(absl::MakeSpan(buffer), At(4)).status().code(),
                   StatusCode::kDeadlineExceeded);
         EXPECT_EQ(stream->Read(absl::MakeSpan(buffer), At(9)).status().code(),
                   StatusCode::kUnavailable);
       }});
}

TEST(MemoryNetwork, AMessageLargerThanTheCapacityGoesThroughAsItIsRead) {
  Pair pair({.capacity = 8});
  const std::string text(1000, 'x');
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      EXPECT_TRUE(stream->Write(text, At(1)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(1)).ok());
                    },
                    [&] {
                      const auto stream = *pair.b.Accept(At(9));
                      EXPECT_EQ(*ReadAll(*stream, At(1)), text);
                    }});
  EXPECT_EQ(pair.network.clock().Now(), At(0));
}

TEST(MemoryNetwork, AStalledStreamDelaysNoOther) {
  Pair pair({.capacity = 8});
  pair.network.Run({[&] {
                      const auto bulk = pair.Open();
                      const auto message = pair.Open();
                      EXPECT_EQ(bulk->Write(std::string(99, 'x'), At(1)).code(),
                                StatusCode::kDeadlineExceeded);
                      EXPECT_TRUE(message->Write("now", At(9)).ok());
                      EXPECT_TRUE(message->CloseWrite(At(9)).ok());
                      pair.network.clock().SleepUntil(At(5));
                    },
                    [&] {
                      const auto bulk = *pair.b.Accept(At(9));
                      const auto message = *pair.b.Accept(At(9));
                      EXPECT_EQ(*ReadAll(*message, At(9)), "now");
                      EXPECT_EQ(pair.network.clock().Now(), At(1));
                    }});
}

TEST(MemoryNetwork, ADelayedMessageDelaysThoseAfterItAndTheWrongWayNone) {
  Pair pair({.faults = {{.message = 1,
                         .kind = MemoryFault::kDelay,
                         .delay = absl::Seconds(3)}}});
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      EXPECT_TRUE(stream->Write("late", At(9)).ok());
                      EXPECT_TRUE(stream->Write("too", At(9)).ok());
                      EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
                      EXPECT_EQ(pair.network.clock().Now(), At(0));
                      char one[1];
                      EXPECT_TRUE(
                          ReadFull(*stream, absl::MakeSpan(one), At(9)).ok());
                    },
                    [&] {
                      EXPECT_EQ(pair.b.Accept(At(2)).status().code(),
                                StatusCode::kDeadlineExceeded);
                      const auto stream = *pair.b.Accept(At(9));
                      EXPECT_EQ(pair.network.clock().Now(), At(3));
                      EXPECT_EQ(*ReadAll(*stream, At(9)), "latetoo");
                      EXPECT_EQ(pair.network.clock().Now(), At(3));
                      EXPECT_TRUE(stream->Write("!", At(9)).ok());
                    }});
}

TEST(MemoryNetwork, ADarkDirectionTellsNobodyAndTheOtherGoesOn) {
  Pair pair({.faults = {{.message = 2, .kind = MemoryFault::kLose}}});
  pair.network.Run(
      {[&] {
         const auto stream = pair.Open();
         EXPECT_TRUE(stream->Write("a", At(9)).ok());
         EXPECT_TRUE(stream->Write("lost", At(9)).ok());
         EXPECT_TRUE(stream->Write("as well", At(9)).ok());
         EXPECT_TRUE(stream->CloseWrite(At(9)).ok());
         EXPECT_EQ(*ReadAll(*stream, At(20)), "heard");
       },
       [&] {
         const auto stream = *pair.b.Accept(At(9));
         char buffer[9];
         EXPECT_EQ(*stream->Read(absl::MakeSpan(buffer), At(9)), 1u);
         EXPECT_EQ(stream->Read(absl::MakeSpan(buffer), At(9)).status().code(),
                   StatusCode::kDeadlineExceeded);
         EXPECT_TRUE(stream->Write("heard", At(20)).ok());
         EXPECT_TRUE(stream->CloseWrite(At(20)).ok());
       }});
}

// What a reader got, and the last status of both sides, with a cut after `keep`
// bytes of the whole that the opener sends: header, "abc", "defg", its end.
std::tuple<std::string, StatusCode, StatusCode> CutAfter(size_t message,
                                                         size_t keep,
                                                         bool told) {
  Pair pair({.faults = {{.message = message,
                         .kind = MemoryFault::kCut,
                         .keep = keep,
                         .writer_told = told}}});
  std::string got;
  StatusCode reader = StatusCode::kOk;
  StatusCode writer = StatusCode::kOk;
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      for (const char* text : {"abc", "defg"}) {
                        const absl::Status wrote = stream->Write(text, At(9));
                        if (!wrote.ok()) {
                          writer = wrote.code();
                          return;
                        }
                      }
                      writer = stream->CloseWrite(At(9)).code();
                    },
                    [&] {
                      const auto stream = pair.b.Accept(At(9));
                      reader = stream.status().code();
                      if (!stream.ok()) return;
                      char one[1];
                      while (true) {
                        const auto n =
                            (*stream)->Read(absl::MakeSpan(one), At(9));
                        reader = n.status().code();
                        if (!n.ok() || *n == 0) return;
                        got += one[0];
                      }
                    }});
  return {got, reader, writer};
}

TEST(MemoryNetwork, ACutAtEveryByteIsNeverTakenForTheEnd) {
  constexpr StatusCode kCut = StatusCode::kUnavailable;
  constexpr StatusCode kOk = StatusCode::kOk;
  using Result = std::tuple<std::string, StatusCode, StatusCode>;
  // The header, four bytes, goes with the first: cut in it, nobody is accepted.
  for (size_t keep = 0; keep < 4; ++keep) {
    EXPECT_EQ(CutAfter(1, keep, true),
              (Result{"", StatusCode::kDeadlineExceeded, kCut}));
  }
  for (size_t keep = 4; keep <= 7; ++keep) {
    EXPECT_EQ(CutAfter(1, keep, true),
              (Result{std::string("abc").substr(0, keep - 4), kCut, kCut}));
    EXPECT_EQ(CutAfter(1, keep, false),
              (Result{std::string("abc").substr(0, keep - 4), kCut, kCut}));
  }
  for (size_t keep = 0; keep <= 4; ++keep) {
    EXPECT_EQ(
        CutAfter(2, keep, false),
        (Result{"abc" + std::string("defg").substr(0, keep), kCut, kCut}));
  }
  EXPECT_EQ(CutAfter(3, 0, false), (Result{"abcdefg", kCut, kOk}));
  EXPECT_EQ(CutAfter(3, 0, true), (Result{"abcdefg", kCut, kCut}));
  // The end arrived, whatever the writer was told.
  EXPECT_EQ(CutAfter(3, 1, false), (Result{"abcdefg", kOk, kOk}));
  EXPECT_EQ(CutAfter(3, 1, true), (Result{"abcdefg", kOk, kCut}));
}

TEST(MemoryNetwork, AnOpenCanBeCutDelayedAndLost) {
  const auto open = [](MemoryFault fault) {
    Pair pair({.faults = {fault}});
    const StatusCode code = pair.a.Open(Id(2), {}, At(5)).status().code();
    return std::make_pair(code, pair.network.clock().Now());
  };
  EXPECT_EQ(open({.kind = MemoryFault::kCut}),
            std::make_pair(StatusCode::kUnavailable, At(0)));
  EXPECT_EQ(open({.kind = MemoryFault::kDelay, .delay = absl::Seconds(2)}),
            std::make_pair(StatusCode::kOk, At(2)));
  EXPECT_EQ(open({.kind = MemoryFault::kLose}),
            std::make_pair(StatusCode::kDeadlineExceeded, At(5)));
}

TEST(MemoryNetwork, AStreamThatIsDestroyedBeforeItsEndIsCut) {
  Pair pair;
  pair.network.Run(
      {[&] { EXPECT_TRUE(pair.Open()->Write("half", At(9)).ok()); },
       [&] {
         const auto stream = *pair.b.Accept(At(9));
         char four[4];
         EXPECT_TRUE(ReadFull(*stream, absl::MakeSpan(four), At(9)).ok());
         EXPECT_EQ(ReadAll(*stream, At(9)).status().code(),
                   StatusCode::kUnavailable);
         EXPECT_EQ(stream->Write("x", At(9)).code(), StatusCode::kUnavailable);
       }});
}

TEST(MemoryNetwork, CancelEndsAReadInProgressAndIsACutForThePeer) {
  Pair pair;
  std::unique_ptr<Stream> stream;
  pair.network.Run({[&] {
                      stream = pair.Open();
                      EXPECT_EQ(ReadAll(*stream, At(100)).status().code(),
                                StatusCode::kCancelled);
                      EXPECT_EQ(stream->Write("x", At(100)).code(),
                                StatusCode::kCancelled);
                      EXPECT_EQ(pair.network.clock().Now(), At(1));
                    },
                    [&] {
                      pair.network.clock().SleepUntil(At(1));
                      stream->Cancel();
                    },
                    [&] {
                      const auto other = *pair.b.Accept(At(100));
                      EXPECT_EQ(ReadAll(*other, At(100)).status().code(),
                                StatusCode::kUnavailable);
                    }});
}

TEST(MemoryNetwork, AForgottenPeerIsCancelledAndNotLetIn) {
  Pair pair;
  pair.network.Run({[&] {
                      const auto stream = pair.Open();
                      EXPECT_EQ(ReadAll(*stream, At(9)).status().code(),
                                StatusCode::kUnavailable);
                      EXPECT_EQ(pair.a.Open(Id(2), {}, At(9)).status().code(),
                                StatusCode::kPermissionDenied);
                    },
                    [&] {
                      const auto stream = *pair.b.Accept(At(9));
                      pair.b.Forget(Id(1));
                      EXPECT_EQ(ReadAll(*stream, At(9)).status().code(),
                                StatusCode::kCancelled);
                      EXPECT_EQ(pair.b.Open(Id(1), {}, At(9)).status().code(),
                                StatusCode::kNotFound);
                    }});
}

TEST(MemoryNetwork, WhoIsUnreachableIsUnavailableUntilItIsBack) {
  Pair pair;
  const auto stream = pair.Open();
  pair.network.SetReachable(Id(2), false);
  EXPECT_EQ(stream->Write("x", At(9)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(pair.a.Open(Id(2), {}, At(9)).status().code(),
            StatusCode::kUnavailable);
  pair.network.SetReachable(Id(2), true);
  EXPECT_TRUE(pair.a.Open(Id(2), {}, At(9)).ok());
  EXPECT_EQ(pair.a.Open(Id(3), {}, At(9)).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(pair.a.Open(Id(2), {.label = "a b"}, At(9)).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(MemoryNetwork, ShutdownEndsWhatWaits) {
  Pair pair;
  pair.network.Run({[&] {
                      EXPECT_EQ(pair.b.Accept(At(99)).status().code(),
                                StatusCode::kCancelled);
                      EXPECT_EQ(pair.b.Open(Id(1), {}, At(99)).status().code(),
                                StatusCode::kCancelled);
                    },
                    [&] { pair.b.Shutdown(); }});
  EXPECT_EQ(pair.network.clock().Now(), At(0));
}

// Every order of a question and an answer, with each message cut at each place:
// whatever one side believes of the other is so.
TEST(MemoryNetwork, UnderEveryScheduleAndCutWhatWasAcknowledgedHadArrived) {
  size_t runs = 0;
  for (size_t message = 0; message < 6; ++message) {
    for (const size_t keep : {0, 1, 99}) {
      for (const bool told : {true, false}) {
        ExhaustiveSchedule schedule(12);
        do {
          Pair pair(
              {.schedule = &schedule,
               .faults = {
                   {.message = message, .keep = keep, .writer_told = told}}});
          bool arrived = false;
          bool acknowledged = false;
          pair.network.Run(
              {[&] {
                 auto stream = pair.a.Open(Id(2), {}, At(9));
                 if (!stream.ok()) return;
                 if (!(*stream)->Write("data", At(9)).ok()) return;
                 char ok[2];
                 acknowledged =
                     ReadFull(**stream, absl::MakeSpan(ok), At(9)).ok();
               },
               [&] {
                 auto stream = pair.b.Accept(At(9));
                 if (!stream.ok()) return;
                 char data[4];
                 arrived = ReadFull(**stream, absl::MakeSpan(data), At(9)).ok();
                 if (arrived) (void)(*stream)->Write("ok", At(9));
               }});
          ASSERT_TRUE(arrived || !acknowledged);
          ++runs;
        } while (schedule.Next());
        EXPECT_FALSE(schedule.cut_short());
      }
    }
  }
  EXPECT_GT(runs, 36u);
}

TEST(MemoryNetwork, TheSameSeedRunsTheSame) {
  const auto run = [](uint64_t seed) {
    SeededSchedule schedule(seed);
    Pair pair({.schedule = &schedule});
    const auto talk = [](Transport& from, uint8_t to) {
      for (int i = 0; i < 3; ++i) {
        auto stream = from.Open(Id(to), {}, At(9));
        if (stream.ok()) (void)(*stream)->Write("x", At(9));
      }
    };
    pair.network.Run({[&] { talk(pair.a, 2); }, [&] { talk(pair.b, 1); }});
    return pair.network.messages();
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace tactus::transfer
