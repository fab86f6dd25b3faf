#include "tools/desktop/control.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tactus::desktop {
namespace {

namespace json = boost::json;

// Room for the largest text that any measurement sets (10 MB), escaped.
constexpr size_t kLargestRequest = 64 << 20;

constexpr const char* kKinds[] = {"text", "entry", "password", "readonly"};

[[noreturn]] void Die(int status, const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(status);
}

int CodePoints(const std::string& text) {
  return static_cast<int>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

json::object ToJson(const FieldState& state) {
  json::object out{{"text", state.text}, {"caret", state.caret}};
  if (state.selection) {
    out["selection"] =
        json::array{state.selection->first, state.selection->second};
  } else {
    out["selection"] = nullptr;
  }
  return out;
}

json::object Error(const std::string& why) {
  return {{"ok", false}, {"error", why}};
}

json::object Handle(FieldWindow& window, const json::object& request) {
  const auto text_of = [&](const char* key) -> std::optional<std::string> {
    const json::value* value = request.if_contains(key);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(value->get_string());
  };
  const auto number_of = [&](const char* key) -> std::optional<int64_t> {
    const json::value* value = request.if_contains(key);
    if (value == nullptr || !value->is_int64()) return std::nullopt;
    return value->get_int64();
  };

  const std::string verb = text_of("do").value_or("");
  if (verb == "state") {
    const std::string focused = window.Focused();
    json::object fields;
    for (const std::string& name : window.Names()) {
      fields[name] = ToJson(window.State(name));
    }
    json::object out;
    if (!focused.empty()) out = fields[focused].as_object();
    out["ok"] = true;
    out["active"] = window.Active();
    out["focused"] = focused;
    out["fields"] = std::move(fields);
    return out;
  }
  if (verb == "window2") {
    window.OpenSecondWindow();
    return {{"ok", true}};
  }

  const std::string field = text_of("field").value_or(window.Focused());
  const std::vector<std::string> names = window.Names();
  if (std::find(names.begin(), names.end(), field) == names.end()) {
    return Error(field.empty() ? "no field has the focus"
                               : "there is no field '" + field + "'");
  }
  if (verb == "focus") {
    window.Focus(field);
  } else if (verb == "set") {
    const std::optional<std::string> text = text_of("text");
    if (!text) return Error("set needs a text");
    window.SetText(field, *text);
  } else if (verb == "select") {
    const std::optional<int64_t> start = number_of("start");
    const std::optional<int64_t> end = number_of("end");
    const int count = CodePoints(window.State(field).text);
    if (!start || !end || *start < 0 || *end < *start || *end > count) {
      return Error("select needs 0 <= start <= end <= " +
                   std::to_string(count));
    }
    window.Select(field, static_cast<int>(*start), static_cast<int>(*end));
  } else if (verb == "replace-widget") {
    window.ReplaceWidget(field);
  } else {
    return Error("there is no verb '" + verb + "'");
  }
  return {{"ok", true}};
}

}  // namespace

ControlServer::ControlServer(FieldWindow* window, const std::string& path)
    : window_(window) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    Die(3, "the path of the control socket is too long: " + path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  constexpr int kFlags = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  listener_ = socket(AF_UNIX, kFlags, 0);
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = listener_;
  if (listener_ < 0 || epoll_ < 0 ||
      bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) <
          0 ||
      listen(listener_, 8) < 0 ||
      epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event) < 0) {
    Die(3, "cannot listen on " + path + ": " + std::strerror(errno));
  }
}

ControlServer::~ControlServer() {
  for (const auto& [connection, unused] : connections_) close(connection);
  close(listener_);
  close(epoll_);
}

void ControlServer::OnReadable() {
  epoll_event events[8];
  const int count = epoll_wait(epoll_, events, 8, 0);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == listener_) {
      Accept();
    } else {
      Serve(events[i].data.fd, events[i].events);
    }
  }
}

void ControlServer::Accept() {
  const int connection =
      accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (connection < 0) return;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = connection;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection, &event) < 0) {
    close(connection);
    return;
  }
  connections_[connection];
}

void ControlServer::Serve(int connection, unsigned events) {
  Connection& state = connections_[connection];
  if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    char piece[65536];
    const ssize_t got = read(connection, piece, sizeof piece);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
        state.in.size() > kLargestRequest) {
      Close(connection);
      return;
    }
    if (got > 0) {
      state.in.append(piece, static_cast<size_t>(got));
      // Only the new piece can hold the end of the line.
      size_t from = state.in.size() - static_cast<size_t>(got);
      for (size_t end = state.in.find('\n', from); end != std::string::npos;
           end = state.in.find('\n')) {
        state.out += Answer(std::string_view(state.in).substr(0, end)) + "\n";
        state.in.erase(0, end + 1);
      }
    }
  }
  while (!state.out.empty()) {
    const ssize_t put =
        send(connection, state.out.data(), state.out.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno != EAGAIN) {
      Close(connection);
      return;
    }
    if (put < 0) break;
    state.out.erase(0, static_cast<size_t>(put));
  }
  epoll_event event{};
  event.events = EPOLLIN;
  if (!state.out.empty()) event.events |= EPOLLOUT;
  event.data.fd = connection;
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, connection, &event) < 0) {
    Close(connection);
  }
}

void ControlServer::Close(int connection) {
  close(connection);
  connections_.erase(connection);
}

std::string ControlServer::Answer(std::string_view request) {
  json::error_code error;
  const json::value parsed =
      json::parse(json::string_view(request.data(), request.size()), error);
  if (error || !parsed.is_object()) {
    return json::serialize(Error("a request is one JSON object on a line"));
  }
  return json::serialize(Handle(*window_, parsed.get_object()));
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) Die(2, std::string(name) + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--control") {
      options.control = value;
    } else if (name == "--kind") {
      if (std::find(std::begin(kKinds), std::end(kKinds), value) ==
          std::end(kKinds)) {
        Die(2, "--kind is text, entry, password or readonly");
      }
      options.kind = value;
    } else if (name == "--text-file") {
      std::ifstream file(value, std::ios::binary);
      std::ostringstream contents;
      contents << file.rdbuf();
      if (!file) Die(2, "cannot read " + value);
      options.text = contents.str();
    } else {
      Die(2, "unknown option " + std::string(name));
    }
  }
  if (options.control.empty()) Die(2, "--control PATH is needed");
  return options;
}

}  // namespace tactus::desktop
