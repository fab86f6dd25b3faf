#!/usr/bin/env python3
"""The table of given rows, to the letter; and when the two files agree."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import support

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "support.py")


def edit(application, operation, text, rung, outcome, reason="none",
         field="text", agrees=True, own_undo=-1, gap_us=None):
    row = {"application": application, "toolkit": "gtk",
           "toolkit_version": "3.24.38", "operation": operation, "text": text,
           "field": field, "rung": rung, "outcome": outcome, "reason": reason,
           "agrees": agrees, "own_undo": own_undo, "elapsed_us": 5000}
    if gap_us is not None:
        row["gap_us"] = gap_us
    return row


ROWS = [
    {"application": "vte", "version": "libvte-2.91-0 0.70.6-1"},
    edit("vte", "insert at caret", "ascii", "paste", "verified", own_undo=0,
         gap_us=12000),
    edit("vte", "insert at caret", "long", "paste", "unknown", "unreadable",
         gap_us=14000),
    edit("vte", "insert at caret", "lines", "none", "refused", "newline"),
    edit("vte", "delete", "while typing", "paste", "diverged", "typed-over"),
    {"application": "vte", "failure": "[  FAILED  ] TypingTest.X"},
    {"application": "gtk3", "version": "libgtk-3-0 3.24.38-2"},
    edit("gtk3", "replace range", "ascii", "range", "verified", own_undo=1,
         gap_us=30),
    edit("gtk3", "replace range", "emoji", "range", "verified", own_undo=2,
         gap_us=50),
    edit("gtk3", "set value", "ascii", "whole-value", "verified", own_undo=0,
         gap_us=70),
    edit("gtk3", "set password", "ascii", "none", "refused", "secure",
         field="password"),
    edit("gtk3", "delete", "while typing", "range", "verified", gap_us=90),
    edit("gtk3", "delete", "while typing", "range", "diverged", "other",
         gap_us=40),
    edit("gtk3", "delete", "while typing", "range", "verified", agrees=False,
         gap_us=40),
]

SUMMARY = """\
<!-- support: begin; bazel run //tools/support writes it -->
| application | version | by | verified | otherwise | its own Ctrl+Z restores |
|---|---|---|---|---|---|
| GTK 3 text view | libgtk-3-0 3.24.38-2 | range, whole-value | 3 of 3 | - | no or 1 or 2 |
| VTE terminal | libvte-2.91-0 0.70.6-1 | paste | 1 of 2 | 1 unknown: unreadable | no |
<!-- support: end -->
"""

BODY = """
7 edits in a quiet field and 4 while somebody typed; 1 were called what they were not.

A paste has to select first, and whoever types just then types over the selection: that is `typed-over`, after which `tactus undo` puts back what was replaced. It is counted as called what it was not where an edit was refused and anything of the text is gone all the same.

`range` and `whole-value` go through accessibility, `paste` through the clipboard (or the Delete key). The last column says after how many presses of the application's own Ctrl+Z the text was as before.

## Each application
### GTK 3 text view

`gtk3`, version libgtk-3-0 3.24.38-2; it calls its toolkit gtk 3.24.38.

| operation | by | ascii | emoji | own Ctrl+Z |
|---|---|---|---|---|
| replace range | range | verified | verified | 1 or 2 |
| set value | whole-value | verified |   | no |

| refused before anything is sent | field | outcome |
|---|---|---|
| set password | password | refused, secure |

While somebody types, 3 edits: 2 verified, 1 diverged: other. Called what they were not: 1.

### VTE terminal

`vte`, version libvte-2.91-0 0.70.6-1; it calls its toolkit gtk 3.24.38.

**Not all of it could be run: [  FAILED  ] TypingTest.X**

| operation | by | ascii | lines | long | own Ctrl+Z |
|---|---|---|---|---|---|
| insert at caret | paste, none | verified | refused, newline | unknown, unreadable | no |

While somebody types, 1 edits: 1 diverged: typed-over. Called what they were not: 0.

## The gap
From when the last check had come back to when the write was handed over: a change in this time is not refused, it shows as diverged. Quiet edits and those while somebody types, on one machine with other work, in a build without optimisation: compare within the table alone.

| application | by | median | p95 | n |
|---|---|---|---|---|
| GTK 3 text view | range | 40 us | 90 us | 5 |
| GTK 3 text view | whole-value | 70 us | 70 us | 1 |
| VTE terminal | paste | 13.0 ms | 14.0 ms | 2 |
"""


class RenderTest(unittest.TestCase):
    maxDiff = None

    def test_summary_names_what_did_not_end_verified(self):
        self.assertEqual(support.Support(ROWS).summary(), SUMMARY)

    def test_document_is_exactly_what_the_rows_say(self):
        text = support.Support(ROWS).render()
        head, _, rest = text.partition("## Summary\n")
        self.assertIn("<!-- Generated. Do not edit: `bazel run "
                      "//tools/support` writes it. -->", head)
        self.assertEqual(rest, SUMMARY + BODY)

    def test_order_is_that_of_the_applications_and_not_of_the_rows(self):
        again = ROWS[6:] + ROWS[:6]
        self.assertEqual(support.Support(again).render(),
                         support.Support(ROWS).render())


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "docs"))
        self.write("README.md", "above\n%s\n%s\nbelow\n" % (
            support.BEGIN, support.END))
        self.write("rows", "".join(json.dumps(row) + "\n" for row in ROWS))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def run_it(self, *arguments):
        return subprocess.run(
            [sys.executable, "-B", _PROGRAM, *arguments], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "BUILD_WORKSPACE_DIRECTORY": self.folder,
                 "BUILD_WORKING_DIRECTORY": self.folder})

    def test_both_files_are_written_and_agree(self):
        self.run_it("--no-run", "--rows", "rows")
        self.assertEqual(self.read("README.md"),
                         "above\n" + SUMMARY + "below\n")
        self.assertIn(SUMMARY, self.read("docs/support.md"))
        checked = self.run_it("--check")
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))

    def test_an_edit_called_what_it_was_not_is_1_and_named(self):
        got = self.run_it("--no-run", "--rows", "rows")
        self.assertEqual(got.returncode, 1)
        self.assertIn('called what it was not: {"application": "gtk3"',
                      got.stdout)
        self.write("rows", "".join(json.dumps(row) + "\n" for row in ROWS
                                   if row.get("agrees", True)))
        self.assertEqual(self.run_it("--no-run", "--rows", "rows").returncode,
                         0)

    def test_files_that_disagree_are_1(self):
        self.run_it("--no-run", "--rows", "rows")
        self.write("README.md", self.read("README.md").replace("3 of 3",
                                                               "4 of 4"))
        got = self.run_it("--check")
        self.assertEqual(got.returncode, 1)
        self.assertIn("the summary in README.md is not that of docs/support.md",
                      got.stdout)

    def test_a_file_without_the_markers_is_1(self):
        self.run_it("--no-run", "--rows", "rows")
        self.write("README.md", "nothing\n")
        got = self.run_it("--check")
        self.assertEqual(got.returncode, 1)
        self.assertIn("README.md has no summary between the markers",
                      got.stdout)

    def test_usage_is_2(self):
        for arguments in (("--apps", "emacs"), ("--edits", "0"), ("--no-run",),
                          ("--nonsense",)):
            self.assertEqual(self.run_it(*arguments).returncode, 2, arguments)

    def test_each_application_is_run_on_its_desktop_with_its_fields(self):
        os.makedirs(os.path.join(self.folder, "tools/desktop"))
        # In place of the desktop: notes what it is asked, and fails for one.
        self.write("tools/desktop/run", """#!/bin/sh
echo "$*" >>asked
echo "[  FAILED  ] X" >&2
case "$*" in *chromium*typing*) exit 1 ;; esac
""")
        os.chmod(os.path.join(self.folder, "tools/desktop/run"), 0o700)
        got = self.run_it("--apps", "chromium,gtk3", "--edits", "7", "--rows",
                          "rows")
        self.assertEqual(got.returncode, 1)
        asked = self.read("asked").splitlines()
        self.assertEqual(len(asked), 4)
        self.assertRegex(asked[0], "^--app gtk3 .* -- .*/edit$")
        self.assertRegex(asked[1], "^--app gtk3 .* -- .*/typing 7$")
        self.assertRegex(asked[2],
                         "^--app chromium .*--page .*/fields.html -- .*/edit$")
        rows = support.read_rows(self.read("rows").splitlines())
        # Those of vte stay, since it was not run again.
        self.assertEqual([row["application"] for row in rows],
                         ["vte"] * 6 + ["gtk3", "chromium", "chromium"])
        self.assertEqual(rows[-1]["failure"], "[  FAILED  ] X")


class TreeTest(unittest.TestCase):
    """Of this very tree, where the test is run by Bazel."""

    def test_readme_and_the_table_agree(self):
        with open("README.md") as readme, open("docs/support.md") as table:
            self.assertEqual(support.disagreement(readme.read(), table.read()),
                             "")


if __name__ == "__main__":
    sys.exit(unittest.main())
