#include "transfer/stream/read_full.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

absl::Status ReadFull(Stream& stream, absl::Span<char> into,
                      absl::Time deadline) {
  size_t got = 0;
  while (got < into.size()) {
    const absl::StatusOr<size_t> n = stream.Read(into.subspan(got), deadline);
    if (!n.ok()) return n.status();
    if (*n == 0 && got == 0) {
      return absl::OutOfRangeError("the peer has nothing more to say");
    }
    if (*n == 0) {
      return absl::DataLossError(absl::StrCat("the peer closed its side after ",
                                              got, " of ", into.size(),
                                              " bytes"));
    }
    got += *n;
  }
  return absl::OkStatus();
}

}  // namespace tactus::transfer
