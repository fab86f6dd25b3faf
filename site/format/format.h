// Measured values as people read them: three digits, and the unit that keeps
// the number between one and a thousand.
//
// Use it wherever a page shows a value. Nothing is hidden by it: the row that
// the value comes from is shown with every digit (ledger::FormatNumber).
//
// Example:
//
//   ShowValue(412.4, Unit::kMicroseconds)    {"412", "µs"}
//   ShowValue(1999.6, Unit::kMicroseconds)   {"2.00", "ms"}
//   ShowText(0.6, Unit::kRatio)              "0.600×"
//
// The same bytes whatever the locale is.
#ifndef TACTUS_SITE_FORMAT_FORMAT_H_
#define TACTUS_SITE_FORMAT_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"

namespace tactus::site {

// How values of a unit are spelled when the largest of them has a given size.
struct Scale {
  double divisor = 1;      // from the unit of the row to the one that is shown
  absl::string_view unit;  // "ms"; empty for counts
};
Scale ScaleFor(double largest, ledger::Unit unit);

struct Shown {
  std::string number;
  std::string unit;  // empty for counts
};
// Values are at least zero, as a row's are; a negative one keeps its sign.
Shown ShowValue(double value, ledger::Unit unit);

// Number and unit with what belongs between them, a no-break space or nothing.
std::string ShowText(double value, ledger::Unit unit);
std::string Join(const Shown& shown);

// Three significant digits: "0.00123", "1.23", "12.3", "123", "12300"; "0".
std::string ThreeDigits(double value);

// "1234", "12 345": thin no-break spaces from five digits on.
std::string ShowCount(int64_t count);

// "1 Dec 2026" and "2026-12-01 08:30 UTC".
std::string ShowDay(absl::Time time);
std::string ShowMinute(absl::Time time);

}  // namespace tactus::site

#endif  // TACTUS_SITE_FORMAT_FORMAT_H_
