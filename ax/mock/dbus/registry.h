// As much of org.a11y.atspi.Registry as a private bus needs: applications embed
// themselves, clients ask who there is and register events.
//
//   absl::StatusOr<std::unique_ptr<WireRegistry>> registry =
//       WireRegistry::Start(address, event, stage);
//
// Its messages go through the stage as those of applications do, with no
// application named, so that a script can make the registry hang.
#ifndef TACTUS_AX_MOCK_DBUS_REGISTRY_H_
#define TACTUS_AX_MOCK_DBUS_REGISTRY_H_

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ax/mock/dbus/stage.h"

namespace tactus::ax::mock {

class WireRegistry {
 public:
  // `event` and `stage` must outlive it. Unavailable when nobody listens at
  // `address`, AlreadyExists when the bus has a registry.
  static absl::StatusOr<std::unique_ptr<WireRegistry>> Start(
      const std::string& address, sd_event* event, Stage* stage);
  ~WireRegistry();

  WireRegistry(const WireRegistry&) = delete;
  WireRegistry& operator=(const WireRegistry&) = delete;

 private:
  // Applications that may embed themselves: more than any desktop has.
  static constexpr size_t kMostChildren = 1000;

  explicit WireRegistry(Stage* stage) : stage_(stage) {}

  static int OnCall(sd_bus_message* call, void* userdata, sd_bus_error*);
  static int OnOwnerChanged(sd_bus_message* signal, void* userdata,
                            sd_bus_error*);
  int Answer(sd_bus_message* call);

  Stage* const stage_;
  sd_bus* bus_ = nullptr;
  std::vector<std::pair<std::string, std::string>> children_;  // name, path
};

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_DBUS_REGISTRY_H_
