// Another client of the clipboard, for desktop_check.py.
//
//   clipboard own TEXT   owns the clipboard; says "ready" and serves until it
//                        is ended
//   clipboard get        what the clipboard holds; exits with 1 where nothing
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "ax/x11/testing/client.h"

namespace tactus::cli {
namespace {

int Main(const std::string& verb, const std::string& text) {
  const char* display = getenv("DISPLAY");
  if (display == nullptr) return 3;
  if (verb == "own") {
    const ax::x11::TestOwner owner(
        display, {.values = {{"UTF8_STRING", ax::x11::Utf8(text)}}});
    puts("ready");
    fflush(stdout);
    for (;;) pause();
  }
  if (verb != "get") return 2;
  const std::optional<ax::x11::Value> held =
      ax::x11::TestRequestor(display).Fetch("UTF8_STRING");
  if (!held.has_value()) return 1;
  fwrite(held->bytes.data(), 1, held->bytes.size(), stdout);
  return 0;
}

}  // namespace
}  // namespace tactus::cli

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return tactus::cli::Main(argv[1], argc > 2 ? argv[2] : "");
}
