// The text fields of the window that has the keyboard, and moving the focus to
// one of them.
//
// Use it to let a program choose where it will edit. It tells what there is to
// type into and never what is in it. A field is chosen by its handle, and a
// handle is only compared: what may be focused is what a list that is made anew
// still holds, so that nobody can name a button, another window or another
// application by one.
//
// Example:
//
//   absl::StatusOr<FieldList> list = ListFields(server, {.deadline =
//   deadline}); if (!list.ok()) return list.status(); FieldFocus result =
//   FocusField(server, FieldHandle(list->fields[0].element),
//                                  {.deadline = deadline});
//   // OutcomeName(result.outcome): verified: it has the focus, as was read
//
// While a secure field has the focus it stays there: somebody types a password,
// and the rest of it would be shown in another field.
#ifndef TACTUS_AX_FIELDS_FIELDS_H_
#define TACTUS_AX_FIELDS_FIELDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

struct FieldOptions {
  absl::Time deadline;  // on the server's clock
  FieldLimits limits = {};
};

struct FieldList {
  Application application;
  std::vector<TextField> fields;
  bool complete = true;  // TextFieldList::complete
};

// Errors: NotFound where no application has the keyboard, or none of its
// windows is active, and those of the seam.
absl::StatusOr<FieldList> ListFields(Server& server,
                                     const FieldOptions& options);

// What stands for a field towards others, as long as it exists. Compared, and
// never taken apart.
std::string FieldHandle(const Element& element);

inline bool IsSecure(const TextField& field) {
  return field.role.role == Role::kPassword;
}

struct FieldFocus {
  enum class Outcome {
    kVerified,  // a later read found the focus there
    kRefused,   // nothing was sent
    kFailed,    // it was sent, and the focus is proved to be elsewhere
    kUnknown,   // it was sent, and there is no proof either way
  };
  Outcome outcome = Outcome::kRefused;
  // "none", "no-focus", "stale", "secure", "no-way", "no-time", "not-moved" or
  // "unreadable".
  std::string reason;
  std::string message;
  std::optional<TextField> field;  // that was meant, where it was found
};

absl::string_view OutcomeName(FieldFocus::Outcome outcome);

// The focus is read until it is in the field, or until the deadline; and the
// keyboard must be the application's still.
FieldFocus FocusField(Server& server, absl::string_view handle,
                      const FieldOptions& options);

}  // namespace tactus::ax

#endif  // TACTUS_AX_FIELDS_FIELDS_H_
