// What a server without any hostility answers: the truth of a world.
//
// Shared by the server in process and by the one on D-Bus, so that both lie
// about the same truth:
//
//   Reading reading = HonestReading(world, message);
//   for (auto& h : hostilities) h->AlterReading(world, message, reading);
//
//   Effect effect = HonestEffect(world, message);
//   for (auto& h : hostilities) h->AlterWrite(world, message, effect);
//   Carry(effect, world);
//   // effect.answer is what the client gets
//
// A secure element's text is answered in plain, as GTK 4 does: nothing but the
// client keeps it secret. A window is an element too, and holds no text.
#ifndef TACTUS_AX_MOCK_HONEST_H_
#define TACTUS_AX_MOCK_HONEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// Of a message whose verb is kRead. Unavailable when the element does not
// exist, Unimplemented where it has no such attribute, NotFound where there is
// no value.
Reading HonestReading(const World& world, const Message& message);

// Of a message whose verb is kWrite: the change that it asks for. It lands
// unless the element does not exist (Unavailable), has no such interface
// (Unimplemented) or cannot be changed so (FailedPrecondition).
Effect HonestEffect(const World& world, const Message& message);

// Does what `effect` says, clamped to the text as a toolkit does.
void Carry(const Effect& effect, World& world);

// What claims the focus in the application: what has it first, then other nodes
// that say so, in tree order. NotFound when nothing does, Unavailable when
// there is no such application.
absl::StatusOr<std::vector<Element>> HonestFocus(const World& world,
                                                 const std::string& id);

// The fields of the application's active window that can be typed into, in tree
// order. NotFound when no window of it is active, Unavailable when there is no
// such application.
absl::StatusOr<TextFieldList> HonestFields(const World& world,
                                           const std::string& id,
                                           const FieldLimits& limits);

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_HONEST_H_
