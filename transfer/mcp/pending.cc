#include "transfer/mcp/pending.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "transfer/mcp/id_scanner.h"

namespace tactus::transfer {
namespace {

// Of the range of codes that has no shared meaning.
constexpr int kConnectionEnded = -32000;

// ASCII as a JSON string.
std::string Quoted(absl::string_view text) {
  std::string json = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      json.push_back('\\');
      json.push_back(byte);
    } else if (absl::ascii_isprint(static_cast<unsigned char>(byte))) {
      json.push_back(byte);
    } else {
      absl::StrAppendFormat(
          &json, "\\u%04x",
          static_cast<uint32_t>(static_cast<unsigned char>(byte)));
    }
  }
  json.push_back('"');
  return json;
}

}  // namespace

void PendingRequests::Add(absl::string_view id, Sent sent) {
  Entry entry{IdKey(id), {std::string(id), sent}};
  bytes_ += entry.key.size() + entry.request.id.size();
  order_.push_back(std::move(entry));
  const auto last = std::prev(order_.end());
  by_key_.emplace(last->key, last);
  while (order_.size() > kMost || bytes_ > kMostBytes) {
    Remove(order_.begin());
    ++forgotten_;
  }
}

void PendingRequests::Answered(absl::string_view id) {
  // Of one key they stand in the order in which they were added.
  const auto found = by_key_.lower_bound(IdKey(id));
  if (found != by_key_.end() && found->first == IdKey(id)) {
    Remove(found->second);
  }
}

void PendingRequests::Remove(Order::iterator entry) {
  const auto [begin, end] = by_key_.equal_range(entry->key);
  for (auto it = begin; it != end; ++it) {
    if (it->second == entry) {
      by_key_.erase(it);
      break;
    }
  }
  bytes_ -= entry->key.size() + entry->request.id.size();
  order_.erase(entry);
}

std::vector<PendingRequests::Request> PendingRequests::TakeAll() {
  std::vector<Request> all;
  for (Entry& entry : order_) all.push_back(std::move(entry.request));
  order_.clear();
  by_key_.clear();
  bytes_ = 0;
  return all;
}

std::string EndedLine(const PendingRequests::Request& request,
                      absl::string_view what_happened) {
  const bool sent = request.sent == PendingRequests::Sent::kMaybe;
  return absl::StrCat(
      "{\"jsonrpc\":\"2.0\",\"id\":", request.id,
      ",\"error\":{\"code\":", kConnectionEnded, ",\"message\":",
      Quoted(absl::StrCat(what_happened,
                          sent ? ": the request may have been carried out, and "
                                 "is not sent again"
                               : ": the request was not sent")),
      ",\"data\":{\"sent\":", sent ? "\"maybe\"" : "\"no\"", "}}}\n");
}

}  // namespace tactus::transfer
