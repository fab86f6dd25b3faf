// The numbers and names of AT-SPI2 that Tactus uses, and the decoding of its
// replies.
//
// Every reply comes from another process and is hostile until decoded: types
// are checked before a value is taken, lengths before anything is kept. A reply
// of the wrong shape is DataLoss, never an empty value.
//
// Sources: at-spi2-core 2.46, xml/*.xml (interfaces) and
// atspi/atspi-constants.h (roles and states).
#ifndef TACTUS_AX_ATSPI_PROTOCOL_H_
#define TACTUS_AX_ATSPI_PROTOCOL_H_

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

inline constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
inline constexpr char kApplication[] = "org.a11y.atspi.Application";
inline constexpr char kCache[] = "org.a11y.atspi.Cache";
inline constexpr char kCollection[] = "org.a11y.atspi.Collection";
inline constexpr char kComponent[] = "org.a11y.atspi.Component";
inline constexpr char kEditableText[] = "org.a11y.atspi.EditableText";
inline constexpr char kText[] = "org.a11y.atspi.Text";
inline constexpr char kRegistry[] = "org.a11y.atspi.Registry";
inline constexpr char kRootPath[] = "/org/a11y/atspi/accessible/root";
inline constexpr char kCachePath[] = "/org/a11y/atspi/cache";

// Of a text in one reply. What is longer is DataLoss: nobody types into a field
// of 32 MiB, and something must bound what a reply makes us allocate.
inline constexpr size_t kMaxTextBytes = size_t{32} << 20;
// Of children, matches or cached items in one reply: the largest real page seen
// has 18,000 nodes.
inline constexpr size_t kMaxItems = 100'000;

// GetRole's number. Numbers that are not of 2.46 are kUnknown.
RoleValue RoleFromNumber(uint32_t role);

// GetState's two words. Interfaces are not among them.
States StatesFromWords(uint32_t low, uint32_t high);

// A reference to an accessible: bus name and object path.
using Reference = Element;

struct CacheItem {
  Reference self;
  Reference parent;
  States states = 0;
  uint32_t role = 0;
};

// Each reads one whole reply. DataLoss when its signature is another.
absl::StatusOr<std::string> DecodeString(sd_bus_message* reply);   // "s"
absl::StatusOr<bool> DecodeBool(sd_bus_message* reply);            // "b"
absl::StatusOr<int32_t> DecodeInt32(sd_bus_message* reply);        // "i"
absl::StatusOr<uint32_t> DecodeUint32(sd_bus_message* reply);      // "u"
absl::StatusOr<States> DecodeState(sd_bus_message* reply);         // "au"
absl::StatusOr<States> DecodeInterfaces(sd_bus_message* reply);    // "as"
absl::StatusOr<Range> DecodeSelection(sd_bus_message* reply);      // "ii"
absl::StatusOr<Reference> DecodeReference(sd_bus_message* reply);  // "(so)"
absl::StatusOr<std::vector<Reference>> DecodeReferences(
    sd_bus_message* reply);  // "a(so)"
// The one entry in an array of UTF-8 names that are kept: "as".
absl::StatusOr<std::vector<std::string>> DecodeNames(sd_bus_message* reply);
// GetAttributes: the value of one attribute; NotFound when it is not there:
// "a{ss}".
absl::StatusOr<std::string> DecodeAttribute(sd_bus_message* reply,
                                            const std::string& name);
// GetItems of ATK and GTK 4: "a((so)(so)(so)iiassusau)".
absl::StatusOr<std::vector<CacheItem>> DecodeCacheItems(sd_bus_message* reply);
// Properties.Get: a variant of the one basic type.
absl::StatusOr<int64_t> DecodeIntProperty(sd_bus_message* reply);
absl::StatusOr<std::string> DecodeStringProperty(sd_bus_message* reply);
absl::StatusOr<Reference> DecodeReferenceProperty(sd_bus_message* reply);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_PROTOCOL_H_
