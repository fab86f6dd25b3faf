#include "transfer/benchmark/bare_tls.h"

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "transfer/identity/identity.h"

namespace tactus::transfer {
namespace {

void Must(bool done, const char* what) {
  if (done) return;
  fprintf(stderr, "the floor failed: %s\n", what);
  exit(1);
}

}  // namespace

BareTls::BareTls(Role role, const Identity& identity, int fd) {
  const bool server = role == Role::kServer;
  context_.reset(
      SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()));
  Must(context_ != nullptr, "SSL_CTX_new");
  Must(SSL_CTX_set_min_proto_version(context_.get(), TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256") ==
               1,
       "TLS 1.3 with AES-128-GCM");
  if (server) {
    Must(SSL_CTX_use_certificate(context_.get(), identity.certificate()) == 1 &&
             SSL_CTX_use_PrivateKey(context_.get(), identity.key()) == 1,
         "the certificate");
  }
  ssl_.reset(SSL_new(context_.get()));
  Must(ssl_ != nullptr && SSL_set_fd(ssl_.get(), fd) == 1, "SSL_new");
  Must((server ? SSL_accept(ssl_.get()) : SSL_connect(ssl_.get())) == 1,
       "the handshake");
}

void BareTls::Write(const char* data, size_t size) {
  size_t written = 0;
  Must(SSL_write_ex(ssl_.get(), data, size, &written) == 1 && written == size,
       "a write");
}

size_t BareTls::Read(char* data, size_t size) {
  size_t got = 0;
  if (SSL_read_ex(ssl_.get(), data, size, &got) == 1) return got;
  return 0;
}

bool BareTls::ReadFull(char* data, size_t size) {
  while (size > 0) {
    const size_t got = Read(data, size);
    if (got == 0) return false;
    data += got;
    size -= got;
  }
  return true;
}

void BareTls::Close() { SSL_shutdown(ssl_.get()); }

}  // namespace tactus::transfer
