#include "ax/atspi/protocol.h"

#include <systemd/sd-bus.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

absl::Status Malformed(absl::string_view expected) {
  return absl::DataLossError(
      absl::StrCat("the application's reply is not of the type ", expected));
}

absl::Status TooMany(size_t limit) {
  return absl::DataLossError(
      absl::StrCat("the application answered more than ", limit, " items"));
}

// True when the reply's whole body has `signature`.
bool Is(sd_bus_message* m, const char* signature) {
  const char* actual = sd_bus_message_get_signature(m, 1);
  return actual != nullptr && strcmp(actual, signature) == 0;
}

// Opens a variant whose contents are `contents`.
bool EnterVariant(sd_bus_message* m, const char* contents) {
  return Is(m, "v") &&
         sd_bus_message_enter_container(m, SD_BUS_TYPE_VARIANT, contents) > 0;
}

int ReadReference(sd_bus_message* m, Reference& out) {
  const char* name = nullptr;
  const char* path = nullptr;
  const int r = sd_bus_message_read(m, "(so)", &name, &path);
  if (r > 0) {
    out.application = name;
    out.path = path;
  }
  return r;
}

absl::StatusOr<std::string> ReadText(sd_bus_message* m) {
  const char* text = nullptr;
  const int r = sd_bus_message_read_basic(m, 's', &text);
  if (r == -EBADMSG) {
    return absl::DataLossError(
        "the application's text holds what sd-bus hands out to nobody: bytes "
        "that are no UTF-8, or a Unicode noncharacter such as U+FFFE");
  }
  if (r <= 0) return Malformed("s");
  const size_t size = strlen(text);
  if (size > kMaxTextBytes) {
    return absl::DataLossError(
        absl::StrCat("the application answered a text of ", size,
                     " bytes; at most ", kMaxTextBytes, " are taken"));
  }
  return std::string(text, size);
}

States InterfaceBit(absl::string_view name) {
  if (name == kText) return kStateSupportsText;
  if (name == "org.a11y.atspi.EditableText") return kStateSupportsEditing;
  return 0;
}

int ReadStateWords(sd_bus_message* m, States& out) {
  const void* words = nullptr;
  size_t bytes = 0;
  const int r = sd_bus_message_read_array(m, 'u', &words, &bytes);
  if (r < 0) return r;
  uint32_t pair[2] = {0, 0};
  memcpy(pair, words, bytes < sizeof(pair) ? bytes : sizeof(pair));
  out = StatesFromWords(pair[0], pair[1]);
  return 1;
}

constexpr const char* kRoleNames[] = {"invalid",
                                      "accelerator-label",
                                      "alert",
                                      "animation",
                                      "arrow",
                                      "calendar",
                                      "canvas",
                                      "check-box",
                                      "check-menu-item",
                                      "color-chooser",
                                      "column-header",
                                      "combo-box",
                                      "date-editor",
                                      "desktop-icon",
                                      "desktop-frame",
                                      "dial",
                                      "dialog",
                                      "directory-pane",
                                      "drawing-area",
                                      "file-chooser",
                                      "filler",
                                      "focus-traversable",
                                      "font-chooser",
                                      "frame",
                                      "glass-pane",
                                      "html-container",
                                      "icon",
                                      "image",
                                      "internal-frame",
                                      "label",
                                      "layered-pane",
                                      "list",
                                      "list-item",
                                      "menu",
                                      "menu-bar",
                                      "menu-item",
                                      "option-pane",
                                      "page-tab",
                                      "page-tab-list",
                                      "panel",
                                      "password-text",
                                      "popup-menu",
                                      "progress-bar",
                                      "push-button",
                                      "radio-button",
                                      "radio-menu-item",
                                      "root-pane",
                                      "row-header",
                                      "scroll-bar",
                                      "scroll-pane",
                                      "separator",
                                      "slider",
                                      "spin-button",
                                      "split-pane",
                                      "status-bar",
                                      "table",
                                      "table-cell",
                                      "table-column-header",
                                      "table-row-header",
                                      "tearoff-menu-item",
                                      "terminal",
                                      "text",
                                      "toggle-button",
                                      "tool-bar",
                                      "tool-tip",
                                      "tree",
                                      "tree-table",
                                      "unknown",
                                      "viewport",
                                      "window",
                                      "extended",
                                      "header",
                                      "footer",
                                      "paragraph",
                                      "ruler",
                                      "application",
                                      "autocomplete",
                                      "editbar",
                                      "embedded",
                                      "entry",
                                      "chart",
                                      "caption",
                                      "document-frame",
                                      "heading",
                                      "page",
                                      "section",
                                      "redundant-object",
                                      "form",
                                      "link",
                                      "input-method-window",
                                      "table-row",
                                      "tree-item",
                                      "document-spreadsheet",
                                      "document-presentation",
                                      "document-text",
                                      "document-web",
                                      "document-email",
                                      "comment",
                                      "list-box",
                                      "grouping",
                                      "image-map",
                                      "notification",
                                      "info-bar",
                                      "level-bar",
                                      "title-bar",
                                      "block-quote",
                                      "audio",
                                      "video",
                                      "definition",
                                      "article",
                                      "landmark",
                                      "log",
                                      "marquee",
                                      "math",
                                      "rating",
                                      "timer",
                                      "static",
                                      "math-fraction",
                                      "math-root",
                                      "subscript",
                                      "superscript",
                                      "description-list",
                                      "description-term",
                                      "description-value",
                                      "footnote",
                                      "content-deletion",
                                      "content-insertion",
                                      "mark",
                                      "suggestion",
                                      "push-button-menu"};
constexpr uint32_t kRoles = sizeof(kRoleNames) / sizeof(kRoleNames[0]);
static_assert(kRoles == 130, "ATSPI_ROLE_LAST_DEFINED of 2.46 is 130");

}  // namespace

RoleValue RoleFromNumber(uint32_t role) {
  if (role >= kRoles) return {Role::kUnknown, absl::StrCat("role-", role)};
  const char* name = kRoleNames[role];
  switch (role) {
    case 0:   // invalid
    case 67:  // unknown
      return {Role::kUnknown, name};
    case 40:
      return {Role::kPassword, name};
    case 60:
      return {Role::kTerminal, name};
    case 61:  // text: many lines or one, the states tell
      return {Role::kTextArea, name};
    case 52:  // spin-button
    case 76:  // autocomplete
    case 77:  // editbar
    case 79:  // entry
      return {Role::kTextField, name};
    case 11:
      return {Role::kCombo, name};
    case 73:   // paragraph
    case 83:   // heading
    case 105:  // block-quote
      return {Role::kParagraph, name};
    case 82:
    case 94:
    case 95:
    case 96:
      return {Role::kDocument, name};
    case 16:  // dialog
    case 20:  // filler
    case 23:  // frame
    case 28:  // internal-frame
    case 39:  // panel
    case 46:  // root-pane
    case 49:  // scroll-pane
    case 53:  // split-pane
    case 68:  // viewport
    case 69:  // window
    case 75:  // application
      return {Role::kContainer, name};
    default:
      return {Role::kOther, name};
  }
}

States StatesFromWords(uint32_t low, uint32_t high) {
  static constexpr struct {
    int bit;
    States state;
  } kBits[] = {{1, kStateActive},   {6, kStateDefunct},
               {7, kStateEditable}, {8, kStateEnabled},
               {12, kStateFocused}, {17, kStateMultiLine},
               {25, kStateShowing}, {26, kStateSingleLine},
               {30, kStateVisible}, {43, kStateReadOnly}};
  const uint64_t words = (static_cast<uint64_t>(high) << 32) | low;
  States states = 0;
  for (const auto& [bit, state] : kBits) {
    if (words & (uint64_t{1} << bit)) states |= state;
  }
  return states;
}

absl::StatusOr<std::string> DecodeString(sd_bus_message* reply) {
  if (!Is(reply, "s")) return Malformed("s");
  return ReadText(reply);
}

absl::StatusOr<bool> DecodeBool(sd_bus_message* reply) {
  int value = 0;
  if (!Is(reply, "b") || sd_bus_message_read_basic(reply, 'b', &value) <= 0) {
    return Malformed("b");
  }
  return value != 0;
}

absl::StatusOr<int32_t> DecodeInt32(sd_bus_message* reply) {
  int32_t value = 0;
  if (!Is(reply, "i") || sd_bus_message_read_basic(reply, 'i', &value) <= 0) {
    return Malformed("i");
  }
  return value;
}

absl::StatusOr<uint32_t> DecodeUint32(sd_bus_message* reply) {
  uint32_t value = 0;
  if (!Is(reply, "u") || sd_bus_message_read_basic(reply, 'u', &value) <= 0) {
    return Malformed("u");
  }
  return value;
}

absl::StatusOr<States> DecodeState(sd_bus_message* reply) {
  States states = 0;
  if (!Is(reply, "au") || ReadStateWords(reply, states) <= 0) {
    return Malformed("au");
  }
  return states;
}

absl::StatusOr<States> DecodeInterfaces(sd_bus_message* reply) {
  absl::StatusOr<std::vector<std::string>> names = DecodeNames(reply);
  if (!names.ok()) return names.status();
  States states = 0;
  for (const std::string& name : *names) states |= InterfaceBit(name);
  return states;
}

absl::StatusOr<Range> DecodeSelection(sd_bus_message* reply) {
  int32_t begin = 0;
  int32_t end = 0;
  if (!Is(reply, "ii") || sd_bus_message_read(reply, "ii", &begin, &end) <= 0) {
    return Malformed("ii");
  }
  return Range{begin, end};
}

absl::StatusOr<Reference> DecodeReference(sd_bus_message* reply) {
  Reference reference;
  if (!Is(reply, "(so)") || ReadReference(reply, reference) <= 0) {
    return Malformed("(so)");
  }
  return reference;
}

absl::StatusOr<std::vector<Reference>> DecodeReferences(sd_bus_message* reply) {
  if (!Is(reply, "a(so)") ||
      sd_bus_message_enter_container(reply, 'a', "(so)") <= 0) {
    return Malformed("a(so)");
  }
  std::vector<Reference> references;
  Reference reference;
  int r;
  while ((r = ReadReference(reply, reference)) > 0) {
    if (references.size() == kMaxItems) return TooMany(kMaxItems);
    references.push_back(std::move(reference));
  }
  if (r < 0) return Malformed("a(so)");
  return references;
}

absl::StatusOr<std::vector<std::string>> DecodeNames(sd_bus_message* reply) {
  if (!Is(reply, "as") ||
      sd_bus_message_enter_container(reply, 'a', "s") <= 0) {
    return Malformed("as");
  }
  std::vector<std::string> names;
  const char* name = nullptr;
  int r;
  while ((r = sd_bus_message_read_basic(reply, 's', &name)) > 0) {
    if (names.size() == kMaxItems) return TooMany(kMaxItems);
    names.emplace_back(name);
  }
  if (r < 0) return Malformed("as");
  return names;
}

absl::StatusOr<std::string> DecodeAttribute(sd_bus_message* reply,
                                            const std::string& name) {
  if (!Is(reply, "a{ss}") ||
      sd_bus_message_enter_container(reply, 'a', "{ss}") <= 0) {
    return Malformed("a{ss}");
  }
  for (size_t i = 0; i < kMaxItems; ++i) {
    const char* key = nullptr;
    const char* held = nullptr;
    const int r = sd_bus_message_read(reply, "{ss}", &key, &held);
    if (r < 0) return Malformed("a{ss}");
    if (r == 0) break;
    if (name == key) return std::string(held);
  }
  return absl::NotFoundError(absl::StrCat("it has no attribute ", name));
}

absl::StatusOr<std::vector<CacheItem>> DecodeCacheItems(sd_bus_message* reply) {
  static constexpr char kItem[] = "((so)(so)(so)iiassusau)";
  static constexpr char kContents[] = "(so)(so)(so)iiassusau";
  if (!Is(reply, "a((so)(so)(so)iiassusau)") ||
      sd_bus_message_enter_container(reply, 'a', kItem) <= 0) {
    return Malformed("a((so)(so)(so)iiassusau)");
  }
  std::vector<CacheItem> items;
  int r;
  while ((r = sd_bus_message_enter_container(reply, 'r', kContents)) > 0) {
    if (items.size() == kMaxItems) return TooMany(kMaxItems);
    CacheItem item;
    Reference application;
    int32_t index = 0;
    int32_t children = 0;
    const char* text = nullptr;
    States interfaces = 0;
    if ((r = ReadReference(reply, item.self)) <= 0 ||
        (r = ReadReference(reply, application)) <= 0 ||
        (r = ReadReference(reply, item.parent)) <= 0 ||
        (r = sd_bus_message_read(reply, "ii", &index, &children)) <= 0 ||
        (r = sd_bus_message_enter_container(reply, 'a', "s")) <= 0) {
      break;
    }
    while ((r = sd_bus_message_read_basic(reply, 's', &text)) > 0) {
      interfaces |= InterfaceBit(text);
    }
    if (r < 0 || (r = sd_bus_message_exit_container(reply)) < 0 ||
        (r = sd_bus_message_read_basic(reply, 's', &text)) <= 0 ||
        (r = sd_bus_message_read_basic(reply, 'u', &item.role)) <= 0 ||
        (r = sd_bus_message_read_basic(reply, 's', &text)) <= 0 ||
        (r = ReadStateWords(reply, item.states)) <= 0 ||
        (r = sd_bus_message_exit_container(reply)) < 0) {
      break;
    }
    item.states |= interfaces;
    items.push_back(std::move(item));
  }
  if (r < 0) return Malformed("a((so)(so)(so)iiassusau)");
  return items;
}

absl::StatusOr<int64_t> DecodeIntProperty(sd_bus_message* reply) {
  int32_t value = 0;
  if (!EnterVariant(reply, "i") ||
      sd_bus_message_read_basic(reply, 'i', &value) <= 0) {
    return Malformed("v of i");
  }
  return value;
}

absl::StatusOr<std::string> DecodeStringProperty(sd_bus_message* reply) {
  const char* text = nullptr;
  if (!EnterVariant(reply, "s") ||
      sd_bus_message_read_basic(reply, 's', &text) <= 0) {
    return Malformed("v of s");
  }
  return std::string(text);
}

absl::StatusOr<Reference> DecodeReferenceProperty(sd_bus_message* reply) {
  Reference reference;
  if (!EnterVariant(reply, "(so)") || ReadReference(reply, reference) <= 0) {
    return Malformed("v of (so)");
  }
  return reference;
}

}  // namespace tactus::ax::atspi
