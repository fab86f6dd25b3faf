// The two pipes between an agent and its bridge, as the bridge sees them.
//
// Use FdSource and FdSink on standard input and output; a test has ends of its
// own. Deadlines are on Clock::Real().
//
// Example:
//
//   FdSource input(STDIN_FILENO);
//   FdSink output(STDOUT_FILENO);
//   absl::StatusOr<size_t> n = input.Read(buffer, absl::InfiniteFuture());
#ifndef TACTUS_TRANSFER_MCP_PIPE_END_H_
#define TACTUS_TRANSFER_MCP_PIPE_END_H_

#include <sys/types.h>

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tactus::transfer {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // What is there, at least a byte; 0 at the end. DeadlineExceeded; Cancelled
  // once for a Wake; other errors are final.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> into,
                                      absl::Time deadline) = 0;
  // Makes the Read that waits, or the next one, return Cancelled. Any thread.
  virtual void Wake() = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // All of `bytes`. Unavailable where nobody reads any more.
  virtual absl::Status Write(absl::string_view bytes, absl::Time deadline) = 0;
};

// Neither owns its descriptor or changes its mode, which others may share.
class FdSource : public ByteSource {
 public:
  explicit FdSource(int fd);
  ~FdSource() override;
  FdSource(const FdSource&) = delete;
  FdSource& operator=(const FdSource&) = delete;

  // False where there was no descriptor for Wake: then nothing ends a Read that
  // waits, so do not begin one.
  bool good() const { return wake_ >= 0; }

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override;
  void Wake() override;

 private:
  const int fd_;
  const int wake_;
  const int own_;  // the same pipe, never blocking; -1: it is none
};

// SIGPIPE must be ignored in the process.
class FdSink : public ByteSink {
 public:
  explicit FdSink(int fd);
  ~FdSink() override;
  FdSink(const FdSink&) = delete;
  FdSink& operator=(const FdSink&) = delete;

  // As of FdSource, for Abandon.
  bool good() const { return abandoned_ >= 0; }

  absl::Status Write(absl::string_view bytes, absl::Time deadline) override;
  // From now on nothing waits for who reads: what does not fit at once is
  // Cancelled. Any thread.
  void Abandon();

 private:
  // What is taken at once: bytes, or -1 and errno.
  ssize_t Some(absl::string_view bytes) const;

  const int fd_;
  const int abandoned_;
  const int own_;  // the same pipe, never blocking; -1: it is none
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_PIPE_END_H_
