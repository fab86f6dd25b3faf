#include "ax/macos/writer.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/macos/reader.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

absl::Status Check(const WriteRequest& request) {
  const Range range = request.range;
  if (request.kind != WriteRequest::Kind::kSetValue &&
      (range.begin < 0 || range.end < range.begin)) {
    return absl::InvalidArgumentError("offsets negative or out of order");
  }
  if (request.kind == WriteRequest::Kind::kReplaceRange &&
      request.caret.value_or(0) < 0) {
    return absl::InvalidArgumentError("the caret is negative");
  }
  if (request.kind == WriteRequest::Kind::kSelect) return absl::OkStatus();
  if (!IsValidUtf8(request.text)) {
    return absl::InvalidArgumentError("the text is not valid UTF-8");
  }
  if (request.text.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("the text holds a zero");
  }
  if (static_cast<int64_t>(request.text.size()) > kMaxTextUnits) {
    return absl::InvalidArgumentError("the text is longer than is sent");
  }
  return absl::OkStatus();
}

// What an application says of a change that it did not make.
absl::Status Said(const absl::Status& status) {
  if (absl::IsUnimplemented(status) || absl::IsNotFound(status) ||
      absl::IsDataLoss(status)) {
    return absl::FailedPreconditionError(status.message());
  }
  return status;
}

class Writer {
 public:
  Writer(Calls& calls, ElementTable& table, const WriteRequest& request,
         absl::Time deadline)
      : calls_(calls), table_(table), request_(request), deadline_(deadline) {}

  WriteResult Run() {
    if (absl::Status wrong = Check(request_); !wrong.ok()) {
      return {false, wrong};
    }
    element_ = table_.Find(request_.element);
    if (!element_) {
      return {false,
              absl::UnavailableError("no such element, or not any more")};
    }
    switch (request_.kind) {
      case WriteRequest::Kind::kSetValue:
        return SetValue();
      case WriteRequest::Kind::kSelect:
        return SelectOnly();
      case WriteRequest::Kind::kReplaceRange:
        return Replace();
    }
    return {false, absl::InvalidArgumentError("no such write")};
  }

 private:
  static Name RangeName() {
    return {kAXSelectedTextRangeAttribute, "AXSelectedTextRange"};
  }

  // The range in UTF-16 units.
  absl::StatusOr<Range> UnitRange() {
    const auto reach = static_cast<size_t>(request_.range.end);
    std::string_view known(request_.known.data(), request_.known.size());
    std::string read;
    OffsetMap map(known);
    if (!map.Utf16FromCodePoint(reach).exact) {
      ElementReader reader(&calls_, &table_, element_,
                           request_.element.application, deadline_);
      const absl::StatusOr<UnitText*> text = reader.Text();
      if (!text.ok()) return text.status();
      read = (*text)->utf8();
      map = OffsetMap(read);
    }
    const ConvertedOffset begin =
        map.Utf16FromCodePoint(static_cast<size_t>(request_.range.begin));
    const ConvertedOffset end = map.Utf16FromCodePoint(reach);
    if (!begin.exact || !end.exact) {
      return absl::InvalidArgumentError(
          absl::StrCat("the range ", request_.range.begin, ":",
                       request_.range.end, " is not within the text"));
    }
    return Range{static_cast<int64_t>(begin.offset),
                 static_cast<int64_t>(end.offset)};
  }

  absl::Status Select(Range units) {
    const Ref<AXValueRef> range = RangeFrom(units.begin, units.length());
    if (!range) return absl::UnavailableError("no memory");
    return calls_.Set(element_.get(), RangeName(), range.get(), deadline_,
                      &sent_);
  }

  WriteResult SetValue() {
    const Ref<CFStringRef> text = StringFrom(ToUtf16(request_.text));
    if (!text) return {false, absl::UnavailableError("no memory")};
    const absl::Status status =
        calls_.Set(element_.get(), {kAXValueAttribute, "AXValue"}, text.get(),
                   deadline_, &sent_);
    return {sent_, Said(status)};
  }

  WriteResult SelectOnly() {
    const absl::StatusOr<Range> units = UnitRange();
    if (!units.ok()) return {false, units.status()};
    const absl::Status status = Select(*units);
    return {sent_, Said(status)};
  }

  WriteResult Replace() {
    if (request_.range.empty() && request_.text.empty()) {
      return {false, absl::OkStatus()};
    }
    const Name selected = {kAXSelectedTextAttribute, "AXSelectedText"};
    // All that can fail without a change comes first.
    const std::u16string units = ToUtf16(request_.text);
    const Ref<CFStringRef> text = StringFrom(units);
    if (!text) return {false, absl::UnavailableError("no memory")};
    const absl::StatusOr<Range> range = UnitRange();
    if (!range.ok()) return {false, range.status()};
    const absl::StatusOr<bool> settable =
        calls_.IsSettable(element_.get(), selected, deadline_);
    if (absl::IsUnimplemented(settable.status()) ||
        absl::IsNotFound(settable.status()) || (settable.ok() && !*settable)) {
      return {false, absl::UnimplementedError(
                         "the element takes no text in place of a selection")};
    }
    if (!settable.ok()) return {false, settable.status()};

    absl::Status status = Select(*range);
    if (!status.ok()) return {sent_, Said(status)};
    ElementReader reader(&calls_, &table_, element_,
                         request_.element.application, deadline_);
    const absl::StatusOr<Range> shown = reader.SelectedUnits();
    if (!shown.ok()) {
      Collapse(*range);
      return {true, Said(shown.status())};
    }
    if (!(*shown == *range)) {
      // It may only show late: then what we set is selected all the same.
      Collapse(*range);
      return {true, absl::FailedPreconditionError(
                        "the application does not select what is replaced")};
    }
    status =
        calls_.Set(element_.get(), selected, text.get(), deadline_, &sent_);
    if (!status.ok()) {
      if (!absl::IsDeadlineExceeded(status)) Collapse(*range);
      return {true, Said(status)};
    }
    PlaceCaret(*range, static_cast<int64_t>(units.size()));
    return {true, absl::OkStatus()};
  }

  // A wish: who must know reads where the caret is.
  void PlaceCaret(Range range, int64_t length) {
    if (!request_.caret.has_value()) return;
    const int64_t begin = request_.range.begin;
    const auto points = static_cast<int64_t>(CodePointCount(request_.text));
    // Elsewhere it could not be converted without reading the text anew.
    if (*request_.caret < begin || *request_.caret > begin + points) return;
    int64_t caret = range.begin + length;
    if (*request_.caret < begin + points) {
      OffsetMap map(request_.text);
      caret =
          range.begin + static_cast<int64_t>(
                            map.Utf16FromCodePoint(
                                   static_cast<size_t>(*request_.caret - begin))
                                .offset);
    }
    Select({caret, caret}).IgnoreError();
  }

  // What is typed next must not replace what we had selected.
  void Collapse(Range range) {
    if (range.empty()) return;
    Select({range.end, range.end}).IgnoreError();
  }

  Calls& calls_;
  ElementTable& table_;
  const WriteRequest& request_;
  const absl::Time deadline_;
  Ref<AXUIElementRef> element_;
  bool sent_ = false;
};

}  // namespace

WriteResult WriteElement(Calls& calls, ElementTable& table,
                         const WriteRequest& request, absl::Time deadline) {
  return Writer(calls, table, request, deadline).Run();
}

}  // namespace tactus::ax::macos
