#include <sys/types.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/script.h"
#include "ax/mock/script_names.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

namespace json = boost::json;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
// A minute: nothing that is simulated says more by taking longer.
constexpr int64_t kMostNanoseconds = 60'000'000'000;
constexpr int64_t kMostIndex = 1'000'000'000;
// Linux gives no greater one.
constexpr int64_t kMostPid = 1 << 22;

absl::string_view View(json::string_view text) {
  return {text.data(), text.size()};
}

json::string Text(absl::string_view text) {
  return json::string(text.data(), text.size());
}

// Where in the script we are; spelled out only when something is wrong there.
struct Place {
  const Place* parent = nullptr;
  std::string name;  // ".key" or "[3]"

  std::string Spell() const {
    return absl::StrCat(parent == nullptr ? "" : parent->Spell(), name);
  }
};

// The first thing that is wrong. What is read after it is of no consequence.
class Errors {
 public:
  void Add(const Place& place, absl::string_view what) {
    if (!status_.ok()) return;
    const std::string where = place.Spell();
    status_ = absl::InvalidArgumentError(
        absl::StrCat(where.empty() ? "script" : where, ": ", what));
  }
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// One JSON object, whose keys are taken one by one; what was not taken is
// unknown.
class Fields {
 public:
  Fields(const json::value& value, const Place& place, Errors& errors)
      : object_(value.if_object()), place_(place), errors_(errors) {
    if (object_ == nullptr) errors_.Add(place_, "must be an object");
  }

  const Place& place() const { return place_; }
  Errors& errors() { return errors_; }

  const json::value* Take(const char* key) {
    if (object_ == nullptr) return nullptr;
    taken_.insert(key);
    return object_->if_contains(key);
  }

  int64_t Number(const char* key, int64_t otherwise, int64_t least,
                 int64_t most) {
    const json::value* value = Take(key);
    return value == nullptr
               ? otherwise
               : NumberOf(*value, {&place_, Dot(key)}, least, most);
  }

  int64_t NumberOf(const json::value& value, const Place& place, int64_t least,
                   int64_t most) {
    const int64_t* number = value.if_int64();
    if (number == nullptr || *number < least || *number > most) {
      errors_.Add(place, absl::StrCat("must be a whole number from ", least,
                                      " to ", most));
      return least;
    }
    return *number;
  }

  bool Flag(const char* key, bool otherwise) {
    const json::value* value = Take(key);
    if (value == nullptr) return otherwise;
    if (const bool* flag = value->if_bool()) return *flag;
    errors_.Add({&place_, Dot(key)}, "must be true or false");
    return otherwise;
  }

  std::string String(const char* key, absl::string_view otherwise = "") {
    const json::value* value = Take(key);
    if (value == nullptr) return std::string(otherwise);
    if (const json::string* text = value->if_string()) {
      return std::string(View(*text));
    }
    errors_.Add({&place_, Dot(key)}, "must be a string");
    return std::string(otherwise);
  }

  // Null when there is none.
  const json::array* Array(const char* key, size_t most) {
    const json::value* value = Take(key);
    if (value == nullptr) return nullptr;
    const json::array* array = value->if_array();
    if (array == nullptr) {
      errors_.Add({&place_, Dot(key)}, "must be an array");
    } else if (array->size() > most) {
      errors_.Add({&place_, Dot(key)},
                  absl::StrCat("must not have more than ", most, " entries"));
      array = nullptr;
    }
    return array;
  }

  // Runs `each(value, place)` on the entries of an array, if it is there.
  template <typename Each>
  void ForEach(const char* key, size_t most, Each each) {
    const json::array* array = Array(key, most);
    if (array == nullptr) return;
    const Place list{&place_, Dot(key)};
    for (size_t i = 0; i < array->size() && errors_.ok(); ++i) {
      each((*array)[i], Place{&list, absl::StrCat("[", i, "]")});
    }
  }

  std::optional<Range> Pair(const char* key) {
    const json::array* array = Array(key, 2);
    if (array == nullptr) return std::nullopt;
    const Place place{&place_, Dot(key)};
    if (array->size() != 2) {
      errors_.Add(place, "must be [begin, end]");
      return std::nullopt;
    }
    return Range{NumberOf((*array)[0], place, kLeast, kMost),
                 NumberOf((*array)[1], place, kLeast, kMost)};
  }

  // Call when every key that means something was taken.
  void RejectOthers() {
    if (object_ == nullptr) return;
    for (const auto& member : *object_) {
      const absl::string_view key = View(member.key());
      if (!taken_.contains(std::string(key))) {
        errors_.Add(place_, absl::StrCat("unknown key \"", key, "\""));
      }
    }
  }

  std::string Dot(const char* key) const {
    return absl::StrCat(place_.parent == nullptr ? "" : ".", key);
  }

 private:
  const json::object* const object_;
  const Place& place_;
  Errors& errors_;
  std::set<std::string> taken_;
};

Role ParseRole(Fields& fields, const char* key, Role otherwise) {
  const std::string name = fields.String(key, RoleName(otherwise));
  const std::optional<Role> role = FindRole(name);
  if (!role.has_value()) {
    fields.errors().Add({&fields.place(), fields.Dot(key)},
                        absl::StrCat("no role \"", name, "\""));
  }
  return role.value_or(otherwise);
}

Node ParseNode(const json::value& value, const Place& place, Errors& errors) {
  Fields fields(value, place, errors);
  const std::string path = fields.String("path");
  if (path.empty()) errors.Add(place, "needs a path");
  Node node = TextArea(path, fields.String("text"));
  node.role.role = ParseRole(fields, "role", Role::kTextArea);
  node.role.native = fields.String("native", "text");
  if (fields.Take("subrole") != nullptr) {
    node.subrole = RoleValue{ParseRole(fields, "subrole", Role::kUnknown),
                             fields.String("subrole_native")};
  }
  if (fields.Take("states") != nullptr) {
    node.states = 0;
    fields.ForEach("states", 32,
                   [&](const json::value& entry, const Place& at) {
                     const json::string* name = entry.if_string();
                     for (const StateName& known : StateNames()) {
                       if (name != nullptr && View(*name) == known.name) {
                         node.states |= known.state;
                         return;
                       }
                     }
                     errors.Add(at, "no such state");
                   });
  }
  if (fields.Take("code_points") != nullptr) {
    node.text.clear();
    fields.ForEach("code_points", kMostScriptBytes,
                   [&](const json::value& entry, const Place& at) {
                     node.text.push_back(static_cast<char32_t>(
                         fields.NumberOf(entry, at, 0, 0x10FFFF)));
                   });
  }
  node.caret = fields.Number("caret", static_cast<int64_t>(node.text.size()),
                             kLeast, kMost);
  node.selection = fields.Pair("selection");
  fields.ForEach(
      "other_carets", 64, [&](const json::value& entry, const Place& at) {
        node.other_carets.push_back(fields.NumberOf(entry, at, kLeast, kMost));
      });
  node.value_settable = fields.Flag("value_settable", true);
  node.selection_settable = fields.Flag("selection_settable", true);
  fields.ForEach("children", kMostElements,
                 [&](const json::value& entry, const Place& at) {
                   if (const json::string* child = entry.if_string()) {
                     node.children.emplace_back(View(*child));
                   } else {
                     errors.Add(at, "must be a string");
                   }
                 });
  node.window = fields.String("window");
  fields.RejectOthers();
  return node;
}

Program ParseProgram(const json::value& value, const Place& place,
                     Errors& errors) {
  Fields fields(value, place, errors);
  std::vector<Node> nodes;
  std::set<std::string> paths;
  fields.ForEach("elements", kMostElements,
                 [&](const json::value& entry, const Place& at) {
                   nodes.push_back(ParseNode(entry, at, errors));
                   if (!paths.insert(nodes.back().path).second) {
                     errors.Add(at, "another element has that path");
                   }
                 });
  const pid_t pid = static_cast<pid_t>(fields.Number("pid", 100, 1, kMostPid));
  Program program =
      MakeProgram(fields.String("name", "application"), pid, std::move(nodes));
  Application& application = program.application;
  application.id = fields.String("id", application.id);
  application.toolkit = fields.String("toolkit", application.toolkit);
  application.toolkit_version =
      fields.String("toolkit_version", application.toolkit_version);
  program.focus = fields.String("focus", program.focus);
  if (application.id.empty()) errors.Add(place, "needs an id");
  if (!program.focus.empty() && !paths.contains(program.focus)) {
    errors.Add(place, "focus: no such element");
  }
  fields.RejectOthers();
  return program;
}

Pane ParsePane(const json::value& value, const Place& place,
               const Desktop& desktop, Errors& errors) {
  Fields fields(value, place, errors);
  Pane pane;
  pane.element.application = fields.String("application");
  pane.element.path = fields.String("path", "/window");
  int64_t pid = 0;
  bool known = pane.element.application.empty();
  for (const Program& program : desktop.programs) {
    if (program.application.id != pane.element.application) continue;
    pid = program.application.pid;
    known = true;
  }
  if (!known) errors.Add(place, "application: no such application");
  pane.window.pid = static_cast<pid_t>(fields.Number("pid", pid, -1, kMostPid));
  pane.window.title = fields.String("title");
  pane.window.active = fields.Flag("active", false);
  fields.RejectOthers();
  return pane;
}

HostilitySpec ParseHostility(const json::value& value, const Place& place,
                             Errors& errors) {
  Fields fields(value, place, errors);
  HostilitySpec spec;
  spec.name = fields.String("name");
  if (fields.Take("parameter") != nullptr) {
    spec.options.parameter = fields.Number("parameter", 0, kLeast, kMost);
  }
  spec.options.application = fields.String("application");
  if (fields.Take("attribute") != nullptr) {
    spec.options.attribute = FindAttribute(fields.String("attribute"));
    if (!spec.options.attribute.has_value()) {
      errors.Add(place, "attribute: no such attribute");
    }
  }
  spec.options.after =
      static_cast<int>(fields.Number("after", 0, 0, kMostIndex));
  spec.options.seed = static_cast<uint64_t>(fields.Number("seed", 0, 0, kMost));
  const auto made = MakeHostility(spec.name, spec.options);
  if (!made.ok()) errors.Add(place, made.status().message());
  fields.RejectOthers();
  return spec;
}

InputFaultSpec ParseInputFault(const json::value& value, const Place& place,
                               Errors& errors) {
  Fields fields(value, place, errors);
  InputFaultSpec spec;
  spec.name = fields.String("name");
  if (fields.Take("parameter") != nullptr) {
    spec.parameter = fields.Number("parameter", 0, kLeast, kMost);
  }
  const absl::StatusOr<int64_t> parameter = ParameterOf(spec);
  if (!parameter.ok()) errors.Add(place, parameter.status().message());
  fields.RejectOthers();
  return spec;
}

Action ParseAction(const json::value& value, const Place& place,
                   Errors& errors) {
  Fields fields(value, place, errors);
  Action action;
  const std::string name = fields.String("do");
  bool known = false;
  for (const ActionName& candidate : ActionNames()) {
    if (candidate.name != name) continue;
    action.kind = candidate.kind;
    known = true;
  }
  if (!known) errors.Add(place, absl::StrCat("do: no action \"", name, "\""));
  action.application = fields.String("application");
  action.path = fields.String("path");
  action.text = fields.String("text");
  action.range = fields.Pair("range").value_or(Range());
  action.on = fields.Flag("on", true);
  if (fields.Take("at_us") != nullptr) {
    action.at =
        absl::Microseconds(fields.Number("at_us", 0, 0, kMostNanoseconds));
    if (fields.Take("before") != nullptr) {
      errors.Add(place, "has both before and at_us");
    }
  }
  action.before = static_cast<int>(fields.Number("before", 0, 0, kMostIndex));
  fields.RejectOthers();
  return action;
}

Latency ParseLatency(const json::value& value, const Place& place,
                     Errors& errors) {
  Fields fields(value, place, errors);
  const auto time = [&](const char* key) {
    return absl::Nanoseconds(fields.Number(key, 0, 0, kMostNanoseconds));
  };
  Latency latency;
  latency.cold_connection = time("cold_connection");
  latency.per_flight = time("per_flight");
  latency.per_call = time("per_call");
  latency.per_byte = time("per_byte");
  fields.RejectOthers();
  return latency;
}

json::array Pair(Range range) { return {range.begin, range.end}; }

json::object FormatNode(const Node& node) {
  json::object object;
  object["path"] = Text(node.path);
  object["role"] = Text(RoleName(node.role.role));
  object["native"] = Text(node.role.native);
  if (node.subrole.has_value()) {
    object["subrole"] = Text(RoleName(node.subrole->role));
    object["subrole_native"] = Text(node.subrole->native);
  }
  json::array states;
  for (const StateName& known : StateNames()) {
    if ((node.states & known.state) != 0) states.push_back(Text(known.name));
  }
  object["states"] = std::move(states);
  const auto is_surrogate = [](char32_t point) {
    return point >= 0xD800 && point <= 0xDFFF;
  };
  if (std::any_of(node.text.begin(), node.text.end(), is_surrogate)) {
    json::array points;
    for (char32_t point : node.text) {
      points.push_back(static_cast<int64_t>(point));
    }
    object["code_points"] = std::move(points);
  } else {
    object["text"] = Text(EncodeUtf8(node.text));
  }
  object["caret"] = node.caret;
  if (node.selection.has_value()) object["selection"] = Pair(*node.selection);
  if (!node.other_carets.empty()) {
    object["other_carets"] =
        json::array(node.other_carets.begin(), node.other_carets.end());
  }
  object["value_settable"] = node.value_settable;
  object["selection_settable"] = node.selection_settable;
  if (!node.children.empty()) {
    json::array children;
    for (const std::string& child : node.children) {
      children.push_back(Text(child));
    }
    object["children"] = std::move(children);
  }
  if (!node.window.empty()) object["window"] = Text(node.window);
  return object;
}

json::object FormatProgram(const Program& program) {
  const Application& application = program.application;
  json::array elements;
  for (const Node& node : program.nodes) elements.push_back(FormatNode(node));
  return {{"id", Text(application.id)},
          {"name", Text(application.name)},
          {"pid", application.pid},
          {"toolkit", Text(application.toolkit)},
          {"toolkit_version", Text(application.toolkit_version)},
          {"focus", Text(program.focus)},
          {"elements", std::move(elements)}};
}

json::object FormatHostility(const HostilitySpec& spec) {
  json::object object;
  object["name"] = Text(spec.name);
  if (spec.options.parameter.has_value()) {
    object["parameter"] = *spec.options.parameter;
  }
  if (!spec.options.application.empty()) {
    object["application"] = Text(spec.options.application);
  }
  if (spec.options.attribute.has_value()) {
    object["attribute"] = Text(AttributeName(*spec.options.attribute));
  }
  if (spec.options.after != 0) object["after"] = spec.options.after;
  if (spec.options.seed != 0) {
    object["seed"] = static_cast<int64_t>(spec.options.seed);
  }
  return object;
}

json::object FormatAction(const Action& action) {
  json::object object;
  for (const ActionName& candidate : ActionNames()) {
    if (candidate.kind == action.kind) object["do"] = Text(candidate.name);
  }
  if (!action.application.empty()) {
    object["application"] = Text(action.application);
  }
  if (!action.path.empty()) object["path"] = Text(action.path);
  if (!action.text.empty()) object["text"] = Text(action.text);
  if (action.range != Range()) object["range"] = Pair(action.range);
  if (!action.on) object["on"] = false;
  if (action.at.has_value()) {
    object["at_us"] = absl::ToInt64Microseconds(*action.at);
  } else {
    object["before"] = action.before;
  }
  return object;
}

}  // namespace

absl::StatusOr<Script> ParseScript(absl::string_view text) {
  if (text.size() > kMostScriptBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "script: must not be longer than ", kMostScriptBytes, " bytes"));
  }
  json::error_code error;
  const json::value root =
      json::parse(json::string_view(text.data(), text.size()), error);
  if (error.failed()) {
    return absl::InvalidArgumentError(
        absl::StrCat("script: not JSON: ", error.message()));
  }
  Errors errors;
  const Place top;
  Fields fields(root, top, errors);
  Script script;
  if (const json::value* latency = fields.Take("latency_ns")) {
    script.latency = ParseLatency(*latency, {&top, "latency_ns"}, errors);
  }
  Desktop& desktop = script.desktop;
  std::set<std::string> ids;
  fields.ForEach("applications", kMostApplications,
                 [&](const json::value& entry, const Place& at) {
                   desktop.programs.push_back(ParseProgram(entry, at, errors));
                   const std::string& id =
                       desktop.programs.back().application.id;
                   if (!ids.insert(id).second) {
                     errors.Add(at, "another application has that id");
                   }
                 });
  fields.ForEach(
      "windows", kMostWindows, [&](const json::value& entry, const Place& at) {
        desktop.panes.push_back(ParsePane(entry, at, desktop, errors));
      });
  desktop.focused = fields.String("focused");
  if (!desktop.focused.empty() && !ids.contains(desktop.focused)) {
    errors.Add({&top, "focused"}, "no such application");
  }
  fields.ForEach(
      "hostilities", kMostHostilities,
      [&](const json::value& entry, const Place& at) {
        script.hostilities.push_back(ParseHostility(entry, at, errors));
      });
  fields.ForEach("input", kMostInputFaults,
                 [&](const json::value& entry, const Place& at) {
                   script.input.push_back(ParseInputFault(entry, at, errors));
                 });
  fields.ForEach("actions", kMostActions,
                 [&](const json::value& entry, const Place& at) {
                   script.actions.push_back(ParseAction(entry, at, errors));
                 });
  fields.RejectOthers();
  if (!errors.ok()) return errors.status();
  return script;
}

std::string FormatScript(const Script& script) {
  json::array applications;
  for (const Program& program : script.desktop.programs) {
    applications.push_back(FormatProgram(program));
  }
  json::array windows;
  for (const Pane& pane : script.desktop.panes) {
    windows.push_back({{"application", Text(pane.element.application)},
                       {"path", Text(pane.element.path)},
                       {"pid", pane.window.pid},
                       {"title", Text(pane.window.title)},
                       {"active", pane.window.active}});
  }
  json::array hostilities;
  for (const HostilitySpec& spec : script.hostilities) {
    hostilities.push_back(FormatHostility(spec));
  }
  json::array input;
  for (const InputFaultSpec& spec : script.input) {
    json::object object = {{"name", Text(spec.name)}};
    if (spec.parameter.has_value()) object["parameter"] = *spec.parameter;
    input.push_back(std::move(object));
  }
  json::array actions;
  for (const Action& action : script.actions) {
    actions.push_back(FormatAction(action));
  }
  const Latency& latency = script.latency;
  const json::value root = {
      {"latency_ns",
       {{"cold_connection", absl::ToInt64Nanoseconds(latency.cold_connection)},
        {"per_flight", absl::ToInt64Nanoseconds(latency.per_flight)},
        {"per_call", absl::ToInt64Nanoseconds(latency.per_call)},
        {"per_byte", absl::ToInt64Nanoseconds(latency.per_byte)}}},
      {"applications", std::move(applications)},
      {"windows", std::move(windows)},
      {"focused", Text(script.desktop.focused)},
      {"hostilities", std::move(hostilities)},
      {"input", std::move(input)},
      {"actions", std::move(actions)}};
  return json::serialize(root);
}

}  // namespace tactus::ax::mock
