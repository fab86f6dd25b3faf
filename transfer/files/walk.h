// Goes through what is to be sent, without holding it.
//
// Use it once to count, and again to send; between the two anything may change,
// and what is gone is only not found the second time.
//
// Example:
//
//   class Counter : public Visitor { ... };
//   absl::Status walked = Walk({.path = "/srv/photos", .name = "photos"},
//                              counter);
//
// Of a folder it gives the folder, what lies in it, and its end. Links in it
// are given as links and never followed; a root that is a link is followed,
// since it was named. Sockets, pipes and devices are left out, and so is what
// cannot be read. It holds one descriptor open for each folder on the way.
#ifndef TACTUS_TRANSFER_FILES_WALK_H_
#define TACTUS_TRANSFER_FILES_WALK_H_

#include <sys/stat.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {

// What was named to be sent.
struct Root {
  std::string path;  // of this machine
  std::string name;  // what the receiver calls it
};

// Where something lies: its path for the receiver, and how to open it here.
struct Found {
  const std::string& path;
  int folder;        // the descriptor of its folder, or AT_FDCWD of a root
  const char* name;  // in that folder
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  // Each ends the walk by an error, which Walk returns.
  virtual absl::Status OnFolder(const Found& found,
                                const struct stat& info) = 0;
  virtual absl::Status OnFolderEnd(const Found& found,
                                   const struct stat& info) = 0;
  virtual absl::Status OnFile(const Found& found) = 0;
  virtual absl::Status OnLink(const Found& found) = 0;
  virtual absl::Status OnLeftOut(const std::string& path,
                                 absl::string_view why) = 0;
};

// NotFound where the root is not there.
absl::Status Walk(const Root& root, Visitor& visitor);

// A plain file of that root by the path that the walk gave it, to be read;
// NotFound where it is none any more.
absl::StatusOr<UniqueFd> OpenFound(const Found& found);
absl::StatusOr<UniqueFd> OpenAgain(const Root& root, const std::string& path);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_WALK_H_
