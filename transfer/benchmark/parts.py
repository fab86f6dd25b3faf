"""Runs the parts of a benchmark and tells what came of each beside its goals.

    options = ...      # only, folder, lines, record, ledger
    sys.exit(parts.run(options, make, PARTS, goals(options), recorder))

`make(options, ledger, scratch)` is the benchmark, a Parts: `run(part)` measures one
and leaves what it found in `series`, `notes` and `reasons`; `close()` ends what it
started. `recorder` is the program that appends rows.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import judge
import peers
import rows


class Optional:
    """A context, or None where it cannot be had: then a note says why."""

    def __init__(self, context, notes):
        self._context = context
        self._notes = notes

    def __enter__(self):
        if not self._context:
            return None
        try:
            return self._context.__enter__()
        except (peers.NotMeasured, RuntimeError, OSError,
                subprocess.SubprocessError) as error:
            self._notes.append("not measured: %s" % error)
            # What it had begun to start.
            try:
                self._context.__exit__(None, None, None)
            except AttributeError:
                pass
            self._context = None
            return None

    def __exit__(self, *arguments):
        if self._context:
            self._context.__exit__(*arguments)


class Parts:
    """What the parts of a benchmark have in common: `part` is `_part_NAME` of a
    class of this one."""

    def __init__(self, options, ledger, scratch):
        self._options = options
        self._ledger = ledger
        self._scratch = scratch
        self._pair = None       # of two_peers, once there is one
        self._serial = 0
        self.series = {}
        self.reasons = {}       # part: why there is no more of it
        self.notes = []         # for people, of the part that ran last

    def _new_path(self, name):
        self._serial += 1
        return os.path.join(self._scratch, "%s%d" % (name, self._serial))

    def _new_folder(self, name):
        path = self._new_path(name)
        os.mkdir(path)
        return path

    def close(self):
        if self._pair is not None:
            self._pair.close()

    def _keep(self, series, row="", direction="less", **configuration):
        """Keeps what was measured, and records it."""
        series.row = row
        series.direction = direction
        series.configuration = {key: str(value)
                                for key, value in configuration.items()}
        self.series[series.name] = series
        self._ledger.add(series)

    def run(self, part):
        self.notes = []
        try:
            getattr(self, "_part_" + part)()
        except (peers.NotMeasured, RuntimeError, OSError,
                subprocess.SubprocessError) as error:
            self.reasons[part] = str(error)


def _stop(*_):
    # Contexts end what they started.
    raise KeyboardInterrupt


def run(options, make, parts, goals, recorder):
    """The exit code."""
    try:
        ledger = rows.Ledger(recorder, options)
    except ValueError as error:
        print("benchmark: %s" % error, file=sys.stderr)
        return 2
    if not os.access(options.folder, os.W_OK):
        print("benchmark: no files can be made in %s: --folder with another"
              % options.folder, file=sys.stderr)
        return 3
    signal.signal(signal.SIGTERM, _stop)
    started = time.monotonic()
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="tactus-", dir=options.folder,
                                     ignore_cleanup_errors=True) as scratch:
        benchmark = make(options, ledger, scratch)
        try:
            for part in options.only:
                begun = time.monotonic()
                benchmark.run(part)
                if options.lines:
                    continue
                print("%s: %s (%.0f s)" % (part, parts[part],
                                           time.monotonic() - begun))
                for goal in goals:
                    if goal.part == part:
                        verdicts.append(judge.judge(goal, benchmark.series,
                                                    benchmark.reasons))
                        print(judge.describe(verdicts[-1]))
                for note in benchmark.notes:
                    print("  %-8s %s" % (part, note))
                if part in benchmark.reasons:
                    print("  %-8s ended early: %s" % (part,
                                                      benchmark.reasons[part]))
                print(flush=True)
        except KeyboardInterrupt:
            return 130
        finally:
            benchmark.close()
            ledger.close()
    if options.lines:
        for series in benchmark.series.values():
            print(json.dumps({"series": series.row, "unit": series.unit,
                              "samples": series.samples,
                              "failures": series.failures,
                              "failure": series.failure}))
        for reason in benchmark.reasons.values():
            print("benchmark: %s" % reason, file=sys.stderr)
        return 1 if benchmark.reasons else 0
    for kind in (judge.MET, judge.MISSED, judge.NOT_MEASURED):
        print("%d %s" % (sum(v.verdict == kind for v in verdicts), kind),
              end=", ")
    print("in %.0f s" % (time.monotonic() - started))
    for verdict in verdicts:
        if verdict.verdict in (judge.MISSED, judge.NOT_MEASURED):
            print(judge.describe(verdict))
    return judge.exit_code(verdicts)
