#!/usr/bin/env python3
"""Measures what the checks find: puts the bugs of fuzz/bugs into a copy of the
tree, one at a time, and runs the fuzzers, the property tests and the unit tests
that could tell.

    bazel run --config=fuzz //fuzz:power                   ten bugs, ten minutes
    bazel run --config=fuzz //fuzz:power -- --bugs a,b
    bazel run --config=fuzz //fuzz:power -- --full --record

Each run has so many CPU-seconds. What has found nothing by then is told as ">"
that time, and a test that has not failed as "passed"; the median of several
runs is Kaplan and Meier's.

The columns:

    R T D    reached, triggered, detected: by any check, as the canary tells.
             A check that fails without the bug's having been triggered has
             detected something else, and does not count.
    unit     the unit tests
    property the property tests
    fuzz     the fuzzers, from the corpus that is checked in
    nothing  the fuzzer from no corpus
    blind    the same target from no corpus, on random bytes that nothing guides

Guidance is the last two against each other. Times are CPU-seconds until the
check has failed.

Exit codes: 0 every bug was reached and detected; 1 one was not; 2 usage; 3 none
of these, but something was not measured (it was not built, or the time was up),
or the rows could not be appended.
"""

import argparse
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "bugs"))
import bank  # noqa: E402

# Of one run, in CPU-seconds; and of ten bugs together, once their programs
# are built without a bug.
_SHORT, _FULL = 10, 60
_TOGETHER = 600
_SEEDS = 3
_BUGS = 10
# On a machine that others use as well a CPU-second takes longer than a second,
# and what sleeps takes none.
_WALL = 10
_COLUMNS = ("unit", "property", "fuzz", "nothing", "blind")


class Run:
    """How one run of one check ended."""

    def __init__(self, seconds, failed, reached, triggered, over=False):
        self.seconds = seconds
        self.over = over  # its time was
        self.reached = reached
        self.triggered = triggered
        self.detected = failed and triggered
        self.other = failed and not triggered


def median(runs):
    """The median time to detection of runs of which some found nothing: the
    first time by which Kaplan and Meier's estimate has fallen to a half. None
    where it never does."""
    surviving = 1.0
    # What ended without a find at the same time was still at risk.
    ordered = sorted(runs, key=lambda run: (run.seconds, not run.detected))
    for at, run in enumerate(ordered):
        if not run.detected:
            continue
        at_risk = len(ordered) - at
        surviving *= (at_risk - 1) / at_risk
        if surviving <= 0.5:
            return run.seconds
    return None


def spell(runs):
    if not runs:
        return "-"
    found = median(runs)
    if found is not None:
        return "%.1f" % found
    if not any(run.over for run in runs):
        return "passed"
    return ">%.0f" % max(run.seconds for run in runs)


def beats(guided, blind):
    """Whether the one finds sooner than the other; None where neither does."""
    ours, other = median(guided), median(blind)
    if ours is None and other is None:
        return None
    return ours is not None and (other is None or ours < other)


def best(columns):
    """The least median of all columns but the blind one."""
    found = [median(runs) for column, runs in columns.items()
             if column != "blind" and runs]
    return min([one for one in found if one is not None], default=None)


def spread(names, count):
    """`count` of them, spread over all."""
    return [names[i * len(names) // count] for i in range(count)]


def _parse(arguments, names):
    parser = argparse.ArgumentParser(
        prog="power", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bugs", metavar="NAME,...",
                        help="only these (default: ten, spread over the bank)")
    parser.add_argument("--full", action="store_true",
                        help="all bugs, %d seeds, %d CPU-seconds a run, however"
                        " long it takes" % (_SEEDS, _FULL))
    parser.add_argument("--seconds", type=int, metavar="N",
                        help="CPU-seconds of one run (default: %d)" % _SHORT)
    parser.add_argument("--seeds", type=int, metavar="N",
                        help="runs of each check that has a seed (default: 1)")
    parser.add_argument("--checks", metavar="NAME,...",
                        default=",".join(_COLUMNS),
                        help="only these of " + ", ".join(_COLUMNS))
    parser.add_argument("--record", action="store_true",
                        help="append the figures to the ledger")
    parser.add_argument("--ledger", metavar="DIR",
                        help="another one than docs/perf/data")
    parser.add_argument("--scratch", metavar="DIR",
                        help="where the copy and what is built of it stay, for "
                        "the next time (default: they are removed)")
    parser.add_argument("--json", metavar="FILE",
                        help="append what was found, a line a bug")
    options = parser.parse_args(arguments)
    # Whoever names bugs wants them all.
    options.together = None if options.full or options.bugs else _TOGETHER
    chosen = spread(names, min(_BUGS, len(names)))
    if options.full:
        chosen = names
    if options.bugs:
        chosen = options.bugs.split(",")
        for name in chosen:
            if name not in names:
                parser.error("--bugs: there is no '%s'" % name)
    options.bugs = chosen
    options.checks = options.checks.split(",")
    for name in options.checks:
        if name not in _COLUMNS:
            parser.error("--checks: there is no '%s'" % name)
    for name, default in (("seconds", _FULL if options.full else _SHORT),
                          ("seeds", _SEEDS if options.full else 1)):
        if getattr(options, name) is None:
            setattr(options, name, default)
        if getattr(options, name) < 1:
            parser.error("--%s: at least 1" % name)
    return options


class Tree:
    """A copy of the workspace, and Bazel in it."""

    def __init__(self, workspace, scratch):
        self.root = os.path.join(scratch, "tree")
        self._scratch = scratch
        self._cache = self._disk_cache(workspace)
        listed = subprocess.run(
            ["git", "-C", workspace, "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], check=True, stdout=subprocess.PIPE)
        files = [os.fsdecode(name) for name in listed.stdout.split(b"\0")
                 if name]
        if os.path.exists(os.path.join(workspace, "user.bazelrc")):
            files.append("user.bazelrc")
        shutil.rmtree(self.root, ignore_errors=True)
        for name in files:
            source = os.path.join(workspace, name)
            if not os.path.lexists(source):
                continue  # deleted, and not yet from the index
            target = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
        self.bin = None

    @staticmethod
    def _disk_cache(workspace):
        """The one that tools/ci/bazel.sh takes."""
        try:
            with open(os.path.join(workspace, "user.bazelrc"),
                      encoding="utf-8") as file:
                if "--disk_cache" in file.read():
                    return []
        except FileNotFoundError:
            pass
        cache = os.environ.get("TACTUS_DISK_CACHE")
        home = os.environ.get("XDG_CACHE_HOME") or (
            os.environ.get("HOME", "") + "/.cache")
        if cache is None and home != "/.cache":
            cache = home + "/tactus/bazel"
        return ["--disk_cache=" + cache] if cache else []

    def _bazel(self, command, *arguments, config=("--config=fuzz",)):
        # What `bazel run` tells its program is not for a Bazel within it.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("BUILD_", "RUNFILES_"))}
        return subprocess.run(
            ["nice", "-n", "10", "bazel",
             "--output_base=" + os.path.join(self._scratch, "output"),
             "--max_idle_secs=600", command, *config,
             "--experimental_convenience_symlinks=ignore", *arguments],
            cwd=self.root, env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)

    def build(self, labels, cached):
        """What Bazel said where it failed, else None."""
        # What has a bug in it is never built again, so it is not kept.
        # Static: a bug then costs a link of each program and no more.
        done = self._bazel("build", *(self._cache if cached else
                                      ["--disk_cache="]),
                           "--dynamic_mode=off", "--keep_going", "--",
                           *labels)
        if done.returncode != 0:
            return done.stderr
        if self.bin is None:
            self.bin = self._bazel("info", "--dynamic_mode=off",
                                   "bazel-bin").stdout.strip()
        return None

    def ledger_program(self):
        """The program that appends rows, or what Bazel said."""
        label = "//tools/tactus_ledger"
        done = self._bazel("build", *self._cache, label, config=())
        folder = self._bazel("info", "bazel-bin", config=()).stdout.strip()
        if done.returncode != 0:
            return None, done.stderr
        return os.path.join(folder, label[2:], "tactus_ledger"), None

    def program(self, label):
        return os.path.join(self.bin, label[2:].replace(":", "/"))

    def close(self):
        self._bazel("shutdown")
        shutil.rmtree(self.root, ignore_errors=True)


class Runner:
    """Runs programs for a while, under a canary."""

    def __init__(self, scratch, seconds):
        self._scratch = scratch
        self._seconds = seconds
        self._canary = os.path.join(scratch, "canary")

    def run(self, command, cwd, extra):
        work = tempfile.mkdtemp(dir=self._scratch)
        with open(self._canary, "wb") as file:
            file.write(bytes(mmap.PAGESIZE))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("BUILD_", "RUNFILES_",
                                               "TEST_", "GTEST_"))}
        # Naming the lines of a crash takes seconds, and is not the finding.
        environment.update({
            "TACTUS_CANARY": self._canary, "TEST_TMPDIR": work, "TMPDIR": work,
            "HOME": work, "LC_ALL": "C.UTF-8",
            "ASAN_OPTIONS": "symbolize=0:detect_leaks=1",
            "UBSAN_OPTIONS": "symbolize=0"}, **extra)

        def limit():
            os.nice(10)
            resource.setrlimit(resource.RLIMIT_CPU,
                               (self._seconds, self._seconds + 5))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        with open(os.path.join(self._scratch, "output.txt"), "wb") as output:
            process = subprocess.Popen(
                command, cwd=cwd or work, env=environment, stdout=output,
                stderr=output, stdin=subprocess.DEVNULL, preexec_fn=limit,
                start_new_session=True)
        until = time.monotonic() + _WALL * self._seconds + 30
        late = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid != 0:
                break
            if time.monotonic() > until:
                late = True
                os.killpg(process.pid, signal.SIGKILL)
                pid, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.02)
        code = os.waitstatus_to_exitcode(status)
        # Whoever waited for the process no more needs to.
        process.returncode = code
        shutil.rmtree(work, ignore_errors=True)
        with open(self._canary, "rb") as file:
            reached, _, triggered, _ = struct.unpack("<4Q", file.read(32))
        seconds = usage.ru_utime + usage.ru_stime
        over = late or code == -signal.SIGXCPU or seconds >= self._seconds
        return Run(self._seconds if over else seconds, code != 0 and not over,
                   reached > 0, triggered > 0, over)


class Checks:
    """The runs of the checks of one bug."""

    def __init__(self, tree, runner, scratch, options):
        self._tree = tree
        self._runner = runner
        self._scratch = scratch
        self._seconds = options.seconds
        self._seeds = options.seeds
        self._checks = options.checks

    @staticmethod
    def _kind(label):
        return "property" if "property" in label else "unit"

    def labels(self, bug):
        found = [label for label in bug.tests
                 if self._kind(label) in self._checks]
        for target in bug.targets:
            if "fuzz" in self._checks or "nothing" in self._checks:
                found.append("//fuzz:" + target)
            if "blind" in self._checks:
                found.append("//fuzz:" + target + "_blind")
        return found

    def _test(self, label, seed):
        program = self._tree.program(label)
        runfiles = program + ".runfiles"
        workspace = os.path.join(runfiles, "tactus")
        return self._runner.run(
            [program], workspace if os.path.isdir(workspace) else None,
            {"TEST_SRCDIR": runfiles, "TEST_WORKSPACE": "tactus",
             "RUNFILES_DIR": runfiles, "GTEST_FAIL_FAST": "1",
             "RC_PARAMS": "seed=%d" % seed})

    def _fuzz(self, target, seed, corpus):
        found = tempfile.mkdtemp(dir=self._scratch)
        command = [self._tree.program("//fuzz:" + target), "-seed=%d" % seed,
                   "-timeout=10", "-rss_limit_mb=2560", "-verbosity=0",
                   "-artifact_prefix=%s/" % found, found]
        if corpus:
            command.append(os.path.join(self._tree.root, "fuzz/corpus",
                                        target))
        run = self._runner.run(command, None, {})
        shutil.rmtree(found, ignore_errors=True)
        return run

    def _blind(self, target, seed):
        return self._runner.run(
            [self._tree.program("//fuzz:" + target + "_blind"), str(seed),
             # It is the runner that ends it.
             str(2 * self._seconds)], None, {})

    def of(self, bug):
        """Runs by column. Of several programs that could find a bug the best
        one stands."""
        columns = {column: [] for column in _COLUMNS}

        def better(column, runs):
            old = columns[column]
            if not old or beats(runs, old) or (
                    any(run.triggered for run in runs) and
                    not any(run.triggered for run in old)):
                columns[column] = runs
                return True
            return False

        every = []
        seeds = range(1, self._seeds + 1)
        for label in bug.tests:
            kind = self._kind(label)
            if kind in self._checks:
                # A unit test does the same each time.
                runs = [self._test(label, seed) for seed in
                        (seeds if kind == "property" else (1,))]
                every += runs
                better(kind, runs)
        # The one that found it first stands for all.
        stands = next(iter(bug.targets), None)
        if "fuzz" in self._checks:
            for target in bug.targets:
                runs = [self._fuzz(target, seed, True) for seed in seeds]
                every += runs
                if better("fuzz", runs):
                    stands = target
        if stands is not None:
            if "nothing" in self._checks:
                columns["nothing"] = [self._fuzz(stands, seed, False)
                                      for seed in seeds]
            if "blind" in self._checks:
                columns["blind"] = [self._blind(stands, seed)
                                    for seed in seeds]
            every += columns["nothing"] + columns["blind"]
        return columns, every


def drafts(results, seconds):
    """Rows for `tactus_ledger append`."""
    rows = []

    def add(series, configuration, unit, direction, samples, failures=0):
        rows.append({"instrument": "fuzz.power", "series": series,
                     "configuration": dict(configuration,
                                           limit="%d s" % seconds),
                     "unit": unit, "direction": direction,
                     "samples": samples, "failures": failures})

    for result in results:
        for column, runs in result["runs"].items():
            found = [run.seconds for run in runs if run.detected]
            if not runs:
                continue
            of = {"bug": result["name"], "check": column}
            if found:
                add("detected", of, "s", "less", found, len(runs) - len(found))
            else:
                add("undetected", of, "s", "more",
                    [run.seconds for run in runs])
    count = len(results)
    for what in ("reached", "triggered", "detected"):
        add("share-" + what, {"bugs": str(count)}, "ratio", "more",
            [sum(result[what] for result in results) / count])
    compared = [result["guided"] for result in results
                if result["guided"] is not None]
    if compared:
        add("share-guided", {"bugs": str(len(compared))}, "ratio", "more",
            [sum(compared) / len(compared)])
    return rows


def summary(results, seconds):
    count = len(results)
    lines = []
    for what in ("reached", "triggered", "detected"):
        missing = [result["name"] for result in results if not result[what]]
        lines.append("%-10s %d of %d%s" % (
            what, count - len(missing), count,
            "; not " + ", ".join(missing) if missing else ""))
    quick = [result for result in results
             if result["best"] is not None and result["best"] < seconds]
    lines.append("in time    %d of %d within %d CPU-seconds at the median" %
                 (len(quick), count, seconds))
    compared = [result["guided"] for result in results
                if result["guided"] is not None]
    lines.append("guidance   beats blind on %d of %d that either finds" %
                 (sum(compared), len(compared)))
    return lines


_ROW = "%-24s %s %s %s %9s %9s %9s %9s %9s"


def _measure(tree, runner, scratch, options, bugs, folder):
    with open(os.path.join(folder, "canary.h"), encoding="utf-8") as file:
        canary = file.read()
    checks = Checks(tree, runner, scratch, options)
    labels = sorted({label for bug in bugs for label in checks.labels(bug)})
    print("building %d programs without a bug" % len(labels), flush=True)
    failed = tree.build(labels, cached=True)
    if failed is not None:
        print(failed, file=sys.stderr)
        return [], [bug.name for bug in bugs]
    until = None
    if options.together is not None:
        until = time.monotonic() + options.together
    results, missing = [], []
    print(_ROW % ("bug", "R", "T", "D", *_COLUMNS), flush=True)
    # By file, so that Bazel has least to build.
    for bug in sorted(bugs, key=lambda bug: bug.patch.file):
        if not checks.labels(bug):
            continue  # nothing of what was chosen could tell
        if until is not None and time.monotonic() > until:
            print("%-24s the time is up" % bug.name)
            missing.append(bug.name)
            continue
        path = os.path.join(tree.root, bug.patch.file)
        with open(path, encoding="utf-8") as file:
            source = file.read()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(bank.with_canary(canary, bug.patch.file,
                                            bug.patch.apply(source)))
            failed = tree.build(checks.labels(bug), cached=False)
            if failed is not None:
                print("%-24s was not built:\n%s" % (bug.name, failed),
                      flush=True)
                missing.append(bug.name)
                continue
            columns, every = checks.of(bug)
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
        result = {"name": bug.name, "runs": columns, "best": best(columns),
                  "guided": beats(columns["nothing"], columns["blind"])
                  if columns["nothing"] and columns["blind"] else None,
                  "reached": any(run.reached for run in every),
                  "triggered": any(run.triggered for run in every),
                  "detected": any(run.detected for run in every)}
        results.append(result)
        marks = ["x" if result[what] else "." for what in
                 ("reached", "triggered", "detected")]
        print(_ROW % (bug.name, *marks,
                      *(spell(columns[column]) for column in _COLUMNS)),
              flush=True)
        if any(run.other for run in every):
            print("%-24s something failed that is not this bug" % "")
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(dict(result, runs={
                    column: [vars(run) for run in runs]
                    for column, runs in columns.items()})) + "\n")
    return results, missing


def _record(tree, ledger, workspace, rows):
    program, failed = tree.ledger_program()
    if failed is not None:
        print(failed, file=sys.stderr)
        return False
    command = [program, "append"] + (["--ledger", ledger] if ledger else [])
    done = subprocess.run(command, cwd=workspace, text=True,
                          input="\n".join(map(json.dumps, rows)))
    return done.returncode == 0


def _runfiles():
    """The folder in which //fuzz/... lies."""
    for folder in (os.getcwd(), os.path.abspath(sys.argv[0]) +
                   ".runfiles/tactus"):
        if os.path.exists(os.path.join(folder, "fuzz/bugs/bank.json")):
            return folder
    sys.exit("power: run it with bazel run --config=fuzz //fuzz:power")


def main():
    root = _runfiles()
    folder = os.path.join(root, "fuzz/bugs")
    bugs = bank.load(folder)
    options = _parse(sys.argv[1:], [bug.name for bug in bugs])
    workspace = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
    if workspace is None:
        print("power: run it with bazel run --config=fuzz //fuzz:power",
              file=sys.stderr)
        return 2
    stand = os.environ.get("BUILD_WORKING_DIRECTORY", "")
    for name in ("scratch", "json", "ledger"):
        if getattr(options, name):
            setattr(options, name, os.path.join(stand, getattr(options, name)))
    chosen = [bug for bug in bugs if bug.name in options.bugs]
    scratch = options.scratch or tempfile.mkdtemp(prefix="tactus-power-")
    os.makedirs(scratch, exist_ok=True)
    tree = None
    recorded = True
    try:
        tree = Tree(workspace, scratch)
        runner = Runner(scratch, options.seconds)
        results, missing = _measure(tree, runner, scratch, options, chosen,
                                    folder)
        if options.record and results:
            recorded = _record(tree, options.ledger, workspace,
                               drafts(results, options.seconds))
    finally:
        if tree is not None:
            tree.close()
        if not options.scratch:
            # Bazel makes what it has built read-only, folders as well.
            subprocess.run(["chmod", "-R", "u+w", scratch],
                           stderr=subprocess.DEVNULL)
            shutil.rmtree(scratch, ignore_errors=True)
    if results:
        print()
        for line in summary(results, options.seconds):
            print(line)
    if not all(result["reached"] and result["detected"] for result in results):
        return 1
    return 3 if missing or not results or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
