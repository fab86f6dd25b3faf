// The verbs of the seam as bytes, between the two processes of the benchmark.
//
// A message is its length in four bytes and then its parts, one after the
// other; both ends are the same program's, so there is no version. What is read
// is checked all the same: an end that died leaves half a message.
//
//   Packer request;
//   request.Put(Verb::kRead).Put(element).Put(Attribute::kRole);
//   absl::StatusOr<std::string> answer = Exchange(fd, request.bytes());
//   Unpacker reply(*answer);
//   const Reading reading = reply.TakeReading();
//   if (!reply.ok()) ...
#ifndef TACTUS_AX_BENCH_WIRE_H_
#define TACTUS_AX_BENCH_WIRE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::bench {

// A snapshot of the benchmark's text is some hundred bytes.
inline constexpr uint32_t kMostMessage = 1 << 20;

enum class Verb : int64_t {
  kFocusedApplication,
  kWindowList,
  kApplicationOfProcess,
  kFocusedElements,
  kReadMany,
  kWrite,
  kObserve,
};

class Packer {
 public:
  Packer& Put(int64_t number);
  Packer& Put(absl::string_view text);
  Packer& Put(Range range) { return Put(range.begin).Put(range.end); }
  Packer& Put(const Element& element) {
    return Put(element.application).Put(element.path);
  }
  Packer& Put(const Application& application);
  Packer& PutStatus(const absl::Status& status);
  Packer& PutReading(const Reading& reading);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Takes the parts in the order in which they were put. After one that is not
// there all are empty and ok() is false.
class Unpacker {
 public:
  explicit Unpacker(absl::string_view bytes) : bytes_(bytes) {}

  int64_t TakeNumber();
  std::string TakeText();
  Range TakeRange();
  Element TakeElement();
  Application TakeApplication();
  absl::Status TakeStatus();
  Reading TakeReading();
  bool ok() const { return ok_; }

 private:
  absl::string_view bytes_;
  bool ok_ = true;
};

// Writes one message. Unavailable when the other end is gone.
absl::Status Send(int fd, absl::string_view bytes);
// Waits for one, for ever: the benchmark ends the process that it waits for.
// Unavailable when the other end is gone, DataLoss when it sends too much.
absl::StatusOr<std::string> Receive(int fd);

inline absl::StatusOr<std::string> Exchange(int fd, absl::string_view bytes) {
  if (absl::Status sent = Send(fd, bytes); !sent.ok()) return sent;
  return Receive(fd);
}

}  // namespace tactus::ax::bench

#endif  // TACTUS_AX_BENCH_WIRE_H_
