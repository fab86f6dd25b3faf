#!/usr/bin/env python3
"""Runs every fuzzer for a while, keeps what they learned, and says what they found.

    bazel run --config=fuzz //fuzz:campaign -- --seconds 600
    bazel run --config=fuzz //fuzz:campaign -- --seconds 60 --target ax_server
    bazel run --config=fuzz //fuzz:campaign -- --seconds 600 --update --record

Each target gets the same share of the cores' time; minimising what was found and
merging what was learned come on top. A target that has found
something goes on with another seed until its share is used up or it has found
three things. What was found is minimised, and for each finding one line is
printed that runs it again:

    bazel run --config=fuzz //fuzz:ax_server -- /tmp/.../findings/ax_server-crash-1f2e

After that what was learned is merged into a small corpus: the inputs that have a
name of their own, and of the others as few as reach every edge, within a bound.
It stays in the folder of the campaign, whose name is printed first; with
--update it takes the place of fuzz/corpus/NAME in the source tree.

Exit codes: 0 nothing was found; 1 something was; 2 usage; 3 a target could not be
run, or a corpus not merged, and nothing was found; 130 and 143 it was interrupted.
"""

import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

FOUND_NOTHING, FOUND, USAGE, NOT_RUN = 0, 1, 2, 3

# Enough to see that a target is broken in more than one way; the first is to be
# mended before more is worth having.
MOST_FINDINGS = 3
# Of one input. The slowest target takes some milliseconds; a hang is for ever.
INPUT_SECONDS = 20
MEMORY_MB = 2048
# Of a corpus, in the source tree: what a test replays with a sanitizer in some
# seconds, and what a person does not mind to clone.
MOST_INPUTS = 256
MOST_BYTES = 128 << 10
MINIMISE_SECONDS = 20
# Where a run that ends by itself is given up: it has hung.
PATIENCE_SECONDS = 120
# A merge runs each input once, some thousand of them after an hour.
MERGE_SECONDS = 900

ARTIFACT = re.compile(r"^(crash|leak|oom|timeout|slow-unit)-")
# libFuzzer's and the merge's own names: the digest of what is in the file.
DIGEST = re.compile(r"^[0-9a-f]{40}$")
STATUS = re.compile(r"^#(\d+)\s+\S+\s+cov: (\d+)", re.MULTILINE)
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.MULTILINE)
CHECK = re.compile(r"^(?:\S*/)?([\w.]+:\d+: FUZZ_CHECK failed: .*)$", re.MULTILINE)
SUMMARY = re.compile(r"^SUMMARY: (.*)$", re.MULTILINE)
BLIND = "built without coverage counters"


class Target:
    """One fuzzer, and what became of it."""

    def __init__(self, name, fuzzer, seeds, out):
        self.name = name
        self.fuzzer = os.path.abspath(fuzzer)
        self.seeds = os.path.abspath(seeds)
        self.out = out / name
        self.corpus = self.out / "corpus"
        self.merged = self.out / "merged"
        self.corpus.mkdir(parents=True)
        self.executions = 0
        self.edges = 0
        self.seed_numbers = []
        self.findings = []  # (path, what)
        self.trouble = ""


# Process groups of what runs now: a merge has processes of its own.
running = set()


def end_all():
    for group in list(running):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(target, arguments, seconds):
    """Runs the fuzzer; (exit code, what it printed). None when it hung."""
    environment = dict(os.environ)
    # The driver would go to where the command was typed.
    environment.pop("BUILD_WORKING_DIRECTORY", None)
    command = [target.fuzzer, "--target=" + target.name] + arguments
    try:
        process = subprocess.Popen(command, env=environment, cwd=target.out,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT,
                                   start_new_session=True)
    except OSError as error:
        return None, str(error)
    running.add(process.pid)
    code = None
    try:
        output, _ = process.communicate(timeout=seconds + PATIENCE_SECONDS)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    finally:
        running.discard(process.pid)
    return code, output.decode("utf-8", "replace")


def executions_of(output):
    stated = EXECUTED.search(output)
    if stated:
        return int(stated.group(1))
    lines = STATUS.findall(output)
    return int(lines[-1][0]) if lines else 0


def edges_of(output):
    return max((int(edges) for _, edges in STATUS.findall(output)), default=0)


def what_broke(output):
    """One line that says what was found; never the input."""
    for pattern in (CHECK, SUMMARY):
        found = pattern.search(output)
        if found:
            return found.group(1)[:200]
    return "no summary"


def explore(target, seconds, seeds, findings):
    """Uses up the target's share of the time."""
    end = time.monotonic() + seconds
    while not target.trouble and len(target.findings) < MOST_FINDINGS:
        left = int(end - time.monotonic())
        if left < 1 and target.seed_numbers:
            break
        seed = seeds.randrange(1, 1 << 31)
        target.seed_numbers.append(seed)
        artifacts = target.out / f"artifacts-{len(target.seed_numbers)}"
        artifacts.mkdir()
        code, output = run(target, [
            f"-max_total_time={max(left, 1)}", f"-seed={seed}",
            "-print_final_stats=1", f"-timeout={INPUT_SECONDS}",
            f"-rss_limit_mb={MEMORY_MB}", "-reload=0",
            f"-artifact_prefix={artifacts}/", str(target.corpus), target.seeds,
        ], left)
        (target.out / f"log-{len(target.seed_numbers)}").write_text(output)
        target.executions += executions_of(output)
        target.edges = max(target.edges, edges_of(output))
        kept = sorted(p for p in artifacts.iterdir()
                      if ARTIFACT.match(p.name) and
                      not p.name.startswith("slow-unit"))
        for artifact in kept:
            keep_finding(target, artifact, what_broke(output), findings)
        if code == 0:
            break
        if BLIND in output:
            target.trouble = "it was built without --config=fuzz"
        elif not kept:
            target.trouble = (f"it ended with {code} and left no input; see "
                              f"{target.out}/log-{len(target.seed_numbers)}")


def keep_finding(target, artifact, what, findings):
    """Minimises an input that broke something, and keeps it."""
    small = artifact.with_name("small-" + artifact.name)
    if artifact.name.startswith("crash"):
        run(target, ["-minimize_crash=1", f"-max_total_time={MINIMISE_SECONDS}",
                     f"-exact_artifact_path={small}", str(artifact)],
            MINIMISE_SECONDS)
    best = small if small.exists() and small.stat().st_size else artifact
    digest = hashlib.sha1(best.read_bytes()).hexdigest()[:12]
    kind = artifact.name.split("-")[0]
    path = findings / f"{target.name}-{kind}-{digest}"
    shutil.copyfile(best, path)
    target.findings.append((path, what))


def bounded(files):
    """As many of `files` as the bounds of a corpus hold, smallest first."""
    kept, size = [], 0
    for path in sorted(files, key=lambda p: (p.stat().st_size, p.name)):
        size += path.stat().st_size
        if len(kept) == MOST_INPUTS or size > MOST_BYTES:
            break
        kept.append(path)
    return kept


def merge(target):
    """Makes of all that reached something a corpus that is small."""
    target.merged.mkdir()
    named = [p for p in pathlib.Path(target.seeds).iterdir()
             if p.is_file() and not DIGEST.match(p.name)]
    for path in named:
        shutil.copyfile(path, target.merged / path.name)
    # By edges alone: how often one was passed is worth a campaign's memory, and
    # not a place in the tree.
    code, output = run(target, [
        "-merge=1", "-use_counters=0", f"-timeout={INPUT_SECONDS}",
        f"-rss_limit_mb={MEMORY_MB}", str(target.merged), target.seeds,
        str(target.corpus)
    ], MERGE_SECONDS)
    (target.out / "log-merge").write_text(output)
    if code != 0:
        target.trouble = target.trouble or (
            f"its corpus was not merged; see {target.out}/log-merge")
        return
    others = [p for p in target.merged.iterdir() if DIGEST.match(p.name)]
    kept = set(bounded(others))
    for path in others:
        if path not in kept:
            path.unlink()


def update(target, tree):
    """Puts the merged corpus in the place of that in the source tree."""
    corpus = tree / "fuzz" / "corpus" / target.name
    corpus.mkdir(parents=True, exist_ok=True)
    for path in corpus.iterdir():
        if DIGEST.match(path.name) and not (target.merged / path.name).exists():
            path.unlink()
    for path in target.merged.iterdir():
        if not (corpus / path.name).exists():
            shutil.copyfile(path, corpus / path.name)


def record(recorder, ledger, targets, seconds):
    """Appends the rows; a line of trouble, or ""."""
    lines = []
    for target in targets:
        seeds = ",".join(str(seed) for seed in target.seed_numbers)
        for what, direction, value in (
                ("executions", "more", target.executions),
                ("edges", "more", target.edges),
                ("findings", "less", len(target.findings))):
            lines.append(f"{target.name}/{what} {direction} {value} "
                         f"{int(seconds)} {seeds or '-'}")
    command = [recorder] + (["--ledger", ledger] if ledger else ["--record"])
    done = subprocess.run(command, input="\n".join(lines) + "\n", text=True,
                          stderr=subprocess.PIPE, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


def campaign(targets, options, findings):
    """Runs all; returns each target's share in seconds."""
    seeds = random.Random(options.seed)
    # A generator each, drawn in order: the same seed repeats a campaign, however
    # the targets fall on the cores.
    of_target = {t: random.Random(seeds.randrange(1 << 62)) for t in targets}
    cores = max(1, min(options.cores, len(targets)))
    share = options.seconds * cores / len(targets)
    say = threading.Lock()

    def one(target):
        explore(target, share, of_target[target], findings)
        if not target.trouble:
            merge(target)
        with say:
            print(f"{target.name}: {target.executions} executions, "
                  f"{target.edges} edges, {len(target.findings)} findings",
                  flush=True)
            for path, what in target.findings:
                print(f"  {what}\n  bazel run --config=fuzz "
                      f"//fuzz:{target.name} -- {path}", flush=True)
            if target.trouble:
                print(f"  {target.trouble}", flush=True)

    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(one, targets))
    return share


def parse(argv):
    parser = argparse.ArgumentParser(
        prog="campaign", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fuzzer", action="append", default=[],
                        metavar="NAME=PROGRAM=CORPUS", help=argparse.SUPPRESS)
    parser.add_argument("--recorder", help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=60,
                        help="how long, on all cores (default: 60)")
    parser.add_argument("--target", action="append", default=[],
                        help="only this one; may be given again")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1,
                        help="how many at once (default: all)")
    parser.add_argument("--seed", type=int,
                        help="what the fuzzers' seeds are drawn from")
    parser.add_argument("--out", help="the campaign's folder, which must be new")
    parser.add_argument("--update", action="store_true",
                        help="write the corpora into the source tree")
    parser.add_argument("--record", action="store_true",
                        help="append rows to the ledger of the source tree")
    parser.add_argument("--ledger", help="append rows to the ledger here")
    options = parser.parse_args(argv)
    known = dict()
    for fuzzer in options.fuzzer:
        name, program, corpus = fuzzer.split("=")
        known[name] = (program, corpus)
    for name in options.target:
        if name not in known:
            parser.error(f"no target {name!r}; there are: " +
                         ", ".join(sorted(known)))
    if not known or options.seconds <= 0 or options.cores < 1:
        parser.error("there is nothing to run, or no time to run it in")
    options.known = {n: k for n, k in known.items()
                     if not options.target or n in options.target}
    options.tree = os.environ.get("BUILD_WORKSPACE_DIRECTORY", "")
    if options.update and not options.tree:
        parser.error("--update: there is no source tree; use bazel run")
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1 << 31)
    return options


def interrupted(number, _):
    end_all()
    # What was found so far is in the campaign's folder; nothing is judged.
    os._exit(128 + number)


def main(argv):
    options = parse(argv)
    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    typed = os.environ.get("BUILD_WORKING_DIRECTORY", ".")
    if options.out:
        out = pathlib.Path(typed, options.out).absolute()
        try:
            out.mkdir(parents=True)
        except OSError as error:
            print(f"campaign: {out}: {error.strerror}", file=sys.stderr)
            return USAGE
    else:
        out = pathlib.Path(tempfile.mkdtemp(prefix="tactus-campaign."))
    print(f"the campaign's folder: {out}\nits seed: {options.seed}", flush=True)
    findings = out / "findings"
    findings.mkdir()
    targets = [Target(name, program, corpus, out)
               for name, (program, corpus) in sorted(options.known.items())]
    share = campaign(targets, options, findings)
    if options.update:
        for target in targets:
            if not target.trouble:
                update(target, pathlib.Path(options.tree))
    found = sum(len(t.findings) for t in targets)
    troubled = [t.name for t in targets if t.trouble]
    if options.record or options.ledger:
        ledger = options.ledger and str(
            pathlib.Path(typed, options.ledger).absolute())
        trouble = record(options.recorder, ledger, targets, share)
        if trouble:
            print(f"campaign: no rows were recorded: {trouble}", file=sys.stderr)
            troubled.append("the ledger")
    print(f"{len(targets)} targets, {sum(t.executions for t in targets)} "
          f"executions, {found} findings" +
          (f"; not run or not kept: {', '.join(troubled)}" if troubled else ""))
    if found:
        return FOUND
    return NOT_RUN if troubled else FOUND_NOTHING


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
