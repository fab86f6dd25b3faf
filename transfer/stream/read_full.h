// Reads as many bytes as were asked for, where a stream gives what is there.
//
// Use it for what has a known length: a frame's head, a chunk.
//
// Example:
//
//   char head[16];
//   absl::Status read = ReadFull(*stream, absl::MakeSpan(head), deadline);
//
// Caveat: after a failure some of the bytes are gone, also after
// DeadlineExceeded. Give up the stream.
#ifndef TACTUS_TRANSFER_STREAM_READ_FULL_H_
#define TACTUS_TRANSFER_STREAM_READ_FULL_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

// OutOfRange when the peer closed its side before the first byte; DataLoss,
// with how many came, when it did so after it; otherwise what Read returned.
absl::Status ReadFull(Stream& stream, absl::Span<char> into,
                      absl::Time deadline);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_STREAM_READ_FULL_H_
