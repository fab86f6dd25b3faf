// Rows that nobody measured, for tests of the site.
//
// Use them in tests alone. Their instrument is "made-up" and their device's
// processor says so too, so that no page which shows one can be taken for a
// measurement.
//
// Example:
//
//   book.Add(MakeRow({.series = "edit/word", .samples = {1, 2, 3}}), {});
#ifndef TACTUS_SITE_TESTING_ROWS_H_
#define TACTUS_SITE_TESTING_ROWS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ledger/row/row.h"

namespace tactus::site {

struct MadeUp {
  std::string series = "made/up";
  std::map<std::string, std::string> configuration = {};
  std::vector<double> samples = {1, 2, 3};
  int day = 0;  // after 1 January 2026, midnight
  int run = 0;  // rows with one number are of one run
  bool dirty = false;
  ledger::Label label = ledger::Label::kMeasured;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Direction direction = ledger::Direction::kLessIsBetter;
  int device = 0;  // another number, another device
  int64_t failures = 0;
};

// A whole row, with the id and the summary that belong to it.
ledger::Row MakeRow(const MadeUp& made_up);

// Its line, with the line end. Ends the process where it is not a valid row.
std::string MakeLine(const MadeUp& made_up);

}  // namespace tactus::site

#endif  // TACTUS_SITE_TESTING_ROWS_H_
