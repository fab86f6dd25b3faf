// The command line of `tactus`, read into plain data.
//
// The one unit that includes CLI11: its header is costly to compile, and it
// throws, which nothing above this does.
//
// Example:
//
//   const std::variant<Arguments, Ending> parsed = ParseArguments(argc, argv);
#ifndef TACTUS_TOOLS_TACTUS_ARGUMENTS_H_
#define TACTUS_TOOLS_TACTUS_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "ax/edit/stream.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

inline constexpr char kVersion[] = "0.1.0";

// Of the commands that edit.
struct EditArguments {
  std::optional<std::string> text;  // absent: it comes from standard input
  std::optional<ax::Range> range;
  std::optional<std::string> old_text;
  std::optional<ax::SnapshotToken> snapshot;
  std::optional<std::string> expect;
  bool newlines = false;
  bool split_characters = false;
  bool paste = true;
  bool whole_value = false;
  bool keystrokes = false;
  ax::WhenMoved when_moved = ax::WhenMoved::kHold;  // stream
  absl::Duration hold_for = absl::Seconds(30);      // stream
};

// Of the commands for other devices.
struct PeerArguments {
  std::string code;  // pair: as typed; empty: show one
  std::string at;    // pair: "HOST:PORT"; may be empty
  std::string name;  // pair: what to call the peer; empty: what it says
  absl::Duration wait = absl::Minutes(5);  // pair: how long the code is good
  std::string peer;                        // forget: a name or an id
  int64_t question = 0;                    // approve: its number
  bool refuse = false;                     // approve
};

// Of `send`.
struct SendArguments {
  std::vector<std::string> paths;  // as typed; "-" is standard input
  std::string peer;                // a name or an id
  std::string folder;              // beneath the peer's; may be empty
  std::string name;                // of standard input there
  bool sha256 = false;
};

// Of `receive`.
struct ReceiveArguments {
  std::string peer;                                // a name or an id
  absl::Duration wait = absl::InfiniteDuration();  // for its offer
};

// Of `bench`.
struct BenchArguments {
  std::string peer;       // a name or an id
  int64_t max_mib = 128;  // the largest size that is sent
  int rounds = 5;         // of each size
  bool record = false;    // append rows to a ledger
  std::string ledger;     // its folder; empty: that of the repository
};

// Of `expose`, `unexpose` and the commands of `mcp`.
struct McpArguments {
  std::string server;                // its name
  std::string peer;                  // a name or an id; may be empty
  std::vector<std::string> command;  // as typed; empty: one that is kept
  bool focused_text = false;
  bool write = false;
  bool ask = true;
  bool errors = false;  // connect: the server's standard error too
  bool relay = false;   // connect: carry the bytes in this process
  // serve: whom it serves; empty: this machine.
  std::string for_peer;
};

struct Arguments {
  enum class Command {
    kSnapshot,
    kWatch,
    kApps,
    kDoctor,
    kReplace,
    kInsert,
    kSet,
    kUndo,
    kStream,
    kTry,
    kStatus,
    kPause,
    kResume,
    kPair,
    kForget,
    kApprove,
    kMcpServe,
    kMcpConnect,
    kMcpConfig,
    kExpose,
    kExposed,
    kUnexpose,
    kAudit,
    kSend,
    kReceive,
    kBench,
  };

  Command command = Command::kSnapshot;
  bool json = false;
  bool daemon = true;   // use one that runs
  absl::Duration wait;  // --in: before anything is read
  absl::Duration deadline = absl::Milliseconds(500);
  int64_t max_text = 65536;  // code points
  int64_t context = 1000;    // code points
  bool text = false;         // watch: text and selection too
  absl::Duration run_for = absl::InfiniteDuration();
  int64_t count = 0;              // watch: lines, 0 for no end
  std::string launcher_override;  // doctor: the launcher's name
  EditArguments edit;
  PeerArguments peer;
  SendArguments send;
  ReceiveArguments receive;
  BenchArguments bench;
  McpArguments mcp;
};

// The command line asked for no command: print these and exit.
struct Ending {
  ExitCode code = ExitCode::kDone;
  std::string out;    // for standard output
  std::string error;  // for standard error
};

std::variant<Arguments, Ending> ParseArguments(int argc,
                                               const char* const* argv);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_ARGUMENTS_H_
