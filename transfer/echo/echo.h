// A message to a peer and back: what the channel to it takes, and whether it
// answers at all.
//
// Use it to measure, and to ask before something long is begun. Nothing is done
// with the message but to send it back, so every paired device may ask.
//
// Example, one device and the other:
//
//   auto stream = transport.Open(peer, EchoHeader(), deadline);
//   absl::StatusOr<std::string> answer = Echo(**stream, "hello", deadline);
//
//   absl::Status ended = ServeEcho(*accepted, Clock::Real());
//
// On the wire (docs/protocol.md): the length of the message, two bytes, the
// higher first, then the message; the answer is the same bytes. One message is
// under way at a time. Either side may close where a message could begin.
#ifndef TACTUS_TRANSFER_ECHO_ECHO_H_
#define TACTUS_TRANSFER_ECHO_ECHO_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

// A page: what is longer measures the rate and no trip. It bounds what a peer
// makes us hold.
inline constexpr size_t kLongestEcho = 4096;
// A stream on which nothing is asked for so long is ended, with the thread that
// waits on it.
inline constexpr absl::Duration kEchoSilence = absl::Seconds(30);

StreamHeader EchoHeader();

// Sends `message`, 1 to kLongestEcho bytes, and returns what came back.
// DataLoss where that is not what was sent; InvalidArgument for a message that
// is empty or too long; otherwise what the stream says. After a failure the
// stream is of no use any more.
absl::StatusOr<std::string> Echo(Stream& stream, absl::string_view message,
                                 absl::Time deadline);

// Its two halves, for who does not wait where it asks.
absl::Status AskEcho(Stream& stream, absl::string_view message,
                     absl::Time deadline);
absl::StatusOr<std::string> HearEcho(Stream& stream, absl::string_view message,
                                     absl::Time deadline);

// Answers until the peer closes (OK), says nothing for kEchoSilence
// (DeadlineExceeded), sends what is no message (InvalidArgument), or the stream
// fails.
absl::Status ServeEcho(Stream& stream, Clock& clock);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_ECHO_ECHO_H_
