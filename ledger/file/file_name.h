// The name of the file that an instrument's rows go to.
//
// Use it wherever rows are appended, so that an instrument has one file and a
// file one instrument: two writers of different benchmarks then meet at no
// lock, and a merge of two branches at no line.
//
// Example:
//
//   FileNameFor("//ax/atspi:edit_benchmark")  //
//   "ax.atspi.edit_benchmark.jsonl" FileNameFor("hyperfine") //
//   "hyperfine.jsonl" FileNameFor("BM_Parse/8<int>")            //
//   "BM_Parse-8-int~5f0c….jsonl"
//
// A Bazel label whose words are of letters, digits, '_' and '-' is spelled with
// dots, as is a single such word, and no two of these are spelled alike. For
// anything else the spelling loses something, so '~' and 16 digits of a digest
// of the whole name follow: there two names share a file only where their
// digests collide. The name is never empty, hidden, an option or a path, and at
// most 128 bytes.
#ifndef TACTUS_LEDGER_FILE_FILE_NAME_H_
#define TACTUS_LEDGER_FILE_FILE_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tactus::ledger {

// Where in a repository its ledger is, unless somebody says otherwise; what is
// new there does not make the tree another than its commit.
inline constexpr char kLedgerFolder[] = "docs/perf/data";

// What a file of rows ends with; a reader of a folder reads no other.
inline constexpr char kLedgerSuffix[] = ".jsonl";

std::string FileNameFor(absl::string_view instrument);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_FILE_NAME_H_
