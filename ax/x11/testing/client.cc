#include "ax/x11/testing/client.h"

#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ax/sync/mutex.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

struct Freed {
  void operator()(void* p) const { free(p); }
};
template <typename T>
using Got = std::unique_ptr<T, Freed>;

std::string AtomBytes(const std::vector<xcb_atom_t>& atoms) {
  return std::string(reinterpret_cast<const char*>(atoms.data()),
                     atoms.size() * sizeof(xcb_atom_t));
}

std::vector<xcb_atom_t> Atoms(const std::string& bytes) {
  std::vector<xcb_atom_t> atoms(bytes.size() / sizeof(xcb_atom_t));
  if (atoms.empty()) return atoms;
  memcpy(atoms.data(), bytes.data(), atoms.size() * sizeof(xcb_atom_t));
  return atoms;
}

void PutProperty(TestClient& client, xcb_window_t window, xcb_atom_t property,
                 const Value& value) {
  xcb_change_property(
      client.x(), XCB_PROP_MODE_REPLACE, window, property,
      client.Atom(value.type), static_cast<uint8_t>(value.format),
      static_cast<uint32_t>(value.bytes.size() /
                            static_cast<size_t>(value.format / 8)),
      value.bytes.data());
}

std::optional<Value> TakeProperty(TestClient& client, xcb_atom_t property) {
  const Got<xcb_get_property_reply_t> reply(xcb_get_property_reply(
      client.x(),
      xcb_get_property(client.x(), 1, client.window(), property,
                       XCB_GET_PROPERTY_TYPE_ANY, 0, 64 << 20),
      nullptr));
  if (reply == nullptr || reply->type == XCB_NONE) return std::nullopt;
  return Value{
      client.Name(reply->type), reply->format,
      std::string(
          static_cast<const char*>(xcb_get_property_value(reply.get())),
          static_cast<size_t>(xcb_get_property_value_length(reply.get())))};
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Value& value) {
  out << value.type << "/" << value.format << ", " << value.bytes.size()
      << " bytes";
  if (value.bytes.size() < 100) out << ": \"" << value.bytes << "\"";
  return out;
}

TestClient::TestClient(const std::string& display)
    : connection_(xcb_connect(display.c_str(), nullptr)) {
  const xcb_screen_t* screen =
      xcb_setup_roots_iterator(xcb_get_setup(connection_)).data;
  root_ = screen->root;
  window_ = xcb_generate_id(connection_);
  const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE |
                          XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_KEY_RELEASE;
  xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, root_, 0, 0, 9,
                    9, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
                    XCB_CW_EVENT_MASK, &events);
  Sync();
}

TestClient::~TestClient() { Disconnect(); }

void TestClient::Disconnect() {
  if (connection_ != nullptr) xcb_disconnect(connection_);
  connection_ = nullptr;
}

xcb_atom_t TestClient::Atom(const std::string& name) {
  if (name.empty()) return XCB_NONE;
  const auto known = atoms_.find(name);
  if (known != atoms_.end()) return known->second;
  const Got<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(
      connection_,
      xcb_intern_atom(connection_, 0, static_cast<uint16_t>(name.size()),
                      name.data()),
      nullptr));
  return atoms_[name] = reply == nullptr ? 0 : reply->atom;
}

std::string TestClient::Name(xcb_atom_t atom) {
  if (atom == XCB_NONE) return "";
  const Got<xcb_get_atom_name_reply_t> reply(xcb_get_atom_name_reply(
      connection_, xcb_get_atom_name(connection_, atom), nullptr));
  if (reply == nullptr) return "?";
  return std::string(
      xcb_get_atom_name_name(reply.get()),
      static_cast<size_t>(xcb_get_atom_name_name_length(reply.get())));
}

xcb_window_t TestClient::Owner(const std::string& selection) {
  const Got<xcb_get_selection_owner_reply_t> reply(
      xcb_get_selection_owner_reply(
          connection_, xcb_get_selection_owner(connection_, Atom(selection)),
          nullptr));
  return reply == nullptr ? XCB_NONE : reply->owner;
}

void TestClient::Take(const std::string& selection) {
  xcb_set_selection_owner(connection_, window_, Atom(selection),
                          XCB_CURRENT_TIME);
  Sync();
}

void TestClient::Sync() {
  free(xcb_get_input_focus_reply(connection_, xcb_get_input_focus(connection_),
                                 nullptr));
}

// The owner.

TestOwner::TestOwner(const std::string& display, OwnerScript script,
                     const std::string& selection)
    : script_(std::move(script)), client_(display), window_(client_.window()) {
  client_.Take(selection);
  thread_ = std::thread([this] { Run(); });
}

TestOwner::~TestOwner() {
  stop_ = true;
  thread_.join();
}

std::vector<std::string> TestOwner::asked() {
  MutexLock lock(&mutex_);
  return asked_;
}

void TestOwner::Run() {
  while (!stop_ && client_.x() != nullptr) {
    const Got<xcb_generic_event_t> event(xcb_poll_for_event(client_.x()));
    if (event == nullptr) {
      if (xcb_connection_has_error(client_.x())) return;
      pollfd fd{xcb_get_file_descriptor(client_.x()), POLLIN, 0};
      poll(&fd, 1, 5);
      continue;
    }
    if (event->response_type == XCB_SELECTION_REQUEST) {
      Answer(*reinterpret_cast<xcb_selection_request_event_t*>(event.get()));
    } else if (event->response_type == XCB_SELECTION_CLEAR) {
      lost_ = true;
    } else if (event->response_type == XCB_PROPERTY_NOTIFY) {
      const auto* changed =
          reinterpret_cast<xcb_property_notify_event_t*>(event.get());
      if (changed->state == XCB_PROPERTY_DELETE) {
        SendPiece(changed->window, changed->atom);
      }
    }
  }
}

void TestOwner::Answer(const xcb_selection_request_event_t& request) {
  const std::string target = client_.Name(request.target);
  {
    MutexLock lock(&mutex_);
    asked_.push_back(target);
  }
  if (script_.on_request) script_.on_request(target);
  if (target == script_.dies_at) {
    client_.Disconnect();
    return;
  }
  for (const std::string& silent : script_.silent) {
    if (silent == "*" || silent == target) return;
  }
  xcb_atom_t answered = XCB_NONE;
  const auto value = script_.values.find(target);
  if (target == "TARGETS" && value == script_.values.end()) {
    std::vector<xcb_atom_t> atoms;
    if (script_.targets.has_value()) {
      for (const std::string& name : *script_.targets) {
        atoms.push_back(client_.Atom(name));
      }
    } else {
      atoms.push_back(client_.Atom("TARGETS"));
      for (const auto& [name, unused] : script_.values) {
        atoms.push_back(client_.Atom(name));
      }
    }
    atoms.insert(atoms.end(), script_.bogus_targets.begin(),
                 script_.bogus_targets.end());
    PutProperty(client_, request.requestor, request.property,
                {"ATOM", 32, AtomBytes(atoms)});
    answered = request.property;
  } else if (value != script_.values.end()) {
    answered = request.property;
    if (script_.piece != 0 && value->second.bytes.size() > script_.piece) {
      const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
      xcb_change_window_attributes(client_.x(), request.requestor,
                                   XCB_CW_EVENT_MASK, &events);
      const uint32_t size = script_.announced.value_or(
          static_cast<uint32_t>(value->second.bytes.size()));
      PutProperty(
          client_, request.requestor, request.property,
          {"INCR", 32, std::string(reinterpret_cast<const char*>(&size), 4)});
      sending_.push_back({request.requestor, request.property, value->second});
    } else {
      PutProperty(client_, request.requestor, request.property, value->second);
    }
  }
  xcb_selection_notify_event_t notify = {};
  notify.response_type = XCB_SELECTION_NOTIFY;
  notify.time = request.time;
  notify.requestor = request.requestor;
  notify.selection = request.selection;
  notify.target = request.target;
  notify.property = answered;
  char bytes[32] = {};
  memcpy(bytes, &notify, sizeof(notify));
  xcb_send_event(client_.x(), 0, request.requestor, XCB_EVENT_MASK_NO_EVENT,
                 bytes);
  xcb_flush(client_.x());
}

void TestOwner::SendPiece(xcb_window_t requestor, xcb_atom_t property) {
  for (auto sending = sending_.begin(); sending != sending_.end(); ++sending) {
    if (sending->requestor != requestor || sending->property != property) {
      continue;
    }
    if (script_.pieces >= 0 && sending->pieces >= script_.pieces) return;
    if (script_.endless) sending->sent = 0;
    Value piece = sending->value;
    piece.bytes = piece.bytes.substr(sending->sent, script_.piece);
    PutProperty(client_, requestor, property, piece);
    xcb_flush(client_.x());
    sending->sent += piece.bytes.size();
    ++sending->pieces;
    if (piece.bytes.empty()) sending_.erase(sending);
    return;
  }
}

// The requestor.

bool TestRequestor::Await(
    const std::function<bool(const xcb_generic_event_t&)>& wanted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    xcb_flush(client_.x());
    const Got<xcb_generic_event_t> event(xcb_poll_for_event(client_.x()));
    if (event != nullptr) {
      if (wanted(*event)) return true;
      continue;
    }
    pollfd fd{xcb_get_file_descriptor(client_.x()), POLLIN, 0};
    poll(&fd, 1, 100);
  }
  ADD_FAILURE() << "no answer to the requestor";
  return false;
}

bool TestRequestor::Ask(const std::string& target,
                        const std::string& property) {
  const xcb_atom_t atom = client_.Atom(target);
  xcb_convert_selection(client_.x(), client_.window(),
                        client_.Atom("CLIPBOARD"), atom, client_.Atom(property),
                        XCB_CURRENT_TIME);
  bool given = false;
  Await([&](const xcb_generic_event_t& event) {
    if ((event.response_type & 0x7F) != XCB_SELECTION_NOTIFY) return false;
    const auto& notify =
        reinterpret_cast<const xcb_selection_notify_event_t&>(event);
    given = notify.property != XCB_NONE;
    return notify.target == atom;
  });
  return given;
}

std::optional<Value> TestRequestor::Begin(const std::string& target) {
  if (!Ask(target, "TEST_FETCH")) return std::nullopt;
  // What announced this is old by the time the property is gone.
  while (const Got<xcb_generic_event_t> old{xcb_poll_for_event(client_.x())}) {
  }
  return TakeProperty(client_, client_.Atom("TEST_FETCH"));
}

std::optional<Value> TestRequestor::NextPiece() {
  const xcb_atom_t property = client_.Atom("TEST_FETCH");
  for (;;) {
    const bool came = Await([&](const xcb_generic_event_t& event) {
      if (event.response_type != XCB_PROPERTY_NOTIFY) return false;
      const auto& changed =
          reinterpret_cast<const xcb_property_notify_event_t&>(event);
      return changed.atom == property &&
             changed.state == XCB_PROPERTY_NEW_VALUE;
    });
    if (!came) return std::nullopt;
    std::optional<Value> piece = TakeProperty(client_, property);
    if (piece.has_value()) return piece;
  }
}

std::optional<Value> TestRequestor::Fetch(const std::string& target) {
  std::optional<Value> value = Begin(target);
  if (!value.has_value() || value->type != "INCR") return value;
  Value whole;
  for (;;) {
    std::optional<Value> piece = NextPiece();
    if (!piece.has_value()) return std::nullopt;
    whole.type = piece->type;
    whole.format = piece->format;
    if (piece->bytes.empty()) return whole;
    whole.bytes += piece->bytes;
  }
}

std::vector<std::string> TestRequestor::Targets() {
  std::vector<std::string> names;
  for (xcb_atom_t atom : Atoms(Fetch("TARGETS").value_or(Value()).bytes)) {
    names.push_back(client_.Name(atom));
  }
  return names;
}

std::optional<std::vector<std::pair<std::string, std::string>>>
TestRequestor::Multiple(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<xcb_atom_t> atoms;
  for (const auto& [target, property] : pairs) {
    atoms.push_back(client_.Atom(target));
    atoms.push_back(client_.Atom(property));
  }
  PutProperty(client_, client_.window(), client_.Atom("TEST_MULTIPLE"),
              {"ATOM_PAIR", 32, AtomBytes(atoms)});
  if (!Ask("MULTIPLE", "TEST_MULTIPLE")) return std::nullopt;
  atoms = Atoms(Property("TEST_MULTIPLE").value_or(Value()).bytes);
  std::vector<std::pair<std::string, std::string>> answered;
  for (size_t i = 0; i + 1 < atoms.size(); i += 2) {
    answered.emplace_back(client_.Name(atoms[i]), client_.Name(atoms[i + 1]));
  }
  return answered;
}

std::optional<Value> TestRequestor::Property(const std::string& property) {
  return TakeProperty(client_, client_.Atom(property));
}

}  // namespace tactus::ax::x11
