#!/usr/bin/env python3
"""Measures edits on real applications and holds them to their goals.

For each application it stages a private desktop with that application in focus,
runs `edit_measure` there, and prints each goal beside its figure. Every edit
that is timed is one that was read back and verified; the same hundred
characters are typed by xdotool in the same run. See README.md in
ax/atspi/benchmark.

Exit: 0 every goal was met; 1 one was missed; 2 usage; 3 none was missed, but
one could not be measured here.
"""

import argparse
import os
import subprocess
import sys
import time

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True
import judge  # noqa: E402
import snapshot_benchmark  # noqa: E402

# 43 characters, with the word that is swapped in it once.
_TEXT = "The quick brown fox jumps over the lazy dog"
APPLICATIONS = judge.WIDGETS + ("chromium", "firefox", "mousepad")
# Seconds for one application.
_PATIENCE = 240

SECTIONS = {
    "edit": "Replace a word, read back and verified",
    "speech": "Sixty partials of forty words, each verified, one after the "
              "other",
    "type": "A hundred characters, until they are in the field: times as fast "
            "as xdotool",
}


def goals(application):
    found = []

    def add(section, what, ours, other, kind, bound, least=5):
        found.append(judge.Goal(section, application, what, ours, other, kind,
                                bound, least))

    native = application in judge.WIDGETS
    add("edit", "with the cache of the focus", "replace.tactus", "",
        "milliseconds", 3 if native else 60 if application == "chromium"
        else None, 20)
    add("edit", "searching for the focus each time", "replace.searching", "",
        "milliseconds", None)
    add("edit", "with the cache, after 35 ms of rest", "replace.rested", "",
        "milliseconds", None)
    add("edit", "gap between check and write", "replace.gap", "",
        "milliseconds", None)
    # Thirty a second for two seconds. Slower applications are kept up with by
    # leaving out partials that a later one has overtaken, which is not timed.
    add("speech", "all of it", "dictation.total", "", "milliseconds",
        2000 if native else None, 3)
    add("speech", "each partial", "dictation.partial", "", "milliseconds",
        None)
    add("speech", "rewritten, of the final text", "dictation.rewritten",
        "dictation.final", "characters", 2, 3)
    add("type", "xdotool, as it types by default", "hundred.tactus",
        "hundred.xdotool", "faster", None)
    add("type", "xdotool without a pause between keys", "hundred.tactus",
        "hundred.xdotool_at_once", "faster", None)
    return found


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="edit_benchmark", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    parser.add_argument("--apps", metavar="APP,...",
                        default=",".join(APPLICATIONS),
                        help="only these of " + ", ".join(APPLICATIONS))
    parser.add_argument("--samples", type=int, default=100, metavar="N",
                        help="samples of each, at most (default: 100)")
    snapshot_benchmark.add_output_arguments(parser)
    options = parser.parse_args(arguments)
    options.apps = [name for name in options.apps.split(",") if name]
    for name in options.apps:
        if name not in APPLICATIONS:
            parser.error("--apps: no '%s' among %s" %
                         (name, ", ".join(APPLICATIONS)))
    if options.samples < 20:
        parser.error("--samples: at least 20")
    return options


def _measure(root, application, samples, ledger):
    """What was measured, and why there is no more of it ("" if all is)."""
    command = [os.path.join(root, "tools/desktop/run"), "--app", application,
               "--text", _TEXT, "--timeout", str(_PATIENCE), "--",
               os.path.join(root, "ax/atspi/benchmark/edit_measure"),
               "--text", _TEXT, "--rounds", str(samples)]
    command += ledger.arguments(application, 0)
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    try:
        measurement = judge.read_lines(done.stdout.splitlines())
    except ValueError as error:
        return judge.read_lines([]), "what it printed is broken: %s" % error
    if done.returncode == 0:
        return measurement, ""
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return measurement, said[-1] if said else "exit code %d" % done.returncode


def main():
    options = _parse(sys.argv[1:])
    root = snapshot_benchmark.runfiles()
    json_path = options.json and os.path.join(
        os.environ.get("BUILD_WORKING_DIRECTORY", ""), options.json)
    try:
        ledger = snapshot_benchmark.Ledger(options)
    except ValueError as error:
        print("edit_benchmark: %s" % error, file=sys.stderr)
        return 2
    started = time.monotonic()
    for section, what in SECTIONS.items():
        print("%-6s  %s" % (section, what))
    everything = []
    for application in options.apps:
        measurement, reason = _measure(root, application, options.samples,
                                       ledger)
        verdicts = []
        for goal in goals(application):
            verdict = judge.judge(goal, measurement)
            if reason and verdict.figure is None and (
                    verdict.verdict != judge.MISSED):
                verdict = judge.not_measured(goal, reason)
            verdicts.append(verdict)
        everything += verdicts
        print("\n%s, by %s" % (application,
                               measurement["facts"].get("replace.rung", "?")))
        for line in map(snapshot_benchmark.describe, verdicts):
            print(line)
        for line in snapshot_benchmark.calls(measurement["facts"]):
            print(line)
        if reason:
            print("  %s" % reason)
        sys.stdout.flush()
        if json_path:
            snapshot_benchmark.write_rows(json_path, application, measurement,
                                          verdicts)

    return snapshot_benchmark.conclude(everything, started)


if __name__ == "__main__":
    sys.exit(main())
