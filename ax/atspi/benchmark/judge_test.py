#!/usr/bin/env python3
"""Which measurements meet a goal, miss it, or are none."""

import json
import unittest

import judge


def series(name, *samples, failures=0, failure=None):
    row = {"series": name, "unit": "us", "samples": list(samples),
           "failures": failures}
    if failure:
        row["failure"] = failure
    return row


def measurement(*rows, **facts):
    return {"series": {row["series"]: row for row in rows},
            "facts": {name.replace("__", "."): value
                      for name, value in facts.items()}}


def goal(kind="faster", bound=3.0, other="theirs", section="find", least=5):
    return judge.Goal(section, "gtk3", "what", "ours", other, kind, bound,
                      least)


class JudgeTest(unittest.TestCase):
    def verdict(self, the_goal, *rows, **facts):
        return judge.judge(the_goal, measurement(*rows, **facts))

    def test_fast_enough_is_met_and_the_figure_is_the_ratio_of_medians(self):
        got = self.verdict(goal(), series("ours", 1, 2, 2, 2, 90),
                           series("theirs", 5, 6, 6, 6, 7))
        self.assertEqual((got.verdict, got.figure), (judge.MET, 3.0))
        self.assertEqual((got.ours["median"], got.other["median"]), (2, 6))
        self.assertEqual((got.ours["n"], got.other["n"]), (5, 5))

    def test_a_little_too_slow_is_missed(self):
        got = self.verdict(goal(), series("ours", *[2.01] * 5),
                           series("theirs", *[6] * 5))
        self.assertEqual(got.verdict, judge.MISSED)

    def test_a_share_must_not_exceed_its_bound(self):
        for ours, verdict in ((60, judge.MET), (61, judge.MISSED)):
            got = self.verdict(goal("share", 0.60), series("ours", *[ours] * 5),
                               series("theirs", *[100] * 5))
            self.assertEqual(got.verdict, verdict)

    def test_milliseconds_are_of_ours_alone(self):
        for ours, verdict in ((25000, judge.MET), (25001, judge.MISSED)):
            got = self.verdict(goal("milliseconds", 25, other=""),
                               series("ours", *[ours] * 5))
            self.assertEqual(got.verdict, verdict)

    def test_the_worst_of_the_late_counts_early_or_late(self):
        for worst, verdict in ((120000, judge.MET), (120001, judge.MISSED),
                               (79999, judge.MISSED)):
            got = self.verdict(goal("late", 20, other=""),
                               series("ours", *[100000] * 9, worst),
                               stopped__deadline_us=100000)
            self.assertEqual(got.verdict, verdict)

    def test_what_has_no_goal_is_reported_with_its_figure(self):
        got = self.verdict(goal(bound=None), series("ours", *[2] * 5),
                           series("theirs", *[1] * 5))
        self.assertEqual((got.verdict, got.figure), (judge.REPORTED, 0.5))

    def test_a_series_that_is_not_there_is_not_measured(self):
        for rows in ((), (series("ours", *[1] * 5),),
                     (series("theirs", *[9] * 5),)):
            got = self.verdict(goal(), *rows)
            self.assertEqual(got.verdict, judge.NOT_MEASURED)
            self.assertIsNone(got.figure)

    def test_a_peer_that_fails_is_not_measured_and_says_why(self):
        got = self.verdict(
            goal(), series("ours", *[1] * 5),
            series("theirs", failures=3, failure="finds nothing"))
        self.assertEqual(got.verdict, judge.NOT_MEASURED)
        self.assertIn("finds nothing", got.why)

    def test_one_failure_of_ours_is_a_miss_however_fast_the_rest(self):
        got = self.verdict(
            goal(), series("ours", *[1] * 299, failures=1, failure="no focus"),
            series("theirs", *[99] * 300))
        self.assertEqual(got.verdict, judge.MISSED)
        self.assertIn("1 of 300 failed: no focus", got.why)

    def test_too_few_samples_are_not_measured(self):
        for least, count in ((5, 4), (200, 199)):
            got = self.verdict(goal(least=least), series("ours", *[1] * count),
                               series("theirs", *[9] * 300))
            self.assertEqual(got.verdict, judge.NOT_MEASURED)

    def test_two_elements_are_not_compared(self):
        got = self.verdict(goal(section="held"), series("ours", *[1] * 5),
                           series("theirs", *[9] * 5),
                           held__libatspi_element="another")
        self.assertEqual(got.verdict, judge.NOT_MEASURED)

    def test_a_clock_that_stands_still_is_not_measured(self):
        got = self.verdict(goal(), series("ours", *[0] * 5),
                           series("theirs", *[9] * 5))
        self.assertEqual(got.verdict, judge.NOT_MEASURED)


class ExitCodeTest(unittest.TestCase):
    def code(self, *kinds):
        return judge.exit_code([judge.Verdict(goal(), kind) for kind in kinds])

    def test_all_met(self):
        self.assertEqual(self.code(judge.MET, judge.REPORTED, judge.MET), 0)

    def test_one_missed_among_many(self):
        self.assertEqual(
            self.code(judge.MET, judge.NOT_MEASURED, judge.MISSED), 1)

    def test_one_not_measured_is_no_pass(self):
        self.assertEqual(self.code(judge.MET, judge.NOT_MEASURED), 3)

    def test_nothing_measured_is_no_pass(self):
        self.assertEqual(self.code(), 3)
        self.assertEqual(self.code(judge.REPORTED), 3)


class GoalsTest(unittest.TestCase):
    """The goals are those of the project; here they stand a second time."""

    def bounds(self, section, facts=None, application=None):
        names = [application] if application else judge.APPLICATIONS
        return {name: [g.bound for g in judge.goals(name, facts or {})
                       if g.section == section and g.bound is not None]
                for name in names}

    def test_find(self):
        self.assertEqual(self.bounds("find"), {
            "gtk3": [3], "gtk4": [3], "qt5": [7], "qt6": [7],
            "mousepad": [10], "chromium": [10], "chromium-page": [10],
            "firefox": [10], "vte": [10], "gnome-text-editor": [],
            "featherpad": [], "libreoffice": []})

    def test_find_is_a_search_each_time_but_on_the_huge_page(self):
        for name in judge.APPLICATIONS:
            ours = [g.ours for g in judge.goals(name, {})
                    if g.section == "find" and g.bound is not None]
            self.assertIn(ours, ([], ["find.tactus_again"
                                      if name == "chromium-page"
                                      else "find.tactus"]))

    def test_held(self):
        bus = self.bounds("held", {"held.route": "bus"})
        self.assertEqual(bus.pop("libreoffice"), [])
        self.assertEqual(set(map(tuple, bus.values())), {(1.25,)})
        socket = self.bounds("held", {"held.route": "socket"})
        self.assertEqual(socket.pop("libreoffice"), [])
        self.assertEqual(set(map(tuple, socket.values())), {(1.5,)})

    def test_a_peer_on_the_socket_is_held_to_the_goal_of_the_socket(self):
        facts = {"held.route": "bus", "held.libatspi_route": "socket"}
        self.assertEqual(self.bounds("held", facts, "gtk3")["gtk3"], [1.5])

    def test_two_routes_are_told_apart(self):
        facts = {"held.route": "bus", "held.libatspi_route": "socket"}
        self.assertIn("Tactus over the bus, libatspi over its socket",
                      [g.what for g in judge.goals("chromium", facts)])

    def test_the_goal_of_the_socket_stands_where_ours_does_not_use_it(self):
        goals = judge.goals("chromium", {"batch.socket.route": "bus"})
        self.assertIn(("batch.socket.batched", 0.60),
                      [(g.ours, g.bound) for g in goals])

    def test_cached(self):
        self.assertEqual(self.bounds("cached", {}, "gtk3")["gtk3"], [1])
        bounds = self.bounds("cached", {"held.route": "socket"})
        self.assertEqual(bounds.pop("gtk3"), [1])
        self.assertEqual(set(map(tuple, bounds.values())), {()})

    def test_batch(self):
        bounds = self.bounds("batch", {"batch.socket": "none"})
        for name in ("gtk3", "gtk4", "qt5"):
            self.assertEqual(bounds.pop(name), [0.60])
        self.assertEqual(set(map(tuple, bounds.values())), {(0.85,)})
        self.assertEqual(self.bounds("batch", {}, "gtk3")["gtk3"],
                         [0.60, 0.85, 0.60])

    def test_cold(self):
        bounds = self.bounds("cold")
        self.assertEqual({name for name in bounds if bounds[name] == [25]},
                         set(judge.WIDGETS))

    def test_stopped(self):
        goals = [g for g in judge.goals(judge.STOPPED, {})
                 if g.bound is not None]
        self.assertEqual([(g.ours, g.bound, g.least) for g in goals], [
            ("stopped.own", 20, 5), ("stopped.own_first_contact", 20, 5),
            ("stopped.beside", 1.10, 200)])


class ReadLinesTest(unittest.TestCase):
    def test_series_and_facts(self):
        row = series("find.tactus", 1.5)
        got = judge.read_lines([json.dumps(row),
                                '{"fact":"held.route","value":"bus"}'])
        self.assertEqual(got, {"series": {"find.tactus": row},
                               "facts": {"held.route": "bus"}})

    def test_anything_else_is_an_error(self):
        for line in ("", "nonsense", "[1]", '{"other":1}'):
            with self.assertRaises(ValueError):
                judge.read_lines([line])

    def test_summary(self):
        self.assertEqual(judge.summary([4, 1, 3, 2]),
                         {"median": 2.5, "p95": 4, "max": 4, "n": 4})
        self.assertEqual(judge.summary(range(1, 101))["p95"], 95)
        self.assertEqual(judge.summary(range(1, 21))["p95"], 19)


if __name__ == "__main__":
    unittest.main(verbosity=2)
