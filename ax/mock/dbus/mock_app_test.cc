// The mock process as a client of D-Bus sees it.
//
// Waits are for replies, never for time; where a reply must not come, the
// client gives up after kShort.
#include <systemd/sd-bus.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/private_bus.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

constexpr char kBinary[] = "ax/mock/dbus/mock_app";
constexpr char kRoot[] = "/org/a11y/atspi/accessible/root";
constexpr char kField[] = "/org/a11y/atspi/accessible/_2ftext";
constexpr char kWindow[] = "/org/a11y/atspi/accessible/_2fwindow";
constexpr char kAccessible[] = "org.a11y.atspi.Accessible";
constexpr char kText[] = "org.a11y.atspi.Text";
constexpr char kEditableText[] = "org.a11y.atspi.EditableText";
constexpr uint64_t kShort = 100'000;    // us
constexpr uint64_t kLong = 10'000'000;  // us

// An editor of a toolkit, with "a", woman, "b" and the selection [1, 2), and
// what else the script has.
std::string Script(absl::string_view toolkit, absl::string_view rest = "",
                   absl::string_view role = "text-area") {
  return absl::StrCat(
      R"({"applications": [{"id": "app:7", "name": "notes", "pid": 7,
           "toolkit": ")",
      std::string(toolkit), R"(", "toolkit_version": "1.2", "elements": [
             {"path": "/text", "role": ")",
      std::string(role), R"(", "text": "a\ud83d\udc69b",
              "caret": 2, "selection": [1, 2]}]}],
          "windows": [{"application": "app:7", "title": "document",
                       "active": true}],
          "focused": "app:7")",
      std::string(rest), "}");
}

struct Unref {
  void operator()(sd_bus_message* m) const { sd_bus_message_unref(m); }
};
using Reply = std::unique_ptr<sd_bus_message, Unref>;

class MockAppTest : public testing::Test {
 protected:
  void Start(const std::string& script,
             std::vector<std::string> options = {"--registry"}) {
    absl::StatusOr<std::unique_ptr<PrivateBus>> bus = PrivateBus::Start();
    ASSERT_TRUE(bus.ok()) << bus.status();
    bus_ = *std::move(bus);
    absl::StatusOr<std::unique_ptr<MockProcess>> mock =
        MockProcess::Start(kBinary, *bus_, script, options);
    ASSERT_TRUE(mock.ok()) << mock.status();
    mock_ = *std::move(mock);
    name_ = mock_->bus_name("app:7");
    ASSERT_GE(sd_bus_new(&client_), 0);
    ASSERT_GE(sd_bus_set_address(client_, bus_->address().c_str()), 0);
    ASSERT_GE(sd_bus_set_bus_client(client_, 1), 0);
    ASSERT_GE(sd_bus_start(client_), 0);
  }

  ~MockAppTest() override { sd_bus_flush_close_unref(client_); }

  // Null and `error_` when the call fails or is not answered in time.
  template <typename... T>
  Reply CallTo(const std::string& name, const char* path, const char* interface,
               const char* member, uint64_t patience, const char* types,
               T... arguments) {
    sd_bus_message* m = nullptr;
    sd_bus_message_new_method_call(client_, &m, name.c_str(), path, interface,
                                   member);
    if constexpr (sizeof...(arguments) > 0) {
      sd_bus_message_append(m, types, arguments...);
    }
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message* reply = nullptr;
    sd_bus_call(client_, m, patience, &error, &reply);
    sd_bus_message_unref(m);
    error_ = error.name == nullptr ? "" : error.name;
    sd_bus_error_free(&error);
    return Reply(reply);
  }
  template <typename... T>
  Reply Call(const char* path, const char* interface, const char* member,
             const char* types = "", T... arguments) {
    return CallTo(name_, path, interface, member, kLong, types, arguments...);
  }
  Reply Get(const char* path, const char* interface, const char* property) {
    return Call(path, "org.freedesktop.DBus.Properties", "Get", "ss", interface,
                property);
  }

  // What a reply holds, as text; the error's name where there is none.
  std::string Show(const Reply& reply) {
    if (reply == nullptr) return error_;
    std::string text;
    ShowInto(reply.get(), text);
    return text;
  }

  std::string GetText(int32_t begin, int32_t end) {
    return Show(Call(kField, kText, "GetText", "ii", begin, end));
  }
  std::string Insert(int32_t at, const char* text, int32_t length) {
    return Show(
        Call(kField, kEditableText, "InsertText", "isi", at, text, length));
  }
  std::string Delete(int32_t begin, int32_t end) {
    return Show(Call(kField, kEditableText, "DeleteText", "ii", begin, end));
  }
  std::string Caret() { return Show(Get(kField, kText, "CaretOffset")); }
  std::string GetSelection() {
    return Show(Call(kField, kText, "GetSelection", "i", int32_t{0}));
  }
  std::string Matches(const char* path = kRoot) {
    sd_bus_message* m = nullptr;
    sd_bus_message_new_method_call(client_, &m, name_.c_str(), path,
                                   "org.a11y.atspi.Collection", "GetMatches");
    const int32_t states[2] = {1 << 12, 0};
    const int32_t roles[4] = {0, 0, 0, 0};
    sd_bus_message_open_container(m, 'r', "aiia{ss}iaiiasib");
    sd_bus_message_append_array(m, 'i', states, sizeof(states));
    sd_bus_message_append(m, "ia{ss}i", int32_t{1}, 0, int32_t{1});
    sd_bus_message_append_array(m, 'i', roles, sizeof(roles));
    sd_bus_message_append(m, "iasib", int32_t{1}, 0, int32_t{1}, 0);
    sd_bus_message_close_container(m);
    sd_bus_message_append(m, "uib", uint32_t{1}, int32_t{4}, 1);
    sd_bus_error error = SD_BUS_ERROR_NULL;
    sd_bus_message* reply = nullptr;
    sd_bus_call(client_, m, kLong, &error, &reply);
    sd_bus_message_unref(m);
    error_ = error.name == nullptr ? "" : error.name;
    sd_bus_error_free(&error);
    return Show(Reply(reply));
  }

  std::unique_ptr<PrivateBus> bus_;
  std::unique_ptr<MockProcess> mock_;
  sd_bus* client_ = nullptr;
  std::string name_;
  std::string error_;
  bool told_ = false;  // a signal has come

 private:
  static void ShowInto(sd_bus_message* m, std::string& text) {
    char type = 0;
    const char* contents = nullptr;
    while (sd_bus_message_peek_type(m, &type, &contents) > 0) {
      if (!text.empty() && text.back() != '(' && text.back() != '[') {
        text += ' ';
      }
      if (type == 'a' || type == 'r' || type == 'v') {
        sd_bus_message_enter_container(m, type, contents);
        text += type == 'a' ? '[' : '(';
        ShowInto(m, text);
        text += type == 'a' ? ']' : ')';
        sd_bus_message_exit_container(m);
        continue;
      }
      union {
        const char* string;
        int32_t number;
        uint32_t word;
        int flag;
      } value = {nullptr};
      sd_bus_message_read_basic(m, type, &value);
      if (type == 's' || type == 'o') {
        text += value.string;
      } else if (type == 'u') {
        text += absl::StrCat("u", value.word);
      } else if (type == 'b') {
        text += value.flag != 0 ? "true" : "false";
      } else {
        text += absl::StrCat(value.number);
      }
    }
  }
};

TEST_F(MockAppTest, RegistryNamesTheApplicationAndItDescribesItself) {
  Start(Script("gtk"));
  EXPECT_EQ(Show(CallTo("org.a11y.atspi.Registry", kRoot, kAccessible,
                        "GetChildren", kLong, "")),
            absl::StrCat("[(", name_, " ", kRoot, ")]"));
  constexpr char kApplication[] = "org.a11y.atspi.Application";
  EXPECT_EQ(Show(Get(kRoot, kApplication, "ToolkitName")), "(gtk)");
  EXPECT_EQ(Show(Get(kRoot, kApplication, "Version")), "(1.2)");
  EXPECT_EQ(Show(Get(kRoot, kAccessible, "Name")), "(notes)");
  EXPECT_EQ(Show(Call(kRoot, kAccessible, "GetRole")), "u75");
}

TEST_F(MockAppTest, TreeLeadsFromTheRootToTheFieldAndBack) {
  Start(Script("gtk"));
  EXPECT_EQ(Show(Call(kRoot, kAccessible, "GetChildren")),
            absl::StrCat("[(", name_, " ", kWindow, ")]"));
  EXPECT_EQ(Show(Get(kRoot, kAccessible, "ChildCount")), "(1)");
  EXPECT_EQ(Show(Call(kWindow, kAccessible, "GetRole")), "u23");
  // ACTIVE, ENABLED, SHOWING, VISIBLE.
  EXPECT_EQ(
      Show(Call(kWindow, kAccessible, "GetState")),
      absl::StrCat("[u", 1u << 1 | 1u << 8 | 1u << 25 | 1u << 30, " u0]"));
  EXPECT_EQ(Show(Get(kWindow, kAccessible, "Name")), "(document)");
  EXPECT_EQ(Show(Call(kWindow, kAccessible, "GetChildren")),
            absl::StrCat("[(", name_, " ", kField, ")]"));
  EXPECT_EQ(Show(Call(kWindow, kAccessible, "GetChildAtIndex", "i", 0)),
            absl::StrCat("(", name_, " ", kField, ")"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRoleName")), "text");
  EXPECT_EQ(
      Show(Call(kField, kAccessible, "GetState")),
      absl::StrCat(
          "[u", 1u << 7 | 1u << 8 | 1u << 12 | 1u << 17 | 1u << 25 | 1u << 30,
          " u0]"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetInterfaces")),
            "[org.a11y.atspi.Accessible org.a11y.atspi.Component "
            "org.a11y.atspi.Text org.a11y.atspi.EditableText]");
  EXPECT_EQ(Show(Get(kField, kAccessible, "Parent")),
            absl::StrCat("((", name_, " ", kWindow, "))"));
  EXPECT_EQ(Show(Get(kWindow, kAccessible, "Parent")),
            absl::StrCat("((", name_, " ", kRoot, "))"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetIndexInParent")), "0");
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetApplication")),
            absl::StrCat("(", name_, " ", kRoot, ")"));
}

TEST_F(MockAppTest, TextIsInCodePoints) {
  Start(Script("gtk"));
  EXPECT_EQ(GetText(0, -1), "a\U0001F469b");
  EXPECT_EQ(GetText(1, 2), "\U0001F469");
  EXPECT_EQ(GetText(2, 99), "b");
  EXPECT_EQ(Show(Get(kField, kText, "CharacterCount")), "(3)");
  EXPECT_EQ(Show(Get(kField, kText, "CaretOffset")), "(2)");
  EXPECT_EQ(Show(Call(kField, kText, "GetNSelections")), "1");
  EXPECT_EQ(GetSelection(), "1 2");
  EXPECT_EQ(Show(Call(kField, kText, "GetSelection", "i", 1)), "0 0");
}

TEST_F(MockAppTest, TextOfQtIsInUtf16) {
  Start(Script("Qt"));
  EXPECT_EQ(GetText(1, 3), "\U0001F469");
  EXPECT_EQ(Show(Get(kField, kText, "CharacterCount")), "(4)");
  EXPECT_EQ(Show(Get(kField, kText, "CaretOffset")), "(3)");
  EXPECT_EQ(GetSelection(), "1 3");
}

TEST_F(MockAppTest, FocusIsMatchedWhereTheToolkitHasCollections) {
  Start(Script("gtk"));
  EXPECT_EQ(Matches(), absl::StrCat("[(", name_, " ", kField, ")]"));
}

TEST_F(MockAppTest, FocusIsNotMatchedByQt) {
  Start(Script("Qt"));
  EXPECT_EQ(Matches(), SD_BUS_ERROR_UNKNOWN_METHOD);
  EXPECT_EQ(
      Show(Call("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems")),
      "[]");
}

TEST_F(MockAppTest, Gtk4ListsItsCacheAndAnswersAnEntryToItsEndWithNothing) {
  Start(Script("GTK", "", "text-field"));
  EXPECT_EQ(
      Show(Call("/org/a11y/atspi/cache", "org.a11y.atspi.Cache", "GetItems")),
      absl::StrCat(
          "[((", name_, " ", kField, ") (", name_, " ", kRoot, ") (", name_,
          " ", kWindow, ") 0 0 ",
          "[org.a11y.atspi.Accessible org.a11y.atspi.Component "
          "org.a11y.atspi.Text org.a11y.atspi.EditableText]  u79  [u",
          1u << 7 | 1u << 8 | 1u << 12 | 1u << 17 | 1u << 25 | 1u << 30,
          " u0])]"));
  EXPECT_EQ(GetText(0, -1), "");
  EXPECT_EQ(GetText(0, 3), "a\U0001F469b");
  EXPECT_EQ(Show(Call(kField, kText, "GetSelection", "i", 1)),
            SD_BUS_ERROR_FAILED);
}

TEST_F(MockAppTest, WhatIsNotThereIsUnknown) {
  Start(Script("gtk"));
  EXPECT_EQ(
      Show(Call("/org/a11y/atspi/accessible/ghost", kAccessible, "GetRole")),
      SD_BUS_ERROR_UNKNOWN_OBJECT);
  EXPECT_EQ(
      Show(Call("/org/a11y/atspi/accessible/_zz", kAccessible, "GetRole")),
      SD_BUS_ERROR_UNKNOWN_OBJECT);
  EXPECT_EQ(Show(Call(kField, kAccessible, "Dance")),
            SD_BUS_ERROR_UNKNOWN_METHOD);
  EXPECT_EQ(Show(Get(kField, kText, "Colour")), SD_BUS_ERROR_UNKNOWN_METHOD);
  EXPECT_EQ(Show(Call(kWindow, kText, "GetText", "ii", 0, 1)),
            SD_BUS_ERROR_UNKNOWN_METHOD);
}

TEST_F(MockAppTest, HungApplicationNeverRepliesAndTheOtherDoes) {
  Start(R"({"applications": [
              {"id": "app:7", "elements": [{"path": "/text"}]},
              {"id": "app:8", "elements": [{"path": "/text"}]}],
            "hostilities": [{"name": "hung", "application": "app:7"}]})");
  EXPECT_EQ(CallTo(name_, kField, kAccessible, "GetRole", kShort, ""), nullptr);
  EXPECT_EQ(error_, SD_BUS_ERROR_TIMEOUT);
  EXPECT_EQ(Show(CallTo(mock_->bus_name("app:8"), kField, kAccessible,
                        "GetRole", kLong, "")),
            "u61");
}

TEST_F(MockAppTest, HungRegistryNeverReplies) {
  Start(Script("gtk", R"(, "hostilities": [{"name": "registry_hung"}])"));
  EXPECT_EQ(CallTo("org.a11y.atspi.Registry", kRoot, kAccessible, "GetChildren",
                   kShort, ""),
            nullptr);
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
}

TEST_F(MockAppTest, SlowApplicationRepliesLate) {
  Start(
      Script("gtk", R"(, "hostilities": [{"name": "slow", "parameter": 40}])"));
  const absl::Time start = Clock::Real().Now();
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  EXPECT_GE(Clock::Real().Now() - start, absl::Milliseconds(40));
}

TEST_F(MockAppTest, ReplyAfterTheClientsDeadlineComesTooLate) {
  Start(Script("gtk", R"(, "hostilities": [
                   {"name": "at_deadline", "parameter": 50000}])"),
        {"--registry", "--patience-ms", "100"});
  const absl::Time start = Clock::Real().Now();
  EXPECT_EQ(CallTo(name_, kField, kAccessible, "GetRole", kShort, ""), nullptr);
  EXPECT_EQ(error_, SD_BUS_ERROR_TIMEOUT);
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  EXPECT_GE(Clock::Real().Now() - start, absl::Milliseconds(250));
}

TEST_F(MockAppTest, StoppedProcessAnswersWhenItGoesOn) {
  Start(Script("gtk"));
  mock_->Stop();
  EXPECT_EQ(CallTo(name_, kField, kAccessible, "GetRole", kShort, ""), nullptr);
  mock_->Continue();
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
}

TEST_F(MockAppTest, DiesInMidCallAndTheProcessEndsWithItsLastApplication) {
  Start(Script("gtk", R"(, "hostilities": [
                   {"name": "die_in_mid_call", "parameter": 1}])"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), SD_BUS_ERROR_NO_REPLY);
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")),
            SD_BUS_ERROR_SERVICE_UNKNOWN);
  EXPECT_EQ(mock_->Wait(), 0);
}

TEST_F(MockAppTest, GetAllKills) {
  Start(Script("Qt"));
  EXPECT_EQ(Show(Call(kField, "org.freedesktop.DBus.Properties", "GetAll", "s",
                      kText)),
            SD_BUS_ERROR_NO_REPLY);
  EXPECT_EQ(mock_->Wait(), 0);
}

TEST_F(MockAppTest, WrongArgumentsKill) {
  const struct {
    const char* member;
    const char* types;
    int32_t first;
    int32_t second;
  } cases[] = {{"GetText", "ii", 0, INT32_MAX},
               {"GetText", "ii", 3, 2},
               {"GetText", "ii", -1, 2},
               {"GetText", "uu", 0, 1},
               {"GetSelection", "i", -1, 0}};
  for (const auto& c : cases) {
    Start(Script("gtk"));
    EXPECT_EQ(Show(Call(kField, kText, c.member, c.types, c.first, c.second)),
              SD_BUS_ERROR_NO_REPLY)
        << c.member << c.first << c.second;
    EXPECT_EQ(mock_->Wait(), 0);
    sd_bus_flush_close_unref(client_);
    client_ = nullptr;
  }
}

TEST_F(MockAppTest, WrongArgumentsOfEditingKill) {
  const struct {
    int32_t first;
    int32_t second;
  } deletes[] = {{-1, 1}, {2, 1}};
  for (const auto& c : deletes) {
    Start(Script("gtk"));
    EXPECT_EQ(Delete(c.first, c.second), SD_BUS_ERROR_NO_REPLY);
    EXPECT_EQ(mock_->Wait(), 0);
    sd_bus_flush_close_unref(client_);
    client_ = nullptr;
  }
  Start(Script("gtk"));
  EXPECT_EQ(Insert(0, "x", -1), SD_BUS_ERROR_NO_REPLY);
  EXPECT_EQ(mock_->Wait(), 0);
}

TEST_F(MockAppTest, EditingIsInCodePointsAndItsLengthInBytes) {
  Start(Script("gtk"));
  EXPECT_EQ(Insert(2, "\u00e9x", 3), "true");
  EXPECT_EQ(GetText(0, -1), "a\U0001F469\u00e9xb");
  EXPECT_EQ(Caret(), "(4)");
  EXPECT_EQ(Delete(1, 3), "true");
  EXPECT_EQ(GetText(0, -1), "axb");
  EXPECT_EQ(Insert(99, "yz", 1), "true");
  EXPECT_EQ(GetText(0, -1), "axby");
  // Half of a character comes in as no character.
  EXPECT_EQ(Insert(0, "\u00e9", 1), "true");
  EXPECT_EQ(GetText(0, -1), "\uFFFDaxby");
  EXPECT_EQ(Insert(0, "!", 99), "true");
  EXPECT_EQ(GetText(0, 2), "!\uFFFD");
  EXPECT_EQ(Show(Call(kField, kText, "SetCaretOffset", "i", 1)), "true");
  EXPECT_EQ(Caret(), "(1)");
  EXPECT_EQ(Show(Call(kField, kEditableText, "SetTextContents", "s", "new")),
            "true");
  EXPECT_EQ(GetText(0, -1), "new");
  EXPECT_EQ(Show(Call(kField, kEditableText, "SetTextContents", "i", 3)),
            SD_BUS_ERROR_INVALID_ARGS);
  EXPECT_EQ(Show(Call(kWindow, kEditableText, "SetTextContents", "s", "x")),
            SD_BUS_ERROR_UNKNOWN_METHOD);
  EXPECT_EQ(Show(Call("/org/a11y/atspi/accessible/ghost", kEditableText,
                      "SetTextContents", "s", "x")),
            SD_BUS_ERROR_UNKNOWN_OBJECT);
}

TEST_F(MockAppTest, EditingOfQtIsInUtf16AndPadsWhatIsTooShort) {
  Start(Script("Qt"));
  EXPECT_EQ(Delete(1, 3), "true");
  EXPECT_EQ(GetText(0, -1), "ab");
  EXPECT_EQ(Insert(1, "\u00e9\U0001F469x", 3), "true");
  EXPECT_EQ(GetText(0, -1), "a\u00e9\U0001F469b");
  EXPECT_EQ(Insert(4, "y", 2), "true");
  EXPECT_EQ(GetText(0, -1), "a\u00e9\U0001F469y\uFFFDb");
  EXPECT_EQ(Show(Call(kField, kText, "SetCaretOffset", "i", 4)), "true");
  EXPECT_EQ(Caret(), "(4)");
}

TEST_F(MockAppTest, Gtk3HasOneSelectionThatIsAddedOrSet) {
  Start(Script("gtk"));
  const auto add = [&](int32_t begin, int32_t end) {
    return Show(Call(kField, kText, "AddSelection", "ii", begin, end));
  };
  const auto set = [&](int32_t index, int32_t begin, int32_t end) {
    return Show(Call(kField, kText, "SetSelection", "iii", index, begin, end));
  };
  const auto remove = [&](int32_t index) {
    return Show(Call(kField, kText, "RemoveSelection", "i", index));
  };
  EXPECT_EQ(add(0, 1), "false");
  EXPECT_EQ(set(1, 0, 1), "false");
  EXPECT_EQ(GetSelection(), "1 2");
  EXPECT_EQ(set(0, 0, 3), "true");
  EXPECT_EQ(GetSelection(), "0 3");
  EXPECT_EQ(remove(1), "false");
  EXPECT_EQ(remove(0), "true");
  EXPECT_EQ(Show(Call(kField, kText, "GetNSelections")), "0");
  EXPECT_EQ(Caret(), "(3)");
  EXPECT_EQ(remove(0), "false");
  EXPECT_EQ(set(0, 0, 1), "false");
  EXPECT_EQ(add(0, 2), "true");
  EXPECT_EQ(GetSelection(), "0 2");
}

TEST_F(MockAppTest, OthersTakeEachSelectionForThatWhichTheyHave) {
  Start(Script("Qt"));
  EXPECT_EQ(Show(Call(kField, kText, "AddSelection", "ii", 0, 3)), "true");
  EXPECT_EQ(GetSelection(), "0 3");
  EXPECT_EQ(Show(Call(kField, kText, "RemoveSelection", "i", 0)), "true");
  EXPECT_EQ(Show(Call(kField, kText, "SetSelection", "iii", 0, 1, 3)), "true");
  EXPECT_EQ(GetSelection(), "1 3");
}

TEST_F(MockAppTest, TextAreaOfGtk4NeverAnswersWhenASelectionIsAdded) {
  Start(Script("GTK"));
  EXPECT_EQ(CallTo(name_, kField, kText, "AddSelection", kShort, "ii", 0, 3),
            nullptr);
  EXPECT_EQ(GetSelection(), "1 2");
}

TEST_F(MockAppTest, EntryOfGtk4AddsASelection) {
  Start(Script("GTK", "", "text-field"));
  EXPECT_EQ(Show(Call(kField, kText, "AddSelection", "ii", 0, 3)), "true");
  EXPECT_EQ(GetSelection(), "0 3");
}

TEST_F(MockAppTest, WhatCannotBeChangedAnswersFalse) {
  Start(R"({"applications": [{"id": "app:7", "elements": [
              {"path": "/text", "text": "abc", "value_settable": false}]}],
            "windows": [{"application": "app:7", "active": true}]})");
  EXPECT_EQ(Delete(0, 1), "false");
  EXPECT_EQ(GetText(0, -1), "abc");
}

TEST_F(MockAppTest, WriteThatIsNeverAnsweredHasLanded) {
  Start(
      Script("gtk", R"(, "hostilities": [{"name": "write_no_reply_landed"}])"));
  EXPECT_EQ(
      CallTo(name_, kField, kEditableText, "DeleteText", kShort, "ii", 0, 1),
      nullptr);
  EXPECT_EQ(GetText(0, -1), "\U0001F469b");
}

TEST_F(MockAppTest, LateWriteComesThoughNobodyCalls) {
  Start(Script("gtk", R"(, "hostilities": [
                   {"name": "write_late", "parameter": 60}])"));
  ASSERT_GE(sd_bus_add_match(
                client_, nullptr,
                "type='signal',interface='org.a11y.atspi.Event.Object',"
                "member='TextChanged'",
                [](sd_bus_message*, void* told, sd_bus_error*) {
                  *static_cast<bool*>(told) = true;
                  return 0;
                },
                &told_),
            0);
  EXPECT_EQ(Delete(0, 1), "true");
  EXPECT_EQ(GetText(0, -1), "a\U0001F469b");
  const absl::Time deadline = Clock::Real().Now() + absl::Seconds(10);
  while (!told_ && Clock::Real().Now() < deadline) {
    while (sd_bus_process(client_, nullptr) > 0) {
    }
    if (!told_) sd_bus_wait(client_, kShort);
  }
  EXPECT_TRUE(told_);
  EXPECT_EQ(GetText(0, -1), "\U0001F469b");
}

TEST_F(MockAppTest, ElementSwappedByAWriteGoesOnAnsweringWhatItHeld) {
  Start(
      Script("gtk", R"(, "hostilities": [{"name": "write_element_swapped"}])"));
  EXPECT_EQ(Delete(0, 1), "true");
  EXPECT_EQ(Insert(0, "A", 1), "true");
  EXPECT_EQ(GetText(0, -1), "a\U0001F469b");
  EXPECT_EQ(Caret(), "(2)");
  const char fresh[] = "/org/a11y/atspi/accessible/_2ftext_231";
  EXPECT_EQ(Matches(), absl::StrCat("[(", name_, " ", fresh, ")]"));
  EXPECT_EQ(Show(Call(fresh, kText, "GetText", "ii", 0, -1)), "A\U0001F469b");
}

TEST_F(MockAppTest, WrongTypesArriveAsSuch) {
  Start(Script("gtk", R"(, "hostilities": [{"name": "wrong_type"}])"));
  std::string signatures;
  for (int i = 0; i < 20; ++i) {
    const Reply reply = Call(kField, kAccessible, "GetRole");
    ASSERT_NE(reply, nullptr) << error_;
    const std::string signature = sd_bus_message_get_signature(reply.get(), 1);
    EXPECT_NE(signature, "u");
    if (signatures.find(signature) == std::string::npos) {
      signatures += signature;
    }
  }
  EXPECT_GT(signatures.size(), 4u);
}

TEST_F(MockAppTest, LostPermissionIsAnErrorReply) {
  Start(Script("gtk", R"(, "hostilities": [{"name": "permission_lost"}])"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")),
            SD_BUS_ERROR_ACCESS_DENIED);
}

TEST_F(MockAppTest, ColdTreeIsEmptyHoweverItIsAskedFor) {
  Start(Script("gtk", R"(, "hostilities": [
                   {"name": "cold_time", "parameter": 60000}])"));
  EXPECT_EQ(Matches(), "[]");
  EXPECT_EQ(Show(Call(kWindow, kAccessible, "GetChildren")), "[]");
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), SD_BUS_ERROR_FAILED);
}

TEST_F(MockAppTest, HugeTextComesWholeAndInPart) {
  Start(Script("gtk", R"(, "hostilities": [
                   {"name": "huge_text", "parameter": 10485760}])"));
  EXPECT_EQ(Show(Get(kField, kText, "CharacterCount")), "(10485760)");
  EXPECT_EQ(GetText(0, -1).size(), size_t{10485760});
  EXPECT_EQ(GetText(5, 8), "aaa");
}

TEST_F(MockAppTest, TextThatTheBusCannotCarryIsReplaced) {
  Start(Script("gtk", R"(, "hostilities": [{"name": "split_surrogates"}])"));
  EXPECT_EQ(GetText(1, 2), "\uFFFD\U0001F469\uFFFD");
}

TEST_F(MockAppTest, OddTextComesAsFarAsTheBusCarriesIt) {
  Start(Script("gtk", R"(, "hostilities": [{"name": "odd_text"}])"));
  EXPECT_EQ(GetText(0, 5), "a\uFFFDb\r\n");
}

TEST_F(MockAppTest, EventsComeAtTheirTimeAndFromTheApplication) {
  // The action is a message of the script's, so that the match is in place
  // before it happens.
  Start(Script("gtk", R"(, "actions": [
                   {"do": "type", "text": "x", "before": 0},
                   {"do": "focus", "path": "/text", "before": 0}])"));
  std::vector<std::string> seen;
  const auto on_signal = [](sd_bus_message* m, void* userdata,
                            sd_bus_error*) -> int {
    const char* detail = "";
    sd_bus_message_read_basic(m, 's', &detail);
    static_cast<std::vector<std::string>*>(userdata)->push_back(absl::StrCat(
        sd_bus_message_get_sender(m), " ", sd_bus_message_get_path(m), " ",
        sd_bus_message_get_member(m), " ", detail, " ",
        sd_bus_message_get_signature(m, 1)));
    return 0;
  };
  ASSERT_GE(sd_bus_match_signal(client_, nullptr, nullptr, nullptr,
                                "org.a11y.atspi.Event.Object", nullptr,
                                on_signal, &seen),
            0);
  // Its reply comes after the signals.
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  while (sd_bus_process(client_, nullptr) > 0) {
  }
  const std::string from = absl::StrCat(name_, " ", kField, " ");
  EXPECT_EQ(seen, (std::vector<std::string>{
                      from + "TextChanged insert siiva{sv}",
                      from + "TextCaretMoved  siiva{sv}",
                      from + "StateChanged focused siiva{sv}"}));
}

TEST_F(MockAppTest, ApplicationThatRestartsComesBackUnderANewName) {
  Start(Script("gtk", R"(, "actions": [
                   {"do": "restart", "before": 1}])"));
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u61");
  (void)Call(kField, kAccessible, "GetRole");
  // The one that took its place registers before the registry answers again,
  // or soon after: ask until it is there.
  std::string children;
  const absl::Time deadline = Clock::Real().Now() + absl::Seconds(10);
  do {
    children = Show(CallTo("org.a11y.atspi.Registry", kRoot, kAccessible,
                           "GetChildren", kLong, ""));
  } while (
      (children == "[]" || children.find(name_ + " ") != std::string::npos) &&
      Clock::Real().Now() < deadline);
  EXPECT_EQ(children.substr(0, 3), "[(:");
  EXPECT_EQ(children.find(name_ + " "), std::string::npos);
}

TEST_F(MockAppTest, LogTellsWhatWasAskedOfSecureFields) {
  const std::string path =
      absl::StrCat(std::getenv("TEST_TMPDIR"), "/messages");
  Start(Script("gtk", "", "password"), {"--registry", "--log", path});
  EXPECT_EQ(Show(Call(kField, kAccessible, "GetRole")), "u40");
  EXPECT_EQ(GetText(1, 2), "\U0001F469");
  std::ifstream file(path);
  std::stringstream log;
  log << file.rdbuf();
  EXPECT_EQ(log.str(),
            "0\tread\tapp:7\t/text\trole\t0\t0\tsecure\n"
            "1\tread\tapp:7\t/text\ttext\t1\t2\tsecure\n");
}

TEST_F(MockAppTest, LogTellsWhatWasWrittenToSecureFields) {
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/writes");
  Start(Script("gtk", "", "password"), {"--registry", "--log", path});
  EXPECT_EQ(Delete(0, 1), "true");
  EXPECT_EQ(Insert(1, "x", 1), "true");
  std::ifstream file(path);
  std::stringstream log;
  log << file.rdbuf();
  EXPECT_EQ(log.str(),
            "0\twrite\tapp:7\t/text\tdelete\t0\t1\tsecure\n"
            "1\twrite\tapp:7\t/text\tinsert\t1\t1\tsecure\n");
}

TEST(MockAppStartTest, WrongScriptsAndOptionsAreRefused) {
  const absl::StatusOr<std::unique_ptr<PrivateBus>> bus = PrivateBus::Start();
  ASSERT_TRUE(bus.ok()) << bus.status();
  EXPECT_FALSE(MockProcess::Start(kBinary, **bus, "[]", {}).ok());
  EXPECT_FALSE(MockProcess::Start(kBinary, **bus, "{}", {"--dance"}).ok());
  EXPECT_FALSE(
      MockProcess::Start(kBinary, **bus, "{}", {"--patience-ms", "-1"}).ok());
  EXPECT_FALSE(MockProcess::Start("/nowhere", **bus, "{}", {}).ok());
}

TEST(MockAppStartTest, BusWithoutARegistryStillHasItsApplications) {
  const absl::StatusOr<std::unique_ptr<PrivateBus>> bus = PrivateBus::Start();
  ASSERT_TRUE(bus.ok()) << bus.status();
  const absl::StatusOr<std::unique_ptr<MockProcess>> mock =
      MockProcess::Start(kBinary, **bus, Script("gtk"), {});
  ASSERT_TRUE(mock.ok()) << mock.status();
  EXPECT_EQ((*mock)->bus_name("app:7").substr(0, 1), ":");
}

}  // namespace
}  // namespace tactus::ax::mock
