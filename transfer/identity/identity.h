// The key of this device: what it proves itself with to those it is paired
// with, for as long as it exists.
//
// A P-256 key and a certificate that it signed itself, in one PEM file that is
// made at the first start and never again. TLS now, and DTLS later, both speak
// with it. Nobody but the key vouches for it: a peer pins the key (see
// PinnedPeers), and what else the certificate says is ignored, its dates too,
// so that a wrong clock locks nobody out.
//
// Example:
//
//   absl::StatusOr<PrivateFolder> folder = PrivateFolder::Open(state_folder);
//   absl::StatusOr<Identity> identity = Identity::LoadOrCreate(*folder);
//   identity->id().text();   // "7ZK0-M2QX-..."
//
// Caveat: a copy of the file is the device. To make a device anew, remove the
// file, and pair again with everybody.
#ifndef TACTUS_TRANSFER_IDENTITY_IDENTITY_H_
#define TACTUS_TRANSFER_IDENTITY_IDENTITY_H_

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/private_folder.h"

namespace tactus::transfer {

class Identity {
 public:
  static constexpr absl::string_view kFileName = "identity.pem";

  // What the folder holds, or a new one, of which the folder then holds the
  // whole. DataLoss with what to do when the file is there and not a key of
  // ours; PermissionDenied from PrivateFolder.
  static absl::StatusOr<Identity> LoadOrCreate(const PrivateFolder& folder);

  // A new one, kept nowhere: for tests and for trying.
  static absl::StatusOr<Identity> Generate();

  const DeviceId& id() const { return id_; }
  const KeyDigest& digest() const { return digest_; }

  // Owned by this.
  EVP_PKEY* key() const { return key_.get(); }
  X509* certificate() const { return certificate_.get(); }

  // The certificate as it goes over the wire.
  std::string CertificateDer() const;

 private:
  Identity() = default;
  static absl::StatusOr<Identity> Parse(const std::string& pem);
  absl::StatusOr<std::string> Format() const;

  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> certificate_;
  KeyDigest digest_;
  DeviceId id_;
};

// What a certificate is pinned by: the digest of its key. InvalidArgument where
// it holds none.
absl::StatusOr<KeyDigest> DigestOfCertificate(const X509* certificate);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_IDENTITY_IDENTITY_H_
