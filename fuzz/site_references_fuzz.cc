// References of pages on any bytes: what is read is written and read again the
// same, no text of a page is lost or made up, and what is resolved is one of
// the rows that are there, or an error that says why.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "site/book/book.h"
#include "site/reference/reference.h"
#include "site/resolve/resolve.h"
#include "site/testing/rows.h"

namespace tactus::site {
namespace {

const Declarations& Declared() {
  static const auto& declared = *new Declarations{
      {"declared/series", {.title = "declared", .about = "not there yet"}}};
  return declared;
}

// Two series, two configurations, two runs, two devices.
const Book& Rows() {
  static const Book& rows = []() -> const Book& {
    Book& book = *new Book();
    for (const char* const series : {"known/series", "other/series"}) {
      for (int run = 0; run < 2; ++run) {
        for (const char* const value : {"v", "w"}) {
          book.Add(MakeRow({.series = series,
                            .configuration = {{"k", value}},
                            .day = run,
                            .run = run,
                            .dirty = run == 1,
                            .device = run}),
                   {});
        }
      }
    }
    book.Close();
    return book;
  }();
  return rows;
}

bool IsThere(const Choice& choice) {
  for (const Entry& entry : Rows().entries()) {
    if (&entry == choice.entry) {
      return &Rows().TimelineOf(entry) == choice.timeline;
    }
  }
  return false;
}

// An error says something, and a choice is a row that fits or none.
void CheckChoice(const absl::StatusOr<Choice>& choice,
                 const Selector& selector) {
  if (!choice.ok()) {
    FUZZ_CHECK(!choice.status().message().empty());
    return;
  }
  if (choice->entry == nullptr) {
    FUZZ_CHECK(Declared().count(selector.series) == 1);
    return;
  }
  FUZZ_CHECK(IsThere(*choice));
  FUZZ_CHECK(choice->timeline->series == selector.series);
  for (const auto& [key, value] : selector.configuration) {
    FUZZ_CHECK(choice->timeline->configuration.at(key) == value);
  }
  FUZZ_CHECK(selector.device.empty() ||
             choice->entry->device->id == selector.device);
}

void CheckReference(const Reference& reference) {
  const std::string text = FormatReference(reference);
  // Quotes may make it a little longer than it was.
  if (text.size() <= kMaxReference) {
    const absl::StatusOr<Reference> again = ParseReference(text);
    FUZZ_CHECK(again.ok());
    FUZZ_CHECK(*again == reference);
  }
  for (const Selector& selector : reference.selectors) {
    CheckChoice(Choose(Rows(), Declared(), selector), selector);
  }
  if (reference.verb == Verb::kRatio) {
    const absl::StatusOr<Pair> pair = ChoosePair(
        Rows(), Declared(), reference.selectors[0], reference.selectors[1]);
    if (pair.ok() && pair->first.entry != nullptr) {
      FUZZ_CHECK(pair->first.entry->run == pair->second.entry->run);
      FUZZ_CHECK(pair->first.timeline->unit == pair->second.timeline->unit);
    }
  }
  if (reference.verb == Verb::kCompare) {
    const absl::StatusOr<std::vector<Line>> lines =
        ChooseLines(Rows(), Declared(), reference.by, reference.selectors);
    if (!lines.ok()) return;
    for (const Line& line : *lines) {
      FUZZ_CHECK(line.choices.size() == reference.selectors.size());
      for (const Choice& choice : line.choices) {
        FUZZ_CHECK(choice.entry == nullptr || IsThere(choice));
      }
    }
  }
}

void CheckPage(absl::string_view page) {
  const absl::StatusOr<std::vector<Piece>> pieces = ParsePage(page);
  if (!pieces.ok()) {
    FUZZ_CHECK(!pieces.status().message().empty());
    return;
  }
  std::string again;
  int line = 1;
  for (const Piece& piece : *pieces) {
    FUZZ_CHECK(piece.line >= line);
    line = piece.line;
    if (!piece.is_reference) {
      // Nothing that a template language could read is left in the text.
      FUZZ_CHECK(piece.text.find("{{") == std::string::npos);
      FUZZ_CHECK(!piece.text.empty());
      again += piece.text;
      continue;
    }
    CheckReference(piece.reference);
    absl::StrAppend(&again, "{{", FormatReference(piece.reference), "}}");
  }
  const absl::StatusOr<std::vector<Piece>> twice = ParsePage(again);
  if (!twice.ok()) return;  // longer than a reference may be
  FUZZ_CHECK(twice->size() == pieces->size());
  for (size_t i = 0; i < pieces->size(); ++i) {
    FUZZ_CHECK((*twice)[i].text == (*pieces)[i].text);
    FUZZ_CHECK((*twice)[i].reference == (*pieces)[i].reference);
  }
}

}  // namespace
}  // namespace tactus::site

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A few references: a page of many is the same again.
  if (size > 4096) return -1;
  const std::string text(reinterpret_cast<const char*>(data), size);
  tactus::site::CheckPage(text);
  const auto reference = tactus::site::ParseReference(text);
  if (reference.ok()) tactus::site::CheckReference(*reference);
  return 0;
}
