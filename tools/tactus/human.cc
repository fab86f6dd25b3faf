#include "tools/tactus/human.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/outcome.h"
#include "ax/resolve/resolve.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/escape.h"
#include "ax/types/types.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/doctor.h"

namespace tactus::cli {
namespace {

std::string Safe(absl::string_view text) {
  return ax::ForTerminal(std::string_view(text.data(), text.size()));
}

void Line(absl::string_view label, const std::string& text, std::string& out) {
  absl::StrAppendFormat(&out, "%-13s%s\n", label, text);
}

std::string Milliseconds(absl::Duration duration) {
  return absl::StrFormat("%.1f ms", absl::ToDoubleMilliseconds(duration));
}

std::string Name(const ax::Application& application) {
  return application.name.empty() ? "without a name" : Safe(application.name);
}

// The name by which a process is found, where the application uses another.
std::string ProcessOf(const App& app) {
  std::string text = absl::StrCat("process ", app.application.pid);
  if (!app.process.empty() && app.process != app.application.name) {
    absl::StrAppend(&text, " (", Safe(app.process), ")");
  }
  return text;
}

std::string Toolkit(const ax::Application& application) {
  if (application.toolkit.empty()) return "toolkit not told";
  std::string text = Safe(application.toolkit);
  if (!application.toolkit_version.empty()) {
    absl::StrAppend(&text, " ", Safe(application.toolkit_version));
  }
  return text;
}

std::string Untold(absl::string_view what, const absl::Status& status) {
  return absl::StrCat(what, ": ", Safe(status.message()));
}

std::string Found(const ax::Snapshot& snapshot) {
  std::string text(ax::RouteName(snapshot.route));
  if (!snapshot.system_wide.ok()) {
    absl::StrAppend(&text, " (",
                    Untold("the system would not say", snapshot.system_wide),
                    ")");
  }
  return text;
}

std::string Field(const ax::Snapshot& snapshot) {
  if (!snapshot.role.ok()) return Untold("not known", snapshot.role.status());
  return absl::StrCat(std::string(ax::RoleName(snapshot.role->role)), " (",
                      Safe(snapshot.role->native), ")");
}

std::string Editing(ax::Strategy strategy) {
  std::string name(ax::StrategyName(strategy));
  switch (strategy) {
    case ax::Strategy::kRangeEdit:
      return name + ": through accessibility";
    case ax::Strategy::kPaste:
      return name + ": selected through accessibility, pasted";
    case ax::Strategy::kTerminal:
      return name + ": pasted, without a newline unless asked for";
    case ax::Strategy::kSecure:
      return name + ": never, since it is secure";
    case ax::Strategy::kReadOnly:
      return name + ": never, since it takes no edit";
    case ax::Strategy::kNone:
      return name + ": it holds no text";
  }
  return name;
}

std::string Characters(const ax::Snapshot& snapshot) {
  const ax::Range window = snapshot.window;
  std::string text =
      snapshot.character_count.ok()
          ? absl::StrCat(*snapshot.character_count)
          : Untold("not told", snapshot.character_count.status());
  if (!snapshot.value.ok()) return text;
  if (snapshot.whole) return text + ", all read";
  absl::StrAppend(&text, ", read from ", window.begin, " to ", window.end);
  return text;
}

std::string Selection(const ax::Snapshot& snapshot) {
  if (!snapshot.selection.ok()) {
    return Untold("not told", snapshot.selection.status());
  }
  const ax::Range range = *snapshot.selection;
  if (range.empty()) return "nothing";
  return absl::StrCat(
      range.begin, " to ", range.end, ": ",
      snapshot.selected_text.ok()
          ? Safe(*snapshot.selected_text)
          : Untold("not read", snapshot.selected_text.status()));
}

}  // namespace

std::string SnapshotForPeople(const ax::Snapshot& snapshot,
                              absl::Duration connect) {
  std::string out;
  Line("application",
       absl::StrCat(Name(snapshot.application), ", process ",
                    snapshot.application.pid, ", ",
                    Toolkit(snapshot.application)),
       out);
  Line("found by", Found(snapshot), out);
  Line("element",
       absl::StrCat(Safe(snapshot.element.application),
                    Safe(snapshot.element.path)),
       out);
  Line("role", Field(snapshot), out);
  Line("editing", Editing(snapshot.strategy()), out);
  Line("text",
       snapshot.value.ok() ? Safe(*snapshot.value)
                           : Untold("not read", snapshot.value.status()),
       out);
  // Where there is no text for a reason, the rest has the same one.
  if (snapshot.value.ok() || snapshot.character_count.ok()) {
    Line("characters", Characters(snapshot), out);
    Line("caret",
         snapshot.caret.ok() ? absl::StrCat(*snapshot.caret)
                             : Untold("not told", snapshot.caret.status()),
         out);
    Line("selected", Selection(snapshot), out);
  }
  Line("read in",
       absl::StrCat(Milliseconds(snapshot.elapsed), ", after ",
                    Milliseconds(connect),
                    " to connect: ", snapshot.traffic.flights, " flights, ",
                    snapshot.traffic.calls, " calls"),
       out);
  for (const std::string& note : snapshot.notes) Line("note", Safe(note), out);
  Line("token", Safe(snapshot.token()), out);
  return out;
}

std::string EditForPeople(const ax::EditResult& result) {
  std::string out;
  Line("outcome", std::string(ax::OutcomeName(result.outcome)), out);
  if (result.reason != ax::Reason::kNone) {
    Line("reason", std::string(ax::ReasonName(result.reason)), out);
  }
  if (!result.element.path.empty()) {
    Line("application", Name(result.application), out);
  }
  if (result.rung != ax::Rung::kNone) {
    Line("by", std::string(ax::RungName(result.rung)), out);
  }
  if (result.outcome == ax::Outcome::kVerified) {
    Line("replaced",
         absl::StrCat(result.replaced.begin, ":", result.replaced.end), out);
    Line("written", absl::StrCat(result.written.begin, ":", result.written.end),
         out);
  }
  if (result.outcome == ax::Outcome::kDiverged && result.before.has_value() &&
      result.after.has_value()) {
    Line("before", absl::StrCat("\"", Safe(*result.before), "\""), out);
    Line("now", absl::StrCat("\"", Safe(*result.after), "\""), out);
  }
  Line("took", Milliseconds(result.elapsed), out);
  return out;
}

std::string AppsForPeople(const Apps& apps) {
  std::string out;
  for (const App& app : apps.apps) {
    absl::StrAppend(&out, app.focused ? "* " : "  ", Name(app.application),
                    ", ", ProcessOf(app));
    if (!app.answers) {
      out.append(": DOES NOT ANSWER; nothing of it can be read\n");
      continue;
    }
    absl::StrAppend(&out, ", ", Toolkit(app.application),
                    app.own_socket ? ", over a socket of its own" : "",
                    "\n      reading: ", Safe(app.reading),
                    "\n      editing: ", Safe(app.editing), "\n");
  }
  if (apps.apps.empty()) out.append("no application shows itself here\n");
  for (const UnknownWindow& one : apps.unknown) {
    absl::StrAppend(
        &out, one.window.active ? "* " : "  ",
        one.process.empty() ? "a window" : Safe(one.process), ", process ",
        one.window.pid, ", \"", Safe(one.window.title),
        "\": accessibility does not know it; nothing of it can be read\n");
  }
  if (apps.focus.ok()) {
    out.append("* has the keyboard\n");
  } else {
    absl::StrAppend(
        &out, Untold("who has the keyboard is not known", apps.focus), "\n");
  }
  if (!apps.windows.ok()) {
    absl::StrAppend(&out, Untold("windows could not be listed", apps.windows),
                    "\n");
  }
  return out;
}

std::string DoctorForPeople(absl::Span<const Check> checks) {
  std::string out;
  for (const Check& check : checks) {
    absl::StrAppendFormat(&out, "%-9s%-23s%s\n", StateName(check.state),
                          check.name, Safe(check.found));
    if (!check.remedy.empty()) {
      absl::StrAppend(&out, "         mend it: ", Safe(check.remedy), "\n");
    }
  }
  return out;
}

}  // namespace tactus::cli
