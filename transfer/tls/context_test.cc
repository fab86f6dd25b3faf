#include "transfer/tls/context.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"

namespace tactus::transfer {
namespace {

// A device: its key, whom it pinned, its TLS.
struct Device {
  Device() : identity(*Identity::Generate()) { Restart(); }

  void Restart() {
    context = *TlsContext::Create(identity, [this](const KeyDigest& key) {
      return pins.count(key) != 0;
    });
  }

  Identity identity;
  std::set<KeyDigest> pins;
  std::unique_ptr<TlsContext> context;
};

// The two ends of one connection, joined in memory.
struct Link {
  Link(SslPtr client_end, SslPtr server_end)
      : client(std::move(client_end)), server(std::move(server_end)) {
    BIO* to_server = BIO_new(BIO_s_mem());
    BIO* to_client = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(to_server, -1);
    BIO_set_mem_eof_return(to_client, -1);
    BIO_up_ref(to_server);
    BIO_up_ref(to_client);
    SSL_set_bio(client.get(), to_client, to_server);
    SSL_set_bio(server.get(), to_server, to_client);
  }

  // Whether both sides finished.
  bool Handshake() {
    bool client_done = false;
    bool server_done = false;
    for (int i = 0; i < 10; ++i) {
      client_done = client_done || SSL_do_handshake(client.get()) == 1;
      NoteAlert();
      server_done = server_done || SSL_do_handshake(server.get()) == 1;
      ERR_clear_error();
    }
    // The alert or the tickets that the server sent last.
    char byte;
    SSL_read(client.get(), &byte, 1);
    NoteAlert();
    return client_done && server_done;
  }

  void NoteAlert() {
    const int reason = ERR_GET_REASON(ERR_peek_error());
    ERR_clear_error();
    if (reason > SSL_AD_REASON_OFFSET && client_alert == 0) {
      client_alert = reason - SSL_AD_REASON_OFFSET;
    }
  }

  SslPtr client;
  SslPtr server;
  int client_alert = 0;  // that the server sent
};

Link Connect(Device& client, Device& server) {
  return Link(*client.context->NewClient(server.identity.digest()),
              *server.context->NewServer());
}

class TlsContextTest : public testing::Test {
 protected:
  TlsContextTest() {
    laptop_.pins.insert(desk_.identity.digest());
    desk_.pins.insert(laptop_.identity.digest());
  }

  Device laptop_;
  Device desk_;
};

TEST_F(TlsContextTest, PairedDevicesProveTheirKeysToEachOther) {
  Link link = Connect(laptop_, desk_);
  ASSERT_TRUE(link.Handshake());
  EXPECT_EQ(*laptop_.context->CheckPeer(link.client.get()),
            desk_.identity.digest());
  EXPECT_EQ(*desk_.context->CheckPeer(link.server.get()),
            laptop_.identity.digest());
  EXPECT_EQ(SSL_version(link.client.get()), TLS1_3_VERSION);
  EXPECT_EQ(SSL_session_reused(link.client.get()), 0);
}

TEST_F(TlsContextTest, AesComesFirstWhereTheProcessorHasIt) {
  Link link = Connect(laptop_, desk_);
  ASSERT_TRUE(link.Handshake());
#if defined(__x86_64__)
  const bool aes = __builtin_cpu_supports("aes") != 0;
  EXPECT_STREQ(SSL_get_cipher_name(link.client.get()),
               aes ? "TLS_AES_128_GCM_SHA256" : "TLS_CHACHA20_POLY1305_SHA256");
#endif
}

TEST_F(TlsContextTest, AStrangerIsRefusedAndTold) {
  Device stranger;
  stranger.pins.insert(desk_.identity.digest());
  Link link = Connect(stranger, desk_);
  EXPECT_FALSE(link.Handshake());
  EXPECT_EQ(link.client_alert, SSL_AD_BAD_CERTIFICATE);
  const absl::Status refusal = TlsContext::Refusal(link.server.get());
  EXPECT_EQ(refusal.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(
      absl::StrContains(refusal.message(), stranger.identity.id().text()));
}

TEST_F(TlsContextTest, WhoHasNoCertificateIsRefused) {
  SSL_CTX* bare = SSL_CTX_new(TLS_client_method());
  SslPtr client(SSL_new(bare));
  SSL_set_connect_state(client.get());
  SSL_set_alpn_protos(
      client.get(), reinterpret_cast<const unsigned char*>("\x08tactus/1"), 9);
  Link link(std::move(client), *desk_.context->NewServer());
  EXPECT_FALSE(link.Handshake());
  EXPECT_EQ(link.client_alert, 116);  // certificate_required
  SSL_CTX_free(bare);
}

TEST_F(TlsContextTest, AnotherKeyThanThePinnedOneIsRefusedThoughPinnedToo) {
  // Somebody else who is paired as well answers at the peer's address.
  Device other;
  other.pins.insert(laptop_.identity.digest());
  laptop_.pins.insert(other.identity.digest());
  Link link(*laptop_.context->NewClient(desk_.identity.digest()),
            *other.context->NewServer());
  EXPECT_FALSE(link.Handshake());
  const absl::Status refusal = TlsContext::Refusal(link.client.get());
  EXPECT_EQ(refusal.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(refusal.message(), "somebody is in between"));
  EXPECT_TRUE(absl::StrContains(refusal.message(), other.identity.id().text()));
}

TEST_F(TlsContextTest, AMachineInTheMiddleWithKeysOfItsOwnIsRefusedByBoth) {
  Device middle;
  middle.pins = {laptop_.identity.digest(), desk_.identity.digest()};
  Link near(*laptop_.context->NewClient(desk_.identity.digest()),
            *middle.context->NewServer());
  EXPECT_FALSE(near.Handshake());
  Link far = Connect(middle, desk_);
  EXPECT_FALSE(far.Handshake());
}

TEST_F(TlsContextTest, OlderTlsIsNotSpoken) {
  SSL_CTX* old = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_max_proto_version(old, TLS1_2_VERSION);
  SslPtr client(SSL_new(old));
  SSL_set_connect_state(client.get());
  Link link(std::move(client), *desk_.context->NewServer());
  EXPECT_FALSE(link.Handshake());
  SSL_CTX_free(old);
}

TEST_F(TlsContextTest, AnotherProtocolIsRefused) {
  SslPtr client = *laptop_.context->NewClient(desk_.identity.digest());
  SSL_set_alpn_protos(client.get(),
                      reinterpret_cast<const unsigned char*>("\x02h2"), 3);
  Link link(std::move(client), *desk_.context->NewServer());
  EXPECT_FALSE(link.Handshake());
  EXPECT_EQ(link.client_alert, 120);  // no_application_protocol
}

TEST_F(TlsContextTest, NoProtocolAtAllIsRefusedAfterTheHandshake) {
  SslPtr client = *laptop_.context->NewClient(desk_.identity.digest());
  SSL_set_alpn_protos(client.get(), nullptr, 0);
  Link link(std::move(client), *desk_.context->NewServer());
  link.Handshake();
  EXPECT_EQ(desk_.context->CheckPeer(link.server.get()).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(TlsContextTest, TheNextHandshakeIsResumedAndProvesTheSameKeys) {
  Link first = Connect(laptop_, desk_);
  ASSERT_TRUE(first.Handshake());
  EXPECT_EQ(laptop_.context->SessionCount(desk_.identity.digest()), 2u);
  for (int i = 0; i < 5; ++i) {
    Link next = Connect(laptop_, desk_);
    ASSERT_TRUE(next.Handshake());
    EXPECT_EQ(SSL_session_reused(next.client.get()), 1) << i;
    EXPECT_EQ(*laptop_.context->CheckPeer(next.client.get()),
              desk_.identity.digest());
    EXPECT_EQ(*desk_.context->CheckPeer(next.server.get()),
              laptop_.identity.digest());
    // One is used and one comes: a pool never runs out.
    EXPECT_EQ(laptop_.context->SessionCount(desk_.identity.digest()), 2u);
  }
}

TEST_F(TlsContextTest, NoEarlyDataIsOffered) {
  ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  SslPtr client = *laptop_.context->NewClient(desk_.identity.digest());
  EXPECT_EQ(SSL_SESSION_get_max_early_data(SSL_get0_session(client.get())), 0u);
  EXPECT_EQ(SSL_get_max_early_data(desk_.context->NewServer()->get()), 0u);
}

TEST_F(TlsContextTest, AForgottenPeerWithATicketIsRefusedAndTold) {
  ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  // Both ways of forgetting, each alone.
  for (const bool rotate : {false, true}) {
    if (rotate) {
      ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
      ASSERT_TRUE(desk_.context->RotateTicketKeys().ok());
    }
    desk_.pins.clear();
    Link link = Connect(laptop_, desk_);
    EXPECT_FALSE(link.Handshake());
    EXPECT_EQ(SSL_session_reused(link.server.get()), 0);
    EXPECT_EQ(link.client_alert, SSL_AD_BAD_CERTIFICATE);
    desk_.pins.insert(laptop_.identity.digest());
  }
}

TEST_F(TlsContextTest, AfterTheTicketKeysChangedAHandshakeIsFull) {
  ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  ASSERT_TRUE(desk_.context->RotateTicketKeys().ok());
  Link link = Connect(laptop_, desk_);
  ASSERT_TRUE(link.Handshake());
  EXPECT_EQ(SSL_session_reused(link.client.get()), 0);
  EXPECT_TRUE(desk_.context->CheckPeer(link.server.get()).ok());
}

// The check after the handshake by itself: the pin goes between the ticket's
// acceptance and the end.
TEST_F(TlsContextTest, AResumedSessionWhosePinIsGoneIsRefusedByTheLastCheck) {
  ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  Link link = Connect(laptop_, desk_);
  ASSERT_TRUE(link.Handshake());
  ASSERT_EQ(SSL_session_reused(link.server.get()), 1);
  EXPECT_TRUE(desk_.context->CheckPeer(link.server.get()).ok());
  desk_.pins.clear();
  EXPECT_EQ(desk_.context->CheckPeer(link.server.get()).status().code(),
            absl::StatusCode::kPermissionDenied);
  laptop_.pins.clear();
  EXPECT_EQ(laptop_.context->CheckPeer(link.client.get()).status().code(),
            absl::StatusCode::kPermissionDenied);
}

// A session of one peer, offered to that peer while another is expected: as if
// the store of sessions had been mixed up.
TEST_F(TlsContextTest, AResumedSessionOfAnotherPeerIsRefusedByTheLastCheck) {
  Link first = Connect(laptop_, desk_);
  ASSERT_TRUE(first.Handshake());
  SSL_SESSION* session = SSL_get1_session(first.client.get());
  Device other;
  laptop_.pins.insert(other.identity.digest());
  SslPtr client = *laptop_.context->NewClient(other.identity.digest());
  SSL_set_session(client.get(), session);
  SSL_SESSION_free(session);
  Link link(std::move(client), *desk_.context->NewServer());
  link.Handshake();
  ASSERT_EQ(SSL_session_reused(link.client.get()), 1);
  EXPECT_EQ(laptop_.context->CheckPeer(link.client.get()).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(TlsContextTest, ForgottenSessionsAreNotOffered) {
  ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  laptop_.context->ForgetSessions(desk_.identity.id());
  EXPECT_EQ(laptop_.context->SessionCount(desk_.identity.digest()), 0u);
  Link link = Connect(laptop_, desk_);
  ASSERT_TRUE(link.Handshake());
  EXPECT_EQ(SSL_session_reused(link.client.get()), 0);
}

TEST_F(TlsContextTest, AtMostEightSessionsOfAPeerAreKept) {
  for (int i = 0; i < 12; ++i) {
    desk_.Restart();  // so that each is full, uses one session and brings two
    ASSERT_TRUE(Connect(laptop_, desk_).Handshake());
  }
  EXPECT_EQ(laptop_.context->SessionCount(desk_.identity.digest()), 8u);
}

TEST_F(TlsContextTest, StrangersPairOnlyWhileThatIsAllowed) {
  Device stranger;
  Link closed(*stranger.context->NewPairingClient(),
              *desk_.context->NewServer());
  EXPECT_FALSE(closed.Handshake());

  desk_.context->AllowPairing(true);
  Link open(*stranger.context->NewPairingClient(), *desk_.context->NewServer());
  ASSERT_TRUE(open.Handshake());
  EXPECT_TRUE(TlsContext::IsPairing(open.server.get()));
  EXPECT_EQ(*desk_.context->CheckPeer(open.server.get()),
            stranger.identity.digest());
  EXPECT_EQ(*stranger.context->CheckPeer(open.client.get()),
            desk_.identity.digest());
  // And gets nothing to come back with.
  EXPECT_EQ(stranger.context->SessionCount(desk_.identity.digest()), 0u);

  // Pairing being allowed lets nobody in as a peer.
  Link peer = Connect(stranger, desk_);
  EXPECT_FALSE(peer.Handshake());
}

TEST_F(TlsContextTest, BothSidesExportTheSameAndNoOtherConnectionDoes) {
  Link one = Connect(laptop_, desk_);
  ASSERT_TRUE(one.Handshake());
  Link two = Connect(laptop_, desk_);
  ASSERT_TRUE(two.Handshake());
  const std::string exported =
      *TlsContext::Export(one.client.get(), "EXPORTER-test", 32);
  EXPECT_EQ(exported.size(), 32u);
  EXPECT_EQ(exported,
            *TlsContext::Export(one.server.get(), "EXPORTER-test", 32));
  EXPECT_NE(exported,
            *TlsContext::Export(two.client.get(), "EXPORTER-test", 32));
  EXPECT_NE(exported,
            *TlsContext::Export(one.client.get(), "EXPORTER-else", 32));
}

}  // namespace
}  // namespace tactus::transfer
