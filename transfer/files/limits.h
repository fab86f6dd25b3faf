// The sizes that both ends of a transfer must agree on (docs/protocol.md).
#ifndef TACTUS_TRANSFER_FILES_LIMITS_H_
#define TACTUS_TRANSFER_FILES_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace tactus::transfer::files {

// What is hashed and sent as one: large enough that what goes beside it does
// not count, small enough to stay in a processor's cache and to lose little
// with a cut.
inline constexpr size_t kChunk = size_t{1} << 20;
// Chunks of one file that the receiver says it has in one answer: 16 KiB of
// hashes for one GiB, which a slow disk reads within the other's patience.
inline constexpr size_t kGroup = 1024;
// Files that were declared and whose content has not ended. The receiver may
// hold one open for each.
inline constexpr size_t kMostDeclared = 128;
// Names of what is sent, for whoever decides; more are only counted.
inline constexpr size_t kMostNames = 16;
// What a sender may send with its offer, before it is answered: so little that
// to wait would take longer than to send it in vain, and that a receiver that
// asks a person first need read none of it meanwhile.
inline constexpr uint64_t kEarlyBytes = uint64_t{16} << 10;
inline constexpr uint64_t kEarlyFiles = 16;
// Of a text that says why.
inline constexpr size_t kLongestReason = 512;
// The size of a file that is not known before its end.
inline constexpr uint64_t kSizeUnknown = UINT64_MAX;
// The largest file: what the kernel's offsets can say.
inline constexpr uint64_t kLargestFile = INT64_MAX;

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_LIMITS_H_
