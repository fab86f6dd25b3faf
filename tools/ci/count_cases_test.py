"""The counting of test cases, on build events and results made up here."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import count_cases

PASSES = '<testcase name="Passes" classname="S" status="run"/>'
FAILS = ('<testcase name="Fails" classname="S" status="run">'
         '<failure message="1 is not 2"/></testcase>')
SKIPS = ('<testcase name="Skips" classname="S" status="run" result="skipped">'
         '<skipped message="s_test.cc:2&#x0A;no display"/></testcase>')
DISABLED = ('<testcase name="DISABLED_Off" classname="S" status="notrun" '
            'result="suppressed"/>')
LAST = {"id": {"progress": {}}, "lastMessage": True}


class CountCasesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def result(self, label, cases, shard=1, attempt=1, status="PASSED"):
        """The event of one attempt, and its test.xml with `cases`."""
        path = self.folder / f"{label.strip('/:').replace(':', '_')} {shard}" \
                             f" {attempt}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<testsuites><testsuite>{cases}</testsuite>"
                        "</testsuites>", encoding="utf-8")
        return {"id": {"testResult": {"label": label, "run": 1,
                                      "shard": shard, "attempt": attempt}},
                "testResult": {"status": status, "testActionOutput": [
                    {"name": "test.log", "uri": "file:///nowhere"},
                    {"name": "test.xml", "uri": path.as_uri()}]}}

    @staticmethod
    def summary(label, status="PASSED"):
        return {"id": {"testSummary": {"label": label}},
                "testSummary": {"overallStatus": status}}

    def count(self, *events, exit_code=0):
        return count_cases.count_events(list(events) + [LAST], exit_code)

    def test_each_case_is_counted_and_each_that_is_no_pass_is_named(self):
        count = self.count(
            self.result("//a:t", PASSES + FAILS + SKIPS + DISABLED),
            self.summary("//a:t", "FAILED"), exit_code=3)
        self.assertEqual(count.passed, 1)
        self.assertEqual(count.failures, [
            "FAILED: //a:t S.Fails", "NOT RUN: //a:t S.Skips (no display)",
            "NOT RUN: //a:t S.DISABLED_Off (disabled)"])

    def test_skipped_case_of_a_passing_target_is_no_pass(self):
        count = self.count(self.result("//a:t", PASSES + SKIPS),
                           self.summary("//a:t"))
        self.assertEqual((count.passed, count.failed), (1, 1))

    def test_result_of_an_earlier_run_is_not_counted(self):
        self.result("//a:old", FAILS)
        count = self.count(self.result("//a:t", PASSES), self.summary("//a:t"))
        self.assertEqual((count.passed, count.failed), (1, 0))

    def test_shards_add_up_and_one_may_be_empty(self):
        count = self.count(
            self.result("//a:t", PASSES + PASSES, shard=1),
            self.result("//a:t", "", shard=2), self.summary("//a:t"))
        self.assertEqual((count.passed, count.failed), (2, 0))

    def test_last_attempt_of_a_flaky_test_counts_and_it_is_named(self):
        count = self.count(
            self.result("//a:t", FAILS, attempt=1, status="FAILED"),
            self.result("//a:t", PASSES, attempt=2),
            self.summary("//a:t", "FLAKY"))
        self.assertEqual((count.passed, count.failed), (1, 0))
        self.assertIn("FLAKY: //a:t", count.notes[0])

    def test_target_that_passed_without_a_case_is_no_pass(self):
        count = self.count(self.result("//a:t", ""), self.summary("//a:t"))
        self.assertEqual(count.failures, [
            "NOT RUN: //a:t (passed without running a case)"])

    def test_target_that_failed_after_all_its_cases_passed_is_failed(self):
        for status, why in (("FAILED", "outside of its cases"),
                            ("TIMEOUT", "timed out"),
                            ("REMOTE_FAILURE", "REMOTE_FAILURE")):
            with self.subTest(status=status):
                count = self.count(
                    self.result("//a:t", PASSES, status=status),
                    self.summary("//a:t", status), exit_code=3)
                self.assertEqual((count.passed, count.failed), (1, 1))
                self.assertIn(why, count.failures[0])

    def test_target_that_was_not_built_is_failed_once(self):
        count = self.count(
            {"id": {"targetCompleted": {"label": "//a:t"}},
             "completed": {},
             "children": [{"testSummary": {"label": "//a:t"}}]},
            self.summary("//a:t", "FAILED_TO_BUILD"),
            {"id": {"targetCompleted": {"label": "//a:lib"}},
             "completed": {}}, exit_code=1)
        self.assertEqual(count.failures, [
            "FAILED: //a:t (not built)", "NOT BUILT: //a:lib"])

    def test_announced_test_without_a_result_is_failed(self):
        count = self.count(
            {"id": {"targetCompleted": {"label": "//a:t"}},
             "completed": {"success": True},
             "children": [{"testSummary": {"label": "//a:t"}}]})
        self.assertEqual(count.failures, ["NO RESULT: //a:t"])

    def test_skipped_target_and_broken_pattern_are_failed(self):
        count = self.count(
            {"id": {"targetCompleted": {"label": "//a:t"}},
             "aborted": {"reason": "SKIPPED"}},
            {"id": {"pattern": {"pattern": ["//b/..."]}},
             "aborted": {"reason": "LOADING_FAILURE"}},
            {"id": {"unconfiguredLabel": {"label": "//c:to_blame"}},
             "aborted": {"reason": "ANALYSIS_FAILURE"}}, exit_code=1)
        self.assertEqual(count.failures, [
            "NOT RUN: //a:t (skipped)", "NOT RUN: //b/... (loading failure)"])

    def test_built_target_that_is_not_tested_is_not_counted(self):
        count = self.count(
            {"id": {"targetCompleted": {"label": "//a:full_test"}},
             "completed": {"success": True}},
            self.result("//a:t", PASSES), self.summary("//a:t"))
        self.assertEqual((count.passed, count.failed), (1, 0))

    def test_unreadable_result_is_failed(self):
        broken = self.result("//a:t", "<")
        gone = self.result("//a:u", PASSES)
        (self.folder / "a_u 1 1.xml").unlink()
        count = self.count(broken, self.summary("//a:t"),
                           gone, self.summary("//a:u"))
        self.assertEqual((count.passed, count.failed), (0, 2))

    def test_result_on_another_machine_is_failed_with_the_remedy(self):
        remote = self.result("//a:t", PASSES)
        remote["testResult"]["testActionOutput"][1]["uri"] = "bytestream://x/y"
        count = self.count(remote, self.summary("//a:t"))
        self.assertEqual((count.passed, count.failed), (0, 1))
        self.assertIn("--remote_download_minimal", count.failures[0])

    def test_bad_exit_is_failed_even_when_every_case_passed(self):
        count = self.count(self.result("//a:t", PASSES), self.summary("//a:t"),
                           exit_code=37)
        self.assertEqual((count.passed, count.failed), (1, 1))
        self.assertIn("37", count.failures[0])

    def test_run_without_a_test_is_failed(self):
        self.assertEqual(self.count().failed, 1)
        self.assertIn("no test to run", self.count(exit_code=4).failures[0])

    def test_control_characters_of_a_name_do_not_reach_the_terminal(self):
        count = self.count(
            {"id": {"targetCompleted": {"label": "//a:\x1b[2Jt"}},
             "completed": {}}, exit_code=1)
        self.assertEqual(count.failures, ["NOT BUILT: //a:?[2Jt"])

    def run_on(self, *lines, exit_code=0):
        events = self.folder / "events.json"
        events.write_text("".join(lines), encoding="utf-8")
        return subprocess.run(
            [sys.executable, count_cases.__file__, "--exit-code",
             str(exit_code), str(events)],
            capture_output=True, encoding="utf-8", check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"})

    def test_last_line_is_the_count_and_the_exit_code_tells(self):
        lines = [json.dumps(e) + "\n" for e in (
            self.result("//a:t", PASSES), self.summary("//a:t"), LAST)]
        done = self.run_on(*lines)
        self.assertEqual(done.stdout, "1 passed, 0 failed\n")
        self.assertEqual(done.returncode, 0)
        done = self.run_on(*lines, exit_code=3)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 1 failed")
        self.assertEqual(done.returncode, 1)

    def test_events_that_end_early_are_no_pass(self):
        lines = [json.dumps(e) + "\n" for e in (
            self.result("//a:t", PASSES), self.summary("//a:t"))]
        done = self.run_on(*lines, '{"id": {"testRes')
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 1 failed")

    def test_events_that_were_never_written_are_no_pass(self):
        done = subprocess.run(
            [sys.executable, count_cases.__file__, str(self.folder / "none")],
            capture_output=True, encoding="utf-8", check=False)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 1 failed")
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
