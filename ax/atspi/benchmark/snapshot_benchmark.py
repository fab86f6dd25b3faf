#!/usr/bin/env python3
"""Measures the AT-SPI backend beside libatspi and holds it to its goals.

For each application it stages a private desktop with that application in focus,
runs `measure` there, and prints each goal beside its figure. See README.md in
ax/atspi/benchmark for what is compared and how.

Exit: 0 every goal was met; 1 one was missed; 2 usage; 3 none was missed, but
one could not be measured here.
"""

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True
import judge  # noqa: E402

# 43 characters: what somebody might type into a field.
_TEXT = "The quick brown fox jumps over the lazy dog"

# The desktop's own exit code where an application cannot be had.
_NOT_AVAILABLE = 3
# Seconds for one application, its start aside. What takes longer hangs.
_PATIENCE = 240

# Of the large page: sections of paragraphs, each an element and its text.
_PAGE_SECTIONS = 90
_PAGE_PARAGRAPHS = 100

# What else is open, so that there are ten applications: the desktop on which
# the goals were set. libatspi has to ask each until it meets the active window.
_BESIDE = ("gtk3", "gtk4", "qt5", "qt6", "mousepad", "featherpad", "vte",
           "gtk3", "qt6")

# In this order: GTK 3 answers every call more slowly once some hundred clients
# have come and gone, so the cold processes are last.
_GROUPS = ("find", "held", "batch", "cached", "cold")


def add_output_arguments(parser):
    parser.add_argument("--json", metavar="FILE",
                        help="append what was measured, a JSON line each")
    parser.add_argument("--record", action="store_true",
                        help="append rows to the ledger, docs/perf/data")
    parser.add_argument("--ledger", metavar="DIR", default="",
                        help="append them to the ledger in this folder")


class Ledger:
    """Where the rows of this run go: options for the program that measures.

    Raises ValueError when there is nowhere."""

    def __init__(self, options, environment=os.environ):
        self._folder = ""
        if options.ledger:
            self._folder = os.path.join(
                environment.get("BUILD_WORKING_DIRECTORY", os.getcwd()),
                options.ledger)
        elif options.record:
            workspace = environment.get("BUILD_WORKSPACE_DIRECTORY")
            if not workspace:
                raise ValueError("--record: there is no workspace; start it "
                                 "with bazel run, or name the folder with "
                                 "--ledger DIR")
            self._folder = os.path.join(workspace, "docs/perf/data")
        # Of one run, whichever program took them.
        self._run = secrets.token_hex(8)
        if self._folder and not os.path.isdir(self._folder):
            raise ValueError("no folder %s to keep a ledger in" % self._folder)

    def arguments(self, application, beside):
        if not self._folder:
            return []
        return ["--ledger", self._folder, "--run", self._run,
                "--application", application, "--beside", str(beside)]


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="snapshot_benchmark", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    everything = judge.APPLICATIONS + (judge.STOPPED,)
    parser.add_argument("--apps", metavar="APP,...", default="",
                        help="only these of " + ", ".join(everything))
    parser.add_argument("--only", metavar="GROUP,...", default="",
                        help="only these of " + ", ".join(judge.SECTIONS))
    parser.add_argument("--beside", metavar="APP,...", default=None,
                        help="what else is open on the desktop, without focus: "
                        "each makes the search of a client longer that asks "
                        "one after the other; 'nothing' for each alone "
                        "(default: nine small ones)")
    parser.add_argument("--samples", type=int, default=None, metavar="N",
                        help="samples of each, at most (default: 300)")
    parser.add_argument("--quick", action="store_true",
                        help="gtk3 alone with fewer samples, under a minute")
    add_output_arguments(parser)
    options = parser.parse_args(arguments)

    def chosen(given, known, what):
        names = [name for name in given.split(",") if name]
        for name in names:
            if name not in known:
                parser.error("%s: no '%s' among %s" %
                             (what, name, ", ".join(known)))
        return names

    options.apps = chosen(options.apps, everything, "--apps")
    options.only = chosen(options.only, tuple(judge.SECTIONS), "--only")
    if options.beside is not None:
        options.beside = [] if options.beside == "nothing" else chosen(
            options.beside, judge.APPLICATIONS, "--beside")
    if options.samples is not None and options.samples < 1:
        parser.error("--samples: at least 1")
    if not options.apps:
        options.apps = ["gtk3", judge.STOPPED] if options.quick else everything
    if options.samples is None:
        options.samples = 100 if options.quick else 300
    if options.only:
        if judge.STOPPED not in options.only:
            options.apps = [a for a in options.apps if a != judge.STOPPED]
        elif options.only == [judge.STOPPED]:
            options.apps = [judge.STOPPED]
    else:
        options.only = list(judge.SECTIONS)
    return options


def runfiles():
    """The folder in which //ax/... and //tools/... lie."""
    for folder in (os.getcwd(), os.path.abspath(sys.argv[0]) +
                   ".runfiles/tactus"):
        if os.path.exists(os.path.join(folder, "ax/atspi/benchmark/measure")):
            return folder
    sys.exit("snapshot_benchmark: run it with bazel run -c opt "
             "//ax/atspi:snapshot_benchmark")


def _page(folder):
    """A page of 18,000 nodes with its field in the middle."""
    parts = ["<!DOCTYPE html><meta charset=utf-8><title>Large page</title>"]
    for section in range(_PAGE_SECTIONS):
        parts.append("<section>")
        if section == _PAGE_SECTIONS // 2:
            parts.append("<textarea id=field rows=5 cols=80></textarea>")
        parts += ["<p>Paragraph %d of section %d</p>" % (paragraph, section)
                  for paragraph in range(_PAGE_PARAGRAPHS)]
        parts.append("</section>")
    parts.append("<script>field.focus()</script>")
    path = os.path.join(folder, "large.html")
    with open(path, "w") as file:
        file.write("\n".join(parts))
    return path


class Benchmark:
    def __init__(self, options, ledger, scratch):
        self._options = options
        self._ledger = ledger
        self._root = runfiles()
        self._page = _page(scratch)

    def _groups(self, application):
        if application == judge.STOPPED:
            return [judge.STOPPED]
        return [group for group in _GROUPS if group in self._options.only and
                (group != "cold" or application in judge.WIDGETS)]

    def _command(self, application):
        folder = os.path.join(self._root, "ax/atspi/benchmark")
        desktop = [os.path.join(self._root, "tools/desktop/run"),
                   "--text", _TEXT, "--timeout", str(_PATIENCE)]
        beside = self._options.beside
        if beside is None:
            # Of one stopped and one beside it everything else is noise.
            beside = () if application == judge.STOPPED else _BESIDE
        for other in beside:
            desktop += ["--also", other]
        if application == judge.STOPPED:
            desktop += ["--app", "gtk3", "--also", "qt5"]
        elif application == "chromium-page":
            desktop += ["--app", "chromium", "--page", self._page]
        else:
            desktop += ["--app", application]
        return desktop + [
            "--", os.path.join(folder, "measure"), "--text", _TEXT,
            "--groups", ",".join(self._groups(application)),
            "--rounds", str(self._options.samples),
            "--cold", os.path.join(folder, "cold"),
            "--cold-libatspi", os.path.join(folder, "cold_libatspi"),
            ] + self._ledger.arguments(application, len(beside))

    def measure(self, application):
        """What was measured, and why there is no more of it ("" if all is)."""
        process = subprocess.Popen(
            self._command(application), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate()
        except BaseException:
            # It stops what it started when it is told to end.
            process.send_signal(signal.SIGTERM)
            process.communicate()
            raise
        try:
            measurement = judge.read_lines(out.splitlines())
        except ValueError as error:
            return judge.read_lines([]), "what it printed is broken: %s" % error
        if process.returncode == 0:
            return measurement, ""
        said = [line for line in err.splitlines() if line.strip()]
        reason = said[-1] if said else "exit code %d" % process.returncode
        if process.returncode != _NOT_AVAILABLE:
            reason = "measuring ended early: " + reason
        return measurement, reason

    def verdicts(self, application, measurement, reason):
        found = []
        for goal in judge.goals(application, measurement["facts"]):
            if goal.section not in self._groups(application):
                continue
            verdict = judge.judge(goal, measurement)
            if reason and verdict.figure is None and (
                    verdict.verdict != judge.MISSED):
                verdict = judge.not_measured(goal, reason)
            found.append(verdict)
        return found


def _time(microseconds):
    if microseconds < 9999.5:
        return "%.0f us" % microseconds
    return "%.1f ms" % (microseconds / 1000)


def _count(characters):
    return "%d characters" % characters


def describe(verdict):
    goal = verdict.goal
    figure = ("-" if verdict.figure is None else
              judge.format_figure(goal.kind, verdict.figure))
    line = "  %-6s  %-60s  %10s  %9s  %s" % (
        goal.section, goal.what, judge.format_bound(goal), figure,
        verdict.verdict)
    if verdict.figure is None:
        return line + " (%s)" % verdict.why if verdict.why else line
    pairs = [("Tactus", verdict.ours)]
    if verdict.other:
        pairs.append(("other", verdict.other))
    show = _count if goal.kind == "characters" else _time
    return line + "  " + "; ".join(
        "%s %s, p95 %s, n %d" % (who, show(one["median"]), show(one["p95"]),
                                 one["n"]) for who, one in pairs)


def calls(facts):
    """How often each kind of snapshot waited, and for how many calls."""
    names = sorted(name[:-len(".flights")] for name in facts
                   if name.endswith(".flights"))
    return ["  calls   %-60s  %d calls in %d flights" % (
        name, facts.get(name + ".calls", 0), facts[name + ".flights"])
        for name in names]


def write_rows(path, application, measurement, verdicts):
    rows = list(measurement["series"].values())
    rows += [{"fact": name, "value": value}
             for name, value in measurement["facts"].items()]
    rows += [{"goal": v.goal.what, "section": v.goal.section,
              "kind": v.goal.kind, "ours": v.goal.ours, "other": v.goal.other,
              "bound": v.goal.bound, "figure": v.figure, "verdict": v.verdict,
              "why": v.why} for v in verdicts]
    with open(path, "a") as file:
        for row in rows:
            file.write(json.dumps({"application": application, **row}) + "\n")


def conclude(verdicts, started):
    """Prints what was met and names what was not; the exit code."""
    def count(kind):
        return sum(verdict.verdict == kind for verdict in verdicts)

    print("\n%d goals met, %d missed, %d not measured, in %.0f s" % (
        count(judge.MET), count(judge.MISSED), count(judge.NOT_MEASURED),
        time.monotonic() - started))
    for kind in (judge.MISSED, judge.NOT_MEASURED):
        for verdict in verdicts:
            if verdict.verdict == kind:
                print("%s: %s" % (verdict.goal.application,
                                  describe(verdict).strip()))
    return judge.exit_code(verdicts)


def main():
    options = _parse(sys.argv[1:])
    # `bazel run` starts it elsewhere than where the command was typed.
    json_path = options.json and os.path.join(
        os.environ.get("BUILD_WORKING_DIRECTORY", ""), options.json)
    try:
        ledger = Ledger(options)
    except ValueError as error:
        print("snapshot_benchmark: %s" % error, file=sys.stderr)
        return 2
    started = time.monotonic()
    everything = []
    with tempfile.TemporaryDirectory(prefix="tactus-benchmark-") as scratch:
        benchmark = Benchmark(options, ledger, scratch)
        for section in options.only:
            print("%-6s  %s" % (section, judge.SECTIONS[section]))
        for application in options.apps:
            measurement, reason = benchmark.measure(application)
            verdicts = benchmark.verdicts(application, measurement, reason)
            everything += verdicts
            print("\n%s" % application)
            if reason and not measurement["series"]:
                print("  %s: %s" % (judge.NOT_MEASURED, reason))
            else:
                for line in map(describe, verdicts):
                    print(line)
                for line in calls(measurement["facts"]):
                    print(line)
                if reason:
                    print("  %s" % reason)
            sys.stdout.flush()
            if json_path:
                write_rows(json_path, application, measurement, verdicts)

    return conclude(everything, started)


if __name__ == "__main__":
    sys.exit(main())
