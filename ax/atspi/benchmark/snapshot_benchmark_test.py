#!/usr/bin/env python3
"""The benchmark on a desktop that is made up: what it asks for, prints and
exits with."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "snapshot_benchmark.py")

# In place of tools/desktop/run: notes its arguments, prints what it is told to.
_DESKTOP = """#!/bin/sh
echo "$*" >>asked
cat out
cat err >&2
exit "$(cat code)"
"""


def series(name, value, count=10):
    return json.dumps({"series": name, "unit": "us", "samples": [value] * count,
                       "failures": 0})


class SnapshotBenchmarkTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("ax/atspi/benchmark/measure", "")
        os.chmod(self.write("tools/desktop/run", _DESKTOP), 0o700)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(content)
        return path

    def run_it(self, *arguments, out=(), err="", code=0):
        self.write("out", "".join(line + "\n" for line in out))
        self.write("err", err)
        self.write("code", str(code))
        return subprocess.run(
            [sys.executable, "-B", _PROGRAM, *arguments], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "BUILD_WORKING_DIRECTORY": self.folder,
                 "BUILD_WORKSPACE_DIRECTORY": ""})

    def held(self, ours, theirs):
        return (series("held.tactus", ours), series("held.libatspi", theirs),
                '{"fact":"held.route","value":"bus"}',
                '{"fact":"held.libatspi_route","value":"bus"}')

    def test_met_is_0_and_the_goal_stands_beside_its_figure(self):
        got = self.run_it("--apps", "qt6", "--only", "held",
                          out=self.held(100, 200))
        self.assertEqual(got.returncode, 0, got.stdout)
        self.assertRegex(got.stdout, r"held +over the bus +>= 1.25x +2.00x +met"
                         r" +Tactus 100 us, p95 100 us, n 10; other 200 us")
        self.assertIn("1 goals met, 0 missed, 0 not measured", got.stdout)

    def test_missed_is_1_and_named_at_the_end(self):
        got = self.run_it("--apps", "qt6", "--only", "held",
                          out=self.held(100, 110))
        self.assertEqual(got.returncode, 1, got.stdout)
        self.assertRegex(got.stdout.splitlines()[-1],
                         r"^qt6: held .* 1.10x +MISSED")

    def test_an_application_that_is_not_there_is_3_with_the_reason(self):
        got = self.run_it("--apps", "firefox", "--only", "held", code=3,
                          err="tools/desktop/run: no program 'firefox-esr'\n")
        self.assertEqual(got.returncode, 3, got.stdout)
        self.assertIn("NOT MEASURED: tools/desktop/run: no program "
                      "'firefox-esr'", got.stdout)
        self.assertIn("0 goals met, 0 missed, 1 not measured", got.stdout)

    def test_what_was_measured_before_it_died_still_counts(self):
        out = self.held(100, 110)
        got = self.run_it("--apps", "qt6", "--only", "held,batch", out=out,
                          code=1, err="measure: it died\n")
        self.assertEqual(got.returncode, 1, got.stdout)
        self.assertIn("MISSED", got.stdout)
        self.assertIn("NOT MEASURED (measuring ended early: measure: it died)",
                      got.stdout)

    def test_broken_output_is_not_measured(self):
        got = self.run_it("--apps", "qt6", "--only", "held",
                          out=("no json",))
        self.assertEqual(got.returncode, 3, got.stdout)
        self.assertIn("what it printed is broken", got.stdout)

    def test_usage_is_2(self):
        for arguments in (("--apps", "emacs"), ("--only", "speed"),
                          ("--samples", "0"), ("--beside", "emacs"),
                          ("--nonsense",)):
            self.assertEqual(self.run_it(*arguments).returncode, 2, arguments)

    def test_each_application_gets_its_desktop_and_its_groups(self):
        self.run_it("--samples", "7", "--beside", "gtk4")
        with open(os.path.join(self.folder, "asked")) as file:
            asked = file.read().splitlines()
        self.assertEqual(len(asked), 13)
        self.assertTrue(all("--also gtk4" in line and "--rounds 7" in line
                            for line in asked))
        self.assertRegex(asked[0], "--app gtk3 .*find,held,batch,cached,cold")
        self.assertRegex(asked[4], "--app mousepad .*find,held,batch,cached")
        self.assertRegex(asked[8], r"--app chromium --page \S+\.html")
        self.assertRegex(asked[12], "--app gtk3 .*--groups stopped")

    def test_ten_applications_are_open_unless_others_are_asked_for(self):
        for arguments, others in ((), 9), (("--beside", "nothing"), 0):
            self.run_it("--apps", "gtk3,stopped", *arguments)
            with open(os.path.join(self.folder, "asked")) as file:
                asked = file.read().splitlines()[-2:]
            self.assertEqual([line.count("--also") for line in asked],
                             [others, 1])

    def test_quick_is_gtk3_alone(self):
        self.run_it("--quick")
        with open(os.path.join(self.folder, "asked")) as file:
            self.assertEqual([" --app gtk3 " in line for line in file],
                             [True, True])

    def test_samples_goals_and_facts_are_kept_in_a_file(self):
        self.run_it("--apps", "qt6", "--only", "held", "--json", "kept.jsonl",
                    out=self.held(100, 200))
        with open(os.path.join(self.folder, "kept.jsonl")) as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual({row["application"] for row in rows}, {"qt6"})
        self.assertIn([100] * 10, [row.get("samples") for row in rows])
        self.assertIn("met", [row.get("verdict") for row in rows])

    def test_rows_of_one_run_share_its_name_and_say_what_was_open(self):
        self.run_it("--apps", "gtk3,qt6", "--beside", "gtk4",
                    "--ledger", self.folder)
        with open(os.path.join(self.folder, "asked")) as file:
            asked = file.read().splitlines()
        runs = {re.search("--run ([0-9a-f]{16}) ", line).group(1)
                for line in asked}
        self.assertEqual(len(runs), 1)
        self.assertRegex(asked[0], "--ledger %s --run .* --application gtk3 "
                         "--beside 1$" % re.escape(self.folder))
        self.assertRegex(asked[1], "--application qt6 --beside 1$")

    def test_nothing_is_recorded_unless_it_is_asked_for(self):
        self.run_it("--apps", "gtk3")
        with open(os.path.join(self.folder, "asked")) as file:
            self.assertNotIn("--ledger", file.read())

    def test_nowhere_to_record_is_a_mistake_of_use(self):
        done = self.run_it("--apps", "gtk3", "--record")
        self.assertEqual(done.returncode, 2)
        self.assertIn("start it with bazel run", done.stdout)
        done = self.run_it("--apps", "gtk3", "--ledger", "/no/such/folder")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no folder /no/such/folder", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
