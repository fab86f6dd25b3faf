// Folders of tests: made, filled, and compared as the kernel tells of them.
//
// Example:
//
//   ScratchFolder scratch;
//   WriteFile(scratch.path() + "/a/b", "text", 0640);
//   EXPECT_EQ(DescribeTree(scratch.path() + "/a"), DescribeTree(received));
#ifndef TACTUS_TRANSFER_FILES_TESTING_TREE_H_
#define TACTUS_TRANSFER_FILES_TESTING_TREE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tactus::transfer::files {

// Removed with it, whatever the modes in it are.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Makes what is missing of its folders; aborts where it cannot.
void WriteFile(const std::string& path, const std::string& bytes,
               mode_t mode = 0644);
std::string ReadFile(const std::string& path);
void MakeFolders(const std::string& path);
// Some time of its own, with nanoseconds.
void SetTime(const std::string& path, int64_t seconds, int64_t nanoseconds);

// Bytes that do not repeat, the same for the same seed.
std::string Noise(size_t size, uint64_t seed);

// A line for each thing beneath `root`, sorted: its path in hexadecimal, type,
// mode, time of change, size, content or target.
std::vector<std::string> DescribeTree(const std::string& root);
// The paths beneath `root` of files that are not whole.
std::vector<std::string> PartialFiles(const std::string& root);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_TESTING_TREE_H_
