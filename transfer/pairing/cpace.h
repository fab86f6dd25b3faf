// CPace: two parties that know the same short secret agree on a key, and
// whoever does not know it gets one guess for each run and nothing to try
// guesses on.
//
// The suite CPACE-RISTR255-SHA512, where one party begins and the other
// answers, and where neither does. Use it where a person carries the secret
// from one device to the other; what the key is worth is proved with it
// afterwards (pairing.h does).
//
// Example, the initiator:
//
//   absl::StatusOr<CPace> mine = CPace::Create(
//       CPace::Role::kInitiator, {.secret = "...", .channel = ..., .sid =
//       ...});
//   Send(mine->share());
//   absl::StatusOr<CPaceKey> agreed = mine->Finish("A", peers_share, "B");
//   agreed->key;   // 64 bytes
//
// `channel` binds what both must agree on without saying it, such as who they
// are; `sid` must be new for every run. The associated data is public, each
// party's own, and bound too.
//
// Caveat: the key is not yet confirmed. A peer with another secret, channel,
// sid or data has another key, and nobody has noticed.
//
// Source: draft-irtf-cfrg-cpace; its vectors are in testdata/.
#ifndef TACTUS_TRANSFER_PAIRING_CPACE_H_
#define TACTUS_TRANSFER_PAIRING_CPACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

struct CPaceInput {
  std::string secret;   // PRS: what a person carried
  std::string channel;  // CI
  std::string sid;
};

struct CPaceKey {
  std::string key;  // ISK
  // Names the run; both parties have it, and so has whoever heard the shares.
  std::string session_id;
};

class CPace {
 public:
  static constexpr size_t kShareSize = 32;
  static constexpr size_t kKeySize = 64;

  // kSymmetric: neither party is the first, and both say so.
  enum class Role { kInitiator, kResponder, kSymmetric };

  // With a new scalar. Internal where libsodium cannot be started.
  static absl::StatusOr<CPace> Create(Role role, const CPaceInput& input);
  // With a given one, of 32 bytes, less than the order of the group and not 0:
  // for vectors. InvalidArgument.
  static absl::StatusOr<CPace> CreateWithScalar(Role role,
                                                const CPaceInput& input,
                                                absl::string_view scalar);

  CPace(CPace&& other) noexcept;
  CPace& operator=(CPace&& other) = delete;
  // Wipes the scalar.
  ~CPace();

  // What the peer is sent: Ya or Yb, kShareSize bytes.
  const std::string& share() const { return share_; }

  // The key and the name of the run, kKeySize bytes each. PermissionDenied for
  // a share that is no valid point, that is the neutral one, or that is this
  // side's own, which was thrown back.
  absl::StatusOr<CPaceKey> Finish(absl::string_view own_data,
                                  absl::string_view peer_share,
                                  absl::string_view peer_data) const;

  // The steps, for vectors.

  // The generator of the group for this run, kShareSize bytes.
  static std::string Generator(const CPaceInput& input);
  // X times the scalar; nothing where X is no valid point or the product is the
  // neutral one.
  static absl::StatusOr<std::string> Multiply(absl::string_view scalar,
                                              absl::string_view x);

 private:
  CPace() = default;

  Role role_ = Role::kInitiator;
  std::string sid_;
  std::array<uint8_t, kShareSize> scalar_ = {};
  std::string share_;
};

// Each part after its length (LEB128), as the draft joins strings.
std::string JoinWithLengths(std::initializer_list<absl::string_view> parts);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_CPACE_H_
