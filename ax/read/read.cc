#include "ax/read/read.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

bool HasTypeOf(Attribute attribute, const Value& value) {
  switch (attribute) {
    case Attribute::kRole:
    case Attribute::kSubrole:
      return std::holds_alternative<RoleValue>(value);
    case Attribute::kStates:
    case Attribute::kCharacterCount:
    case Attribute::kCaret:
      return std::holds_alternative<int64_t>(value);
    case Attribute::kValueSettable:
    case Attribute::kSelectionSettable:
      return std::holds_alternative<bool>(value);
    case Attribute::kWindow:
      return std::holds_alternative<Element>(value);
    case Attribute::kText:
    case Attribute::kSelectedText:
      return std::holds_alternative<std::string>(value);
    case Attribute::kSelection:
      return std::holds_alternative<Range>(value);
  }
  return false;
}

Reading Checked(Attribute attribute, Reading reading) {
  if (!reading.ok() || HasTypeOf(attribute, *reading)) return reading;
  return absl::DataLossError(
      absl::StrCat("the server answered a value of the wrong type for ",
                   AttributeName(attribute)));
}

}  // namespace

ReadResult ReadAll(Server& server, absl::Span<const ReadRequest> requests,
                   absl::Time deadline) {
  ReadResult result;
  result.readings.reserve(requests.size());
  if (requests.empty()) return result;

  absl::StatusOr<std::vector<Reading>> batch =
      server.ReadMany(requests, deadline);
  if (batch.ok() && batch->size() == requests.size()) {
    for (size_t i = 0; i < requests.size(); ++i) {
      result.readings.push_back(
          Checked(requests[i].attribute, std::move((*batch)[i])));
    }
    return result;
  }
  if (absl::IsDeadlineExceeded(batch.status()) ||
      absl::IsUnavailable(batch.status())) {
    result.readings.assign(requests.size(), batch.status());
    return result;
  }

  // A batch of the wrong length cannot be matched to its requests, so none of
  // it is believed.
  result.batched = false;
  for (const ReadRequest& request : requests) {
    result.readings.push_back(
        Checked(request.attribute, server.Read(request, deadline)));
  }
  return result;
}

}  // namespace tactus::ax
