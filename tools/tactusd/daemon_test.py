#!/usr/bin/python3
"""Runs `tactusd` where there is no desktop: daemon_test.py TACTUSD TACTUS.

How it starts, who may talk to it, what the command does with it, how it ends.
"""

import json
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

_TACTUSD = os.path.abspath(sys.argv[1])
_TACTUS = os.path.abspath(sys.argv[2])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60


class Daemon(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Short, since the name of a socket must be.
        self.runtime = tempfile.mkdtemp(prefix="tactus", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.runtime, True)
        self.folder = os.path.join(self.runtime, "tactus")
        self.path = os.path.join(self.folder, "control.sock")
        self.environment = {"XDG_RUNTIME_DIR": self.runtime,
                            "XDG_CONFIG_HOME": self.runtime}

    def start(self, *command, **arguments):
        process = subprocess.Popen(command or [_TACTUSD],
                                   env=self.environment,
                                   stderr=subprocess.PIPE, **arguments)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def ready(self, *command, **arguments):
        process = self.start(*command, **arguments)
        line = process.stderr.readline().decode()
        while line and "ready" not in line:
            line = process.stderr.readline().decode()
        self.assertIn("ready", line)
        return process

    def run_tactusd(self):
        """(exit code, standard error) of one that is to end by itself."""
        done = subprocess.run([_TACTUSD], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=_PATIENCE)
        self.assertEqual(done.stdout, b"")
        return done.returncode, done.stderr.decode()

    def tactus(self, *arguments, text=b""):
        done = subprocess.run([_TACTUS, *arguments], env=self.environment,
                              input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=_PATIENCE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def connect(self):
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(_PATIENCE)
        client.connect(self.path)
        return client

    def ask(self, client, line):
        client.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            part = client.recv(65536)
            self.assertTrue(part, "the daemon closed the connection")
            answer += part
        return json.loads(answer)

    def end(self, process, code=0):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(_PATIENCE), code)

    def test_HelpAndVersionNeedNothing(self):
        for argument, begin in (("--help", "usage: tactusd"),
                                ("--version", "tactusd ")):
            done = subprocess.run([_TACTUSD, argument], env={}, check=True,
                                  stdout=subprocess.PIPE)
            self.assertTrue(done.stdout.decode().startswith(begin))
        self.assertEqual(subprocess.run(
            [_TACTUSD, "--nonsense"], env={},
            stderr=subprocess.DEVNULL).returncode, 2)

    def test_WithoutARuntimeFolderItSaysSo(self):
        del self.environment["XDG_RUNTIME_DIR"]
        code, err = self.run_tactusd()
        self.assertEqual(code, 3)
        self.assertIn("XDG_RUNTIME_DIR is not set", err)

    def test_SocketIsForItsOwnerAloneAndGoesWithTheDaemon(self):
        daemon = self.ready()
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)
        self.end(daemon)
        self.assertFalse(os.path.exists(self.path))

    def test_DaemonHasMoreDescriptorsThanASessionGives(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        daemon = self.ready(preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (256, hard)))
        self.assertEqual(
            resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE),
            (min(8192, hard) if hard != resource.RLIM_INFINITY else 8192, hard))
        self.end(daemon)

    def test_SecondDaemonIsRefusedWithTheFirstsProcess(self):
        daemon = self.ready()
        code, err = self.run_tactusd()
        self.assertEqual(code, 3)
        self.assertIn("a daemon runs already: process %d" % daemon.pid, err)
        status = self.ask(self.connect(),
                          '{"jsonrpc":"2.0","id":1,"method":"status"}')
        self.assertEqual(status["result"]["pid"], daemon.pid)

    def test_SocketOfAKilledDaemonIsReplaced(self):
        daemon = self.ready()
        daemon.kill()
        daemon.wait(_PATIENCE)
        self.assertTrue(os.path.exists(self.path))
        self.assertEqual(self.tactus("status")[0], 3)
        self.end(self.ready())

    def test_FolderThatOthersMayEnterIsRefusedByBoth(self):
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o755)
        code, err = self.run_tactusd()
        self.assertEqual(code, 3)
        self.assertIn("is not a folder of yours alone", err)
        for command in ("snapshot", "status"):
            code, out, err = self.tactus(command)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("is not a folder of yours alone", err)

    def test_WrongConfigurationIsNamedWithItsLine(self):
        os.mkdir(self.folder, 0o700)
        config = os.path.join(self.folder, "config.json")
        with open(config, "w", encoding="utf-8") as file:
            file.write('{\n  "aplications": {}\n}\n')
        os.chmod(config, 0o600)
        code, err = self.run_tactusd()
        self.assertEqual(code, 3)
        self.assertIn(config + ':2: the key "aplications" is not known', err)
        code, _, err = self.tactus("snapshot")
        self.assertEqual(code, 3)
        self.assertIn(':2: the key "aplications" is not known', err)

    def test_CommandsEndAlikeWithAndWithoutADaemon(self):
        alone = {}
        commands = (["snapshot"], ["snapshot", "--json"], ["insert", "geheim"],
                    ["undo", "--json"], ["set", "--text", ""], ["stream"],
                    ["watch", "--count", "1"])
        for command in commands:
            alone[tuple(command)] = self.tactus(*command)
        self.ready()
        for command in commands:
            code, out, err = self.tactus(*command)
            self.assertEqual((code, out), alone[tuple(command)][:2], command)
            self.assertEqual(code, 3)
            self.assertEqual(err, alone[tuple(command)][2])
            self.assertNotIn("geheim", err)
            self.assertEqual(self.tactus(*command, "--no-daemon"),
                             alone[tuple(command)])

    def test_StatusSaysWhatIsMissing(self):
        daemon = self.ready()
        end = time.monotonic() + _PATIENCE
        while True:
            code, out, err = self.tactus("status", "--json")
            self.assertEqual((code, err), (0, ""))
            status = json.loads(out)
            if status["state"] == "disconnected":
                break
            self.assertLess(time.monotonic(), end)
        self.assertEqual(status["pid"], daemon.pid)
        self.assertIn("no session bus", status["why"])
        code, out, _ = self.tactus("status")
        self.assertEqual(code, 0)
        self.assertIn("\nstate        disconnected: ", out)

    def test_PausedCommandsSayHowToGoOn(self):
        self.ready()
        self.assertEqual(self.tactus("pause"), (0, "", ""))
        for command in ["snapshot"], ["insert", "a"], ["stream"], ["watch"]:
            code, out, err = self.tactus(*command)
            self.assertEqual((code, out), (3, ""), command)
            self.assertIn("tactus resume", err)
        self.assertEqual(self.tactus("resume"), (0, "", ""))
        self.assertNotIn("paused", self.tactus("status")[1])

    def test_WithoutADaemonStatusSaysHowToStartOne(self):
        for command in "status", "pause", "resume":
            code, out, err = self.tactus(command)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("no daemon runs: start `tactusd`", err)

    def listening(self):
        os.makedirs(self.folder, 0o700, exist_ok=True)
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.settimeout(_PATIENCE)
        server.bind(self.path)
        server.listen(8)
        return server

    def answered(self, *answers):
        """What `tactus snapshot` does where a daemon says `answers`."""
        server = self.listening()
        command = subprocess.Popen([_TACTUS, "snapshot", "--deadline", "1s"],
                                   env=self.environment,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        client, _ = server.accept()
        with client:
            for answer in answers:
                client.recv(65536)
                client.sendall(answer + b"\n")
            out, err = command.communicate(timeout=_PATIENCE)
        self.assertEqual(out, b"")
        return command.returncode, err.decode()

    def test_DaemonOfAnotherVersionIsToldWithTheRemedy(self):
        code, err = self.answered(
            b'{"jsonrpc":"2.0","id":1,"result":'
            b'{"version":"9.9.9","pid":77}}')
        self.assertEqual(code, 3)
        self.assertIn("process 77, is of version 9.9.9", err)
        self.assertIn("--no-daemon", err)

    def greeting(self, **members):
        """What a daemon of the right version answers first."""
        version = subprocess.run([_TACTUS, "--version"], check=True,
                                 stdout=subprocess.PIPE).stdout.split()[1]
        return json.dumps({"jsonrpc": "2.0", "id": 1, "result": {
            "version": version.decode(), "pid": 1, **members}}).encode()

    def test_DaemonOfAnotherDisplayIsDoneWithout(self):
        self.environment["DISPLAY"] = ":98"
        code, err = self.answered(self.greeting(display=":97"))
        self.assertEqual(code, 3)
        self.assertIn("no session bus", err)
        os.unlink(self.path)
        code, err = self.answered(self.greeting(display=":98"))
        self.assertEqual(code, 1)
        self.assertIn("the daemon does not answer", err)

    def test_DaemonThatHangsIsTold(self):
        code, err = self.answered()
        self.assertEqual(code, 1)
        self.assertIn("the daemon does not answer: `--no-daemon`", err)

    def test_NonsenseInPlaceOfADaemonIsTold(self):
        code, err = self.answered(b"nonsense")
        self.assertEqual(code, 1)
        self.assertIn("is no daemon of Tactus", err)

    def test_EditOfWhichNothingMoreIsHeardIsUnknown(self):
        server = self.listening()
        command = subprocess.Popen([_TACTUS, "insert", "geheim", "--json"],
                                   env=self.environment,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        client, _ = server.accept()
        with client:
            client.recv(65536)
            client.sendall(self.greeting() + b"\n")
            self.assertIn(b'"text":"geheim"', client.recv(65536))
        out, err = command.communicate(timeout=_PATIENCE)
        edit = json.loads(out)
        self.assertEqual((command.returncode, edit["outcome"], edit["reason"]),
                         (4, "unknown", "no-reply"))
        self.assertNotIn(b"geheim", err)

    def activated(self, server):
        """tactusd as systemd starts it, with `server` as its socket."""
        def third():
            os.dup2(server.fileno(), 3)
            # Where it was 3 before, it is to be closed still.
            os.set_inheritable(3, True)
        # Its own process id is not known before.
        return self.ready("/bin/sh", "-c",
                          'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0"', _TACTUSD,
                          close_fds=False, preexec_fn=third)

    def test_SocketOfTheServiceManagerIsServedAndLeft(self):
        server = self.listening()
        # Who connects before it is started waits, and is answered.
        client = self.connect()
        client.sendall(b'{"jsonrpc":"2.0","id":1,"method":"status"}\n')
        daemon = self.activated(server)
        status = json.loads(client.makefile().readline())["result"]
        self.assertEqual((status["activated"], status["pid"]),
                         (True, daemon.pid))
        self.end(daemon)
        self.assertTrue(os.path.exists(self.path))
        self.end(self.activated(server))

    def test_SocketThatTheServiceManagerHoldsIsNotTakenFromIt(self):
        self.listening()
        code, err = self.run_tactusd()
        self.assertEqual(code, 3)
        self.assertIn("is listened on already, by process %d" % os.getpid(),
                      err)
        self.assertTrue(os.path.exists(self.path))

    def test_UnitsNameTheSameSocketAndASessionThatTheyEndWith(self):
        folder = os.path.dirname(os.path.realpath(__file__))
        with open(os.path.join(folder, "tactusd.socket"),
                  encoding="utf-8") as file:
            unit = file.read()
        self.assertIn("\nListenStream=%t/tactus/control.sock\n", unit)
        self.assertIn("\nSocketMode=0600\n", unit)
        self.assertIn("\nDirectoryMode=0700\n", unit)
        with open(os.path.join(folder, "tactusd.service"),
                  encoding="utf-8") as file:
            service = file.read()
        for text in unit, service:
            self.assertIn("\nPartOf=graphical-session.target\n", text)


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Daemon)
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
