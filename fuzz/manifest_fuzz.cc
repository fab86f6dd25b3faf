// Frames of a transfer: what is decoded encodes to the bytes it came from, no
// path that is decoded leads out, and no sequence of frames makes the receiving
// side write outside of its folder, make a link that leads out of it, make a
// file or a folder that others may write, take content that is not of its hash,
// or take a file after a link, through which it could be written.

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "transfer/files/assembler.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/path.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

constexpr char kWayOut[] = "../outside";
// What the destination's umask takes away.
constexpr mode_t kUmask = 022;
constexpr fs::perms kOfOthers = fs::perms{kUmask};

// A folder with a way out of it that nobody may take, and what lies outside.
class Inbox {
 public:
  Inbox() {
    const char* base = getenv("TEST_TMPDIR");
    root_ = std::string(base == nullptr ? "/tmp" : base) + "/manifest.XXXXXX";
    FUZZ_CHECK(mkdtemp(root_.data()) != nullptr);
    umask(kUmask);  // of folders the kernel takes it off
    FUZZ_CHECK(mkdir((root_ + "/outside").c_str(), 0700) == 0);
    FUZZ_CHECK(mkdir(folder().c_str(), 0700) == 0);
    FUZZ_CHECK(symlink(kWayOut, (folder() + "/out").c_str()) == 0);
  }
  ~Inbox() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  std::string folder() const { return root_ + "/inbox"; }
  void CheckOutside() const {
    FUZZ_CHECK(fs::is_empty(root_ + "/outside"));
    size_t entries = 0;
    for (const auto& entry : fs::directory_iterator(root_)) {
      (void)entry;
      ++entries;
    }
    FUZZ_CHECK(entries == 2);
  }
  void CheckInside() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
      const fs::file_status status = entry.symlink_status();
      if (fs::is_symlink(status)) {
        const fs::path target = fs::read_symlink(entry.path());
        const fs::path within = entry.path().lexically_relative(folder());
        if (within == "out" && target == kWayOut) continue;
        FUZZ_CHECK(target.is_relative());
        const fs::path leads =
            (within.parent_path() / target).lexically_normal();
        FUZZ_CHECK(leads.empty() || *leads.begin() != "..");
      } else {
        FUZZ_CHECK((status.permissions() & kOfOthers) == fs::perms::none);
      }
    }
  }

 private:
  std::string root_;
};

void Check(absl::string_view bytes) {
  std::unique_ptr<Inbox> inbox;
  std::unique_ptr<Destination> destination;
  Delivered delivered;
  std::unique_ptr<Assembler> assembler;
  bool links = false;
  while (true) {
    const auto head = DecodeFrameHead(bytes);
    if (!head.ok() || bytes.size() - kFrameHead < head->size) break;
    const absl::string_view body = bytes.substr(kFrameHead, head->size);
    auto frame = DecodeFrame(*head, body);
    if (!frame.ok()) break;
    FUZZ_CHECK(EncodeFrame(*frame) == bytes.substr(0, kFrameHead + head->size));
    bytes.remove_prefix(kFrameHead + head->size);
    Block content;
    bool as_hashed = true;
    if (auto* chunk = std::get_if<Chunk>(&*frame)) {
      content = Block::Take(chunk->bytes.size());
      std::memcpy(content.data(), chunk->bytes.data(), chunk->bytes.size());
      // So that it is not always refused by its hash.
      if (chunk->hash == Hash128()) chunk->hash = HashOf(chunk->bytes);
      as_hashed = chunk->hash == HashOf(chunk->bytes);
      chunk->bytes.clear();
    }
    bool late = false;
    if (const auto* entry = std::get_if<Entry>(&*frame)) {
      FUZZ_CHECK(CheckPath(entry->path).ok());
      FUZZ_CHECK(entry->mode <= 0777);
      late = links && (entry->type == EntryType::kFile ||
                       entry->type == EntryType::kFolder);
      links |= entry->type == EntryType::kLink;
    }
    if (inbox == nullptr) {
      inbox = std::make_unique<Inbox>();
      auto opened = Destination::Open(inbox->folder(), "", {.umask = kUmask});
      FUZZ_CHECK(opened.ok());
      destination = *std::move(opened);
      assembler = std::make_unique<Assembler>(destination.get(), &delivered,
                                              AssemblerOptions{.peer = "peer"});
    }
    if (std::holds_alternative<Turn>(*frame)) {
      if (!assembler->TakeTurn().ok()) break;
    } else if (!assembler->Apply(*std::move(frame), std::move(content)).ok()) {
      break;
    }
    FUZZ_CHECK(as_hashed && !late);
  }
  assembler.reset();
  if (inbox == nullptr) return;
  inbox->CheckOutside();
  inbox->CheckInside();
}

}  // namespace
}  // namespace tactus::transfer::files

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Longer ones only repeat, and each touches a disk.
  if (size > 4096) return -1;
  tactus::transfer::files::Check(
      absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
