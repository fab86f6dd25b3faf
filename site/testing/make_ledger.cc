// Writes a made-up ledger, for tests and for looking at pages. Nothing in it
// was measured, and each row says so in its instrument and its device.
//
//   make_ledger demo OUT.jsonl               the series of our own pages
//   make_ledger foreign OUT.jsonl            another repository's
//   make_ledger scale OUT.jsonl ROWS SAMPLES    many rows, in twenty series
//
// The same arguments give the same bytes. Exit codes: 0 written; 1 not; 2
// usage.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"
#include "site/testing/rows.h"
#include "site/testing/scale.h"

namespace {

using tactus::ledger::Direction;
using tactus::ledger::Label;
using tactus::ledger::Unit;
using tactus::site::MadeUp;
using tactus::site::MakeLine;

std::mt19937_64 random_bits(20260101);

double Uniform() {
  return static_cast<double>(random_bits() >> 11) * 0x1.0p-53;
}

std::vector<double> Samples(int n, double median, double sigma) {
  return tactus::site::MakeSamples(random_bits, n, median, sigma);
}

struct Shape {
  const char* series;
  double gtk3;  // the median there, in us
};

// As many other applications as our benchmarks open.
std::string Beside(const std::string& series) {
  for (const char* const edits : {"/replace/", "/hundred/"}) {
    if (series.find(edits) != std::string::npos) return "0";
  }
  return "9";
}

void Demo(std::ostream& out) {
  const std::map<std::string, double> applications = {
      {"chromium", 3.1},  {"featherpad", 1.7}, {"gnome-text-editor", 1.3},
      {"gtk3", 1.0},      {"gtk4", 1.1},       {"libreoffice", 4.2},
      {"mousepad", 1.15}, {"qt5", 1.6},        {"qt6", 1.5}};
  const std::vector<Shape> shapes = {
      {"focused_text/find/tactus", 310},
      {"focused_text/find/tactus_again", 160},
      {"focused_text/find/libatspi", 4200},
      {"focused_text/find/libatspi_collection", 900},
      {"focused_text/held/tactus", 140},
      {"focused_text/held/libatspi", 330},
      {"focused_text/cached/tactus", 150},
      {"focused_text/cached/libatspi", 240},
      {"focused_text/batch/bus/one_flight", 120},
      {"focused_text/batch/bus/in_turn", 390},
      {"focused_text/batch/bus/batched", 180},
      {"focused_text/cold/tactus", 9800},
      {"focused_text/cold/libatspi", 21000},
      {"focused_text/replace/tactus", 610},
      {"focused_text/replace/searching", 1100},
      {"focused_text/replace/gap", 95},
      {"focused_text/hundred/tactus", 900},
      {"focused_text/hundred/xdotool", 2450000},
      {"focused_text/hundred/xdotool_at_once", 18000},
  };
  // Days on which somebody measured, with a pause in between.
  std::vector<int> days;
  for (int day = 0; day < 24; ++day) days.push_back(day);
  for (int day = 52; day < 80; day += 2) days.push_back(day);
  for (const int day : days) {
    for (const auto& [application, factor] : applications) {
      for (const Shape& shape : shapes) {
        // The whole history of one application, the last runs of the rest.
        if (application != "gtk3" && day < 70) continue;
        if (application != "gtk3" &&
            absl::string_view(shape.series) ==
                "focused_text/find/libatspi_collection") {
          continue;
        }
        double median = shape.gtk3 * factor * (0.97 + 0.06 * Uniform());
        if (day < 14) median *= 1.45;
        MadeUp row = {.series = shape.series,
                      .configuration = {{"application", application},
                                        {"beside", Beside(shape.series)}},
                      .samples = Samples(120, median, 0.07),
                      .day = day,
                      .run = day};
        if (day == 60) row.failures = 3;
        if (day == 64) {
          row.samples = {median / 100};
          row.failures = 40;
        }
        if (day == 56) row.dirty = true;
        out << MakeLine(row);
      }
    }
  }
  out << MakeLine({.series = "focused_text/stopped/beside",
                   .samples = Samples(200, 320, 0.05),
                   .day = 78,
                   .dirty = true});
  for (const char* const instrument : {"sender", "both ends"}) {
    out << MakeLine(
        {.series = "transfer/rate",
         .configuration = {{"instrument", instrument}, {"size", "128 MiB"}},
         .samples = {173},
         .day = 78,
         .label = Label::kSuspected,
         .unit = Unit::kMegabitsPerSecond,
         .direction = Direction::kMoreIsBetter});
  }
}

void Foreign(std::ostream& out) {
  for (int day = 0; day < 30; ++day) {
    for (const char* const shape : {"parse/json", "parse/<b>bold</b>"}) {
      // A series cannot be called so; a configuration can.
      const bool hostile = absl::string_view(shape) != "parse/json";
      out << MakeLine(
          {.series = "parse/json",
           .configuration = {{"corpus", hostile ? "<script>alert(1)</script>"
                                                : "twitter"}},
           .samples = Samples(50, day < 20 ? 512 : 430, 0.04),
           .day = day,
           .run = day,
           .unit = Unit::kMegabitsPerSecond,
           .direction = Direction::kMoreIsBetter,
           .device = day % 2});
    }
  }
  out << MakeLine({.series = "startup",
                   .samples = Samples(30, 41, 0.05),
                   .day = 30,
                   .label = Label::kVerified,
                   .unit = Unit::kMilliseconds});
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    std::fprintf(stderr,
                 "usage: make_ledger demo|foreign|scale OUT [ROWS "
                 "SAMPLES]\n");
    return 2;
  }
  std::ofstream out(arguments[1], std::ios::binary);
  if (arguments[0] == "demo") {
    Demo(out);
  } else if (arguments[0] == "foreign") {
    Foreign(out);
  } else if (arguments[0] == "scale" && arguments.size() == 4) {
    tactus::site::MakeScaleLedger(out, std::atoi(arguments[2].c_str()),
                                  std::atoi(arguments[3].c_str()));
  } else {
    std::fprintf(stderr, "make_ledger: no such ledger: %s\n",
                 arguments[0].c_str());
    return 2;
  }
  out.close();
  if (!out) {
    std::fprintf(stderr, "make_ledger: cannot write %s\n",
                 arguments[1].c_str());
    return 1;
  }
  return 0;
}
