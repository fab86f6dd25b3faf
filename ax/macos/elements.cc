#include "ax/macos/elements.h"

#include <CoreFoundation/CoreFoundation.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ax/macos/ref.h"
#include "ax/sync/mutex.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

Element ElementTable::NameOf(const Ref<AXUIElementRef>& reference,
                             const std::string& application) {
  const std::string hash = absl::StrCat(
      "ax:", absl::Hex(static_cast<uint64_t>(CFHash(reference.get()))));
  MutexLock lock(&mutex_);
  for (int twin = 0;; ++twin) {
    const std::string path = twin == 0 ? hash : absl::StrCat(hash, "#", twin);
    const auto found = entries_.find({application, path});
    if (found == entries_.end()) {
      if (entries_.size() >= kMostElements) ForgetOne();
      entries_[{application, path}] = {reference, ++uses_};
      return {application, path};
    }
    if (CFEqual(found->second.reference.get(), reference.get()) != 0) {
      found->second.used = ++uses_;
      return {application, path};
    }
  }
}

Ref<AXUIElementRef> ElementTable::Find(const Element& element) {
  MutexLock lock(&mutex_);
  const auto found = entries_.find({element.application, element.path});
  if (found == entries_.end()) return {};
  found->second.used = ++uses_;
  return found->second.reference;
}

size_t ElementTable::size() const {
  MutexLock lock(&mutex_);
  return entries_.size();
}

void ElementTable::ForgetOne() {
  const auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                       [](const auto& a, const auto& b) {
                                         return a.second.used < b.second.used;
                                       });
  if (oldest != entries_.end()) entries_.erase(oldest);
}

}  // namespace tactus::ax::macos
