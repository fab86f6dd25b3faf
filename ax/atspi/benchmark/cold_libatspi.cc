// The same as cold.cc, by libatspi.
//
//   cold_libatspi TEXT
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ax/atspi/benchmark/libatspi_client.h"

namespace tactus::ax::atspi::bench {
namespace {

int Fail(const absl::Status& status) {
  fprintf(stderr, "cold_libatspi: %s\n", status.ToString().c_str());
  return 1;
}

int Main(const std::string& expected) {
  absl::StatusOr<std::unique_ptr<LibatspiClient>> client =
      LibatspiClient::Start();
  if (!client.ok()) return Fail(client.status());
  if (absl::Status s = (*client)->Find(); !s.ok()) return Fail(s);
  absl::StatusOr<LibatspiClient::Contents> contents =
      (*client)->Read(LibatspiClient::From::kWire);
  if (!contents.ok()) return Fail(contents.status());
  if (contents->text.find(expected) == std::string::npos) {
    fprintf(stderr, "cold_libatspi: what was read does not hold the text\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tactus::ax::atspi::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: cold_libatspi TEXT\n");
    return 2;
  }
  return tactus::ax::atspi::bench::Main(argv[1]);
}
