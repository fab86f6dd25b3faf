// Brings another window to the front, as a click on it would.
//
// Example, on a private desktop with two applications:
//
//   ActivateWindowOf(other->pid);   // the window manager gives it the keyboard
//
// It only asks; wait for what you need to come true. Fails the test when no
// window belongs to the process.
#ifndef TACTUS_AX_ATSPI_DESKTOP_ACTIVATE_H_
#define TACTUS_AX_ATSPI_DESKTOP_ACTIVATE_H_

#include <sys/types.h>

namespace tactus::ax::atspi {

void ActivateWindowOf(pid_t pid);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_DESKTOP_ACTIVATE_H_
