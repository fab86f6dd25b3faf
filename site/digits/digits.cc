#include "site/digits/digits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace tactus::site {
namespace {

// Numbers in words, as prose has them.
constexpr std::array<absl::string_view, 26> kNumberWords = {
    "two",     "three",    "four",     "five",   "six",     "seven",   "eight",
    "nine",    "ten",      "eleven",   "twelve", "fifteen", "sixteen", "twenty",
    "thirty",  "forty",    "fifty",    "sixty",  "seventy", "eighty",  "ninety",
    "hundred", "hundreds", "thousand", "tens",   "million"};

// Units of what is measured, in lower case. Longer ones are found by whole
// words, so the order does not matter.
constexpr std::array<absl::string_view, 52> kUnits = {"ns",
                                                      "us",
                                                      "µs",
                                                      "ms",
                                                      "s",
                                                      "sec",
                                                      "secs",
                                                      "second",
                                                      "seconds",
                                                      "millisecond",
                                                      "milliseconds",
                                                      "microsecond",
                                                      "microseconds",
                                                      "nanosecond",
                                                      "nanoseconds",
                                                      "minute",
                                                      "minutes",
                                                      "min",
                                                      "hour",
                                                      "hours",
                                                      "h",
                                                      "b",
                                                      "byte",
                                                      "bytes",
                                                      "kb",
                                                      "mb",
                                                      "gb",
                                                      "kib",
                                                      "mib",
                                                      "gib",
                                                      "kilobytes",
                                                      "megabytes",
                                                      "gigabytes",
                                                      "bit/s",
                                                      "kbit/s",
                                                      "mbit/s",
                                                      "gbit/s",
                                                      "b/s",
                                                      "kb/s",
                                                      "mb/s",
                                                      "gb/s",
                                                      "hz",
                                                      "khz",
                                                      "mhz",
                                                      "ghz",
                                                      "%",
                                                      "percent",
                                                      "times",
                                                      "x",
                                                      "×",
                                                      "fold",
                                                      "/s"};

bool IsWordByte(char c) {
  return absl::ascii_isalnum(c) || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

int LineOf(absl::string_view text, size_t at) {
  return 1 +
         static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

// What is not to be looked at becomes blanks, so that places stay.
void Blank(std::string& text, size_t begin, size_t end) {
  for (size_t i = begin; i < end && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

// Blanks from each `open` to its `close`, both included, and what has no close
// to the end.
void BlankBetween(std::string& text, const std::string& open,
                  const std::string& close) {
  size_t at = 0;
  while ((at = text.find(open, at)) != std::string::npos) {
    const size_t end = text.find(close, at + open.size());
    const size_t after =
        end == std::string::npos ? text.size() : end + close.size();
    Blank(text, at, after);
    at = after;
  }
}

// A quantity that begins at `at`: a number and its unit; its end, or npos.
size_t QuantityEnd(absl::string_view text, size_t at) {
  size_t end = at;
  if (absl::ascii_isdigit(text[at])) {
    while (end < text.size() &&
           (absl::ascii_isdigit(text[end]) ||
            ((text[end] == '.' || text[end] == ',') && end + 1 < text.size() &&
             absl::ascii_isdigit(text[end + 1])))) {
      ++end;
    }
  } else {
    while (end < text.size() && absl::ascii_isalpha(text[end])) ++end;
    const std::string word = absl::AsciiStrToLower(text.substr(at, end - at));
    if (std::find(kNumberWords.begin(), kNumberWords.end(), word) ==
        kNumberWords.end()) {
      return absl::string_view::npos;
    }
  }
  // Between the two: nothing, a blank, a line end, a no-break space, a hyphen.
  size_t unit = end;
  constexpr absl::string_view kNoBreak = "\u00a0";
  constexpr absl::string_view kThin = "\u202f";
  if (absl::StartsWith(text.substr(unit), kNoBreak)) {
    unit += kNoBreak.size();
  } else if (absl::StartsWith(text.substr(unit), kThin)) {
    unit += kThin.size();
  } else if (unit < text.size() &&
             (text[unit] == ' ' || text[unit] == '-' || text[unit] == '\n')) {
    ++unit;
  }
  size_t unit_end = unit;
  if (unit < text.size() && text[unit] == '%') {
    unit_end = unit + 1;
  } else {
    while (unit_end < text.size() &&
           (IsWordByte(text[unit_end]) || text[unit_end] == '/')) {
      ++unit_end;
    }
  }
  std::string name = absl::AsciiStrToLower(text.substr(unit, unit_end - unit));
  // 1m30s, 500ms, 3s: a number runs into its unit, and may go on.
  const auto known = [](absl::string_view one) {
    return std::find(kUnits.begin(), kUnits.end(), one) != kUnits.end();
  };
  if (known(name)) return unit_end;
  const size_t letters =
      std::min(name.find_first_of("0123456789"), name.size());
  if (unit == end && letters < name.size() &&
      (known(absl::string_view(name).substr(0, letters)) ||
       name.substr(0, letters) == "m")) {
    return unit_end;
  }
  return absl::string_view::npos;
}

void FindQuantities(absl::string_view file, absl::string_view text,
                    ReviewedNames& names, std::vector<Finding>& findings) {
  for (size_t at = 0; at < text.size(); ++at) {
    const bool starts =
        at == 0 || (!IsWordByte(text[at - 1]) &&
                    !(absl::ascii_isdigit(text[at]) && text[at - 1] == '.'));
    if (!starts || !absl::ascii_isalnum(text[at])) continue;
    const size_t end = QuantityEnd(text, at);
    if (end == absl::string_view::npos) continue;
    if (!names.Covers(file, text, at, end)) {
      std::string quantity(text.substr(at, end - at));
      std::replace(quantity.begin(), quantity.end(), '\n', ' ');
      findings.push_back(
          {std::string(file), LineOf(text, at),
           absl::StrCat("'", quantity,
                        "' is a quantity that somebody typed: "
                        "refer to the row that measured it (docs/site.md), or "
                        "add it to site/reviewed_names.txt where it is no "
                        "measurement")});
    }
    at = end - 1;
  }
}

// Attributes that people read or hear.
constexpr std::array<absl::string_view, 4> kReadOut = {
    "alt", "title", "aria-label", "placeholder"};

// Blanks the tags of HTML but for the values of attributes that are read out.
void BlankTags(std::string& text) {
  size_t at = 0;
  while ((at = text.find('<', at)) != std::string::npos) {
    if (at + 1 >= text.size() ||
        !(absl::ascii_isalpha(text[at + 1]) || text[at + 1] == '/' ||
          text[at + 1] == '!')) {
      ++at;
      continue;
    }
    size_t i = at + 1;
    size_t blank_from = at;
    while (i < text.size() && text[i] != '>') {
      if (text[i] != '"') {
        ++i;
        continue;
      }
      const size_t close = std::min(text.find('"', i + 1), text.size());
      size_t name = i;
      while (name > at && text[name - 1] == '=') --name;
      size_t name_begin = name;
      while (name_begin > at && (absl::ascii_isalpha(text[name_begin - 1]) ||
                                 text[name_begin - 1] == '-')) {
        --name_begin;
      }
      const absl::string_view attribute =
          absl::string_view(text).substr(name_begin, name - name_begin);
      if (std::find(kReadOut.begin(), kReadOut.end(), attribute) !=
          kReadOut.end()) {
        Blank(text, blank_from, i + 1);
        blank_from = close;
      }
      i = std::min(close + 1, text.size());
    }
    const size_t end = std::min(i + 1, text.size());
    Blank(text, blank_from, end);
    at = end;
  }
}

void FindDigits(absl::string_view file, absl::string_view text,
                ReviewedNames& names, std::vector<Finding>& findings) {
  for (size_t at = 0; at < text.size();) {
    if (!absl::ascii_isdigit(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
    if (!names.Covers(file, text, at, end)) {
      findings.push_back(
          {std::string(file), LineOf(text, at),
           absl::StrCat("the digits '", std::string(text.substr(at, end - at)),
                        "' are typed: write a reference, {{figure …}}, or add "
                        "the name that they are part of to "
                        "site/reviewed_names.txt")});
    }
    at = end;
  }
}

// Blanks code blocks: between fences, and what is indented after a blank line.
void BlankCodeBlocks(std::string& text) {
  size_t at = 0;
  std::string fence;
  bool after_blank = true;
  bool indented = false;
  while (at < text.size()) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    const bool is_fence =
        absl::StartsWith(stripped, "```") || absl::StartsWith(stripped, "~~~");
    const bool blank = stripped.empty();
    if (!fence.empty()) {
      Blank(text, at, end);
      if (absl::StartsWith(stripped, fence)) fence.clear();
    } else if (is_fence) {
      fence = std::string(stripped.substr(0, 3));
      Blank(text, at, end);
    } else {
      indented =
          !blank && absl::StartsWith(line, "    ") && (after_blank || indented);
      if (indented) Blank(text, at, end);
    }
    after_blank = blank || (indented && after_blank);
    at = end + 1;
  }
}

// Blanks what a program writes between its marks.
void BlankGenerated(std::string& text) {
  // A whole file says so below its heading.
  const size_t mark = text.find("<!-- Generated. Do not edit: `bazel run ");
  if (mark != std::string::npos && LineOf(text, mark) <= 2) {
    Blank(text, 0, text.size());
    return;
  }
  size_t at = 0;
  while ((at = text.find("<!-- ", at)) != std::string::npos) {
    const size_t name = at + 5;
    const size_t colon = text.find(": begin", name);
    const size_t line_end = std::min(text.find('\n', at), text.size());
    if (colon == std::string::npos || colon > line_end) {
      at = name;
      continue;
    }
    const std::string end_mark =
        absl::StrCat("<!-- ", text.substr(name, colon - name), ": end -->");
    const size_t end = text.find(end_mark, colon);
    // A block that does not end is no block.
    if (end == std::string::npos) {
      at = name;
      continue;
    }
    Blank(text, at, end + end_mark.size());
    at = end;
  }
}

// Links: the text of one that leads to a row must be what the row shows; the
// address of any is not prose.
void CheckLinks(absl::string_view file, std::string& text, RowText row_text,
                std::vector<Finding>& findings) {
  size_t at = 0;
  while ((at = text.find("](", at)) != std::string::npos) {
    const size_t begin = text.rfind('[', at);
    const size_t close = text.find(')', at);
    if (begin == std::string::npos || close == std::string::npos) {
      at += 2;
      continue;
    }
    const std::string inside = text.substr(at + 2, close - at - 2);
    const std::string shown = text.substr(begin + 1, at - begin - 1);
    const std::vector<std::string> parts = absl::StrSplit(inside, '"');
    const std::string path(absl::StripAsciiWhitespace(parts[0]));
    if (absl::EndsWith(path, ".jsonl") && parts.size() == 3) {
      const std::vector<std::string> words =
          absl::StrSplit(parts[1], ' ', absl::SkipEmpty());
      const int line = LineOf(text, begin);
      if (words.size() != 2) {
        findings.push_back({std::string(file), line,
                            "a link to a row has the title \"ID STATISTIC\""});
      } else {
        const absl::StatusOr<std::string> expected =
            row_text(path, words[0], words[1]);
        if (!expected.ok()) {
          findings.push_back({std::string(file), line,
                              std::string(expected.status().message())});
        } else if (*expected != shown) {
          findings.push_back(
              {std::string(file), line,
               absl::StrCat("'", shown, "' is not what its row shows: '",
                            *expected, "'")});
        }
      }
      Blank(text, begin, at);
    }
    Blank(text, at + 1, close + 1);
    at = close;
  }
}

}  // namespace

std::string DescribeFinding(const Finding& finding) {
  return absl::StrCat(finding.file, ":", finding.line, ": ", finding.what);
}

absl::StatusOr<ReviewedNames> ReviewedNames::Parse(absl::string_view text) {
  ReviewedNames names;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '|');
    const auto field = [&](size_t i) {
      return std::string(absl::StripAsciiWhitespace(parts[i]));
    };
    if (parts.size() != 3 || field(0).empty() || field(1).empty() ||
        field(2).empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          number, ": a reviewed name is WHERE | NAME | WHY, all three there"));
    }
    names.names_.push_back(
        {.where = field(0), .name = field(1), .line = number});
  }
  return names;
}

bool ReviewedNames::Covers(absl::string_view file, absl::string_view text,
                           size_t begin, size_t end) {
  bool covered = false;
  for (Name& name : names_) {
    if (name.where != "*" && name.where != file) continue;
    const size_t size = name.name.size();
    if (size < end - begin) continue;
    // Every place where the name could lie around it.
    const size_t first = end >= size ? end - size : 0;
    for (size_t at = first; at <= begin && at + size <= text.size(); ++at) {
      // A line may end where the name has a blank.
      bool same = true;
      for (size_t i = 0; i < size && same; ++i) {
        const char c = text[at + i] == '\n' ? ' ' : text[at + i];
        same = c == name.name[i];
      }
      if (!same) continue;
      const bool whole_begin = at == 0 || !IsWordByte(text[at - 1]) ||
                               !IsWordByte(name.name.front());
      const bool whole_end = at + size == text.size() ||
                             !IsWordByte(text[at + size]) ||
                             !IsWordByte(name.name.back());
      if (whole_begin && whole_end) covered = name.met = true;
    }
  }
  return covered;
}

std::vector<Finding> ReviewedNames::Unused(absl::string_view file) const {
  std::vector<Finding> unused;
  for (const Name& name : names_) {
    if (name.met) continue;
    unused.push_back(
        {std::string(file), name.line,
         absl::StrCat("'", name.name, "' is nowhere in ",
                      name.where == "*" ? "what is checked" : name.where,
                      " any more: take it out")});
  }
  return unused;
}

std::vector<Finding> CheckTemplate(absl::string_view file,
                                   absl::string_view text,
                                   ReviewedNames& names) {
  std::string left(text);
  BlankBetween(left, "<!--", "-->");
  BlankBetween(left, "<style", "</style>");
  BlankBetween(left, "{{", "}}");
  BlankTags(left);
  std::vector<Finding> findings;
  FindDigits(file, left, names, findings);
  // And those in words: "ten times as fast" is a measurement as well.
  FindQuantities(file, left, names, findings);
  return findings;
}

std::vector<Finding> CheckList(absl::string_view file, absl::string_view text,
                               ReviewedNames& names) {
  std::string left(text);
  size_t at = 0;
  while (at < left.size()) {
    const size_t end = std::min(left.find('\n', at), left.size());
    const size_t bar = left.find('|', at);
    const bool comment = left[at] == '#';
    Blank(left, at,
          comment || bar == std::string::npos ? end : std::min(bar, end));
    at = end + 1;
  }
  std::vector<Finding> findings;
  FindDigits(file, left, names, findings);
  FindQuantities(file, left, names, findings);
  return findings;
}

std::vector<Finding> CheckStyle(absl::string_view file, absl::string_view text,
                                ReviewedNames& names) {
  // All but what stands between quotes after "content:"; and of that not the
  // escapes of characters, \2190.
  std::string left(text.size(), ' ');
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') left[i] = '\n';
  }
  const std::string all(text);
  for (size_t at = all.find("content:"); at != std::string::npos;
       at = all.find("content:", at + 1)) {
    const size_t end = std::min(all.find_first_of(";}", at), all.size());
    for (size_t i = at + 8; i < end; ++i) {
      if (all[i] == '\\') {
        while (i + 1 < end && absl::ascii_isxdigit(all[i + 1])) ++i;
        continue;
      }
      left[i] = all[i];
    }
  }
  std::vector<Finding> findings;
  FindDigits(file, left, names, findings);
  return findings;
}

std::vector<Finding> CheckMarkdown(absl::string_view file,
                                   absl::string_view text, ReviewedNames& names,
                                   RowText row_text) {
  std::string left(text);
  std::vector<Finding> findings;
  BlankGenerated(left);
  BlankCodeBlocks(left);
  CheckLinks(file, left, row_text, findings);
  FindQuantities(file, left, names, findings);
  return findings;
}

}  // namespace tactus::site
