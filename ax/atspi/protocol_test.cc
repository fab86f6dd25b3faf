#include "ax/atspi/protocol.h"

#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

// A message that nobody sent: the body of a reply, ready to be read.
class Body {
 public:
  template <typename... Args>
  explicit Body(const char* signature, Args... args) {
    Begin();
    EXPECT_GE(sd_bus_message_append(message_, signature, args...), 0);
    End();
  }
  // A string as another implementation may send it, which sd-bus would not.
  static std::unique_ptr<Body> OfBytes(absl::string_view bytes) {
    std::unique_ptr<Body> body(new Body());
    body->Begin();
    char* space = nullptr;
    EXPECT_GE(sd_bus_message_append_string_space(body->message_, bytes.size(),
                                                 &space),
              0);
    memcpy(space, bytes.data(), bytes.size());
    body->End();
    return body;
  }
  ~Body() {
    sd_bus_message_unref(message_);
    sd_bus_close_unref(bus_);  // closes fds_[0]
    close(fds_[1]);
  }
  sd_bus_message* get() { return message_; }

 private:
  Body() = default;
  void Begin() {
    // sd-bus makes messages only for a bus that was started; the other end of
    // this one never answers.
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds_), 0);
    sd_bus_new(&bus_);
    sd_bus_set_fd(bus_, fds_[0], fds_[0]);
    EXPECT_GE(sd_bus_start(bus_), 0);
    sd_bus_message_new_signal(bus_, &message_, "/a", "a.b", "C");
  }
  void End() {
    EXPECT_GE(sd_bus_message_seal(message_, 1, 0), 0);
    EXPECT_GE(sd_bus_message_rewind(message_, 1), 0);
  }

  int fds_[2];
  sd_bus* bus_ = nullptr;
  sd_bus_message* message_ = nullptr;
};

template <typename T>
absl::StatusCode CodeOf(const absl::StatusOr<T>& result) {
  return result.status().code();
}

constexpr absl::StatusCode kLie = absl::StatusCode::kDataLoss;

TEST(DecodeTest, RepliesOfTheRightTypeAreRead) {
  EXPECT_EQ(*DecodeString(Body("s", "h\xC3\xA9llo").get()), "h\xC3\xA9llo");
  EXPECT_EQ(*DecodeUint32(Body("u", 61).get()), 61u);
  EXPECT_EQ(*DecodeInt32(Body("i", -61).get()), -61);
  EXPECT_TRUE(*DecodeBool(Body("b", 1).get()));
  EXPECT_FALSE(*DecodeBool(Body("b", 0).get()));
  const auto attributes = [](const std::string& name) {
    return DecodeAttribute(
        Body("a{ss}", 2, "id", "field", "tag", "textarea").get(), name);
  };
  EXPECT_EQ(*attributes("tag"), "textarea");
  EXPECT_EQ(CodeOf(attributes("class")), absl::StatusCode::kNotFound);
  EXPECT_EQ(*DecodeSelection(Body("ii", 2, 5).get()), (Range{2, 5}));
  EXPECT_EQ(*DecodeIntProperty(Body("v", "i", -1).get()), -1);
  EXPECT_EQ(*DecodeStringProperty(Body("v", "s", "gtk").get()), "gtk");
  EXPECT_EQ(*DecodeReference(Body("(so)", ":1.2", "/x").get()),
            (Element{":1.2", "/x"}));
  EXPECT_EQ(*DecodeReferenceProperty(Body("v", "(so)", ":1.2", "/x").get()),
            (Element{":1.2", "/x"}));
  EXPECT_EQ(
      *DecodeReferences(Body("a(so)", 2, ":1.2", "/x", ":1.3", "/y").get()),
      (std::vector<Element>{{":1.2", "/x"}, {":1.3", "/y"}}));
}

TEST(DecodeTest, TextThatIsHandedOutToNobodyIsDataLossAndSaysWhy) {
  EXPECT_EQ(*DecodeString(Body::OfBytes("h\xC3\xA9llo\uFFFD")->get()),
            "h\xC3\xA9llo\uFFFD");
  for (const char* bytes : {"a\uFFFE", "\uFDD0", "\U0001FFFF", "a\xFF"}) {
    const absl::Status status =
        DecodeString(Body::OfBytes(bytes)->get()).status();
    EXPECT_EQ(status.code(), kLie);
    EXPECT_TRUE(absl::StrContains(status.message(), "noncharacter")) << status;
  }
}

TEST(DecodeTest, ReplyOfAnotherTypeIsDataLossAndNeverEmpty) {
  EXPECT_EQ(CodeOf(DecodeString(Body("i", 3).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeString(Body("ss", "a", "b").get())), kLie);
  EXPECT_EQ(CodeOf(DecodeUint32(Body("i", 61).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeInt32(Body("u", 61).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeBool(Body("i", 1).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeAttribute(Body("as", 1, "tag").get(), "tag")), kLie);
  EXPECT_EQ(CodeOf(DecodeSelection(Body("uu", 2, 5).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeState(Body("ai", 1, 7).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeIntProperty(Body("i", 3).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeIntProperty(Body("v", "u", 3).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeIntProperty(Body("v", "s", "3").get())), kLie);
  EXPECT_EQ(CodeOf(DecodeStringProperty(Body("v", "i", 3).get())), kLie);
  EXPECT_EQ(CodeOf(DecodeReferences(Body("as", 1, "/x").get())), kLie);
  EXPECT_EQ(CodeOf(DecodeReferenceProperty(Body("v", "s", "x").get())), kLie);
  EXPECT_EQ(CodeOf(DecodeNames(Body("s", "x").get())), kLie);
  EXPECT_EQ(CodeOf(DecodeCacheItems(Body("a(so)", 0).get())), kLie);
}

TEST(DecodeTest, StateWordsMayBeFewerOrMoreThanTwo) {
  EXPECT_EQ(*DecodeState(Body("au", 0).get()), 0u);
  EXPECT_EQ(*DecodeState(Body("au", 1, 1u << 12).get()), kStateFocused);
  EXPECT_EQ(*DecodeState(Body("au", 3, 1u << 7, 1u << 11, 0xFFFFFFFFu).get()),
            kStateEditable | kStateReadOnly);
}

TEST(DecodeTest, OnlyTextInterfacesBecomeStates) {
  EXPECT_EQ(*DecodeInterfaces(Body("as", 3, "org.a11y.atspi.Accessible",
                                   "org.a11y.atspi.Text",
                                   "org.a11y.atspi.EditableText")
                                  .get()),
            kStateSupportsText | kStateSupportsEditing);
  EXPECT_EQ(*DecodeInterfaces(Body("as", 0).get()), 0u);
}

TEST(DecodeTest, CacheItemKeepsItselfItsParentAndItsStates) {
  const absl::StatusOr<std::vector<CacheItem>> items = DecodeCacheItems(
      Body("a((so)(so)(so)iiassusau)", 1, ":1.2", "/self", ":1.2", "/root",
           ":1.2", "/parent", 0, 3, 1, "org.a11y.atspi.Text", "name", 61,
           "description", 2, 1u << 12, 0)
          .get());
  ASSERT_TRUE(items.ok()) << items.status();
  ASSERT_EQ(items->size(), 1u);
  EXPECT_EQ((*items)[0].self, (Element{":1.2", "/self"}));
  EXPECT_EQ((*items)[0].parent, (Element{":1.2", "/parent"}));
  EXPECT_EQ((*items)[0].states, kStateFocused | kStateSupportsText);
  EXPECT_EQ((*items)[0].role, 61u);
}

TEST(RoleTest, NumberFortyIsSecureWhateverElseHolds) {
  EXPECT_EQ(RoleFromNumber(40), (RoleValue{Role::kPassword, "password-text"}));
}

TEST(RoleTest, NumbersBeyondTheProtocolAreUnknownAndNamed) {
  EXPECT_EQ(RoleFromNumber(130), (RoleValue{Role::kUnknown, "role-130"}));
  EXPECT_EQ(RoleFromNumber(UINT32_MAX),
            (RoleValue{Role::kUnknown, "role-4294967295"}));
}

TEST(RoleTest, TextRolesKeepTheProtocolsNames) {
  EXPECT_EQ(RoleFromNumber(61), (RoleValue{Role::kTextArea, "text"}));
  EXPECT_EQ(RoleFromNumber(79), (RoleValue{Role::kTextField, "entry"}));
  EXPECT_EQ(RoleFromNumber(60), (RoleValue{Role::kTerminal, "terminal"}));
  EXPECT_EQ(RoleFromNumber(73), (RoleValue{Role::kParagraph, "paragraph"}));
  EXPECT_EQ(RoleFromNumber(95), (RoleValue{Role::kDocument, "document-web"}));
  EXPECT_EQ(RoleFromNumber(43), (RoleValue{Role::kOther, "push-button"}));
}

}  // namespace
}  // namespace tactus::ax::atspi
