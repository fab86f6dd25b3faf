#!/usr/bin/env python3
"""Every bug of the bank can be put into the sources as they are now."""

import os
import sys
import unittest

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True
import bank  # noqa: E402

_HERE = os.path.dirname(os.path.abspath(__file__))
_ROOT = os.path.join(os.environ.get("TEST_SRCDIR", ""),
                     os.environ.get("TEST_WORKSPACE", ""))

_PATCH = """\
--- a/f.cc
+++ b/f.cc
@@ -1,3 +1,3 @@
 one
-two
+2
 three
"""


def _source(file):
    with open(os.path.join(_ROOT, file), encoding="utf-8") as opened:
        return opened.read()


class Bank(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.bugs = bank.load(_HERE)

    def test_every_patch_applies_to_the_sources_as_they_are(self):
        for bug in self.bugs:
            with self.subTest(bug.name):
                source = _source(bug.patch.file)
                self.assertNotEqual(bug.patch.apply(source), source)

    def test_a_patch_fails_when_any_line_of_its_source_moves(self):
        # What the test above is worth: two lines of the context of each patch
        # are swapped, and it is told.
        for bug in self.bugs:
            with self.subTest(bug.name):
                before = bug.patch.hunks[0][0]
                at = next(i for i in range(len(before) - 1)
                          if before[i] != before[i + 1])
                moved = list(before)
                moved[at], moved[at + 1] = moved[at + 1], moved[at]
                source = _source(bug.patch.file).replace("".join(before),
                                                         "".join(moved))
                with self.assertRaises(bank.Bad):
                    bug.patch.apply(source)

    def test_there_are_at_least_thirty_of_many_kinds(self):
        self.assertGreaterEqual(len(self.bugs), 30)
        self.assertGreaterEqual(len({bug.kind for bug in self.bugs}), 15)

    def test_at_least_fifteen_have_no_unit_test(self):
        without = [bug.name for bug in self.bugs if not bug.unit_test]
        self.assertGreaterEqual(len(without), 15)

    def test_shipped_code_carries_no_canary(self):
        for file in {bug.patch.file for bug in self.bugs}:
            self.assertNotIn("CANARY", _source(file).upper(), file)

    def test_each_target_has_a_corpus(self):
        for target in {name for bug in self.bugs for name in bug.targets}:
            folder = os.path.join(_ROOT, "fuzz", target + "_fuzz.cc")
            self.assertTrue(os.path.exists(folder), target)


class Patch(unittest.TestCase):

    def test_lines_that_stand_lower_are_found(self):
        self.assertEqual(bank.Patch(_PATCH).apply("zero\none\ntwo\nthree\n"),
                         "zero\none\n2\nthree\n")

    def test_lines_that_differ_by_a_space_are_not_the_same(self):
        for source in ("one\ntwo \nthree\n", " one\ntwo\nthree\n",
                       "one\ntwo\n\nthree\n", ""):
            with self.assertRaisesRegex(bank.Bad, "not there"):
                bank.Patch(_PATCH).apply(source)

    def test_lines_that_stand_twice_are_refused(self):
        with self.assertRaisesRegex(bank.Bad, "2 times"):
            bank.Patch(_PATCH).apply("one\ntwo\nthree\n" * 2)

    def test_what_is_no_patch_of_one_file_is_refused(self):
        for text in ("", _PATCH.replace("+++ b/f", "+++ b/g"),
                     _PATCH + _PATCH, _PATCH.split("@@")[0],
                     _PATCH.replace(" one", "one")):
            with self.assertRaises(bank.Bad):
                bank.Patch(text)

    def test_the_canary_comes_first_and_changes_no_line_number(self):
        self.assertEqual(bank.with_canary("#define C", "a/f.cc", "one\n"),
                         '#define C\n#line 1 "a/f.cc"\none\n')


if __name__ == "__main__":
    unittest.main()
