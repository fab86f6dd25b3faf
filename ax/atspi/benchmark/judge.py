"""Holds measurements against the goals, and says which were met.

A measurement is what `measure` printed for one application, as `read_lines`
collects it. Nothing here measures, and every figure comes from its samples.

A goal ends in one of four ways. MET and MISSED were measured. NOT MEASURED is
never a pass: the application is not installed, or one of the two could not do
what was to be timed. What has no goal is REPORTED.
"""

import dataclasses
import json
import statistics

MET, MISSED, NOT_MEASURED, REPORTED = (
    "met", "MISSED", "NOT MEASURED", "reported")

# Fewer samples than this are no measurement.
_LEAST = 5
# Of a stopped application's neighbour: the difference looked for is small.
_LEAST_BESIDE = 200

WIDGETS = ("gtk3", "gtk4", "qt5", "qt6")
APPLICATIONS = WIDGETS + (
    "mousepad", "gnome-text-editor", "featherpad", "chromium", "chromium-page",
    "firefox", "vte", "libreoffice")
# A measurement of its own, on a desktop with two applications.
STOPPED = "stopped"

SECTIONS = {
    "find": "Find the focus and take a snapshot, nothing known beforehand: "
            "times as fast as libatspi",
    "held": "Read a held element, the same seven reads on the wire: times as "
            "fast as libatspi",
    "cached": "The focus known from events, full snapshot of two flights: "
              "share of the other's time",
    "batch": "Reads in flights: share of the time of the same calls in turn",
    "cold": "A process that starts, takes one snapshot and ends",
    "stopped": "With a stopped application",
}


@dataclasses.dataclass(frozen=True)
class Goal:
    """Which figure, of which samples, and what it must be."""
    section: str
    application: str
    what: str       # what is compared, for people
    ours: str       # names of series
    other: str      # the one compared with; "" when the figure is absolute
    kind: str       # one of _FIGURES
    bound: float    # None: reported, no goal
    least: int = _LEAST


@dataclasses.dataclass(frozen=True)
class Verdict:
    goal: Goal
    verdict: str
    figure: float = None
    ours: dict = None   # median, p95, n
    other: dict = None
    why: str = ""       # not measured, or not comparable


def read_lines(lines):
    """The measurement that `measure` printed. Raises ValueError for a line that
    it cannot have printed."""
    measurement = {"series": {}, "facts": {}}
    for line in lines:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise ValueError("not an object: %s" % line)
        if "series" in row:
            measurement["series"][row["series"]] = row
        elif "fact" in row:
            measurement["facts"][row["fact"]] = row["value"]
        else:
            raise ValueError("neither series nor fact: %s" % line)
    return measurement


def summary(samples):
    ordered = sorted(samples)
    # The smallest that 95 of 100 samples do not exceed.
    rank = -(-len(ordered) * 95 // 100) - 1
    return {"median": statistics.median(ordered), "p95": ordered[rank],
            "max": ordered[-1], "n": len(ordered)}


def _faster(ours, other, _):
    return other["median"] / ours["median"]


def _share(ours, other, _):
    return ours["median"] / other["median"]


def _milliseconds(ours, *_):
    return ours["median"] / 1000


def _late(ours, _, facts):
    """By how much the worst of them missed its deadline, in ms."""
    deadline = facts["stopped.deadline_us"]
    return max(abs(sample - deadline) for sample in ours["samples"]) / 1000


# How the figure is made, whether more is better, and how it is written.
_FIGURES = {
    "faster": (_faster, True, "%.2fx"),
    "share": (_share, False, "%.2f"),
    "characters": (_share, False, "%.2f"),
    "milliseconds": (_milliseconds, False, "%.1f ms"),
    "late": (_late, False, "%.1f ms"),
}


def format_figure(kind, figure):
    return _FIGURES[kind][2] % figure


def format_bound(goal):
    if goal.bound is None:
        return "-"
    sign = ">=" if _FIGURES[goal.kind][1] else "<="
    return "%s %s" % (sign, format_figure(goal.kind, goal.bound))


def goals(application, facts):
    """The goals of one application, and what is reported beside them."""
    if application == STOPPED:
        return _stopped_goals()
    found = []

    def add(section, what, ours, other, kind, bound):
        found.append(Goal(section, application, what, ours, other, kind, bound))

    bound = {
        "gtk3": 3, "gtk4": 3, "qt5": 7, "qt6": 7, "mousepad": 10,
        "chromium": 10, "chromium-page": 10, "firefox": 10, "vte": 10,
    }.get(application)
    # The search of a huge page is the browser's own walk, which no client
    # makes faster: what is held to the goal there is what users get, who are
    # mostly still where they were.
    page = application == "chromium-page"
    add("find", "libatspi, walking the tree", "find.tactus", "find.libatspi",
        "faster", None if page else bound)
    add("find", "the same, Tactus first asking what it found last",
        "find.tactus_again", "find.libatspi", "faster", bound if page else None)
    add("find", "libatspi, GetMatches", "find.tactus",
        "find.libatspi_collection", "faster", None)

    routes = {who: {"bus": "the bus", "socket": "its socket"}.get(
        facts.get("held." + name), "?") for who, name in (
            ("Tactus", "route"), ("libatspi", "libatspi_route"))}
    socket = "its socket" in routes.values()
    add("held", "over %s" % routes["Tactus"]
        if routes["Tactus"] == routes["libatspi"]
        else "Tactus over %(Tactus)s, libatspi over %(libatspi)s" % routes,
        "held.tactus", "held.libatspi", "faster",
        None if application == "libreoffice" else 1.5 if socket else 1.25)

    if application == "gtk3" or socket:
        add("cached", "of 5 calls in turn on its socket", "cached.tactus",
            "cached.five_calls", "share", 1 if application == "gtk3" else None)
    add("cached", "of libatspi, listening, same reads", "cached.tactus",
        "cached.libatspi", "share", None)
    add("cached", "of libatspi in its event loop, role and states from its "
        "cache", "looped.tactus", "looped.libatspi", "share", None)
    add("cached", "of libatspi in its event loop, walking its cache",
        "looped.tactus", "looped.libatspi_find", "share", None)

    tight = application in ("gtk3", "gtk4", "qt5")
    routes = [("bus", 0.60 if tight else 0.85)]
    if facts.get("batch.socket") != "none":
        routes.append(("socket", 0.85))
    for route, bound in routes:
        prefix = "batch.%s." % route
        add("batch", "one flight, on the %s" % route, prefix + "one_flight",
            prefix + "in_turn", "share", bound)
        add("batch", "snapshot of two flights, on the %s" % route,
            prefix + "batched", prefix + "in_turn", "share", None)
        add("batch", "the same, of our own attribute by attribute",
            prefix + "batched", prefix + "unbatched", "share", None)
    if len(routes) == 2:
        add("batch", "snapshot on the socket, of the bus in turn",
            "batch.socket.batched", "batch.socket.bus_in_turn", "share", 0.60)

    if application in WIDGETS:
        add("cold", "from its start to its end", "cold.tactus", "",
            "milliseconds", 25)
        add("cold", "of libatspi doing the same", "cold.tactus",
            "cold.libatspi", "share", None)
        add("cold", "processor time, of libatspi doing the same",
            "cold.tactus_cpu", "cold.libatspi_cpu", "share", None)
    return found


def _stopped_goals():
    def goal(what, ours, other, kind, bound, least=_LEAST):
        return Goal("stopped", STOPPED, what, ours, other, kind, bound, least)

    return [
        goal("its own snapshot, off its deadline at worst", "stopped.own", "",
             "late", 20),
        goal("the same, never met before", "stopped.own_first_contact", "",
             "late", 20),
        goal("another application's snapshot, of nothing stopped",
             "stopped.beside", "stopped.quiet", "share", 1.10, _LEAST_BESIDE),
        goal("the same without a display to ask", "stopped.beside_no_display",
             "stopped.quiet_no_display", "share", None),
        goal("libatspi, of nothing stopped", "stopped.libatspi_beside",
             "stopped.libatspi_quiet", "share", None),
    ]


def judge(goal, measurement):
    """The verdict on one goal."""
    facts = measurement["facts"]

    def unmeasured(why):
        return Verdict(goal, NOT_MEASURED if goal.bound is not None else
                       REPORTED, why=why)

    rows = []
    for name in filter(None, (goal.ours, goal.other)):
        row = measurement["series"].get(name)
        if row is None:
            return unmeasured("%s was not measured" % name)
        rows.append(row)
    ours = rows[0]
    if ours["failures"] and goal.bound is not None:
        # Speed does not count where the answer is wrong or does not come.
        return Verdict(goal, MISSED, why="%d of %d failed: %s" % (
            ours["failures"], ours["failures"] + len(ours["samples"]),
            ours.get("failure", "")))
    for row in rows:
        if len(row["samples"]) < goal.least:
            return unmeasured("%s has %d samples%s" % (
                row["series"], len(row["samples"]),
                ": " + row["failure"] if row.get("failure") else ""))
    if goal.section == "held" and facts.get("held.libatspi_element"):
        return unmeasured("libatspi holds another element")
    sums = [dict(summary(row["samples"]), samples=row["samples"])
            for row in rows]
    other = sums[1] if goal.other else None
    if min(one["median"] for one in sums) <= 0:
        return unmeasured("a median is zero")
    make, more, _ = _FIGURES[goal.kind]
    figure = make(sums[0], other, facts)
    if goal.bound is None:
        verdict = REPORTED
    else:
        good = figure >= goal.bound if more else figure <= goal.bound
        verdict = MET if good else MISSED
    return Verdict(goal, verdict, figure, sums[0], other)


def not_measured(goal, why):
    return Verdict(goal, NOT_MEASURED if goal.bound is not None else REPORTED,
                   why=why)


def exit_code(verdicts):
    """1 when a goal was missed, else 3 when one was not measured, else 0."""
    kinds = {verdict.verdict for verdict in verdicts}
    if MISSED in kinds:
        return 1
    # Nothing asked is nothing proved.
    if NOT_MEASURED in kinds or MET not in kinds:
        return 3
    return 0
