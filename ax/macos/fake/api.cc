// The C functions of the fake HIServices: checks of their arguments as Apple's
// make them, then what the desktop says; values, observers and run loops, which
// need no desktop to be made.

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/fake/objects.h"
#include "ax/server/server.h"

namespace tactus::ax::macos::fake {
namespace {

class ValueObject : public Object {
 public:
  static constexpr CFTypeID kType = kValueType;
  ValueObject(AXValueType value_type, CFRange range, AXError error)
      : Object(kType), value_type(value_type), range(range), error(error) {}
  const AXValueType value_type;
  const CFRange range;
  const AXError error;
};

class ObserverObject;

class SourceObject : public Object {
 public:
  static constexpr CFTypeID kType = kRunLoopSourceType;
  explicit SourceObject(const ObserverObject* observer)
      : Object(kType), observer(observer) {}
  mutable const ObserverObject* observer;  // null once it is gone
};

class LoopObject : public Object {
 public:
  static constexpr CFTypeID kType = kRunLoopType;
  LoopObject() : Object(kType, /*immortal=*/true) {}
  std::vector<const SourceObject*> sources;  // retained
};

LoopObject& CurrentLoop() {
  static thread_local LoopObject loop;
  return loop;
}

struct Registration {
  CFTypeRef element;  // retained
  std::string name;
  void* refcon;
};

class ObserverObject : public Object {
 public:
  static constexpr CFTypeID kType = kObserverType;
  ObserverObject(pid_t pid, AXObserverCallback callback)
      : Object(kType),
        pid(pid),
        callback(callback),
        source(new SourceObject(this)) {}
  ~ObserverObject() override {
    for (const Registration& r : registrations) CFRelease(r.element);
    // Releasing the observer removes its source.
    source->observer = nullptr;
    auto& sources = CurrentLoop().sources;
    const auto at = std::find(sources.begin(), sources.end(), source);
    if (at != sources.end()) {
      sources.erase(at);
      source->Release();
    }
    source->Release();
  }
  const pid_t pid;
  const AXObserverCallback callback;
  const SourceObject* const source;
  mutable std::vector<Registration> registrations;
};

// What a callback that was removed is called with, once more.
struct Ghost {
  pid_t pid;
  AXObserverCallback callback;
  std::string name;
  void* refcon;
};

std::vector<Ghost>& Ghosts() {
  static auto& ghosts = *new std::vector<Ghost>;
  return ghosts;
}

const char* NotificationOf(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kFocused:
      return "AXFocusedUIElementChanged";
    case Event::Kind::kWindowActivated:
      return "AXApplicationActivated";
    case Event::Kind::kWindowDeactivated:
      return "AXApplicationDeactivated";
    case Event::Kind::kTextChanged:
      return "AXValueChanged";
    case Event::Kind::kSelectionChanged:
      return "AXSelectedTextChanged";
    // Nobody tells of these: the first shows when the application is asked,
    // the second not at all.
    case Event::Kind::kApplicationGone:
    case Event::Kind::kLost:
      return nullptr;
  }
  return nullptr;
}

// Calls whoever is to hear of `event`. True when somebody was.
bool Deliver(Desktop& desktop, LoopObject& loop, const Event& event) {
  const char* name = NotificationOf(event.kind);
  if (name == nullptr) return false;
  const pid_t pid = desktop.PidOf(event.element.application);
  const bool of_application = event.kind == Event::Kind::kWindowActivated ||
                              event.kind == Event::Kind::kWindowDeactivated;
  AXUIElementRef element = of_application ? AXUIElementCreateApplication(pid)
                                          : desktop.MakeElement(event.element);
  bool told = false;
  // Callbacks may add and remove sources.
  const std::vector<const SourceObject*> sources = loop.sources;
  for (const SourceObject* source : sources) {
    const ObserverObject* observer = source->observer;
    if (observer == nullptr || observer->pid != pid) continue;
    const std::vector<Registration> registrations = observer->registrations;
    for (const Registration& registration : registrations) {
      if (registration.name != name) continue;
      told = true;
      observer->callback(ReferenceTo<AXObserverRef>(observer), element,
                         FakeConstantString(name), registration.refcon);
    }
  }
  std::vector<Ghost> ghosts;
  ghosts.swap(Ghosts());
  for (const Ghost& ghost : ghosts) {
    AXObserverRef observer = nullptr;
    if (AXObserverCreate(ghost.pid, ghost.callback, &observer) !=
        kAXErrorSuccess) {
      continue;
    }
    ghost.callback(observer, element, FakeConstantString(ghost.name.c_str()),
                   ghost.refcon);
    CFRelease(observer);
  }
  CFRelease(element);
  return told;
}

// The arguments of a call on an element; null where one is wrong.
const ElementObject* ElementOf(AXUIElementRef element) {
  if (element == nullptr || CFGetTypeID(element) != kElementType) {
    return nullptr;
  }
  return &Cast<ElementObject>(element);
}

std::string NameOf(CFStringRef name) {
  if (name == nullptr || CFGetTypeID(name) != kStringType) return "";
  return AsciiOf(name);
}

}  // namespace
}  // namespace tactus::ax::macos::fake

namespace fake = tactus::ax::macos::fake;

extern "C" {

const CFRunLoopMode kCFRunLoopDefaultMode =
    FakeConstantString("kCFRunLoopDefaultMode");
const CFStringRef kCGWindowLayer = FakeConstantString("kCGWindowLayer");
const CFStringRef kCGWindowOwnerPID = FakeConstantString("kCGWindowOwnerPID");
const CFStringRef kCGWindowName = FakeConstantString("kCGWindowName");

CFTypeID AXValueGetTypeID() { return fake::kValueType; }

AXValueRef AXValueCreate(AXValueType type, const void* value) {
  CFRange range = {};
  AXError error = kAXErrorSuccess;
  if (type == kAXValueTypeCFRange) {
    std::memcpy(&range, value, sizeof(range));
  } else if (type == kAXValueTypeAXError) {
    std::memcpy(&error, value, sizeof(error));
  } else {
    return nullptr;
  }
  return fake::ReferenceTo<AXValueRef>(
      new fake::ValueObject(type, range, error));
}

AXValueType AXValueGetType(AXValueRef value) {
  return fake::Cast<fake::ValueObject>(value).value_type;
}

Boolean AXValueGetValue(AXValueRef value, AXValueType type, void* out) {
  const auto& object = fake::Cast<fake::ValueObject>(value);
  if (object.value_type != type) return 0;
  if (type == kAXValueTypeCFRange) {
    std::memcpy(out, &object.range, sizeof(object.range));
  } else {
    std::memcpy(out, &object.error, sizeof(object.error));
  }
  return 1;
}

CFTypeID AXUIElementGetTypeID() { return fake::kElementType; }

AXUIElementRef AXUIElementCreateSystemWide() {
  return fake::ReferenceTo<AXUIElementRef>(
      new fake::ElementObject(fake::ElementObject::Kind::kSystemWide, 0, {}));
}

AXUIElementRef AXUIElementCreateApplication(pid_t pid) {
  return fake::ReferenceTo<AXUIElementRef>(new fake::ElementObject(
      fake::ElementObject::Kind::kApplication, pid, {}));
}

AXError AXUIElementCopyAttributeValue(AXUIElementRef element,
                                      CFStringRef attribute, CFTypeRef* value) {
  const fake::ElementObject* object = fake::ElementOf(element);
  const std::string name = fake::NameOf(attribute);
  if (object == nullptr || name.empty() || value == nullptr) {
    return kAXErrorIllegalArgument;
  }
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  return desktop->Copy(*object, name, value);
}

AXError AXUIElementCopyMultipleAttributeValues(
    AXUIElementRef element, CFArrayRef attributes,
    AXCopyMultipleAttributeOptions options, CFArrayRef* values) {
  const fake::ElementObject* object = fake::ElementOf(element);
  if (object == nullptr || attributes == nullptr || values == nullptr) {
    return kAXErrorIllegalArgument;
  }
  std::vector<std::string> names;
  for (CFIndex i = 0; i < CFArrayGetCount(attributes); ++i) {
    names.push_back(fake::NameOf(
        static_cast<CFStringRef>(CFArrayGetValueAtIndex(attributes, i))));
  }
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  return desktop->CopyMany(
      *object, names,
      (options & kAXCopyMultipleAttributeOptionStopOnError) != 0, values);
}

AXError AXUIElementCopyParameterizedAttributeValue(AXUIElementRef element,
                                                   CFStringRef attribute,
                                                   CFTypeRef parameter,
                                                   CFTypeRef* value) {
  const fake::ElementObject* object = fake::ElementOf(element);
  const std::string name = fake::NameOf(attribute);
  if (object == nullptr || name.empty() || parameter == nullptr ||
      value == nullptr) {
    return kAXErrorIllegalArgument;
  }
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  return desktop->CopyForRange(*object, name, parameter, value);
}

AXError AXUIElementIsAttributeSettable(AXUIElementRef element,
                                       CFStringRef attribute,
                                       Boolean* settable) {
  const fake::ElementObject* object = fake::ElementOf(element);
  const std::string name = fake::NameOf(attribute);
  if (object == nullptr || name.empty() || settable == nullptr) {
    return kAXErrorIllegalArgument;
  }
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  return desktop->IsSettable(*object, name, settable);
}

AXError AXUIElementSetAttributeValue(AXUIElementRef element,
                                     CFStringRef attribute, CFTypeRef value) {
  const fake::ElementObject* object = fake::ElementOf(element);
  const std::string name = fake::NameOf(attribute);
  if (object == nullptr || name.empty() || value == nullptr) {
    return kAXErrorIllegalArgument;
  }
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  return desktop->Set(*object, name, value);
}

AXError AXUIElementSetMessagingTimeout(AXUIElementRef element, float seconds) {
  const fake::ElementObject* object = fake::ElementOf(element);
  if (object == nullptr) return kAXErrorIllegalArgument;
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorSuccess;
  return desktop->SetTimeout(*object, seconds);
}

AXError AXUIElementGetPid(AXUIElementRef element, pid_t* pid) {
  const fake::ElementObject* object = fake::ElementOf(element);
  if (object == nullptr || pid == nullptr ||
      object->kind == fake::ElementObject::Kind::kSystemWide) {
    return kAXErrorIllegalArgument;
  }
  *pid = object->pid;
  return kAXErrorSuccess;
}

AXError AXObserverCreate(pid_t pid, AXObserverCallback callback,
                         AXObserverRef* observer) {
  if (callback == nullptr || observer == nullptr) {
    return kAXErrorIllegalArgument;
  }
  *observer =
      fake::ReferenceTo<AXObserverRef>(new fake::ObserverObject(pid, callback));
  return kAXErrorSuccess;
}

AXError AXObserverAddNotification(AXObserverRef observer,
                                  AXUIElementRef element,
                                  CFStringRef notification, void* refcon) {
  const fake::ElementObject* object = fake::ElementOf(element);
  const std::string name = fake::NameOf(notification);
  if (observer == nullptr) return kAXErrorInvalidUIElementObserver;
  if (object == nullptr || name.empty()) return kAXErrorIllegalArgument;
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr) return kAXErrorAPIDisabled;
  const auto& of = fake::Cast<fake::ObserverObject>(observer);
  for (const fake::Registration& registration : of.registrations) {
    if (registration.name == name) return kAXErrorNotificationAlreadyRegistered;
  }
  const AXError error = desktop->Register(*object);
  if (error != kAXErrorSuccess) return error;
  CFRetain(element);
  of.registrations.push_back({element, name, refcon});
  return kAXErrorSuccess;
}

AXError AXObserverRemoveNotification(AXObserverRef observer,
                                     AXUIElementRef element,
                                     CFStringRef notification) {
  if (observer == nullptr) return kAXErrorInvalidUIElementObserver;
  if (element == nullptr) return kAXErrorIllegalArgument;
  const std::string name = fake::NameOf(notification);
  const auto& of = fake::Cast<fake::ObserverObject>(observer);
  for (auto it = of.registrations.begin(); it != of.registrations.end(); ++it) {
    if (it->name != name || CFEqual(it->element, element) == 0) continue;
    fake::Desktop* desktop = fake::Desktop::Current();
    if (desktop != nullptr && desktop->faults().late_callbacks) {
      fake::Ghosts().push_back({of.pid, of.callback, name, it->refcon});
    }
    CFRelease(it->element);
    of.registrations.erase(it);
    return kAXErrorSuccess;
  }
  return kAXErrorNotificationNotRegistered;
}

CFRunLoopSourceRef AXObserverGetRunLoopSource(AXObserverRef observer) {
  if (observer == nullptr) return nullptr;
  return fake::ReferenceTo<CFRunLoopSourceRef>(
      fake::Cast<fake::ObserverObject>(observer).source);
}

Boolean AXIsProcessTrustedWithOptions(CFDictionaryRef) {
  fake::Desktop* desktop = fake::Desktop::Current();
  return desktop != nullptr && desktop->faults().told_trusted ? 1 : 0;
}

CFArrayRef CGWindowListCopyWindowInfo(CGWindowListOption, CGWindowID) {
  fake::Desktop* desktop = fake::Desktop::Current();
  return desktop == nullptr ? nullptr : desktop->WindowList();
}

CFRunLoopRef CFRunLoopGetCurrent() {
  return fake::ReferenceTo<CFRunLoopRef>(&fake::CurrentLoop());
}

void CFRunLoopAddSource(CFRunLoopRef loop, CFRunLoopSourceRef source,
                        CFRunLoopMode) {
  const auto& added = fake::Cast<fake::SourceObject>(source);
  auto& sources =
      const_cast<fake::LoopObject&>(fake::Cast<fake::LoopObject>(loop)).sources;
  if (std::find(sources.begin(), sources.end(), &added) != sources.end()) {
    return;
  }
  added.Retain();
  sources.push_back(&added);
}

void CFRunLoopRemoveSource(CFRunLoopRef loop, CFRunLoopSourceRef source,
                           CFRunLoopMode) {
  const auto& removed = fake::Cast<fake::SourceObject>(source);
  auto& sources =
      const_cast<fake::LoopObject&>(fake::Cast<fake::LoopObject>(loop)).sources;
  const auto at = std::find(sources.begin(), sources.end(), &removed);
  if (at == sources.end()) return;
  sources.erase(at);
  removed.Release();
}

CFRunLoopRunResult CFRunLoopRunInMode(CFRunLoopMode, CFTimeInterval seconds,
                                      Boolean return_after_source_handled) {
  fake::LoopObject& loop = fake::CurrentLoop();
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop == nullptr || loop.sources.empty()) return kCFRunLoopRunFinished;
  const absl::Time deadline = desktop->Now() + absl::Seconds(seconds);
  while (true) {
    const absl::StatusOr<tactus::ax::Event> event =
        desktop->NextEvent(deadline);
    if (absl::IsCancelled(event.status())) return kCFRunLoopRunStopped;
    if (!event.ok()) {
      // No event, or none ever again: the source is silent.
      desktop->AdvanceTo(deadline);
      return kCFRunLoopRunTimedOut;
    }
    if (fake::Deliver(*desktop, loop, *event) &&
        return_after_source_handled != 0) {
      return kCFRunLoopRunHandledSource;
    }
  }
}

void CFRunLoopStop(CFRunLoopRef) {
  fake::Desktop* desktop = fake::Desktop::Current();
  if (desktop != nullptr) desktop->StopWaiting();
}

void CFRunLoopWakeUp(CFRunLoopRef) {}

}  // extern "C"
