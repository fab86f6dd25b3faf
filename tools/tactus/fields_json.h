// The fields of a window, and how moving the focus ended, as JSON for the
// control socket: valid UTF-8 and safe to print, as all of json.h.
//
// Example:
//
//   return ResultLine(id, FieldsJson(list));
#ifndef TACTUS_TOOLS_TACTUS_FIELDS_JSON_H_
#define TACTUS_TOOLS_TACTUS_FIELDS_JSON_H_

#include <string>

#include "ax/fields/fields.h"

namespace tactus::cli {

// Each an object, without an end of line; docs/control.md has the members.
std::string FieldsJson(const ax::FieldList& list);
std::string FieldFocusJson(const ax::FieldFocus& result);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_FIELDS_JSON_H_
