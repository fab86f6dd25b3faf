#include "ax/edit/witness.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

using mock::Change;
using mock::Message;
using mock::Verb;
using mock::World;
using Texts = std::map<Witness::Key, std::u32string>;

Texts TextsOf(const World& world) {
  Texts texts;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      // Of two with one name the first is the one that is found by it.
      texts.emplace(Witness::KeyOf({program.application.id, node.path}),
                    node.text);
    }
  }
  return texts;
}

// One that was replaced and still answers stands for the new one.
std::u32string TruthOf(const World& world, const Element& element) {
  const Texts texts = TextsOf(world);
  const auto found = texts.find(Witness::KeyOf(element));
  return found == texts.end() ? std::u32string() : found->second;
}

// Of what TextsOf tells: almost no message changes it, and there are many.
size_t PrintOf(const World& world) {
  size_t print = 0;
  const auto mix = [&print](size_t hash) {
    print = (print ^ hash) * 0x9E3779B97F4A7C15u + 1;
  };
  for (const mock::Program& program : world.desktop().programs) {
    mix(std::hash<std::string>()(program.application.id));
    for (const mock::Node& node : program.nodes) {
      mix(std::hash<std::string>()(node.path));
      mix(std::hash<std::u32string>()(node.text));
    }
  }
  return print;
}

int64_t Size(const std::u32string& text) {
  return static_cast<int64_t>(text.size());
}

class Watching : public mock::Hostility {
 public:
  explicit Watching(Witness* witness) : witness_(*witness) {}
  void BeforeMessage(World& world, const Message& message) override {
    const bool writes = message.verb == Verb::kWrite;
    witness_.Leave(world, writes && message.what != Change::kSelect);
    witness_.Notes(world, message.sent);
    if (writes || message.verb == Verb::kInput) {
      witness_.Sends(world, message);
    }
  }
  void AlterWrite(World& world, const Message& message,
                  mock::Effect& effect) override {
    if (effect.what == Change::kSelect) witness_.Selects(world, effect);
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    witness_.Reads(world, message, reading);
  }

 private:
  Witness& witness_;
};

}  // namespace

Witness::Key Witness::KeyOf(const Element& element) {
  return {element.application, element.path.substr(0, element.path.find('#'))};
}

void Witness::Begin(const World& world, absl::Duration lateness) {
  alone_ = TextsOf(world);
  moved_.clear();
  lateness_ = lateness;
  for (const mock::Program& program : world.desktop().programs) {
    for (const mock::Node& node : program.nodes) {
      users_[KeyOf({program.application.id, node.path})] = node.selection;
    }
  }
}

void Witness::UserActs(const World& world) {
  const std::optional<Element> focused = world.Focused();
  if (!focused.has_value()) return;
  users_[KeyOf(*focused)] = world.Find(*focused)->selection;
  ours_.erase(KeyOf(*focused));
}

void Witness::Selects(const World& world, const mock::Effect& effect) {
  const mock::Node* node = world.Find(effect.element);
  if (node == nullptr || !effect.lands) return;
  const Range range = mock::Clamp(effect.range, Size(node->text));
  const Key key = KeyOf(effect.element);
  ours_.erase(key);
  if (!range.empty() && users_[key] != range) {
    ours_[key] = Ours{range, node->text};
  }
}

void Witness::Hears(const World& world, const Event& event) {
  const Key key = KeyOf(event.element);
  const auto found = ours_.find(key);
  const mock::Node* node = world.Find(event.element);
  if (found == ours_.end() || node == nullptr) return;
  const auto& [range, text] = found->second;
  if (event.kind == Event::Kind::kSelectionChanged) {
    if (node->selection != range) ours_.erase(found);
  } else if (event.kind == Event::Kind::kTextChanged) {
    const std::u32string head = text.substr(0, range.begin);
    const std::u32string tail = text.substr(range.end);
    if (others_turn_ && node->text != text && node->text.starts_with(head) &&
        node->text.ends_with(tail) &&
        node->text.size() >= head.size() + tail.size()) {
      overtyped_.insert(key);
    }
    ours_.erase(found);
  }
}

void Witness::Notes(const World& world, absl::Time now) {
  const size_t print = PrintOf(world);
  if (!texts_.empty() && print == noted_) return;
  noted_ = print;
  texts_.emplace_back(now, TextsOf(world));
}

void Witness::Enter(const World& world) {
  others_turn_ = true;
  if (const size_t print = PrintOf(world); print != print_) {
    print_ = print;
    entered_ = TextsOf(world);
  }
}

void Witness::Leave(const World& world, bool edits_are_sent) {
  others_turn_ = false;
  if (PrintOf(world) == print_) return;
  const Texts now = TextsOf(world);
  for (const auto& [key, text] : now) {
    const auto before = entered_.find(key);
    if (before == entered_.end()) {
      alone_[key] = text;
    } else if (before->second != text) {
      if (alone_[key] != before->second) moved_.insert(key);
      alone_[key] = text;
      if (edits_are_sent) in_gap_.insert(key);
    }
  }
  for (const auto& [key, text] : entered_) {
    if (!now.contains(key)) alone_.erase(key);
  }
}

void Witness::Sends(const World& world, const Message& message) {
  Sending sending;
  sending.edits =
      message.verb == Verb::kWrite && message.what != Change::kSelect;
  if (message.verb == Verb::kWrite) sending.element = message.element;
  if (message.verb == Verb::kInput) {
    const std::optional<Element> focused = world.Focused();
    // A key reaches whatever has the keyboard, whatever else was chosen.
    sending.told_secure = focused.has_value() &&
                          told_.contains({focused->application, focused->path});
  }
  if (last_.has_value()) sending.read = last_;
  sendings_[message.index] = std::move(sending);
}

void Witness::Reads(const World& world, const Message& message,
                    const Reading& reading) {
  const std::pair<std::string, std::string> key = {message.element.application,
                                                   message.element.path};
  if (message.attribute == Attribute::kText) {
    last_ = Sight{message.element, ShownAt(world, message)};
    last_->count = reads_[key].count;
    last_->at_once = TruthOf(world, message.element);
    reads_[key] = *last_;
    sights_.emplace_back(message.index, *last_);
  }
  if (message.attribute == Attribute::kCharacterCount) {
    const std::u32string truth = ShownAt(world, message);
    Sight& read = reads_[key];
    read.torn = read.text != truth;
    read.count = Size(truth);
    if (last_.has_value() && last_->element == message.element) last_ = read;
  }
  if (!reading.ok()) return;
  if (const auto* role = std::get_if<RoleValue>(&*reading)) {
    if (role->role == Role::kPassword) {
      told_.insert(key);
    } else if (message.attribute == Attribute::kRole) {
      told_.erase(key);
    }
  }
}

const Witness::Sight* Witness::LastReadOf(const Element& element) const {
  const auto found = reads_.find({element.application, element.path});
  return found == reads_.end() ? nullptr : &found->second;
}

std::vector<std::u32string> Witness::TextsHeldBy(const Element& element) const {
  std::vector<std::u32string> held;
  for (const auto& [since, texts] : texts_) {
    const auto found = texts.find(KeyOf(element));
    if (found != texts.end()) held.push_back(found->second);
  }
  return held;
}

bool Witness::AsAlone(const World& world, const EditResult& result,
                      const std::optional<Key>& concerns) const {
  for (const auto& [key, text] : TextsOf(world)) {
    if (concerns.has_value() && key != *concerns) continue;
    if (moved_.contains(key)) {
      if (mock::EncodeUtf8(text) != result.before) return false;
      continue;
    }
    // The edit took out just what the user had put in within the gap: that
    // leaves no trace, as editor.h says.
    if (in_gap_.contains(key) && mock::EncodeUtf8(text) == result.before) {
      continue;
    }
    const auto alone = alone_.find(key);
    if (alone != alone_.end() && alone->second != text) return false;
  }
  return true;
}

std::u32string Witness::ShownAt(const World& world,
                                const Message& message) const {
  if (lateness_ == absl::ZeroDuration()) {
    return TruthOf(world, message.element);
  }
  const Texts* shown = nullptr;
  for (const auto& [since, texts] : texts_) {
    if (shown != nullptr && since > message.sent - lateness_) break;
    shown = &texts;
  }
  const auto found = shown->find(KeyOf(message.element));
  return found == shown->end() ? TruthOf(world, message.element)
                               : found->second;
}

std::unique_ptr<mock::Hostility> MakeWatching(Witness* witness) {
  return std::make_unique<Watching>(witness);
}

}  // namespace tactus::ax
