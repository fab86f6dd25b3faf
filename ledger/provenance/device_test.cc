#include "ledger/provenance/device.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

class DeviceTest : public testing::Test {
 protected:
  DeviceTest() : root_(testing::TempDir()) {
    for (const char* folder : {"/proc", "/proc/sys", "/proc/sys/kernel"}) {
      mkdir((root_ + folder).c_str(), 0700);
    }
    Write("/proc/cpuinfo",
          "processor\t: 0\nmodel name\t: Made-up 9000\ncpu MHz\t\t: 2000.5\n"
          "flags\t\t: fpu sse\n\nprocessor\t: 1\nmodel name\t: Made-up 9000\n"
          "cpu MHz\t\t: 1000.5\nflags\t\t: fpu sse\n");
    Write("/proc/meminfo", "MemTotal:       24543212 kB\nMemFree: 1 kB\n");
    Write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    Write("/proc/loadavg", "0.25 0.50 0.75 1/123 4567\n");
  }

  void Write(const std::string& path, const std::string& text) {
    std::ofstream(root_ + path) << text;
  }

  const std::string root_;
};

TEST_F(DeviceTest, IsWhatTheKernelTells) {
  const absl::StatusOr<Device> device = ReadDevice(root_);
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->processor, "Made-up 9000");
  EXPECT_EQ(device->cores, 2);
  EXPECT_EQ(device->memory, "16-32 GiB");
  EXPECT_EQ(device->kernel, "6.1.0-18-amd64");
  EXPECT_EQ(device->virtualization, "none");
  EXPECT_EQ(device->id, DeviceId(*device));
}

TEST_F(DeviceTest, WithAnotherKernelIsAnother) {
  const absl::StatusOr<Device> one = ReadDevice(root_);
  Write("/proc/sys/kernel/osrelease", "6.1.0-19-amd64\n");
  const absl::StatusOr<Device> other = ReadDevice(root_);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->id, other->id);
}

TEST_F(DeviceTest, WithoutOneOfTheFactsIsAnErrorThatNamesTheFile) {
  Write("/proc/meminfo", "MemFree: 1 kB\n");
  EXPECT_EQ(ReadDevice(root_).status(),
            absl::UnavailableError(
                absl::StrCat(root_, "/proc/meminfo does not say MemTotal")));
  Write("/proc/meminfo", "");
  EXPECT_EQ(ReadDevice(root_).status(),
            absl::UnavailableError(
                absl::StrCat("cannot read ", root_, "/proc/meminfo")));
}

TEST_F(DeviceTest, LoadIsTheFirstMeanAndFrequencyThatOfAllCores) {
  const Load load = ReadLoad(root_);
  EXPECT_EQ(load.processes, 0.25);
  EXPECT_EQ(load.mhz, 1500.5);
}

TEST_F(DeviceTest, LoadThatIsNotToldIsAbsent) {
  Write("/proc/loadavg", "nonsense");
  Write("/proc/cpuinfo", "processor: 0\n");
  EXPECT_EQ(ReadLoad(root_).processes, std::nullopt);
  EXPECT_EQ(ReadLoad(root_).mhz, std::nullopt);
}

TEST(Device, OfThisMachineCanBeRead) {
  const absl::StatusOr<Device> device = ReadDevice();
  ASSERT_TRUE(device.ok()) << device.status();
  EXPECT_EQ(device->id, ReadDevice()->id);
}

TEST(MemoryClass, IsThePowersOfTwoAround) {
  EXPECT_EQ(MemoryClass(1), "below 1 GiB");
  EXPECT_EQ(MemoryClass(int64_t{1} << 20), "1-2 GiB");
  EXPECT_EQ(MemoryClass((int64_t{16} << 20) - 1), "8-16 GiB");
  EXPECT_EQ(MemoryClass(int64_t{16} << 20), "16-32 GiB");
}

}  // namespace
}  // namespace tactus::ledger
