// Owns a reference to a CoreFoundation object.
//
// Two rules say who releases what an Apple function returns, and each has its
// own way in, so that a reader sees which one was meant:
//
//   Ref<CFStringRef> made = Ref<CFStringRef>::Take(CFStringCreate...(...));
//   Ref<CFTypeRef> slot = Ref<CFTypeRef>::Share(CFArrayGetValueAtIndex(...));
//
//   CFTypeRef copied = nullptr;                    // an out-parameter
//   AXError error = AXUIElementCopyAttributeValue(..., &copied);
//   Ref<CFTypeRef> value = Ref<CFTypeRef>::Take(copied);
//
// Take is for what Create and Copy return (+1), Share for what Get returns
// (borrowed): it retains. NULL may be held, and is neither retained nor
// released, since CFRetain and CFRelease of NULL crash.
#ifndef TACTUS_AX_MACOS_REF_H_
#define TACTUS_AX_MACOS_REF_H_

#include <CoreFoundation/CoreFoundation.h>

#include <utility>

namespace tactus::ax::macos {

template <typename T>
class Ref {
 public:
  Ref() = default;
  ~Ref() { Drop(); }

  static Ref Take(T owned) {
    Ref ref;
    ref.object_ = owned;
    return ref;
  }
  static Ref Share(T borrowed) {
    if (borrowed != nullptr) CFRetain(borrowed);
    return Take(borrowed);
  }

  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) CFRetain(object_);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(const Ref& other) {
    if (this != &other) *this = Ref(other);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    if (this != &other) {
      Drop();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  void Drop() {
    if (object_ != nullptr) CFRelease(object_);
    object_ = nullptr;
  }

  T object_ = nullptr;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_REF_H_
