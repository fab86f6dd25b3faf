// The objects behind the fake CoreFoundation, and how many there are.
//
// A test asserts at its end that nothing leaks:
//
//   const ObjectCounts before = Counts();
//   { ... }
//   EXPECT_EQ(Counts().living, before.living);
//
// An object that is released once too often is freed memory, which
// AddressSanitizer reports at its next use. Constants (CFSTR, kCFNull, the
// booleans) live for ever, are not counted, and ignore retain and release.
//
// Retain and release may be called from any thread; the rest is for the fake
// itself.
#ifndef TACTUS_AX_MACOS_FAKE_OBJECTS_H_
#define TACTUS_AX_MACOS_FAKE_OBJECTS_H_

#include <CoreFoundation/CoreFoundation.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tactus::ax::macos::fake {

struct ObjectCounts {
  int64_t living = 0;    // made and not freed
  int64_t retains = 0;   // CFRetain, and what a container does
  int64_t releases = 0;  // CFRelease, and what a container does
};

ObjectCounts Counts();

// Type ids. Apple's are numbers that nobody may rely on, and so are these.
inline constexpr CFTypeID kStringType = 7;
inline constexpr CFTypeID kNullType = 16;
inline constexpr CFTypeID kDictionaryType = 18;
inline constexpr CFTypeID kArrayType = 19;
inline constexpr CFTypeID kBooleanType = 21;
inline constexpr CFTypeID kNumberType = 22;
inline constexpr CFTypeID kRunLoopType = 40;
inline constexpr CFTypeID kRunLoopSourceType = 41;
inline constexpr CFTypeID kElementType = 100;
inline constexpr CFTypeID kValueType = 101;
inline constexpr CFTypeID kObserverType = 102;

// What every reference points to.
class Object {
 public:
  explicit Object(CFTypeID type, bool immortal = false);
  virtual ~Object();

  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  CFTypeID type() const { return type_; }
  virtual bool Equals(const Object& other) const { return this == &other; }
  virtual CFHashCode Hash() const;

  void Retain() const;
  void Release() const;

 private:
  const CFTypeID type_;
  const bool immortal_;
  mutable std::atomic<int64_t> references_ = 1;
};

// The object of a reference. Aborts on NULL, as Apple's functions crash.
const Object& ObjectOf(CFTypeRef reference);

// The object as a `T`; aborts where it is of another type, as Apple's functions
// crash at best.
template <typename T>
const T& Cast(CFTypeRef reference) {
  const Object& object = ObjectOf(reference);
  if (object.type() != T::kType) __builtin_trap();
  return static_cast<const T&>(object);
}

// The reference of an object.
template <typename Ref>
Ref ReferenceTo(const Object* object) {
  return reinterpret_cast<Ref>(const_cast<Object*>(object));
}

// A string of UTF-16 units, +1.
CFStringRef MakeString(std::u16string units);
// Its units.
const std::u16string& UnitsOf(CFStringRef string);
// Its characters where they are ASCII, for names of attributes; "" else.
std::string AsciiOf(CFStringRef string);

}  // namespace tactus::ax::macos::fake

#endif  // TACTUS_AX_MACOS_FAKE_OBJECTS_H_
