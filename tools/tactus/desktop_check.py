#!/usr/bin/python3
"""Runs `tactus` on a private desktop: desktop_check.py TACTUS CASE.

What it says is compared with what the application itself holds, which
TACTUS_DESKTOP_DUMP tells.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

_TACTUS = os.path.abspath(sys.argv[1])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 30


def _tactus(*arguments):
    """(exit code, standard output, standard error)."""
    if "--deadline" not in arguments:
        # It is not what is tested, and the machine may be busy.
        arguments += ("--deadline", "10s")
    done = subprocess.run([_TACTUS, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=_PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _held():
    """What the application holds, as it tells itself."""
    return subprocess.run([os.environ["TACTUS_DESKTOP_DUMP"]], check=True,
                          stdout=subprocess.PIPE,
                          timeout=_PATIENCE).stdout.decode()


def _control(*arguments):
    subprocess.run([os.environ["TACTUS_DESKTOP_CTL"], *arguments], check=True,
                   stdout=subprocess.DEVNULL, timeout=_PATIENCE)


class _Case(unittest.TestCase):
    maxDiff = None

    def result(self, *arguments):
        """The one line of JSON that a command prints."""
        code, out, err = _tactus(*arguments, "--json")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("\n"), 1)
        return json.loads(out)


class Snapshot(_Case):
    def test_ValueIsWhatTheApplicationHolds(self):
        text = _held()
        self.assertGreater(len(text), 3)
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["value"], text)
        self.assertEqual(snapshot["errors"], {})
        self.assertEqual(
            {key: snapshot[key] for key in (
                "schema", "value_status", "value_exact", "window", "whole",
                "character_count", "caret", "selection", "selected_text",
                "context_before", "context_after", "secure", "ambiguous")},
            {"schema": "tactus.snapshot/1", "value_status": None,
             "value_exact": True, "window": {"begin": 0, "end": len(text)},
             "whole": True, "character_count": len(text), "caret": len(text),
             "selection": {"begin": len(text), "end": len(text)},
             "selected_text": "", "context_before": text, "context_after": "",
             "secure": False, "ambiguous": False})
        self.assertEqual(snapshot["application"]["pid"],
                         int(os.environ["TACTUS_DESKTOP_APP_PID"]))
        self.assertTrue(snapshot["token"].startswith("t1."))
        self.assertGreater(snapshot["traffic"]["flights"], 0)

    def test_LongTextIsReadAsAWindowAroundTheCaret(self):
        text = _held()
        snapshot = self.result("snapshot", "--max-text", "3", "--context", "2")
        begin, end = len(text) - 3, len(text)
        self.assertEqual(snapshot["window"], {"begin": begin, "end": end})
        self.assertEqual(snapshot["value"], text[begin:end])
        self.assertFalse(snapshot["whole"])
        self.assertEqual(snapshot["character_count"], len(text))
        self.assertEqual(snapshot["context_before"], text[-2:])

    def test_PersonReadsTheSameOnOneLineEach(self):
        code, out, err = _tactus("snapshot")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\ntext         %s\n" % _held(), out)
        self.assertIn("\ncaret        %d\n" % len(_held()), out)


class Selection(_Case):
    def test_SelectionIsToldInCodePoints(self):
        text = _held()
        _control("select", "2", "8")
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["selection"], {"begin": 2, "end": 8})
        self.assertEqual(snapshot["selected_text"], text[2:8])
        self.assertEqual(snapshot["context_before"], text[:2])
        self.assertEqual(snapshot["context_after"], text[8:])


class Secure(_Case):
    def test_TextOfASecureFieldIsNowhere(self):
        text = _held()
        self.assertGreater(len(text), 3)
        for arguments in (("snapshot", "--json"), ("snapshot",),
                          ("watch", "--text", "--count", "1"), ("doctor",)):
            code, out, err = _tactus(*arguments)
            self.assertEqual((code, err), (0, ""), arguments)
            self.assertNotIn(text, out, arguments)
        snapshot = self.result("snapshot")
        self.assertTrue(snapshot["secure"])
        self.assertIsNone(snapshot["value"])
        self.assertEqual(snapshot["value_status"]["code"], "PERMISSION_DENIED")
        for attribute in ("value", "character_count", "caret", "selection",
                          "selected_text"):
            self.assertIsNone(snapshot[attribute])
            self.assertIn(attribute, snapshot["errors"])


class Watch(_Case):
    def setUp(self):
        self.watch = subprocess.Popen(
            [_TACTUS, "watch", "--text", "--deadline", "10s"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self._end)
        # A line that never comes must not hang the test.
        signal.alarm(_PATIENCE)

    def _end(self):
        signal.alarm(0)
        self.watch.kill()
        self.watch.communicate()

    def _next(self):
        return json.loads(self.watch.stdout.readline())

    def _until(self, wanted):
        """The first line that is `wanted`; those before are part of the way."""
        while True:
            line = self._next()
            if wanted(line):
                return line

    def test_EachChangeIsALineAndASignalEndsItWell(self):
        first = self._next()
        self.assertEqual(first["schema"], "tactus.event/1")
        self.assertEqual(first["kind"], "focus")
        self.assertEqual(first["snapshot"]["value"], _held())
        self.assertEqual(first["application"]["pid"],
                         int(os.environ["TACTUS_DESKTOP_APP_PID"]))

        _control("set", "a new שלום")
        line = self._until(lambda line: line["kind"] == "text" and
                           line["snapshot"]["value"] == "a new שלום")
        self.assertEqual(line["element"], first["element"])
        self.assertGreater(line["events"], 0)

        _control("select", "2", "5")
        line = self._until(lambda line: line["kind"] == "selection" and
                           line["snapshot"]["selection"] ==
                           {"begin": 2, "end": 5})

        _control("focus", "entry")
        line = self._until(lambda line: line["kind"] == "focus")
        self.assertNotEqual(line["element"], first["element"])
        self.assertGreaterEqual(line["at_ms"], first["at_ms"])

        self.watch.send_signal(signal.SIGINT)
        self.assertEqual(self.watch.wait(_PATIENCE), 0)
        self.assertEqual(self.watch.stderr.read(), b"")

    def test_TerminationEndsItWell(self):
        self._next()
        self.watch.terminate()
        self.assertEqual(self.watch.wait(_PATIENCE), 0)

    def test_ReaderThatGoesAwayEndsItWell(self):
        self._next()
        self.watch.stdout.close()
        _control("set", "nobody reads this")
        self.assertEqual(self.watch.wait(_PATIENCE), 0)
        self.watch.stdout = None

    def test_CountAndTimeEndIt(self):
        code, out, _ = _tactus("watch", "--count", "1")
        self.assertEqual((code, out.count("\n")), (0, 1))
        code, out, _ = _tactus("watch", "--for", "50ms")
        self.assertEqual((code, out.count("\n")), (0, 1))


class Apps(_Case):
    def test_EveryApplicationIsToldAndTheFocusedOneMarked(self):
        apps = self.result("apps")["applications"]
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        by_toolkit = {app["application"]["toolkit"]: app for app in apps}
        self.assertIn("gtk", by_toolkit)
        self.assertIn("Qt", by_toolkit)
        for app in apps:
            self.assertTrue(app["answers"])
            self.assertEqual(app["focused"], app["application"]["pid"] == mine)
        self.assertTrue(by_toolkit["gtk"]["own_socket"])
        self.assertFalse(by_toolkit["Qt"]["own_socket"])

    def test_StoppedApplicationIsNamedAndTheOthersAreToldAllTheSame(self):
        apps = self.result("apps")["applications"]
        other = next(app["application"]["pid"] for app in apps
                     if app["application"]["toolkit"] == "Qt")
        os.kill(other, signal.SIGSTOP)
        try:
            stopped = self.result("apps", "--deadline", "2s")["applications"]
            _, person, _ = _tactus("apps", "--deadline", "2s")
        finally:
            os.kill(other, signal.SIGCONT)
        apps = {app["application"]["pid"]: app for app in stopped}
        self.assertFalse(apps[other]["answers"])
        self.assertIn("field", apps[other]["process"])
        mine = apps[int(os.environ["TACTUS_DESKTOP_APP_PID"])]
        self.assertTrue(mine["answers"])
        self.assertTrue(mine["focused"])
        self.assertRegex(person, r"process %d \(.*field\): DOES NOT ANSWER" % other)


class Doctor(_Case):
    def test_DesktopThatLacksNothingIsWell(self):
        doctor = self.result("doctor")
        self.assertTrue(doctor["ok"])
        self.assertEqual({check["state"] for check in doctor["checks"]}, {"ok"})
        self.assertRegex(doctor["checks"][-1]["found"],
                         r"^%d characters: " % len(_held()))
        code, out, _ = _tactus("doctor")
        self.assertEqual(code, 0)
        self.assertNotIn(_held(), out)

    def test_SwitchThatIsOffIsMendedByTheCommandThatIsTold(self):
        off = ["busctl", "--user", "set-property", "org.a11y.Bus",
               "/org/a11y/bus", "org.a11y.Status", "IsEnabled", "b", "false"]
        subprocess.run(off, check=True, timeout=_PATIENCE)
        code, out, _ = _tactus("doctor")
        self.assertEqual(code, 3)
        remedy = re.search(r"^missing  accessibility switch .*\n"
                           r" *mend it: (.*)$", out, re.MULTILINE).group(1)
        subprocess.run(remedy.split(), check=True, timeout=_PATIENCE)
        self.assertEqual(_tactus("doctor")[0], 0)

    def test_StoppedApplicationIsAFailureAndNotAMissingPart(self):
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        os.kill(mine, signal.SIGSTOP)
        try:
            doctor, found, _ = _tactus("doctor", "--deadline", "2s")
            snapshot, out, err = _tactus("snapshot", "--deadline", "2s")
        finally:
            os.kill(mine, signal.SIGCONT)
        self.assertEqual(doctor, 1)
        self.assertIn("\nfailed   a real read", found)
        self.assertEqual((snapshot, out), (1, ""))
        self.assertIn("does not answer", err)


class Browser(_Case):
    def _start(self):
        browser = subprocess.Popen(
            ["chromium", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--user-data-dir=" + os.environ["TACTUS_DESKTOP_DIR"] + "/profile",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(browser.wait, _PATIENCE)
        self.addCleanup(browser.terminate)
        return browser.pid

    def _found(self):
        """What the doctor says of browsers, once it has seen one."""
        # A browser with a fresh profile takes long on a busy machine.
        end = time.monotonic() + 3 * _PATIENCE
        while time.monotonic() < end:
            _, out, _ = _tactus("doctor", "--json", "--deadline", "1s")
            check, = [check for check in json.loads(out)["checks"]
                      if check["name"] == "Chromium and Electron"]
            if check["found"] != "none runs here":
                return check
            time.sleep(0.1)
        self.fail("no browser was seen")

    def test_BrowserWithoutTheFlagIsMissingIt(self):
        pid = self._start()
        check = self._found()
        self.assertEqual(check["state"], "missing")
        self.assertIn("chromium (process %d)" % pid, check["found"])
        self.assertIn("--launcher-override chromium", check["remedy"])


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(
        globals()[sys.argv[2]])
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
