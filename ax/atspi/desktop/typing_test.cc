// Edits of a real application while somebody types into the same field. What
// each reports is held against what the application itself holds afterwards.
//
// That can be told exactly, since the typist types letters that no text of ours
// has: without them, what is held must be what was held before with the edit
// carried out where it was called verified, and without it where it was refused
// or failed: nothing of ours may be there, and nothing gone, not even by a key
// of the typist in what was selected to be pasted over. What diverged or is
// unknown is counted, and may have landed once.
//
// The first argument says how many edits. $TACTUS_SEED repeats what is asked
// and typed; when either comes the application decides anew each time.
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/field.h"
#include "ax/atspi/desktop/record.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "ax/x11/input.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

using Random = std::mt19937;

// What the typist types, in whichever case the application makes of it.
constexpr std::string_view kTyped = "jkmpqvwxyzJKMPQVWXYZ";
constexpr std::string_view kDigits = "jkmpqvwx";  // between two z: how many
constexpr int kLongest = 600;                     // of bytes, then start anew

int edit_count = 50;

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

int Pick(Random& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

std::string WithoutTyped(std::string_view text) {
  std::string left;
  for (const char c : text) {
    if (kTyped.find(c) == std::string_view::npos) left.push_back(c);
  }
  return left;
}

std::string Name(const EditResult& result) {
  std::string name(OutcomeName(result.outcome));
  if (result.reason != Reason::kNone) {
    absl::StrAppend(&name, ", ", ReasonName(result.reason));
  }
  return name;
}

// Types letters on a connection of its own, for as long as it is told to.
class Typist {
 public:
  explicit Typist(std::unique_ptr<x11::X11Input> input)
      : input_(std::move(input)) {}
  ~Typist() { Stop(); }

  void Start(uint32_t seed, int most_pause_ms) {
    stop_ = false;
    thread_ = std::thread([this, seed, most_pause_ms] {
      Random random(seed);
      while (!stop_) {
        Type(Pick(random, 0, 1) == 0 ? "x" : "y");
        const absl::Time next =
            Clock::Real().Now() +
            absl::Milliseconds(Pick(random, 0, most_pause_ms));
        while (!stop_ && Clock::Real().Now() < next) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }
    });
  }

  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  // Only while stopped.
  void Type(const std::string& letters) {
    const absl::Status typed = input_->Type(letters, Soon());
    if (!typed.ok()) status_ = typed;
    typed_ += static_cast<int>(letters.size());
  }

  int typed() const { return typed_; }
  const absl::Status& status() const { return status_; }

 private:
  const std::unique_ptr<x11::X11Input> input_;
  std::atomic<bool> stop_ = true;
  int typed_ = 0;
  absl::Status status_;
  std::thread thread_;
};

// What is asked for, in terms of the text without what was typed.
struct Asked {
  Edit edit;
  std::string operation;
  std::string marker;  // what is written; empty where something is deleted
  std::string word;    // what is replaced; empty where nothing is
};

class TypingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<AtspiServer>> server =
        AtspiServer::Connect({}, Soon());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    input_ = OpenInput();
    ASSERT_NE(input_, nullptr);
    std::unique_ptr<x11::X11Input> keys = OpenInput();
    ASSERT_NE(keys, nullptr);
    typist_ = std::make_unique<Typist>(std::move(keys));
    field_ = std::make_unique<Field>(input_.get());
    editor_ = std::make_unique<Editor>(server_.get(), input_.get());
    field_->Focus("text");
  }

  static std::unique_ptr<x11::X11Input> OpenInput() {
    absl::StatusOr<std::unique_ptr<x11::X11Input>> input =
        x11::OpenX11Input({}, Soon());
    EXPECT_TRUE(input.ok()) << input.status();
    return input.ok() ? *std::move(input) : nullptr;
  }

  void StartAnew() {
    field_->Reset("one héllo 👩‍👩‍👧 שלום end.");
    held_ = field_->Dump();
  }

  // The typist has stopped: what the application holds when it has got to the
  // last key. That is told by letters that it has not been sent before.
  std::string DumpWhenCaughtUp(int number) {
    std::string last;
    for (int rest = number; rest > 0 || last.empty(); rest /= 8) {
      last.push_back(kDigits[static_cast<size_t>(rest % 8)]);
    }
    last = absl::StrCat("z", last, "z");
    typist_->Type(last);
    const absl::Time end = Soon();
    std::string dump;
    do {
      dump = field_->Dump();
      if (absl::StrContains(absl::AsciiStrToLower(dump), last)) return dump;
    } while (Clock::Real().Now() < end && !HasFailure());
    ADD_FAILURE() << "the keys " << last << " never came: '" << dump << "'";
    return dump;
  }

  // A word of the text that is there once, but never the last one that is left.
  std::string SomeWord(Random& random) {
    const std::string text = WithoutTyped(held_);
    std::vector<std::string> words =
        absl::StrSplit(text, ' ', absl::SkipEmpty());
    if (words.size() < 3) return "";
    const std::string word = words[static_cast<size_t>(
        Pick(random, 0, static_cast<int>(words.size()) - 1))];
    const size_t at = text.find(word);
    return text.find(word, at + 1) == std::string::npos ? word : "";
  }

  Asked SomeEdit(Random& random, int number) {
    constexpr const char* kInner[] = {"", "👩‍👩‍👧🦊", "e\u0301",
                                      "שלום"};
    const std::string marker =
        absl::StrCat("‹", number, kInner[Pick(random, 0, 3)], "›");
    const std::string word = field_->is_terminal() ? "" : SomeWord(random);
    const int choice = word.empty() ? 0 : Pick(random, 0, 9);
    if (choice <= 2) {
      return {{.kind = Edit::Kind::kInsertAtCaret, .text = marker},
              "insert at caret",
              marker,
              ""};
    }
    if (choice <= 5) {
      return {
          {.kind = Edit::Kind::kReplaceText, .text = marker, .old_text = word},
          "replace text",
          marker,
          word};
    }
    if (choice <= 7) {
      return {{.kind = Edit::Kind::kReplaceText, .text = "", .old_text = word},
              "delete",
              "",
              word};
    }
    if (choice == 8) {
      return {{.kind = Edit::Kind::kReplaceRange, .text = marker},
              "replace range",
              marker,
              word};
    }
    return {{.kind = Edit::Kind::kSetValue, .text = marker + " one red end."},
            "set value",
            marker,
            ""};
  }

  // A range needs a snapshot to be meant by: taken while the typist types.
  bool Aim(Asked& asked) {
    const absl::StatusOr<Snapshot> snapshot =
        SnapshotFocused(*server_, {.deadline = Soon()});
    if (!snapshot.ok() || !snapshot->value.ok()) return false;
    const size_t at = snapshot->value->find(asked.word);
    if (at == std::string::npos) return false;
    const auto begin = static_cast<int64_t>(
        CodePointCount(std::string_view(*snapshot->value).substr(0, at)));
    asked.edit.range = {
        begin, begin + static_cast<int64_t>(CodePointCount(asked.word))};
    absl::StatusOr<SnapshotToken> token = DecodeToken(snapshot->token());
    if (!token.ok()) return false;
    asked.edit.snapshot = *std::move(token);
    return true;
  }

  static std::string Replaced(std::string text, const std::string& old,
                              const std::string& by) {
    const size_t at = text.find(old);
    return at == std::string::npos ? text : text.replace(at, old.size(), by);
  }

  static int Times(std::string_view text, std::string_view part) {
    int times = 0;
    for (size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + 1)) {
      ++times;
    }
    return times;
  }

  // Both without what was typed.
  static bool Landed(const Asked& asked, const std::string& before,
                     const std::string& now) {
    if (asked.edit.kind == Edit::Kind::kSetValue) {
      return now == asked.edit.text;
    }
    // The caret was wherever the typist had it.
    if (asked.word.empty()) {
      return Times(now, asked.marker) == 1 &&
             Replaced(now, asked.marker, "") == before;
    }
    return now == Replaced(before, asked.word, asked.marker);
  }

  std::unique_ptr<AtspiServer> server_;
  std::unique_ptr<x11::X11Input> input_;
  std::unique_ptr<Typist> typist_;
  std::unique_ptr<Field> field_;
  std::unique_ptr<Editor> editor_;
  std::string held_;
};

TEST_F(TypingTest, NoEditIsCalledWhatTheApplicationDoesNotHold) {
  const char* given = getenv("TACTUS_SEED");
  uint32_t seed = std::random_device()();
  if (given != nullptr) ASSERT_TRUE(absl::SimpleAtoi(given, &seed));
  std::cout << "TACTUS_SEED=" << seed << "\n";
  SCOPED_TRACE(absl::StrCat("TACTUS_SEED=", seed));
  Random random(seed);
  std::map<std::string, int> outcomes;
  StartAnew();
  for (int number = 1; number <= edit_count && !HasFailure(); ++number) {
    Asked asked = SomeEdit(random, number);
    // From faster than anybody types to now and then.
    constexpr int kPauses[] = {4, 20, 80, 300};
    typist_->Start(random(), kPauses[Pick(random, 0, 3)]);
    std::this_thread::sleep_for(std::chrono::milliseconds(Pick(random, 0, 30)));
    if (asked.operation == "replace range" && !Aim(asked)) {
      // The letters stand in the middle of the word.
      asked = {{.kind = Edit::Kind::kReplaceText,
                .text = asked.marker,
                .old_text = asked.word},
               "replace text",
               asked.marker,
               asked.word};
    }
    const EditResult result = editor_->Apply(asked.edit, {.deadline = Soon()});
    std::this_thread::sleep_for(std::chrono::milliseconds(Pick(random, 0, 5)));
    typist_->Stop();
    ASSERT_TRUE(typist_->status().ok()) << typist_->status();
    const std::string dump = DumpWhenCaughtUp(number);
    const std::string before = WithoutTyped(held_);
    const std::string now = WithoutTyped(dump);
    const std::string said = absl::StrCat(
        number, " ", asked.operation, ": ", Name(result), " by ",
        RungName(result.rung), ": ", result.message, "\nbefore: ", held_,
        "\nnow: ", dump, "\nread: ", result.after.value_or("nothing"));

    const bool landed = Landed(asked, before, now);
    bool agrees = true;
    switch (result.outcome) {
      case Outcome::kVerified:
        agrees = landed && result.after == result.expected;
        break;
      case Outcome::kRefused:
      case Outcome::kFailed:
        agrees = now == before;
        break;
      case Outcome::kDiverged:
      case Outcome::kUnknown:
        agrees = asked.marker.empty() || Times(now, asked.marker) <= 1;
        break;
    }
    EXPECT_TRUE(agrees) << said;
    ++outcomes[Name(result)];
    Record({.application = field_->application(),
            .operation = asked.operation,
            .text = "while typing",
            .field = "text",
            .agrees = agrees},
           result);
    held_ = dump;
    // A selection of a refused paste may be yet to come: it would be lost to
    // the keys of the next edit.
    if ((result.outcome == Outcome::kRefused && result.rung == Rung::kPaste) ||
        result.outcome == Outcome::kDiverged ||
        result.outcome == Outcome::kUnknown || dump.size() > kLongest ||
        now.size() < 10) {
      StartAnew();
    }
  }
  int edits = 0;
  for (const auto& [outcome, times] : outcomes) {
    std::cout << times << " " << outcome << "\n";
    edits += times;
  }
  std::cout << typist_->typed() << " keys typed\n";
  EXPECT_EQ(edits, edit_count);
  // Else nothing was tried: both sides have to have been at work.
  EXPECT_GT(outcomes["verified"], 0);
  EXPECT_GT(typist_->typed(), edit_count);
}

}  // namespace
}  // namespace tactus::ax::atspi

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && !absl::SimpleAtoi(argv[1], &tactus::ax::atspi::edit_count)) {
    std::cerr << "the number of edits is no number: " << argv[1] << "\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
