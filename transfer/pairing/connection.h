// A connection between two devices that are not paired, to pair on.
//
// Nothing is proved on it but that the other end holds `peer_key`, whoever that
// is. Transports make it (transfer/tls), and pairing.h pairs on it.
#ifndef TACTUS_TRANSFER_PAIRING_CONNECTION_H_
#define TACTUS_TRANSFER_PAIRING_CONNECTION_H_

#include <memory>
#include <string>

#include "transfer/identity/device_id.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

struct PairingConnection {
  std::unique_ptr<Stream> stream;
  KeyDigest own_key;
  KeyDigest peer_key;
  // 32 bytes that only the two ends of this connection know, to be bound into
  // what is proved: with a machine in the middle the ends have different ones.
  std::string binding;
  // The number of the other end's address, in brackets where it has colons;
  // empty where there is none.
  std::string peer_host;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_CONNECTION_H_
