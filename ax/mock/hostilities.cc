#include "ax/mock/hostilities.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ax/mock/events.h"
#include "ax/mock/harm.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/lies.h"
#include "ax/mock/secrecy.h"
#include "ax/mock/targets.h"
#include "ax/mock/timing.h"
#include "ax/mock/writes.h"

namespace tactus::ax::mock {

absl::Span<const HostilityKind> AllHostilities() {
  static const std::vector<HostilityKind>& kinds = *[] {
    auto* all = new std::vector<HostilityKind>();
    for (const absl::Span<const HostilityKind> family :
         {TimingHostilities(), TargetHostilities(), LieHostilities(),
          SecrecyHostilities(), HarmHostilities(), EventHostilities(),
          WriteHostilities()}) {
      all->insert(all->end(), family.begin(), family.end());
    }
    return all;
  }();
  return kinds;
}

const HostilityKind* FindHostility(absl::string_view name) {
  for (const HostilityKind& kind : AllHostilities()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Hostility>> MakeHostility(
    absl::string_view name, const HostilityOptions& options) {
  const HostilityKind* kind = FindHostility(name);
  if (kind == nullptr) {
    return absl::NotFoundError(absl::StrCat("no hostility \"", name, "\""));
  }
  const int64_t parameter = options.parameter.value_or(kind->default_parameter);
  if (parameter < kind->least || parameter > kind->most) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": parameter ", parameter, " is not in [",
                     kind->least, ", ", kind->most, "]"));
  }
  return kind->make(options, parameter);
}

}  // namespace tactus::ax::mock
