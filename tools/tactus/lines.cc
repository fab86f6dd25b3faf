#include "tools/tactus/lines.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace tactus::cli {

bool LineReader::Fill(bool wait) {
  if (end_) return false;
  pollfd fds[] = {{fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
  int ready = 0;
  do {
    ready = poll(fds, 2, wait ? -1 : 0);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return false;
  if (ready < 0 || fds[1].revents != 0) {
    end_ = true;
    return false;
  }
  char part[65536];
  ssize_t n = 0;
  do {
    n = read(fd_, part, sizeof(part));
  } while (n < 0 && errno == EINTR);
  if (n <= 0) {
    failed_ = n < 0;
    end_ = true;
    return false;
  }
  buffer_.append(part, static_cast<size_t>(n));
  return true;
}

bool LineReader::Stopped() const {
  pollfd stop = {stop_fd_, POLLIN, 0};
  return poll(&stop, 1, 0) > 0 && stop.revents != 0;
}

bool LineReader::Waiting() {
  for (;;) {
    if (buffer_.find('\n', searched_) != std::string::npos) return true;
    searched_ = buffer_.size();
    if (buffer_.size() > most_) return true;
    if (!Fill(/*wait=*/false)) return end_ && !buffer_.empty();
  }
}

absl::StatusOr<std::optional<std::string>> LineReader::Next() {
  for (;;) {
    const size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos && buffer_.size() <= most_) {
      searched_ = buffer_.size();
      if (Fill(/*wait=*/true)) continue;
      if (failed_) {
        failed_ = false;
        return absl::DataLossError("standard input could not be read");
      }
      if (buffer_.empty()) return std::optional<std::string>();
    }
    const size_t length = std::min(end, buffer_.size());
    std::string line = buffer_.substr(0, length);
    buffer_.erase(0, end == std::string::npos ? length : length + 1);
    searched_ = 0;
    const bool too_long = line.size() > most_;
    const bool rest = dropping_;
    // It goes on where no end of a line was found.
    dropping_ = (too_long || rest) && end == std::string::npos && !end_;
    if (rest) continue;
    if (too_long) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a line is longer than ", most_, " bytes: it is left out"));
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return std::optional<std::string>(std::move(line));
  }
}

}  // namespace tactus::cli
