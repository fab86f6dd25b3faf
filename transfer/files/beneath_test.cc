#include "transfer/files/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

struct Place {
  ScratchFolder scratch;
  std::string folder = scratch.path() + "/in";
  UniqueFd fd;

  Place() {
    WriteFile(folder + "/a/b", "inside");
    WriteFile(scratch.path() + "/secret", "outside");
    fd = UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_TRUE(fd.valid());
  }
  absl::StatusCode CodeOf(const std::string& path, int flags = O_RDONLY) {
    return OpenBeneath(fd.get(), path, flags, 0600).status().code();
  }
};

TEST(Beneath, WhatLiesThereIsOpenedAndClosedForPrograms) {
  Place place;
  const absl::StatusOr<UniqueFd> fd =
      OpenBeneath(place.fd.get(), "a/b", O_RDONLY, 0);
  ASSERT_TRUE(fd.ok()) << fd.status();
  char text[16];
  EXPECT_EQ(read(fd->get(), text, sizeof(text)), 6);
  EXPECT_EQ(std::string(text, 6), "inside");
  EXPECT_EQ(fcntl(fd->get(), F_GETFD), FD_CLOEXEC);
  // A name may look like a climb and be none.
  WriteFile(place.folder + "/..a", "");
  EXPECT_EQ(place.CodeOf("..a"), absl::StatusCode::kOk);
  EXPECT_EQ(place.CodeOf("a/../a/b"), absl::StatusCode::kOk);
}

TEST(Beneath, NothingLeadsOut) {
  Place place;
  for (const char* path : {"..", "../secret", "a/../../secret", "/etc/passwd",
                           "/", "a/../../in/a/b"}) {
    EXPECT_EQ(place.CodeOf(path), absl::StatusCode::kPermissionDenied) << path;
  }
  EXPECT_EQ(place.CodeOf("../made", O_WRONLY | O_CREAT),
            absl::StatusCode::kPermissionDenied);
  struct stat info;
  EXPECT_NE(stat((place.scratch.path() + "/made").c_str(), &info), 0);
}

TEST(Beneath, NoLinkIsFollowedWhereverItLeads) {
  Place place;
  ASSERT_EQ(symlink("../secret", (place.folder + "/out").c_str()), 0);
  ASSERT_EQ(symlink("a/b", (place.folder + "/file").c_str()), 0);
  ASSERT_EQ(symlink("a", (place.folder + "/folder").c_str()), 0);
  ASSERT_EQ(symlink("/proc/self/cwd", (place.folder + "/magic").c_str()), 0);
  for (const char* path : {"out", "file", "folder/b", "magic", "magic/x"}) {
    EXPECT_EQ(place.CodeOf(path), absl::StatusCode::kPermissionDenied) << path;
  }
  EXPECT_EQ(place.CodeOf("out", O_WRONLY | O_CREAT | O_TRUNC),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ReadFile(place.scratch.path() + "/secret"), "outside");
}

TEST(Beneath, WhatIsMadeHasItsModeAndWhatIsMissingIsNotFound) {
  Place place;
  EXPECT_EQ(place.CodeOf("no"), absl::StatusCode::kNotFound);
  EXPECT_EQ(place.CodeOf("no/b", O_WRONLY | O_CREAT),
            absl::StatusCode::kNotFound);
  // openat2 refuses a mode where nothing is made; it is left out then.
  EXPECT_EQ(place.CodeOf("a/b"), absl::StatusCode::kOk);
  const absl::StatusOr<UniqueFd> made =
      OpenBeneath(place.fd.get(), "a/c", O_WRONLY | O_CREAT | O_EXCL, 0600);
  ASSERT_TRUE(made.ok()) << made.status();
  struct stat info;
  ASSERT_EQ(fstat(made->get(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(place.CodeOf("a/c", O_WRONLY | O_CREAT | O_EXCL),
            absl::StatusCode::kAlreadyExists);
}

TEST(Beneath, AMessageHasThePathEscaped) {
  Place place;
  const absl::Status missing =
      OpenBeneath(place.fd.get(), "a\x1b[2J\n", O_RDONLY, 0).status();
  EXPECT_TRUE(absl::StrContains(missing.message(), "'a\\033[2J\\n'"))
      << missing;
  const absl::Status out =
      OpenBeneath(place.fd.get(), "../\x1b", O_RDONLY, 0).status();
  EXPECT_TRUE(absl::StrContains(out.message(), "'../\\033'")) << out;
  EXPECT_EQ(ErrnoOf(ENOSPC, "cannot write", "f").code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tactus::transfer::files
