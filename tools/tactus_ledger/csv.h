// Rows as CSV: RFC 4180, with a header, in UTF-8.
//
// Use it for a spreadsheet; a program reads the ledger itself.
//
// Example:
//
//   out << CsvHeader({}) ;
//   for (const Row& row : rows) out << CsvLine(row, {});
//
// A spreadsheet computes a text that begins with '=', '+', '-' or '@', and one
// out of a foreign ledger may then do what its writer likes (CWE-1236). Such a
// text has an apostrophe before it, which spreadsheets take for "this is text".
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_CSV_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_CSV_H_

#include <string>

#include "absl/strings/string_view.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

struct CsvOptions {
  bool samples = false;  // one more column, a space between two
};

// Each ends with "\r\n".
std::string CsvHeader(const CsvOptions& options);
std::string CsvLine(const Row& row, const CsvOptions& options);

// One text as a field: quoted where it must be, and never computed.
std::string CsvField(absl::string_view text);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_CSV_H_
