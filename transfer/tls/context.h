// What TLS is here: version 1.3, both sides prove a key, and both check that it
// is the one they pinned.
//
// Use one for each device. It makes the state of single connections (SSL), says
// after each handshake who is there, and keeps what makes the next handshake
// short. Nothing here knows of sockets (see channel.h).
//
// Example:
//
//   auto context = TlsContext::Create(identity, [&](const KeyDigest& key) {
//     return peers.FindByKey(key).has_value();
//   });
//   SslPtr ssl = *(*context)->NewClient(peer_key);
//   // ... SSL_do_handshake ...
//   absl::StatusOr<KeyDigest> who = (*context)->CheckPeer(ssl.get());
//
// The pin is checked three times. When a certificate comes, before it is taken.
// When a ticket comes, which brings no certificate: the key that it was issued
// for must be pinned now, or it is as if there were none. And after every
// handshake, resumed or not, from the certificate that the session holds, which
// is CheckPeer.
//
// No early data (0-RTT) is sent or taken: it could be replayed. Nothing older
// than TLS 1.3, no renegotiation, no compression.
//
// Handshakes and RotateTicketKeys must happen on one thread; the rest is safe
// from any.
#ifndef TACTUS_TRANSFER_TLS_CONTEXT_H_
#define TACTUS_TRANSFER_TLS_CONTEXT_H_

#include <openssl/ssl.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

struct SslFree {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<SSL, SslFree>;

// What the protocol is called in the handshake (ALPN), between paired devices
// and between two that are about to pair.
inline constexpr absl::string_view kPeerProtocol = "tactus/1";
inline constexpr absl::string_view kPairingProtocol = "tactus-pair/1";

class TlsContext {
 public:
  // Whether a key is pinned, now. Called during handshakes.
  using IsPinned = std::function<bool(const KeyDigest&)>;

  static absl::StatusOr<std::unique_ptr<TlsContext>> Create(
      const Identity& identity, IsPinned is_pinned);
  ~TlsContext();

  // To the peer that holds `key`; with what is left of an earlier session with
  // it, if anything.
  absl::StatusOr<SslPtr> NewClient(const KeyDigest& key);

  // To whoever is there, to pair: any P-256 key is taken, and what it is must
  // be proved by the pairing. Nothing is kept for another session.
  absl::StatusOr<SslPtr> NewPairingClient();

  // For whoever connects. Strangers are refused, but while AllowPairing.
  absl::StatusOr<SslPtr> NewServer();

  // Whether a stranger may connect to pair from now on. Not at first.
  void AllowPairing(bool allow) { pairing_allowed_ = allow; }

  // Whom the finished handshake proved to be there. PermissionDenied, with what
  // can be done, when that is not who may be; FailedPrecondition when the other
  // side speaks another protocol.
  absl::StatusOr<KeyDigest> CheckPeer(SSL* ssl) const;

  // Why the handshake was refused by this side; OK when it was not.
  static absl::Status Refusal(const SSL* ssl);

  static bool IsPairing(const SSL* ssl);

  // Sessions with the peer are gone: the next handshake is a full one.
  void ForgetSessions(const DeviceId& peer);
  size_t SessionCount(const KeyDigest& key) const;

  // No ticket that was issued so far is any good from now on, whoever has it.
  absl::Status RotateTicketKeys();

  // Bytes that both sides of this connection, and nobody else, can compute
  // (RFC 8446 section 7.5), for a pairing to be bound to it.
  static absl::StatusOr<std::string> Export(SSL* ssl, absl::string_view label,
                                            size_t size);

 private:
  struct Connection;

  TlsContext() = default;
  absl::Status SetUp(const Identity& identity);
  absl::StatusOr<SslPtr> New(SSL_CTX* context,
                             std::unique_ptr<Connection> connection);
  // Why the holder of `key` is not who this connection may be with.
  absl::Status Judge(const Connection& connection, const KeyDigest& key) const;

  static int ExIndex();
  static Connection* Of(const SSL* ssl);
  static int VerifyPeer(X509_STORE_CTX* store, void* self);
  static int ChooseProtocol(SSL* ssl, const unsigned char** out,
                            unsigned char* out_size, const unsigned char* in,
                            unsigned int in_size, void* self);
  static SSL_TICKET_RETURN JudgeTicket(SSL* ssl, SSL_SESSION* session,
                                       const unsigned char* name,
                                       size_t name_size,
                                       SSL_TICKET_STATUS status, void* self);
  static int KeepSession(SSL* ssl, SSL_SESSION* session);

  struct CtxFree {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  struct SessionFree {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
  };
  using Sessions = std::deque<std::unique_ptr<SSL_SESSION, SessionFree>>;

  IsPinned is_pinned_;
  std::unique_ptr<SSL_CTX, CtxFree> client_;
  std::unique_ptr<SSL_CTX, CtxFree> server_;
  std::atomic<bool> pairing_allowed_ = false;
  mutable Mutex mutex_;
  std::map<KeyDigest, Sessions> sessions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_CONTEXT_H_
