// Asserts that no reference to a CoreFoundation object is left when a test
// ends.
//
//   class ServerTest : public NoLeaks {};
//   TEST_F(ServerTest, ...) { ... }
#ifndef TACTUS_AX_MACOS_TESTING_LEAKS_H_
#define TACTUS_AX_MACOS_TESTING_LEAKS_H_

#include <cstdint>

#include "ax/macos/fake/objects.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {

class NoLeaks : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(fake::Counts().living, before_) << "references were left";
  }

 private:
  const int64_t before_ = fake::Counts().living;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_TESTING_LEAKS_H_
