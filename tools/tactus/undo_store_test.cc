#include "tools/tactus/undo_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ax/edit/editor.h"
#include "gtest/gtest.h"
#include "tools/tactus/json.h"

namespace tactus::cli {
namespace {

// Not the application's name and toolkit, which an undo has no use for.
ax::UndoRecord Record(const std::string& text = "quick") {
  ax::UndoRecord undo;
  undo.application.id = ":1.7";
  undo.application.pid = 812;
  undo.element = {":1.7", "/org/a11y/atspi/accessible/3"};
  undo.range = {4, 8};
  undo.text = text;
  undo.window_begin = 2;
  undo.expected = absl::StrCat("e slow", text);
  return undo;
}

class UndoStoreTest : public testing::Test {
 protected:
  UndoStoreTest() : runtime_(testing::TempDir() + "/undo.XXXXXX") {
    EXPECT_NE(mkdtemp(runtime_.data()), nullptr);
  }
  std::string folder() const { return runtime_ + "/tactus"; }
  std::string file() const { return folder() + "/undo.json"; }
  UndoStore store() const { return UndoStore(folder()); }

  void MakeFolder(mode_t mode) {
    ASSERT_EQ(mkdir(folder().c_str(), 0700), 0);
    ASSERT_EQ(chmod(folder().c_str(), mode), 0);
  }
  void WriteFile(const std::string& text) {
    MakeFolder(0700);
    std::ofstream(file()) << text;
  }
  std::string Kept() const {
    const absl::StatusOr<ax::UndoRecord> undo = store().Load();
    return undo.ok() ? undo->text : undo.status().ToString();
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat found;
    EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
    return found.st_mode & 07777;
  }
  // What lies in a folder.
  static std::vector<std::string> In(const std::string& path) {
    std::vector<std::string> names;
    DIR* dir = opendir(path.c_str());
    if (dir == nullptr) return {"no folder"};
    while (const dirent* entry = readdir(dir)) {
      if (entry->d_name[0] != '.') names.push_back(entry->d_name);
    }
    closedir(dir);
    return names;
  }
  using Names = std::vector<std::string>;

  std::string runtime_;
};

TEST_F(UndoStoreTest, FolderAndFileAreForTheirOwnerAlone) {
  const mode_t before = umask(0);
  EXPECT_TRUE(store().Save(Record()).ok());
  umask(before);
  EXPECT_EQ(ModeOf(folder()), 0700u);
  EXPECT_EQ(ModeOf(file()), 0600u);
  EXPECT_EQ(In(folder()), Names{"undo.json"});
}

TEST_F(UndoStoreTest, EveryTextComesBackAsItWas) {
  for (const std::string& text :
       {std::string(),
        std::string("שלום 👩‍👩‍👧\xF4\x8F\xBF\xBF"),
        std::string("\"\\\n\r\t\x1b\x7f\xC2\x9b\xE2\x80\xAE"),
        std::string("a\0b", 3), std::string(1 << 20, 'x')}) {
    ASSERT_TRUE(store().Save(Record(text)).ok());
    const absl::StatusOr<ax::UndoRecord> undo = store().Load();
    ASSERT_TRUE(undo.ok()) << undo.status();
    EXPECT_EQ(*undo, Record(text));
  }
}

TEST_F(UndoStoreTest, TextThatNoFileCanHoldIsNotKeptOtherwise) {
  ASSERT_TRUE(store().Save(Record()).ok());
  EXPECT_EQ(store().Save(Record("\xED\xA0\xBD")),
            absl::FailedPreconditionError(
                "the edit cannot be undone later: the field holds what is not "
                "valid UTF-8"));
  EXPECT_EQ(In(folder()), Names{});
  ax::UndoRecord undo = Record();
  undo.expected = "\xED\xA0\xBD";
  EXPECT_FALSE(store().Save(undo).ok());
}

TEST_F(UndoStoreTest, EditThatIsTooLongToReadBackIsNotKept) {
  ASSERT_TRUE(store().Save(Record()).ok());
  EXPECT_EQ(store().Save(Record(std::string((4 << 20) + 1, 'x'))),
            absl::FailedPreconditionError(
                "the edit cannot be undone later: the text takes more than "
                "8388608 bytes"));
  // Nor is the edit before it: it is not the last one.
  EXPECT_EQ(In(folder()), Names{});
  EXPECT_TRUE(absl::IsNotFound(store().Load().status()));
}

TEST_F(UndoStoreTest, LaterEditTakesThePlaceOfTheOneBefore) {
  ASSERT_TRUE(store().Save(Record("one")).ok());
  struct stat before;
  ASSERT_EQ(stat(file().c_str(), &before), 0);
  // Whoever has it open reads what it was.
  std::ifstream open(file());
  ASSERT_TRUE(store().Save(Record("two")).ok());
  struct stat after;
  ASSERT_EQ(stat(file().c_str(), &after), 0);
  EXPECT_NE(before.st_ino, after.st_ino);
  std::string line;
  ASSERT_TRUE(std::getline(open, line));
  EXPECT_EQ(line + "\n", UndoJson(Record("one")));
  EXPECT_EQ(Kept(), "two");
  EXPECT_EQ(In(folder()), Names{"undo.json"});
}

TEST_F(UndoStoreTest, FolderThatOthersCanUseIsRefusedWithTheRemedy) {
  for (const mode_t mode : {0750, 0701, 0770, 0777}) {
    rmdir(folder().c_str());
    MakeFolder(mode);
    EXPECT_EQ(store().Save(Record()),
              absl::FailedPreconditionError(absl::StrCat(
                  "the edit cannot be undone later: ", folder(),
                  " is not a folder of yours alone; remove it, or chmod it to "
                  "700")));
    EXPECT_EQ(In(folder()), Names{});
  }
}

TEST_F(UndoStoreTest, RecordInAFolderThatOthersCanUseIsNotBelieved) {
  ASSERT_TRUE(store().Save(Record()).ok());
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  EXPECT_EQ(store().Load().status(),
            absl::FailedPreconditionError(
                absl::StrCat(folder(),
                             " is not a folder of yours alone; remove it, or "
                             "chmod it to 700")));
}

TEST_F(UndoStoreTest, LinkInThePlaceOfTheFolderIsRefused) {
  const std::string other = runtime_ + "/other";
  ASSERT_EQ(mkdir(other.c_str(), 0700), 0);
  ASSERT_EQ(symlink(other.c_str(), folder().c_str()), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(store().Save(Record())));
  EXPECT_EQ(In(other), Names{});
  std::ofstream(other + "/undo.json") << UndoJson(Record());
  EXPECT_TRUE(absl::IsFailedPrecondition(store().Load().status()));
}

TEST_F(UndoStoreTest, FileInThePlaceOfTheFolderIsRefused) {
  std::ofstream(folder()) << "mine";
  EXPECT_TRUE(absl::IsFailedPrecondition(store().Save(Record())));
  EXPECT_TRUE(absl::IsFailedPrecondition(store().Load().status()));
}

TEST_F(UndoStoreTest, LinkInThePlaceOfTheFileIsNamedWithTheRemedy) {
  MakeFolder(0700);
  const std::string other = runtime_ + "/other";
  std::ofstream(other) << UndoJson(Record());
  ASSERT_EQ(symlink(other.c_str(), file().c_str()), 0);
  EXPECT_EQ(store().Load().status(),
            absl::InvalidArgumentError(
                absl::StrCat(file(), ": it is a symbolic link; remove it")));
  // It is replaced, and what it leads to stays.
  EXPECT_TRUE(store().Save(Record("new")).ok());
  EXPECT_EQ(Kept(), "new");
  std::ifstream still(other);
  std::string line;
  ASSERT_TRUE(std::getline(still, line));
  EXPECT_EQ(line + "\n", UndoJson(Record()));
}

TEST_F(UndoStoreTest, PipeInThePlaceOfTheFileIsNotWaitedFor) {
  MakeFolder(0700);
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(store().Load().status(),
            absl::InvalidArgumentError(
                absl::StrCat(file(), ": it is no file; remove it")));
}

TEST_F(UndoStoreTest, TornFileIsNamedWithTheRemedy) {
  const std::string whole = UndoJson(Record());
  WriteFile("");
  // The newline at the end is no part of what is needed.
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    std::ofstream(file(), std::ios::trunc) << whole.substr(0, length);
    ASSERT_EQ(store().Load().status(),
              absl::InvalidArgumentError(absl::StrCat(
                  file(), ": it is no record of an edit; remove it")))
        << length;
  }
}

TEST_F(UndoStoreTest, FileOfAnotherKindIsNamedWithTheRemedy) {
  WriteFile("{\"schema\":\"tactus.undo/2\"}\n");
  const absl::Status status = store().Load().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(status.message(),
            absl::StrCat(file(), ": it is no record of an edit; remove it"));
}

TEST_F(UndoStoreTest, FileThatIsTooLongIsNamedWithTheRemedy) {
  WriteFile(std::string((8 << 20) + 1, ' '));
  EXPECT_EQ(
      store().Load().status(),
      absl::InvalidArgumentError(absl::StrCat(
          file(), ": it is too long for a record of an edit; remove it")));
}

TEST_F(UndoStoreTest, NothingIsKeptWithoutARuntimeFolder) {
  for (const char* value : {"", "relative", "./x"}) {
    ASSERT_EQ(setenv("XDG_RUNTIME_DIR", value, 1), 0);
    EXPECT_EQ(UndoStore::DefaultFolder(), "") << value;
  }
  ASSERT_EQ(unsetenv("XDG_RUNTIME_DIR"), 0);
  EXPECT_EQ(UndoStore::DefaultFolder(), "");
  const UndoStore nowhere(UndoStore::DefaultFolder());
  EXPECT_EQ(nowhere.Save(Record()),
            absl::FailedPreconditionError("the edit cannot be undone later: "
                                          "XDG_RUNTIME_DIR is not set"));
  EXPECT_EQ(nowhere.Load().status(),
            absl::NotFoundError("no edit was kept to undo"));
  EXPECT_TRUE(nowhere.Clear().ok());
  ASSERT_EQ(setenv("XDG_RUNTIME_DIR", "/run/user/7", 1), 0);
  EXPECT_EQ(UndoStore::DefaultFolder(), "/run/user/7/tactus");
}

TEST_F(UndoStoreTest, RuntimeFolderThatIsNotThereIsNamed) {
  const UndoStore store(runtime_ + "/none/tactus");
  EXPECT_TRUE(absl::StrContains(store.Save(Record()).message(),
                                runtime_ + "/none/tactus"));
  EXPECT_TRUE(absl::IsNotFound(store.Load().status()));
}

TEST_F(UndoStoreTest, ClearedStoreHoldsNothingAndCanBeClearedAgain) {
  EXPECT_TRUE(store().Clear().ok());
  ASSERT_TRUE(store().Save(Record()).ok());
  EXPECT_TRUE(store().Clear().ok());
  EXPECT_EQ(In(folder()), Names{});
  EXPECT_TRUE(absl::IsNotFound(store().Load().status()));
  EXPECT_TRUE(store().Clear().ok());
}

}  // namespace
}  // namespace tactus::cli
