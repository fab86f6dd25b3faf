// `tactus send`: files, folders or standard input to a peer, by the daemon; and
// `tactus receive`: what a peer sends to standard output.
//
// Example:
//
//   case Arguments::Command::kSend:
//     return Send(arguments, stop_fd);
#ifndef TACTUS_TOOLS_TACTUS_SEND_H_
#define TACTUS_TOOLS_TACTUS_SEND_H_

#include <boost/json/fwd.hpp>
#include <string>

#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

// Once `stop_fd` is readable the transfer is cancelled, and it is told how it
// ended by then.
ExitCode Send(const Arguments& arguments, int stop_fd);

// The same the other way: the daemon writes the next single file of a peer to
// this process' standard output.
ExitCode Receive(const Arguments& arguments, int stop_fd);

// What a terminal shows of a notification `files.progress`, on one line of at
// most 79 characters: "37 %  12.3 MB of 33.1 MB  4.1 MB/s  0:05 left".
std::string ProgressForPeople(const boost::json::object& progress);

// What became of it, in one line without its end; `result` is that of
// files.send.
std::string SentForPeople(const boost::json::object& result);

// 0 done; 5 done but for what was left out; 4 unknown; 1 all else.
ExitCode ExitCodeOfSent(const boost::json::object& result);

// What `tactus status` says of what moves, and of commands that wait for a
// file.
std::string MovingForPeople(const boost::json::object& status);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_SEND_H_
