#include "transfer/identity/name.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

TEST(Name, IsOfLettersDigitsDotsUnderscoresAndDashes) {
  for (const absl::string_view name :
       {"a", "Z", "0", ".", "_", "laptop", "my.desk_2-b", "a-"}) {
    EXPECT_TRUE(IsName(name)) << name;
  }
  for (const absl::string_view name :
       {"", "-", "-a", "a b", "a/b", "a:b", "a\n", "\xC3\xA4", "a\x7F"}) {
    EXPECT_FALSE(IsName(name)) << name;
  }
  EXPECT_FALSE(IsName(absl::string_view("a\0", 2)));
}

TEST(Name, HasSixtyFourBytesAtMost) {
  EXPECT_TRUE(IsName(std::string(64, 'a')));
  EXPECT_FALSE(IsName(std::string(65, 'a')));
}

}  // namespace
}  // namespace tactus::transfer
