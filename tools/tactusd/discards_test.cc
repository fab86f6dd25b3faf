#include "tools/tactusd/discards.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "gtest/gtest.h"
#include "tools/config/config.h"
#include "tools/tactusd/approvals.h"
#include "transfer/clock/clock.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/network.h"
#include "transfer/stream/header.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {
namespace {

using namespace transfer::files;  // NOLINT(google-build-using-namespace)
using config::PeerPolicy;
using transfer::DeviceId;
using transfer::KeyDigest;
using transfer::Stream;

constexpr absl::Time kNever = absl::InfiniteFuture();

DeviceId IdOf(uint8_t first) {
  std::array<uint8_t, 32> bytes = {};
  bytes[0] = first;
  return DeviceId(KeyDigest(bytes));
}

absl::StatusOr<Frame> ReadFrame(Stream& stream) {
  std::string head(kFrameHead, '\0');
  absl::Status read = transfer::ReadFull(
      stream, absl::MakeSpan(head.data(), head.size()), kNever);
  if (!read.ok()) return read;
  const absl::StatusOr<FrameHead> decoded = DecodeFrameHead(head);
  if (!decoded.ok()) return decoded.status();
  std::string body(decoded->size, '\0');
  if (decoded->size > 0) {
    read = transfer::ReadFull(stream, absl::MakeSpan(body.data(), body.size()),
                              kNever);
    if (!read.ok()) return read;
  }
  return DecodeFrame(*decoded, body);
}

// The laptop, which is any sender, and a device that measures for it.
class DiscardsTest : public testing::Test {
 protected:
  DiscardsTest()
      : laptop_(network_.Add(IdOf(1))),
        desk_(network_.Add(IdOf(2))),
        approvals_(&ax::Clock::Real()),
        discards_(&approvals_,
                  {.clock = &network_.clock(),
                   .config = &config_,
                   .name = [](const DeviceId&) { return "laptop"; },
                   .watch =
                       [](const DeviceId&) {
                         return std::make_shared<Observer>();
                       }}) {
    config_.peers["laptop"] = {.files = PeerPolicy::Files::kAccept,
                               .folder = "/nowhere"};
  }

  Offer OfferOf(uint64_t bytes) {
    return {.id = TransferId::Random(),
            .files = 1,
            .bytes = bytes,
            .roots = 1,
            .names = {"f"}};
  }

  // Runs `send` beside a device that serves `streams` streams.
  template <typename Send>
  void Against(int streams, Send send) {
    network_.Run({send, [&] {
                    for (int i = 0; i < streams; ++i) {
                      auto stream = desk_.Accept(kNever);
                      ASSERT_TRUE(stream.ok()) << stream.status();
                      result_ = discards_.Serve(*std::move(stream));
                    }
                  }});
  }
  std::unique_ptr<Stream> Open() {
    auto stream = laptop_.Open(
        IdOf(2),
        {.kind = transfer::StreamKind::kFile, .label = Discards::kLabel},
        kNever);
    EXPECT_TRUE(stream.ok()) << stream.status();
    return *std::move(stream);
  }
  // How an offer is answered where it is not accepted.
  Verdict Refused(const Offer& offer) {
    Verdict verdict;
    Against(1, [&] {
      const std::unique_ptr<Stream> stream = Open();
      ASSERT_TRUE(stream->Write(EncodeFrame(offer), kNever).ok());
      const absl::StatusOr<Frame> answer = ReadFrame(*stream);
      ASSERT_TRUE(answer.ok()) << answer.status();
      ASSERT_TRUE(std::holds_alternative<Verdict>(*answer));
      verdict = std::get<Verdict>(*answer);
      EXPECT_TRUE(stream->CloseWrite(kNever).ok());
    });
    return verdict;
  }

  transfer::MemoryNetwork network_;
  transfer::Transport& laptop_;
  transfer::Transport& desk_;
  config::Config config_;
  Approvals approvals_;
  Discards discards_;
  std::optional<TransferResult> result_;
};

TEST_F(DiscardsTest, WhoSendsMoreThanTheBoundIsCutOff) {
  const Offer offer = OfferOf(1);
  const std::string bytes(kChunk, 'x');
  const std::string chunk =
      EncodeFrame(Chunk{.hash = HashOf(bytes), .bytes = bytes});
  size_t taken = 0;
  Verdict verdict;
  Against(2, [&] {
    {
      const std::unique_ptr<Stream> stream = Open();
      ASSERT_TRUE(stream->Write(EncodeFrame(offer), kNever).ok());
      const absl::StatusOr<Frame> answer = ReadFrame(*stream);
      ASSERT_TRUE(answer.ok()) << answer.status();
      // Nothing is there to be gone on with.
      EXPECT_EQ(std::get<Accept>(*answer), Accept{.ask = false});
      ASSERT_TRUE(
          stream->Write(EncodeFrame(Entry{.path = "f", .size = 1}), kNever)
              .ok());
      while (taken < 400 && stream->Write(chunk, kNever).ok()) ++taken;
    }
    const std::unique_ptr<Stream> stream = Open();
    ASSERT_TRUE(
        stream->Write(EncodeFrame(Settle{.id = offer.id}), kNever).ok());
    const absl::StatusOr<Frame> answer = ReadFrame(*stream);
    ASSERT_TRUE(answer.ok()) << answer.status();
    verdict = std::get<Verdict>(*answer);
    EXPECT_TRUE(stream->CloseWrite(kNever).ok());
  });
  EXPECT_GE(taken, Discards::kMost / kChunk);
  // What was on its way when it was cut.
  EXPECT_LT(taken, Discards::kMost / kChunk + 16);
  EXPECT_EQ(verdict.outcome, Outcome::kCancelled);
}

TEST_F(DiscardsTest, WhoSaysForEverThatItIsAliveIsCutOff) {
  const Offer offer = OfferOf(1);
  transfer::Clock& clock = network_.clock();
  const absl::Time begun = clock.Now();
  Against(1, [&] {
    const std::unique_ptr<Stream> stream = Open();
    ASSERT_TRUE(stream->Write(EncodeFrame(offer), kNever).ok());
    ASSERT_TRUE(ReadFrame(*stream).ok());
    // Twice as long as is given, and no more.
    while (clock.Now() < begun + 2 * Discards::kLongest &&
           stream->Write(EncodeFrame(Alive()), kNever).ok()) {
      clock.SleepUntil(clock.Now() + absl::Seconds(5));
    }
    const absl::Duration took = clock.Now() - begun;
    EXPECT_GE(took, Discards::kLongest);
    EXPECT_LE(took, Discards::kLongest + absl::Seconds(15));
  });
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->outcome, Outcome::kCancelled);
}

TEST_F(DiscardsTest, OneFileThatIsNotTooLargeIsAllThatIsTaken) {
  Offer offer = OfferOf(Discards::kMost + 1);
  EXPECT_EQ(Refused(offer).outcome, Outcome::kRefused);
  offer = OfferOf(kSizeUnknown);
  EXPECT_EQ(Refused(offer).outcome, Outcome::kRefused);
  offer = OfferOf(1);
  offer.files = 2;
  EXPECT_EQ(Refused(offer).outcome, Outcome::kRefused);
  offer.files = 1;
  offer.roots = 2;
  offer.names = {"f", "g"};
  const Verdict verdict = Refused(offer);
  EXPECT_EQ(verdict.outcome, Outcome::kRefused);
  EXPECT_EQ(verdict.reason,
            "only one file of at most 134217728 bytes can be sent to be "
            "measured");
}

TEST_F(DiscardsTest, WhoMaySendNoFilesMaySendNoneToBeMeasured) {
  config_.peers["laptop"].files = PeerPolicy::Files::kRefuse;
  EXPECT_EQ(Refused(OfferOf(1)).reason,
            "this device takes no files from that one");
  // Nobody answers any more, so nobody agrees.
  config_.peers["laptop"].files = PeerPolicy::Files::kAsk;
  approvals_.Stop();
  EXPECT_EQ(Refused(OfferOf(1)).outcome, Outcome::kRefused);
}

}  // namespace
}  // namespace tactus::daemon
