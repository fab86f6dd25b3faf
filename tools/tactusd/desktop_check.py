#!/usr/bin/python3
"""Runs `tactusd` on a private desktop: desktop_check.py TACTUSD TACTUS CASE.

What the command does through the daemon is compared with what it does alone,
and with what the application itself holds.
"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

_TACTUSD = os.path.abspath(sys.argv[1])
_TACTUS = os.path.abspath(sys.argv[2])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60
# What is another each time, or tells of the way.
_FIGURES = ("connect_us", "elapsed_us", "gap_us", "traffic", "route",
            "system_wide_status", "notes")


def _held():
    """What the application holds, as it tells itself."""
    return subprocess.run([os.environ["TACTUS_DESKTOP_DUMP"]], check=True,
                          stdout=subprocess.PIPE,
                          timeout=_PATIENCE).stdout.decode()


def _control(*arguments):
    subprocess.run([os.environ["TACTUS_DESKTOP_CTL"], *arguments], check=True,
                   stdout=subprocess.DEVNULL, timeout=_PATIENCE)


def _tactus(*arguments, text=b""):
    """(exit code, standard output, standard error)."""
    if "--deadline" not in arguments and arguments[0] not in (
            "status", "pause", "resume"):
        # It is not what is tested, and the machine may be busy.
        arguments += ("--deadline", "10s")
    done = subprocess.run([_TACTUS, *arguments], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=_PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _alike(out):
    """Without what is another each time; of JSON, and for people."""
    lines = []
    for line in out.splitlines():
        if line.startswith("{"):
            line = {key: value for key, value in json.loads(line).items()
                    if key not in _FIGURES + ("at_ms", "events")}
        elif re.match(r"(read in|took|found by) ", line):
            line = line.split()[0]
        lines.append(line)
    return lines


class _Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        signal.alarm(3 * _PATIENCE)
        self.addCleanup(signal.alarm, 0)
        self.daemon = self.start()

    def start(self):
        self.log = open(os.path.join(os.environ["TACTUS_DESKTOP_DIR"],
                                     "tactusd.log"), "w+", encoding="utf-8")
        self.addCleanup(self.log.close)
        daemon = subprocess.Popen([_TACTUSD], stderr=self.log)
        self.addCleanup(self.end, daemon)
        self.until(lambda status: status["state"] == "connected")
        return daemon

    def end(self, daemon):
        daemon.terminate()
        self.assertEqual(daemon.wait(_PATIENCE), 0)
        # Nothing of what people write is ever in it.
        self.log.seek(0)
        logged = self.log.read()
        self.assertNotIn("geheim", logged)
        for word in _held().split():
            if len(word) > 3:
                self.assertNotIn(word, logged)

    def status(self):
        code, out, _ = _tactus("status", "--json")
        return json.loads(out) if code == 0 else {"state": "none"}

    def until(self, wanted):
        end = time.monotonic() + _PATIENCE
        while not wanted(self.status()):
            self.assertLess(time.monotonic(), end, self.status())
            time.sleep(0.05)

    def both(self, *arguments, text=b"", before=lambda: None):
        """The same command alone and through the daemon, which must be alike
        but for figures; `before` is done before each."""
        before()
        alone = _tactus(*arguments, "--no-daemon", text=text)
        before()
        daemon = _tactus(*arguments, text=text)
        self.assertEqual((daemon[0], _alike(daemon[1]), daemon[2]),
                         (alone[0], _alike(alone[1]), alone[2]))
        return daemon

    def result(self, *arguments, text=b""):
        """The one line of JSON that a command prints."""
        code, out, err = _tactus(*arguments, "--json", text=text)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)


class Read(_Case):
    def test_SnapshotIsThatOfTheCommandAlone(self):
        for arguments in (("snapshot", "--json"), ("snapshot",),
                          ("snapshot", "--json", "--max-text", "3",
                           "--context", "1")):
            code, out, _ = self.both(*arguments)
            self.assertEqual(code, 0)
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["value"], _held())
        self.assertEqual(snapshot["connect_us"], 0)

    def test_WarmSnapshotIsTheTwoFlightsAlone(self):
        self.until(lambda _: self.result("snapshot")["route"] == "cache")
        self.assertEqual(self.result("snapshot")["traffic"]["flights"], 2)

    def test_StoppedApplicationCostsItsOwnAnswerAlone(self):
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        os.kill(mine, signal.SIGSTOP)
        try:
            code, out, err = _tactus("snapshot", "--deadline", "2s")
            status = self.status()
        finally:
            os.kill(mine, signal.SIGCONT)
        self.assertEqual((code, out), (1, ""))
        self.assertNotEqual(err, "")
        self.assertEqual(status["state"], "connected")
        self.assertEqual(self.result("snapshot")["value"], _held())

    def test_WatchTellsTheSameChanges(self):
        watches = [subprocess.Popen(
            [_TACTUS, "watch", "--text", "--deadline", "10s", *more],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for more in ((), ("--no-daemon",))]
        for watch in watches:
            self.addCleanup(watch.communicate)
            self.addCleanup(watch.kill)

        def told(wanted):
            lines = []
            for watch in watches:
                line = json.loads(watch.stdout.readline())
                while not wanted(line):
                    line = json.loads(watch.stdout.readline())
                lines.append({key: value for key, value in line.items()
                              if key not in ("at_ms", "events")})
            self.assertEqual(*lines)
        told(lambda line: line["kind"] == "focus")
        self.assertEqual(self.status()["watches"], 1)
        _control("set", "a new שלום")
        told(lambda line: line["kind"] == "text" and
             line["snapshot"]["value"] == "a new שלום" and
             line["snapshot"]["caret"] == 10)
        _control("select", "2", "5")
        told(lambda line: line["kind"] == "selection" and
             line["snapshot"]["selection"] == {"begin": 2, "end": 5})
        for watch in watches:
            watch.send_signal(signal.SIGINT)
            self.assertEqual(watch.wait(_PATIENCE), 0)
            self.assertEqual(watch.stderr.read(), b"")
        self.until(lambda status: status["watches"] == 0)

    def test_WatchEndsByCountTimeAndReader(self):
        self.assertEqual(len(self.both("watch", "--count", "1")[1]
                             .splitlines()), 1)
        self.assertEqual(self.both("watch", "--for", "50ms")[0], 0)

    def test_PausedItLetsGoOfEverything(self):
        self.assertEqual(_tactus("pause"), (0, "", ""))
        self.assertEqual(self.status()["accessibility_bus"], None)
        self.assertEqual(_tactus("snapshot")[0], 3)
        self.assertEqual(_tactus("snapshot", "--no-daemon")[0], 0)
        self.assertEqual(_tactus("resume"), (0, "", ""))
        self.assertEqual(self.result("snapshot")["value"], _held())


class Edit(_Case):
    def setUp(self):
        super().setUp()
        self.fill()

    def fill(self):
        self.assertEqual(_tactus("set", "one two three", "--no-daemon")[0], 0)

    def test_EditsEndAsThoseOfTheCommandAlone(self):
        for arguments in (("replace", "--range", "4:7", "Ω🙂"),
                          ("replace", "--old", "two", "2"),
                          ("insert", " four"), ("set", "geheim"),
                          ("replace", "--text", ""),
                          ("replace", "--range", "4:7", "--text", "")):
            for more in (), ("--json",):
                code, _, _ = self.both(*arguments, *more, before=self.fill)
                self.assertEqual(code, 0)
        self.both("set", text="שלום 🙂\nzwei\n".encode(), before=self.fill)
        self.assertEqual(_held(), "שלום 🙂\nzwei")

    def test_RefusalsAreTheSame(self):
        token = self.result("snapshot")["token"]
        self.result("insert", "x")
        for arguments in (("insert", "--snapshot", token, "geheim"),
                          ("set", "--expect", "another", "geheim"),
                          ("replace", "--old", "absent", "geheim"),
                          ("replace", "--range", "9:99", "geheim")):
            held = _held()
            for more in (), ("--json",):
                code, _, err = self.both(*arguments, *more)
                self.assertEqual(code, 1)
                self.assertNotIn("geheim", err)
            self.assertEqual(_held(), held)

    def test_UndoOfEitherTakesBackTheEditOfTheOther(self):
        self.result("set", "by the daemon")
        self.assertEqual(_tactus("undo", "--no-daemon")[0], 0)
        self.assertEqual(_held(), "one two three")
        _tactus("set", "by itself", "--no-daemon")
        self.assertEqual(self.result("undo")["outcome"], "verified")
        self.assertEqual(_held(), "one two three")
        self.assertEqual(self.both("undo", "--json")[0], 1)

    def test_StreamIsWrittenAsByTheCommandAlone(self):
        lines = ('the quick\nthe quiet\n{"final": "The quiet fox. "}\n'
                 'and\n{"cancel": true}\n{"nonsense"\nlast\n').encode()
        held = []
        for more in ("--no-daemon",), ():
            self.fill()
            stream = subprocess.Popen(
                [_TACTUS, "stream", "--deadline", "10s", *more],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            answers = []
            # One at a time, so that none is superseded.
            for line in lines.splitlines(keepends=True):
                stream.stdin.write(line)
                stream.stdin.flush()
                answers.append(_alike(stream.stdout.readline().decode()))
            stream.stdin.close()
            answers.append(_alike(stream.stdout.read().decode()))
            stream.stdout.close()
            held.append((answers, stream.wait(_PATIENCE), _held()))
            # All that the stream wrote in one piece, both of its finals.
            self.assertEqual(_tactus("undo")[0], 0)
            self.assertEqual(_held(), "one two three")
        self.assertEqual(held[1], held[0])
        self.assertEqual(held[0][1:], (1, "one two threeThe quiet fox. last"))

    def test_UserWhoEditsEndsTheStream(self):
        stream = subprocess.Popen([_TACTUS, "stream", "--deadline", "10s"],
                                  stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.addCleanup(stream.communicate)

        def told(line):
            stream.stdin.write(line.encode() + b"\n")
            stream.stdin.flush()
            answer = json.loads(stream.stdout.readline())
            return answer["outcome"], answer["reason"]
        self.assertEqual(told(" four"), ("verified", "none"))
        subprocess.run(["xdotool", "key", "--clearmodifiers", "x"],
                       check=True, timeout=_PATIENCE)
        end = time.monotonic() + _PATIENCE
        while _held() != "one two three fourx":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.assertEqual(told(" fourt"), ("refused", "text-changed"))
        self.assertEqual(told(" fourth"), ("refused", "ended"))
        self.assertEqual(_held(), "one two three fourx")

    def test_ClientThatIsKilledLeavesItsPartialToUndo(self):
        stream = subprocess.Popen([_TACTUS, "stream", "--deadline", "10s"],
                                  stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        self.addCleanup(stream.communicate)
        stream.stdin.write(b" four\n")
        stream.stdin.flush()
        self.assertEqual(json.loads(stream.stdout.readline())["outcome"],
                         "verified")
        stream.kill()
        self.until(lambda status: status["clients"] == 1)
        self.assertEqual(_held(), "one two three four")
        self.assertEqual(self.result("undo")["outcome"], "verified")
        self.assertEqual(_held(), "one two three")

    def test_TerminationFinishesTheEditThatHasBegun(self):
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        os.kill(mine, signal.SIGSTOP)
        try:
            edit = subprocess.Popen(
                [_TACTUS, "set", "finished soundly", "--deadline", "30s", "--json"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.until(lambda status: status["pending"] == 1)
            # It is in a lane; being taken from it takes no time to speak of.
            time.sleep(0.5)
            self.daemon.terminate()
            time.sleep(0.5)
        finally:
            os.kill(mine, signal.SIGCONT)
        out, _ = edit.communicate(timeout=_PATIENCE)
        self.assertEqual(json.loads(out)["outcome"], "verified")
        self.assertEqual(self.daemon.wait(_PATIENCE), 0)
        self.assertEqual(_held(), "finished soundly")


class Denied(_Case):
    def start(self):
        name = json.loads(_tactus("snapshot", "--json", "--no-daemon")[1])[
            "application"]["name"]
        folder = os.path.join(os.environ["HOME"], ".config/tactus")
        os.environ.pop("XDG_CONFIG_HOME", None)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "config.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"applications": {"deny": [name.upper()]}}, file)
        self.name = name
        return super().start()

    def test_DeniedApplicationIsNeitherReadNorEdited(self):
        held = _held()
        for arguments in (("snapshot",), ("insert", "geheim"),
                          ("set", "geheim", "--keystrokes"),
                          ("undo",)):
            code, out, err = self.both(*arguments)
            self.assertEqual(code, 1)
            self.assertNotIn(held, out + err)
        self.assertIn(self.name + " is denied by the configuration",
                      _tactus("snapshot")[2])
        code, out, _ = self.both("watch", "--text", "--count", "1")
        self.assertEqual(json.loads(out)["kind"], "no-focus")
        self.assertEqual(self.status()["denied"], [self.name.upper()])
        self.assertEqual(_held(), held)
        code, out, _ = _tactus("doctor")
        self.assertNotIn(held, out)
        self.assertIn("denies 1 application", out)


class Idle(_Case):
    def switches(self):
        """How often each thread has given the processor up by itself."""
        tasks = "/proc/%d/task" % self.daemon.pid
        counts = {}
        for task in os.listdir(tasks):
            with open("%s/%s/status" % (tasks, task),
                      encoding="utf-8") as file:
                counts[task] = int(re.search(
                    r"\nvoluntary_ctxt_switches:\t(\d+)",
                    file.read()).group(1))
        return counts

    def test_NothingWakesItWhereNothingHappens(self):
        self.result("snapshot")
        self.result("insert", "a")
        # What a desktop does by itself may wake it, and does so seldom; a timer
        # of the daemon's would wake it in each of these.
        for _ in range(10):
            before = self.switches()
            time.sleep(3)
            if self.switches() == before:
                return
        self.fail("woken in each of ten windows: %s" % self.switches())


class Lost(_Case):
    def end(self, daemon):
        daemon.terminate()
        self.assertEqual(daemon.wait(_PATIENCE), 0)

    def test_LossOfTheBusIsToldAndSurvived(self):
        address = self.status()["accessibility_bus"]
        path = re.search(r"unix:path=([^,;]*)", address).group(1)
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(path)
        # The process that listens there.
        pid, _, _ = struct.unpack("3i", bus.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        watch = subprocess.Popen([_TACTUS, "watch"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        self.addCleanup(watch.communicate)
        watch.stdout.readline()
        os.kill(pid, signal.SIGKILL)
        bus.close()
        self.until(lambda status: status["state"] != "connected" or
                   status["accessibility_bus"] != address)
        self.assertEqual(watch.wait(_PATIENCE), 1)
        self.assertIn(b"the accessibility bus ended", watch.stderr.read())
        self.assertIsNone(self.daemon.poll())
        code, _, err = _tactus("snapshot", "--deadline", "2s")
        self.assertIn(code, (0, 1, 3))
        if code:
            self.assertNotEqual(err, "")
        self.log.seek(0)
        self.assertIn("the accessibility bus ended", self.log.read())


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(
        globals()[sys.argv[3]])
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
