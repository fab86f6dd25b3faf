// Where a device keeps what is its own: its key, its peers, what peers did.
//
//   $XDG_STATE_HOME/tactus, or else ~/.local/state/tactus
#ifndef TACTUS_TOOLS_CONFIG_STATE_FOLDER_H_
#define TACTUS_TOOLS_CONFIG_STATE_FOLDER_H_

#include <string>

namespace tactus::config {

// Empty where neither XDG_STATE_HOME nor HOME is set.
std::string StateFolder();

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_STATE_FOLDER_H_
