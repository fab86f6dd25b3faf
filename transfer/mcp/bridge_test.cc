// The bridge on the memory network: every order of events, and the connection
// cut at each message and each byte of it.

#include "transfer/mcp/bridge.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/pipe_end.h"
#include "transfer/memory/network.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {
namespace {

DeviceId Id(uint8_t seed) {
  return DeviceId(KeyDigest::OfPublicKey({&seed, 1}));
}

// An agent that says its parts one after the other, and then nothing more, but
// keeps its end open; the end comes where it is to.
class ScriptedAgent : public ByteSource {
 public:
  ScriptedAgent(Clock* clock, std::vector<std::string> parts, bool ends)
      : clock_(*clock), parts_(std::move(parts)), ends_(ends) {}

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override {
    for (;;) {
      if (std::exchange(woken_, false)) return absl::CancelledError("woken");
      if (next_ < parts_.size()) {
        const std::string& part = parts_[next_++];
        std::copy(part.begin(), part.end(), into.begin());
        return part.size();
      }
      if (ends_) return 0;
      const absl::Time now = clock_.Now();
      if (now >= deadline) return absl::DeadlineExceededError("nothing said");
      clock_.SleepUntil(std::min(deadline, now + absl::Milliseconds(10)));
    }
  }
  void Wake() override { woken_ = true; }

 private:
  Clock& clock_;
  const std::vector<std::string> parts_;
  const bool ends_;
  size_t next_ = 0;
  bool woken_ = false;
};

class Heard : public ByteSink {
 public:
  absl::Status Write(absl::string_view bytes, absl::Time) override {
    if (left_ < bytes.size()) return absl::UnavailableError("gone");
    left_ -= bytes.size();
    absl::StrAppend(&text_, bytes);
    return absl::OkStatus();
  }
  // Reads so many bytes more.
  void set_left(size_t left) { left_ = left; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t left_ = SIZE_MAX;
};

std::string Output(absl::string_view text) {
  return absl::StrCat(FrameHead(FrameKind::kOutput, text.size()), text);
}
std::string EndFrame(const EndNote& note) {
  const std::string payload = EncodeEndNote(note);
  return absl::StrCat(FrameHead(FrameKind::kEnd, payload.size()), payload);
}

struct Told {
  BridgeEnd end;
  std::string heard;    // by the agent
  std::string arrived;  // at the server
  std::string errors;
};

struct Script {
  std::vector<std::string> says;  // the agent
  bool ends = true;               // and closes
  // Read so many bytes, then write these, and so on; then close.
  std::vector<std::pair<size_t, std::string>> answers;
  std::vector<MemoryFault> faults = {};
  size_t agent_reads = SIZE_MAX;
};

Told Play(const Script& script) {
  MemoryNetwork network({.faults = script.faults});
  Transport& a = network.Add(Id(1));
  Transport& b = network.Add(Id(2));
  Told told;
  ScriptedAgent agent(&network.clock(), script.says, script.ends);
  Heard heard;
  heard.set_left(script.agent_reads);
  std::unique_ptr<Stream> link;
  std::unique_ptr<Bridge> bridge;
  int ended = 0;
  const auto one_ended = [&] {
    if (++ended == 2) told.end = bridge->Finish();
  };
  const absl::Time later = absl::FromUnixSeconds(1000);
  auto opened = a.Open(Id(2), {.kind = StreamKind::kMcp, .label = "x"}, later);
  EXPECT_TRUE(opened.ok());
  link = *std::move(opened);
  bridge = std::make_unique<Bridge>(
      BridgeOptions{.link = link.get(),
                    .from_agent = &agent,
                    .to_agent = &heard,
                    .clock = &network.clock(),
                    .on_errors = [&](absl::string_view text) {
                      absl::StrAppend(&told.errors, text);
                    }});
  network.Run({[&] {
                 bridge->FromAgent();
                 one_ended();
               },
               [&] {
                 bridge->ToAgent();
                 one_ended();
               },
               [&] {
                 auto stream = b.Accept(later);
                 if (!stream.ok()) return;
                 const auto read = [&](size_t most) {
                   std::string buffer(most, '\0');
                   const auto n = (*stream)->Read(
                       absl::MakeSpan(buffer.data(), most), later);
                   if (!n.ok() || *n == 0) return false;
                   told.arrived.append(buffer, 0, *n);
                   return true;
                 };
                 size_t wanted = 0;
                 for (const auto& [bytes, answer] : script.answers) {
                   wanted += bytes;
                   while (told.arrived.size() < wanted) {
                     if (!read(wanted - told.arrived.size())) return;
                   }
                   if (!(*stream)->Write(answer, later).ok()) return;
                 }
                 if (!(*stream)->CloseWrite(later).ok()) return;
                 while (read(1000)) {
                 }
               }});
  told.heard = heard.text();
  return told;
}

constexpr char kOne[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}\n";
constexpr char kTwo[] = "{\"id\":2.0,\"method\":\"b\",\"jsonrpc\":\"2.0\"}\r\n";
constexpr char kNote[] = "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n";
constexpr char kAnswerOne[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
constexpr char kAnswerTwo[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{}}\n";

size_t Size(const char* text) { return absl::string_view(text).size(); }

// How often each id is in a whole line of `heard` that has it.
int Count(const std::string& heard, const std::string& member) {
  int count = 0;
  for (absl::string_view line : absl::StrSplit(heard, '\n')) {
    if (line.find(member) != absl::string_view::npos && !line.empty() &&
        line.back() == '}') {
      ++count;
    }
  }
  return count;
}

TEST(Bridge, BytesGoBothWaysAsTheyAre) {
  const std::string odd =
      "{\"id\":9007199254740993,\"method\":\"a\",\"x\":1.0,\"x\":1e2}\r\n"
      "\n \xFF\xFE no JSON\n\"\xE2\x80\xA8\"\nlast, without an end";
  const Told told =
      Play({.says = {odd},
            .answers = {{odd.size(), Output(odd)}, {0, EndFrame({})}}});
  EXPECT_EQ(told.arrived, odd);
  // Of the server's last line the end is made, since an error follows.
  EXPECT_EQ(told.heard.substr(0, odd.size()), odd);
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kServerEnded);
}

TEST(Bridge, BytesOneByOneAreTheSame) {
  const std::string said = absl::StrCat(kOne, "{\"\xF0\x9F\x98\x80\":1}\n");
  std::vector<std::string> bytes;
  for (const char byte : said) bytes.emplace_back(1, byte);
  std::string frames;
  const std::string answer =
      absl::StrCat("{\"\xF0\x9F\x98\x80\":1}\n", kAnswerOne);
  for (const char byte : answer) {
    absl::StrAppend(&frames, Output(std::string(1, byte)));
  }
  const Told told = Play(
      {.says = bytes, .answers = {{said.size(), frames}, {0, EndFrame({})}}});
  EXPECT_EQ(told.arrived, said);
  EXPECT_EQ(told.heard, answer);
  EXPECT_EQ(told.end.ended_requests, 0);
}

TEST(Bridge, AnswersAfterTheEndOfInputArrive) {
  const Told told =
      Play({.says = {kOne, kTwo},
            .answers = {{Size(kOne) + Size(kTwo), Output(kAnswerTwo)},
                        {0, Output(kAnswerOne)},
                        {0, EndFrame({})}}});
  EXPECT_EQ(told.heard, absl::StrCat(kAnswerTwo, kAnswerOne));
  EXPECT_EQ(told.end.message, "the server ended with code 0");
  EXPECT_EQ(told.end.ended_requests, 0);
}

TEST(Bridge, StandardErrorIsOfferedApart) {
  const std::string text(kLongestFrame, 'e');
  const Told told = Play(
      {.says = {kOne},
       .answers = {
           {Size(kOne), absl::StrCat(FrameHead(FrameKind::kErrors, text.size()),
                                     text, Output(kAnswerOne))},
           {0, EndFrame({})}}});
  EXPECT_EQ(told.heard, kAnswerOne);
  EXPECT_EQ(told.errors, text);
}

TEST(Bridge, ServerThatDiesEndsEachRequestOnce) {
  const Told told = Play(
      {.says = {kOne, kNote, kTwo},
       .ends = false,
       .answers = {{Size(kOne) + Size(kNote) + Size(kTwo), Output(kAnswerOne)},
                   {0, EndFrame({EndNote::Kind::kKilled, 9})}}});
  EXPECT_EQ(told.heard,
            absl::StrCat(kAnswerOne,
                         "{\"jsonrpc\":\"2.0\",\"id\":2.0,\"error\":{\"code\":"
                         "-32000,\"message\":\"the server was killed by signal "
                         "9: the request may have been carried out, and is not "
                         "sent again\",\"data\":{\"sent\":\"maybe\"}}}\n"));
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kServerEnded);
  EXPECT_EQ(told.end.ended_requests, 1);
  EXPECT_EQ(told.end.note, (EndNote{EndNote::Kind::kKilled, 9}));
}

TEST(Bridge, RequestThatWasTakenBackIsNotEnded) {
  // Servers do not answer what was cancelled, so it would be ended with them.
  constexpr char kTakenBack[] =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
      "\"params\":{\"requestId\":1}}\n";
  const Told told =
      Play({.says = {kOne, kTwo, kTakenBack},
            .ends = false,
            .answers = {{Size(kOne) + Size(kTwo) + Size(kTakenBack), ""},
                        {0, EndFrame({EndNote::Kind::kExited, 0})}}});
  EXPECT_EQ(Count(told.heard, "\"id\":1,"), 0) << told.heard;
  EXPECT_EQ(Count(told.heard, "\"id\":2.0,"), 1) << told.heard;
  EXPECT_EQ(told.end.ended_requests, 1);
}

TEST(Bridge, AnswerThatIsCutIsNoAnswer) {
  const Told told =
      Play({.says = {kOne},
            .ends = false,
            .answers = {{Size(kOne), Output("{\"jsonrpc\":\"2.0\",\"id\":1,")},
                        {0, EndFrame({EndNote::Kind::kExited, 3})}}});
  EXPECT_EQ(told.heard,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\n{\"jsonrpc\":\"2.0\",\"id\":1,"
            "\"error\":{\"code\":-32000,\"message\":\"the server ended with "
            "code 3: the request may have been carried out, and is not sent "
            "again\",\"data\":{\"sent\":\"maybe\"}}}\n");
}

TEST(Bridge, ServerThatCannotBeStartedEndsWhatIsAskedOfIt) {
  const Told told =
      Play({.says = {kOne},
            .ends = false,
            .answers = {{Size(kOne), EndFrame({EndNote::Kind::kNotStarted, 0,
                                               "there is no program 'x'"})}}});
  EXPECT_EQ(Count(told.heard, "\"id\":1,"), 1);
  EXPECT_EQ(told.end.message,
            "the server was not started: there is no program 'x'");
}

TEST(Bridge, ServersOwnRequestsAndAnswersToThemPass) {
  const std::string asks =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
  const std::string answers = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
  const Told told =
      Play({.says = {kOne, answers},
            .ends = false,
            .answers = {{Size(kOne) + answers.size(), Output(asks)},
                        {0, EndFrame({})}}});
  EXPECT_EQ(told.arrived, absl::StrCat(kOne, answers));
  // The agent's own request of the same id is pending still.
  EXPECT_EQ(Count(told.heard, "\"error\""), 1);
}

// Whatever is cut where: each request is answered or ended exactly once, and
// nothing that the agent said is sent twice.
TEST(Bridge, CutAtEachByteOfEachMessageEndsEachRequestOnce) {
  const Script script = {
      .says = {kOne, kNote, kTwo},
      .ends = false,
      .answers = {{Size(kOne), Output(kAnswerOne)},
                  {Size(kNote) + Size(kTwo), Output(kAnswerTwo)},
                  {0, EndFrame({})}}};
  const std::string all = absl::StrCat(kOne, kNote, kTwo);
  int cuts = 0;
  for (size_t message = 1; message < 10; ++message) {
    for (size_t keep = 0; keep < 60; keep += message == 1 ? 1 : 7) {
      for (const bool told_so : {true, false}) {
        Script cut = script;
        cut.faults = {{.message = message,
                       .kind = MemoryFault::kCut,
                       .keep = keep,
                       .writer_told = told_so}};
        const Told told = Play(cut);
        ++cuts;
        EXPECT_EQ(Count(told.heard, "\"id\":1,"), 1)
            << message << " " << keep << " " << told.heard;
        EXPECT_EQ(
            Count(told.heard, "\"id\":2.0,") + Count(told.heard, "\"id\":2,"),
            1)
            << message << " " << keep << " " << told.heard;
        EXPECT_EQ(told.arrived, all.substr(0, told.arrived.size()));
      }
    }
  }
  EXPECT_GT(cuts, 100);
}

TEST(Bridge, RequestThatIsSaidAfterTheEndIsNotSentAndEnded) {
  const Told told =
      Play({.says = {std::string(kOne, 10), std::string(kOne + 10), kTwo},
            .ends = false,
            .answers = {},
            .faults = {{.message = 1, .kind = MemoryFault::kCut, .keep = 0}}});
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kLinkLost);
  EXPECT_EQ(told.end.ended_requests, 2);
  EXPECT_EQ(Count(told.heard, "\"id\":1,"), 1);
  EXPECT_EQ(Count(told.heard, "\"data\":{\"sent\":\"no\"}"), 1);
}

TEST(Bridge, AgentThatReadsNoMoreEndsIt) {
  const Told told = Play(
      {.says = {kOne},
       .ends = false,
       .answers = {{Size(kOne), Output(kAnswerOne)}, {0, Output(kAnswerTwo)}},
       .agent_reads = 20});
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kAgentGone);
  EXPECT_EQ(told.heard, "");
}

TEST(Bridge, PeerThatSendsNoFramesIsLost) {
  const Told told = Play(
      {.says = {kOne}, .ends = false, .answers = {{Size(kOne), "nonsense"}}});
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kLinkLost);
  EXPECT_EQ(told.end.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Count(told.heard, "\"id\":1,"), 1);
}

TEST(Bridge, EndWithoutAWordOfTheServerIsALoss) {
  const Told told =
      Play({.says = {kOne}, .answers = {{Size(kOne), Output(kAnswerOne)}}});
  EXPECT_EQ(told.end.kind, BridgeEnd::Kind::kLinkLost);
  EXPECT_EQ(told.end.ended_requests, 0);
}

}  // namespace
}  // namespace tactus::transfer
