#!/usr/bin/env python3
"""What power.py makes of what it has run."""

import contextlib
import io
import sys
import tempfile
import unittest

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True
import power  # noqa: E402


def _found(seconds):
    return power.Run(seconds, True, True, True)


def _censored(seconds):
    return power.Run(seconds, False, True, True, over=True)


class Median(unittest.TestCase):

    def test_of_runs_that_all_found_it_is_the_middle_one(self):
        self.assertEqual(power.median([_found(3), _found(1), _found(2)]), 2)
        self.assertEqual(power.median([_found(5)]), 5)

    def test_of_an_even_number_it_is_the_lower_one(self):
        # The estimate has fallen to a half by then.
        self.assertEqual(power.median([_found(1), _found(4)]), 1)

    def test_where_most_found_nothing_there_is_none(self):
        self.assertIsNone(power.median(
            [_found(1), _censored(60), _censored(60)]))
        self.assertIsNone(power.median([_censored(60)]))
        self.assertIsNone(power.median([]))

    def test_what_ended_early_without_a_find_is_not_counted_on_later(self):
        # At risk are 4, then 2: 3/4, then 3/8.
        self.assertEqual(power.median([_found(1), _censored(2), _found(3),
                                       _censored(60)]), 3)

    def test_a_find_at_the_time_of_a_censored_run_comes_first(self):
        self.assertEqual(power.median([_censored(2), _found(2)]), 2)


class Told(unittest.TestCase):

    def test_censored_times_are_marked(self):
        self.assertEqual(power.spell([_censored(60)]), ">60")
        self.assertEqual(power.spell([_found(1.25)]), "1.2")
        self.assertEqual(power.spell([power.Run(1, False, True, True)]),
                         "passed")
        self.assertEqual(power.spell([]), "-")

    def test_what_finds_alone_or_sooner_beats_the_other(self):
        self.assertTrue(power.beats([_found(50)], [_censored(60)]))
        self.assertTrue(power.beats([_found(1)], [_found(2)]))
        self.assertFalse(power.beats([_found(2)], [_found(2)]))
        self.assertFalse(power.beats([_censored(60)], [_found(2)]))
        self.assertIsNone(power.beats([_censored(60)], [_censored(60)]))

    def test_a_failure_that_the_bug_did_not_cause_is_no_detection(self):
        run = power.Run(1, True, True, False)
        self.assertFalse(run.detected)
        self.assertTrue(run.other)

    def test_blind_runs_are_no_check(self):
        self.assertIsNone(power.best({"fuzz": [_censored(60)],
                                      "blind": [_found(1)]}))
        self.assertEqual(power.best({"fuzz": [_found(3)], "unit": [_found(2)],
                                     "property": []}), 2)

    def test_the_summary_names_what_is_missing(self):
        results = [
            {"name": "a", "reached": True, "triggered": True,
             "detected": True, "best": 2.0, "guided": True, "runs": {}},
            {"name": "b", "reached": True, "triggered": True,
             "detected": False, "best": None, "guided": None, "runs": {}}]
        self.assertEqual(power.summary(results, 60), [
            "reached    2 of 2",
            "triggered  2 of 2",
            "detected   1 of 2; not b",
            "in time    1 of 2 within 60 CPU-seconds at the median",
            "guidance   beats blind on 1 of 1 that either finds"])


class Recorded(unittest.TestCase):

    def test_finds_and_censored_runs_stand_in_one_row(self):
        results = [{"name": "a", "reached": True, "triggered": True,
                    "detected": True, "guided": True,
                    "runs": {"fuzz": [_found(1.5), _censored(60)],
                             "blind": [_censored(60), _censored(60)],
                             "unit": []}}]
        rows = power.drafts(results, 60)
        self.assertEqual(rows[0], {
            "instrument": "fuzz.power", "series": "detected",
            "configuration": {"bug": "a", "check": "fuzz", "limit": "60 s"},
            "unit": "s", "direction": "less", "samples": [1.5], "failures": 1})
        self.assertEqual(rows[1]["series"], "undetected")
        self.assertEqual(rows[1]["samples"], [60, 60])
        self.assertEqual([row["series"] for row in rows[2:]],
                         ["share-reached", "share-triggered", "share-detected",
                          "share-guided"])


class Options(unittest.TestCase):

    NAMES = ["bug-%d" % i for i in range(40)]

    def test_ten_bugs_that_are_spread_over_the_bank_in_ten_minutes(self):
        options = power._parse([], self.NAMES)
        self.assertEqual(options.bugs, self.NAMES[::4])
        self.assertEqual((options.seconds, options.seeds), (10, 1))
        self.assertEqual(options.together, 600)

    def test_full_is_all_of_them_with_several_seeds_and_no_end(self):
        options = power._parse(["--full"], self.NAMES)
        self.assertEqual(options.bugs, self.NAMES)
        self.assertEqual((options.seconds, options.seeds), (60, 3))
        self.assertIsNone(options.together)

    def test_what_is_no_bug_or_no_time_is_wrong_usage(self):
        for arguments in (["--bugs", "none"], ["--seconds", "0"],
                          ["--seeds", "0"], ["--all"]):
            with self.assertRaises(SystemExit) as ended, \
                    contextlib.redirect_stderr(io.StringIO()):
                power._parse(arguments, self.NAMES)
            self.assertEqual(ended.exception.code, 2)


class Running(unittest.TestCase):

    def _run(self, program, seconds=5):
        with tempfile.TemporaryDirectory() as scratch:
            return power.Runner(scratch, seconds).run(
                [sys.executable, "-c", program], None, {})

    _CANARY = ("import os; f = open(os.environ['TACTUS_CANARY'], 'r+b');"
               "f.write((1).to_bytes(8, 'little')); f.seek(16);"
               "f.write((1).to_bytes(8, 'little')); f.flush();")

    def test_a_check_that_fails_on_a_triggered_bug_has_detected_it(self):
        run = self._run(self._CANARY + "os.abort()")
        self.assertTrue(run.reached and run.triggered and run.detected)

    def test_a_check_that_passes_has_not(self):
        run = self._run(self._CANARY)
        self.assertTrue(run.triggered)
        self.assertFalse(run.detected or run.other)

    def test_a_failure_without_the_canary_is_another_one(self):
        run = self._run("import sys; sys.exit(1)")
        self.assertFalse(run.reached or run.detected)
        self.assertTrue(run.other)

    def test_what_uses_up_its_time_is_censored(self):
        run = self._run(self._CANARY + "\nwhile True: pass", seconds=1)
        self.assertFalse(run.detected or run.other)
        self.assertGreaterEqual(run.seconds, 0.9)
        self.assertLessEqual(run.seconds, 1)


if __name__ == "__main__":
    unittest.main()
