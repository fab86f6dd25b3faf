// The elements that a server has told of, by the names under which the seam
// knows them.
//
// An element of macOS is a reference and has no name that could be passed on.
// So each gets one, made of CFHash, and of a number where another element has
// the same hash. Equal references (CFEqual) share a name. That CFHash depends
// on the element alone, and so names it in another process too, is suspected
// and not measured.
//
//   ElementTable table;
//   const Element name = table.NameOf(reference, "100");
//   Ref<AXUIElementRef> again = table.Find(name);   // null: forgotten
//
// Servers that pass elements to each other, as a focus cache does, share one
// table. The least recently used element is forgotten when there are
// kMostElements: an element that a cache or a person still names was asked for
// lately, and what is forgotten is looked up anew.
//
// Safe for use from several threads.
#ifndef TACTUS_AX_MACOS_ELEMENTS_H_
#define TACTUS_AX_MACOS_ELEMENTS_H_

#include <ApplicationServices/ApplicationServices.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "ax/macos/ref.h"
#include "ax/sync/mutex.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

class ElementTable {
 public:
  // A snapshot names at most a handful, and a reference holds a port and some
  // bytes.
  static constexpr size_t kMostElements = 1024;

  // `application` is the Application::id of whom it belongs to.
  Element NameOf(const Ref<AXUIElementRef>& reference,
                 const std::string& application);

  // Null where the name is not known, or not any longer.
  Ref<AXUIElementRef> Find(const Element& element);

  size_t size() const;

 private:
  struct Entry {
    Ref<AXUIElementRef> reference;
    int64_t used = 0;  // when, by `uses_`
  };

  void ForgetOne() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  // By application and path.
  std::map<std::pair<std::string, std::string>, Entry> entries_
      ABSL_GUARDED_BY(mutex_);
  int64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_ELEMENTS_H_
