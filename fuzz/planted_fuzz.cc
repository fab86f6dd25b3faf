// A target with a planted bug, which the test of the campaign looks for. It is
// in no campaign.
//
// The bug is four comparisons deep: found in moments by who is steered by
// coverage, and never by chance.

#include <cstddef>
#include <cstdint>

#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bool planted = false;
  if (size >= 4 && data[0] == 'B') {
    if (data[1] == 'U') {
      if (data[2] == 'G') planted = data[3] == '!';
    }
  }
  FUZZ_CHECK(!planted);
  return 0;
}
