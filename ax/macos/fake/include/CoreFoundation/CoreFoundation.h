// Just that much of Apple's CoreFoundation as ax/macos uses, under its names
// and with its conventions, so that the same source compiles and runs on Linux
// under sanitizers. On macOS this header is not on the include path.
//
// Ownership is as there: what a function named Create or Copy returns is the
// caller's to release, what Get returns is borrowed, containers retain what
// they hold. CFRetain, CFRelease and CFGetTypeID of NULL abort. Retains,
// releases and living objects are counted: ax/macos/fake/objects.h.
//
// Source: the CoreFoundation headers of the macOS 10.11 SDK.
#ifndef TACTUS_AX_MACOS_FAKE_INCLUDE_COREFOUNDATION_COREFOUNDATION_H_
#define TACTUS_AX_MACOS_FAKE_INCLUDE_COREFOUNDATION_COREFOUNDATION_H_

#include <cstdint>

extern "C" {

// NOLINTBEGIN: the names are Apple's.
typedef unsigned char Boolean;
typedef unsigned char UInt8;
typedef unsigned short UniChar;
typedef int32_t SInt32;
typedef uint32_t UInt32;
typedef double CFTimeInterval;
typedef long CFIndex;
typedef unsigned long CFTypeID;
typedef unsigned long CFHashCode;
typedef const void* CFTypeRef;

typedef const struct FakeCFAllocator* CFAllocatorRef;
typedef const struct FakeCFString* CFStringRef;
typedef const struct FakeCFArray* CFArrayRef;
typedef const struct FakeCFDictionary* CFDictionaryRef;
typedef const struct FakeCFNumber* CFNumberRef;
typedef const struct FakeCFBoolean* CFBooleanRef;
typedef const struct FakeCFNull* CFNullRef;
typedef struct FakeCFRunLoop* CFRunLoopRef;
typedef struct FakeCFRunLoopSource* CFRunLoopSourceRef;
typedef CFStringRef CFRunLoopMode;

typedef struct {
  CFIndex location;
  CFIndex length;
} CFRange;

inline CFRange CFRangeMake(CFIndex location, CFIndex length) {
  return CFRange{location, length};
}

enum { kCFNotFound = -1 };

#define kCFAllocatorDefault nullptr

CFTypeRef CFRetain(CFTypeRef object);
void CFRelease(CFTypeRef object);
Boolean CFEqual(CFTypeRef a, CFTypeRef b);
CFHashCode CFHash(CFTypeRef object);
CFTypeID CFGetTypeID(CFTypeRef object);

// Strings. A CFSTR lives as long as the process.
CFStringRef FakeConstantString(const char* ascii);
#define CFSTR(literal) FakeConstantString("" literal "")

CFTypeID CFStringGetTypeID(void);
CFIndex CFStringGetLength(CFStringRef string);
void CFStringGetCharacters(CFStringRef string, CFRange range, UniChar* out);
CFStringRef CFStringCreateWithCharacters(CFAllocatorRef allocator,
                                         const UniChar* characters,
                                         CFIndex length);

// Arrays.
typedef struct {
  CFIndex version;
} CFArrayCallBacks;
extern const CFArrayCallBacks kCFTypeArrayCallBacks;

CFTypeID CFArrayGetTypeID(void);
CFArrayRef CFArrayCreate(CFAllocatorRef allocator, const void** values,
                         CFIndex count, const CFArrayCallBacks* callbacks);
CFIndex CFArrayGetCount(CFArrayRef array);
const void* CFArrayGetValueAtIndex(CFArrayRef array, CFIndex index);

// Dictionaries.
typedef struct {
  CFIndex version;
} CFDictionaryKeyCallBacks;
typedef struct {
  CFIndex version;
} CFDictionaryValueCallBacks;
extern const CFDictionaryKeyCallBacks kCFTypeDictionaryKeyCallBacks;
extern const CFDictionaryValueCallBacks kCFTypeDictionaryValueCallBacks;

CFTypeID CFDictionaryGetTypeID(void);
CFDictionaryRef CFDictionaryCreate(
    CFAllocatorRef allocator, const void** keys, const void** values,
    CFIndex count, const CFDictionaryKeyCallBacks* key_callbacks,
    const CFDictionaryValueCallBacks* value_callbacks);
const void* CFDictionaryGetValue(CFDictionaryRef dictionary, const void* key);

// Numbers, booleans, null.
typedef enum CFNumberType : CFIndex {
  kCFNumberSInt32Type = 3,
  kCFNumberSInt64Type = 4,
  kCFNumberFloat64Type = 6,
} CFNumberType;

CFTypeID CFNumberGetTypeID(void);
CFNumberRef CFNumberCreate(CFAllocatorRef allocator, CFNumberType type,
                           const void* value);
Boolean CFNumberGetValue(CFNumberRef number, CFNumberType type, void* value);

CFTypeID CFBooleanGetTypeID(void);
Boolean CFBooleanGetValue(CFBooleanRef boolean);
extern const CFBooleanRef kCFBooleanTrue;
extern const CFBooleanRef kCFBooleanFalse;

CFTypeID CFNullGetTypeID(void);
extern const CFNullRef kCFNull;

// Run loops. A loop belongs to the thread that asks for it; time passes on the
// clock of the fake desktop.
extern const CFRunLoopMode kCFRunLoopDefaultMode;

typedef enum CFRunLoopRunResult : SInt32 {
  kCFRunLoopRunFinished = 1,
  kCFRunLoopRunStopped = 2,
  kCFRunLoopRunTimedOut = 3,
  kCFRunLoopRunHandledSource = 4,
} CFRunLoopRunResult;

CFRunLoopRef CFRunLoopGetCurrent(void);
void CFRunLoopAddSource(CFRunLoopRef loop, CFRunLoopSourceRef source,
                        CFRunLoopMode mode);
void CFRunLoopRemoveSource(CFRunLoopRef loop, CFRunLoopSourceRef source,
                           CFRunLoopMode mode);
CFRunLoopRunResult CFRunLoopRunInMode(CFRunLoopMode mode,
                                      CFTimeInterval seconds,
                                      Boolean return_after_source_handled);
void CFRunLoopStop(CFRunLoopRef loop);
void CFRunLoopWakeUp(CFRunLoopRef loop);
// NOLINTEND

}  // extern "C"

#endif  // TACTUS_AX_MACOS_FAKE_INCLUDE_COREFOUNDATION_COREFOUNDATION_H_
