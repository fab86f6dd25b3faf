#include "transfer/echo/echo.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/network.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {
namespace {

DeviceId IdOf(uint8_t first) {
  std::array<uint8_t, 32> bytes = {};
  bytes[0] = first;
  return DeviceId(KeyDigest(bytes));
}

// Two devices, one of which serves echoes on the first stream.
class EchoTest : public testing::Test {
 protected:
  explicit EchoTest(MemoryOptions options = {})
      : network_(std::move(options)),
        near_(network_.Add(IdOf(1))),
        far_(network_.Add(IdOf(2))) {}

  absl::Time Soon() { return network_.clock().Now() + absl::Seconds(10); }

  // Runs `ask` on an open stream beside the server: how the server ended.
  template <typename Ask>
  absl::Status Against(Ask ask) {
    absl::Status served = absl::UnknownError("never ended");
    network_.Run({[&] {
                    auto stream = near_.Open(IdOf(2), EchoHeader(), Soon());
                    ASSERT_TRUE(stream.ok()) << stream.status();
                    ask(**stream);
                  },
                  [&] {
                    auto stream = far_.Accept(Soon());
                    ASSERT_TRUE(stream.ok()) << stream.status();
                    EXPECT_EQ((*stream)->header(), EchoHeader());
                    served = ServeEcho(**stream, network_.clock());
                  }});
    return served;
  }

  MemoryNetwork network_;
  Transport& near_;
  Transport& far_;
};

TEST_F(EchoTest, EachMessageComesBackAndIsOneWriteEachWay) {
  const absl::Status served = Against([&](Stream& stream) {
    for (const std::string& message : {std::string("x"), std::string("a\0b", 3),
                                       std::string(kLongestEcho, 'z')}) {
      const auto answer = Echo(stream, message, Soon());
      ASSERT_TRUE(answer.ok()) << answer.status();
      EXPECT_EQ(*answer, message);
    }
    EXPECT_TRUE(stream.CloseWrite(Soon()).ok());
    // Whoever goes before the other has closed cuts it.
    char none;
    const absl::StatusOr<size_t> end =
        stream.Read(absl::MakeSpan(&none, 1), Soon());
    ASSERT_TRUE(end.ok()) << end.status();
    EXPECT_EQ(*end, 0u);
  });
  EXPECT_TRUE(served.ok()) << served;
  size_t writes = 0;
  for (const MemoryMessage& message : network_.messages()) {
    if (message.kind == MemoryMessage::kWrite) ++writes;
  }
  EXPECT_EQ(writes, 6u);
}

TEST_F(EchoTest, AMessageThatIsEmptyOrTooLongIsNotSent) {
  network_.Run({[&] {
    auto stream = near_.Open(IdOf(2), EchoHeader(), Soon());
    ASSERT_TRUE(stream.ok()) << stream.status();
    for (const size_t size : {size_t{0}, kLongestEcho + 1}) {
      EXPECT_TRUE(absl::IsInvalidArgument(
          Echo(**stream, std::string(size, 'x'), Soon()).status()));
    }
  }});
  for (const MemoryMessage& message : network_.messages()) {
    EXPECT_NE(message.kind, MemoryMessage::kWrite);
  }
}

TEST_F(EchoTest, AHostileLengthEndsTheStreamBeforeAnythingIsHeld) {
  for (const absl::string_view hostile :
       {absl::string_view("\0\0", 2), absl::string_view("\x10\x01", 2),
        absl::string_view("\xff\xff", 2)}) {
    MemoryNetwork network({});
    Transport& near = network.Add(IdOf(1));
    Transport& far = network.Add(IdOf(2));
    absl::Status served;
    network.Run(
        {[&] {
           auto stream =
               near.Open(IdOf(2), EchoHeader(), absl::InfiniteFuture());
           ASSERT_TRUE(stream.ok());
           ASSERT_TRUE((*stream)->Write(hostile, absl::InfiniteFuture()).ok());
           ASSERT_TRUE((*stream)->CloseWrite(absl::InfiniteFuture()).ok());
         },
         [&] {
           auto stream = far.Accept(absl::InfiniteFuture());
           ASSERT_TRUE(stream.ok());
           served = ServeEcho(**stream, network.clock());
         }});
    EXPECT_TRUE(absl::IsInvalidArgument(served)) << served;
  }
}

TEST_F(EchoTest, AMessageThatIsCutShortIsDataLoss) {
  const absl::Status served = Against([&](Stream& stream) {
    ASSERT_TRUE(stream.Write(absl::string_view("\0\5ab", 4), Soon()).ok());
    ASSERT_TRUE(stream.CloseWrite(Soon()).ok());
  });
  EXPECT_TRUE(absl::IsDataLoss(served)) << served;
}

TEST_F(EchoTest, SilenceEndsTheServerAfterItsTimeAndNotSooner) {
  const absl::Time begun = network_.clock().Now();
  absl::Time ended;
  absl::Status served;
  network_.Run({[&] {
                  auto stream = near_.Open(IdOf(2), EchoHeader(), Soon());
                  ASSERT_TRUE(stream.ok());
                  ASSERT_TRUE(Echo(**stream, "x", Soon()).ok());
                  network_.clock().SleepUntil(begun + absl::Minutes(5));
                  EXPECT_FALSE(Echo(**stream, "x", Soon()).ok());
                },
                [&] {
                  auto stream = far_.Accept(Soon());
                  ASSERT_TRUE(stream.ok());
                  served = ServeEcho(**stream, network_.clock());
                  ended = network_.clock().Now();
                }});
  EXPECT_TRUE(absl::IsDeadlineExceeded(served)) << served;
  EXPECT_GE(ended - begun, kEchoSilence);
  EXPECT_LT(ended - begun, kEchoSilence + absl::Seconds(1));
}

TEST_F(EchoTest, AnAnswerThatIsAnotherIsDataLoss) {
  network_.Run(
      {[&] {
         auto stream = near_.Open(IdOf(2), EchoHeader(), Soon());
         ASSERT_TRUE(stream.ok());
         EXPECT_TRUE(absl::IsDataLoss(Echo(**stream, "x", Soon()).status()));
       },
       [&] {
         auto stream = far_.Accept(Soon());
         ASSERT_TRUE(stream.ok());
         ASSERT_TRUE(
             (*stream)->Write(absl::string_view("\0\1y", 3), Soon()).ok());
         ASSERT_TRUE((*stream)->CloseWrite(Soon()).ok());
       }});
}

// Whatever message the connection is cut at, both sides end, and the side that
// asked never takes for an answer what is none.
TEST(EchoCuts, ACutAtAnyMessageEndsBothSides) {
  for (size_t message = 0; message < 8; ++message) {
    for (const size_t keep : {0, 1, 3}) {
      for (const bool told : {true, false}) {
        MemoryNetwork network({.faults = {{.message = message,
                                           .kind = MemoryFault::kCut,
                                           .keep = keep,
                                           .writer_told = told}}});
        Transport& near = network.Add(IdOf(1));
        Transport& far = network.Add(IdOf(2));
        const absl::Time until = network.clock().Now() + absl::Seconds(10);
        int answered = 0;
        network.Run({[&] {
                       auto stream = near.Open(IdOf(2), EchoHeader(), until);
                       if (!stream.ok()) return;
                       for (int i = 0; i < 3; ++i) {
                         const auto answer = Echo(**stream, "ping", until);
                         if (!answer.ok()) return;
                         EXPECT_EQ(*answer, "ping");
                         ++answered;
                       }
                       (void)(*stream)->CloseWrite(until);
                     },
                     [&] {
                       auto stream = far.Accept(until);
                       if (!stream.ok()) return;
                       (void)ServeEcho(**stream, network.clock());
                     }});
        EXPECT_LE(answered, 3);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::transfer
