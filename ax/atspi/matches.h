// Collection.GetMatches: what an application finds in its tree by itself.
//
// Use it where a toolkit has it (Search::kMatches in quirks.h): one call in
// place of a walk. The limit is a wish, and what is found is the application's
// word.
//
// Example:
//
//   Flight flight(&traffic);
//   const int call = AddMatches(flight, bus, window, 1u << 7, 16);
//   flight.Run(deadline);
//   if (flight.status(call).ok()) DecodeReferences(flight.reply(call));
#ifndef TACTUS_AX_ATSPI_MATCHES_H_
#define TACTUS_AX_ATSPI_MATCHES_H_

#include <cstdint>

#include "ax/atspi/bus.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

// Adds the call to `flight`: elements below `within` that have all of `states`
// (AT-SPI's numbers of states, as bits of the first word), in canonical order,
// no more than `limit`. Its index.
int AddMatches(Flight& flight, Bus& bus, const Element& within, uint32_t states,
               int32_t limit);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_MATCHES_H_
