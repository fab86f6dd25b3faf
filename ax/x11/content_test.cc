#include "ax/x11/content.h"

#include <xcb/xcb.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

const TextAtoms kAtoms = {.utf8_string = 101,
                          .text_plain_utf8 = 102,
                          .text_plain = 103,
                          .text = 104,
                          .secret_hint = 105};

std::vector<xcb_atom_t> Targets(const Content& content) {
  std::vector<xcb_atom_t> targets;
  for (const Offer& offer : content.offers) targets.push_back(offer.target);
  return targets;
}

Parcel Sample() {
  return {.display = ":7",
          .owner = 0x400001,
          .content = {{{.target = 101, .type = 101, .bytes = "a\0b"},
                       {.target = 4,
                        .type = 19,
                        .format = 32,
                        .bytes = std::string("\1\0\0\0", 4)},
                       {.target = 31, .type = 31, .format = 16}}}};
}

TEST(ContentTest, StringIsOfferedUpToTheLastLatin1Character) {
  EXPECT_EQ(
      Targets(TextContent("\u00ff", kAtoms)),
      (std::vector<xcb_atom_t>{101, 102, 103, XCB_ATOM_STRING, 104, 105}));
  EXPECT_EQ(Targets(TextContent("\u0100", kAtoms)),
            (std::vector<xcb_atom_t>{101, 102, 103, 104, 105}));
}

TEST(ContentTest, MarkForHistoriesIsNoText) {
  for (const Offer& offer : TextContent("x", kAtoms).offers) {
    EXPECT_EQ(offer.is_text, offer.target != kAtoms.secret_hint);
  }
}

TEST(ContentTest, ParcelArrivesAsItWasPacked) {
  const absl::StatusOr<Parcel> parcel = Unpack(Pack(Sample()));
  ASSERT_TRUE(parcel.ok()) << parcel.status();
  EXPECT_EQ(parcel->display, ":7");
  EXPECT_EQ(parcel->owner, 0x400001u);
  EXPECT_EQ(parcel->content, Sample().content);
}

TEST(ContentTest, ParcelThatIsCutAnywhereOrTooLongIsRefused) {
  const std::string packed = Pack(Sample());
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_EQ(Unpack(packed.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
  EXPECT_EQ(Unpack(packed + "x").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ContentTest, ParcelWithAnImpossibleFormatIsRefused) {
  for (const auto& [format, bytes] :
       std::vector<std::pair<uint8_t, std::string>>{
           {0, ""}, {7, "a"}, {64, ""}, {16, "abc"}, {32, "ab"}}) {
    Parcel parcel = Sample();
    parcel.content.offers[0].format = format;
    parcel.content.offers[0].bytes = bytes;
    EXPECT_EQ(Unpack(Pack(parcel)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << int{format};
  }
}

}  // namespace
}  // namespace tactus::ax::x11
