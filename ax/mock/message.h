// One message of a client to the mock server, as the wire would carry it.
//
// Hostilities decide by it, and tests read it in the server's log: that no
// text-bearing message was ever sent to a secure element is
//
//   for (const LoggedMessage& m : server.log()) {
//     EXPECT_FALSE(m.message.BearsText() && m.secure);
//   }
#ifndef TACTUS_AX_MOCK_MESSAGE_H_
#define TACTUS_AX_MOCK_MESSAGE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

enum class Verb {
  kFocusedApplication,
  kWindowList,
  kApplicationOfProcess,
  kApplications,
  kFocusedElements,
  kTextFields,
  kFocus,
  kRead,   // one attribute, alone or in a batch
  kWrite,  // one change; a Server::Write may take several
  kObserve,
  kInput,  // of a MockInput: never sent to this server, which counts it
};

constexpr absl::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kFocusedApplication:
      return "focused_application";
    case Verb::kWindowList:
      return "window_list";
    case Verb::kApplicationOfProcess:
      return "application_of_process";
    case Verb::kApplications:
      return "applications";
    case Verb::kFocusedElements:
      return "focused_elements";
    case Verb::kTextFields:
      return "text_fields";
    case Verb::kFocus:
      return "focus";
    case Verb::kRead:
      return "read";
    case Verb::kWrite:
      return "write";
    case Verb::kObserve:
      return "observe";
    case Verb::kInput:
      return "input";
  }
  return "unknown";
}

// What one message of a write asks for, as AT-SPI splits it.
enum class Change {
  kDelete,    // `range` goes
  kInsert,    // `text` comes in at `range.begin`
  kSetCaret,  // to `range.begin`
  kSetValue,  // all there is becomes `text`
  kSelect,    // `range`; where empty, the caret goes there
};

constexpr absl::string_view ChangeName(Change change) {
  switch (change) {
    case Change::kDelete:
      return "delete";
    case Change::kInsert:
      return "insert";
    case Change::kSetCaret:
      return "set_caret";
    case Change::kSetValue:
      return "set_value";
    case Change::kSelect:
      return "select";
  }
  return "unknown";
}

struct Message {
  int index = 0;         // counts the messages of the server's life, from 0
  int64_t flight = 0;    // messages of one flight share it; from 1
  int place = 0;         // within the flight, from 0
  bool batched = false;  // sent by ReadMany
  Verb verb = Verb::kRead;
  // Whom it goes to: an Application::id, or empty for the accessibility
  // registry and for the display.
  Element element;  // `path` is empty when the verb names no element
  Attribute attribute = Attribute::kRole;  // of kRead
  Change what = Change::kDelete;           // of kWrite
  Range range;                             // of kRead of kText, and of kWrite
  std::string text;                        // of kWrite
  pid_t pid = 0;                           // of kApplicationOfProcess
  absl::Time sent;
  absl::Time deadline;

  // It could carry the user's text or how much of it there is, in either
  // direction: every write does, a selection by what it is clamped to.
  bool BearsText() const {
    return verb == Verb::kWrite ||
           (verb == Verb::kRead && ax::BearsText(attribute));
  }
};

struct LoggedMessage {
  Message message;
  absl::StatusCode outcome = absl::StatusCode::kOk;  // what the client got
  // At the moment the message arrived: the element was secure in truth;
  bool secure = false;
  // and the client had been told so, by an answer to an earlier flight which it
  // has not been told to be over. A text-bearing message then has no excuse.
  bool told_secure = false;
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_MESSAGE_H_
