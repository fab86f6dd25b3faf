// The calls of AT-SPI that change an element, as messages of the mock:
// EditableText's SetTextContents, InsertText and DeleteText; Text's
// SetCaretOffset, AddSelection, SetSelection and RemoveSelection.
//
//   if (IsEdit(interface, member)) {
//     absl::StatusOr<EditCall> edit = ReadEdit(m, member);
//     Fill(*edit, node, manners, message);   // what, range and text
//   }
//
// What toolkits make of the same arguments differs: offsets are code points or
// UTF-16 units, the length of InsertText is bytes or UTF-16 units.
#ifndef TACTUS_AX_MOCK_DBUS_EDITING_H_
#define TACTUS_AX_MOCK_DBUS_EDITING_H_

#include <systemd/sd-bus.h>

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

struct EditCall {
  std::string member;
  int64_t index = 0;   // of the selection
  Range units;         // offsets, as they came
  int64_t length = 0;  // of InsertText, as it came
  std::string text;
};

bool IsEdit(absl::string_view interface, absl::string_view member);

// Consumes the arguments. InvalidArgument for others than the method takes.
absl::StatusOr<EditCall> ReadEdit(sd_bus_message* m, absl::string_view member);

// Fills in what the call asks for, of the element as it is; null where that is
// not there.
void Fill(const EditCall& edit, const Node* node, const Manners& manners,
          Message& message);

// What the toolkit itself makes of the call, before anything is changed.
enum class Verdict {
  kDone,
  kRefused,  // answers false
  kNever,    // never answers
};
Verdict VerdictOn(const EditCall& edit, const Node* node,
                  const Manners& manners);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_EDITING_H_
