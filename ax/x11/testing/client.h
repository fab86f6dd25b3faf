// Another client of the X server, for tests: one that owns a selection as it
// should or as it should not, and one that asks for what a selection holds.
//
// They are written against the protocol alone, with nothing of what they test.
//
// Example:
//
//   TestOwner owner(display, {.values = {{"UTF8_STRING", Utf8("old")}}});
//   TestRequestor other(display);
//   EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
#ifndef TACTUS_AX_X11_TESTING_CLIENT_H_
#define TACTUS_AX_X11_TESTING_CLIENT_H_

#include <stdint.h>
#include <xcb/xcb.h>

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "ax/sync/mutex.h"

namespace tactus::ax::x11 {

// What a target is answered with. `bytes` in host order.
struct Value {
  std::string type;
  int format = 8;
  std::string bytes;

  friend bool operator==(const Value&, const Value&) = default;
};
std::ostream& operator<<(std::ostream& out, const Value& value);

inline Value Utf8(const std::string& text) { return {"UTF8_STRING", 8, text}; }

// A connection with one window; blocking, as a test may.
class TestClient {
 public:
  explicit TestClient(const std::string& display);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  xcb_connection_t* x() { return connection_; }
  xcb_window_t window() const { return window_; }
  xcb_window_t root() const { return root_; }
  xcb_atom_t Atom(const std::string& name);
  std::string Name(xcb_atom_t atom);
  // Who owns the selection now.
  xcb_window_t Owner(const std::string& selection = "CLIPBOARD");
  void Take(const std::string& selection = "CLIPBOARD");
  // Until everything that was sent is done.
  void Sync();
  void Disconnect();

 private:
  xcb_connection_t* connection_;
  xcb_window_t root_;
  xcb_window_t window_;
  std::map<std::string, xcb_atom_t> atoms_;
};

struct OwnerScript {
  std::map<std::string, Value> values;
  // What TARGETS says, where it is not TARGETS and the names of `values`.
  std::optional<std::vector<std::string>> targets;
  // Numbers that are no atoms, listed as well.
  std::vector<uint32_t> bogus_targets;
  // Pieces of this size, for what is longer. 0: never.
  size_t piece = 0;
  // What is announced before the pieces, where it is not the truth.
  std::optional<uint32_t> announced;
  // Pieces that come before the owner stops sending; -1: all.
  int pieces = -1;
  // Never ends: the same pieces over and over.
  bool endless = false;
  // Says nothing to requests for these; "*" for all.
  std::vector<std::string> silent;
  // Disconnects when it is asked for this.
  std::string dies_at;
  // Called in the owner's thread for each request, before it is answered.
  std::function<void(const std::string& target)> on_request;
};

class TestOwner {
 public:
  TestOwner(const std::string& display, OwnerScript script,
            const std::string& selection = "CLIPBOARD");
  ~TestOwner();

  xcb_window_t window() const { return window_; }
  TestClient& client() { return client_; }
  // The targets that were asked for, in turn.
  std::vector<std::string> asked();
  // Whether another client has taken the selection.
  bool lost() const { return lost_; }

 private:
  struct Sending {
    xcb_window_t requestor;
    xcb_atom_t property;
    Value value;
    size_t sent = 0;
    int pieces = 0;
  };

  void Run();
  void Answer(const xcb_selection_request_event_t& request);
  void SendPiece(xcb_window_t requestor, xcb_atom_t property);

  OwnerScript script_;
  TestClient client_;
  const xcb_window_t window_;
  std::vector<Sending> sending_;
  Mutex mutex_;
  std::vector<std::string> asked_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> lost_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class TestRequestor {
 public:
  explicit TestRequestor(const std::string& display) : client_(display) {}

  TestClient& client() { return client_; }

  // Nothing when it is refused; fails the test when no answer comes in 20 s.
  std::optional<Value> Fetch(const std::string& target);
  // The names that TARGETS lists.
  std::vector<std::string> Targets();

  // The same in steps. What the property was answered with, INCR included.
  std::optional<Value> Begin(const std::string& target);
  // The next piece; empty bytes at the end.
  std::optional<Value> NextPiece();

  // The atom pairs after a MULTIPLE request, None as "", or nothing.
  std::optional<std::vector<std::pair<std::string, std::string>>> Multiple(
      const std::vector<std::pair<std::string, std::string>>& pairs);
  std::optional<Value> Property(const std::string& property);

 private:
  // The next event that is `wanted`.
  bool Await(const std::function<bool(const xcb_generic_event_t&)>& wanted);
  bool Ask(const std::string& target, const std::string& property);

  TestClient client_;
};

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_TESTING_CLIENT_H_
