// TLS 1.3 by OpenSSL's own calls on a socket that blocks, and nothing else: the
// floor that everything of ours over TLS stands beside.
//
// Use it in benchmarks alone. The other side is not checked: a floor that did
// more than it must would be no floor.
//
// Example:
//
//   BareTls tls(BareTls::Role::kClient, identity, fd);
//   tls.Write("ping", 4);
//   if (!tls.ReadFull(answer, 4)) …   // the other side has closed
//
// The cipher is AES-128-GCM, as on a processor that has AES ours is. What
// fails ends the process: a floor that failed is no measurement.
#ifndef TACTUS_TRANSFER_BENCHMARK_BARE_TLS_H_
#define TACTUS_TRANSFER_BENCHMARK_BARE_TLS_H_

#include <openssl/ssl.h>

#include <cstddef>
#include <memory>

#include "transfer/identity/identity.h"

namespace tactus::transfer {

class BareTls {
 public:
  enum class Role { kClient, kServer };

  // Shakes hands on a connected socket, which is the caller's to close.
  BareTls(Role role, const Identity& identity, int fd);

  void Write(const char* data, size_t size);
  // What one record holds, at most; 0 at the end.
  size_t Read(char* data, size_t size);
  // False where the end comes first.
  bool ReadFull(char* data, size_t size);
  // Says that nothing more comes.
  void Close();

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_BARE_TLS_H_
