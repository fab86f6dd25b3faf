#include "tools/tactusd/dispatcher.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/lane.h"
#include "tools/tactusd/long_calls.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/text_service.h"
#include "tools/tactusd/watches.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using control::Code;
using control::Error;
using control::ErrorLine;
using control::Quoted;
using control::ResultLine;
using control::StreamCall;

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

absl::string_view KindName(LinkState::Kind kind) {
  switch (kind) {
    case LinkState::Kind::kConnected:
      return "connected";
    case LinkState::Kind::kConnecting:
      return "connecting";
    case LinkState::Kind::kDisconnected:
      return "disconnected";
    case LinkState::Kind::kPaused:
      return "paused";
  }
  return "disconnected";
}

std::string OrNull(const std::string& text) {
  return text.empty() ? "null" : Quoted(text);
}

Error Busy(std::string message) { return {Code::kBusy, std::move(message)}; }

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options)
    : options_(std::move(options)),
      service_(options_.source, options_.store, options_.clock, options_.log),
      begun_(options_.clock->Now()),
      watches_(options_.source, options_.sink, options_.spawn),
      long_calls_(options_.sink, options_.spawn) {
  edits_.set_idle([this] { service_.Settle(); });
}

void Dispatcher::Open(int64_t client) {
  MutexLock lock(&mutex_);
  clients_[client].stream = std::make_shared<std::unique_ptr<StreamSession>>();
}

void Dispatcher::LongLine(int64_t client) {
  options_.sink->Send(
      client, ErrorLine("null", {Code::kInvalidRequest,
                                 absl::StrCat("a line is longer than ",
                                              control::kMostRequest,
                                              " bytes: it was left out")}));
}

void Dispatcher::Descriptors(
    int64_t client, std::vector<transfer::files::UniqueFd> descriptors) {
  (void)client;
  descriptors_ = std::move(descriptors);
}

void Dispatcher::Line(int64_t client, absl::string_view line) {
  // What is no request that takes them closes them.
  const auto descriptors =
      std::make_shared<std::vector<transfer::files::UniqueFd>>(
          std::exchange(descriptors_, {}));
  const std::variant<control::Request, control::Fault> read =
      control::ReadRequest(line);
  if (const auto* fault = std::get_if<control::Fault>(&read)) {
    options_.sink->Send(client, ErrorLine(fault->id, fault->error));
    return;
  }
  const auto& request = std::get<control::Request>(read);
  const std::variant<control::Call, Error> call = control::ReadCall(request);
  if (!request.id.has_value()) {
    // Nobody would hear how an edit ended, so it is not begun.
    if (const auto* known = std::get_if<control::Call>(&call)) {
      if (const auto* cancel = std::get_if<control::CancelCall>(known)) {
        Cancel(client, cancel->id);
      }
    }
    return;
  }
  const std::string& id = *request.id;
  std::optional<Error> error;
  {
    MutexLock lock(&mutex_);
    std::set<std::string>& pending = clients_[client].pending;
    if (pending.count(id) > 0) {
      error =
          Error{Code::kInvalidRequest, "a request with this id is under way"};
    } else if (pending.size() >= kMostPending) {
      error = Busy(
          absl::StrCat(kMostPending, " requests of this client are under way"));
    } else if (stopping_) {
      error = Error{Code::kStopping, "the daemon is ending"};
    } else {
      pending.insert(id);
    }
  }
  if (error.has_value()) {
    options_.sink->Send(client, ErrorLine(id, *error));
    return;
  }
  if (DoByModule(client, id, request, descriptors)) return;
  if (const auto* wrong = std::get_if<Error>(&call)) {
    Answer(client, id, ErrorLine(id, *wrong));
    return;
  }
  Do(client, id, std::get<control::Call>(call));
}

bool Dispatcher::DoByModule(
    int64_t client, const std::string& id, const control::Request& request,
    const std::shared_ptr<std::vector<transfer::files::UniqueFd>>&
        descriptors) {
  if (options_.methods == nullptr) return false;
  const auto answer = [this, client, id](const Reply& reply) {
    const auto* result = std::get_if<std::string>(&reply);
    return Answer(client, id,
                  result != nullptr ? ResultLine(id, *result)
                                    : ErrorLine(id, std::get<Error>(reply)));
  };
  if (const auto* brief = options_.methods->FindBrief(request.method)) {
    answer((*brief)(*request.params));
    return true;
  }
  if (Methods::Long run =
          options_.methods->StartLong(request.method, *request.params)) {
    const bool started = long_calls_.Start(
        {.client = client,
         .id = id,
         .params = request.params,
         .run = std::move(run),
         .descriptors = descriptors,
         .answered = [this, client, method = request.method,
                      answer](const Reply& reply) {
           if (!answer(reply)) {
             options_.log(absl::StrCat("client ", client, " went before its ",
                                       method, " ended"));
           }
         }});
    if (!started) {
      answer(Busy(absl::StrCat(LongCalls::kMost,
                               " long requests are under way already")));
    }
    return true;
  }
  if (const Error* why = options_.methods->FindRefusal(request.method)) {
    answer(*why);
    return true;
  }
  return false;
}

bool Dispatcher::Answer(int64_t client, const std::string& id,
                        std::string line) {
  if (line.size() > control::kMostAnswer) {
    line = ErrorLine(
        id, {Code::kInternal,
             absl::StrCat("the answer is longer than ", control::kMostAnswer,
                          " bytes: lower \"max_text\"")});
  }
  // Until it is sent: a client that has nothing pending and asks nothing more
  // is closed.
  MutexLock lock(&mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end()) return false;
  found->second.pending.erase(id);
  options_.sink->Send(client, std::move(line));
  return true;
}

void Dispatcher::Submit(Lane& lane, int64_t client, const std::string& id,
                        std::function<std::string()> run, bool partial,
                        bool supersedes) {
  const bool edits = &lane == &edits_;
  const bool taken = lane.Submit(
      {.client = client,
       .id = id,
       .partial = partial,
       .run =
           [this, edits, client, id, run = std::move(run)] {
             if (!Answer(client, id, run()) && edits) {
               options_.log(absl::StrCat("client ", client,
                                         " went before its edit ended"));
             }
           },
       .drop =
           [this, client, id](Lane::Why why) {
             std::string line;
             switch (why) {
               case Lane::Why::kSuperseded:
                 line = TextService::Superseded(id);
                 break;
               case Lane::Why::kCancelled:
                 line = ErrorLine(
                     id, {Code::kCancelled, "cancelled before it was begun"});
                 break;
               case Lane::Why::kClosed:
                 return;
               case Lane::Why::kStopping:
                 line = ErrorLine(id,
                                  {Code::kStopping,
                                   "the daemon is ending; this was not begun"});
                 break;
             }
             Answer(client, id, std::move(line));
           }},
      supersedes);
  if (!taken) {
    Answer(client, id,
           ErrorLine(id, Busy(absl::StrCat(Lane::kMostWaiting,
                                           " requests wait already"))));
  }
}

void Dispatcher::Do(int64_t client, const std::string& id,
                    const control::Call& call) {
  const absl::Time received = options_.clock->Now();
  const auto done = [&](absl::string_view result) {
    Answer(client, id, ResultLine(id, result));
  };
  std::visit(
      Overloaded{
          [&](const control::SnapshotCall& snapshot) {
            Submit(reads_, client, id, [this, id, snapshot, received] {
              return service_.Snapshot(id, snapshot, received);
            });
          },
          [&](const control::EditCall& edit) {
            Submit(edits_, client, id, [this, id, edit, received] {
              return service_.Edit(id, edit, received);
            });
          },
          [&](const control::FieldsCall& fields) {
            Submit(reads_, client, id, [this, id, fields, received] {
              return service_.Fields(id, fields, received);
            });
          },
          // With the edits, so that the focus never moves in the midst of one.
          [&](const control::FocusCall& focus) {
            Submit(edits_, client, id, [this, id, focus, received] {
              return service_.Focus(id, focus, received);
            });
          },
          [&](const StreamCall& stream) {
            Stream session;
            {
              MutexLock lock(&mutex_);
              session = clients_[client].stream;
              clients_[client].streams = true;
            }
            // What takes a partial out again needs it to be there.
            const bool text = stream.kind == StreamCall::Kind::kPartial ||
                              stream.kind == StreamCall::Kind::kFinal;
            Submit(
                edits_, client, id,
                [this, id, stream, received, session] {
                  return service_.Stream(id, stream, received, session.get());
                },
                /*partial=*/stream.kind == StreamCall::Kind::kPartial,
                /*supersedes=*/text);
          },
          [&](const control::WatchCall& watch) {
            StartWatch(client, id, watch);
          },
          [&](const control::UnwatchCall& unwatch) {
            if (watches_.Stop(client, unwatch.watch)) {
              done("{}");
            } else {
              Answer(client, id,
                     ErrorLine(id, {Code::kBadParams,
                                    "\"watch\" must be a watch of this client "
                                    "that is not over"}));
            }
          },
          [&](const control::StatusCall&) { done(StatusResult()); },
          [&](const control::PauseCall&) {
            options_.source->Pause();
            watches_.StopAll(absl::CancelledError("paused"));
            for (auto& [other, stream] : TakeStreams())
              EndStream(other, stream);
            done(R"({"paused":true})");
          },
          [&](const control::ResumeCall&) {
            options_.source->Resume();
            done(R"({"paused":false})");
          },
          [&](const control::CancelCall&) {
            Answer(client, id,
                   ErrorLine(id, {Code::kInvalidRequest,
                                  "$/cancel is a notification: it has no "
                                  "id of its own"}));
          },
      },
      call);
}

void Dispatcher::StartWatch(int64_t client, const std::string& id,
                            const control::WatchCall& call) {
  const bool started = watches_.Start(
      {.client = client,
       .call = call,
       .received = options_.clock->Now(),
       .answered =
           [this, client, id](const absl::StatusOr<int64_t>& watch) {
             Answer(client, id,
                    watch.ok() ? ResultLine(id, absl::StrCat(
                                                    "{\"watch\":", *watch, "}"))
                               : ErrorLine(id, NoDesk(watch.status())));
           },
       .over = [] {}});
  if (!started) {
    Answer(client, id,
           ErrorLine(id, Busy(absl::StrCat(Watches::kMost,
                                           " watches are there already"))));
  }
}

std::vector<std::pair<int64_t, Dispatcher::Stream>> Dispatcher::TakeStreams() {
  std::vector<std::pair<int64_t, Stream>> streams;
  MutexLock lock(&mutex_);
  for (auto& [client, state] : clients_) {
    if (std::exchange(state.streams, false)) {
      streams.emplace_back(client, state.stream);
    }
  }
  return streams;
}

void Dispatcher::Cancel(int64_t client, const std::string& id) {
  if (reads_.Cancel(client, id) || edits_.Cancel(client, id)) return;
  long_calls_.Cancel(client, id);
}

void Dispatcher::EndStream(int64_t client, Stream stream) {
  edits_.Submit({.client = client,
                 .always = true,
                 .run = [this, stream] { service_.EndStream(stream.get()); },
                 .drop = [](Lane::Why) {}});
}

void Dispatcher::End(int64_t client) {
  Stream stream;
  {
    MutexLock lock(&mutex_);
    const auto found = clients_.find(client);
    if (found == clients_.end()) return;
    if (std::exchange(found->second.streams, false)) {
      stream = found->second.stream;
    }
  }
  if (stream != nullptr) EndStream(client, std::move(stream));
}

void Dispatcher::Close(int64_t client) {
  End(client);
  {
    MutexLock lock(&mutex_);
    if (clients_.erase(client) == 0) return;
  }
  reads_.Close(client);
  edits_.Close(client);
  watches_.StopOf(client);
  long_calls_.Close(client);
}

size_t Dispatcher::Pending(int64_t client) {
  const size_t watches = watches_.CountOf(client);
  MutexLock lock(&mutex_);
  const auto found = clients_.find(client);
  return watches + (found == clients_.end() ? 0 : found->second.pending.size());
}

void Dispatcher::Stop() {
  for (auto& [client, stream] : TakeStreams()) EndStream(client, stream);
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
  }
  watches_.StopAll(absl::CancelledError("the daemon is ending"));
  long_calls_.StopAll();
  reads_.Stop();
  edits_.Stop();
}

bool Dispatcher::Done() {
  return !reads_.busy() && !edits_.busy() && edits_.waiting() == 0 &&
         watches_.count() == 0 && long_calls_.count() == 0;
}

std::string Dispatcher::StatusResult() {
  const LinkState link = options_.source->state();
  const About& about = options_.about;
  size_t clients = 0;
  size_t pending = 0;
  {
    MutexLock lock(&mutex_);
    clients = clients_.size();
    for (const auto& [number, client] : clients_) {
      pending += client.pending.size();
    }
  }
  std::vector<std::string> denied;
  denied.reserve(about.denied.size());
  for (const std::string& name : about.denied) denied.push_back(Quoted(name));
  return absl::StrCat(
      "{\"schema\":\"tactus.status/1\",\"version\":", Quoted(about.version),
      ",\"pid\":", about.pid, ",\"state\":", Quoted(KindName(link.kind)),
      ",\"why\":", OrNull(link.why), ",\"attempts\":", link.attempts,
      ",\"accessibility_bus\":", OrNull(link.bus),
      ",\"display\":", OrNull(link.display), ",\"uptime_ms\":",
      absl::ToInt64Milliseconds(options_.clock->Now() - begun_),
      // This request is one of them.
      ",\"clients\":", clients, ",\"pending\":", pending - 1,
      ",\"watches\":", watches_.count(),
      ",\"activated\":", about.activated ? "true" : "false",
      ",\"config\":", OrNull(about.config), ",\"denied\":[",
      absl::StrJoin(denied, ","), "]",
      options_.methods == nullptr ? "" : options_.methods->StatusMembers(),
      "}");
}

}  // namespace tactus::daemon
