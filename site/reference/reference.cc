#include "site/reference/reference.h"

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
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"

namespace tactus::site {
namespace {

constexpr std::array<Verb, 6> kVerbs = {Verb::kFigure,  Verb::kRatio,
                                        Verb::kPlot,    Verb::kStrip,
                                        Verb::kCompare, Verb::kOverview};
constexpr std::array<Statistic, 8> kStatistics = {
    Statistic::kN,   Statistic::kMin, Statistic::kP50,  Statistic::kP95,
    Statistic::kP99, Statistic::kMax, Statistic::kMean, Statistic::kFailures};

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(what);
}

template <typename Enums, typename NameOf>
std::string Names(const Enums& all, NameOf name_of) {
  return absl::StrJoin(all, ", ", [&](std::string* out, auto value) {
    absl::StrAppend(out, name_of(value));
  });
}

// Keys of a configuration are spelled as one word of a series is.
bool IsKey(absl::string_view key) {
  return ledger::IsSeriesName(key) && !absl::StrContains(key, '/');
}

// A word of a reference. A quoted value is part of its word.
struct Word {
  std::string text;                   // without quotes
  size_t equals = std::string::npos;  // of the first '=' outside of quotes
};

absl::StatusOr<std::vector<Word>> Words(absl::string_view text) {
  std::vector<Word> words;
  size_t at = 0;
  while (true) {
    while (at < text.size() && absl::ascii_isspace(text[at])) ++at;
    if (at == text.size()) return words;
    Word word;
    bool quoted = false;
    for (; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '"') {
        quoted = !quoted;
        continue;
      }
      if (!quoted && absl::ascii_isspace(c)) break;
      if (absl::ascii_iscntrl(c)) {
        return Wrong("a control character within a word");
      }
      if (!quoted && c == '=' && word.equals == std::string::npos) {
        word.equals = word.text.size();
      }
      word.text.push_back(c);
    }
    if (quoted) return Wrong("a quote that is not closed");
    words.push_back(std::move(word));
  }
}

// Takes words from the front.
class Parser {
 public:
  explicit Parser(std::vector<Word> words) : words_(std::move(words)) {}

  absl::StatusOr<Reference> Run() {
    if (words_.empty()) return Wrong("an empty reference");
    Reference reference;
    const Word verb = Next();
    const auto found =
        std::find_if(kVerbs.begin(), kVerbs.end(),
                     [&](Verb one) { return VerbName(one) == verb.text; });
    if (found == kVerbs.end()) {
      return Wrong(absl::StrCat("no reference '", verb.text, "': one of ",
                                Names(kVerbs, VerbName)));
    }
    reference.verb = *found;
    if (reference.verb == Verb::kOverview) {
      if (Done()) return reference;
      return Wrong(absl::StrCat("'", Next().text,
                                "' is more than overview "
                                "takes"));
    }
    if (reference.verb == Verb::kCompare) {
      if (Done() || words_[at_].equals != 2 ||
          !absl::StartsWith(words_[at_].text, "by=") ||
          words_[at_].text.size() == 3) {
        return Wrong(
            "compare needs by=KEY first, the key of the "
            "configuration that tells its lines apart");
      }
      reference.by = Next().text.substr(3);
      if (!IsKey(reference.by)) {
        return Wrong(absl::StrCat("'", reference.by, "' is no key"));
      }
    }
    if (absl::Status s = Selectors(reference); !s.ok()) return s;
    const size_t n = reference.selectors.size();
    switch (reference.verb) {
      case Verb::kRatio:
        if (n != 2) {
          return Wrong("a ratio is of two series, with ' / ' between them");
        }
        break;
      case Verb::kCompare:
        if (n > kMaxSelectors) {
          return Wrong(
              absl::StrCat("compare takes at most ", kMaxSelectors, " series"));
        }
        break;
      case Verb::kFigure:
      case Verb::kPlot:
      case Verb::kStrip:
        if (n != 1) {
          return Wrong(
              absl::StrCat(VerbName(reference.verb), " is of one series"));
        }
        break;
      case Verb::kOverview:
        break;
    }
    return reference;
  }

 private:
  bool Done() const { return at_ == words_.size(); }
  const Word& Next() { return words_[at_++]; }

  absl::Status Selectors(Reference& reference) {
    while (true) {
      absl::StatusOr<Selector> selector = OneSelector(reference);
      if (!selector.ok()) return selector.status();
      reference.selectors.push_back(*std::move(selector));
      if (Done()) return absl::OkStatus();
      const Word& word = Next();
      if (word.text == "/") continue;
      const bool takes =
          reference.verb != Verb::kPlot && reference.verb != Verb::kStrip;
      const absl::StatusOr<Statistic> statistic = ParseStatistic(word.text);
      if (!statistic.ok() && takes) return statistic.status();
      if (!takes || !Done()) {
        return Wrong(absl::StrCat("'", takes ? Next().text : word.text,
                                  "' is more than ", VerbName(reference.verb),
                                  " takes"));
      }
      reference.statistic = *statistic;
      return absl::OkStatus();
    }
  }

  absl::StatusOr<Selector> OneSelector(const Reference& reference) {
    if (Done()) return Wrong("a series is missing");
    Selector selector;
    selector.series = Next().text;
    if (!ledger::IsSeriesName(selector.series)) {
      return Wrong(absl::StrCat("'", selector.series,
                                "' is not the name of a series: words of a-z, "
                                "0-9, '_', '-', '.' joined by '/'"));
    }
    while (!Done() && words_[at_].equals != std::string::npos) {
      const Word& word = Next();
      const std::string key = word.text.substr(0, word.equals);
      const std::string value = word.text.substr(word.equals + 1);
      if (!IsKey(key) || value.empty()) {
        return Wrong(absl::StrCat("'", word.text, "' is not KEY=VALUE"));
      }
      if (key == "device") {
        if (!selector.device.empty()) return Wrong("two devices");
        if (value.find_first_not_of("0123456789abcdef") != std::string::npos) {
          return Wrong(absl::StrCat("'", value, "' is not the id of a device"));
        }
        selector.device = value;
        continue;
      }
      if (reference.verb == Verb::kCompare && key == reference.by) {
        return Wrong(absl::StrCat("the lines of the comparison differ by ", key,
                                  ", so it cannot be chosen"));
      }
      if (!selector.configuration.emplace(key, value).second) {
        return Wrong(absl::StrCat("'", key, "' is there twice"));
      }
    }
    return selector;
  }

  const std::vector<Word> words_;
  size_t at_ = 0;
};

}  // namespace

absl::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kFigure:
      return "figure";
    case Verb::kRatio:
      return "ratio";
    case Verb::kPlot:
      return "plot";
    case Verb::kStrip:
      return "strip";
    case Verb::kCompare:
      return "compare";
    case Verb::kOverview:
      return "overview";
  }
  return "";
}

absl::string_view StatisticName(Statistic statistic) {
  switch (statistic) {
    case Statistic::kN:
      return "n";
    case Statistic::kMin:
      return "min";
    case Statistic::kP50:
      return "p50";
    case Statistic::kP95:
      return "p95";
    case Statistic::kP99:
      return "p99";
    case Statistic::kMax:
      return "max";
    case Statistic::kMean:
      return "mean";
    case Statistic::kFailures:
      return "failures";
  }
  return "";
}

absl::StatusOr<Statistic> ParseStatistic(absl::string_view name) {
  for (const Statistic statistic : kStatistics) {
    if (StatisticName(statistic) == name) return statistic;
  }
  return Wrong(absl::StrCat("no statistic '", name, "': one of ",
                            Names(kStatistics, StatisticName)));
}

absl::StatusOr<Reference> ParseReference(absl::string_view text) {
  if (text.size() > kMaxReference) {
    return Wrong(absl::StrCat("a reference of ", text.size(),
                              " bytes, of at most ", kMaxReference));
  }
  absl::StatusOr<std::vector<Word>> words = Words(text);
  if (!words.ok()) return words.status();
  return Parser(*std::move(words)).Run();
}

std::string FormatSelector(const Selector& selector) {
  std::string text = selector.series;
  const auto append = [&](absl::string_view key, absl::string_view value) {
    // A brace at the end of a reference would be taken for its own.
    const bool plain = std::none_of(value.begin(), value.end(), [](char c) {
      return absl::ascii_isspace(c) || c == '}';
    });
    const absl::string_view quote = plain ? "" : "\"";
    absl::StrAppend(&text, " ", key, "=", quote, value, quote);
  };
  for (const auto& [key, value] : selector.configuration) append(key, value);
  if (!selector.device.empty()) append("device", selector.device);
  return text;
}

std::string FormatReference(const Reference& reference) {
  std::string text(VerbName(reference.verb));
  if (!reference.by.empty()) absl::StrAppend(&text, " by=", reference.by);
  if (reference.selectors.empty()) return text;
  absl::StrAppend(&text, " ",
                  absl::StrJoin(reference.selectors, " / ",
                                [](std::string* out, const Selector& selector) {
                                  absl::StrAppend(out,
                                                  FormatSelector(selector));
                                }));
  if (reference.statistic != Statistic::kP50) {
    absl::StrAppend(&text, " ", StatisticName(reference.statistic));
  }
  return text;
}

absl::StatusOr<std::vector<Piece>> ParsePage(absl::string_view page) {
  std::vector<Piece> pieces;
  int line = 1;
  const auto wrong = [&](absl::string_view what) {
    return Wrong(absl::StrCat(line, ": ", what));
  };
  const auto count = [](absl::string_view text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  };
  while (!page.empty()) {
    const size_t open = page.find("{{");
    const absl::string_view text = page.substr(0, open);
    if (!text.empty()) {
      pieces.push_back({.text = std::string(text), .line = line});
      line += count(text);
    }
    if (open == absl::string_view::npos) return pieces;
    page.remove_prefix(open + 2);
    const size_t close = page.find("}}");
    if (close == absl::string_view::npos) {
      return wrong("'{{' without its '}}'");
    }
    const absl::string_view inside = page.substr(0, close);
    absl::StatusOr<Reference> reference = ParseReference(inside);
    if (!reference.ok()) return wrong(reference.status().message());
    pieces.push_back({.reference = *std::move(reference),
                      .is_reference = true,
                      .line = line});
    line += count(inside);
    page.remove_prefix(close + 2);
  }
  return pieces;
}

}  // namespace tactus::site
