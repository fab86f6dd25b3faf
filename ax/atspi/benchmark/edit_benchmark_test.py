#!/usr/bin/env python3
"""The goals of edits, and that what misses one is told so."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, "ax/atspi/benchmark")
import edit_benchmark  # noqa: E402
import judge  # noqa: E402


def measured(**series):
    rows = [{"series": name.replace("__", "."), "unit": "us",
             "samples": samples, "failures": 0}
            for name, samples in series.items()]
    return judge.read_lines([json.dumps(row) for row in rows])


def verdict(application, ours, measurement):
    for goal in edit_benchmark.goals(application):
        if goal.ours == ours and goal.bound is not None:
            return judge.judge(goal, measurement).verdict
    return None


class GoalsTest(unittest.TestCase):
    def test_replacement_is_held_to_three_milliseconds_on_each_widget(self):
        for application in judge.WIDGETS:
            for microseconds, expected in (3000, judge.MET), (
                    3001, judge.MISSED):
                self.assertEqual(
                    verdict(application, "replace.tactus",
                            measured(replace__tactus=[microseconds] * 20)),
                    expected)

    def test_paste_is_held_to_sixty_milliseconds_in_chromium(self):
        for microseconds, expected in (60000, judge.MET), (
                60001, judge.MISSED):
            self.assertEqual(
                verdict("chromium", "replace.tactus",
                        measured(replace__tactus=[microseconds] * 20)),
                expected)

    def test_too_few_samples_are_no_measurement(self):
        self.assertEqual(verdict("gtk3", "replace.tactus",
                                 measured(replace__tactus=[1] * 19)),
                         judge.NOT_MEASURED)

    def test_dictation_rewrites_at_most_twice_its_text(self):
        for rewritten, expected in (450, judge.MET), (451, judge.MISSED):
            self.assertEqual(
                verdict("qt6", "dictation.rewritten",
                        measured(dictation__rewritten=[rewritten] * 3,
                                 dictation__final=[225] * 3)),
                expected)

    def test_dictation_takes_at_most_two_seconds(self):
        for microseconds, expected in (2e6, judge.MET), (
                2.001e6, judge.MISSED):
            self.assertEqual(
                verdict("gtk4", "dictation.total",
                        measured(dictation__total=[microseconds] * 3)),
                expected)

    def test_an_edit_that_was_not_verified_is_a_miss(self):
        measurement = measured(replace__tactus=[1] * 20)
        measurement["series"]["replace.tactus"]["failures"] = 1
        self.assertEqual(verdict("gtk3", "replace.tactus", measurement),
                         judge.MISSED)


if __name__ == "__main__":
    unittest.main(verbosity=2)
