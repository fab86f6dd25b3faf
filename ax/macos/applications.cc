#include "ax/macos/applications.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/macos/bounder.h"
#include "ax/macos/calls.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

// The longest name of an application, and title of a window, that is kept.
constexpr size_t kMostName = 1024;

absl::Status Late() {
  return absl::DeadlineExceededError("the system does not answer in time");
}

std::string Shortened(std::string text) {
  if (text.size() > kMostName) {
    text.resize(kMostName);
    // Not within a character.
    while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
  }
  return text;
}

// 0 where there is none.
int64_t NumberIn(CFDictionaryRef dictionary, CFStringRef key) {
  return NumberOf(CFDictionaryGetValue(dictionary, key)).value_or(0);
}

}  // namespace

pid_t PidOf(const std::string& id) {
  int32_t pid = 0;
  if (!absl::SimpleAtoi(id, &pid) || pid <= 0) return 0;
  return absl::StrCat(pid) == id ? pid : 0;
}

absl::StatusOr<Application> Applications::Focused(absl::Time deadline) {
  if (calls_.clock().Now() >= deadline) return Late();
  struct Answer {
    Ref<CFTypeRef> value;
    AXError error = kAXErrorFailure;
  };
  const auto answer = std::make_shared<Answer>();
  traffic_.flights += 1;
  traffic_.calls += 1;
  const bool done = bounder_.Run(
      [answer] {
        const auto system =
            Ref<AXUIElementRef>::Take(AXUIElementCreateSystemWide());
        if (!system) return;
        CFTypeRef value = nullptr;
        answer->error = AXUIElementCopyAttributeValue(
            system.get(), kAXFocusedApplicationAttribute, &value);
        answer->value = Ref<CFTypeRef>::Take(value);
      },
      deadline);
  if (!done) return Late();
  if (answer->error == kAXErrorCannotComplete &&
      calls_.clock().Now() >= deadline) {
    return Late();
  }
  if (absl::Status status = StatusOf(answer->error, "AXFocusedApplication");
      !status.ok()) {
    return status;
  }
  const absl::StatusOr<Ref<AXUIElementRef>> element =
      ElementOf(answer->value.get());
  if (!element.ok()) return element.status();
  pid_t pid = 0;
  if (AXUIElementGetPid(element->get(), &pid) != kAXErrorSuccess || pid <= 0) {
    return absl::DataLossError("the focused application names no process");
  }
  if (pid == own_pid_) {
    return absl::NotFoundError("the focused application is this process");
  }
  // It has the keyboard, whatever it is called.
  const absl::StatusOr<std::string> name = NameOf(pid, deadline);
  return Application{
      .id = absl::StrCat(pid), .name = name.value_or(""), .pid = pid};
}

absl::StatusOr<std::vector<Window>> Applications::Windows(absl::Time deadline) {
  if (calls_.clock().Now() >= deadline) return Late();
  const auto list = std::make_shared<Ref<CFArrayRef>>();
  traffic_.flights += 1;
  traffic_.calls += 1;
  const bool done = bounder_.Run(
      [list] {
        *list = Ref<CFArrayRef>::Take(
            CGWindowListCopyWindowInfo(kCGWindowListOptionOnScreenOnly |
                                           kCGWindowListExcludeDesktopElements,
                                       kCGNullWindowID));
      },
      deadline);
  if (!done) return Late();
  if (!*list) {
    if (calls_.clock().Now() >= deadline) return Late();
    return absl::FailedPreconditionError(
        "there is no list of windows: this process has no session with a "
        "display");
  }
  if (CFGetTypeID(list->get()) != CFArrayGetTypeID()) {
    return absl::DataLossError("the list of windows is no list");
  }
  std::vector<Window> windows;
  const CFIndex count =
      std::min<CFIndex>(CFArrayGetCount(list->get()), kMostWindows);
  bool front = true;
  for (CFIndex i = 0; i < count; ++i) {
    CFTypeRef entry = CFArrayGetValueAtIndex(list->get(), i);
    if (entry == nullptr || CFGetTypeID(entry) != CFDictionaryGetTypeID()) {
      continue;
    }
    const auto dictionary = static_cast<CFDictionaryRef>(entry);
    // Menus, the dock and overlays lie in other layers.
    if (NumberIn(dictionary, kCGWindowLayer) != 0) continue;
    Window window;
    const int64_t pid = NumberIn(dictionary, kCGWindowOwnerPID);
    if (pid > 0 && pid <= std::numeric_limits<pid_t>::max()) {
      window.pid = static_cast<pid_t>(pid);
    }
    window.title = Shortened(
        TextOf(CFDictionaryGetValue(dictionary, kCGWindowName)).value_or(""));
    // The list does not say which window has the keyboard: the frontmost.
    window.active = front && window.pid > 0;
    front = front && window.pid <= 0;
    windows.push_back(std::move(window));
  }
  return windows;
}

absl::StatusOr<Application> Applications::OfProcess(pid_t pid,
                                                    absl::Time deadline) {
  if (pid <= 0) return absl::InvalidArgumentError("not a process id");
  if (pid == own_pid_) return absl::NotFoundError("that is this process");
  const absl::StatusOr<std::string> name = NameOf(pid, deadline);
  if (absl::IsUnavailable(name.status())) {
    return absl::NotFoundError(
        absl::StrCat("accessibility does not know process ", pid, ": ",
                     name.status().message()));
  }
  if (absl::IsDeadlineExceeded(name.status()) ||
      absl::IsPermissionDenied(name.status())) {
    return name.status();
  }
  // One that has no title is an application all the same.
  return Application{
      .id = absl::StrCat(pid), .name = name.value_or(""), .pid = pid};
}

absl::StatusOr<std::vector<pid_t>> Applications::Processes(
    absl::Time deadline) {
  const absl::StatusOr<std::vector<Window>> windows = Windows(deadline);
  if (!windows.ok()) return windows.status();
  std::vector<pid_t> pids;
  for (const Window& window : *windows) {
    if (window.pid <= 0 || window.pid == own_pid_) continue;
    if (std::find(pids.begin(), pids.end(), window.pid) != pids.end()) continue;
    pids.push_back(window.pid);
    if (pids.size() == kMostProcesses) break;
  }
  return pids;
}

absl::StatusOr<std::string> Applications::NameOf(pid_t pid,
                                                 absl::Time deadline) {
  const absl::Time now = calls_.clock().Now();
  const auto known = names_.find(pid);
  if (known != names_.end() && now - known->second.read < kNameAge) {
    return known->second.name;
  }
  const auto application =
      Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
  if (!application) return absl::UnavailableError("no such process");
  const Calls::Answer title =
      calls_.Copy(application.get(), {kAXTitleAttribute, "AXTitle"}, deadline);
  if (!title.ok()) return title.status();
  absl::StatusOr<std::string> name = TextOf(title->get());
  if (!name.ok()) return name.status();
  if (names_.size() >= kMostProcesses) names_.clear();
  names_[pid] = {Shortened(*std::move(name)), now};
  return names_[pid].name;
}

}  // namespace tactus::ax::macos
