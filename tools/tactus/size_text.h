// A number of bytes as people read it.
//
// Example:
//
//   SizeText(999);        // "999 B"
//   SizeText(1000);       // "1.00 kB"
//   SizeText(12345678);   // "12.35 MB": units of 1000, as disks are sold
#ifndef TACTUS_TOOLS_TACTUS_SIZE_TEXT_H_
#define TACTUS_TOOLS_TACTUS_SIZE_TEXT_H_

#include <cstdint>
#include <string>

namespace tactus::cli {

std::string SizeText(uint64_t bytes);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_SIZE_TEXT_H_
