"""Appends what was measured to the ledger.

    ledger = rows.Ledger(program, options)    # of --record and --ledger
    ledger.add(series)                        # a judge.Series
    ledger.close()
"""

import json
import os
import subprocess


class Ledger:
    """Rows, appended by `program`, which knows what a row is.

    Raises ValueError where there is nowhere to append to."""

    def __init__(self, program, options, environment=os.environ):
        folder = ""
        if options.ledger:
            folder = os.path.join(
                environment.get("BUILD_WORKING_DIRECTORY", os.getcwd()),
                options.ledger)
        elif options.record:
            workspace = environment.get("BUILD_WORKSPACE_DIRECTORY")
            if not workspace:
                raise ValueError("--record: there is no workspace; start it "
                                 "with bazel run, or name the folder with "
                                 "--ledger DIR")
            folder = os.path.join(workspace, "docs/perf/data")
        self._process = None
        if folder:
            self._process = subprocess.Popen(
                [program, "--ledger", folder], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True)
            said = self._process.stdout.readline().strip()
            if said != "ok":
                raise ValueError(said or "the recorder does not start")

    def add(self, series):
        """Raises RuntimeError where it cannot be appended."""
        if not self._process or not series.row or not series.samples:
            return
        print(json.dumps({
            "series": series.row, "unit": series.unit,
            "direction": series.direction, "samples": series.samples,
            "failures": series.failures, "failure": series.failure,
            "configuration": series.configuration}),
            file=self._process.stdin, flush=True)
        said = self._process.stdout.readline().strip()
        if said != "ok":
            raise RuntimeError("%s is not recorded: %s" % (series.row, said))

    def close(self):
        if self._process:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
