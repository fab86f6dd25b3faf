// What the session that started us says of itself, such as where its buses are.
//
//   const std::string address = Environment("AT_SPI_BUS_ADDRESS");
#ifndef TACTUS_AX_ATSPI_ENVIRONMENT_H_
#define TACTUS_AX_ATSPI_ENVIRONMENT_H_

#include <stdlib.h>

#include <string>

namespace tactus::ax::atspi {

// Empty where it is not set: no address and no folder is an empty one.
inline std::string Environment(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_ENVIRONMENT_H_
