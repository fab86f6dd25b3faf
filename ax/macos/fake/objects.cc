#include "ax/macos/fake/objects.h"

#include <CoreFoundation/CoreFoundation.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::ax::macos::fake {
namespace {

std::atomic<int64_t> living = 0;
std::atomic<int64_t> retains = 0;
std::atomic<int64_t> releases = 0;

class String : public Object {
 public:
  static constexpr CFTypeID kType = kStringType;
  explicit String(std::u16string units, bool immortal = false)
      : Object(kType, immortal), units(std::move(units)) {}
  bool Equals(const Object& other) const override {
    return other.type() == kType &&
           static_cast<const String&>(other).units == units;
  }
  CFHashCode Hash() const override {
    return std::hash<std::u16string>()(units);
  }
  const std::u16string units;
};

class Array : public Object {
 public:
  static constexpr CFTypeID kType = kArrayType;
  explicit Array(std::vector<CFTypeRef> values)
      : Object(kType), values(std::move(values)) {
    for (CFTypeRef value : this->values) CFRetain(value);
  }
  ~Array() override {
    for (CFTypeRef value : values) CFRelease(value);
  }
  const std::vector<CFTypeRef> values;
};

class Dictionary : public Object {
 public:
  static constexpr CFTypeID kType = kDictionaryType;
  explicit Dictionary(std::vector<std::pair<CFTypeRef, CFTypeRef>> entries)
      : Object(kType), entries(std::move(entries)) {
    for (const auto& [key, value] : this->entries) {
      CFRetain(key);
      CFRetain(value);
    }
  }
  ~Dictionary() override {
    for (const auto& [key, value] : entries) {
      CFRelease(key);
      CFRelease(value);
    }
  }
  const std::vector<std::pair<CFTypeRef, CFTypeRef>> entries;
};

class Number : public Object {
 public:
  static constexpr CFTypeID kType = kNumberType;
  Number(bool floating, int64_t whole, double real)
      : Object(kType), floating(floating), whole(whole), real(real) {}
  const bool floating;
  const int64_t whole;
  const double real;
};

class Bool : public Object {
 public:
  static constexpr CFTypeID kType = kBooleanType;
  explicit Bool(bool value) : Object(kType, /*immortal=*/true), value(value) {}
  const bool value;
};

class Null : public Object {
 public:
  static constexpr CFTypeID kType = kNullType;
  Null() : Object(kType, /*immortal=*/true) {}
};

}  // namespace

ObjectCounts Counts() {
  return {living.load(), retains.load(), releases.load()};
}

Object::Object(CFTypeID type, bool immortal)
    : type_(type), immortal_(immortal) {
  if (!immortal_) ++living;
}

Object::~Object() {
  if (!immortal_) --living;
}

CFHashCode Object::Hash() const { return std::hash<const void*>()(this); }

void Object::Retain() const {
  if (immortal_) return;
  ++retains;
  ++references_;
}

void Object::Release() const {
  if (immortal_) return;
  ++releases;
  if (--references_ == 0) delete this;
}

const Object& ObjectOf(CFTypeRef reference) {
  if (reference == nullptr) std::abort();
  return *static_cast<const Object*>(reference);
}

CFStringRef MakeString(std::u16string units) {
  return ReferenceTo<CFStringRef>(new String(std::move(units)));
}

const std::u16string& UnitsOf(CFStringRef string) {
  return Cast<String>(string).units;
}

std::string AsciiOf(CFStringRef string) {
  std::string text;
  for (const char16_t unit : UnitsOf(string)) {
    if (unit >= 0x80) return "";
    text.push_back(static_cast<char>(unit));
  }
  return text;
}

}  // namespace tactus::ax::macos::fake

using tactus::ax::macos::fake::Array;
using tactus::ax::macos::fake::Bool;
using tactus::ax::macos::fake::Cast;
using tactus::ax::macos::fake::Dictionary;
using tactus::ax::macos::fake::Null;
using tactus::ax::macos::fake::Number;
using tactus::ax::macos::fake::ObjectOf;
using tactus::ax::macos::fake::ReferenceTo;
using tactus::ax::macos::fake::String;

extern "C" {

const CFArrayCallBacks kCFTypeArrayCallBacks = {0};
const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks = {0};
const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks = {0};
const CFBooleanRef kCFBooleanTrue = ReferenceTo<CFBooleanRef>(new Bool(true));
const CFBooleanRef kCFBooleanFalse = ReferenceTo<CFBooleanRef>(new Bool(false));
const CFNullRef kCFNull = ReferenceTo<CFNullRef>(new Null());

CFTypeRef CFRetain(CFTypeRef object) {
  ObjectOf(object).Retain();
  return object;
}

void CFRelease(CFTypeRef object) { ObjectOf(object).Release(); }

Boolean CFEqual(CFTypeRef a, CFTypeRef b) {
  return ObjectOf(a).Equals(ObjectOf(b)) ? 1 : 0;
}

CFHashCode CFHash(CFTypeRef object) { return ObjectOf(object).Hash(); }

CFTypeID CFGetTypeID(CFTypeRef object) { return ObjectOf(object).type(); }

CFStringRef FakeConstantString(const char* ascii) {
  static std::mutex& mutex = *new std::mutex;
  static auto& strings = *new std::map<std::string, const String*>;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string text = ascii;
  const String*& string = strings[text];
  if (string == nullptr) {
    string = new String(std::u16string(text.begin(), text.end()),
                        /*immortal=*/true);
  }
  return ReferenceTo<CFStringRef>(string);
}

CFTypeID CFStringGetTypeID() { return String::kType; }

CFIndex CFStringGetLength(CFStringRef string) {
  return static_cast<CFIndex>(Cast<String>(string).units.size());
}

void CFStringGetCharacters(CFStringRef string, CFRange range, UniChar* out) {
  const std::u16string& units = Cast<String>(string).units;
  const auto size = static_cast<CFIndex>(units.size());
  if (range.location < 0 || range.length < 0 || range.location > size ||
      range.length > size - range.location) {
    std::abort();
  }
  std::copy_n(units.begin() + range.location, range.length, out);
}

CFStringRef CFStringCreateWithCharacters(CFAllocatorRef,
                                         const UniChar* characters,
                                         CFIndex length) {
  if (length < 0) std::abort();
  std::u16string units(static_cast<size_t>(length), u'\0');
  std::copy_n(characters, length, units.begin());
  return tactus::ax::macos::fake::MakeString(std::move(units));
}

CFTypeID CFArrayGetTypeID() { return Array::kType; }

CFArrayRef CFArrayCreate(CFAllocatorRef, const void** values, CFIndex count,
                         const CFArrayCallBacks* callbacks) {
  if (callbacks != &kCFTypeArrayCallBacks || count < 0) std::abort();
  return ReferenceTo<CFArrayRef>(
      new Array(std::vector<CFTypeRef>(values, values + count)));
}

CFIndex CFArrayGetCount(CFArrayRef array) {
  return static_cast<CFIndex>(Cast<Array>(array).values.size());
}

const void* CFArrayGetValueAtIndex(CFArrayRef array, CFIndex index) {
  const std::vector<CFTypeRef>& values = Cast<Array>(array).values;
  if (index < 0 || index >= static_cast<CFIndex>(values.size())) std::abort();
  return values[static_cast<size_t>(index)];
}

CFTypeID CFDictionaryGetTypeID() { return Dictionary::kType; }

CFDictionaryRef CFDictionaryCreate(CFAllocatorRef, const void** keys,
                                   const void** values, CFIndex count,
                                   const CFDictionaryKeyCallBacks*,
                                   const CFDictionaryValueCallBacks*) {
  std::vector<std::pair<CFTypeRef, CFTypeRef>> entries;
  for (CFIndex i = 0; i < count; ++i) entries.emplace_back(keys[i], values[i]);
  return ReferenceTo<CFDictionaryRef>(new Dictionary(std::move(entries)));
}

const void* CFDictionaryGetValue(CFDictionaryRef dictionary, const void* key) {
  for (const auto& [k, value] : Cast<Dictionary>(dictionary).entries) {
    if (CFEqual(k, key)) return value;
  }
  return nullptr;
}

CFTypeID CFNumberGetTypeID() { return Number::kType; }

CFNumberRef CFNumberCreate(CFAllocatorRef, CFNumberType type,
                           const void* value) {
  int64_t whole = 0;
  double real = 0;
  switch (type) {
    case kCFNumberSInt32Type: {
      int32_t narrow = 0;
      std::memcpy(&narrow, value, sizeof(narrow));
      whole = narrow;
      break;
    }
    case kCFNumberSInt64Type:
      std::memcpy(&whole, value, sizeof(whole));
      break;
    case kCFNumberFloat64Type:
      std::memcpy(&real, value, sizeof(real));
      break;
  }
  return ReferenceTo<CFNumberRef>(
      new Number(type == kCFNumberFloat64Type, whole, real));
}

// False where the value does not fit; what is left of it is written all the
// same, as Apple's does.
Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void* value) {
  const auto& from = Cast<Number>(number);
  if (type == kCFNumberFloat64Type) {
    const double real =
        from.floating ? from.real : static_cast<double>(from.whole);
    std::memcpy(value, &real, sizeof(real));
    return 1;
  }
  // A floating number that is not whole, or too large, does not fit.
  int64_t whole = from.whole;
  bool fits = true;
  if (from.floating) {
    fits = from.real >= -9e18 && from.real <= 9e18;
    whole = fits ? static_cast<int64_t>(from.real) : 0;
    fits = fits && static_cast<double>(whole) == from.real;
  }
  if (type == kCFNumberSInt64Type) {
    std::memcpy(value, &whole, sizeof(whole));
    return fits ? 1 : 0;
  }
  const auto narrow = static_cast<int32_t>(whole);
  std::memcpy(value, &narrow, sizeof(narrow));
  return fits && narrow == whole ? 1 : 0;
}

CFTypeID CFBooleanGetTypeID() { return Bool::kType; }
Boolean CFBooleanGetValue(CFBooleanRef boolean) {
  return Cast<Bool>(boolean).value ? 1 : 0;
}

CFTypeID CFNullGetTypeID() { return Null::kType; }

}  // extern "C"
