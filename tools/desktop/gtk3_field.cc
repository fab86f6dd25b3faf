// A GTK 3 window with one field of each kind, driven by a control socket.

#include <glib-unix.h>
#include <gtk/gtk.h>

#include "tools/desktop/control.h"

namespace tactus::desktop {
namespace {

class Gtk3Window : public FieldWindow {
 public:
  Gtk3Window() {
    window_ = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_title(GTK_WINDOW(window_), "Tactus GTK 3 field");
    gtk_window_set_default_size(GTK_WINDOW(window_), 640, 480);
    g_signal_connect(window_, "destroy", G_CALLBACK(gtk_main_quit), nullptr);
    GtkWidget* box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_container_add(GTK_CONTAINER(window_), box);
    for (const char* name : {"text", "entry", "password", "readonly"}) {
      GtkWidget* holder = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
      gtk_box_pack_start(GTK_BOX(box), holder, IsView(name), IsView(name), 0);
      Make(name, holder);
    }
  }

  void Show() { gtk_widget_show_all(window_); }

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
        if (field.widget == focus) return name;
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
    gint start = 0;
    gint end = 0;
    bool selected = false;
    if (GTK_IS_ENTRY(widget)) {
      state.text = gtk_entry_get_text(GTK_ENTRY(widget));
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
    if (GTK_IS_ENTRY(widget)) {
      gtk_entry_set_text(GTK_ENTRY(widget), text.c_str());
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
    if (GTK_IS_ENTRY(widget)) {
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
    GtkWidget* window = gtk_widget_get_toplevel(widget);
    if (window2_ != nullptr) gtk_window_present(GTK_WINDOW(window));
    if (GTK_IS_ENTRY(widget)) {
      // The plain way selects everything.
      const int caret = gtk_editable_get_position(GTK_EDITABLE(widget));
      gtk_entry_grab_focus_without_selecting(GTK_ENTRY(widget));
      gtk_editable_set_position(GTK_EDITABLE(widget), caret);
    } else {
      gtk_widget_grab_focus(widget);
    }
  }

  void ReplaceWidget(const std::string& name) override {
    const Field old = fields_.at(name);
    const std::string text = State(name).text;
    gtk_container_remove(GTK_CONTAINER(old.holder), old.frame);
    Make(name, old.holder);
    gtk_widget_show_all(old.holder);
    SetText(name, text);
    Focus(name);
  }

  void OpenSecondWindow() override {
    if (window2_ != nullptr) {
      gtk_window_present(GTK_WINDOW(window2_));
      return;
    }
    window2_ = gtk_window_new(GTK_WINDOW_TOPLEVEL);
    gtk_window_set_title(GTK_WINDOW(window2_), "Tactus GTK 3 second window");
    gtk_window_set_default_size(GTK_WINDOW(window2_), 400, 300);
    GtkWidget* holder = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_container_add(GTK_CONTAINER(window2_), holder);
    Make("window2", holder);
    gtk_widget_show_all(window2_);
    g_signal_connect_swapped(window2_, "destroy",
                             G_CALLBACK(+[](Gtk3Window* self) {
                               self->window2_ = nullptr;
                               self->fields_.erase("window2");
                             }),
                             this);
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
      field.frame = gtk_scrolled_window_new(nullptr, nullptr);
      gtk_container_add(GTK_CONTAINER(field.frame), field.widget);
    } else {
      field.widget = gtk_entry_new();
      gtk_entry_set_visibility(GTK_ENTRY(field.widget), name != "password");
      field.frame = field.widget;
    }
    atk_object_set_name(gtk_widget_get_accessible(field.widget), name.c_str());
    gtk_box_pack_start(GTK_BOX(holder), field.frame, TRUE, TRUE, 0);
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
  gtk_init(nullptr, nullptr);
  tactus::desktop::Gtk3Window window;
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
  gtk_main();
  return 0;
}
