// Members of what a daemon answered, and texts to put into what it is asked.
//
// Example:
//
//   const absl::StatusOr<control::Answer> answer = client.Call(...);
//   const std::string name = TextOf(ResultOf(*answer), "name");
//   object params{{"peer", Json(name)}};
//
// A member that is not there, or is another than wanted, reads as empty: both
// ends are of the same version, and most of what is said is only shown.
#ifndef TACTUS_TOOLS_CONTROL_MEMBERS_H_
#define TACTUS_TOOLS_CONTROL_MEMBERS_H_

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {

// Null where it is no object.
const boost::json::object* ResultOf(const Answer& answer);
const boost::json::object* ObjectOf(const boost::json::object* from,
                                    const char* name);
const boost::json::array* ArrayOf(const boost::json::object* from,
                                  const char* name);
std::string TextOf(const boost::json::object* from, const char* name);
int64_t NumberOf(const boost::json::object* from, const char* name);
bool FlagOf(const boost::json::object* from, const char* name);

boost::json::value Json(absl::string_view text);

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_MEMBERS_H_
