#!/usr/bin/python3
"""The private desktop: does it hold what it is given, and leave nothing?

  run_test.py [common|full] [PART OF A NAME]...

`common` is the applications that every run of the tests needs, `full` the
others, which are slow to start.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from xml.sax.saxutils import quoteattr

from processes import descendants

_RUN = "tools/desktop/run"

# Beyond the basic plane, joined, right to left, combining, and what shells,
# pages and configuration files would take for their own.
_HARD = ("h\u00e9llo \U0001F469\u200D\U0001F469\u200D\U0001F467 "
         "\u05E9\u05DC\u05D5\u05DD e\u0301\n\ttab \"two\" 'one' \\n $HOME %s "
         "</textarea>&amp;\u00a0\n\nend")

_DEADLINE = 150

# Types one letter, and prints what is then held: only where the keyboard's
# focus is in the field, and the caret at its end, does it come out right.
_TYPE = r"""
"$TACTUS_DESKTOP_DUMP" >"$TACTUS_DESKTOP_DIR/before" || exit 50
xdotool type Z || exit 51
for attempt in $(seq "$1"); do
  "$TACTUS_DESKTOP_DUMP" >"$TACTUS_DESKTOP_DIR/after" || exit 52
  cmp -s "$TACTUS_DESKTOP_DIR/before" "$TACTUS_DESKTOP_DIR/after" || break
  sleep 0.1
done
cat "$TACTUS_DESKTOP_DIR/before"
printf '\0'
cat "$TACTUS_DESKTOP_DIR/after"
"""


def _run(*arguments, **keywords):
    return subprocess.run([_RUN, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=_DEADLINE, **keywords)


def _left(scratch):
    """Processes that carry the folder of a desktop in their environment."""
    left = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as environment:
                if scratch.encode() in environment.read():
                    with open("/proc/%s/cmdline" % pid, "rb") as command:
                        left.append((pid, command.read()))
        except OSError:
            pass  # It has ended, or is another's.
    return left


class _Cases(unittest.TestCase):
    def tearDown(self):
        # What a runner abandons becomes ours.
        self.assertEqual(descendants(os.getpid()), set())

    def holds(self, app, text, *arguments, looks=20):
        result = _run("--app", app, "--text", text, *arguments, "--", "sh",
                      "-c", _TYPE, "type", str(looks))
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        before, _, after = result.stdout.decode().partition("\0")
        self.assertEqual(before, text)
        return after


def _holds_what_it_is_given(app):
    # FeatherPad saves no-break spaces as spaces.
    text = _HARD.replace("\u00a0", "") if app == "featherpad" else _HARD

    def test(self):
        self.assertEqual(self.holds(app, text), text + "Z")
    return test


def _holds_an_empty_text(app):
    def test(self):
        self.assertEqual(self.holds(app, ""), "Z")
    return test


def _holds_a_final_line_end(app):
    def test(self):
        self.assertEqual(self.holds(app, "one\n"), "one\nZ")
    return test


def _answers_its_control(app):
    def test(self):
        script = """set -e
        ctl="$TACTUS_DESKTOP_CTL"
        "$ctl" set "$TEXT"; "$ctl" select 1 3; "$ctl" state
        "$ctl" replace-widget; "$ctl" state
        "$ctl" focus entry; "$ctl" set one; "$ctl" select 1 2; "$ctl" state
        ! "$ctl" select 2 9 2>/dev/null
        ! "$ctl" focus nowhere 2>/dev/null
        "$ctl" window2; "$ctl" focus window2; "$ctl" set two; "$ctl" state
        """
        result = _run("--app", app, "--", "sh", "-c", script,
                      env={**os.environ, "TEXT": _HARD})
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        states = [json.loads(line) for line in result.stdout.splitlines()]
        told = [(s["focused"], s["text"], s["caret"], s["selection"])
                for s in states]
        self.assertEqual(told[:3], [
            ("text", _HARD, 3, [1, 3]),
            ("text", _HARD, len(_HARD), None),
            ("entry", "one", 2, [1, 2]),
        ])
        self.assertEqual(states[3]["fields"]["window2"]["text"], "two")
        self.assertEqual(states[3]["fields"]["text"]["text"], _HARD)
    return test


def _focuses_the_kind_asked_for(app, kind):
    def test(self):
        # That nothing comes can only be seen by looking for a while.
        read_only = kind == "readonly"
        after = self.holds(app, "h\u00e9 \U0001F600", "--kind", kind,
                           looks=2 if read_only else 20)
        typed = "" if read_only else "Z"
        self.assertEqual(after, "h\u00e9 \U0001F600" + typed)
    return test


def _give(case, name, test):
    setattr(case, "test_" + name, test)


def _title(app):
    return "".join(part.capitalize() for part in app.split("-"))


class Common(_Cases):
    def test_ExitCodeOfTheCommandPassesThrough(self):
        self.assertEqual(
            _run("--app", "none", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_CommandEndedByASignalIsToldAsAShellTellsIt(self):
        self.assertEqual(
            _run("--app", "none", "--", "sh", "-c", "kill -9 $$").returncode,
            128 + 9)

    def test_UnknownApplicationIsAUsageError(self):
        for arguments in (["--app", "emacs", "--", "true"],
                          ["--app", "gtk3", "--also", "emacs", "--", "true"],
                          ["--app", "gtk3", "--kind", "none", "--", "true"],
                          ["--app", "vte", "--kind", "entry", "--", "true"],
                          ["--app", "gtk3"], ["--app", "gtk3", "--"], []):
            result = _run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(b"usage:", result.stderr)
            self.assertEqual(result.stdout, b"")

    def test_CommandThatIsNotThereIsNotAvailable(self):
        result = _run("--app", "none", "--", "no-such-program")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"no program 'no-such-program'", result.stderr)

    def test_CommandOutOfTimeIsEndedAndTold(self):
        result = _run("--app", "none", "--timeout", "0.2", "--", "sleep", "60")
        self.assertEqual(result.returncode, 124)
        self.assertIn(b"did not end within 0.2 s", result.stderr)

    def test_CommandSeesNothingOfTheCallersDesktop(self):
        result = _run("--app", "none", "--", "env", env={
            **os.environ, "DISPLAY": ":4711", "WAYLAND_DISPLAY": "theirs",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/theirs",
            "XDG_RUNTIME_DIR": "/theirs", "HOME": "/theirs", "KEPT": "kept"})
        seen = dict(line.split("=", 1)
                    for line in result.stdout.decode().splitlines()
                    if "=" in line)
        self.assertEqual(seen["KEPT"], "kept")
        self.assertEqual(seen["TACTUS_DESKTOP"], "1")
        self.assertNotIn("WAYLAND_DISPLAY", seen)
        self.assertNotEqual(seen["DISPLAY"], ":4711")
        for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"):
            self.assertIn(seen["TACTUS_DESKTOP_DIR"], seen[name])

    def test_CommandRunsInTheCallersFolder(self):
        result = _run("--app", "none", "--", "pwd", "-P")
        self.assertEqual(result.stdout.decode().strip(), os.path.realpath("."))

    def test_NothingIsLeftAfterTheCommand(self):
        # One process that leaves its session, and one that leaves its parent.
        result = _run("--app", "gtk3", "--also", "qt5", "--", "sh", "-c",
                      "setsid sleep 600 & (sleep 600 &) ; "
                      "echo $TACTUS_DESKTOP_DIR; echo $DISPLAY")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        scratch, display = result.stdout.decode().split()
        self.assertEqual(_left(scratch), [])
        self.assertFalse(os.path.exists(scratch))
        self.assertFalse(os.path.exists("/tmp/.X%s-lock" % display[1:]))

    def test_NothingIsLeftAfterTermination(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen(
                    [_RUN, "--app", "gtk3", "--", "sh", "-c",
                     "echo $TACTUS_DESKTOP_DIR; sleep 600"],
                    stdout=subprocess.PIPE) as process:
                scratch = process.stdout.readline().decode().strip()
                self.assertNotEqual(_left(scratch), [])
                process.send_signal(number)
                self.assertEqual(process.wait(30), 128 + number)
            self.assertEqual(_left(scratch), [])
            self.assertFalse(os.path.exists(scratch))

    def test_NothingIsLeftWhenTerminatedWhileStarting(self):
        for delay in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8):
            with subprocess.Popen([_RUN, "--app", "gtk3", "--", "sleep",
                                   "600"]) as process:
                # The point of time is the thing tested, whichever it hits.
                time.sleep(delay)
                process.terminate()
                self.assertIn(process.wait(30), (128 + signal.SIGTERM,
                                                 -signal.SIGTERM))
            self.assertEqual(descendants(os.getpid()), set())

    def test_ProcessOfTheApplicationOwnsItsWindow(self):
        for app in ("gtk3", "mousepad"):
            result = _run("--app", app, "--", "sh", "-c",
                          "xdotool getactivewindow getwindowpid; "
                          "echo $TACTUS_DESKTOP_APP_PID; "
                          "echo $TACTUS_DESKTOP_APP")
            active, told, name = result.stdout.decode().split()
            self.assertEqual(active, told)
            self.assertEqual(name, app)

    def test_OtherApplicationsDoNotTakeTheFocus(self):
        result = _run(
            "--app", "qt5", "--text", "main", "--also", "gtk3=a=b\nc", "--also",
            "gtk4", "--", "sh", "-c", "xdotool type Z; sleep 0.2; "
            '"$TACTUS_DESKTOP_DUMP"; echo; "$TACTUS_DESKTOP_DIR"/0-gtk3/dump; '
            'echo; "$TACTUS_DESKTOP_DIR"/1-gtk4/dump')
        self.assertEqual(result.stdout.decode(), "mainZ\na=b\nc\n")

    def test_ApplicationThatEndsEarlyIsTold(self):
        result = _run("--app", "gtk3", "--", "sh", "-c",
                      "kill -9 $TACTUS_DESKTOP_APP_PID; sleep 0.1; exit 5")
        self.assertEqual(result.returncode, 5)
        self.assertIn(b"gtk3 ended with -9", result.stderr)

    def test_DumpOfADeadApplicationIsRefused(self):
        result = _run("--app", "gtk3", "--text", "x", "--", "sh", "-c",
                      "kill -9 $TACTUS_DESKTOP_APP_PID; sleep 0.1; "
                      '"$TACTUS_DESKTOP_DUMP"')
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stdout, b"")
        self.assertIn(b"cannot tell what the application holds", result.stderr)

    def test_TextFromAFileMayBeLongerThanAnArgument(self):
        with tempfile.NamedTemporaryFile() as file:
            text = "\u05E9\U0001F600x" * 40000
            file.write(text.encode())
            file.flush()
            result = _run("--app", "gtk3", "--text-file", file.name, "--", "sh",
                          "-c", '"$TACTUS_DESKTOP_DUMP"')
        self.assertEqual(result.stdout.decode(), text)

    def test_TextThatTheFieldCannotHoldIsRefused(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"one\0two")
            file.flush()
            result = _run("--app", "gtk3", "--kind", "entry", "--text-file",
                          file.name, "--", "true")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"cannot hold this text", result.stderr)

    def test_PictureOfTheDesktopIsSaved(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.png")
            self.assertEqual(
                _run("--app", "gtk3", "--show", path, "--",
                     "true").returncode, 0)
            with open(path, "rb") as picture:
                self.assertEqual(picture.read(8), b"\x89PNG\r\n\x1a\n")

    def test_PageOfTheCallersIsShownAndRead(self):
        with tempfile.NamedTemporaryFile(suffix=".html") as page:
            page.write(b"<!DOCTYPE html><meta charset=utf-8><div id=d "
                       b"contenteditable>d\xc3\xa9j\xc3\xa0</div>"
                       b"<script>d.focus()</script>")
            page.flush()
            result = _run("--app", "chromium", "--page", page.name, "--", "sh",
                          "-c", '"$TACTUS_DESKTOP_DUMP"')
        self.assertEqual(result.stdout.decode(), "d\u00e9j\u00e0",
                         result.stderr.decode())


class Full(_Cases):
    pass


for _app in ("gtk3", "gtk4", "qt5", "qt6"):
    _give(Common, "ControlOf%sIsAnswered" % _title(_app),
          _answers_its_control(_app))
    for _kind in ("entry", "password", "readonly"):
        _give(Common, "%sFocusesIts%s" % (_title(_app), _title(_kind)),
              _focuses_the_kind_asked_for(_app, _kind))
for _kind in ("entry", "password", "readonly"):
    _give(Full, "ChromiumFocusesIts" + _title(_kind),
          _focuses_the_kind_asked_for("chromium", _kind))
for _case, _apps in (
        (Common, ("gtk3", "gtk4", "qt5", "qt6", "mousepad", "chromium")),
        (Full, ("firefox", "libreoffice", "vte", "gnome-text-editor",
                "featherpad"))):
    for _app in _apps:
        _give(_case, "%sHoldsExactlyTheTextGiven" % _title(_app),
              _holds_what_it_is_given(_app))
for _app in ("mousepad", "libreoffice", "gnome-text-editor", "featherpad"):
    _give(Full, "%sHoldsAnEmptyText" % _title(_app), _holds_an_empty_text(_app))
    _give(Full, "%sHoldsAFinalLineEnd" % _title(_app),
          _holds_a_final_line_end(_app))


class _Result(unittest.TextTestResult):
    """Remembers each case, for the report that Bazel counts cases in."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cases = []

    def startTest(self, test):
        super().startTest(test)
        self._started = time.monotonic()

    def stopTest(self, test):
        name = test.id().rpartition(".test_")[2]
        failure = "".join(text for failed, text in self.failures + self.errors
                          if failed is test)
        self.cases.append((name, time.monotonic() - self._started, failure))
        super().stopTest(test)


def _write_report(path, suite, cases):
    failures = sum(bool(failure) for _, _, failure in cases)
    with open(path, "w") as report:
        report.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
                     '<testsuite name=%s tests="%d" failures="%d">\n' %
                     (quoteattr(suite), len(cases), failures))
        for name, seconds, failure in cases:
            report.write('<testcase classname=%s name=%s time="%.3f">%s'
                         '</testcase>\n' % (
                             quoteattr(suite), quoteattr(name), seconds,
                             failure and "<failure message=%s/>" %
                             quoteattr(failure)))
        report.write("</testsuite>\n</testsuites>\n")


def main():
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)
    which = sys.argv[1] if len(sys.argv) > 1 else "common"
    loader = unittest.TestLoader()
    if len(sys.argv) > 2:
        loader.testNamePatterns = ["*%s*" % part for part in sys.argv[2:]]
    cases = loader.loadTestsFromTestCase(
        {"common": Common, "full": Full}[which])
    result = unittest.TextTestRunner(
        resultclass=_Result, verbosity=2).run(cases)
    if "XML_OUTPUT_FILE" in os.environ:
        _write_report(os.environ["XML_OUTPUT_FILE"], "desktop_" + which,
                      result.cases)
    return 0 if result.wasSuccessful() and result.cases else 1


if __name__ == "__main__":
    sys.exit(main())
