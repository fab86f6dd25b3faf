// The fields of a real window: what is listed, and where the focus goes.
#include "ax/fields/fields.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

// Longer than a busy machine takes: only what never comes to be waits for it.
FieldOptions Options() {
  return {.deadline = Clock::Real().Now() + absl::Seconds(20)};
}

class FieldsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<AtspiServer>> server =
        AtspiServer::Connect({}, Options().deadline);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  // Once the window tells all of its fields.
  FieldList List() {
    const absl::Time end = Options().deadline;
    absl::StatusOr<FieldList> list;
    do {
      list = ListFields(*server_, Options());
      if (list.ok() && list->fields.size() >= 3) return *list;
      Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(20));
    } while (Clock::Real().Now() < end);
    ADD_FAILURE() << "the window tells "
                  << (list.ok() ? "too few fields" : list.status().ToString());
    return list.value_or(FieldList());
  }

  std::unique_ptr<AtspiServer> server_;
};

TEST_F(FieldsTest, EachFieldIsListedAndTakesTheFocusAndAPasswordKeepsIt) {
  const FieldList list = List();
  EXPECT_EQ(list.application.pid, ApplicationPid());
  EXPECT_TRUE(list.complete);
  // What can be typed into: two fields and a password, and not the one that is
  // only read; of a browser its address bar as well.
  const std::string application = DesktopVariable("TACTUS_DESKTOP_APP");
  const size_t bars = application == "chromium" ? 1 : 0;
  ASSERT_EQ(list.fields.size(), 3 + bars);
  const TextField* secret = nullptr;
  std::vector<const TextField*> plain;
  for (const TextField& field : list.fields) {
    if (IsSecure(field)) {
      EXPECT_EQ(field.name, "");
      secret = &field;
    } else if (bars == 0 || !absl::StartsWith(field.name, "Address")) {
      plain.push_back(&field);
    }
  }
  ASSERT_NE(secret, nullptr);
  ASSERT_EQ(plain.size(), 2u);

  // It has the interface of the verb and answers that it is not supported
  // (4.8).
  if (application == "gtk4") {
    const FieldFocus none =
        FocusField(*server_, FieldHandle(plain[1]->element), Options());
    EXPECT_EQ(none.outcome, FieldFocus::Outcome::kRefused);
    EXPECT_EQ(none.reason, "no-way");
    return;
  }

  // There and back, so that each move is one.
  for (const TextField* field : {plain[1], plain[0], plain[1]}) {
    const FieldFocus moved =
        FocusField(*server_, FieldHandle(field->element), Options());
    ASSERT_EQ(moved.outcome, FieldFocus::Outcome::kVerified) << moved.message;
    const absl::StatusOr<Snapshot> snapshot =
        SnapshotFocused(*server_, {.deadline = Options().deadline});
    ASSERT_TRUE(snapshot.ok()) << snapshot.status();
    EXPECT_EQ(snapshot->element, field->element);
  }

  const FieldFocus hidden =
      FocusField(*server_, FieldHandle(secret->element), Options());
  ASSERT_EQ(hidden.outcome, FieldFocus::Outcome::kVerified) << hidden.message;
  const FieldFocus refused =
      FocusField(*server_, FieldHandle(plain[0]->element), Options());
  EXPECT_EQ(refused.outcome, FieldFocus::Outcome::kRefused);
  EXPECT_EQ(refused.reason, "secure");
}

TEST_F(FieldsTest, LimitOfCallsEndsTheListAndSaysSo) {
  FieldOptions options = Options();
  options.limits.most_calls = 4;
  const int64_t before = server_->traffic().calls;
  const absl::StatusOr<FieldList> list = ListFields(*server_, options);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_FALSE(list->complete);
  // Beside it whose keyboard it is, who that is, and which window is active.
  EXPECT_LE(server_->traffic().calls - before, 40);
}

}  // namespace
}  // namespace tactus::ax::atspi
