#include "ax/mock/writes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/mock/code_points.h"
#include "ax/mock/honest.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr int64_t kMostMilliseconds = 60'000;
constexpr int64_t kMostPoints = 16 << 20;

int64_t Size(const std::u32string& text) {
  return static_cast<int64_t>(text.size());
}

bool Places(const Message& message) {
  return message.what == Change::kSetCaret || message.what == Change::kSelect;
}

// The text of a change that brings some.
bool Brings(const Effect& effect) {
  return effect.what == Change::kInsert || effect.what == Change::kSetValue;
}

// A world apart that holds this element alone, to change and to read without
// anybody seeing it.
std::unique_ptr<World> CopyOf(const World& world, const Element& element) {
  const Program& program = *world.FindProgram(element.application);
  Desktop desktop;
  desktop.programs.push_back({.application = program.application,
                              .nodes = {*world.Find(element)},
                              .focus = program.focus});
  for (const Pane& pane : world.desktop().panes) {
    if (pane.element.application == element.application) {
      desktop.panes.push_back(pane);
    }
  }
  return std::make_unique<World>(std::move(desktop));
}

std::pair<std::string, std::string> KeyOf(const Element& element) {
  return {element.application, element.path};
}

// Concerns the messages of an edit: all writes but selections.
class OfEdits : public Scoped {
 public:
  using Scoped::Scoped;

 protected:
  bool Edits(const Message& message) const {
    return message.verb == Verb::kWrite && message.what != Change::kSelect &&
           Hits(message);
  }
  absl::Duration Milliseconds() const {
    return absl::Milliseconds(parameter());
  }
};

// Answers without a change.

class IgnoredTrue : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (!Edits(message)) return;
    effect.lands = false;
    effect.answer = absl::OkStatus();
  }
};

// The same of a field that says that it cannot be written to.
class ReadonlyTrue : public IgnoredTrue {
 public:
  using IgnoredTrue::IgnoredTrue;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      Node& node = *world.Mutable(field);
      node.states = (node.states & ~kStateEditable) | kStateReadOnly;
      node.value_settable = false;
    }
  }
};

class NoReplyIgnored : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Edits(message)) fate.silent = true;
  }
};

class SelectIgnored : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (!Places(message) || !Hits(message)) return;
    effect.lands = false;
    effect.answer = absl::OkStatus();
  }
};

class SelectError : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (!Places(message) || !Hits(message)) return;
    if (parameter() == 0) effect.lands = false;
    effect.answer = absl::FailedPreconditionError("not selected");
  }
};

// Changes without an answer, or later.

class RefusedLanded : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (Edits(message)) {
      effect.answer = absl::FailedPreconditionError("not done");
    }
  }
};

class NoReplyLanded : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Edits(message)) fate.unanswered = true;
  }
};

class Late : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    if (!Edits(message) || !effect.lands) return;
    world.At(message.sent + Milliseconds(),
             [effect](World& later) { Carry(effect, later); });
    effect.lands = false;
  }
};

class Kills : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Edits(message)) fate.die = true;
  }
};

// What was brought becomes readable bit by bit. It is committed at once; any
// other change of the text makes all of it readable.
class Prefixes : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    if (!Edits(message) || !effect.lands || !Brings(effect)) return;
    const Element element = effect.element;
    const std::unique_ptr<World> after = CopyOf(world, element);
    Publication next;
    if (effect.what == Change::kInsert) {
      next.at = std::clamp<int64_t>(effect.range.begin, 0,
                                    Size(after->Find(element)->text));
    }
    Carry(effect, *after);
    next.text = after->Find(element)->text;
    next.size = Size(DecodeUtf8(effect.text));
    next.begin = message.sent;
    publications_[KeyOf(element)] = std::move(next);
    world.At(message.sent + Milliseconds(), [element](World& later) {
      later.Emit({Event::Kind::kTextChanged, element});
    });
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    if (!message.BearsText() || !Hits(message)) return;
    const auto found = publications_.find(KeyOf(message.element));
    if (found == publications_.end()) return;
    const Publication& publication = found->second;
    const Node* node = world.Find(message.element);
    const absl::Duration passed = message.sent - publication.begin;
    if (node == nullptr || node->text != publication.text ||
        passed >= Milliseconds()) {
      publications_.erase(found);
      return;
    }
    const int64_t shown = publication.size * absl::ToInt64Nanoseconds(passed) /
                          absl::ToInt64Nanoseconds(Milliseconds());
    const std::unique_ptr<World> now = CopyOf(world, message.element);
    now->ReplaceRange(
           message.element,
           {publication.at + shown, publication.at + publication.size}, "")
        .IgnoreError();
    reading = HonestReading(*now, message);
  }

 private:
  struct Publication {
    std::u32string text;  // all of it, once it is readable
    int64_t at = 0;       // where in it what was brought begins
    int64_t size = 0;
    absl::Time begin;
  };
  std::map<std::pair<std::string, std::string>, Publication> publications_;
};

// The element keeps what it held; the change is made to a shadow that some
// reads show. What happens to the true text drops the shadow.
class Shadowing : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    if (!Edits(message) || !effect.lands) return;
    Shadow* shadow = Find(world, effect.element, message.sent);
    if (shadow == nullptr) {
      shadow = &shadows_[KeyOf(effect.element)];
      shadow->element = effect.element;
      shadow->truth = world.Find(effect.element)->text;
      shadow->world = CopyOf(world, effect.element);
    }
    Carry(effect, *shadow->world);
    effect.lands = false;
    Made(world, message, *shadow);
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    if (!Hits(message) || !Shows(message.attribute)) return;
    const Shadow* shadow = Find(world, message.element, message.sent);
    if (shadow != nullptr) reading = HonestReading(*shadow->world, message);
  }

 protected:
  struct Shadow {
    Element element;
    std::u32string truth;  // beside it
    std::unique_ptr<World> world;
    absl::Time until = absl::InfiniteFuture();
  };

  virtual bool Shows(Attribute attribute) const {
    return ax::BearsText(attribute);
  }
  virtual void Made(World& world, const Message& message, Shadow& shadow) {}

  std::map<std::pair<std::string, std::string>, Shadow> shadows_;

 private:
  Shadow* Find(const World& world, const Element& element, absl::Time now) {
    const auto found = shadows_.find(KeyOf(element));
    if (found == shadows_.end()) return nullptr;
    Shadow& shadow = found->second;
    const Node* node = world.Find(element);
    if (node == nullptr || node->text != shadow.truth || now >= shadow.until) {
      shadows_.erase(found);
      return nullptr;
    }
    return &shadow;
  }
};

class Echo : public Shadowing {
 public:
  using Shadowing::Shadowing;

 protected:
  bool Shows(Attribute attribute) const override {
    return attribute == Attribute::kText;
  }
};

class EchoReverts : public Shadowing {
 public:
  using Shadowing::Shadowing;

 protected:
  void Made(World& world, const Message& message, Shadow& shadow) override {
    shadow.until = message.sent + Milliseconds();
    world.At(shadow.until, [element = shadow.element](World& later) {
      later.Emit({Event::Kind::kTextChanged, element});
    });
  }
};

class CommitOnBlur : public Shadowing {
 public:
  using Shadowing::Shadowing;
  ~CommitOnBlur() override {
    if (world_ != nullptr) world_->RemoveListener(listener_);
  }
  void Attach(World& world) override {
    world_ = &world;
    listener_ = world.AddListener([this](const Event& event) { Hear(event); });
  }

 private:
  static bool Blurs(const Event& event, const Element& element) {
    if (event.kind == Event::Kind::kFocused) return event.element != element;
    return event.kind == Event::Kind::kWindowDeactivated &&
           event.element.application == element.application;
  }
  void Hear(const Event& event) {
    std::vector<Shadow> blurred;
    for (auto it = shadows_.begin(); it != shadows_.end();) {
      if (Blurs(event, it->second.element)) {
        blurred.push_back(std::move(it->second));
        it = shadows_.erase(it);
      } else {
        ++it;
      }
    }
    if (parameter() == 0) return;
    for (const Shadow& shadow : blurred) {
      const Node* truth = world_->Find(shadow.element);
      if (truth == nullptr || truth->text != shadow.truth) continue;
      const Node& node = *shadow.world->Find(shadow.element);
      world_->SetText(shadow.element, EncodeUtf8(node.text)).IgnoreError();
      world_->MoveCaret(shadow.element, node.caret).IgnoreError();
    }
  }

  World* world_ = nullptr;
  int listener_ = 0;
};

// Other changes than were asked for.

// What is brought is not what was sent.
class OtherText : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (Edits(message) && Brings(effect)) {
      effect.text = EncodeUtf8(Instead(DecodeUtf8(effect.text)));
    }
  }

 protected:
  virtual std::u32string Instead(std::u32string text) const = 0;
};

class Autocorrect : public OtherText {
 public:
  using OtherText::OtherText;

 protected:
  std::u32string Instead(std::u32string text) const override {
    if (!text.empty() && text[0] >= U'a' && text[0] <= U'z') {
      text[0] = text[0] - U'a' + U'A';
    }
    return text;
  }
};

class Truncated : public OtherText {
 public:
  using OtherText::OtherText;

 protected:
  std::u32string Instead(std::u32string text) const override {
    return text.substr(0, static_cast<size_t>(parameter()));
  }
};

class Normalizes : public OtherText {
 public:
  using OtherText::OtherText;

 protected:
  std::u32string Instead(std::u32string text) const override {
    const std::u32string ends[] = {U" ", U"\r\n", U""};
    const std::u32string& end = ends[parameter()];
    std::u32string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n') {
        continue;  // the second half stands for both
      }
      if (text[i] == U'\n' || text[i] == U'\r') {
        out += end;
      } else {
        out += text[i];
      }
    }
    return out;
  }
};

// InsertText says how long its text is. A client that counts code points and an
// application that counts in a smaller unit: less comes in.
class OtherLength : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (!Edits(message) || effect.what != Change::kInsert) return;
    const std::u32string text = DecodeUtf8(effect.text);
    effect.text = EncodeUtf8(Cut(text, Size(text)));
  }

 protected:
  virtual std::u32string Cut(const std::u32string& text,
                             int64_t units) const = 0;
};

class Utf16Length : public OtherLength {
 public:
  using OtherLength::OtherLength;

 protected:
  std::u32string Cut(const std::u32string& text, int64_t units) const override {
    std::u32string out;
    for (const char32_t point : text) {
      if (units <= 0) break;
      const bool pair = point > 0xFFFF;
      // Half of a pair comes in alone.
      out += pair && units == 1 ? 0xD800 + ((point - 0x10000) >> 10) : point;
      units -= pair ? 2 : 1;
    }
    return out;
  }
};

class ByteLength : public OtherLength {
 public:
  using OtherLength::OtherLength;

 protected:
  std::u32string Cut(const std::u32string& text, int64_t units) const override {
    std::u32string out;
    for (const char32_t point : text) {
      units -= static_cast<int64_t>(EncodeUtf8({&point, 1}).size());
      if (units < 0) break;
      out += point;
    }
    return out;
  }
};

class Doubles : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (Edits(message) && effect.what == Change::kInsert) {
      effect.text += effect.text;
    }
  }
};

template <Change Lost>
class Without : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (!Edits(message) || effect.what != Lost) return;
    effect.lands = false;
    effect.answer = absl::OkStatus();
  }
};

class CaretElsewhere : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World&, const Message& message, Effect& effect) override {
    if (Edits(message)) effect.caret = parameter();
  }
};

class OtherElement : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      Node node = TextArea(kElsewhere, "decoy");
      node.states &= ~kStateFocused;
      if (world.Find({field.application, kElsewhere}) == nullptr) {
        world.MutableProgram(field.application)->nodes.push_back(node);
      }
    }
  }
  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    if (!Edits(message)) return;
    const Element other = {effect.element.application, kElsewhere};
    if (world.Find(other) != nullptr) effect.element = other;
  }

 private:
  static constexpr char kElsewhere[] = "/elsewhere";
};

// The first message of a flight finds the element replaced, and the whole
// flight changes the new one. The old one stays as it was, for whoever holds
// it: it says yes to later writes and does nothing.
class WriteSwaps : public OfEdits {
 public:
  using OfEdits::OfEdits;
  void AlterWrite(World& world, const Message& message,
                  Effect& effect) override {
    if (!Edits(message)) return;
    auto found = ghosts_.find(KeyOf(message.element));
    if (found == ghosts_.end()) {
      if (!effect.lands || world.Find(message.element) == nullptr) return;
      std::unique_ptr<World> old = CopyOf(world, message.element);
      const absl::StatusOr<Element> fresh = world.Replace(message.element);
      if (!fresh.ok()) return;
      found = ghosts_
                  .emplace(KeyOf(message.element),
                           Ghost{std::move(old), *fresh, message.flight})
                  .first;
    }
    const Ghost& ghost = found->second;
    if (ghost.flight == message.flight) {
      Message redirected = message;
      redirected.element = ghost.fresh;
      effect = HonestEffect(world, redirected);
    } else {
      effect.lands = false;
      effect.answer = absl::OkStatus();
    }
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    if (!Hits(message)) return;
    const auto found = ghosts_.find(KeyOf(message.element));
    if (found != ghosts_.end()) {
      reading = HonestReading(*found->second.old, message);
    }
  }

 private:
  struct Ghost {
    std::unique_ptr<World> old;
    Element fresh;
    int64_t flight = 0;
  };
  std::map<std::pair<std::string, std::string>, Ghost> ghosts_;
};

// A browser keeps a copy of its pages for accessibility, which follows them:
// what was typed, written or selected shows in it together, and late.
class ShowsLate : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    for (const Program& program : world.desktop().programs) {
      for (const Node& node : program.nodes) {
        std::deque<State>& states =
            states_[KeyOf({program.application.id, node.path})];
        if (!states.empty() && Same(states.back().node, node)) continue;
        states.push_back({message.sent, node});
      }
    }
  }
  void AlterReading(World& world, const Message& message,
                    Reading& reading) override {
    const Node* node = world.Find(message.element);
    if (!message.BearsText() || !Hits(message) || node == nullptr) return;
    std::deque<State>& states = states_[KeyOf(message.element)];
    const absl::Time then = message.sent - absl::Milliseconds(parameter());
    while (states.size() > 1 && states[1].since <= then) states.pop_front();
    if (states.empty() || Same(states.front().node, *node)) return;
    const std::unique_ptr<World> shown = CopyOf(world, message.element);
    Node& old = *shown->Mutable(message.element);
    old.text = states.front().node.text;
    old.caret = states.front().node.caret;
    old.selection = states.front().node.selection;
    reading = HonestReading(*shown, message);
  }

 private:
  struct State {
    absl::Time since;
    Node node;
  };
  static bool Same(const Node& a, const Node& b) {
    return a.text == b.text && a.caret == b.caret && a.selection == b.selection;
  }
  // One that was replaced is shown as the one before it was.
  static std::pair<std::string, std::string> KeyOf(const Element& element) {
    return {element.application,
            element.path.substr(0, element.path.find('#'))};
  }

  std::map<std::pair<std::string, std::string>, std::deque<State>> states_;
};

constexpr HostilityKind kKinds[] = {
    {"write_ignored_true", "a write answers success and changes nothing", "", 0,
     0, 0, &Make<IgnoredTrue>},
    {"write_readonly_true",
     "the focused fields are read-only, say so, and answer writes with success",
     "", 0, 0, 0, &Make<ReadonlyTrue>},
    {"write_refused_landed", "a write is done and answers that it was not", "",
     0, 0, 0, &Make<RefusedLanded>},
    {"write_no_reply_landed", "a write is done and never answered", "", 0, 0, 0,
     &Make<NoReplyLanded>},
    {"write_no_reply_ignored", "a write is neither done nor answered", "", 0, 0,
     0, &Make<NoReplyIgnored>},
    {"write_late", "a write answers at once and is done later",
     "how much, in ms", 100, 0, kMostMilliseconds, &Make<Late>},
    {"write_prefixes",
     "what a write brings becomes readable in growing prefixes",
     "until when, in ms", 400, 1, kMostMilliseconds, &Make<Prefixes>},
    {"write_echo", "the text reads as if written, and nothing else does or is",
     "", 0, 0, 0, &Make<Echo>},
    {"write_echo_reverts",
     "everything reads as if written, then as it was before",
     "for how long, in ms", 50, 0, kMostMilliseconds, &Make<EchoReverts>},
    {"write_commit_on_blur",
     "everything reads as if written until the focus goes away",
     "0: then it is lost, 1: then it is done", 0, 0, 1, &Make<CommitOnBlur>},
    {"write_autocorrect", "the first letter that a write brings is made large",
     "", 0, 0, 0, &Make<Autocorrect>},
    {"write_truncated", "a write brings only the beginning of its text",
     "how many code points", 3, 0, kMostPoints, &Make<Truncated>},
    {"write_normalizes", "line ends come in as something else",
     "0: a space, 1: CR LF, 2: nothing", 0, 0, 2, &Make<Normalizes>},
    {"write_utf16_length",
     "the length of an insert, in code points, is taken for UTF-16 units", "",
     0, 0, 0, &Make<Utf16Length>},
    {"write_byte_length",
     "the length of an insert, in code points, is taken for bytes", "", 0, 0, 0,
     &Make<ByteLength>},
    {"write_doubles", "an insert comes in twice", "", 0, 0, 0, &Make<Doubles>},
    {"write_insert_only",
     "the delete of a replacement is ignored, with success", "", 0, 0, 0,
     &Make<Without<Change::kDelete>>},
    {"write_delete_only",
     "the insert of a replacement is ignored, with success", "", 0, 0, 0,
     &Make<Without<Change::kInsert>>},
    {"write_caret_elsewhere", "a write leaves the caret where nobody put it",
     "where", 0, 0, INT64_MAX, &Make<CaretElsewhere>},
    {"write_element_swapped",
     "a write replaces its element; the old one goes on answering as it was",
     "", 0, 0, 0, &Make<WriteSwaps>},
    {"write_other_element", "a write lands in another field of the application",
     "", 0, 0, 0, &Make<OtherElement>},
    {"write_kills", "an application dies of a write", "", 0, 0, 0,
     &Make<Kills>},
    {"select_ignored",
     "selecting and moving the caret answer success and do nothing", "", 0, 0,
     0, &Make<SelectIgnored>},
    {"select_error", "selecting and moving the caret answer an error",
     "0: and do nothing, 1: and are done", 0, 0, 1, &Make<SelectError>},
    {"shows_late",
     "text, caret and selection read as they were a while ago, whoever changed "
     "them",
     "how long ago, in ms", 50, 0, kMostMilliseconds, &Make<ShowsLate>},
};

}  // namespace

absl::Span<const HostilityKind> WriteHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
