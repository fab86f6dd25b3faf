// The field of the application under test: put into a known state, and asked
// what it holds, without any help of accessibility.
//
// What an edit reports is judged by what the application itself then holds, so
// neither may come through the code under test. Our own widgets take what they
// are told on their control socket; every other application gets what it would
// get from a person, by keys and the clipboard, until its own dump shows it.
//
// Example:
//
//   Field field(&input);
//   field.Reset("one two");       // holds exactly that, the caret at the end
//   field.Select(4, 7);
//   ... edit ...
//   EXPECT_EQ(field.Dump(), "one three");
//
// Fails the test when the application cannot be brought there.
#ifndef TACTUS_AX_ATSPI_DESKTOP_FIELD_H_
#define TACTUS_AX_ATSPI_DESKTOP_FIELD_H_

#include <cstdint>
#include <string>

#include "ax/input/input.h"

namespace tactus::ax::atspi {

// Besides its field of several lines it has an entry, a password and one that
// is only read.
bool HasOtherFields(const std::string& application);

class Field {
 public:
  // `input` must outlive it.
  explicit Field(Input* input);

  // The name of the application, as tools/desktop/run takes it.
  const std::string& application() const { return application_; }

  // Nothing can be taken out of a terminal: it is given a new line instead.
  bool is_terminal() const { return application_ == "vte"; }
  // "text" (where it begins), "entry", "password" or "readonly".
  void Focus(const std::string& field);
  // What has the focus then holds exactly that, with the caret at its end.
  void Reset(const std::string& text);
  // Selects [begin, end) of the `length` code points that the field holds. No
  // character between `begin` and the end of the text may be more than one code
  // point, or read from right to left.
  void Select(int64_t begin, int64_t end, int64_t length);
  std::string Dump() const;

  // How often the application's own Ctrl+Z has to be pressed until it holds
  // `before`; 0 when it stays at something else. Waits briefly for each.
  int UndoByOwnKeys(const std::string& before);

 private:
  bool Holds(const std::string& text) const;

  Input& input_;
  const std::string application_;
  const bool widget_;
  const bool browser_;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_DESKTOP_FIELD_H_
