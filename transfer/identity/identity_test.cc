#include "transfer/identity/identity.h"

#include <openssl/asn1.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/private_folder.h"

namespace tactus::transfer {
namespace {

std::string NewPath() {
  std::string pattern = absl::StrCat(testing::TempDir(), "/identity.XXXXXX");
  return absl::StrCat(mkdtemp(pattern.data()), "/state");
}

TEST(Identity, IsMadeOnceAndTheSameAtTheNextStart) {
  const std::string path = NewPath();
  const PrivateFolder folder = *PrivateFolder::Open(path);
  const absl::StatusOr<Identity> first = Identity::LoadOrCreate(folder);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::StatusOr<Identity> second = Identity::LoadOrCreate(folder);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(first->id(), second->id());
  EXPECT_EQ(first->CertificateDer(), second->CertificateDer());
  struct stat info;
  ASSERT_EQ(stat((path + "/identity.pem").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
}

TEST(Identity, TwoDevicesDiffer) {
  EXPECT_NE(Identity::Generate()->id(), Identity::Generate()->id());
}

TEST(Identity, OfManyStartsAtOnceOneMakesItAndAllAreIt) {
  const PrivateFolder folder = *PrivateFolder::Open(NewPath());
  std::vector<std::string> ids(8);
  std::vector<std::thread> threads;
  for (std::string& id : ids) {
    threads.emplace_back([&folder, &id] {
      const absl::StatusOr<Identity> identity = Identity::LoadOrCreate(folder);
      if (identity.ok()) id = identity->id().text();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 1u);
  EXPECT_NE(ids[0], "");
}

TEST(Identity, IdIsThatOfTheKeyInTheCertificate) {
  const Identity identity = *Identity::Generate();
  EXPECT_EQ(DigestOfCertificate(identity.certificate())->Hex(),
            identity.digest().Hex());
  EXPECT_EQ(DeviceId(identity.digest()), identity.id());
  char name[64];
  X509_NAME_get_text_by_NID(X509_get_subject_name(identity.certificate()),
                            NID_commonName, name, sizeof(name));
  EXPECT_EQ(name, identity.id().text());
}

TEST(Identity, CertificateIsOfP256SelfSignedAndNeverEnds) {
  const Identity identity = *Identity::Generate();
  EXPECT_EQ(EVP_PKEY_get_bits(identity.key()), 256);
  EXPECT_EQ(X509_verify(identity.certificate(), identity.key()), 1);
  EXPECT_EQ(
      absl::string_view(reinterpret_cast<const char*>(
          ASN1_STRING_get0_data(X509_get0_notAfter(identity.certificate())))),
      "99991231235959Z");
  EXPECT_EQ(X509_get_extension_flags(identity.certificate()) & EXFLAG_CA, 0u);
}

class DamagedIdentity : public testing::Test {
 protected:
  DamagedIdentity() : folder_(*PrivateFolder::Open(NewPath())) { pem_ = Pem(); }

  static std::string Pem() {
    const PrivateFolder other = *PrivateFolder::Open(NewPath());
    (void)Identity::LoadOrCreate(other);
    return *other.Read(Identity::kFileName, 16 << 10);
  }

  void ExpectRefused(const std::string& pem, absl::string_view why) {
    ASSERT_TRUE(folder_.Replace(Identity::kFileName, pem).ok());
    const absl::StatusOr<Identity> identity = Identity::LoadOrCreate(folder_);
    EXPECT_EQ(identity.status().code(), absl::StatusCode::kDataLoss);
    EXPECT_TRUE(absl::StrContains(identity.status().message(), why))
        << identity.status();
    EXPECT_TRUE(absl::StrContains(identity.status().message(), "move it away"));
    // It is never made anew over what is there.
    EXPECT_EQ(*folder_.Read(Identity::kFileName, 16 << 10), pem);
  }

  PrivateFolder folder_;
  std::string pem_;
};

TEST_F(DamagedIdentity, CutAnywhereItIsRefusedAndKept) {
  for (size_t size = 0; size + 1 < pem_.size(); size += 7) {
    ExpectRefused(pem_.substr(0, size), "holds no identity");
  }
}

TEST_F(DamagedIdentity, ACertificateOfAnotherKeyIsRefused) {
  const std::string other = Pem();
  const size_t cut = pem_.find("-----BEGIN CERT");
  const size_t other_cut = other.find("-----BEGIN CERT");
  ExpectRefused(pem_.substr(0, cut) + other.substr(other_cut),
                "its certificate is not of its key");
}

TEST_F(DamagedIdentity, AnotherKindOfKeyIsRefused) {
  // RFC 8410, section 10.3: an Ed25519 key.
  ExpectRefused(
      "-----BEGIN PRIVATE KEY-----\n"
      "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n",
      "its key is not of P-256");
}

TEST_F(DamagedIdentity, AnEncryptedKeyAsksNobody) {
  ExpectRefused(
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n",
      "no private key");
}

}  // namespace
}  // namespace tactus::transfer
