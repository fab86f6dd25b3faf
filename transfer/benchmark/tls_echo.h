// The floor of a link: a message over bare OpenSSL to another process and back.
//
// Example:
//
//   TlsEcho echo;
//   std::vector<Way> ways = {{.name = "openssl", .trip = [&] { echo.Trip();
//   }}};
//
// What fails ends the process, as in trips.h.
#ifndef TACTUS_TRANSFER_BENCHMARK_TLS_ECHO_H_
#define TACTUS_TRANSFER_BENCHMARK_TLS_ECHO_H_

#include <memory>
#include <string>

#include "transfer/benchmark/bare_tls.h"
#include "transfer/benchmark/trips.h"

namespace tactus::transfer {

class TlsEcho {
 public:
  // Connects.
  TlsEcho();
  void Trip();

 private:
  std::string message_ = std::string(kMessage, 'm');
  std::unique_ptr<Child> child_;
  std::unique_ptr<BareTls> tls_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_TLS_ECHO_H_
