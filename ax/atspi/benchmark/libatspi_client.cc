#include "ax/atspi/benchmark/libatspi_client.h"

#include <atspi/atspi.h>
#include <glib-object.h>
#include <glib.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

namespace tactus::ax::atspi::bench {
namespace {

struct Unref {
  void operator()(void* object) const { g_object_unref(object); }
};
template <typename T>
using Ref = std::unique_ptr<T, Unref>;
using Accessible = Ref<AtspiAccessible>;
using StateSet = Ref<AtspiStateSet>;

// A GError that is freed. What it says is for people.
class Error {
 public:
  Error() = default;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() { g_clear_error(&error_); }
  GError** out() { return &error_; }
  explicit operator bool() const { return error_ != nullptr; }
  std::string message() const {
    return error_ == nullptr ? "" : error_->message;
  }

 private:
  GError* error_ = nullptr;
};

// The states that a walk needs, of one GetState.
struct Shown {
  bool focused = false;
  bool active = false;
  bool showing = false;
  bool visible = false;
};

Shown StatesOf(AtspiAccessible* accessible) {
  const StateSet set(atspi_accessible_get_state_set(accessible));
  if (set == nullptr) return {};
  const auto has = [&](AtspiStateType state) {
    return atspi_state_set_contains(set.get(), state) != 0;
  };
  Shown shown;
  shown.focused = has(ATSPI_STATE_FOCUSED);
  shown.active = has(ATSPI_STATE_ACTIVE);
  shown.showing = has(ATSPI_STATE_SHOWING);
  shown.visible = has(ATSPI_STATE_VISIBLE);
  return shown;
}

Accessible Child(AtspiAccessible* parent, int index) {
  Error error;
  return Accessible(
      atspi_accessible_get_child_at_index(parent, index, error.out()));
}

int Children(AtspiAccessible* parent) {
  Error error;
  return atspi_accessible_get_child_count(parent, error.out());
}

class Client : public LibatspiClient {
 public:
  ~Client() override {
    // atspi_exit is not called: 2.46 warns of and frees twice what an
    // application that has left still owns.
    if (listener_ != nullptr) g_object_unref(listener_);
  }

  absl::Status Find() override {
    held_.reset();
    const Accessible window = ActiveWindow();
    if (window == nullptr) {
      return absl::NotFoundError("libatspi finds no window that is active");
    }
    held_ = Below(window.get());
    if (held_ == nullptr) {
      visible_is_enough_ = !visible_is_enough_;
      held_ = Below(window.get());
    }
    if (held_ == nullptr) {
      return absl::NotFoundError("libatspi finds nothing that has the focus");
    }
    return absl::OkStatus();
  }

  absl::Status FindByCollection() override {
    held_.reset();
    const Accessible window = ActiveWindow();
    if (window == nullptr) {
      return absl::NotFoundError("libatspi finds no window that is active");
    }
    const Ref<AtspiCollection> collection(
        atspi_accessible_get_collection_iface(window.get()));
    if (collection == nullptr) {
      return absl::UnimplementedError("the window has no Collection");
    }
    // The rule is kept: it is the same each time.
    if (rule_ == nullptr) {
      const StateSet states(atspi_state_set_new(nullptr));
      atspi_state_set_add(states.get(), ATSPI_STATE_FOCUSED);
      rule_.reset(atspi_match_rule_new(states.get(), ATSPI_Collection_MATCH_ALL,
                                       nullptr, ATSPI_Collection_MATCH_ALL,
                                       nullptr, ATSPI_Collection_MATCH_ALL,
                                       nullptr, ATSPI_Collection_MATCH_ALL, 0));
    }
    constexpr int kMost = 4;
    Error error;
    GArray* matches = atspi_collection_get_matches(
        collection.get(), rule_.get(), ATSPI_Collection_SORT_ORDER_CANONICAL,
        kMost, 1, error.out());
    if (matches == nullptr) {
      return absl::UnimplementedError(
          absl::StrCat("GetMatches is not answered: ", error.message()));
    }
    for (guint i = 0; i < matches->len; ++i) {
      Accessible match(g_array_index(matches, AtspiAccessible*, i));
      if (match == nullptr) continue;
      if (held_ == nullptr || (!IsText(held_.get()) && IsText(match.get()))) {
        held_ = std::move(match);
      }
    }
    g_array_free(matches, 1);
    if (held_ == nullptr) {
      return absl::NotFoundError("GetMatches names nothing with the focus");
    }
    return absl::OkStatus();
  }

  absl::Status Listen(bool all) override {
    if (listener_ == nullptr) {
      listener_ = atspi_event_listener_new(&Client::OnEvent, this, nullptr);
    }
    static constexpr const char* kFocus[] = {"object:state-changed:focused",
                                             "window:activate"};
    static constexpr const char* kAll[] = {
        "object:state-changed", "object:children-changed",
        "object:property-change", "window:activate", "window:deactivate"};
    for (const char* type :
         all ? absl::MakeConstSpan(kAll) : absl::MakeConstSpan(kFocus)) {
      Error error;
      if (!atspi_event_listener_register(listener_, type, error.out())) {
        return absl::UnavailableError(
            absl::StrCat("cannot listen for ", type, ": ", error.message()));
      }
    }
    if (last_ == nullptr && held_ != nullptr) {
      last_.reset(ATSPI_ACCESSIBLE(g_object_ref(held_.get())));
    }
    return absl::OkStatus();
  }

  absl::Status HoldLast() override {
    if (last_ == nullptr) {
      return absl::NotFoundError("no event has named the focus");
    }
    held_.reset(ATSPI_ACCESSIBLE(g_object_ref(last_.get())));
    return absl::OkStatus();
  }

  absl::StatusOr<Contents> Read(From from) override {
    if (held_ == nullptr) return absl::NotFoundError("nothing is held");
    AtspiAccessible* element = held_.get();
    if (from == From::kWire) atspi_accessible_clear_cache(element);
    Contents contents;
    Error error;
    contents.role = atspi_accessible_get_role(element, error.out());
    const StateSet states(atspi_accessible_get_state_set(element));
    contents.focused =
        atspi_state_set_contains(states.get(), ATSPI_STATE_FOCUSED) != 0;
    contents.editable =
        atspi_state_set_contains(states.get(), ATSPI_STATE_EDITABLE) != 0;
    GArray* interfaces = atspi_accessible_get_interfaces(element);
    contents.interfaces = static_cast<int>(interfaces->len);
    for (guint i = 0; i < interfaces->len; ++i) {
      g_free(g_array_index(interfaces, gchar*, i));
    }
    g_array_free(interfaces, 1);
    if (error) return absl::UnavailableError(error.message());

    const Ref<AtspiText> text(atspi_accessible_get_text_iface(element));
    if (text == nullptr) {
      return absl::UnimplementedError("what libatspi holds has no text");
    }
    // To the end, as every toolkit understands it.
    gchar* content = atspi_text_get_text(text.get(), 0, -1, error.out());
    contents.text = content == nullptr ? "" : content;
    g_free(content);
    if (error) return absl::UnavailableError(error.message());
    contents.count = atspi_text_get_character_count(text.get(), error.out());
    contents.caret = atspi_text_get_caret_offset(text.get(), error.out());
    if (error) return absl::UnavailableError(error.message());
    // An error where nothing is selected, in some toolkits.
    Error none;
    AtspiRange* selection = atspi_text_get_selection(text.get(), 0, none.out());
    if (selection != nullptr) {
      contents.selection_begin = selection->start_offset;
      contents.selection_end = selection->end_offset;
      g_free(selection);
    }
    return contents;
  }

  std::string path() const override {
    return held_ == nullptr ? "" : ATSPI_OBJECT(held_.get())->path;
  }

  bool OnSocket() const override {
    return held_ != nullptr && ATSPI_OBJECT(held_.get())->app != nullptr &&
           ATSPI_OBJECT(held_.get())->app->bus != atspi_get_a11y_bus();
  }

  void Pump() override {
    while (g_main_context_iteration(nullptr, 0)) {
    }
  }

  void RunLoop(const std::function<bool()>& step) override {
    // An idle source, so that events that have come are dispatched first.
    g_idle_add(&Client::OnIdle, const_cast<std::function<bool()>*>(&step));
    atspi_event_main();
  }

 private:
  static gboolean OnIdle(gpointer data) {
    if ((*static_cast<const std::function<bool()>*>(data))()) {
      return G_SOURCE_CONTINUE;
    }
    atspi_event_quit();
    return G_SOURCE_REMOVE;
  }

  static void OnEvent(AtspiEvent* event, void* data) {
    auto* self = static_cast<Client*>(data);
    if (event->source != nullptr && event->detail1 == 1 &&
        g_strcmp0(event->type, "object:state-changed:focused") == 0) {
      self->last_.reset(ATSPI_ACCESSIBLE(g_object_ref(event->source)));
    }
    g_boxed_free(ATSPI_TYPE_EVENT, event);
  }

  static bool IsText(AtspiAccessible* accessible) {
    return Ref<AtspiText>(atspi_accessible_get_text_iface(accessible)) !=
           nullptr;
  }

  static Accessible ActiveWindow() {
    const Accessible desktop(atspi_get_desktop(0));
    if (desktop == nullptr) return nullptr;
    const int applications = Children(desktop.get());
    for (int i = 0; i < applications; ++i) {
      const Accessible application = Child(desktop.get(), i);
      if (application == nullptr) continue;
      const int windows = Children(application.get());
      for (int j = 0; j < windows; ++j) {
        Accessible window = Child(application.get(), j);
        if (window != nullptr && StatesOf(window.get()).active) return window;
      }
    }
    return nullptr;
  }

  // The first below `window` that has the focus and holds text, else the first
  // that has the focus, since a container may claim it as well.
  Accessible Below(AtspiAccessible* window) const {
    Accessible fallback;
    Accessible found = Walk(window, fallback);
    return found != nullptr ? std::move(found) : std::move(fallback);
  }

  Accessible Walk(AtspiAccessible* parent, Accessible& fallback) const {
    const int children = Children(parent);
    for (int i = 0; i < children; ++i) {
      Accessible child = Child(parent, i);
      if (child == nullptr) continue;
      const Shown shown = StatesOf(child.get());
      if (shown.focused) {
        if (IsText(child.get())) return child;
        if (fallback == nullptr) {
          fallback.reset(ATSPI_ACCESSIBLE(g_object_ref(child.get())));
        }
      }
      if (!shown.showing && !(visible_is_enough_ && shown.visible)) continue;
      Accessible found = Walk(child.get(), fallback);
      if (found != nullptr) return found;
    }
    return nullptr;
  }

  // GTK 4 says of nothing but windows that it is SHOWING; elsewhere that is the
  // shorter way, since a page is VISIBLE where it is scrolled away. Which of
  // the two led to the focus is remembered.
  bool visible_is_enough_ = false;
  Accessible held_;
  Accessible last_;  // what events named
  Ref<AtspiMatchRule> rule_;
  AtspiEventListener* listener_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibatspiClient>> LibatspiClient::Start() {
  // 1 means that it was started before.
  if (const int r = atspi_init(); r != 0 && r != 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("libatspi does not start (", r,
                     "): is there an accessibility bus here?"));
  }
  return std::make_unique<Client>();
}

}  // namespace tactus::ax::atspi::bench
