#!/usr/bin/env python3
"""That what misses a goal is told so, and what was not measured is no pass."""

import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, "transfer/benchmark")
import judge  # noqa: E402
from judge import Goal, Series  # noqa: E402


def verdict(goal, *series):
    return judge.judge(goal, {one.name: one for one in series})


ECHO = Goal("echo", "", "echo.tactus", ("echo.unix", "echo.openssl"), "share",
            1.75)
COPY = Goal("copy", "", "copy.tactus", ("copy.scp",), "faster", 3)


class JudgeTest(unittest.TestCase):
    def test_the_floors_are_added_up(self):
        floors = (Series("echo.unix", "us", [10, 10, 10]),
                  Series("echo.openssl", "us", [30, 30, 30]))
        met = verdict(ECHO, Series("echo.tactus", "us", [70] * 3), *floors)
        self.assertEqual((met.verdict, met.figure), (judge.MET, 1.75))
        missed = verdict(ECHO, Series("echo.tactus", "us", [70.1] * 3), *floors)
        self.assertEqual(missed.verdict, judge.MISSED)

    def test_units_are_converted_before_they_are_compared(self):
        met = verdict(COPY, Series("copy.tactus", "ms", [1000] * 3),
                      Series("copy.scp", "s", [3] * 3))
        self.assertEqual((met.verdict, met.figure), (judge.MET, 3))
        missed = verdict(COPY, Series("copy.tactus", "s", [1.01] * 3),
                         Series("copy.scp", "s", [3] * 3))
        self.assertEqual(missed.verdict, judge.MISSED)

    def test_the_median_counts_and_not_the_best(self):
        missed = verdict(COPY, Series("copy.tactus", "s", [0.1, 2, 2]),
                         Series("copy.scp", "s", [3] * 3))
        self.assertEqual(missed.figure, 1.5)
        self.assertEqual(missed.verdict, judge.MISSED)

    def test_memory_is_held_to_its_worst(self):
        goal = Goal("memory", "", "memory.near", (), "mebibytes", 64, least=1)
        for most, expected in (2**26, judge.MET), (2**26 + 1, judge.MISSED):
            self.assertEqual(verdict(goal, Series("memory.near", "B",
                                                  [1, most])).verdict,
                             expected)

    def test_no_wake_up_at_all_is_a_measurement(self):
        goal = Goal("idle", "", "idle.wakeups", (), "count", 0, least=1)
        self.assertEqual(verdict(goal, Series("idle.wakeups", "count",
                                              [0])).verdict, judge.MET)
        self.assertEqual(verdict(goal, Series("idle.wakeups", "count",
                                              [1])).verdict, judge.MISSED)

    def test_a_peer_that_was_not_measured_is_no_pass(self):
        unmeasured = verdict(COPY, Series("copy.tactus", "s", [1] * 3))
        self.assertEqual(unmeasured.verdict, judge.NOT_MEASURED)
        self.assertEqual(unmeasured.why, "copy.scp was not measured")
        why = judge.judge(COPY, {}, {"copy": "no sshd"})
        self.assertEqual(why.why, "no sshd")

    def test_too_few_samples_are_no_measurement(self):
        self.assertEqual(verdict(COPY, Series("copy.tactus", "s", [1, 1]),
                                 Series("copy.scp", "s", [3] * 3)).verdict,
                         judge.NOT_MEASURED)

    def test_a_failure_of_ours_is_a_miss_and_of_a_peer_a_lack(self):
        scp = Series("copy.scp", "s", [9] * 3)
        ours = Series("copy.tactus", "s", [1] * 3)
        failed = Series("copy.tactus", "s", [1] * 3, 1, "differs")
        self.assertEqual(verdict(COPY, failed, scp).verdict, judge.MISSED)
        broken = Series("copy.scp", "s", [], 3, "no key")
        unmeasured = verdict(COPY, ours, broken)
        self.assertEqual(unmeasured.verdict, judge.NOT_MEASURED)
        self.assertIn("no key", unmeasured.why)

    def test_what_cannot_be_true_is_a_miss(self):
        self.assertEqual(verdict(COPY, Series("copy.tactus", "s", [0] * 3),
                                 Series("copy.scp", "s", [3] * 3)).verdict,
                         judge.MISSED)

    def test_exit_codes(self):
        def code(*kinds):
            return judge.exit_code([judge.Verdict(COPY, kind)
                                    for kind in kinds])
        self.assertEqual(code(judge.MET, judge.REPORTED), 0)
        self.assertEqual(code(judge.MET, judge.NOT_MEASURED), 3)
        self.assertEqual(code(judge.MISSED, judge.NOT_MEASURED), 1)
        self.assertEqual(code(judge.REPORTED), 3)
        self.assertEqual(code(), 3)

    def test_a_line_shows_goal_figure_and_both_medians(self):
        line = judge.describe(verdict(
            COPY, Series("copy.tactus", "s", [1, 1, 1]),
            Series("copy.scp", "s", [3.5] * 3)))
        for part in (">= 3.00", "3.50", "met", "tactus 1 s (n 3)",
                     "scp 3.5 s (n 3)"):
            self.assertIn(part, line)


if __name__ == "__main__":
    unittest.main(verbosity=2)
