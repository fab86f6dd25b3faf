#include "transfer/identity/pinned_peers.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/name.h"
#include "transfer/identity/private_folder.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {
namespace {

namespace json = boost::json;

constexpr int kVersion = 1;
constexpr size_t kMostAddresses = 8;
constexpr size_t kMostGranted = 64;
// A DNS name, a colon and a port.
constexpr size_t kLongestAddress = 253 + 6;
// What the most peers take, each with the most of everything, and to spare.
constexpr size_t kMostBytes = 4 << 20;

bool IsAddress(absl::string_view address) {
  return !address.empty() && address.size() <= kLongestAddress &&
         std::all_of(address.begin(), address.end(), [](unsigned char c) {
           return absl::ascii_isgraph(c) && c != '"' && c != '\\';
         });
}

absl::Status Check(const PinnedPeer& peer) {
  if (!IsName(peer.name)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", absl::CHexEscape(peer.name.substr(0, 80)),
                     "' is no name for a peer: 1 to 64 of A-Z a-z 0-9 . _ - "
                     "and no dash first"));
  }
  if (DeviceId::Parse(peer.name).ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", peer.name, "' looks like a device's id: name the peer otherwise"));
  }
  if (peer.addresses.size() > kMostAddresses) {
    return absl::InvalidArgumentError(
        absl::StrCat(peer.addresses.size(), " addresses for ", peer.name,
                     ", at most ", kMostAddresses, " are kept"));
  }
  for (const std::string& address : peer.addresses) {
    if (!IsAddress(address)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", absl::CHexEscape(absl::string_view(address).substr(0, 80)),
          "' is no address: HOST:PORT is one"));
    }
  }
  if (peer.granted.size() > kMostGranted) {
    return absl::InvalidArgumentError(
        absl::StrCat(peer.granted.size(), " permissions for ", peer.name,
                     ", at most ", kMostGranted, " are kept"));
  }
  for (const std::string& one : peer.granted) {
    // Room for "mcp:NAME".
    if (one.empty() || one.size() > 2 * kLongestName ||
        !std::all_of(one.begin(), one.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); })) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", absl::CHexEscape(absl::string_view(one).substr(0, 80)),
          "' is no permission: up to 128 visible ASCII characters are one"));
    }
  }
  return absl::OkStatus();
}

// Why `peer` cannot be beside the others.
absl::Status CheckNew(const std::vector<PinnedPeer>& peers,
                      const PinnedPeer& peer) {
  for (const PinnedPeer& other : peers) {
    if (other.id() == peer.id()) {
      return absl::AlreadyExistsError(
          absl::StrCat(peer.id().text(), " is paired already, as ", other.name,
                       ": `tactus forget ", other.name, "` first"));
    }
    if (other.name == peer.name) {
      return absl::AlreadyExistsError(absl::StrCat(
          peer.name, " is paired already, with the key ", other.id().text(),
          " and not ", peer.id().text(),
          ". If it is another device, give it another name; if ", peer.name,
          " was set up anew, `tactus forget ", peer.name,
          "` and pair again; if it was not, somebody pretends to be it"));
    }
  }
  return absl::OkStatus();
}

std::vector<PinnedPeer>::iterator Locate(std::vector<PinnedPeer>& peers,
                                         const DeviceId& id) {
  return std::find_if(peers.begin(), peers.end(),
                      [&](const PinnedPeer& peer) { return peer.id() == id; });
}

absl::Status NotPaired(const DeviceId& id) {
  return absl::NotFoundError(absl::StrCat(
      id.text(), " is not paired with this device: `tactus pair` pairs it"));
}

std::string ToJson(const std::vector<PinnedPeer>& peers) {
  // A line a peer: people look at it and compare.
  std::vector<std::string> lines;
  for (const PinnedPeer& peer : peers) {
    json::object one;
    one["name"] = peer.name;
    one["id"] = peer.id().text();
    one["key"] = peer.key.Hex();
    one["addresses"] = json::value_from(peer.addresses);
    one["granted"] = json::value_from(peer.granted);
    lines.push_back(absl::StrCat("    ", json::serialize(one)));
  }
  return absl::StrCat("{\n  \"version\": ", kVersion, ",\n  \"peers\": [",
                      lines.empty() ? "" : "\n", absl::StrJoin(lines, ",\n"),
                      lines.empty() ? "" : "\n  ", "]\n}\n");
}

absl::StatusOr<std::string> Text(const json::object& from, const char* field) {
  const json::value* value = from.if_contains(field);
  if (value == nullptr || !value->is_string()) {
    return absl::DataLossError(
        absl::StrCat("a peer has no text for '", field, "'"));
  }
  return std::string(value->get_string().data(), value->get_string().size());
}

absl::StatusOr<std::vector<std::string>> Texts(const json::object& from,
                                               const char* field) {
  const json::value* value = from.if_contains(field);
  if (value == nullptr || !value->is_array()) {
    return absl::DataLossError(
        absl::StrCat("a peer has no list for '", field, "'"));
  }
  std::vector<std::string> texts;
  for (const json::value& one : value->get_array()) {
    if (!one.is_string()) {
      return absl::DataLossError(
          absl::StrCat("'", field, "' of a peer holds what is no text"));
    }
    texts.emplace_back(one.get_string().data(), one.get_string().size());
  }
  return texts;
}

absl::StatusOr<PinnedPeer> PeerFromJson(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return absl::DataLossError("a peer is no object");
  if (object->size() != 5) {
    return absl::DataLossError(
        "a peer has other fields than name, id, key, addresses, granted");
  }
  const absl::StatusOr<std::string> name = Text(*object, "name");
  if (!name.ok()) return name.status();
  const absl::StatusOr<std::string> id = Text(*object, "id");
  if (!id.ok()) return id.status();
  const absl::StatusOr<std::string> hex = Text(*object, "key");
  if (!hex.ok()) return hex.status();
  absl::StatusOr<std::vector<std::string>> addresses =
      Texts(*object, "addresses");
  if (!addresses.ok()) return addresses.status();
  const absl::StatusOr<std::vector<std::string>> granted =
      Texts(*object, "granted");
  if (!granted.ok()) return granted.status();
  const absl::StatusOr<KeyDigest> key = KeyDigest::ParseHex(*hex);
  if (!key.ok()) return key.status();
  PinnedPeer peer = {.name = *name,
                     .key = *key,
                     .addresses = *std::move(addresses),
                     .granted = {granted->begin(), granted->end()}};
  // Written for people; one that is not the key's was edited by hand.
  if (peer.id().text() != *id) {
    return absl::DataLossError(
        absl::StrCat("the id of '", absl::CHexEscape(name->substr(0, 80)),
                     "' is not that of its key"));
  }
  if (absl::Status good = Check(peer); !good.ok()) return good;
  return peer;
}

absl::StatusOr<std::vector<PinnedPeer>> FromJson(const std::string& text) {
  json::error_code error;
  json::parse_options options;
  options.max_depth = 4;
  const json::value value = json::parse(
      json::string_view(text.data(), text.size()), error, {}, options);
  if (error) {
    return absl::DataLossError(
        absl::StrCat("it is not JSON: ", error.message()));
  }
  const json::object* object = value.if_object();
  const json::value* version =
      object == nullptr ? nullptr : object->if_contains("version");
  const json::value* list =
      object == nullptr ? nullptr : object->if_contains("peers");
  if (version == nullptr || list == nullptr || !list->is_array() ||
      object->size() != 2) {
    return absl::DataLossError("it has no 'version' and 'peers', or more");
  }
  if (!version->is_int64() || version->get_int64() != kVersion) {
    return absl::DataLossError(absl::StrCat("its version is not ", kVersion,
                                            ": another Tactus wrote it"));
  }
  if (list->get_array().size() > PinnedPeers::kMost) {
    return absl::DataLossError(
        absl::StrCat("it has more than ", PinnedPeers::kMost, " peers"));
  }
  std::vector<PinnedPeer> peers;
  for (const json::value& one : list->get_array()) {
    absl::StatusOr<PinnedPeer> peer = PeerFromJson(one);
    if (!peer.ok()) return absl::DataLossError(peer.status().message());
    if (absl::Status fits = CheckNew(peers, *peer); !fits.ok()) {
      return absl::DataLossError(
          absl::StrCat("two peers have the same name "
                       "or key: ",
                       peer->name));
    }
    peers.push_back(*std::move(peer));
  }
  return peers;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PinnedPeers>> PinnedPeers::Open(
    const PrivateFolder& folder) {
  std::unique_ptr<PinnedPeers> peers(new PinnedPeers(&folder));
  if (absl::Status read = peers->Reload(); !read.ok()) return read;
  return peers;
}

absl::StatusOr<std::vector<PinnedPeer>> PinnedPeers::ReadFile() const {
  const absl::StatusOr<std::string> text = folder_.Read(kFileName, kMostBytes);
  if (absl::IsNotFound(text.status())) return std::vector<PinnedPeer>();
  if (!text.ok()) return text.status();
  absl::StatusOr<std::vector<PinnedPeer>> peers = FromJson(*text);
  if (!peers.ok()) {
    return absl::DataLossError(
        absl::StrCat(folder_.path(), "/", kFileName,
                     " is no list of peers: ", peers.status().message(),
                     ". Put a good copy back, or move it away and pair again"));
  }
  return peers;
}

absl::Status PinnedPeers::Reload() {
  absl::StatusOr<std::vector<PinnedPeer>> read = ReadFile();
  if (!read.ok()) return read.status();
  MutexLock lock(&mutex_);
  peers_ = *std::move(read);
  return absl::OkStatus();
}

absl::Status PinnedPeers::Change(
    absl::FunctionRef<absl::Status(std::vector<PinnedPeer>&)> change) {
  const absl::StatusOr<PrivateFolder::Lock> held = folder_.Acquire();
  if (!held.ok()) return held.status();
  absl::StatusOr<std::vector<PinnedPeer>> read = ReadFile();
  if (!read.ok()) return read.status();
  if (absl::Status changed = change(*read); !changed.ok()) return changed;
  std::sort(
      read->begin(), read->end(),
      [](const PinnedPeer& a, const PinnedPeer& b) { return a.name < b.name; });
  if (absl::Status written = folder_.Replace(kFileName, ToJson(*read));
      !written.ok()) {
    return written;
  }
  MutexLock lock(&mutex_);
  peers_ = *std::move(read);
  return absl::OkStatus();
}

std::vector<PinnedPeer> PinnedPeers::List() const {
  MutexLock lock(&mutex_);
  return peers_;
}

std::optional<PinnedPeer> PinnedPeers::FindByKey(const KeyDigest& key) const {
  MutexLock lock(&mutex_);
  for (const PinnedPeer& peer : peers_) {
    if (peer.key == key) return peer;
  }
  return std::nullopt;
}

std::optional<PinnedPeer> PinnedPeers::FindById(const DeviceId& id) const {
  MutexLock lock(&mutex_);
  for (const PinnedPeer& peer : peers_) {
    if (peer.id() == id) return peer;
  }
  return std::nullopt;
}

absl::StatusOr<PinnedPeer> PinnedPeers::Find(
    absl::string_view name_or_id) const {
  const absl::StatusOr<DeviceId> id = DeviceId::Parse(name_or_id);
  const std::vector<PinnedPeer> peers = List();
  std::vector<absl::string_view> names;
  for (const PinnedPeer& peer : peers) {
    if (peer.name == name_or_id || (id.ok() && peer.id() == *id)) return peer;
    names.push_back(peer.name);
  }
  return absl::NotFoundError(absl::StrCat(
      "no peer is called '", absl::CHexEscape(name_or_id.substr(0, 80)), "'",
      names.empty() ? std::string("; none is paired: `tactus pair` pairs one")
                    : absl::StrCat("; there is ", absl::StrJoin(names, ", "))));
}

absl::Status PinnedPeers::Add(const PinnedPeer& peer) {
  if (absl::Status good = Check(peer); !good.ok()) return good;
  return Change([&](std::vector<PinnedPeer>& peers) {
    if (absl::Status fits = CheckNew(peers, peer); !fits.ok()) return fits;
    if (peers.size() >= kMost) {
      return absl::ResourceExhaustedError(absl::StrCat(
          kMost, " peers are paired, which is the most: forget one first"));
    }
    peers.push_back(peer);
    return absl::OkStatus();
  });
}

absl::Status PinnedPeers::Remove(const DeviceId& id) {
  return Change([&](std::vector<PinnedPeer>& peers) {
    const auto at = Locate(peers, id);
    if (at == peers.end()) return NotPaired(id);
    peers.erase(at);
    return absl::OkStatus();
  });
}

absl::Status PinnedPeers::SetAddresses(
    const DeviceId& id, const std::vector<std::string>& addresses) {
  return Change([&](std::vector<PinnedPeer>& peers) {
    const auto at = Locate(peers, id);
    if (at == peers.end()) return NotPaired(id);
    at->addresses = addresses;
    return Check(*at);
  });
}

absl::Status PinnedPeers::Grant(const DeviceId& id,
                                const std::string& permission, bool granted) {
  return Change([&](std::vector<PinnedPeer>& peers) {
    const auto at = Locate(peers, id);
    if (at == peers.end()) return NotPaired(id);
    if (granted) {
      at->granted.insert(permission);
    } else {
      at->granted.erase(permission);
    }
    return Check(*at);
  });
}

absl::Status CheckPin(const PinnedPeer& peer, const KeyDigest& presented) {
  if (peer.key == presented) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(
      "who answers for ", peer.name, " holds the key ",
      DeviceId(presented).text(), ", and ", peer.id().text(), " is pinned. If ",
      peer.name, " was set up anew, `tactus forget ", peer.name,
      "` and pair again; if its address changed, say the new one; if neither, "
      "somebody is in between"));
}

}  // namespace tactus::transfer
