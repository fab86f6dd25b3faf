#!/usr/bin/env python3
"""What a campaign does with fuzzers that find nothing, find something, or fail.

Usage: campaign_test.py blind|instrumented CAMPAIGN RECORDER PLANTED CORPUS

The fuzzers are scripts that say what libFuzzer would. PLANTED is a real one with
a bug, which is looked for where the build has counters to steer by.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

KIND, CAMPAIGN, RECORDER, PLANTED, CORPUS = sys.argv[1:6]

# Says what libFuzzer would. What it does is the first word of its name.
FUZZER = r'''#!/usr/bin/env python3
import os, pathlib, sys
kind = pathlib.Path(sys.argv[0]).name
options = dict(a.lstrip("-").partition("=")[::2] for a in sys.argv[1:]
               if a.startswith("-"))
paths = [a for a in sys.argv[1:] if not a.startswith("-")]
with open(sys.argv[0] + ".calls", "a") as calls:
    print(" ".join(sys.argv[1:]), file=calls)
if kind == "blind":
    print("blind: built without coverage counters, so it would run blind")
    sys.exit(1)
if "merge" in options:
    if kind == "unmergeable":
        sys.exit(77)
    for source in paths[1:]:
        for file in sorted(pathlib.Path(source).iterdir()):
            if not (pathlib.Path(paths[0]) / file.name).exists():
                (pathlib.Path(paths[0]) / file.name).write_bytes(file.read_bytes())
    sys.exit(0)
if "minimize_crash" in options:
    pathlib.Path(options["exact_artifact_path"]).write_bytes(b"!")
    sys.exit(0)
print("#7\tNEW    cov: 41 ft: 50 corp: 3/9b exec/s: 0 rss: 30Mb")
if kind == "finds":
    pathlib.Path(options["artifact_prefix"] + "crash-1").write_bytes(b"long!")
    print("a/b/x_fuzz.cc:12: FUZZ_CHECK failed: text == truth")
    sys.exit(77)
if kind == "dies":
    sys.exit(9)
if kind == "waits":
    import time
    time.sleep(600)
for i in range(300):
    (pathlib.Path(paths[0]) / f"{i:040x}").write_bytes(b"x" * i)
print("stat::number_of_executed_units: 1234")
'''


def read(path):
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""  # it has ended meanwhile


class CampaignTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def fuzzer(self, kind):
        """Makes one; what names it for the campaign."""
        program = self.dir / kind
        program.write_text(FUZZER)
        program.chmod(0o755)
        corpus = self.dir / (kind + ".seeds")
        corpus.mkdir()
        (corpus / "by_hand").write_text("by hand")
        return f"--fuzzer={kind}={program}={corpus}"

    def run_campaign(self, *arguments, **environment):
        done = subprocess.run(
            [CAMPAIGN, f"--recorder={RECORDER}", f"--out={self.dir}/out",
             *arguments], text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
            env={**os.environ, **environment})
        return done.returncode, done.stdout

    def calls(self, kind):
        return (self.dir / (kind + ".calls")).read_text().splitlines()

    def test_nothing_found_exits_0_and_tells_what_was_done(self):
        code, said = self.run_campaign(self.fuzzer("clean"), "--seconds=1")
        self.assertEqual(code, 0, said)
        self.assertIn("clean: 1234 executions, 41 edges, 0 findings", said)
        self.assertIn("1 targets, 1234 executions, 0 findings", said)

    def test_a_finding_exits_1_with_the_line_that_runs_it_again(self):
        code, said = self.run_campaign(self.fuzzer("finds"), "--seconds=1")
        self.assertEqual(code, 1, said)
        self.assertIn("x_fuzz.cc:12: FUZZ_CHECK failed: text == truth", said)
        line = re.search(r"bazel run --config=fuzz //fuzz:finds -- (\S+)", said)
        self.assertIsNotNone(line, said)
        self.assertEqual(pathlib.Path(line[1]).read_bytes(), b"!")

    def test_a_target_that_found_something_goes_on_and_stops_at_three(self):
        self.run_campaign(self.fuzzer("finds"), "--seconds=600")
        runs = [c for c in self.calls("finds") if "-max_total_time" in c and
                "-minimize_crash" not in c]
        self.assertEqual(len(runs), 3)
        seeds = {re.search(r"-seed=(\d+)", run)[1] for run in runs}
        self.assertEqual(len(seeds), 3)

    def test_the_time_of_all_cores_is_shared_alike(self):
        fuzzers = [self.fuzzer(k) for k in ("clean", "clean2", "clean3",
                                            "clean4")]
        self.run_campaign(*fuzzers, "--seconds=20", "--cores=2")
        for kind in ("clean", "clean2", "clean3", "clean4"):
            share = re.search(r"-max_total_time=(\d+)", self.calls(kind)[0])
            # What is left of ten seconds when it starts.
            self.assertLessEqual(int(share[1]), 10)
            self.assertGreater(int(share[1]), 5)

    def test_the_same_seed_is_the_same_campaign(self):
        fuzzer = self.fuzzer("clean")
        for out in ("one", "two"):
            self.run_campaign(fuzzer, "--seconds=1", "--seed=5",
                              f"--out={self.dir}/{out}")
        one, two = [re.search(r"-seed=(\d+)", c)[1]
                    for c in self.calls("clean") if "-seed=" in c]
        self.assertEqual(one, two)

    def test_one_target_can_be_run_alone(self):
        code, said = self.run_campaign(self.fuzzer("clean"),
                                       self.fuzzer("finds"), "--seconds=1",
                                       "--target=clean")
        self.assertEqual(code, 0, said)
        self.assertFalse((self.dir / "finds.calls").exists())

    def test_what_cannot_be_run_is_no_success(self):
        for kind, why in (("blind", "built without --config=fuzz"),
                          ("dies", "it ended with 9 and left no input"),
                          ("unmergeable", "its corpus was not merged")):
            code, said = self.run_campaign(self.fuzzer(kind), "--seconds=1",
                                           f"--out={self.dir}/out-{kind}")
            self.assertEqual(code, 3, said)
            self.assertIn(why, said)

    def test_when_it_is_interrupted_no_fuzzer_is_left(self):
        campaign = subprocess.Popen(
            [CAMPAIGN, f"--out={self.dir}/out", self.fuzzer("waits")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (self.dir / "waits.calls").exists():
            self.assertIsNone(campaign.poll())
            time.sleep(0.01)
        campaign.terminate()
        self.assertEqual(campaign.wait(), 143)
        left = [p for p in pathlib.Path("/proc").glob("[0-9]*/cmdline")
                if str(self.dir / "waits") in read(p)]
        self.assertEqual(left, [])

    def test_usage_exits_2(self):
        fuzzer = self.fuzzer("clean")
        for arguments in (["--target=none"], ["--seconds=0"], ["--what"],
                          ["--update"]):
            code, said = self.run_campaign(fuzzer, *arguments,
                                           BUILD_WORKSPACE_DIRECTORY="")
            self.assertEqual(code, 2, said)
        (self.dir / "out").mkdir(exist_ok=True)
        self.assertEqual(self.run_campaign(fuzzer)[0], 2)

    def test_the_tree_is_changed_only_when_asked_and_within_the_bound(self):
        tree = self.dir / "tree"
        corpus = tree / "fuzz" / "corpus" / "clean"
        corpus.mkdir(parents=True)
        (corpus / "by_hand").write_text("by hand")
        (corpus / ("f" * 40)).write_text("reaches nothing more")
        fuzzer = self.fuzzer("clean")
        self.run_campaign(fuzzer, "--seconds=1", f"--out={self.dir}/a",
                          BUILD_WORKSPACE_DIRECTORY=str(tree))
        self.assertEqual(len(list(corpus.iterdir())), 2)
        self.run_campaign(fuzzer, "--seconds=1", "--update",
                          f"--out={self.dir}/b",
                          BUILD_WORKSPACE_DIRECTORY=str(tree))
        names = {p.name for p in corpus.iterdir()}
        self.assertIn("by_hand", names)
        self.assertNotIn("f" * 40, names)
        self.assertEqual(len(names), 1 + 256)

    def test_rows_say_what_was_run_reached_and_found(self):
        ledger = self.dir / "ledger"
        ledger.mkdir()
        code, said = self.run_campaign(self.fuzzer("clean"), "--seconds=2",
                                       "--cores=1", "--seed=5",
                                       f"--ledger={ledger}")
        self.assertEqual(code, 0, said)
        rows = [json.loads(line) for file in ledger.iterdir()
                for line in file.read_text().splitlines()]
        got = {row["series"]: row["samples"] for row in rows}
        self.assertEqual(got, {"fuzz/clean/executions": [1234],
                               "fuzz/clean/edges": [41],
                               "fuzz/clean/findings": [0]})
        self.assertEqual({row["unit"] for row in rows}, {"count"})
        seed = re.search(r"-seed=(\d+)", self.calls("clean")[0])[1]
        self.assertEqual(rows[0]["configuration"],
                         {"seconds": "2", "seeds": seed})

    def test_the_planted_bug(self):
        code, said = self.run_campaign(f"--fuzzer=planted={PLANTED}={CORPUS}",
                                       "--seconds=20", "--seed=1")
        if KIND == "blind":
            self.assertEqual(code, 3, said)
            self.assertIn("built without --config=fuzz", said)
            return
        self.assertEqual(code, 1, said)
        self.assertIn("FUZZ_CHECK failed: !planted", said)
        line = re.search(r"//fuzz:planted -- (\S+)", said)
        self.assertEqual(pathlib.Path(line[1]).read_bytes()[:4], b"BUG!")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
