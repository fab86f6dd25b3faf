#include "transfer/tls/context.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {
namespace {

// AES-128-GCM runs four times as fast as ChaCha20 where the processor has AES,
// and much slower where it has not; the server follows the client's first.
constexpr char kAesFirst[] =
    "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
constexpr char kChaChaFirst[] =
    "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";

// Of each peer: as many as the warm pool uses in one go, and to spare.
constexpr size_t kMostSessions = 8;

// One read from the socket takes several records.
constexpr size_t kReadBuffer = 64 << 10;

// "tactus" in its sessions, so that none of another program's is taken.
constexpr unsigned char kSessionContext[] = {'t', 'a', 'c', 't', 'u', 's'};

bool ProcessorHasAes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#else
  // Those of ARM that lack it are a decade old.
  return true;
#endif
}

absl::Status Failed(absl::string_view what) {
  char reason[256];
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  ERR_clear_error();
  return absl::InternalError(
      absl::StrCat("OpenSSL cannot ", what, ": ", reason));
}

// In the form that the handshake has it: the length first.
std::string Framed(absl::string_view protocol) {
  return absl::StrCat(std::string(1, static_cast<char>(protocol.size())),
                      protocol);
}

absl::string_view Selected(const SSL* ssl) {
  const unsigned char* data = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl, &data, &size);
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

// What is known of one connection, beside its SSL.
struct TlsContext::Connection {
  TlsContext* context = nullptr;
  bool client = false;
  bool pairing = false;
  std::optional<KeyDigest> expected;  // of a client that is not pairing
  absl::Status refusal;
};

int TlsContext::ExIndex() {
  static const int index = SSL_get_ex_new_index(
      0, nullptr, nullptr, nullptr,
      [](void*, void* data, CRYPTO_EX_DATA*, int, long, void*) {
        delete static_cast<Connection*>(data);
      });
  return index;
}

TlsContext::Connection* TlsContext::Of(const SSL* ssl) {
  return static_cast<Connection*>(SSL_get_ex_data(ssl, ExIndex()));
}

TlsContext::~TlsContext() = default;

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Create(
    const Identity& identity, IsPinned is_pinned) {
  std::unique_ptr<TlsContext> context(new TlsContext());
  context->is_pinned_ = std::move(is_pinned);
  if (absl::Status set = context->SetUp(identity); !set.ok()) return set;
  return context;
}

absl::Status TlsContext::SetUp(const Identity& identity) {
  client_.reset(SSL_CTX_new(TLS_client_method()));
  server_.reset(SSL_CTX_new(TLS_server_method()));
  for (SSL_CTX* context : {client_.get(), server_.get()}) {
    if (context == nullptr ||
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_ciphersuites(
            context, ProcessorHasAes() ? kAesFirst : kChaChaFirst) != 1 ||
        SSL_CTX_set1_groups_list(context, "X25519:P-256") != 1 ||
        SSL_CTX_set1_sigalgs_list(context, "ECDSA+SHA256") != 1 ||
        SSL_CTX_use_certificate(context, identity.certificate()) != 1 ||
        SSL_CTX_use_PrivateKey(context, identity.key()) != 1 ||
        SSL_CTX_set_session_id_context(context, kSessionContext,
                                       sizeof(kSessionContext)) != 1) {
      return Failed("set TLS up");
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_NO_COMPRESSION |
                                     SSL_OP_PRIORITIZE_CHACHA |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(
        context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    SSL_CTX_set_cert_verify_callback(context, VerifyPeer, this);
    SSL_CTX_set_max_early_data(context, 0);
    SSL_CTX_set_recv_max_early_data(context, 0);
    // A self-signed certificate of ours takes 500 bytes; a stranger may send
    // what he likes only up to here.
    SSL_CTX_set_max_cert_list(context, 8 << 10);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, kReadBuffer);
  }
  // Sessions are kept here, by peer, and on the server nowhere but in tickets.
  SSL_CTX_set_session_cache_mode(
      client_.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(client_.get(), KeepSession);
  SSL_CTX_set_session_cache_mode(server_.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(server_.get(), ChooseProtocol, this);
  SSL_CTX_set_session_ticket_cb(server_.get(), nullptr, JudgeTicket, this);
  return RotateTicketKeys();
}

absl::StatusOr<SslPtr> TlsContext::New(SSL_CTX* context,
                                       std::unique_ptr<Connection> connection) {
  SslPtr ssl(SSL_new(context));
  if (ssl == nullptr) return Failed("make a connection");
  connection->context = this;
  const bool client = connection->client;
  if (SSL_set_ex_data(ssl.get(), ExIndex(), connection.get()) != 1) {
    return Failed("make a connection");
  }
  (void)connection.release();  // SSL_free deletes it
  if (client) {
    SSL_set_connect_state(ssl.get());
  } else {
    SSL_set_accept_state(ssl.get());
  }
  return ssl;
}

absl::StatusOr<SslPtr> TlsContext::NewClient(const KeyDigest& key) {
  auto connection = std::make_unique<Connection>();
  connection->client = true;
  connection->expected = key;
  absl::StatusOr<SslPtr> ssl = New(client_.get(), std::move(connection));
  if (!ssl.ok()) return ssl;
  const std::string protocol = Framed(kPeerProtocol);
  // 0 is success, for this one function.
  if (SSL_set_alpn_protos(
          ssl->get(), reinterpret_cast<const unsigned char*>(protocol.data()),
          static_cast<unsigned int>(protocol.size())) != 0) {
    return Failed("name the protocol");
  }
  MutexLock lock(&mutex_);
  const auto found = sessions_.find(key);
  if (found != sessions_.end() && !found->second.empty()) {
    // Each is used once (RFC 8446, appendix C.4), the newest first.
    SSL_set_session(ssl->get(), found->second.back().get());
    found->second.pop_back();
  }
  return ssl;
}

absl::StatusOr<SslPtr> TlsContext::NewPairingClient() {
  auto connection = std::make_unique<Connection>();
  connection->client = true;
  connection->pairing = true;
  absl::StatusOr<SslPtr> ssl = New(client_.get(), std::move(connection));
  if (!ssl.ok()) return ssl;
  const std::string protocol = Framed(kPairingProtocol);
  if (SSL_set_alpn_protos(
          ssl->get(), reinterpret_cast<const unsigned char*>(protocol.data()),
          static_cast<unsigned int>(protocol.size())) != 0) {
    return Failed("name the protocol");
  }
  return ssl;
}

absl::StatusOr<SslPtr> TlsContext::NewServer() {
  return New(server_.get(), std::make_unique<Connection>());
}

absl::Status TlsContext::Judge(const Connection& connection,
                               const KeyDigest& key) const {
  if (connection.pairing) return absl::OkStatus();
  if (connection.expected.has_value() && key != *connection.expected) {
    return absl::PermissionDeniedError(absl::StrCat(
        "who answers holds the key ", DeviceId(key).text(), ", and ",
        DeviceId(*connection.expected).text(),
        " is pinned. If the peer was set up anew, `tactus forget` it and pair "
        "again; if its address changed, say the new one; if neither, somebody "
        "is in between"));
  }
  if (!is_pinned_(key)) {
    return absl::PermissionDeniedError(absl::StrCat(
        DeviceId(key).text(),
        " is not paired with this device: `tactus pair` pairs it"));
  }
  return absl::OkStatus();
}

int TlsContext::VerifyPeer(X509_STORE_CTX* store, void* self) {
  const auto* ssl = static_cast<const SSL*>(
      X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  Connection* connection = Of(ssl);
  const absl::StatusOr<KeyDigest> key =
      DigestOfCertificate(X509_STORE_CTX_get0_cert(store));
  connection->refusal =
      key.ok() ? static_cast<TlsContext*>(self)->Judge(*connection, *key)
               : absl::PermissionDeniedError(key.status().message());
  if (connection->refusal.ok()) return 1;
  X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
  return 0;
}

int TlsContext::ChooseProtocol(SSL* ssl, const unsigned char** out,
                               unsigned char* out_size, const unsigned char* in,
                               unsigned int in_size, void* self) {
  absl::string_view offered(reinterpret_cast<const char*>(in), in_size);
  bool pairing = false;
  while (!offered.empty()) {
    const auto size = static_cast<unsigned char>(offered[0]);
    const absl::string_view name = offered.substr(1, size);
    pairing = name == kPairingProtocol &&
              static_cast<TlsContext*>(self)->pairing_allowed_;
    if (name == kPeerProtocol || pairing) {
      *out = reinterpret_cast<const unsigned char*>(name.data());
      *out_size = size;
      Of(ssl)->pairing = pairing;
      // Who is not paired yet gets no ticket to come back with.
      if (pairing) SSL_set_num_tickets(ssl, 0);
      return SSL_TLSEXT_ERR_OK;
    }
    offered.remove_prefix(1 + name.size());
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

SSL_TICKET_RETURN TlsContext::JudgeTicket(SSL* ssl, SSL_SESSION* session,
                                          const unsigned char* name,
                                          size_t name_size,
                                          SSL_TICKET_STATUS status,
                                          void* self) {
  switch (status) {
    case SSL_TICKET_SUCCESS:
    case SSL_TICKET_SUCCESS_RENEW: {
      const absl::StatusOr<KeyDigest> key =
          DigestOfCertificate(SSL_SESSION_get0_peer(session));
      // Ignored, the handshake becomes a full one, where the certificate is
      // asked for and the refusal is told.
      return key.ok() && static_cast<TlsContext*>(self)->is_pinned_(*key)
                 ? SSL_TICKET_RETURN_USE_RENEW
                 : SSL_TICKET_RETURN_IGNORE_RENEW;
    }
    case SSL_TICKET_EMPTY:
    case SSL_TICKET_NO_DECRYPT:
      return SSL_TICKET_RETURN_IGNORE_RENEW;
    default:
      return SSL_TICKET_RETURN_ABORT;
  }
}

int TlsContext::KeepSession(SSL* ssl, SSL_SESSION* session) {
  const Connection* connection = Of(ssl);
  if (!connection->expected.has_value()) return 0;
  const absl::StatusOr<KeyDigest> key =
      DigestOfCertificate(SSL_SESSION_get0_peer(session));
  if (!key.ok() || *key != *connection->expected) return 0;
  TlsContext* self = connection->context;
  // Forgotten since: a ticket that was under way is not kept.
  if (!self->is_pinned_(*key)) return 0;
  // A copy: OpenSSL spoils the session of a connection that is cut, which says
  // nothing of the keys in it.
  SSL_SESSION* copy = SSL_SESSION_dup(session);
  if (copy == nullptr) return 0;
  MutexLock lock(&self->mutex_);
  Sessions& sessions = self->sessions_[*key];
  if (sessions.size() == kMostSessions) sessions.pop_front();
  sessions.emplace_back(copy);
  return 0;  // the one that came stays OpenSSL's
}

absl::StatusOr<KeyDigest> TlsContext::CheckPeer(SSL* ssl) const {
  const Connection& connection = *Of(ssl);
  const SSL_SESSION* session = SSL_get_session(ssl);
  if (!SSL_is_init_finished(ssl) || session == nullptr) {
    return absl::InternalError("the handshake is not finished");
  }
  const absl::string_view wanted =
      connection.pairing ? kPairingProtocol : kPeerProtocol;
  if (Selected(ssl) != wanted) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the other side does not speak ", wanted, ": is it a Tactus?"));
  }
  const absl::StatusOr<KeyDigest> key = DigestOfCertificate(
      SSL_SESSION_get0_peer(const_cast<SSL_SESSION*>(session)));
  if (!key.ok()) {
    return absl::PermissionDeniedError("the other side has proved no key");
  }
  if (absl::Status good = Judge(connection, *key); !good.ok()) return good;
  return key;
}

absl::Status TlsContext::Refusal(const SSL* ssl) { return Of(ssl)->refusal; }

bool TlsContext::IsPairing(const SSL* ssl) { return Of(ssl)->pairing; }

void TlsContext::ForgetSessions(const DeviceId& peer) {
  MutexLock lock(&mutex_);
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    at = DeviceId(at->first) == peer ? sessions_.erase(at) : std::next(at);
  }
}

size_t TlsContext::SessionCount(const KeyDigest& key) const {
  MutexLock lock(&mutex_);
  const auto found = sessions_.find(key);
  return found == sessions_.end() ? 0 : found->second.size();
}

absl::Status TlsContext::RotateTicketKeys() {
  // A name and two keys, of the size that this OpenSSL says.
  const long size = SSL_CTX_get_tlsext_ticket_keys(server_.get(), nullptr, 0);
  std::string keys(static_cast<size_t>(size), '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(keys.data());
  const bool set =
      RAND_priv_bytes(bytes, static_cast<int>(size)) == 1 &&
      SSL_CTX_set_tlsext_ticket_keys(server_.get(), bytes, size) == 1;
  OPENSSL_cleanse(bytes, keys.size());
  return set ? absl::OkStatus() : Failed("make keys for tickets");
}

absl::StatusOr<std::string> TlsContext::Export(SSL* ssl,
                                               absl::string_view label,
                                               size_t size) {
  std::string bytes(size, '\0');
  if (SSL_export_keying_material(
          ssl, reinterpret_cast<unsigned char*>(bytes.data()), size,
          label.data(), label.size(), nullptr, 0, 0) != 1) {
    return Failed("export keying material");
  }
  return bytes;
}

}  // namespace tactus::transfer
