#include "ax/x11/content.h"

#include <xcb/xcb.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/text/utf.h"

namespace tactus::ax::x11 {
namespace {

constexpr absl::string_view kMagic = "tactus-clipboard-1\n";

std::optional<std::string> Latin1(absl::string_view text) {
  std::string latin1;
  for (size_t i = 0; i < text.size();) {
    const DecodedCodePoint c =
        DecodeOne(std::string_view(text.data() + i, text.size() - i));
    if (c.code_point > 0xFF) return std::nullopt;
    latin1.push_back(static_cast<char>(c.code_point));
    i += c.size;
  }
  return latin1;
}

template <typename T>
void Put(T value, std::string* out) {
  char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof(T));
  out->append(bytes, sizeof(T));
}

void PutBytes(absl::string_view bytes, std::string* out) {
  Put<uint64_t>(bytes.size(), out);
  out->append(bytes.data(), bytes.size());
}

template <typename T>
bool Get(absl::string_view* in, T* value) {
  if (in->size() < sizeof(T)) return false;
  memcpy(value, in->data(), sizeof(T));
  in->remove_prefix(sizeof(T));
  return true;
}

bool GetBytes(absl::string_view* in, std::string* bytes) {
  uint64_t size = 0;
  if (!Get(in, &size) || size > in->size()) return false;
  bytes->assign(in->data(), size);
  in->remove_prefix(size);
  return true;
}

}  // namespace

Content TextContent(absl::string_view text, const TextAtoms& atoms) {
  const std::string utf8(text);
  Content content;
  const auto offer = [&](xcb_atom_t target, xcb_atom_t type,
                         std::string bytes) {
    content.offers.push_back({.target = target,
                              .type = type,
                              .bytes = std::move(bytes),
                              .is_text = true});
  };
  offer(atoms.utf8_string, atoms.utf8_string, utf8);
  offer(atoms.text_plain_utf8, atoms.text_plain_utf8, utf8);
  offer(atoms.text_plain, atoms.text_plain, utf8);
  if (std::optional<std::string> latin1 = Latin1(text)) {
    offer(XCB_ATOM_STRING, XCB_ATOM_STRING, *std::move(latin1));
  }
  // TEXT asks for whatever encoding the owner likes best; its type says which.
  offer(atoms.text, atoms.utf8_string, utf8);
  content.offers.push_back({.target = atoms.secret_hint,
                            .type = atoms.secret_hint,
                            .bytes = "secret"});
  return content;
}

std::string Pack(const Parcel& parcel) {
  std::string packed(kMagic);
  PutBytes(parcel.display, &packed);
  Put(parcel.owner, &packed);
  Put<uint64_t>(parcel.content.offers.size(), &packed);
  for (const Offer& offer : parcel.content.offers) {
    Put(offer.target, &packed);
    Put(offer.type, &packed);
    Put(offer.format, &packed);
    PutBytes(offer.bytes, &packed);
  }
  return packed;
}

absl::StatusOr<Parcel> Unpack(absl::string_view packed) {
  const absl::Status broken =
      absl::InvalidArgumentError("this is no clipboard that was handed over");
  if (packed.substr(0, kMagic.size()) != kMagic) return broken;
  packed.remove_prefix(kMagic.size());
  Parcel parcel;
  uint64_t offers = 0;
  if (!GetBytes(&packed, &parcel.display) || !Get(&packed, &parcel.owner) ||
      !Get(&packed, &offers)) {
    return broken;
  }
  // Not allocated ahead: each offer has to be there to count.
  for (uint64_t i = 0; i < offers; ++i) {
    Offer offer;
    if (!Get(&packed, &offer.target) || !Get(&packed, &offer.type) ||
        !Get(&packed, &offer.format) || !GetBytes(&packed, &offer.bytes)) {
      return broken;
    }
    if ((offer.format != 8 && offer.format != 16 && offer.format != 32) ||
        offer.bytes.size() % (offer.format / 8) != 0) {
      return broken;
    }
    parcel.content.offers.push_back(std::move(offer));
  }
  if (!packed.empty()) return broken;
  return parcel;
}

}  // namespace tactus::ax::x11
