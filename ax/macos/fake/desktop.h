// The desktop behind the fake AX C API: the mock's world, scripts and
// hostilities, in Apple's terms.
//
// One trip of the C API is one flight of the mock server, so that whatever a
// hostility does to messages, readings, batches, windows and events happens
// behind the C API too. Offsets are UTF-16 units on this side, as macOS counts
// them.
//
//   SimulatedClock clock;
//   mock::World world(mock::EditorDesktop("hello"));
//   mock::MockServer mock(&world, &clock);
//   fake::Desktop desktop(&mock);
//   // AXUIElementCopyAttributeValue(...) is answered by the world now
//   desktop.faults().errors["AXValue"] = kAXErrorAttributeUnsupported;
//
// What the mock cannot say, since the seam has no word for it, is a fault of
// the desktop: each AXError by name of the attribute, values of any type, how
// a batch answers, callbacks that come after their removal, a process that is
// told to be trusted and is not.
//
// Time is the mock's simulated clock. An element waits for the time that was
// set for its reference, without one for the process-wide one, without that for
// `kDefaultTimeout`.
//
// One desktop exists at a time. Not thread-safe: all calls come from one
// thread, CFRunLoopStop aside.
#ifndef TACTUS_AX_MACOS_FAKE_DESKTOP_H_
#define TACTUS_AX_MACOS_FAKE_DESKTOP_H_

#include <ApplicationServices/ApplicationServices.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/macos/fake/objects.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos::fake {

// What macOS waits for where nobody set a time, as reported.
inline constexpr absl::Duration kDefaultTimeout = absl::Seconds(6);

// What was asked, by kind of call. Each is one trip to another process.
struct Trips {
  int64_t copies = 0;         // CopyAttributeValue
  int64_t batches = 0;        // CopyMultipleAttributeValues
  int64_t parameterized = 0;  // CopyParameterizedAttributeValue
  int64_t probes = 0;         // IsAttributeSettable
  int64_t writes = 0;         // SetAttributeValue
  int64_t window_lists = 0;   // CGWindowListCopyWindowInfo
  int64_t registrations = 0;  // AXObserverAddNotification

  int64_t total() const {
    return copies + batches + parameterized + probes + writes + window_lists +
           registrations;
  }
  friend bool operator==(const Trips&, const Trips&) = default;
};

struct Faults {
  // By the attribute's name: the error of a read, in a batch or alone.
  std::map<std::string, AXError> errors;
  // What a read answers instead of the truth; borrowed. Null: NULL itself.
  std::map<std::string, CFTypeRef> values;
  // The error of IsAttributeSettable, of SetAttributeValue (which then does
  // nothing).
  std::map<std::string, AXError> probe_errors;
  std::map<std::string, AXError> write_errors;
  // Of every call on any element.
  std::optional<AXError> every_error;
  // Of a batch as a whole; with an array all the same where `array_with_error`.
  std::optional<AXError> batch_error;
  bool array_with_error = false;
  // A batch succeeds and answers NULL for an array.
  bool batch_null = false;
  // How much longer the array is than what was asked for; negative: shorter.
  int batch_extra = 0;
  // Errors in a batch come as kCFNull, as the header says where a value is
  // missing, and not as AXValue.
  bool null_for_errors = false;
  // A notification comes once more after it was removed.
  bool late_callbacks = false;
  // The process id that the system-wide element names, instead of the truth.
  std::optional<pid_t> focused_pid;
  bool told_trusted = true;
};

// One reference to an element.
class ElementObject : public Object {
 public:
  static constexpr CFTypeID kType = kElementType;
  enum class Kind { kSystemWide, kApplication, kPart };

  ElementObject(Kind kind, pid_t pid, Element part)
      : Object(kType), kind(kind), pid(pid), part(std::move(part)) {}
  bool Equals(const Object& other) const override;
  CFHashCode Hash() const override;

  const Kind kind;
  const pid_t pid;
  const Element part;           // of the mock; of kPart
  mutable float timeout_s = 0;  // of this reference; 0: the global one
};

class Desktop {
 public:
  // `server` runs on a SimulatedClock and outlives the desktop.
  explicit Desktop(mock::MockServer* server);
  ~Desktop();

  Desktop(const Desktop&) = delete;
  Desktop& operator=(const Desktop&) = delete;

  // Null where there is none.
  static Desktop* Current();

  Faults& faults() { return faults_; }
  const Trips& trips() const { return trips_; }
  // How often a time was set on the system-wide element, which concerns the
  // whole process.
  int global_timeouts() const { return global_timeouts_; }
  // The private attributes that are on, as "pid name".
  const std::set<std::string>& woken() const { return woken_; }
  mock::MockServer& server() { return server_; }

  // Who waits gives up then, whatever time was set: a call ends, as if the
  // thread that made it had been left behind. InfiniteFuture: never.
  void GiveUpAt(absl::Time time) { give_up_at_ = time; }

  // A new reference, +1.
  AXUIElementRef MakeElement(const Element& element);

  // What the C functions of AXUIElement.h and CGWindow.h do.
  AXError Copy(const ElementObject& element, const std::string& name,
               CFTypeRef* value);
  AXError CopyMany(const ElementObject& element,
                   const std::vector<std::string>& names, bool stop_on_error,
                   CFArrayRef* values);
  AXError CopyForRange(const ElementObject& element, const std::string& name,
                       CFTypeRef parameter, CFTypeRef* value);
  AXError IsSettable(const ElementObject& element, const std::string& name,
                     Boolean* settable);
  AXError Set(const ElementObject& element, const std::string& name,
              CFTypeRef value);
  AXError SetTimeout(const ElementObject& element, float seconds);
  CFArrayRef WindowList();
  AXError Register(const ElementObject& element);
  // The next thing that happened, as the mock's source tells it.
  absl::StatusOr<Event> NextEvent(absl::Time deadline);
  void StopWaiting();
  pid_t PidOf(const std::string& application) const;
  absl::Time Now();
  void AdvanceTo(absl::Time time);

 private:
  struct Found {
    AXError error = kAXErrorSuccess;
    CFTypeRef value = nullptr;  // +1
  };

  absl::Time DeadlineFor(const ElementObject& element);
  std::string ApplicationOf(pid_t pid) const;
  Found Fault(const std::string& name, bool* faulty);
  Found CopyOfSystem(const ElementObject& element, const std::string& name);
  Found CopyOfApplication(const ElementObject& element,
                          const std::string& name);
  // `readings` are those of AttributesOf(name), in their order.
  Found Converted(const Element& element, const std::string& name,
                  absl::Span<const Reading> readings);
  AXError Carry(const WriteRequest& request, const ElementObject& element);

  mock::MockServer& server_;
  Faults faults_;
  Trips trips_;
  int global_timeouts_ = 0;
  float global_timeout_s_ = 0;
  absl::Time give_up_at_ = absl::InfiniteFuture();
  std::set<std::string> woken_;
  std::unique_ptr<EventSource> events_;
};

}  // namespace tactus::ax::macos::fake

#endif  // TACTUS_AX_MACOS_FAKE_DESKTOP_H_
