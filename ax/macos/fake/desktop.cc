#include "ax/macos/fake/desktop.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/fake/units.h"
#include "ax/mock/code_points.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos::fake {
namespace {

Desktop* current = nullptr;

// The end of a request for all of a text: AXValue knows no ranges.
constexpr int64_t kWholeText = int64_t{1} << 30;

AXError ErrorOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kAXErrorSuccess;
    case absl::StatusCode::kNotFound:
      return kAXErrorNoValue;
    case absl::StatusCode::kUnimplemented:
      return kAXErrorAttributeUnsupported;
    case absl::StatusCode::kUnavailable:
      return kAXErrorInvalidUIElement;
    case absl::StatusCode::kDeadlineExceeded:
      return kAXErrorCannotComplete;
    case absl::StatusCode::kPermissionDenied:
      return kAXErrorAPIDisabled;
    case absl::StatusCode::kInvalidArgument:
      return kAXErrorIllegalArgument;
    default:
      return kAXErrorFailure;
  }
}

std::vector<Attribute> AttributesOf(const std::string& name) {
  if (name == "AXRole") return {Attribute::kRole};
  if (name == "AXSubrole") return {Attribute::kSubrole};
  if (name == "AXFocused" || name == "AXEnabled" || name == "AXMain") {
    return {Attribute::kStates};
  }
  if (name == "AXWindow") return {Attribute::kWindow};
  if (name == "AXValue") return {Attribute::kText};
  if (name == "AXNumberOfCharacters") return {Attribute::kCharacterCount};
  if (name == "AXSelectedTextRange") {
    return {Attribute::kCaret, Attribute::kSelection};
  }
  if (name == "AXSelectedText") return {Attribute::kSelectedText};
  return {};
}

absl::string_view RoleWord(Role role) {
  switch (role) {
    case Role::kUnknown:
      return "AXUnknown";
    case Role::kOther:
      return "AXButton";
    case Role::kTextField:
      return "AXTextField";
    case Role::kTextArea:
    case Role::kTerminal:  // as the system's own terminal says
      return "AXTextArea";
    case Role::kDocument:
      return "AXWebArea";
    case Role::kParagraph:
      return "AXStaticText";
    case Role::kCombo:
      return "AXComboBox";
    case Role::kPassword:
      return "AXSecureTextField";
    case Role::kContainer:
      return "AXGroup";
  }
  return "AXUnknown";
}

CFTypeRef StringOf(absl::string_view utf8) {
  return MakeString(ToUnits(mock::DecodeUtf8(utf8)));
}

CFTypeRef NumberOf(int64_t number) {
  return CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &number);
}

CFTypeRef BooleanOf(bool value) {
  return value ? kCFBooleanTrue : kCFBooleanFalse;
}

CFTypeRef RangeOf(int64_t location, int64_t length) {
  const CFRange range = CFRangeMake(location, length);
  return AXValueCreate(kAXValueTypeCFRange, &range);
}

// An object for a value that the attribute never has, of another type than
// `right`.
CFTypeRef Foreign(Desktop& desktop, const Value& value, CFTypeID right) {
  CFTypeRef object = nullptr;
  if (std::holds_alternative<std::monostate>(value)) {
    object = kCFNull;
  } else if (const bool* flag = std::get_if<bool>(&value)) {
    object = BooleanOf(*flag);
  } else if (const int64_t* number = std::get_if<int64_t>(&value)) {
    object = NumberOf(*number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    object = StringOf(*text);
  } else if (const Range* range = std::get_if<Range>(&value)) {
    object =
        RangeOf(range->begin, SaturatingSubtract(range->end, range->begin));
  } else if (const auto* role = std::get_if<RoleValue>(&value)) {
    object = StringOf(role->native);
  } else {
    object = desktop.MakeElement(std::get<Element>(value));
  }
  if (CFGetTypeID(object) != right) return object;
  CFRelease(object);
  return right == kNumberType ? StringOf("lie") : NumberOf(7);
}

std::u32string TextOf(const mock::World& world, const Element& element) {
  const mock::Node* node = world.Find(element);
  return node == nullptr ? std::u32string() : node->text;
}

std::string Utf8Of(const std::u16string& units) {
  return mock::EncodeUtf8(ToPoints(units));
}

bool SupportsText(const mock::World& world, const Element& element) {
  const mock::Node* node = world.Find(element);
  // What is gone says so itself.
  if (node == nullptr) return world.FindPane(element) == nullptr;
  return (node->states & kStateSupportsText) != 0;
}

// Whether the object is an AXValue of a range, and which.
std::optional<CFRange> AsRange(CFTypeRef object) {
  if (object == nullptr || CFGetTypeID(object) != AXValueGetTypeID()) {
    return std::nullopt;
  }
  CFRange range = {};
  if (AXValueGetValue(static_cast<AXValueRef>(object), kAXValueTypeCFRange,
                      &range) == 0) {
    return std::nullopt;
  }
  return range;
}

}  // namespace

bool ElementObject::Equals(const Object& other) const {
  if (other.type() != kType) return false;
  const auto& that = static_cast<const ElementObject&>(other);
  return kind == that.kind && pid == that.pid && part == that.part;
}

CFHashCode ElementObject::Hash() const {
  return std::hash<std::string>()(absl::StrCat(
      static_cast<int>(kind), " ", pid, " ", part.application, " ", part.path));
}

Desktop::Desktop(mock::MockServer* server) : server_(*server) {
  if (current != nullptr) std::abort();
  current = this;
}

Desktop::~Desktop() { current = nullptr; }

Desktop* Desktop::Current() { return current; }

absl::Time Desktop::Now() { return server_.clock().Now(); }

void Desktop::AdvanceTo(absl::Time time) {
  server_.world().AdvanceTo(time,
                            static_cast<SimulatedClock&>(server_.clock()));
}

absl::Time Desktop::DeadlineFor(const ElementObject& element) {
  const float seconds =
      element.timeout_s > 0 ? element.timeout_s : global_timeout_s_;
  const absl::Duration wait =
      seconds > 0 ? absl::Seconds(seconds) : kDefaultTimeout;
  return std::min(Now() + wait, give_up_at_);
}

std::string Desktop::ApplicationOf(pid_t pid) const {
  const mock::Program* program = server_.world().FindProcess(pid);
  return program == nullptr ? "" : program->application.id;
}

pid_t Desktop::PidOf(const std::string& application) const {
  const mock::Program* program = server_.world().FindProgram(application);
  return program == nullptr ? 0 : program->application.pid;
}

AXUIElementRef Desktop::MakeElement(const Element& element) {
  return ReferenceTo<AXUIElementRef>(new ElementObject(
      ElementObject::Kind::kPart, PidOf(element.application), element));
}

Desktop::Found Desktop::Fault(const std::string& name, bool* faulty) {
  *faulty = true;
  const auto error = faults_.errors.find(name);
  if (error != faults_.errors.end()) return {error->second, nullptr};
  const auto value = faults_.values.find(name);
  if (value != faults_.values.end()) {
    if (value->second != nullptr) CFRetain(value->second);
    return {kAXErrorSuccess, value->second};
  }
  *faulty = false;
  return {};
}

Desktop::Found Desktop::CopyOfSystem(const ElementObject& element,
                                     const std::string& name) {
  if (name != "AXFocusedApplication") {
    return {kAXErrorAttributeUnsupported, nullptr};
  }
  const absl::StatusOr<Application> found =
      server_.FocusedApplication(DeadlineFor(element));
  if (!found.ok()) return {ErrorOf(found.status()), nullptr};
  return {kAXErrorSuccess, AXUIElementCreateApplication(
                               faults_.focused_pid.value_or(found->pid))};
}

Desktop::Found Desktop::CopyOfApplication(const ElementObject& element,
                                          const std::string& name) {
  const absl::Time deadline = DeadlineFor(element);
  if (name == "AXFocusedUIElement") {
    const std::string id = ApplicationOf(element.pid);
    if (id.empty()) return {kAXErrorInvalidUIElement, nullptr};
    const absl::StatusOr<std::vector<Element>> found =
        server_.FocusedElements({.id = id}, deadline);
    if (!found.ok()) return {ErrorOf(found.status()), nullptr};
    if (found->empty()) return {kAXErrorNoValue, nullptr};
    return {kAXErrorSuccess, MakeElement(found->front())};
  }
  if (name != "AXTitle" && name != "AXFrontmost" && name != "AXRole" &&
      name != "AXFocusedWindow") {
    return {kAXErrorAttributeUnsupported, nullptr};
  }
  if (element.pid <= 0) return {kAXErrorInvalidUIElement, nullptr};
  const absl::StatusOr<Application> found =
      server_.ApplicationOfProcess(element.pid, deadline);
  if (absl::IsNotFound(found.status())) {
    return {kAXErrorInvalidUIElement, nullptr};
  }
  if (!found.ok()) return {ErrorOf(found.status()), nullptr};
  if (name == "AXTitle") return {kAXErrorSuccess, StringOf(found->name)};
  if (name == "AXRole") return {kAXErrorSuccess, StringOf("AXApplication")};
  if (name == "AXFocusedWindow") {
    for (const mock::Pane& pane : server_.world().desktop().panes) {
      if (pane.element.application == found->id) {
        return {kAXErrorSuccess, MakeElement(pane.element)};
      }
    }
    return {kAXErrorNoValue, nullptr};
  }
  return {kAXErrorSuccess,
          BooleanOf(server_.world().desktop().focused == found->id)};
}

Desktop::Found Desktop::Converted(const Element& element,
                                  const std::string& name,
                                  absl::Span<const Reading> readings) {
  const mock::World& world = server_.world();
  if (readings.empty()) return {kAXErrorAttributeUnsupported, nullptr};
  const bool window = world.FindPane(element) != nullptr;
  if (name == "AXMain" && !window) {
    return {kAXErrorAttributeUnsupported, nullptr};
  }
  if (name == "AXSelectedTextRange") {
    const Reading& caret = readings[0];
    const Reading& selection = readings[1];
    const std::u32string text = TextOf(world, element);
    if (selection.ok()) {
      const Range* range = std::get_if<Range>(&*selection);
      if (range == nullptr) {
        return {kAXErrorSuccess, Foreign(*this, *selection, kValueType)};
      }
      const int64_t begin = UnitsBefore(text, range->begin);
      const int64_t end = UnitsBefore(text, range->end);
      return {kAXErrorSuccess, RangeOf(begin, SaturatingSubtract(end, begin))};
    }
    if (!absl::IsNotFound(selection.status())) {
      return {ErrorOf(selection.status()), nullptr};
    }
    if (!caret.ok()) return {ErrorOf(caret.status()), nullptr};
    const int64_t* at = std::get_if<int64_t>(&*caret);
    if (at == nullptr) {
      return {kAXErrorSuccess, Foreign(*this, *caret, kValueType)};
    }
    return {kAXErrorSuccess, RangeOf(UnitsBefore(text, *at), 0)};
  }
  const Reading& reading = readings[0];
  if (!reading.ok()) return {ErrorOf(reading.status()), nullptr};
  const auto foreign = [&](CFTypeID right) {
    return Found{kAXErrorSuccess, Foreign(*this, *reading, right)};
  };
  if (name == "AXRole" || name == "AXSubrole") {
    const auto* role = std::get_if<RoleValue>(&*reading);
    if (role == nullptr) return foreign(kStringType);
    if (name == "AXRole") {
      return {kAXErrorSuccess,
              StringOf(window ? "AXWindow" : RoleWord(role->role))};
    }
    return {kAXErrorSuccess,
            StringOf(role->role == Role::kPassword ? "AXSecureTextField"
                                                   : "AXStandardText")};
  }
  if (name == "AXWindow") {
    const auto* at = std::get_if<Element>(&*reading);
    if (at == nullptr) return foreign(kElementType);
    return {kAXErrorSuccess, MakeElement(*at)};
  }
  if (name == "AXValue" || name == "AXSelectedText") {
    const auto* text = std::get_if<std::string>(&*reading);
    if (text == nullptr) return foreign(kStringType);
    return {kAXErrorSuccess, StringOf(*text)};
  }
  const int64_t* number = std::get_if<int64_t>(&*reading);
  if (name == "AXNumberOfCharacters") {
    if (number == nullptr) return foreign(kNumberType);
    return {kAXErrorSuccess,
            NumberOf(UnitsBefore(TextOf(world, element), *number))};
  }
  if (number == nullptr) return foreign(kBooleanType);
  const State state = name == "AXFocused"   ? kStateFocused
                      : name == "AXEnabled" ? kStateEnabled
                                            : kStateActive;
  return {kAXErrorSuccess, BooleanOf((*number & state) != 0)};
}

AXError Desktop::Copy(const ElementObject& element, const std::string& name,
                      CFTypeRef* value) {
  ++trips_.copies;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  bool faulty = false;
  Found found = Fault(name, &faulty);
  if (!faulty) {
    switch (element.kind) {
      case ElementObject::Kind::kSystemWide:
        found = CopyOfSystem(element, name);
        break;
      case ElementObject::Kind::kApplication:
        found = CopyOfApplication(element, name);
        break;
      case ElementObject::Kind::kPart: {
        const absl::Time deadline = DeadlineFor(element);
        std::vector<Reading> readings;
        for (const Attribute attribute : AttributesOf(name)) {
          ReadRequest request{element.part, attribute};
          if (attribute == Attribute::kText) {
            request.range.end = kWholeText;
          }
          readings.push_back(server_.Read(request, deadline));
        }
        found = Converted(element.part, name, readings);
        break;
      }
    }
  }
  if (found.error == kAXErrorSuccess) *value = found.value;
  return found.error;
}

AXError Desktop::CopyMany(const ElementObject& element,
                          const std::vector<std::string>& names,
                          bool stop_on_error, CFArrayRef* values) {
  ++trips_.batches;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  if (faults_.batch_error.has_value() && !faults_.array_with_error) {
    return *faults_.batch_error;
  }
  if (element.kind != ElementObject::Kind::kPart) return kAXErrorNotImplemented;
  std::vector<ReadRequest> requests;
  const auto place = [&](Attribute attribute) {
    for (size_t i = 0; i < requests.size(); ++i) {
      if (requests[i].attribute == attribute) return i;
    }
    ReadRequest request{element.part, attribute};
    if (attribute == Attribute::kText) {
      request.range.end = kWholeText;
    }
    requests.push_back(request);
    return requests.size() - 1;
  };
  std::vector<std::vector<size_t>> places;
  for (const std::string& name : names) {
    std::vector<size_t>& of = places.emplace_back();
    if (faults_.errors.contains(name) || faults_.values.contains(name)) {
      continue;
    }
    for (const Attribute attribute : AttributesOf(name)) {
      of.push_back(place(attribute));
    }
  }
  absl::StatusOr<std::vector<Reading>> readings = std::vector<Reading>();
  if (!requests.empty()) {
    readings = server_.ReadMany(requests, DeadlineFor(element));
  }
  if (!readings.ok()) {
    return absl::IsUnimplemented(readings.status())
               ? kAXErrorNotImplemented
               : ErrorOf(readings.status());
  }
  // One call waits for one answer: what does not come holds up all of it.
  for (const Reading& reading : *readings) {
    if (absl::IsDeadlineExceeded(reading.status())) {
      return kAXErrorCannotComplete;
    }
  }
  const int64_t extra = static_cast<int64_t>(readings->size()) -
                        static_cast<int64_t>(requests.size()) +
                        faults_.batch_extra;
  readings->resize(requests.size(), absl::NotFoundError("no value"));

  std::vector<CFTypeRef> slots;
  AXError first_error = kAXErrorSuccess;
  for (size_t i = 0; i < names.size(); ++i) {
    bool faulty = false;
    Found found = Fault(names[i], &faulty);
    if (!faulty) {
      std::vector<Reading> of;
      for (const size_t at : places[i]) of.push_back((*readings)[at]);
      found = Converted(element.part, names[i], of);
    }
    if (found.error != kAXErrorSuccess && first_error == kAXErrorSuccess) {
      first_error = found.error;
    }
    if (found.error != kAXErrorSuccess && !faults_.null_for_errors) {
      found.value = AXValueCreate(kAXValueTypeAXError, &found.error);
    }
    slots.push_back(found.value == nullptr ? kCFNull : found.value);
  }
  const int64_t size =
      std::max<int64_t>(static_cast<int64_t>(slots.size()) + extra, 0);
  while (static_cast<int64_t>(slots.size()) > size) {
    CFRelease(slots.back());
    slots.pop_back();
  }
  while (static_cast<int64_t>(slots.size()) < size) {
    slots.push_back(NumberOf(7));
  }
  const bool stopped = stop_on_error && first_error != kAXErrorSuccess;
  if (!faults_.batch_null && !stopped) {
    *values = CFArrayCreate(kCFAllocatorDefault, slots.data(),
                            static_cast<CFIndex>(slots.size()),
                            &kCFTypeArrayCallBacks);
  }
  for (CFTypeRef slot : slots) CFRelease(slot);
  if (stopped) return first_error;
  return faults_.batch_error.value_or(kAXErrorSuccess);
}

AXError Desktop::CopyForRange(const ElementObject& element,
                              const std::string& name, CFTypeRef parameter,
                              CFTypeRef* value) {
  ++trips_.parameterized;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  bool faulty = false;
  Found found = Fault(name, &faulty);
  if (!faulty) {
    if (name != "AXStringForRange" ||
        element.kind != ElementObject::Kind::kPart) {
      return kAXErrorParameterizedAttributeUnsupported;
    }
    const std::optional<CFRange> units = AsRange(parameter);
    const std::u32string text = TextOf(server_.world(), element.part);
    const int64_t size = UnitsBefore(text, static_cast<int64_t>(text.size()));
    if (!units.has_value() || units->location < 0 || units->length < 0 ||
        units->location > size || units->length > size - units->location) {
      return kAXErrorIllegalArgument;
    }
    const Range range = {PointsBefore(text, units->location),
                         PointsBefore(text, units->location + units->length)};
    const std::vector<Reading> readings = {server_.Read(
        {element.part, Attribute::kText, range}, DeadlineFor(element))};
    found = Converted(element.part, "AXValue", readings);
  }
  if (found.error == kAXErrorSuccess) *value = found.value;
  return found.error;
}

AXError Desktop::IsSettable(const ElementObject& element,
                            const std::string& name, Boolean* settable) {
  ++trips_.probes;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  const auto fault = faults_.probe_errors.find(name);
  if (fault != faults_.probe_errors.end()) return fault->second;
  const bool selection = name == "AXSelectedTextRange";
  if (element.kind != ElementObject::Kind::kPart ||
      (name != "AXValue" && name != "AXSelectedText" && !selection)) {
    return kAXErrorAttributeUnsupported;
  }
  const Reading reading =
      server_.Read({element.part, selection ? Attribute::kSelectionSettable
                                            : Attribute::kValueSettable},
                   DeadlineFor(element));
  if (!reading.ok()) return ErrorOf(reading.status());
  if (!SupportsText(server_.world(), element.part)) {
    return kAXErrorAttributeUnsupported;
  }
  const bool* value = std::get_if<bool>(&*reading);
  if (value == nullptr) return kAXErrorFailure;
  *settable = *value ? 1 : 0;
  const mock::Node* node = server_.world().Find(element.part);
  if (name == "AXSelectedText" && node != nullptr &&
      (node->states & kStateSupportsEditing) == 0) {
    *settable = 0;
  }
  return kAXErrorSuccess;
}

AXError Desktop::Carry(const WriteRequest& request,
                       const ElementObject& element) {
  const WriteResult written = server_.Write(request, DeadlineFor(element));
  return ErrorOf(written.status);
}

AXError Desktop::Set(const ElementObject& element, const std::string& name,
                     CFTypeRef value) {
  ++trips_.writes;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  if (element.kind == ElementObject::Kind::kApplication &&
      (name == "AXManualAccessibility" || name == "AXEnhancedUserInterface") &&
      CFGetTypeID(value) == kBooleanType) {
    const std::string key = absl::StrCat(element.pid, " ", name);
    if (CFBooleanGetValue(static_cast<CFBooleanRef>(value)) != 0) {
      woken_.insert(key);
    } else {
      woken_.erase(key);
    }
    const auto fault = faults_.write_errors.find(name);
    // Reported: an error is answered and it works all the same.
    return fault == faults_.write_errors.end() ? kAXErrorSuccess
                                               : fault->second;
  }
  const auto fault = faults_.write_errors.find(name);
  if (fault != faults_.write_errors.end()) return fault->second;
  if (element.kind != ElementObject::Kind::kPart) {
    return kAXErrorAttributeUnsupported;
  }
  WriteRequest request;
  request.element = element.part;
  const std::u32string text = TextOf(server_.world(), element.part);
  if (name == "AXSelectedTextRange") {
    const std::optional<CFRange> units = AsRange(value);
    if (!units.has_value() || units->location < 0 || units->length < 0) {
      return kAXErrorIllegalArgument;
    }
    request.kind = WriteRequest::Kind::kSelect;
    request.range = {
        PointsBefore(text, units->location),
        PointsBefore(text, SaturatingAdd(units->location, units->length))};
    return Carry(request, element);
  }
  if (name != "AXValue" && name != "AXSelectedText") {
    return kAXErrorAttributeUnsupported;
  }
  if (value == nullptr || CFGetTypeID(value) != kStringType) {
    return kAXErrorIllegalArgument;
  }
  request.text = Utf8Of(UnitsOf(static_cast<CFStringRef>(value)));
  request.kind = WriteRequest::Kind::kSetValue;
  if (name == "AXSelectedText") {
    request.kind = WriteRequest::Kind::kReplaceRange;
    const mock::Node* node = server_.world().Find(element.part);
    if (node != nullptr) {
      request.range = node->selection.value_or(Range{node->caret, node->caret});
    }
  }
  return Carry(request, element);
}

AXError Desktop::SetTimeout(const ElementObject& element, float seconds) {
  if (!(seconds >= 0)) return kAXErrorIllegalArgument;
  if (element.kind == ElementObject::Kind::kSystemWide) {
    ++global_timeouts_;
    global_timeout_s_ = seconds;
  } else {
    element.timeout_s = seconds;
  }
  return kAXErrorSuccess;
}

CFArrayRef Desktop::WindowList() {
  ++trips_.window_lists;
  const absl::StatusOr<std::vector<Window>> windows =
      server_.WindowList(std::min(Now() + kDefaultTimeout, give_up_at_));
  if (!windows.ok()) return nullptr;
  std::vector<CFTypeRef> entries;
  for (const Window& window : *windows) {
    const int32_t pid = window.pid;
    const int32_t layer = 0;
    const CFTypeRef keys[] = {kCGWindowOwnerPID, kCGWindowLayer, kCGWindowName};
    CFTypeRef values[] = {
        CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt32Type, &pid),
        CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt32Type, &layer),
        StringOf(window.title)};
    entries.push_back(CFDictionaryCreate(
        kCFAllocatorDefault, const_cast<const void**>(keys), values, 3,
        &kCFTypeDictionaryKeyCallBacks, &kCFTypeDictionaryValueCallBacks));
    for (CFTypeRef value : values) CFRelease(value);
  }
  CFArrayRef array = CFArrayCreate(kCFAllocatorDefault, entries.data(),
                                   static_cast<CFIndex>(entries.size()),
                                   &kCFTypeArrayCallBacks);
  for (CFTypeRef entry : entries) CFRelease(entry);
  return array;
}

AXError Desktop::Register(const ElementObject& element) {
  ++trips_.registrations;
  if (faults_.every_error.has_value()) return *faults_.every_error;
  if (element.kind == ElementObject::Kind::kSystemWide) {
    return kAXErrorNotificationUnsupported;
  }
  if (ApplicationOf(element.pid).empty()) return kAXErrorInvalidUIElement;
  if (events_ == nullptr) {
    absl::StatusOr<std::unique_ptr<EventSource>> events =
        server_.Observe({.text = true}, DeadlineFor(element));
    if (!events.ok()) return ErrorOf(events.status());
    events_ = *std::move(events);
  }
  return kAXErrorSuccess;
}

absl::StatusOr<Event> Desktop::NextEvent(absl::Time deadline) {
  if (events_ == nullptr) {
    AdvanceTo(deadline);
    return absl::DeadlineExceededError("nothing is observed");
  }
  return events_->Next(deadline);
}

void Desktop::StopWaiting() {
  if (events_ != nullptr) events_->Cancel();
}

}  // namespace tactus::ax::macos::fake
