#include "site/plot/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/row.h"
#include "site/format/format.h"

namespace tactus::site {
namespace {

using ledger::Direction;

// Room for the labels around the plot, in its own units, which are pixels at
// its natural size.
constexpr double kLeft = 52;
constexpr double kRight = 14;
constexpr double kTop = 46;
constexpr double kBottom = 30;
// As wide as a date and a gap.
constexpr double kDateWidth = 78;
// More marks than this have no dot each: they would be one thick line.
constexpr size_t kMostDots = 120;

std::string Escape(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"},
                                    {"<", "&lt;"},
                                    {">", "&gt;"},
                                    {"\"", "&quot;"},
                                    {"'", "&#39;"}});
}

// A coordinate: a tenth of a pixel, without a trailing zero.
std::string At(double value) {
  std::string text = absl::StrFormat("%.1f", value);
  if (text.size() > 2 && text.substr(text.size() - 2) == ".0") {
    text.resize(text.size() - 2);
  }
  return text == "-0" ? "0" : text;
}

// The middle one; of an even number the lower, which was measured.
double Middle(std::vector<double> values) {
  const size_t middle = (values.size() - 1) / 2;
  std::nth_element(values.begin(),
                   values.begin() + static_cast<std::ptrdiff_t>(middle),
                   values.end());
  return values[middle];
}

PlotPoint Merge(absl::Span<const PlotPoint> points) {
  PlotPoint merged = points[points.size() / 2];
  // A change is at the row where it begins.
  if (points.front().change) {
    merged.change = true;
    merged.before = points.front().before;
    merged.after = points.front().after;
    merged.time = points.front().time;
  }
  std::vector<double> mids;
  merged.rows = merged.samples = merged.failures = 0;
  for (const PlotPoint& point : points) {
    mids.push_back(point.mid);
    merged.low = std::min(merged.low, point.low);
    merged.high = std::max(merged.high, point.high);
    merged.rows += point.rows;
    merged.samples += point.samples;
    merged.failures += point.failures;
    merged.dirty = merged.dirty || point.dirty;
  }
  merged.mid = Middle(std::move(mids));
  if (points.size() > 1) merged.href.clear();
  return merged;
}

// What the ticks of time may be: a step in one field of the calendar.
struct Step {
  enum Field { kHour, kDay, kMonth, kYear } field;
  int by;
  double seconds;  // about
};
constexpr double kDaySeconds = 86400;
constexpr std::array<Step, 14> kSteps = {{
    {Step::kHour, 1, 3600},
    {Step::kHour, 3, 3 * 3600},
    {Step::kHour, 6, 6 * 3600},
    {Step::kHour, 12, 12 * 3600},
    {Step::kDay, 1, kDaySeconds},
    {Step::kDay, 2, 2 * kDaySeconds},
    {Step::kDay, 7, 7 * kDaySeconds},
    {Step::kDay, 14, 14 * kDaySeconds},
    {Step::kMonth, 1, 30 * kDaySeconds},
    {Step::kMonth, 2, 61 * kDaySeconds},
    {Step::kMonth, 3, 91 * kDaySeconds},
    {Step::kMonth, 6, 182 * kDaySeconds},
    {Step::kYear, 1, 365 * kDaySeconds},
    {Step::kYear, 5, 5 * 365 * kDaySeconds},
}};

struct TimeTick {
  absl::Time time;
  std::string label;
};

std::vector<TimeTick> TimeTicks(absl::Time from, absl::Time to, int most) {
  const double span = absl::ToDoubleSeconds(to - from);
  Step step = kSteps.back();
  for (const Step& one : kSteps) {
    if (span / one.seconds <= most) {
      step = one;
      break;
    }
  }
  const absl::TimeZone utc = absl::UTCTimeZone();
  std::vector<TimeTick> ticks;
  // Whatever the dates are, a plot has few ticks: a history of a thousand
  // years has one each so many of them.
  constexpr size_t kLimit = 40;
  const auto add = [&](absl::Time time, const char* format) {
    if (time < from || time > to || ticks.size() >= kLimit) return;
    ticks.push_back({time, absl::FormatTime(format, time, utc)});
  };
  switch (step.field) {
    case Step::kHour: {
      absl::CivilHour hour = absl::ToCivilHour(from, utc);
      hour -= hour.hour() % step.by;
      for (; absl::FromCivil(hour, utc) <= to; hour += step.by) {
        add(absl::FromCivil(hour, utc), hour.hour() == 0 ? "%-d %b" : "%H:%M");
      }
      break;
    }
    case Step::kDay: {
      // Weeks begin where the epoch's day count says, the same in every plot.
      absl::CivilDay day = absl::ToCivilDay(from, utc);
      day -= static_cast<int>((day - absl::CivilDay(1970, 1, 5)) % step.by);
      for (; absl::FromCivil(day, utc) <= to; day += step.by) {
        add(absl::FromCivil(day, utc), "%-d %b");
      }
      break;
    }
    case Step::kMonth: {
      absl::CivilMonth month = absl::ToCivilMonth(from, utc);
      month -= (month.month() - 1) % step.by;
      for (; absl::FromCivil(month, utc) <= to; month += step.by) {
        add(absl::FromCivil(month, utc), "%b %Y");
      }
      break;
    }
    case Step::kYear: {
      absl::CivilYear year = absl::ToCivilYear(from, utc);
      for (; absl::FromCivil(year, utc) <= to; year += step.by) {
        add(absl::FromCivil(year, utc), "%Y");
        if (ticks.size() >= kLimit) break;
      }
      break;
    }
  }
  return ticks;
}

// Draws one plot.
class Painter {
 public:
  Painter(absl::Span<const PlotPoint> points, const PlotOptions& options)
      : points_(points), options_(options) {
    for (const PlotPoint& point : points_) {
      if (!point.missing()) largest_ = std::max(largest_, point.high);
    }
    scale_ = ScaleFor(largest_, options.unit);
    ticks_ = Ticks(largest_ / scale_.divisor, options.height < 200 ? 3 : 4);
    from_ = points_.front().time;
    to_ = points_.back().time;
    // One moment alone is in the middle of a day.
    if (from_ == to_) {
      from_ -= absl::Hours(12);
      to_ += absl::Hours(12);
    }
  }

  std::string Run() {
    Head();
    Axes();
    Changes();
    Spread();
    Line();
    if (points_.size() <= kMostDots) Dots();
    Missing();
    absl::StrAppend(&svg_, "</svg>");
    return std::move(svg_);
  }

 private:
  double Right() const { return options_.width - kRight; }
  double Bottom() const { return options_.height - kBottom; }

  double X(absl::Time time) const {
    return kLeft + 6 +
           absl::FDivDuration(time - from_, to_ - from_) *
               (Right() - kLeft - 12);
  }
  // Of a value in the unit of the row.
  double Y(double value) const {
    return Bottom() -
           value / scale_.divisor / ticks_.back() * (Bottom() - kTop);
  }

  std::string AxisText() const {
    return absl::StrCat(scale_.unit.empty() ? "count" : scale_.unit, ", ",
                        ledger::DirectionName(options_.direction),
                        " is better");
  }

  void Head() {
    int64_t rows = 0;
    size_t missing = 0;
    for (const PlotPoint& point : points_) {
      rows += point.rows;
      missing += point.missing() ? 1 : 0;
    }
    const PlotPoint& last = points_.back();
    std::string about =
        absl::StrCat(rows, rows == 1 ? " row from " : " rows from ",
                     ShowDay(points_.front().time), " to ", ShowDay(last.time),
                     ", in ", AxisText(), ".");
    if (missing > 0) {
      absl::StrAppend(&about, " ", missing,
                      missing == 1 ? " has no value: " : " have no value: ",
                      "more tries failed than gave a sample.");
    }
    if (!last.missing()) {
      absl::StrAppend(&about, " The last median is ",
                      ShowText(last.mid, options_.unit), ".");
    }
    const std::string id = Escape(options_.id);
    absl::StrAppend(
        &svg_, "<svg class=\"plot\" viewBox=\"0 0 ", options_.width, " ",
        options_.height, "\" width=\"", options_.width, "\" height=\"",
        options_.height, "\" role=\"img\" aria-labelledby=\"", id, "-t ", id,
        "-d\">\n<title id=\"", id, "-t\">", Escape(options_.title),
        "</title>\n<desc id=\"", id, "-d\">", Escape(about), "</desc>\n");
  }

  void Text(double x, double y, absl::string_view kind,
            absl::string_view text) {
    absl::StrAppend(&svg_, "<text class=\"", kind, "\" x=\"", At(x), "\" y=\"",
                    At(y), "\">", Escape(text), "</text>\n");
  }

  void Axes() {
    Text(0, 12, "unit", AxisText());
    std::string grid;
    for (const double tick : ticks_) {
      const double y = Y(tick * scale_.divisor);
      absl::StrAppend(&grid, "M", At(kLeft), " ", At(y), "H", At(Right()));
    }
    absl::StrAppend(&svg_, "<path class=\"grid\" d=\"", grid, "\"/>\n");
    absl::StrAppend(&svg_, "<path class=\"axis\" d=\"M", At(kLeft), " ",
                    At(Bottom()), "H", At(Right()), "\"/>\n");
    Text(kLeft - 8, Bottom() + 4, "y", "0");
    for (const double tick : ticks_) {
      Text(kLeft - 8, Y(tick * scale_.divisor) + 4, "y",
           ledger::FormatNumber(tick));
    }
    const int most =
        std::max(2, static_cast<int>((Right() - kLeft) / kDateWidth));
    const std::vector<TimeTick> times = TimeTicks(from_, to_, most);
    std::string marks;
    for (const TimeTick& tick : times) {
      absl::StrAppend(&marks, "M", At(X(tick.time)), " ", At(Bottom()), "v5");
    }
    if (!marks.empty()) {
      absl::StrAppend(&svg_, "<path class=\"axis\" d=\"", marks, "\"/>\n");
    }
    for (const TimeTick& tick : times) {
      // A label near an edge would be cut.
      const double x = std::clamp(X(tick.time), kLeft + 20, Right() - 24);
      Text(x, Bottom() + 20, "x", tick.label);
    }
  }

  void Changes() {
    double free_from = 0;  // where the next label has room
    for (const PlotPoint& point : points_) {
      if (!point.change) continue;
      const bool rose = point.after > point.before;
      const bool worse =
          rose == (options_.direction == Direction::kLessIsBetter);
      const absl::string_view kind = worse ? "worse" : "better";
      const double x = X(point.time);
      absl::StrAppend(&svg_, "<path class=\"change ", kind, "\" d=\"M", At(x),
                      " ", At(kTop - 4), "V", At(Bottom()), "\"/>\n");
      const std::string text =
          absl::StrCat(rose ? "▲" : "▼", " ",
                       ShowChange(point.before, point.after), ", ", kind);
      // Some seven pixels a letter at this size.
      const double wide = 7.0 * 15;
      const double left = std::clamp(x - wide / 2, kLeft, Right() - wide);
      if (left < free_from) continue;
      free_from = left + wide + 6;
      Text(left + wide / 2, kTop - 8, absl::StrCat("change ", kind), text);
    }
  }

  void Spread() {
    std::string path;
    for (const PlotPoint& point : points_) {
      if (point.missing()) continue;
      absl::StrAppend(&path, "M", At(X(point.time)), " ", At(Y(point.low)), "V",
                      At(Y(point.high)));
    }
    if (!path.empty()) {
      absl::StrAppend(&svg_, "<path class=\"spread\" d=\"", path, "\"/>\n");
    }
  }

  void Line() {
    std::string path;
    bool drawing = false;
    for (const PlotPoint& point : points_) {
      if (point.missing()) {
        drawing = false;
        continue;
      }
      absl::StrAppend(&path, drawing ? "L" : "M", At(X(point.time)), " ",
                      At(Y(point.mid)));
      drawing = true;
    }
    if (!path.empty()) {
      absl::StrAppend(&svg_, "<path class=\"line\" d=\"", path, "\"/>\n");
    }
  }

  std::string Tip(const PlotPoint& point) const {
    std::string tip = ShowMinute(point.time);
    if (point.missing()) {
      absl::StrAppend(&tip, ": no value, ", point.failures,
                      " tries failed and ", point.samples, " did not");
      return tip;
    }
    absl::StrAppend(&tip, ": p50 ", ShowText(point.mid, options_.unit),
                    ", from ", ShowText(point.low, options_.unit), " to p95 ",
                    ShowText(point.high, options_.unit));
    if (point.rows > 1) absl::StrAppend(&tip, ", ", point.rows, " rows");
    if (point.failures > 0) {
      absl::StrAppend(&tip, ", ", point.failures, " failed");
    }
    if (point.dirty) absl::StrAppend(&tip, ", dirty tree");
    return tip;
  }

  void Open(const PlotPoint& point) {
    if (point.href.empty()) return;
    absl::StrAppend(&svg_, "<a href=\"", Escape(point.href), "\">");
  }
  void Close(const PlotPoint& point) {
    absl::StrAppend(&svg_, point.href.empty() ? "\n" : "</a>\n");
  }

  void Dots() {
    const char* radius = points_.size() > 60 ? "2.5" : "3.5";
    for (const PlotPoint& point : points_) {
      if (point.missing()) continue;
      Open(point);
      absl::StrAppend(&svg_, "<circle class=\"dot",
                      point.failures > 0 || point.dirty ? " doubt" : "",
                      "\" cx=\"", At(X(point.time)), "\" cy=\"",
                      At(Y(point.mid)), "\" r=\"", radius, "\"><title>",
                      Escape(Tip(point)), "</title></circle>");
      Close(point);
    }
  }

  void Missing() {
    const double y =
        options_.direction == Direction::kLessIsBetter ? kTop : Bottom() - 5;
    for (const PlotPoint& point : points_) {
      if (!point.missing()) continue;
      Open(point);
      const double x = X(point.time);
      absl::StrAppend(&svg_, "<path class=\"missing\" d=\"M", At(x - 4), " ",
                      At(y - 4), "l8 8m0-8l-8 8\"><title>", Escape(Tip(point)),
                      "</title></path>");
      Close(point);
    }
  }

  const absl::Span<const PlotPoint> points_;
  const PlotOptions& options_;
  double largest_ = 0;
  Scale scale_;
  std::vector<double> ticks_;
  absl::Time from_;
  absl::Time to_;
  std::string svg_;
};

}  // namespace

std::string ShowChange(double before, double after) {
  if (!(before > 0)) return "from zero";
  return absl::StrFormat("%.0f\u00a0%%", 100 * std::abs(after / before - 1));
}

std::vector<PlotPoint> Reduce(absl::Span<const PlotPoint> points, size_t most) {
  if (points.size() <= most || most == 0) {
    return {points.begin(), points.end()};
  }
  const absl::Time from = points.front().time;
  const absl::Duration span = points.back().time - from;
  const auto column = [&](const PlotPoint& point) {
    if (span == absl::ZeroDuration()) return size_t{0};
    const double share = absl::FDivDuration(point.time - from, span);
    return std::min(most - 1,
                    static_cast<size_t>(share * static_cast<double>(most)));
  };
  std::vector<PlotPoint> reduced;
  std::vector<PlotPoint> values, missing;  // of the part that is being read
  const auto flush = [&](std::vector<PlotPoint>& part) {
    if (!part.empty()) reduced.push_back(Merge(part));
    part.clear();
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const PlotPoint& point = points[i];
    const bool other = i > 0 && column(point) != column(points[i - 1]);
    if (other) flush(missing);
    if (other || point.change) flush(values);
    (point.missing() ? missing : values).push_back(point);
  }
  flush(missing);
  flush(values);
  // No two marks have one time and one kind, but for rows of one moment alone.
  std::sort(reduced.begin(), reduced.end(),
            [](const PlotPoint& a, const PlotPoint& b) {
              return std::make_tuple(a.time, a.missing(), a.change, a.mid) <
                     std::make_tuple(b.time, b.missing(), b.change, b.mid);
            });
  return reduced;
}

std::string TimePlot(absl::Span<const PlotPoint> points,
                     const PlotOptions& options) {
  if (points.empty()) return "";
  return Painter(points, options).Run();
}

std::string Strip(absl::Span<const double> samples, double mark,
                  absl::string_view title, size_t most) {
  if (samples.empty() || most == 0) return "";
  const size_t strokes = std::min(samples.size(), most);
  const double largest = *std::max_element(samples.begin(), samples.end());
  constexpr double kHeight = 48;
  std::string usual, over;
  for (size_t i = 0; i < strokes; ++i) {
    const size_t begin = i * samples.size() / strokes;
    const size_t end = (i + 1) * samples.size() / strokes;
    const double value =
        *std::max_element(samples.begin() + static_cast<std::ptrdiff_t>(begin),
                          samples.begin() + static_cast<std::ptrdiff_t>(end));
    // A sample of zero is there too: it has a stroke of a pixel.
    const double height =
        largest > 0 ? std::max(1.0, value / largest * kHeight) : 1.0;
    absl::StrAppend(value > mark ? &over : &usual, "M", i * 3 + 1, " ",
                    At(kHeight), "v-", At(height));
  }
  return absl::StrCat(
      "<svg class=\"strip\" viewBox=\"0 0 ", strokes * 3, " ", At(kHeight),
      "\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
      Escape(title), "\">",
      usual.empty() ? ""
                    : absl::StrCat("<path class=\"usual\" d=\"", usual, "\"/>"),
      over.empty() ? ""
                   : absl::StrCat("<path class=\"over\" d=\"", over, "\"/>"),
      "</svg>");
}

std::string Histogram(absl::Span<const double> samples, double low, double high,
                      int bins) {
  if (samples.empty() || bins < 1) return "";
  std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
  int64_t most = 0;
  for (const double sample : samples) {
    const double share = high > low ? (sample - low) / (high - low) : 0;
    const int bin = std::clamp(
        static_cast<int>(std::clamp(share, 0.0, 1.0) * bins), 0, bins - 1);
    most = std::max(most, ++counts[static_cast<size_t>(bin)]);
  }
  constexpr double kHeight = 24;
  std::string path;
  for (int bin = 0; bin < bins; ++bin) {
    const int64_t count = counts[static_cast<size_t>(bin)];
    if (count == 0) continue;
    // What was there once is seen as well.
    const double height = std::max(
        1.0, kHeight * static_cast<double>(count) / static_cast<double>(most));
    absl::StrAppend(&path, "M", bin * 4, " ", At(kHeight), "v-", At(height),
                    "h3V", At(kHeight), "z");
  }
  return absl::StrCat("<svg class=\"shape\" viewBox=\"0 0 ", bins * 4, " ",
                      At(kHeight), "\" aria-hidden=\"true\"><path d=\"", path,
                      "\"/></svg>");
}

std::string Bar(double value, double largest, absl::string_view kind) {
  const double share =
      largest > 0 ? std::clamp(value / largest, 0.0, 1.0) * 100 : 0;
  return absl::StrCat("<svg class=\"bar ", Escape(kind),
                      "\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" "
                      "aria-hidden=\"true\"><rect width=\"",
                      At(std::max(0.4, share)), "\" height=\"6\"/></svg>");
}

std::vector<double> Ticks(double largest, int most) {
  if (!(largest > 0) || !std::isfinite(largest) || most < 1) return {1};
  const double rough = largest / most;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double round : {1.0, 2.0, 2.5, 5.0}) {
    if (round * power >= rough * (1 - 1e-9)) {
      step = round * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (int i = 1; i <= most; ++i) {
    // Rounded, so that 3 * 0.1 is 0.3 and is written so.
    const double tick = std::round(i * step / power * 10) * power / 10;
    double shown = 0;
    if (!absl::SimpleAtod(absl::StrFormat("%.6g", tick), &shown)) shown = tick;
    ticks.push_back(shown);
    if (shown >= largest * (1 - 1e-9)) break;
  }
  return ticks;
}

}  // namespace tactus::site
