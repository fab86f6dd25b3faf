"""Holds what was measured to the goals, and prints both beside each other.

Nothing here measures. A figure is made of samples that were taken in one run,
ours and the other's in turn, and each goal says how.

A goal ends in one of four ways. MET and MISSED were measured. NOT MEASURED is
never a pass: a peer is not installed, a machine has no namespaces, a part failed.
What has no goal is REPORTED.
"""

import dataclasses
import statistics

MET, MISSED, NOT_MEASURED, REPORTED = (
    "met", "MISSED", "NOT MEASURED", "reported")

# What a unit is in that of its kind: seconds, bytes, things.
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1, "B": 1, "B/s": 1,
          "Mbit/s": 125000, "1/s": 1, "count": 1, "ratio": 1}


@dataclasses.dataclass
class Series:
    """What one way of doing something took."""
    name: str               # "echo.tactus": what is compared, then who did it
    unit: str
    samples: list = dataclasses.field(default_factory=list)
    failures: int = 0
    failure: str = ""
    # Of its row; "" is not recorded.
    row: str = ""
    direction: str = "less"
    configuration: dict = dataclasses.field(default_factory=dict)

    @property
    def median(self):
        """In the unit of its kind."""
        return statistics.median(self.samples) * _UNITS[self.unit]

    @property
    def worst(self):
        return max(self.samples) * _UNITS[self.unit]


@dataclasses.dataclass(frozen=True)
class Goal:
    part: str
    what: str               # for people
    ours: str               # the name of a series
    others: tuple = ()      # their medians are added up
    kind: str = "share"     # one of _KINDS
    bound: float = None     # None: reported, no goal
    least: int = 3          # fewer samples than this are no measurement


@dataclasses.dataclass(frozen=True)
class Verdict:
    goal: Goal
    verdict: str
    figure: float = None
    ours: Series = None
    others: tuple = ()
    why: str = ""


def _share(ours, others):
    return ours.median / sum(one.median for one in others)


def _faster(ours, others):
    return sum(one.median for one in others) / ours.median


def _added(ours, others):
    return (ours.median - sum(one.median for one in others)) * 1e3


def _floors(ours, others):
    """What ours takes beyond the first of the others, in sums of the rest."""
    return ((ours.median - others[0].median) /
            sum(one.median for one in others[1:]))


def _milliseconds(ours, _):
    return ours.median * 1e3


def _mebibytes(ours, _):
    return ours.worst / 2**20


def _worst(ours, _):
    return ours.worst


# How the figure is made, whether more of it is better, how it is written.
_KINDS = {
    "share": (_share, False, "%.2f"),
    "faster": (_faster, True, "%.2f"),
    "added": (_added, False, "%.3f ms"),
    "floors": (_floors, False, "%.2f"),
    "milliseconds": (_milliseconds, False, "%.2f ms"),
    "mebibytes": (_mebibytes, False, "%.0f MiB"),
    "count": (_worst, False, "%.0f"),
}


def format_figure(kind, figure):
    return _KINDS[kind][2] % figure


def format_bound(goal):
    if goal.bound is None:
        return "-"
    return "%s %s" % (">=" if _KINDS[goal.kind][1] else "<=",
                      format_figure(goal.kind, goal.bound))


def judge(goal, series, reasons=None):
    """The verdict on a goal. `series` are by name; `reasons` say of a part why
    there is no more of it."""
    def unmeasured(why):
        why = (reasons or {}).get(goal.part, "") or why
        return Verdict(goal, REPORTED if goal.bound is None else NOT_MEASURED,
                       why=why)

    found = []
    for name in (goal.ours,) + goal.others:
        one = series.get(name)
        if one is None:
            return unmeasured("%s was not measured" % name)
        found.append(one)
    ours, others = found[0], tuple(found[1:])
    if ours.failures and goal.bound is not None:
        # Speed does not count where the outcome is wrong.
        return Verdict(goal, MISSED, why="%d of %d failed: %s" % (
            ours.failures, ours.failures + len(ours.samples), ours.failure))
    for one in found:
        if len(one.samples) < goal.least:
            return unmeasured("%s has %d samples%s" % (
                one.name, len(one.samples),
                ": " + one.failure if one.failure else ""))
        if min(one.samples) < 0 or (one.median <= 0 and goal.kind != "count"):
            return Verdict(goal, MISSED, why="%s has a sample that cannot be "
                           "true" % one.name)
    make, more, _ = _KINDS[goal.kind]
    figure = make(ours, others)
    if goal.bound is None:
        verdict = REPORTED
    else:
        good = figure >= goal.bound if more else figure <= goal.bound
        verdict = MET if good else MISSED
    return Verdict(goal, verdict, figure, ours, others)


def exit_code(verdicts):
    """1 when a goal was missed, else 3 when one was not measured, else 0."""
    kinds = {verdict.verdict for verdict in verdicts}
    if MISSED in kinds:
        return 1
    # Nothing asked is nothing proved.
    if NOT_MEASURED in kinds or MET not in kinds:
        return 3
    return 0


def _shown(series):
    value, count = statistics.median(series.samples), len(series.samples)
    if series.unit in ("us", "ms", "s"):
        seconds = value * _UNITS[series.unit]
        for unit, least in (("s", 1), ("ms", 1e-3), ("us", 0)):
            if seconds >= least:
                text = "%.3g %s" % (seconds / _UNITS[unit], unit)
                break
    elif series.unit == "B":
        text = "%.1f MiB" % (value / 2**20)
    else:
        text = "%.4g %s" % (value, series.unit)
    return "%s %s (n %d)" % (series.name.split(".")[-1], text, count)


def describe(verdict):
    goal = verdict.goal
    figure = ("-" if verdict.figure is None else
              format_figure(goal.kind, verdict.figure))
    line = "  %-8s %-52s %10s %10s  %s" % (
        goal.part, goal.what, format_bound(goal), figure, verdict.verdict)
    if verdict.figure is None:
        return line + (" (%s)" % verdict.why if verdict.why else "")
    return line + "  " + "; ".join(
        _shown(one) for one in (verdict.ours,) + verdict.others)
