#include "ax/mock/dbus/editing.h"

#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/mock/code_points.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr absl::string_view kEditing[] = {"SetTextContents", "InsertText",
                                          "DeleteText"};
constexpr absl::string_view kPlacing[] = {"SetCaretOffset", "AddSelection",
                                          "SetSelection", "RemoveSelection"};
// Enough junk to be seen, and no more than a test can bear.
constexpr int64_t kMostJunk = 4096;

// What a length lets in, in the toolkit's units.
std::string Within(const std::string& text, int64_t length, bool utf16) {
  if (!utf16) {
    // The last character may be cut; its bytes are not UTF-8 any more.
    const std::string cut =
        text.substr(0, static_cast<size_t>(std::max<int64_t>(length, 0)));
    return EncodeUtf8(DecodeUtf8(cut));
  }
  std::u32string out;
  for (const char32_t point : DecodeUtf8(text)) {
    if (length <= 0) break;
    const bool pair = point > 0xFFFF;
    out += pair && length == 1 ? 0xD800 + ((point - 0x10000) >> 10) : point;
    length -= pair ? 2 : 1;
  }
  // Qt resizes the text to the length, whatever is in the memory there.
  out.append(static_cast<size_t>(std::clamp<int64_t>(length, 0, kMostJunk)),
             0xFFFD);
  return EncodeUtf8(out);
}

}  // namespace

bool IsEdit(absl::string_view interface, absl::string_view member) {
  const auto among = [&](const auto& members) {
    return std::find(std::begin(members), std::end(members), member) !=
           std::end(members);
  };
  return (interface == "org.a11y.atspi.EditableText" && among(kEditing)) ||
         (interface == "org.a11y.atspi.Text" && among(kPlacing));
}

absl::StatusOr<EditCall> ReadEdit(sd_bus_message* m, absl::string_view member) {
  EditCall edit;
  edit.member = std::string(member);
  const char* text = "";
  int32_t index = 0;
  int32_t begin = 0;
  int32_t end = 0;
  const char* types = nullptr;
  const auto takes = [&](const char* signature) {
    types = signature;
    const char* came = sd_bus_message_get_signature(m, 1);
    return came != nullptr && absl::string_view(came) == types;
  };
  int r = -1;
  if (member == "SetTextContents") {
    if (takes("s")) r = sd_bus_message_read(m, types, &text);
  } else if (member == "InsertText") {
    if (takes("isi")) r = sd_bus_message_read(m, types, &begin, &text, &end);
    edit.length = end;
    end = begin;
  } else if (member == "SetCaretOffset") {
    if (takes("i")) r = sd_bus_message_read(m, types, &begin);
    end = begin;
  } else if (member == "RemoveSelection") {
    if (takes("i")) r = sd_bus_message_read(m, types, &index);
  } else if (member == "SetSelection") {
    if (takes("iii")) r = sd_bus_message_read(m, types, &index, &begin, &end);
  } else {  // DeleteText, AddSelection
    if (takes("ii")) r = sd_bus_message_read(m, types, &begin, &end);
  }
  if (r < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(edit.member, " takes ", types));
  }
  edit.index = index;
  edit.units = {begin, end};
  edit.text = text;
  return edit;
}

void Fill(const EditCall& edit, const Node* node, const Manners& manners,
          Message& message) {
  static const std::u32string& kNothing = *new std::u32string();
  const std::u32string& text = node == nullptr ? kNothing : node->text;
  message.range = {ToPoints(text, edit.units.begin, manners.utf16),
                   ToPoints(text, edit.units.end, manners.utf16)};
  message.text = edit.text;
  if (edit.member == "SetTextContents") {
    message.what = Change::kSetValue;
  } else if (edit.member == "InsertText") {
    message.what = Change::kInsert;
    message.text = Within(edit.text, edit.length, manners.utf16_length);
  } else if (edit.member == "DeleteText") {
    message.what = Change::kDelete;
  } else if (edit.member == "SetCaretOffset") {
    message.what = Change::kSetCaret;
  } else {
    message.what = Change::kSelect;
    if (edit.member == "RemoveSelection" && node != nullptr) {
      message.range = {node->caret, node->caret};
    }
  }
}

Verdict VerdictOn(const EditCall& edit, const Node* node,
                  const Manners& manners) {
  if (node == nullptr) return Verdict::kDone;
  const bool adds = edit.member == "AddSelection";
  if (adds && manners.area_never_selects &&
      node->role.role == Role::kTextArea) {
    return Verdict::kNever;
  }
  const bool changes =
      edit.member == "SetSelection" || edit.member == "RemoveSelection";
  if (changes && edit.index != 0) return Verdict::kRefused;
  if (manners.one_selection && (adds || changes) &&
      node->selection.has_value() == adds) {
    return Verdict::kRefused;
  }
  return Verdict::kDone;
}

}  // namespace tactus::ax::mock
