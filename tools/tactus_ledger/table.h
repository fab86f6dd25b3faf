// Rows for a person: a line each, in columns.
//
// Example:
//
//   out << TableHeader();
//   for (const Row& row : rows) out << TableLine(row);
//
// The columns have fixed widths, so that rows are shown as they are read; what
// may be long stands last. Of commit and device, as many digits are shown as
// tell a few of them apart. Text is made safe for a terminal.
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_TABLE_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_TABLE_H_

#include <string>

#include "ledger/row/row.h"

namespace tactus::ledger {

std::string TableHeader();
std::string TableLine(const Row& row);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_TABLE_H_
