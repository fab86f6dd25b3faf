#include "ax/atspi/writer.h"

#include <systemd/sd-bus.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/atspi/quirks.h"
#include "ax/atspi/reader.h"
#include "ax/server/server.h"
#include "ax/text/offsets.h"
#include "ax/text/slice.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Of offsets and lengths on the wire. Room is left, since an application may
// add to what it is given.
constexpr int64_t kMaxOffset = INT32_MAX - 1024;

// Positions of code points in what the toolkit counts.
class Positions {
 public:
  Positions(OffsetUnit unit, std::string_view text)
      : unit_(unit), text_(text), map_(text) {}

  // Absent: it lies beyond the text, so it cannot be told.
  std::optional<int64_t> Of(int64_t code_point) {
    if (unit_ == OffsetUnit::kCodePoint) return code_point;
    const ConvertedOffset offset =
        map_.Utf16FromCodePoint(static_cast<size_t>(code_point));
    if (!offset.exact) return std::nullopt;
    return static_cast<int64_t>(offset.offset);
  }

 private:
  OffsetUnit unit_;
  std::string_view text_;
  OffsetMap map_;
};

int64_t LengthIn(LengthUnit unit, std::string_view text) {
  switch (unit) {
    case LengthUnit::kBytes:
      return static_cast<int64_t>(text.size());
    case LengthUnit::kUtf16:
      return static_cast<int64_t>(Utf16Length(text));
  }
  return static_cast<int64_t>(text.size());
}

// The first code point that no D-Bus message of ours can carry. sd-bus takes
// noncharacters for no text (systemd 252, src/basic/utf8.c), though Unicode
// lets them be interchanged (corrigendum 9).
std::optional<char32_t> FirstNoncharacter(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(AsciiPrefixLength(text));
    if (text.empty()) break;
    const DecodedCodePoint next = DecodeOne(text);
    text.remove_prefix(next.size);
    const char32_t c = next.code_point;
    if ((c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE) return c;
  }
  return std::nullopt;
}

absl::Status CheckArguments(const WriteRequest& request) {
  const Range range = request.range;
  if (range.begin < 0 || range.begin > range.end || range.end > kMaxOffset) {
    return absl::InvalidArgumentError(
        absl::StrCat("the range ", range.begin, ":", range.end,
                     " is none that an application can have"));
  }
  if (request.caret.has_value() &&
      (*request.caret < 0 || *request.caret > kMaxOffset)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the caret ", *request.caret, " is none that an application can have"));
  }
  if (!IsValidUtf8(request.text)) {
    return absl::InvalidArgumentError("the text is not valid UTF-8");
  }
  if (request.text.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("the text holds a zero");
  }
  if (const std::optional<char32_t> c = FirstNoncharacter(request.text)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the text holds the noncharacter U+", absl::Hex(*c, absl::kZeroPad4),
        ", which D-Bus does not carry: leave it out"));
  }
  if (request.text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a text of ", request.text.size(), " bytes is more than ",
                     "one message carries: at most ", kMaxTextBytes));
  }
  return absl::OkStatus();
}

class Writer {
 public:
  Writer(Applications& applications, Traffic* traffic,
         const WriteRequest& request, absl::Time deadline)
      : applications_(applications),
        traffic_(traffic),
        request_(request),
        deadline_(deadline),
        flight_(traffic) {}

  WriteResult Run() {
    if (absl::Status s = CheckArguments(request_); !s.ok()) return {false, s};
    if (request_.kind == WriteRequest::Kind::kReplaceRange &&
        request_.range.empty() && request_.text.empty()) {
      return {false, absl::OkStatus()};
    }
    absl::StatusOr<AppPtr> app =
        applications_.ByName(request_.element.application, deadline_);
    if (!app.ok()) return {false, app.status()};
    app_ = *std::move(app);
    if (app_->quirks == nullptr) {
      return {false, absl::UnavailableError("it is no application")};
    }
    if (request_.kind != WriteRequest::Kind::kSelect &&
        !app_->quirks->writes_land) {
      return {false,
              absl::UnimplementedError(absl::StrCat(
                  app_->info.name,
                  " takes no text through accessibility, or is not known to"))};
    }
    if (absl::Status s = Plan(); !s.ok()) return {false, s};
    for (int call = 0; call < flight_.size(); ++call) {
      if (!flight_.status(call).ok()) {
        return {false, absl::InvalidArgumentError(
                           absl::StrCat("the text cannot be sent over D-Bus: ",
                                        flight_.status(call).message()))};
      }
    }
    const bool any_will_do = request_.kind == WriteRequest::Kind::kSelect;
    int answered = 0;
    bool done = false;
    absl::Status failed;
    flight_.Run(deadline_, [&](int call) {
      // The caret's answer is not waited for: what is read afterwards comes
      // after it.
      if (call >= needed_) return false;
      const absl::Status said = Said(call);
      if (failed.ok()) failed = said;
      done |= said.ok();
      return ++answered == needed_ || (any_will_do && done);
    });
    if (any_will_do && done) return {true, absl::OkStatus()};
    // What is not answered may still be done, whatever the others say.
    if (answered < needed_) {
      return {true, absl::DeadlineExceededError(absl::StrCat(
                        app_->info.name, " did not answer the write"))};
    }
    return {true, failed};
  }

 private:
  absl::Status Plan() {
    const OffsetUnit unit = app_->quirks->offsets;
    // As far as positions are needed.
    int64_t reach = request_.range.end;
    if (request_.kind == WriteRequest::Kind::kSetValue) reach = 0;
    std::string read;
    std::string_view known(request_.known.data(), request_.known.size());
    if (unit != OffsetUnit::kCodePoint && CodePointLength(known) < reach) {
      const ReadRequest prefix{request_.element, Attribute::kText, {0, reach}};
      absl::StatusOr<std::string> text = Get<std::string>(
          ReadAttributes(applications_, traffic_, {&prefix, 1}, deadline_)
              .front());
      if (!text.ok()) return text.status();
      read = *std::move(text);
      known = read;
    }
    Positions positions(unit, known);
    const std::optional<int64_t> begin = positions.Of(request_.range.begin);
    const std::optional<int64_t> end = positions.Of(request_.range.end);
    if (!begin.has_value() || !end.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the range ", request_.range.begin, ":",
                       request_.range.end, " is not within the text"));
    }
    switch (request_.kind) {
      case WriteRequest::Kind::kSetValue:
        AddSetValue();
        needed_ = 1;
        return absl::OkStatus();
      case WriteRequest::Kind::kSelect:
        AddSelect(*begin, *end);
        needed_ = flight_.size();
        return absl::OkStatus();
      case WriteRequest::Kind::kReplaceRange:
        break;
    }
    if (*begin < *end) AddDelete(*begin, *end);
    if (!request_.text.empty()) AddInsert(*begin);
    needed_ = flight_.size();
    if (!request_.caret.has_value()) return absl::OkStatus();
    const int64_t caret = *request_.caret;
    const std::string& text = request_.text;
    const int64_t length = CodePointLength(text);
    std::optional<int64_t> where;
    if (caret <= request_.range.begin) {
      where = positions.Of(caret);
    } else if (caret <= request_.range.begin + length) {
      Positions within(unit, text);
      where = within.Of(caret - request_.range.begin);
      if (where.has_value()) *where += *begin;
    } else {
      where = positions.Of(caret - length + request_.range.length());
      Positions within(unit, text);
      if (where.has_value()) {
        *where += within.Of(length).value_or(length) - (*end - *begin);
      }
    }
    // One that cannot be told is left where the application puts it.
    if (where.has_value()) AddCaret(*where);
    return absl::OkStatus();
  }

  int Add(const char* interface, const char* member,
          absl::FunctionRef<int(sd_bus_message*)> append) {
    return flight_.Add(applications_.Route(*app_),
                       Call{request_.element.application, request_.element.path,
                            interface, member},
                       append);
  }

  void AddDelete(int64_t begin, int64_t end) {
    Add(kEditableText, "DeleteText", [&](sd_bus_message* m) {
      return sd_bus_message_append(m, "ii", static_cast<int32_t>(begin),
                                   static_cast<int32_t>(end));
    });
  }

  void AddInsert(int64_t at) {
    const int64_t length = LengthIn(app_->quirks->lengths, request_.text);
    Add(kEditableText, "InsertText", [&](sd_bus_message* m) {
      return sd_bus_message_append(m, "isi", static_cast<int32_t>(at),
                                   request_.text.c_str(),
                                   static_cast<int32_t>(length));
    });
  }

  void AddSetValue() {
    Add(kEditableText, "SetTextContents", [&](sd_bus_message* m) {
      return sd_bus_message_append(m, "s", request_.text.c_str());
    });
  }

  void AddCaret(int64_t at) {
    Add(kText, "SetCaretOffset", [&](sd_bus_message* m) {
      return sd_bus_message_append(m, "i", static_cast<int32_t>(at));
    });
  }

  // A toolkit takes the one where something is selected already and the other
  // where nothing is, or either, or answers one of them never.
  void AddSelect(int64_t begin, int64_t end) {
    if (begin == end) {
      AddCaret(begin);
      return;
    }
    const SelectBy by = app_->quirks->select;
    if (by == SelectBy::kCaretThenAdd) AddCaret(begin);
    if (by != SelectBy::kSet) {
      Add(kText, "AddSelection", [&](sd_bus_message* m) {
        return sd_bus_message_append(m, "ii", static_cast<int32_t>(begin),
                                     static_cast<int32_t>(end));
      });
    }
    if (by != SelectBy::kCaretThenAdd) {
      Add(kText, "SetSelection", [&](sd_bus_message* m) {
        return sd_bus_message_append(m, "iii", int32_t{0},
                                     static_cast<int32_t>(begin),
                                     static_cast<int32_t>(end));
      });
    }
  }

  // What the application said of one call.
  absl::Status Said(int call) {
    if (!flight_.status(call).ok()) return flight_.status(call);
    const absl::StatusOr<bool> done = DecodeBool(flight_.reply(call));
    if (!done.ok()) return done.status();
    if (*done) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(app_->info.name, " answers that it did not do it"));
  }

  Applications& applications_;
  Traffic* traffic_;
  const WriteRequest& request_;
  const absl::Time deadline_;
  AppPtr app_;
  Flight flight_;
  int needed_ = 0;  // of the calls, from the first: those that are waited for
};

}  // namespace

WriteResult WriteElement(Applications& applications, Traffic* traffic,
                         const WriteRequest& request, absl::Time deadline) {
  return Writer(applications, traffic, request, deadline).Run();
}

}  // namespace tactus::ax::atspi
