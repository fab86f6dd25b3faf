#include "tools/tactus/fields_json.h"

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/string_view.h"
#include "ax/fields/fields.h"
#include "ax/server/server.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "tools/tactus/json_line.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

object FieldJson(const ax::TextField& field) {
  return {{"field", Sanitized(ax::FieldHandle(field.element))},
          {"kind", Sanitized(ax::RoleName(field.role.role))},
          {"secure", ax::IsSecure(field)},
          {"focused", (field.states & ax::kStateFocused) != 0},
          {"editable", (field.states & ax::kStateEditable) != 0},
          {"many_lines", (field.states & ax::kStateMultiLine) != 0},
          {"name", Sanitized(field.name)}};
}

std::string Line(const object& out) {
  std::string line = JsonLine(out);
  line.pop_back();
  return line;
}

}  // namespace

std::string FieldsJson(const ax::FieldList& list) {
  array fields;
  for (const ax::TextField& field : list.fields) {
    fields.push_back(FieldJson(field));
  }
  return Line({{"application",
                object{{"name", Sanitized(list.application.name)},
                       {"pid", list.application.pid},
                       {"toolkit", Sanitized(list.application.toolkit)}}},
               {"fields", std::move(fields)},
               {"complete", list.complete}});
}

std::string FieldFocusJson(const ax::FieldFocus& result) {
  return Line(
      {{"outcome", Sanitized(ax::OutcomeName(result.outcome))},
       {"reason", Sanitized(result.reason)},
       {"message", Sanitized(result.message)},
       {"field", result.field.has_value() ? value(FieldJson(*result.field))
                                          : value(nullptr)}});
}

}  // namespace tactus::cli
