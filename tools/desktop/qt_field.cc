// A Qt window with one field of each kind, driven by a control socket. The same
// source makes the widget of Qt 5 and of Qt 6.

#include <QApplication>
#include <QLineEdit>
#include <QSocketNotifier>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextEdit>
#include <QVBoxLayout>
#include <QWidget>

#include "tools/desktop/control.h"

namespace tactus::desktop {
namespace {

// Qt counts UTF-16 units; a caret in the middle of a pair counts as before it.
int CodePoints(const QString& text, int units) {
  int count = 0;
  for (int i = 0; i < units; ++i) count += text[i].isHighSurrogate() ? 0 : 1;
  return count;
}

int Units(const QString& text, int code_points) {
  int units = 0;
  while (code_points-- > 0) units += text[units].isHighSurrogate() ? 2 : 1;
  return units;
}

// The plain text without what toPlainText makes of no-break spaces.
QString Raw(const QTextEdit* edit) {
  return edit->document()->toRawText().replace(QChar::ParagraphSeparator,
                                               QChar('\n'));
}

class QtWindow : public FieldWindow {
 public:
  QtWindow() {
    window_.setWindowTitle("Tactus Qt " QT_VERSION_STR " field");
    window_.resize(640, 480);
    auto* layout = new QVBoxLayout(&window_);
    for (const char* name : {"text", "entry", "password", "readonly"}) {
      auto* holder = new QWidget(&window_);
      layout->addWidget(holder);
      Make(name, holder);
    }
  }

  void Show() { window_.show(); }

  std::vector<std::string> Names() const override {
    std::vector<std::string> names;
    for (const auto& [name, unused] : fields_) names.push_back(name);
    return names;
  }

  std::string Focused() const override {
    const QWidget* active = QApplication::activeWindow();
    const QWidget* focus =
        (active != nullptr ? active : &window_)->focusWidget();
    for (const auto& [name, field] : fields_) {
      if (field == focus) return name;
    }
    return "";
  }

  bool Active() const override {
    return QApplication::activeWindow() != nullptr;
  }

  FieldState State(const std::string& name) const override {
    FieldState state;
    QString text;
    int caret = 0;
    int start = 0;
    int end = 0;
    if (const auto* line = qobject_cast<QLineEdit*>(fields_.at(name))) {
      text = line->text();
      caret = line->cursorPosition();
      if (line->hasSelectedText()) {
        start = line->selectionStart();
        end = line->selectionEnd();
      }
    } else {
      const auto* edit = static_cast<QTextEdit*>(fields_.at(name));
      text = Raw(edit);
      const QTextCursor cursor = edit->textCursor();
      caret = cursor.position();
      start = cursor.selectionStart();
      end = cursor.selectionEnd();
    }
    state.text = text.toStdString();
    state.caret = CodePoints(text, caret);
    if (start != end) {
      state.selection = {CodePoints(text, start), CodePoints(text, end)};
    }
    return state;
  }

  void SetText(const std::string& name, const std::string& text) override {
    const QString wide = QString::fromStdString(text);
    if (auto* line = qobject_cast<QLineEdit*>(fields_.at(name))) {
      line->setText(wide);
    } else {
      auto* edit = static_cast<QTextEdit*>(fields_.at(name));
      edit->setPlainText(wide);
      edit->moveCursor(QTextCursor::End);
    }
  }

  void Select(const std::string& name, int start, int end) override {
    if (auto* line = qobject_cast<QLineEdit*>(fields_.at(name))) {
      const int from = Units(line->text(), start);
      line->setSelection(from, Units(line->text(), end) - from);
    } else {
      auto* edit = static_cast<QTextEdit*>(fields_.at(name));
      const QString text = Raw(edit);
      QTextCursor cursor = edit->textCursor();
      cursor.setPosition(Units(text, start));
      cursor.setPosition(Units(text, end), QTextCursor::KeepAnchor);
      edit->setTextCursor(cursor);
    }
  }

  void Focus(const std::string& name) override {
    QWidget* field = fields_.at(name);
    if (window2_ != nullptr) field->activateWindow();
    // Not as if by the Tab key, which selects everything.
    field->setFocus(Qt::OtherFocusReason);
  }

  void ReplaceWidget(const std::string& name) override {
    QWidget* old = fields_.at(name);
    QWidget* holder = old->parentWidget();
    const std::string text = State(name).text;
    delete old;
    delete holder->layout();
    Make(name, holder);
    fields_.at(name)->show();
    SetText(name, text);
    Focus(name);
  }

  void OpenSecondWindow() override {
    if (window2_ == nullptr) {
      window2_ = new QWidget;
      window2_->setWindowTitle("Tactus Qt second window");
      window2_->resize(400, 300);
      Make("window2", window2_);
    }
    window2_->show();
    Focus("window2");
  }

 private:
  void Make(const std::string& name, QWidget* holder) {
    QWidget* field = nullptr;
    if (name == "entry" || name == "password") {
      auto* line = new QLineEdit;
      if (name == "password") line->setEchoMode(QLineEdit::Password);
      field = line;
    } else {
      auto* edit = new QTextEdit;
      edit->setAcceptRichText(false);
      edit->setReadOnly(name == "readonly");
      field = edit;
    }
    field->setAccessibleName(QString::fromStdString(name));
    auto* layout = new QVBoxLayout(holder);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(field);
    fields_[name] = field;
  }

  QWidget window_;
  QWidget* window2_ = nullptr;
  std::map<std::string, QWidget*> fields_;
};

}  // namespace
}  // namespace tactus::desktop

int main(int argc, char** argv) {
  const tactus::desktop::Options options =
      tactus::desktop::ParseOptions(argc, argv);
  QApplication application(argc, argv);
  tactus::desktop::QtWindow window;
  window.SetText(options.kind, options.text);
  window.Show();
  window.Focus(options.kind);
  tactus::desktop::ControlServer server(&window, options.control);
  QSocketNotifier notifier(server.fd(), QSocketNotifier::Read);
  QObject::connect(&notifier, &QSocketNotifier::activated, &application,
                   [&server] { server.OnReadable(); });
  return QApplication::exec();
}
