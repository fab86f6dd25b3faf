// What the ready-made hostilities share: their scope and their randomness.
//
// Derive from `Scoped` and ask `Hits` before doing harm:
//
//   class Mute : public Scoped {
//    public:
//     using Scoped::Scoped;
//     void Decide(const World&, const Message& message, Fate& fate) override {
//       if (Hits(message)) fate.silent = true;
//     }
//   };
#ifndef TACTUS_AX_MOCK_SCOPED_H_
#define TACTUS_AX_MOCK_SCOPED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {

// A number that depends on both and on nothing else (splitmix64).
constexpr uint64_t Mix(uint64_t seed, uint64_t n) {
  uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

class Scoped : public Hostility {
 public:
  Scoped(const HostilityOptions& options, int64_t parameter)
      : options_(options), parameter_(parameter) {}

 protected:
  const HostilityOptions& options() const { return options_; }
  int64_t parameter() const { return parameter_; }

  // The message is in the scope.
  bool Hits(const Message& message) const {
    if (message.index < options_.after) return false;
    if (options_.attribute.has_value() &&
        (message.verb != Verb::kRead ||
         message.attribute != *options_.attribute)) {
      return false;
    }
    return HitsApplication(message.element.application);
  }

  // The application is in the scope.
  bool HitsApplication(const std::string& id) const {
    return options_.application.empty() || options_.application == id;
  }

  // The message is due for what happens before every `period`-th of the
  // messages that follow `after`, whomever they go to.
  bool Due(const Message& message, int64_t period) const {
    const int64_t past = int64_t{message.index} - options_.after;
    return past >= 0 && past % period == 0;
  }

  // Of this message alone.
  uint64_t Random(const Message& message) const {
    return Mix(options_.seed, static_cast<uint64_t>(message.index));
  }

  // The focused elements of the applications in the scope.
  std::vector<Element> Fields(const World& world) const {
    std::vector<Element> fields;
    for (const Program& program : world.desktop().programs) {
      if (program.focus.empty()) continue;
      if (!HitsApplication(program.application.id)) continue;
      fields.push_back({program.application.id, program.focus});
    }
    return fields;
  }

 private:
  const HostilityOptions options_;
  const int64_t parameter_;
};

template <typename T>
std::unique_ptr<Hostility> Make(const HostilityOptions& options,
                                int64_t parameter) {
  return std::make_unique<T>(options, parameter);
}

}  // namespace tactus::ax::mock

#endif  // TACTUS_AX_MOCK_SCOPED_H_
