// libatspi, the official client library, doing what Tactus does: the peer that
// this benchmark compares with, written as somebody would who knows it well.
//
// The focus is found as the library offers it: the desktop's applications, the
// window of them that says it is active, and in that window depth first, past
// nothing that does not show. What is then read is what a snapshot reads on the
// wire: role, states, interfaces, text, character count, caret and selection.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<LibatspiClient>> client =
//       LibatspiClient::Start();
//   if (absl::Status s = (*client)->Find(); !s.ok()) return s;
//   absl::StatusOr<LibatspiClient::Contents> contents =
//       (*client)->Read(LibatspiClient::From::kWire);
//
// About its cache: the library asks an application for a role or a state each
// time, until the client enters its event loop (`RunLoop`); from then on it
// answers them from what it once read, and relies on events to learn of
// changes. So outside of the loop this client is one that searches, and inside
// one that is told.
//
// The library has one connection and one state for the process, so there is one
// of these at a time, for one thread.
#ifndef TACTUS_AX_ATSPI_BENCHMARK_LIBATSPI_CLIENT_H_
#define TACTUS_AX_ATSPI_BENCHMARK_LIBATSPI_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tactus::ax::atspi::bench {

class LibatspiClient {
 public:
  struct Contents {
    int role = 0;
    bool focused = false;
    bool editable = false;
    int interfaces = 0;  // how many
    std::string text;
    int count = 0;
    int caret = 0;
    int selection_begin = -1;  // -1 when nothing is selected
    int selection_end = -1;
  };

  // Where Read takes role, states and interfaces from. The text, its count,
  // caret and selection are never cached by the library.
  enum class From {
    kWire,   // from the application, as Tactus does
    kCache,  // as the library pleases
  };

  // FailedPrecondition when there is no accessibility bus.
  static absl::StatusOr<std::unique_ptr<LibatspiClient>> Start();
  virtual ~LibatspiClient() = default;

  // Each finds what has the focus and holds it. NotFound when nothing does;
  // Unimplemented when the window offers no Collection.
  virtual absl::Status Find() = 0;
  // The same with Collection.GetMatches in place of the walk, for those who
  // know which toolkits have it.
  virtual absl::Status FindByCollection() = 0;

  // From now on events say what has the focus: `HoldLast` then holds what they
  // last named, or what Find found before. `all` registers for what the
  // library's cache needs to stay true, not for the focus alone.
  virtual absl::Status Listen(bool all) = 0;
  virtual absl::Status HoldLast() = 0;

  virtual absl::StatusOr<Contents> Read(From from) = 0;

  // Of what is held. Empty when nothing is.
  virtual std::string path() const = 0;
  // Whether its application is asked over a socket of its own.
  virtual bool OnSocket() const = 0;

  // Dispatches what has arrived, without waiting.
  virtual void Pump() = 0;
  // Enters the library's event loop and calls `step` whenever that is idle,
  // until it returns false.
  virtual void RunLoop(const std::function<bool()>& step) = 0;
};

}  // namespace tactus::ax::atspi::bench

#endif  // TACTUS_AX_ATSPI_BENCHMARK_LIBATSPI_CLIENT_H_
