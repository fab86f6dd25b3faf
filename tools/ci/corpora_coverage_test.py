#!/usr/bin/env python3
"""How the coverage of the corpora is judged."""

import unittest

import corpora_coverage


def export(**files):
    return {"data": [{"files": [
        {"filename": "./" + name.replace("__", "/") + ".cc",
         "summary": {"lines": {"count": count, "covered": covered}}}
        for name, (count, covered) in files.items()]}]}


class CorporaCoverageTest(unittest.TestCase):
    def judge(self, lines, **files):
        groups, unreachable = corpora_coverage.read_list(lines)
        return corpora_coverage.judge(
            groups, unreachable, corpora_coverage.files_of(export(**files)))

    def test_a_group_is_the_sum_of_its_files(self):
        said, well = self.judge(["group | core | 85 | ax/a ax/b.cc"],
                                ax__a__x=(60, 60), ax__b=(40, 25),
                                ax__c=(1000, 0))
        self.assertTrue(well)
        self.assertIn("core: 85.0 % of 100 lines, at least 85 %", said)
        self.assertIn("15 of    40 not reached: ax/b.cc", said)

    def test_one_line_too_few_is_too_few(self):
        said, well = self.judge(["group | core | 85 | ax/a"],
                                ax__a__x=(100, 84))
        self.assertFalse(well)
        self.assertIn("core: 84.0 % of 100 lines, NOT 85 %", said)

    def test_what_no_corpus_can_reach_does_not_count(self):
        _, well = self.judge(["# why", "group | core | 85 | ax/a",
                              "unreachable | ax/a/main.cc | a main function"],
                             ax__a__x=(100, 90), ax__a__main=(100, 0))
        self.assertTrue(well)

    def test_a_group_of_nothing_is_not_covered(self):
        said, well = self.judge(["group | core | 85 | ax/gone"],
                                ax__a=(10, 10))
        self.assertFalse(well)
        self.assertIn("ax/gone, of the group core, is not in the report", said)

    def test_a_name_that_only_begins_alike_is_another(self):
        said, _ = self.judge(["group | core | 85 | ax/edit"],
                             ax__edit__x=(10, 10), ax__edits__x=(90, 0))
        self.assertIn("core: 100.0 % of 10 lines", said)

    def test_a_line_without_a_reason_is_refused(self):
        for line in ("unreachable | ax/a |", "group | core | many | ax/a",
                     "what"):
            with self.assertRaises(corpora_coverage.Bad):
                corpora_coverage.read_list([line])


if __name__ == "__main__":
    unittest.main()
