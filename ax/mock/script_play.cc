#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

absl::Status Perform(const Action& action, World& world) {
  Element element = {action.application, action.path};
  if (element.application.empty()) {
    element.application = world.desktop().focused;
  }
  if (element.path.empty()) {
    const Program* program = world.FindProgram(element.application);
    if (program != nullptr) element.path = program->focus;
  }
  switch (action.kind) {
    case ActionKind::kType:
      return world.Type(element, action.text);
    case ActionKind::kMoveCaret:
      return world.MoveCaret(element, action.range.begin);
    case ActionKind::kSelect:
      return world.Select(element, action.range);
    case ActionKind::kSetText:
      return world.SetText(element, action.text);
    case ActionKind::kFocus:
      return world.Focus(element);
    case ActionKind::kActivate:
      return world.Activate(element.application);
    case ActionKind::kSetSecure:
      return world.SetSecure(element, action.on);
    case ActionKind::kReplace:
      return world.Replace(element).status();
    case ActionKind::kRemove:
      return world.Remove(element);
    case ActionKind::kRename:
      return world.Rename(element.application, action.text);
    case ActionKind::kQuit:
      return world.Quit(element.application);
    case ActionKind::kRestart:
      return world.Restart(element.application, action.on).status();
    case ActionKind::kReusePid:
      return world.ReusePid(element.application).status();
  }
  return absl::InvalidArgumentError("no such action");
}

absl::Status Play(const Script& script, MockServer& server) {
  std::vector<std::unique_ptr<Hostility>> hostilities;
  for (const HostilitySpec& spec : script.hostilities) {
    absl::StatusOr<std::unique_ptr<Hostility>> made =
        MakeHostility(spec.name, spec.options);
    if (!made.ok()) return made.status();
    hostilities.push_back(*std::move(made));
  }
  for (std::unique_ptr<Hostility>& hostility : hostilities) {
    server.Add(std::move(hostility));
  }
  std::vector<Action> before;
  for (const Action& action : script.actions) {
    if (action.at.has_value()) {
      server.At(server.clock().Now() + *action.at, [action](World& world) {
        Perform(action, world).IgnoreError();
      });
    } else {
      before.push_back(action);
    }
  }
  if (before.empty()) return absl::OkStatus();
  server.BetweenMessages([before = std::move(before)](World& world, int index) {
    for (const Action& action : before) {
      if (action.before == index) Perform(action, world).IgnoreError();
    }
  });
  return absl::OkStatus();
}

absl::Status Play(const Script& script, MockInput& input) {
  for (const InputFaultSpec& spec : script.input) {
    absl::Status added = input.Add(spec);
    if (!added.ok()) return added;
  }
  return absl::OkStatus();
}

}  // namespace tactus::ax::mock
