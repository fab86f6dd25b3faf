"""The bug bank: what there is, and how a bug is put into a copy of the tree.

A bug is `patches/NAME.patch`, a unified diff of one file with five lines of
context, and its entry in `bank.json`:

    name       of the patch
    kind       of fault; most are of the tables of what breaks such tools
    what       what goes wrong, in a sentence
    targets    fuzz targets that can reach it
    tests      unit and property tests that could
    unit_test  whether a unit test was written that tells of it

README.md says how to add one.
"""

import json
import os
import re

_FIELDS = {"name": str, "kind": str, "what": str, "targets": list,
           "tests": list, "unit_test": bool}
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LABEL = re.compile(r"//[a-z0-9_/]+:[a-z0-9_]+")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


class Bad(Exception):
    """What is wrong with the bank, for a person."""


class Patch:
    """The file that it changes, and pairs of the lines before and after."""

    def __init__(self, text):
        lines = text.splitlines(keepends=True)
        if (len(lines) < 3 or not lines[0].startswith("--- a/") or
                not lines[1].startswith("+++ b/") or
                lines[0][6:] != lines[1][6:]):
            raise Bad("does not begin with --- a/FILE and +++ b/FILE")
        self.file = lines[0][6:].strip()
        self.hunks = []
        for line in lines[2:]:
            if line.startswith("--- ") or line.startswith("+++ "):
                raise Bad("changes more than one file")
            if line.startswith("@@"):
                if not _HUNK.match(line):
                    raise Bad("has a hunk that is none: " + line.strip())
                self.hunks.append(([], []))
            elif not self.hunks or line[0] not in " +-":
                raise Bad("has a line that is none: " + line.strip())
            else:
                before, after = self.hunks[-1]
                if line[0] != "+":
                    before.append(line[1:])
                if line[0] != "-":
                    after.append(line[1:])
        if not self.hunks:
            raise Bad("changes nothing")

    def apply(self, source):
        """`source` with the bug. Each hunk must be there exactly as it stands,
        once: a bug that lands elsewhere would be another one."""
        for before, after in self.hunks:
            old = "".join(before)
            # Whole lines: what ends like the first one is not it.
            places = [found.start() for found in
                      re.finditer("^(?=%s)" % re.escape(old), source, re.M)]
            if len(places) != 1:
                raise Bad("its lines are %s in %s: make the patch anew" %
                          ("%d times" % len(places) if places
                           else "not there", self.file))
            at = places[0]
            source = source[:at] + "".join(after) + source[at + len(old):]
        return source


def with_canary(canary, file, source):
    """What the compiler is given."""
    return '%s\n#line 1 "%s"\n%s' % (canary, file, source)


def _check(entry):
    if not isinstance(entry, dict):
        raise Bad("an entry is no object")
    name = entry.get("name", "?")
    for field, kind in _FIELDS.items():
        if not isinstance(entry.get(field), kind):
            raise Bad("%s: has no %s" % (name, field))
        if kind is str and not entry[field]:
            raise Bad("%s: its %s is empty" % (name, field))
    unknown = set(entry) - set(_FIELDS)
    if unknown:
        raise Bad("%s: there is no field %s" % (name, sorted(unknown)[0]))
    if not _NAME.fullmatch(name):
        raise Bad("%s: is no name of words joined by dashes" % name)
    if not entry["targets"] and not entry["tests"]:
        raise Bad("%s: nothing could detect it" % name)
    for target in entry["targets"]:
        if not re.fullmatch(r"[a-z_]+", target):
            raise Bad("%s: %s is no fuzz target" % (name, target))
    for test in entry["tests"]:
        if not _LABEL.fullmatch(test):
            raise Bad("%s: %s is no label" % (name, test))


class Bug:
    def __init__(self, entry, patch):
        self.name = entry["name"]
        self.kind = entry["kind"]
        self.what = entry["what"]
        self.targets = entry["targets"]
        self.tests = entry["tests"]
        self.unit_test = entry["unit_test"]
        self.patch = patch


def load(folder):
    """All bugs of the bank in `folder`, in its order. Raises Bad."""
    with open(os.path.join(folder, "bank.json"), encoding="utf-8") as file:
        entries = json.load(file)
    bugs = []
    for entry in entries:
        _check(entry)
        name = entry["name"]
        path = os.path.join(folder, "patches", name + ".patch")
        if not os.path.exists(path):
            raise Bad("%s: there is no %s" % (name, path))
        with open(path, encoding="utf-8") as file:
            try:
                patch = Patch(file.read())
            except Bad as bad:
                raise Bad("%s: the patch %s" % (name, bad)) from bad
        added = "".join(line for before, after in patch.hunks
                        for line in after if line not in before)
        for canary in ("CANARY_REACHED(", "CANARY_TRIGGERED("):
            if canary not in added:
                raise Bad("%s: the patch has no %s)" % (name, canary))
        bugs.append(Bug(entry, patch))
    names = [bug.name for bug in bugs]
    for name in names:
        if names.count(name) > 1:
            raise Bad("%s: is there twice" % name)
    for file in sorted(os.listdir(os.path.join(folder, "patches"))):
        if file[:-len(".patch")] not in names or not file.endswith(".patch"):
            raise Bad("patches/%s: is of no bug" % file)
    return bugs
