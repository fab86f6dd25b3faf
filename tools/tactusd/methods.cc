#include "tools/tactusd/methods.h"

#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/control/json_rpc.h"

namespace tactus::daemon {

control::Error NotDone(const absl::Status& status) {
  return {control::Code::kNotDone, std::string(status.message()), status};
}

void Methods::AddBrief(const std::string& name, Brief run) {
  brief_[name] = std::move(run);
}

void Methods::AddLong(const std::string& name, Long run) {
  long_[name] = std::move(run);
}

void Methods::AddBegun(const std::string& name, Begin begin) {
  begun_[name] = std::move(begin);
}

void Methods::Refuse(const std::string& prefix, const absl::Status& why) {
  refused_[prefix] = NotDone(why);
}

void Methods::AddStatus(const std::string& member,
                        std::function<std::string()> value) {
  for (auto& [name, held] : status_) {
    if (name != member) continue;
    held = std::move(value);
    return;
  }
  status_.emplace_back(member, std::move(value));
}

const Methods::Brief* Methods::FindBrief(const std::string& name) const {
  const auto found = brief_.find(name);
  return found == brief_.end() ? nullptr : &found->second;
}

Methods::Long Methods::StartLong(const std::string& name,
                                 const boost::json::object& params) const {
  if (const auto found = begun_.find(name); found != begun_.end()) {
    return found->second(params);
  }
  const auto found = long_.find(name);
  return found == long_.end() ? nullptr : found->second;
}

const control::Error* Methods::FindRefusal(const std::string& name) const {
  for (const auto& [prefix, error] : refused_) {
    if (absl::StartsWith(name, prefix)) return &error;
  }
  return nullptr;
}

std::string Methods::StatusMembers() const {
  std::string members;
  for (const auto& [name, value] : status_) {
    absl::StrAppend(&members, ",", control::Quoted(name), ":", value());
  }
  return members;
}

}  // namespace tactus::daemon
