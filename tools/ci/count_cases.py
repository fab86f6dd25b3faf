#!/usr/bin/env python3
"""Counts the test cases of one `bazel test` run, from what Bazel said of it.

    count_cases.py [--exit-code CODE] BUILD_EVENTS.json

reads the file that `bazel test --build_event_json_file` wrote and the test.xml
files which that file names, prints every case that is no pass, and ends with

    N passed, N failed

Only the results that the events name are counted, so the results of an earlier
run that still lie in bazel-testlogs never are. A result from Bazel's cache is
named by the events, and counts: Bazel holds it valid.

What counts as failed, beside a case that failed: one that was skipped or is
disabled, since a test that did not run proves nothing; a target that failed
although each of its cases passed (a leak found at exit, a time-out); a target
that passed without running a case; a target, test or not, that was not built;
a test that has no result; a build that ended badly for a reason not counted
so far. A test without a record of cases (a plain main) is one case.

Exit codes: 0 all passed, 1 something failed, 2 usage.
"""

import argparse
import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree


def printable(text):
    """`text` without control characters, which would reach the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)


class Count:
    """How many cases passed and failed, and why each that failed did."""

    def __init__(self):
        self.passed = 0
        self.failures = []
        self.notes = []

    @property
    def failed(self):
        return len(self.failures)

    def fail(self, what, name, why=""):
        line = f"{what}: {name}" + (f" ({why})" if why else "")
        self.failures.append(printable(line))


def file_of(uri):
    """The path that a file: URI names; None for a URI of another scheme."""
    parts = urllib.parse.urlsplit(uri)
    if parts.scheme != "file":
        return None
    return urllib.request.url2pathname(parts.path)


def count_xml(count, label, path):
    """Adds the cases of one test.xml. Returns how many it held, and how many
    of them were no pass. Raises OSError or ParseError when it is unreadable."""
    cases = 0
    bad = 0
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        cases += 1
        suite = case.get("classname", "")
        name = f"{label} {suite + '.' if suite else ''}{case.get('name', '')}"
        if case.find("failure") is not None or case.find("error") is not None:
            count.fail("FAILED", name)
        elif case.get("status") == "notrun":
            count.fail("NOT RUN", name, "disabled")
        elif (case.find("skipped") is not None or
              case.get("result") == "skipped"):
            why = case.find("skipped")
            text = "" if why is None else why.get("message", "")
            # GoogleTest puts the place on the first line, the reason below.
            lines = [l for l in text.split("\n")[1:] if l.strip()]
            count.fail("NOT RUN", name, lines[0] if lines else "skipped")
        else:
            count.passed += 1
            continue
        bad += 1
    return cases, bad


def count_test(count, label, status, results):
    """Adds one test target: `status` is what its summary says of it, `results`
    the last attempt of each of its runs and shards."""
    cases = 0
    bad = 0
    for result in results:
        outputs = {o.get("name"): o.get("uri", "")
                   for o in result.get("testActionOutput", [])}
        uri = outputs.get("test.xml")
        if uri is None:
            continue
        path = file_of(uri)
        if path is None:
            cases += 1
            bad += 1
            count.fail("NO RESULT", label,
                       f"{uri} is not on this machine; run without "
                       "--remote_download_minimal")
            continue
        try:
            more_cases, more_bad = count_xml(count, label, path)
        except (OSError, xml.etree.ElementTree.ParseError) as error:
            more_cases, more_bad = 1, 1
            count.fail("NO RESULT", label, f"cannot read {path}: {error}")
        cases += more_cases
        bad += more_bad

    if status == "FLAKY":
        count.notes.append(printable(
            f"FLAKY: {label} (failed, then passed when it was tried again)"))
    if status in ("PASSED", "FLAKY"):
        if cases == 0:
            count.fail("NOT RUN", label, "passed without running a case")
    elif bad == 0:
        why = {
            "FAILED": "failed outside of its cases",
            "TIMEOUT": "timed out",
            "FAILED_TO_BUILD": "not built",
        }.get(status, f"ended as {status}")
        count.fail("FAILED", label, why)


def count_events(events, exit_code):
    """The Count of the build events, parsed, one dictionary each.

    `exit_code` is what bazel exited with, or None where it is not known."""
    count = Count()
    results = {}    # (label, configuration, run, shard): (attempt, result)
    summaries = {}  # (label, configuration): status
    expected = set()  # (label, configuration) of tests that were to run
    aborted = {}    # label or pattern: reason
    unbuilt = set()
    complete = False

    def key(identity):
        return (identity.get("label", ""),
                identity.get("configuration", {}).get("id", ""))

    for event in events:
        identity = event.get("id", {})
        complete = complete or event.get("lastMessage", False)
        for child in event.get("children", []):
            if "testSummary" in child:
                expected.add(key(child["testSummary"]))
        if "aborted" in event:
            # Events of other kinds (the label that is to blame, say) tell why,
            # not what: the target that was not built has one of these.
            reason = event["aborted"].get("reason", "")
            for kind in ("testSummary", "testResult", "targetCompleted",
                         "targetConfigured"):
                if kind in identity:
                    aborted.setdefault(identity[kind].get("label", kind),
                                       reason)
            for pattern in identity.get("pattern", {}).get("pattern", []):
                aborted.setdefault(pattern, reason)
        elif "testResult" in identity:
            test = identity["testResult"]
            slot = key(test) + (test.get("run", 0), test.get("shard", 0))
            attempt = test.get("attempt", 0)
            if slot not in results or attempt >= results[slot][0]:
                results[slot] = (attempt, event.get("testResult", {}))
        elif "testSummary" in identity:
            summaries[key(identity["testSummary"])] = event.get(
                "testSummary", {}).get("overallStatus", "NO_STATUS")
        elif "targetCompleted" in identity:
            if not event.get("completed", {}).get("success", False):
                unbuilt.add(identity["targetCompleted"].get("label", ""))

    for test, status in sorted(summaries.items()):
        count_test(count, test[0], status,
                   [result for slot, (_, result) in sorted(results.items())
                    if slot[:2] == test])
    counted = {label for label, _ in summaries}
    for label, reason in sorted(aborted.items()):
        if label not in counted:
            count.fail("NOT RUN", label, reason.lower().replace("_", " "))
            counted.add(label)
    for label in sorted(unbuilt - counted):
        count.fail("NOT BUILT", label)
        counted.add(label)
    for label, _ in sorted(expected):
        if label not in counted:
            count.fail("NO RESULT", label)
            counted.add(label)

    if not complete:
        count.fail("NO RESULT", "bazel", "its build events end early; it was "
                   "stopped, or could not start: see its output above")
    elif exit_code not in (None, 0) and count.failed == 0:
        why = {2: "it was called wrongly, or its configuration is wrong",
               4: "it found no test to run"}.get(
                   exit_code, f"it exited {exit_code}")
        count.fail("FAILED", "bazel", why + ": see its output above")
    elif count.passed == 0 and count.failed == 0:
        count.fail("NOT RUN", "bazel", "it ran no test")
    return count


def read_events(path):
    """The events in the file at `path`, one JSON object a line. A line that
    does not parse ends them: bazel was stopped while it wrote."""
    events = []
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                events.append(json.loads(line))
            except json.JSONDecodeError:
                break
    return events


def main(argv):
    parser = argparse.ArgumentParser(
        description="Counts the test cases of one bazel run.",
        epilog="Exit codes: 0 all passed, 1 something failed, 2 usage.")
    parser.add_argument("--exit-code", type=int,
                        help="what bazel exited with")
    parser.add_argument("events", help="what --build_event_json_file wrote")
    arguments = parser.parse_args(argv)
    try:
        events = read_events(arguments.events)
    except OSError as error:
        # Bazel that cannot start (a mistyped option) writes no events at all.
        print(f"count_cases: cannot read {arguments.events}: "
              f"{error.strerror}", file=sys.stderr)
        events = []
    count = count_events(events, arguments.exit_code)
    for line in count.notes + count.failures:
        print(line)
    print(f"{count.passed} passed, {count.failed} failed")
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
