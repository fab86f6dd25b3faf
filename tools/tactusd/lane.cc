#include "tools/tactusd/lane.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "ax/sync/mutex.h"

namespace tactus::daemon {

using ax::MutexLock;

bool Lane::Submit(Piece piece, bool supersedes) {
  std::optional<Piece> superseded;
  {
    MutexLock lock(&mutex_);
    if (stopping_) return false;
    if (supersedes) {
      const auto last = std::find_if(
          queue_.rbegin(), queue_.rend(),
          [&piece](const Piece& p) { return p.client == piece.client; });
      if (last != queue_.rend() && last->partial) {
        superseded = std::move(*last);
        queue_.erase(std::next(last).base());
      }
    }
    if (queue_.size() >= kMostWaiting && !piece.always) return false;
    queue_.push_back(std::move(piece));
    changed_.NotifyAll();
  }
  if (superseded.has_value()) superseded->drop(Why::kSuperseded);
  return true;
}

bool Lane::Cancel(int64_t client, const std::string& id) {
  std::optional<Piece> found;
  {
    MutexLock lock(&mutex_);
    const auto it = std::find_if(queue_.begin(), queue_.end(),
                                 [client, &id](const Piece& p) {
                                   return p.client == client && p.id == id;
                                 });
    if (it == queue_.end()) return false;
    found = std::move(*it);
    queue_.erase(it);
  }
  found->drop(Why::kCancelled);
  return true;
}

void Lane::Close(int64_t client) {
  std::deque<Piece> dropped;
  {
    MutexLock lock(&mutex_);
    for (auto it = queue_.begin(); it != queue_.end();) {
      if (it->client == client && !it->always) {
        dropped.push_back(std::move(*it));
        it = queue_.erase(it);
      } else {
        ++it;
      }
    }
  }
  for (Piece& piece : dropped) piece.drop(Why::kClosed);
}

bool Lane::Take(bool wait, Piece* piece) {
  MutexLock lock(&mutex_);
  while (queue_.empty()) {
    if (stopping_ || !wait) return false;
    changed_.Wait(&mutex_);
  }
  *piece = std::move(queue_.front());
  queue_.pop_front();
  busy_ = true;
  return true;
}

bool Lane::RunOne() {
  Piece piece;
  if (!Take(/*wait=*/false, &piece)) return false;
  piece.run();
  MutexLock lock(&mutex_);
  busy_ = false;
  return true;
}

void Lane::Run() {
  Piece piece;
  while (Take(/*wait=*/true, &piece)) {
    piece.run();
    piece = Piece();
    bool idle = false;
    {
      MutexLock lock(&mutex_);
      idle = queue_.empty();
    }
    // Still busy: what is done now keeps the process from ending.
    if (idle && idle_) idle_();
    MutexLock lock(&mutex_);
    busy_ = false;
  }
}

void Lane::Stop() {
  std::deque<Piece> dropped;
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    std::deque<Piece> kept;
    for (Piece& piece : queue_) {
      (piece.always ? kept : dropped).push_back(std::move(piece));
    }
    queue_.swap(kept);
    changed_.NotifyAll();
  }
  for (Piece& piece : dropped) piece.drop(Why::kStopping);
}

size_t Lane::waiting() {
  MutexLock lock(&mutex_);
  return queue_.size();
}

bool Lane::busy() {
  MutexLock lock(&mutex_);
  return busy_;
}

}  // namespace tactus::daemon
