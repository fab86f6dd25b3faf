#include "ax/atspi/benchmark/report.h"

#include <gtest/gtest.h>

#include "ledger/row/row.h"

namespace tactus::ax::atspi::bench {
namespace {

TEST(SeriesLine, IsJsonWithWhateverTheNamesHold) {
  EXPECT_EQ(SeriesLine({.name = "a\"b",
                        .unit = ledger::Unit::kMicroseconds,
                        .samples = {1.5, 2},
                        .failures = 1,
                        .failure = "line\nend"}),
            "{\"series\":\"a\\\"b\",\"unit\":\"us\",\"samples\":[1.5E0,2E0],"
            "\"failures\":1,\"failure\":\"line\\nend\"}");
}

}  // namespace
}  // namespace tactus::ax::atspi::bench
