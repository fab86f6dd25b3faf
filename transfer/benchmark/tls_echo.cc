#include "transfer/benchmark/tls_echo.h"

#include <netinet/in.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "transfer/benchmark/bare_tls.h"
#include "transfer/benchmark/loopback.h"
#include "transfer/benchmark/trips.h"
#include "transfer/identity/identity.h"

namespace tactus::transfer {

TlsEcho::TlsEcho() {
  const absl::StatusOr<Identity> identity = Identity::Generate();
  if (!identity.ok()) Die(identity.status().message());
  sockaddr_in at;
  const int listener = ListenOnLoopback(&at);
  child_ = std::make_unique<Child>([&] {
    BareTls tls(BareTls::Role::kServer, *identity, Accept(listener));
    std::string message(kMessage, '\0');
    while (tls.ReadFull(message.data(), kMessage)) {
      tls.Write(message.data(), kMessage);
    }
  });
  tls_ =
      std::make_unique<BareTls>(BareTls::Role::kClient, *identity, Connect(at));
}

void TlsEcho::Trip() {
  tls_->Write(message_.data(), kMessage);
  if (!tls_->ReadFull(message_.data(), kMessage)) Die("the floor was cut");
}

}  // namespace tactus::transfer
