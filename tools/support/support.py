#!/usr/bin/env python3
"""Edits every application, and writes docs/support.md of how that ended.

For each application it stages a private desktop with that application in focus
and runs the edit tests of ax/atspi/desktop there. They append a row for each
edit, judged by what the application itself holds; the table is made of these
rows and of nothing else. The summary goes into README.md as well.

An application that cannot be had, or whose tests fail, is named in the table.

Exit: 0 written, and every outcome was true; 1 some test failed, or --check
found the two files to disagree; 2 usage.
"""

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import tempfile

# The name for tools/desktop/run, the name for people, and the package whose
# version is told.
APPLICATIONS = (
    ("gtk3", "GTK 3 text view", "libgtk-3-0"),
    ("gtk4", "GTK 4 text view", "libgtk-4-1"),
    ("qt5", "Qt 5 text edit", "libqt5widgets5"),
    ("qt6", "Qt 6 text edit", "libqt6widgets6"),
    ("mousepad", "Mousepad", "mousepad"),
    ("gnome-text-editor", "GNOME Text Editor", "gnome-text-editor"),
    ("featherpad", "FeatherPad", "featherpad"),
    ("libreoffice", "LibreOffice Writer", "libreoffice-core"),
    ("chromium", "Chromium", "chromium"),
    ("firefox", "Firefox", "firefox-esr"),
    ("vte", "VTE terminal", "libvte-2.91-0"),
)
_BROWSERS = ("chromium", "firefox")
_KINDS = ("ascii", "emoji", "combining", "right-to-left", "lines", "long")
_TYPING = "while typing"
# What edit_test.cc begins with where it cannot set the text.
_TEXT = "one héllo 👩‍👩‍👧 שלום end."

COMMAND = "bazel run //tools/support"
BEGIN = "<!-- support: begin; %s writes it -->" % COMMAND
END = "<!-- support: end -->"

_HEAD = """\
# What can be edited, and how it ends
<!-- Generated. Do not edit: `%s` writes it. -->

Each edit below was made by `ax/edit` in a real application on a private
desktop, and its outcome was held against what the application itself then
held: its control socket, its debugger, the file that it saves, what the program
in the terminal has read. `%s` runs them all again and
writes this file.

An outcome is never better than what was proved: **verified** is what a later
read held, **refused** and **failed** left all as it was, after **diverged** what
was read is neither the old text nor the one asked for, **unknown** proves
nothing. What stands behind the comma is the reason, as `ax/edit/outcome.h` names
it.

""" % (COMMAND, COMMAND)


def read_rows(lines):
    return [json.loads(line) for line in lines if line.strip()]


def _ended(row):
    if row["reason"] == "none":
        return row["outcome"]
    return "%s, %s" % (row["outcome"], row["reason"])


def _in_order(values):
    """Each once, as they came."""
    return list(dict.fromkeys(values))


def _table(header, lines):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    out += ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join(out) + "\n"


def _time(microseconds):
    if microseconds < 9999.5:
        return "%.0f us" % microseconds
    return "%.1f ms" % (microseconds / 1000)


def _p95(values):
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def _counts(rows):
    """How many ended how, the most frequent first."""
    counts = {}
    for row in rows:
        counts[_ended(row)] = counts.get(_ended(row), 0) + 1
    order = sorted(counts, key=lambda ended: (-counts[ended], ended))
    return ", ".join("%d %s" % (counts[e], e.replace(", ", ": "))
                     for e in order)


def _undo(rows):
    """In how many presses the application's own Ctrl+Z restored the text."""
    seen = sorted({row["own_undo"] for row in rows if row["own_undo"] >= 0})
    return " or ".join("no" if n == 0 else str(n) for n in seen) or "-"


class Support:
    """The rows, by application."""

    def __init__(self, rows):
        self._edits, self._version, self._failure = {}, {}, {}
        for row in rows:
            name = row["application"]
            if "version" in row:
                self._version[name] = row["version"]
            elif "failure" in row:
                self._failure[name] = row["failure"]
            else:
                self._edits.setdefault(name, []).append(row)
        self._names = [one for one in APPLICATIONS if one[0] in self._edits or
                       one[0] in self._failure]

    def _quiet(self, name):
        return [row for row in self._edits.get(name, [])
                if row["text"] != _TYPING]

    def _typed(self, name):
        return [row for row in self._edits.get(name, [])
                if row["text"] == _TYPING]

    def _attempted(self, name):
        """Without those that are to be refused whatever the application."""
        return [row for row in self._quiet(name) if row["rung"] != "none"]

    def false(self):
        """The edits that were called what they were not."""
        return [row for rows in self._edits.values() for row in rows
                if not row["agrees"]]

    def summary(self):
        lines = []
        for name, title, _ in self._names:
            rows = self._attempted(name)
            landed = [row for row in rows if row["outcome"] == "verified"]
            rungs = _in_order(row["rung"] for row in landed)
            others = [row for row in rows if row["outcome"] != "verified"]
            lines.append((
                title, self._version.get(name, "-"), ", ".join(rungs) or "-",
                "%d of %d" % (len(landed), len(rows)),
                _counts(others) or "-", _undo(rows)))
        return BEGIN + "\n" + _table(
            ("application", "version", "by", "verified", "otherwise",
             "its own Ctrl+Z restores"), lines) + END + "\n"

    def _application(self, name, title):
        rows = self._quiet(name)
        out = ["### %s\n" % title]
        toolkit = _in_order("%s %s" % (row["toolkit"], row["toolkit_version"])
                            for row in rows if row["toolkit"])
        out.append("`%s`, version %s; it calls its toolkit %s.\n" % (
            name, self._version.get(name, "unknown"),
            " and ".join(toolkit) or "nothing"))
        if name in self._failure:
            out.append("**Not all of it could be run: %s**\n" %
                       self._failure[name])
        matrix = [row for row in rows if row["field"] == "text" and
                  row["rung"] != "none" or row["reason"] == "newline" and
                  row["field"] == "text"]
        kinds = [kind for kind in _KINDS
                 if any(row["text"] == kind for row in matrix)]
        kinds += [kind for kind in _in_order(row["text"] for row in matrix)
                  if kind not in _KINDS]
        lines = []
        for operation in _in_order(row["operation"] for row in matrix):
            mine = [row for row in matrix if row["operation"] == operation]
            cells = [" / ".join(_in_order(_ended(row) for row in mine
                                          if row["text"] == kind)) or " "
                     for kind in kinds]
            lines.append([operation,
                          ", ".join(_in_order(row["rung"] for row in mine))] +
                         cells + [_undo(mine)])
        if lines:
            out.append(_table(["operation", "by"] + kinds + ["own Ctrl+Z"],
                              lines))
        refused = [row for row in rows if row not in matrix]
        if refused:
            out.append(_table(
                ("refused before anything is sent", "field", "outcome"),
                [(row["operation"], row["field"], _ended(row))
                 for row in refused]))
        typed = self._typed(name)
        if typed:
            out.append("While somebody types, %d edits: %s. Called what they "
                       "were not: %d.\n" % (
                           len(typed), _counts(typed),
                           sum(not row["agrees"] for row in typed)))
        return "\n".join(out)

    def _gaps(self):
        lines = []
        for name, title, _ in self._names:
            for rung in ("range", "whole-value", "paste"):
                gaps = [row["gap_us"] for row in self._edits.get(name, [])
                        if row["rung"] == rung and "gap_us" in row]
                if gaps:
                    lines.append((title, rung, _time(statistics.median(gaps)),
                                  _time(_p95(gaps)), str(len(gaps))))
        return _table(("application", "by", "median", "p95", "n"), lines)

    def render(self):
        quiet = sum(len(self._quiet(one[0])) for one in self._names)
        typed = sum(len(self._typed(one[0])) for one in self._names)
        out = [_HEAD, "## Summary\n", self.summary(), "\n"]
        out.append("%d edits in a quiet field and %d while somebody typed; %d "
                   "were called what they were not.\n\n" % (
                       quiet, typed, len(self.false())))
        out.append("A paste has to select first, and whoever types just then "
                   "types over the selection: that is `typed-over`, after which "
                   "`tactus undo` puts back what was replaced. It is counted as "
                   "called what it was not where an edit was refused and "
                   "anything of the text is gone all the same.\n\n")
        out.append("`range` and `whole-value` go through accessibility, `paste`"
                   " through the clipboard (or the Delete key). The last column"
                   " says after how many presses of the application's own"
                   " Ctrl+Z the text was as before.\n\n")
        out.append("## Each application\n")
        out += ["%s\n" % self._application(name, title)
                for name, title, _ in self._names]
        out.append("## The gap\n"
                   "From when the last check had come back to when the write "
                   "was handed over: a change in this time is not refused, it "
                   "shows as diverged. Quiet edits and those while somebody "
                   "types, on one machine with other work, in a build without "
                   "optimisation: compare within the table alone.\n\n")
        out.append(self._gaps())
        return "".join(out)


def block(text):
    """What stands between the markers, with them; None where it does not."""
    begin, end = text.find(BEGIN), text.find(END)
    if begin < 0 or end < begin:
        return None
    return text[begin:end + len(END)] + "\n"


def with_block(text, new):
    old = block(text)
    if old is None:
        raise ValueError("README.md lacks the markers\n%s\n%s" % (BEGIN, END))
    return text.replace(old, new)


def disagreement(readme, support):
    """What is wrong with the two files, or nothing."""
    for name, text in (("README.md", readme), ("docs/support.md", support)):
        if block(text) is None:
            return "%s has no summary between the markers" % name
    if block(readme) != block(support):
        return "the summary in README.md is not that of docs/support.md"
    return ""


class Runner:
    def __init__(self, root, rows, edits):
        self._root, self._rows, self._edits = root, rows, edits

    def _note(self, row):
        with open(self._rows, "a") as file:
            file.write(json.dumps(row) + "\n")

    def _path(self, name):
        return os.path.join(self._root, name)

    def _run(self, name, *command):
        """Why it failed, or nothing."""
        desktop = [self._path("tools/desktop/run"), "--app", name, "--text",
                   _TEXT, "--timeout", "0"]
        if name in _BROWSERS:
            desktop += ["--page", self._path("ax/atspi/desktop/fields.html")]
        process = subprocess.Popen(
            desktop + ["--", *command], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "TACTUS_EDIT_ROWS": self._rows})
        try:
            out, _ = process.communicate()
        except BaseException:
            # It stops what it started when it is told to end.
            process.send_signal(signal.SIGTERM)
            process.communicate()
            raise
        if process.returncode == 0:
            return ""
        sys.stderr.write(out)
        said = [line for line in out.splitlines() if line.strip()]
        failed = [line.strip() for line in said if "FAILED  ]" in line]
        return (failed or said or ["exit code %d" % process.returncode])[-1]

    def run(self, name, package):
        version = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        self._note({"application": name,
                    "version": "%s %s" % (package, version or "unknown")})
        reasons = [
            self._run(name, self._path("ax/atspi/desktop/edit")),
            self._run(name, self._path("ax/atspi/desktop/typing"),
                      str(self._edits))]
        for reason in filter(None, reasons):
            self._note({"application": name, "failure": reason})
        return not any(reasons)


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="support", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one[0] for one in APPLICATIONS]
    parser.add_argument("--apps", metavar="APP,...", default=",".join(names),
                        help="only these; with --rows, the others stay as they "
                        "are in the file (default: all)")
    parser.add_argument("--edits", type=int, default=1000, metavar="N",
                        help="edits of each while somebody types "
                        "(default: 1000)")
    parser.add_argument("--rows", metavar="FILE",
                        help="keeps the rows there, a JSON line each, and "
                        "writes the table of all that it then holds")
    parser.add_argument("--no-run", action="store_true",
                        help="only writes the table of what --rows holds")
    parser.add_argument("--check", action="store_true",
                        help="only tells whether README.md and docs/support.md "
                        "agree")
    options = parser.parse_args(arguments)
    options.apps = [name for name in options.apps.split(",") if name]
    for name in options.apps:
        if name not in names:
            parser.error("--apps: no '%s' among %s" % (name, ", ".join(names)))
    if options.no_run and not options.rows:
        parser.error("--no-run needs --rows")
    if options.edits < 1:
        parser.error("--edits: at least 1")
    return options


def _read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _forget(path, names):
    """Takes the rows of these applications out of the file."""
    if not os.path.exists(path):
        return
    kept = [line for line in _read(path).splitlines(keepends=True)
            if json.loads(line)["application"] not in names]
    _write(path, "".join(kept))


def main(arguments):
    options = _parse(arguments)
    tree = os.environ.get("BUILD_WORKSPACE_DIRECTORY", os.getcwd())
    readme_path = os.path.join(tree, "README.md")
    support_path = os.path.join(tree, "docs/support.md")
    if options.check:
        wrong = disagreement(_read(readme_path), _read(support_path))
        if wrong:
            print("support: %s: %s writes both" % (wrong, COMMAND),
                  file=sys.stderr)
        return 1 if wrong else 0

    good = True
    with tempfile.TemporaryDirectory(prefix="tactus-support-") as scratch:
        rows_path = os.path.join(scratch, "rows.jsonl")
        if options.rows:
            rows_path = os.path.join(
                os.environ.get("BUILD_WORKING_DIRECTORY", ""), options.rows)
        if not options.no_run:
            _forget(rows_path, options.apps)
            runner = Runner(os.getcwd(), os.path.abspath(rows_path),
                            options.edits)
            for name, _, package in APPLICATIONS:
                if name in options.apps:
                    print("editing %s" % name, flush=True)
                    good &= runner.run(name, package)
        support = Support(read_rows(_read(rows_path).splitlines()))
    _write(support_path, support.render())
    _write(readme_path, with_block(_read(readme_path), support.summary()))
    for row in support.false():
        print("support: called what it was not: %s" % json.dumps(row),
              file=sys.stderr)
    return 0 if good and not support.false() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
