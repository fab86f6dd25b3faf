#!/usr/bin/env python3
"""Lists the programs and libraries whose coverage a run of tests recorded.

    coverage_objects.py BUILD_EVENTS.json

prints a path a line: each test that `bazel test --build_event_json_file` says
was built, and each program or library among the files that it runs with (a
daemon, a mock server), so long as clang's coverage mapping is in it. A file
that is not listed would be missing in the report without a word.

Exit codes: 0 listed, 1 there is none, 2 usage or unreadable input.
"""

import mmap
import os
import sys

import count_cases

# The section in which clang keeps which counter is which line.
SECTION = b"__llvm_covmap"


def is_covered(path):
    """Whether the file at `path` is an ELF file with a coverage mapping."""
    try:
        with open(path, "rb") as file:
            if file.read(4) != b"\x7fELF":
                return False
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return data.find(SECTION) >= 0
    except (OSError, ValueError):
        return False  # a directory, a dangling link, an empty file


def tests_of(events):
    """The paths of the tests among the build events."""
    outputs = {}
    tests = set()
    for event in events:
        target = event.get("id", {}).get("targetCompleted")
        if target is None:
            continue
        if any("testSummary" in c for c in event.get("children", [])):
            tests.add(target["label"])
        outputs[target["label"]] = [
            count_cases.file_of(o.get("uri", ""))
            for o in event.get("completed", {}).get("importantOutput", [])]
    return [p for label in sorted(tests) for p in outputs[label] if p]


def runfiles_of(test):
    """The real paths of what Bazel lays beside `test` for it to run with."""
    try:
        with open(test + ".runfiles_manifest", encoding="utf-8") as manifest:
            lines = manifest.read().splitlines()
    except OSError:
        return []
    return [line.partition(" ")[2] for line in lines if " " in line]


def objects_of(events):
    """The paths to report on, each file once."""
    found = {}
    for test in tests_of(events):
        for path in [test] + runfiles_of(test):
            found.setdefault(os.path.realpath(path), path)
    return sorted(p for p in found if is_covered(p))


def main(argv):
    if len(argv) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        objects = objects_of(count_cases.read_events(argv[0]))
    except OSError as error:
        print(f"coverage_objects: cannot read {argv[0]}: {error.strerror}",
              file=sys.stderr)
        return 2
    if not objects:
        print("coverage_objects: no test that was built has a coverage "
              "mapping; was it built with --config=coverage?",
              file=sys.stderr)
        return 1
    print("\n".join(objects))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
