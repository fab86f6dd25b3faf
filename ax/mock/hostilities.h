// Every hostility of accessibility servers that Tactus knows, by name.
//
// Use it to make one for a test, and to enumerate them in a fuzzer, a property
// test or a script: what reads text must survive each of them, and any of them
// together.
//
//   server.Add(*MakeHostility("slow", {.parameter = 30}));
//   server.Add(*MakeHostility("hung", {.application = "app:7"}));
//   for (const HostilityKind& kind : AllHostilities()) { ... kind.name ... }
//
// To add one, write it in the family it belongs to (timing, targets, lies,
// secrecy, harm, events, writes), give it a line in that family's table, and
// assert in hostilities_test.cc or writes_test.cc what it does.
#ifndef TACTUS_AX_MOCK_HOSTILITIES_H_
#define TACTUS_AX_MOCK_HOSTILITIES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"

namespace tactus::ax::mock {

// All, family by family, in a fixed order. Names are unique.
absl::Span<const HostilityKind> AllHostilities();

// Null when there is none of that name.
const HostilityKind* FindHostility(absl::string_view name);

// NotFound for a name that nothing has; InvalidArgument when the parameter is
// out of the kind's bounds.
absl::StatusOr<std::unique_ptr<Hostility>> MakeHostility(
    absl::string_view name, const HostilityOptions& options);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_HOSTILITIES_H_
