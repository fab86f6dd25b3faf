#include "ax/text/slice.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ax/text/offsets.h"
#include "ax/text/utf.h"

namespace tactus::ax {

int64_t CodePointLength(std::string_view text) {
  return static_cast<int64_t>(CodePointCount(text));
}

std::string_view CodePointSlice(std::string_view text, int64_t begin,
                                int64_t end) {
  const auto offset = [](int64_t from) {
    return static_cast<size_t>(std::max<int64_t>(from, 0));
  };
  return SubstrByCodePoints(text, offset(begin), offset(end));
}

}  // namespace tactus::ax
