// The parameters of one request, read strictly: whatever is asked for is known,
// anything else is an error that names it.
//
// Used for every method, by calls.h and by the modules of the daemon, so that a
// mistake is told alike everywhere.
//
// Example:
//
//   Params params(*request.params);
//   PairCall call;
//   params.String("code", &call.code);
//   if (!params.Has("code")) params.Wrong("code", "there");
//   if (std::optional<Error> error = params.End()) return *error;
//
// The first thing that is wrong is the one that is told. An absent parameter
// leaves `*out` as it is.
#ifndef TACTUS_TOOLS_CONTROL_PARAMS_H_
#define TACTUS_TOOLS_CONTROL_PARAMS_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {

class Params {
 public:
  // `given` must outlive it.
  explicit Params(const boost::json::object& given) : given_(given) {}

  bool Has(const char* name) { return Find(name) != nullptr; }

  void Flag(const char* name, bool* out);
  void Number(const char* name, int64_t least, int64_t most, int64_t* out);
  void Milliseconds(const char* name, absl::Duration most, absl::Duration* out);
  void String(const char* name, std::string* out);
  // One to `most` strings.
  void Strings(const char* name, size_t most, std::vector<std::string>* out);

  // The value as it was given; null where it was not.
  const boost::json::value* Find(const char* name);

  // `wanted` completes "it must be".
  void Wrong(absl::string_view name, absl::string_view wanted);
  void Fail(std::string message);

  // What was wrong, or a parameter that nobody asked for.
  std::optional<Error> End();

 private:
  const boost::json::object& given_;
  std::set<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_PARAMS_H_
