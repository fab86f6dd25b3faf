#include "ax/atspi/matches.h"

#include <systemd/sd-bus.h>

#include <cstdint>

#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Of GetMatches: elements that have all of `states`, in canonical order, no
// more than `limit`.
int AppendRule(sd_bus_message* m, uint32_t states, int32_t limit) {
  // No attributes; no roles (an empty bit array of the full length, since a
  // shorter one is misread); no interfaces; not inverted. Then order, limit,
  // and descend.
  const uint32_t state_words[2] = {states, 0};
  const int32_t roles[4] = {0, 0, 0, 0};
  constexpr int32_t kAll = 1;
  constexpr uint32_t kCanonical = 1;
  int r = sd_bus_message_open_container(m, 'r', "aiia{ss}iaiiasib");
  if (r >= 0) {
    r = sd_bus_message_append_array(m, 'i', state_words, sizeof(state_words));
  }
  if (r >= 0) r = sd_bus_message_append(m, "ia{ss}i", kAll, 0, kAll);
  if (r >= 0) r = sd_bus_message_append_array(m, 'i', roles, sizeof(roles));
  if (r >= 0) r = sd_bus_message_append(m, "iasib", kAll, 0, kAll, 0);
  if (r >= 0) r = sd_bus_message_close_container(m);
  if (r >= 0) r = sd_bus_message_append(m, "uib", kCanonical, limit, 1);
  return r;
}

}  // namespace

int AddMatches(Flight& flight, Bus& bus, const Element& within, uint32_t states,
               int32_t limit) {
  return flight.Add(
      bus, Call{within.application, within.path, kCollection, "GetMatches"},
      [states, limit](sd_bus_message* m) {
        return AppendRule(m, states, limit);
      });
}

}  // namespace tactus::ax::atspi
