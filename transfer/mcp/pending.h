// The requests of one agent that are not answered yet, so that each can be
// ended when who would have answered it is gone.
//
// Example:
//
//   PendingRequests pending;
//   pending.Add("7", PendingRequests::Sent::kMaybe);
//   pending.Answered("7.0");                     // the same number
//   for (const auto& request : pending.TakeAll()) Tell(request.id);
//
// Not thread-safe.
#ifndef TACTUS_TRANSFER_MCP_PENDING_H_
#define TACTUS_TRANSFER_MCP_PENDING_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tactus::transfer {

class PendingRequests {
 public:
  // Ids that are kept. A request that is never answered stays here, so a long
  // session may come to have many; beyond these the oldest is forgotten, and
  // would not be ended.
  static constexpr size_t kMost = size_t{1} << 16;
  static constexpr size_t kMostBytes = size_t{8} << 20;

  enum class Sent {
    kNo,     // not a byte of its end was: it was not carried out
    kMaybe,  // nobody knows what became of it
  };
  struct Request {
    std::string id;  // as the agent wrote it
    Sent sent = Sent::kMaybe;
  };

  void Add(absl::string_view id, Sent sent);
  // The oldest request of this id, if there is one, is over.
  void Answered(absl::string_view id);
  // All that are left, in the order in which they were added; none is then.
  std::vector<Request> TakeAll();

  size_t size() const { return order_.size(); }
  int64_t forgotten() const { return forgotten_; }

 private:
  struct Entry {
    std::string key;
    Request request;
  };
  using Order = std::list<Entry>;

  void Remove(Order::iterator entry);

  Order order_;
  std::multimap<std::string, Order::iterator> by_key_;
  size_t bytes_ = 0;
  int64_t forgotten_ = 0;
};

// The line that ends a request whose answer will not come: an error of
// JSON-RPC, with what happened as its message.
std::string EndedLine(const PendingRequests::Request& request,
                      absl::string_view what_happened);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_PENDING_H_
