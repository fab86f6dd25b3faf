#include "transfer/identity/identity.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/private_folder.h"

namespace tactus::transfer {
namespace {

// A key and a certificate of ours take about 900 bytes.
constexpr size_t kMostPem = 16 << 10;

absl::Status Failed(absl::string_view what) {
  char reason[256];
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  ERR_clear_error();
  return absl::InternalError(
      absl::StrCat("OpenSSL cannot ", what, ": ", reason));
}

bool IsP256(const EVP_PKEY* key) {
  char group[32] = "";
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group,
                                        sizeof(group), nullptr) == 1 &&
         absl::string_view(group) == SN_X9_62_prime256v1;
}

bool AddExtension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, &context, nid, value);
  const bool added =
      extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return added;
}

// Signed by its own key, valid from 1970 until the end of 9999 (RFC 5280
// section 4.1.2.5: no well-defined end), named by the device's id.
bool Fill(X509* certificate, EVP_PKEY* key, const std::string& name) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof(serial)) != 1) return false;
  serial[0] = static_cast<unsigned char>((serial[0] & 0x7F) | 0x40);
  BIGNUM* number = BN_bin2bn(serial, sizeof(serial), nullptr);
  const bool numbered =
      number != nullptr &&
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  X509_NAME* subject = X509_get_subject_name(certificate);
  return numbered && X509_set_version(certificate, X509_VERSION_3) == 1 &&
         ASN1_TIME_set_string(X509_getm_notBefore(certificate),
                              "700101000000Z") == 1 &&
         ASN1_TIME_set_string(X509_getm_notAfter(certificate),
                              "99991231235959Z") == 1 &&
         X509_NAME_add_entry_by_txt(
             subject, "CN", MBSTRING_ASC,
             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
             0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         X509_set_pubkey(certificate, key) == 1 &&
         AddExtension(certificate, NID_basic_constraints,
                      "critical,CA:FALSE") &&
         AddExtension(certificate, NID_key_usage,
                      "critical,digitalSignature") &&
         AddExtension(certificate, NID_ext_key_usage,
                      "serverAuth,clientAuth") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

// No passphrase is ever asked for on a terminal.
int NoPassphrase(char*, int, int, void*) { return -1; }

}  // namespace

absl::StatusOr<KeyDigest> DigestOfCertificate(const X509* certificate) {
  unsigned char* der = nullptr;
  const int size =
      certificate == nullptr
          ? -1
          : i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  if (size <= 0) {
    ERR_clear_error();
    return absl::InvalidArgumentError("the certificate holds no public key");
  }
  const KeyDigest digest = KeyDigest::OfPublicKey(
      absl::MakeConstSpan(der, static_cast<size_t>(size)));
  OPENSSL_free(der);
  return digest;
}

absl::StatusOr<Identity> Identity::Generate() {
  Identity identity;
  identity.key_.reset(EVP_EC_gen("P-256"), EVP_PKEY_free);
  identity.certificate_.reset(X509_new(), X509_free);
  if (identity.key_ == nullptr || identity.certificate_ == nullptr) {
    return Failed("make a P-256 key");
  }
  // The name holds the id, which is known once the key is in the certificate.
  X509* certificate = identity.certificate();
  if (X509_set_pubkey(certificate, identity.key()) != 1) {
    return Failed("put the key into a certificate");
  }
  const absl::StatusOr<KeyDigest> digest = DigestOfCertificate(certificate);
  if (!digest.ok()) return digest.status();
  identity.digest_ = *digest;
  identity.id_ = DeviceId(*digest);
  if (!Fill(certificate, identity.key(), identity.id_.text())) {
    return Failed("make a certificate");
  }
  return identity;
}

absl::StatusOr<std::string> Identity::Format() const {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
  if (bio == nullptr ||
      PEM_write_bio_PrivateKey(bio.get(), key(), nullptr, nullptr, 0, nullptr,
                               nullptr) != 1 ||
      PEM_write_bio_X509(bio.get(), certificate()) != 1) {
    return Failed("write the key");
  }
  char* data = nullptr;
  const int64_t size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

absl::StatusOr<Identity> Identity::Parse(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  Identity identity;
  identity.key_.reset(
      PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassphrase, nullptr),
      EVP_PKEY_free);
  if (identity.key_ == nullptr) {
    ERR_clear_error();
    return absl::DataLossError("it begins with no private key");
  }
  if (!IsP256(identity.key())) {
    return absl::DataLossError("its key is not of P-256");
  }
  identity.certificate_.reset(
      PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr), X509_free);
  if (identity.certificate_ == nullptr) {
    ERR_clear_error();
    return absl::DataLossError("no certificate follows the key");
  }
  if (X509_check_private_key(identity.certificate(), identity.key()) != 1 ||
      X509_verify(identity.certificate(), identity.key()) != 1) {
    ERR_clear_error();
    return absl::DataLossError("its certificate is not of its key");
  }
  const absl::StatusOr<KeyDigest> digest =
      DigestOfCertificate(identity.certificate());
  if (!digest.ok()) return digest.status();
  identity.digest_ = *digest;
  identity.id_ = DeviceId(*digest);
  return identity;
}

absl::StatusOr<Identity> Identity::LoadOrCreate(const PrivateFolder& folder) {
  absl::StatusOr<std::string> pem = folder.Read(kFileName, kMostPem);
  if (absl::IsNotFound(pem.status())) {
    const absl::StatusOr<Identity> made = Generate();
    if (!made.ok()) return made.status();
    const absl::StatusOr<std::string> text = made->Format();
    if (!text.ok()) return text.status();
    const absl::Status created = folder.Create(kFileName, *text);
    if (created.ok()) return made;
    // Another process was sooner: then this device is what that one made.
    if (!absl::IsAlreadyExists(created)) return created;
    pem = folder.Read(kFileName, kMostPem);
  }
  if (!pem.ok()) return pem.status();
  absl::StatusOr<Identity> identity = Parse(*pem);
  if (absl::IsDataLoss(identity.status())) {
    return absl::DataLossError(absl::StrCat(
        folder.path(), "/", kFileName,
        " holds no identity: ", identity.status().message(),
        ". Put a good copy back, or move it away to become a new device and "
        "pair again with everybody"));
  }
  return identity;
}

std::string Identity::CertificateDer() const {
  unsigned char* der = nullptr;
  const int size = i2d_X509(certificate(), &der);
  std::string bytes(reinterpret_cast<char*>(der),
                    size > 0 ? static_cast<size_t>(size) : 0);
  OPENSSL_free(der);
  return bytes;
}

}  // namespace tactus::transfer
