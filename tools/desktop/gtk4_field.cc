// A GTK 4 window with one field of each kind, driven by a control socket.

#include <glib-unix.h>
#include <gtk/gtk.h>

#include "tools/desktop/control.h"

namespace tactus::desktop {
namespace {

class Gtk4Window : public FieldWindow {
 public:
  explicit Gtk4Window(GMainLoop* loop) {
    window_ = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window_), "Tactus GTK 4 field");
    gtk_window_set_default_size(GTK_WINDOW(window_), 640, 480);
    g_signal_connect_swapped(window_, "destroy", G_CALLBACK(g_main_loop_quit),
                             loop);
    GtkWidget* box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_window_set_child(GTK_WINDOW(window_), box);
    for (const char* name : {"text", "entry", "password", "readonly"}) {
      GtkWidget* holder = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
      gtk_widget_set_vexpand(holder, IsView(name));
      gtk_box_append(GTK_BOX(box), holder);
      Make(name, holder);
    }
  }

  void Show() { gtk_window_present(GTK_WINDOW(window_)); }

  std::vector<std::string> Names() const override {
    std::vector<std::string> names;
    for (const auto& [name, unused] : fields_) names.push_back(name);
    return names;
  }

  std::string Focused() const override {
    for (GtkWidget* window : {window2_, window_}) {
      if (window == nullptr) continue;
      if (window2_ != nullptr && !gtk_window_is_active(GTK_WINDOW(window))) {
        continue;
      }
      GtkWidget* focus = gtk_window_get_focus(GTK_WINDOW(window));
      for (const auto& [name, field] : fields_) {
        // The focus of an entry is in a text inside it.
        if (focus != nullptr && (focus == field.widget ||
                                 gtk_widget_is_ancestor(focus, field.widget))) {
          return name;
        }
      }
    }
    return "";
  }

  bool Active() const override {
    return gtk_window_is_active(GTK_WINDOW(window_)) ||
           (window2_ != nullptr && gtk_window_is_active(GTK_WINDOW(window2_)));
  }

  FieldState State(const std::string& name) const override {
    GtkWidget* widget = fields_.at(name).widget;
    FieldState state;
    int start = 0;
    int end = 0;
    bool selected = false;
    if (GTK_IS_EDITABLE(widget)) {
      state.text = gtk_editable_get_text(GTK_EDITABLE(widget));
      state.caret = gtk_editable_get_position(GTK_EDITABLE(widget));
      selected = gtk_editable_get_selection_bounds(GTK_EDITABLE(widget), &start,
                                                   &end) != FALSE;
    } else {
      GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(widget));
      GtkTextIter from;
      GtkTextIter to;
      gtk_text_buffer_get_bounds(buffer, &from, &to);
      char* text = gtk_text_buffer_get_text(buffer, &from, &to, TRUE);
      state.text = text;
      g_free(text);
      GtkTextIter caret;
      gtk_text_buffer_get_iter_at_mark(buffer, &caret,
                                       gtk_text_buffer_get_insert(buffer));
      state.caret = gtk_text_iter_get_offset(&caret);
      selected =
          gtk_text_buffer_get_selection_bounds(buffer, &from, &to) != FALSE;
      start = gtk_text_iter_get_offset(&from);
      end = gtk_text_iter_get_offset(&to);
    }
    if (selected) state.selection = {start, end};
    return state;
  }

  void SetText(const std::string& name, const std::string& text) override {
    GtkWidget* widget = fields_.at(name).widget;
    if (GTK_IS_EDITABLE(widget)) {
      gtk_editable_set_text(GTK_EDITABLE(widget), text.c_str());
      gtk_editable_set_position(GTK_EDITABLE(widget), -1);
    } else {
      GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(widget));
      gtk_text_buffer_set_text(buffer, text.data(),
                               static_cast<int>(text.size()));
      GtkTextIter end;
      gtk_text_buffer_get_end_iter(buffer, &end);
      gtk_text_buffer_place_cursor(buffer, &end);
    }
  }

  void Select(const std::string& name, int start, int end) override {
    GtkWidget* widget = fields_.at(name).widget;
    if (GTK_IS_EDITABLE(widget)) {
      gtk_editable_select_region(GTK_EDITABLE(widget), start, end);
    } else {
      GtkTextBuffer* buffer = gtk_text_view_get_buffer(GTK_TEXT_VIEW(widget));
      GtkTextIter from;
      GtkTextIter to;
      gtk_text_buffer_get_iter_at_offset(buffer, &from, start);
      gtk_text_buffer_get_iter_at_offset(buffer, &to, end);
      gtk_text_buffer_select_range(buffer, &to, &from);
    }
  }

  void Focus(const std::string& name) override {
    GtkWidget* widget = fields_.at(name).widget;
    GtkRoot* window = gtk_widget_get_root(widget);
    if (window2_ != nullptr) gtk_window_present(GTK_WINDOW(window));
    // Taking the focus selects the whole of an entry.
    const int caret = GTK_IS_EDITABLE(widget)
                          ? gtk_editable_get_position(GTK_EDITABLE(widget))
                          : 0;
    gtk_widget_grab_focus(widget);
    if (GTK_IS_EDITABLE(widget)) {
      gtk_editable_select_region(GTK_EDITABLE(widget), caret, caret);
    }
  }

  void ReplaceWidget(const std::string& name) override {
    const Field old = fields_.at(name);
    const std::string text = State(name).text;
    gtk_box_remove(GTK_BOX(old.holder), old.frame);
    Make(name, old.holder);
    SetText(name, text);
    Focus(name);
  }

  void OpenSecondWindow() override {
    if (window2_ != nullptr) {
      gtk_window_present(GTK_WINDOW(window2_));
      return;
    }
    window2_ = gtk_window_new();
    gtk_window_set_title(GTK_WINDOW(window2_), "Tactus GTK 4 second window");
    gtk_window_set_default_size(GTK_WINDOW(window2_), 400, 300);
    GtkWidget* holder = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_window_set_child(GTK_WINDOW(window2_), holder);
    Make("window2", holder);
    g_signal_connect_swapped(window2_, "destroy",
                             G_CALLBACK(+[](Gtk4Window* self) {
                               self->window2_ = nullptr;
                               self->fields_.erase("window2");
                             }),
                             this);
    gtk_window_present(GTK_WINDOW(window2_));
    Focus("window2");
  }

 private:
  struct Field {
    GtkWidget* widget = nullptr;
    // What goes into the holder: the widget, or what scrolls it.
    GtkWidget* frame = nullptr;
    GtkWidget* holder = nullptr;
  };

  static bool IsView(const std::string& name) {
    return name != "entry" && name != "password";
  }

  void Make(const std::string& name, GtkWidget* holder) {
    Field field;
    field.holder = holder;
    if (IsView(name)) {
      field.widget = gtk_text_view_new();
      gtk_text_view_set_editable(GTK_TEXT_VIEW(field.widget),
                                 name != "readonly");
      field.frame = gtk_scrolled_window_new();
      gtk_widget_set_vexpand(field.frame, TRUE);
      gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(field.frame),
                                    field.widget);
    } else {
      field.widget =
          name == "password" ? gtk_password_entry_new() : gtk_entry_new();
      field.frame = field.widget;
    }
    gtk_accessible_update_property(GTK_ACCESSIBLE(field.widget),
                                   GTK_ACCESSIBLE_PROPERTY_LABEL, name.c_str(),
                                   -1);
    gtk_box_append(GTK_BOX(holder), field.frame);
    fields_[name] = field;
  }

  GtkWidget* window_ = nullptr;
  GtkWidget* window2_ = nullptr;
  std::map<std::string, Field> fields_;
};

}  // namespace
}  // namespace tactus::desktop

int main(int argc, char** argv) {
  const tactus::desktop::Options options =
      tactus::desktop::ParseOptions(argc, argv);
  gtk_init();
  GMainLoop* loop = g_main_loop_new(nullptr, FALSE);
  tactus::desktop::Gtk4Window window(loop);
  window.SetText(options.kind, options.text);
  window.Show();
  window.Focus(options.kind);
  tactus::desktop::ControlServer server(&window, options.control);
  g_unix_fd_add(
      server.fd(), G_IO_IN,
      [](int, GIOCondition, gpointer data) -> gboolean {
        static_cast<tactus::desktop::ControlServer*>(data)->OnReadable();
        return G_SOURCE_CONTINUE;
      },
      &server);
  g_main_loop_run(loop);
  g_main_loop_unref(loop);
  return 0;
}
