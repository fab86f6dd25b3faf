// Drives the private desktop of a test, and asks the application itself what it
// holds: the second opinion beside what accessibility says.
//
// Example:
//
//   Control("select 1 3");
//   EXPECT_EQ(*snapshot.value, Dump());
#ifndef TACTUS_AX_ATSPI_DESKTOP_CONTROL_H_
#define TACTUS_AX_ATSPI_DESKTOP_CONTROL_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace tactus::ax::atspi {

// Of the variables that tools/desktop/run sets; the test fails without.
std::string DesktopVariable(const char* name);
pid_t ApplicationPid();

// Runs a command of TACTUS_DESKTOP_CTL (our own widgets only); returns what it
// printed and fails the test when it failed.
std::string Control(const std::vector<std::string>& command);

// What the application itself holds in its field.
std::string Dump();

// Presses keys, one after the other, as xdotool names them: "ctrl+a". They go
// to whatever has the keyboard.
void PressKeys(const std::vector<std::string>& keys);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_DESKTOP_CONTROL_H_
