#!/usr/bin/python3
"""Files between two daemons on loopback: files_test.py TACTUSD TACTUS [ROUNDS].

What is asked, taken, refused and shown; and that a daemon which is killed at
any time, ROUNDS times, spoils nothing. No desktop is needed.
"""

import hashlib
import json
import os
import pty
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import peers_test

_ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
_PATIENCE = 60


def tree(folder):
    """All that is beneath `folder`: type, mode, time, content."""
    found = {}
    for path, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files:
            whole = os.path.join(path, name)
            info = os.lstat(whole)
            content = b""
            if os.path.islink(whole):
                content = os.readlink(whole)
            elif os.path.isfile(whole):
                with open(whole, "rb") as file:
                    content = hashlib.sha256(file.read()).digest()
            found[os.path.relpath(whole, os.fsencode(folder))] = (
                info.st_mode, info.st_mtime_ns, content)
    return found


class Receiving:
    """A `tactus receive` whose wish has been made; its errors on a terminal."""

    def __init__(self, test, device, *arguments, command=None,
                 stdout=subprocess.PIPE):
        self.shown = b""
        self.waiting = threading.Event()
        self.terminal, end = pty.openpty()
        command = command or [peers_test._TACTUS]
        self.process = subprocess.Popen(
            [*command, "receive", *arguments], env=device.environment,
            stdin=subprocess.DEVNULL, stdout=stdout, stderr=end)
        os.close(end)
        test.addCleanup(os.close, self.terminal)
        if self.process.stdout:
            test.addCleanup(self.process.stdout.close)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        test.addCleanup(self.reader.join, _PATIENCE)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        test.assertTrue(self.waiting.wait(_PATIENCE), self.shown)

    def _read(self):
        while True:
            try:
                part = os.read(self.terminal, 65536)
            except OSError:  # nobody has the other end any more
                return
            self.shown += part
            if b"waiting for laptop" in self.shown:
                self.waiting.set()

    def end(self):
        """The exit code, standard output, and what was said besides lines that
        were erased."""
        out, _ = self.process.communicate(timeout=_PATIENCE)
        self.reader.join(_PATIENCE)
        said = self.shown.decode().replace("\r\n", "\n")
        said = "\n".join(line.split("\r\x1b[K")[-1]
                         for line in said.split("\n"))
        return self.process.returncode, out, said


class Files(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.scratch = tempfile.mkdtemp(prefix="tactus-files", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.scratch, True)
        self.inbox = os.path.join(self.scratch, "inbox")
        self.source = os.path.join(self.scratch, "source")
        os.mkdir(self.inbox)
        os.mkdir(self.source)

    def finish(self, process):
        out, err = process.communicate(timeout=_PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def write(self, name, content):
        path = os.path.join(os.fsencode(self.source),
                            name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return os.fsdecode(path)

    def paired(self, policy=None):
        """The laptop sends, the desk receives."""
        config = {"listen": ["127.0.0.1:0"]}
        if policy is not None:
            config["peers"] = {"laptop": policy}
        desk = peers_test.Device(self, config)
        desk.environment["HOME"] = self.scratch
        desk.start()
        laptop = peers_test.Device(self).start()
        offer, code, at = desk.offer("--name", "laptop")
        done = laptop.tactus("pair", code, "--at", at, "--name", "desk")
        self.assertEqual((done[0], done[2]), (0, ""))
        self.assertEqual(self.finish(offer)[0], 0)
        # To be found where it was when it starts anew.
        config["listen"] = desk.status()["listening"]
        with open(os.path.join(desk.home, "c", "tactus", "config.json"), "w",
                  encoding="utf-8") as file:
            json.dump(config, file)
        return desk, laptop

    def accepting(self):
        return self.paired({"files": "accept", "folder": self.inbox})

    def begin(self, device, *arguments, stdin=subprocess.DEVNULL):
        process = subprocess.Popen([peers_test._TACTUS, "send", *arguments],
                                   env=device.environment, cwd=self.source,
                                   stdin=stdin, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_WhatIsAcceptedArrivesAndAPipeIsToldNothing(self):
        desk, laptop = self.accepting()
        self.write("t/a", b"a")
        self.write("t/d/b", b"b" * 100000)
        self.write(b"t/\xff", b"odd")
        os.symlink("a", os.path.join(self.source, "t", "link"))
        self.assertEqual(self.finish(self.begin(laptop, "t", "desk")),
                         (0, "", ""))
        self.assertEqual(tree(self.inbox), tree(self.source))
        # A second time nothing is sent, and a folder can be named.
        process = self.begin(laptop, "--json", "t/", "desk")
        code, out, err = self.finish(process)
        self.assertEqual((code, err), (0, ""))
        ended = json.loads(out.splitlines()[-1])
        self.assertEqual((ended["event"], ended["outcome"], ended["new"],
                          ended["kept"], ended["files"], ended["replaced"],
                          ended["left_out"], ended["peer"]),
                         ("ended", "done", 0, 100004, 3, 0, 0, "desk"))
        self.assertEqual(self.finish(
            self.begin(laptop, "t/a", "desk:x/y"))[0], 0)
        with open(os.path.join(self.inbox, "x", "y", "a"), "rb") as file:
            self.assertEqual(file.read(), b"a")
        self.assertEqual(desk.status()["moving"], [])
        log = "".join(desk.logged + laptop.logged)
        self.assertIn("received 3 files, 100004 bytes from laptop: done", log)
        self.assertNotIn("link", log)

    def test_DigestIsThatOfSha256sum(self):
        _, laptop = self.accepting()
        self.write("f", b"abc")
        code, out, err = self.finish(
            self.begin(laptop, "--sha256", "f", "desk"))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, hashlib.sha256(b"abc").hexdigest() + "  f\n")

    def test_StandardInputGoesIntoAFile(self):
        desk, laptop = self.accepting()
        process = self.begin(laptop, "-", "desk", "--name", "log",
                             stdin=subprocess.PIPE)
        content = os.urandom(3000001)
        process.stdin.write(content)
        process.stdin.flush()
        desk.until(lambda s: s["moving"] and s["moving"][0]["bytes"] > 0)
        moving = desk.status()["moving"][0]
        self.assertEqual((moving["peer"], moving["direction"],
                          moving["total_bytes"], moving["percent"]),
                         ("laptop", "receive", None, None))
        code, out, err = desk.tactus("status")
        self.assertRegex(out, r"(?m)^moving       number \d+, from laptop, ")
        process.stdin.close()
        process.stdin = None
        self.assertEqual(self.finish(process), (0, "", ""))
        with open(os.path.join(self.inbox, "log"), "rb") as file:
            self.assertEqual(file.read(), content)

    def test_AClientThatIsKilledLeavesNoHalfFile(self):
        desk, laptop = self.accepting()
        process = self.begin(laptop, "-", "desk", "--name", "log",
                             stdin=subprocess.PIPE)
        process.stdin.write(b"half")
        process.stdin.flush()
        desk.until(lambda s: s["moving"])
        process.kill()
        process.wait(_PATIENCE)
        process.stdin.close()
        desk.until(lambda s: not s["moving"])
        self.assertEqual(os.listdir(self.inbox), [])

    def test_APersonIsAskedAndAnswers(self):
        desk, laptop = self.paired()
        self.write("holiday/1", b"x" * 5)
        process = self.begin(laptop, "holiday", "desk")
        waiting = desk.until(lambda s: s["waiting"])["waiting"][0]
        self.assertEqual((waiting["peer"], waiting["kind"]),
                         ("laptop", "files"))
        self.assertEqual(waiting["text"],
                         "holiday, 1 files, 5 bytes, into %s/Downloads"
                         % self.scratch)
        self.assertEqual(
            desk.tactus("approve", str(waiting["id"])), (0, "", ""))
        self.assertEqual(self.finish(process), (0, "", ""))
        self.assertEqual(
            tree(os.path.join(self.scratch, "Downloads"))[b"holiday/1"][2],
            hashlib.sha256(b"x" * 5).digest())

        process = self.begin(laptop, "holiday", "desk")
        waiting = desk.until(lambda s: s["waiting"])["waiting"][0]
        self.assertEqual(desk.tactus("approve", str(waiting["id"]),
                                     "--refuse"), (0, "", ""))
        self.assertEqual(
            self.finish(process),
            (1, "", "tactus: refused: it was refused there\n"))

    def test_WhatIsRefusedIsSaidAndWhoIsNotPairedIsNotKnown(self):
        _, laptop = self.paired({"files": "refuse"})
        self.write("f", b"x")
        code, out, err = self.finish(self.begin(laptop, "f", "desk"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("takes no files from that one", err)
        code, out, err = self.finish(self.begin(laptop, "f", "phone"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("phone", err)
        code, out, err = self.finish(self.begin(laptop, "none", "desk"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("none", err)

    def test_OneFileOrPipeGoesToStandardOutputAndNobodyIsAsked(self):
        desk, laptop = self.paired()
        for content in (b"", b"x", os.urandom(8 << 20)):
            for pipe in (True, False):
                path = self.write("f", content)
                receiving = Receiving(self, desk, "laptop")
                with open(path, "rb") as file:
                    sending = self.begin(laptop, "-" if pipe else "f", "desk",
                                         stdin=file)
                code, out, said = receiving.end()
                self.assertEqual((code, said), (0, ""))
                self.assertTrue(out == content, len(out))
                self.assertEqual(self.finish(sending), (0, "", ""))
        self.assertEqual(desk.status()["waiting"], [])
        self.assertEqual(desk.status()["moving"], [])
        self.assertFalse(os.path.exists(
            os.path.join(self.scratch, "Downloads")))

    def test_AReaderThatGoesAwayEndsItForBothSides(self):
        desk, laptop = self.accepting()
        self.write("f", os.urandom(8 << 20))
        receiving = Receiving(self, desk, "laptop")
        sending = self.begin(laptop, "f", "desk")
        self.assertEqual(len(receiving.process.stdout.read(1000)), 1000)
        receiving.process.stdout.close()
        receiving.process.stdout = None
        code, _, said = receiving.end()
        self.assertEqual(code, 1)
        self.assertRegex(said, "^tactus: failed: (nobody reads|cannot write) ")
        self.assertIn("is not all of it", said)
        code, out, err = self.finish(sending)
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, "^tactus: failed: (nobody reads|cannot write) ")
        self.assertEqual(os.listdir(self.inbox), [])

    def test_AReaderThatHadGoneBeforeIsNoReader(self):
        desk, laptop = self.accepting()
        self.write("f", b"x")
        receiving = Receiving(self, desk, "laptop")
        receiving.process.stdout.close()
        receiving.process.stdout = None
        # The peer's file goes where it would without the command.
        self.assertEqual(self.finish(self.begin(laptop, "f", "desk")),
                         (0, "", ""))
        code, _, said = receiving.end()
        self.assertEqual(code, 1)
        self.assertIn("nobody reads standard output any more", said)
        self.assertEqual(tree(self.inbox), tree(self.source))

    def test_AllButOneFileGoesWhereItWouldMeanwhile(self):
        desk, laptop = self.accepting()
        self.write("d/a", b"a")
        self.write("d/b", b"b")
        self.write("c", b"c")
        self.write("e", b"e")
        receiving = Receiving(self, desk, "laptop")
        for sent in (["d"], ["c", "e"]):
            self.assertEqual(self.finish(self.begin(laptop, *sent, "desk")),
                             (0, "", ""))
        self.assertEqual(tree(self.inbox), tree(self.source))
        self.write("f", b"f")
        self.assertEqual(self.finish(self.begin(laptop, "f", "desk:x")),
                         (0, "", ""))
        self.assertEqual(receiving.end(), (0, b"f", ""))
        # And the next one again.
        self.assertFalse(os.path.exists(os.path.join(self.inbox, "x")))
        self.assertEqual(self.finish(self.begin(laptop, "f", "desk")),
                         (0, "", ""))
        self.assertEqual(tree(self.inbox), tree(self.source))

    def test_AFolderOfOneFileFailsForBothSidesAndWritesNothing(self):
        desk, laptop = self.accepting()
        self.write("d/f", b"f")
        receiving = Receiving(self, desk, "laptop")
        code, out, err = self.finish(self.begin(laptop, "d", "desk"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("a folder or a second file", err)
        code, out, said = receiving.end()
        self.assertEqual((code, out), (1, b""))
        self.assertIn("a folder or a second file", said)
        self.assertEqual(os.listdir(self.inbox), [])

    def test_CtrlCTakesTheWishBackAndOneWaitsForEachPeer(self):
        desk, laptop = self.accepting()
        self.write("f", b"f")
        receiving = Receiving(self, desk, "laptop")
        code, out, err = desk.tactus("receive", "laptop")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("another command waits for what laptop sends", err)
        receiving.process.send_signal(signal.SIGINT)
        code, out, said = receiving.end()
        self.assertEqual((code, out), (4, b""))
        self.assertIn("interrupted", said)
        desk.until(lambda s: s["pending"] == 0)
        code, out, err = desk.tactus("receive", "laptop", "--deadline", "10ms")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("laptop offered no single file in time", err)
        self.assertEqual(self.finish(self.begin(laptop, "f", "desk")),
                         (0, "", ""))
        self.assertEqual(tree(self.inbox), tree(self.source))
        code, out, err = desk.tactus("receive", "phone")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("phone", err)

    def test_CtrlCAmidItEndsItForBothSides(self):
        desk, laptop = self.accepting()
        receiving = Receiving(self, desk, "laptop")
        sending = self.begin(laptop, "-", "desk", stdin=subprocess.PIPE)
        sending.stdin.write(b"half")
        sending.stdin.flush()
        self.assertEqual(receiving.process.stdout.read(4), b"half")
        receiving.process.send_signal(signal.SIGINT)
        code, out, said = receiving.end()
        self.assertEqual((code, out), (4, b""))
        self.assertIn("interrupted", said)
        code, out, err = self.finish(sending)
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(err, "^tactus: (failed|cancelled): ")
        self.assertEqual(os.listdir(self.inbox), [])

    def test_CtrlCEndsItAlsoWhileNobodyReads(self):
        desk, laptop = self.accepting()
        self.write("f", os.urandom(32 << 20))
        receiving = Receiving(self, desk, "laptop")
        sending = self.begin(laptop, "f", "desk")
        desk.until(lambda s: s["moving"] and s["moving"][0]["bytes"] > 0)
        receiving.process.send_signal(signal.SIGINT)
        self.assertEqual(receiving.process.wait(_PATIENCE), 4)
        desk.until(lambda s: not s["moving"])
        self.assertEqual(
            self.finish(sending),
            (1, "", "tactus: cancelled: it was cancelled by the receiver\n"))
        self.assertEqual(os.listdir(self.inbox), [])

    def test_ADaemonThatEndsEndsWhatWasWishedOfIt(self):
        desk, laptop = self.accepting()
        receiving = Receiving(self, desk, "laptop")
        desk.stop()
        code, out, said = receiving.end()
        self.assertEqual((code, out), (1, b""))
        self.assertIn("the daemon is ending", said)
        desk.start()
        receiving = Receiving(self, desk, "laptop")
        sending = self.begin(laptop, "-", "desk", stdin=subprocess.PIPE)
        sending.stdin.write(b"half")
        sending.stdin.flush()
        self.assertEqual(receiving.process.stdout.read(4), b"half")
        desk.stop()
        code, out, said = receiving.end()
        self.assertEqual((code, out), (1, b""))
        self.assertIn("is not all of it", said)
        # It learns that at once, or once all was sent and nobody can be asked.
        self.assertIn(self.finish(sending)[0], (1, 4))

    def test_AFileIsGoneOnWithWhereItIs(self):
        desk, laptop = self.accepting()
        self.write("f", b"middle\n")
        for mode in ("wb", "ab"):
            path = os.path.join(self.scratch, "out")
            with open(path, mode) as file:
                receiving = Receiving(
                    self, desk, "laptop", stdout=file,
                    command=["sh", "-c", 'echo head; "$0" "$@"; echo tail',
                             peers_test._TACTUS])
                self.assertEqual(
                    self.finish(self.begin(laptop, "f", "desk")), (0, "", ""))
                self.assertEqual(receiving.end()[0], 0)
            with open(path, "rb") as file:
                self.assertEqual(
                    file.read(),
                    b"head\nmiddle\ntail\n" * (1 if mode == "wb" else 2))

    def test_StatusListsWhoWaitsForAFile(self):
        desk, laptop = self.accepting()
        self.assertEqual(desk.status()["receiving"], [])
        receiving = Receiving(self, desk, "laptop")
        self.assertEqual(desk.status()["receiving"],
                         [{"peer": "laptop", "left_ms": None}])
        self.assertIn("\nreceive      waits for the next file of laptop\n",
                      desk.tactus("status")[1])
        self.write("f", b"abc")
        self.assertEqual(self.finish(self.begin(laptop, "f", "desk"))[0], 0)
        self.assertEqual(receiving.end()[:2], (0, b"abc"))
        self.assertEqual(desk.status()["receiving"], [])
        receiving = Receiving(self, desk, "laptop", "--deadline", "1h")
        left = desk.status()["receiving"][0]["left_ms"]
        self.assertTrue(0 < left <= 3600000, left)
        receiving.process.kill()
        desk.until(lambda s: not s["receiving"])

    def test_BytesOfAPeerDoNotGoToATerminal(self):
        desk, _ = self.paired()
        shown, code = self.on_terminal(desk, "receive", "laptop")
        self.assertEqual(code, 3)
        self.assertIn(b"standard output is a terminal", shown)

    def on_terminal(self, device, *arguments):
        """What a terminal is shown, and the exit code."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.source)
            os.execve(peers_test._TACTUS,
                      [peers_test._TACTUS, *arguments], device.environment)
        shown = b""
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([terminal], [], [], 1)
            if not ready:
                continue
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(terminal)
        return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def test_NamesDoNothingToATerminal(self):
        desk, laptop = self.paired()
        evil = b"\x1b]0;owned\x07\x1b[2J\r\xe2\x80\xae\x9b31m"
        self.write(evil + b"/" + evil, b"x")
        os.symlink(b"/etc/" + evil,
                   os.path.join(os.fsencode(self.source), evil, b"l" + evil))
        shown = {}

        def send():
            shown["sent"] = self.on_terminal(
                laptop, "send", "--sha256", os.fsdecode(evil), "desk")
        thread = threading.Thread(target=send)
        thread.start()
        waiting = desk.until(lambda s: s["waiting"])["waiting"][0]
        shown["status"] = self.on_terminal(desk, "status")
        self.assertEqual(desk.tactus("approve", str(waiting["id"]))[0], 0)
        thread.join(_PATIENCE)
        self.assertEqual(shown["sent"][1], 5)
        self.assertIn(b"left out", shown["sent"][0])
        self.assertIn(b"waiting", shown["status"][0])
        for text, _ in shown.values():
            # What the command itself does: erases its line.
            text = text.replace(b"\r\x1b[K", b"").replace(b"\r\n", b"\n")
            text = text.decode()  # and is UTF-8
            for character in text:
                self.assertTrue(character == "\n" or character.isprintable(),
                                repr(text))

    def bench(self, device, *arguments):
        code, out, err = device.tactus("bench", "desk", "--max-size", "1",
                                       "--rounds", "1", "--json", *arguments)
        return code, json.loads(out) if out else None, err

    def test_BenchMeasuresAndLeavesNothingOnEitherDevice(self):
        desk, laptop = self.accepting()
        code, told, err = self.bench(laptop)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual((told["schema"], told["peer"], told["recorded"]),
                         ("tactus.bench/1", "desk", 0))
        found = {(one["series"], one["configuration"].get("size"),
                  one["configuration"].get("instrument")): one
                 for one in told["series"]}
        self.assertEqual({key: one["n"] for key, one in found.items()}, {
            ("bench/round_trip", None, None): 200,
            ("bench/first_byte", None, None): 20,
            ("bench/seconds", "1 MiB", "sender"): 1,
            ("bench/rate", "1 MiB", "sender"): 1,
            ("bench/seconds", "1 MiB", "both ends"): 1,
            ("bench/rate", "1 MiB", "both ends"): 1})
        for one in found.values():
            self.assertEqual(one["failures"], 0)
            self.assertGreater(min(one["samples"]), 0)
        # What the daemons see lies within what the command does.
        self.assertLess(
            found["bench/seconds", "1 MiB", "both ends"]["samples"][0],
            found["bench/seconds", "1 MiB", "sender"]["samples"][0])
        self.assertEqual(os.listdir(self.inbox), [])
        self.assertEqual(desk.status()["moving"], [])
        # Its id will do, and people get rows.
        code, out, err = laptop.tactus(
            "bench", desk.status()["device"]["id"].lower(), "--max-size", "4",
            "--rounds", "2")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"(?m)^round trip   median [0-9.]+ ms, p95 "
                         r"[0-9.]+ ms, 200 samples$")
        self.assertRegex(out, r"(?m)^4 MiB        both ends, median ")
        self.assertRegex(out, r"(?m)^sender       (fixed|no fixed)")

    def test_BenchIsWhatThePolicyForFilesSays(self):
        _, laptop = self.paired({"files": "refuse"})
        code, told, err = self.bench(laptop)
        self.assertEqual((code, told), (1, None))
        self.assertIn("takes no files from that one", err)
        code, out, err = laptop.tactus("bench", "nobody")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no peer is called 'nobody'", err)

    def test_APersonIsAskedOnceForABenchAndNotForItsFiles(self):
        desk, laptop = self.paired()
        answer = {}

        def bench():
            answer["is"] = self.bench(laptop)
        thread = threading.Thread(target=bench)
        thread.start()
        waiting = desk.until(lambda s: s["waiting"])["waiting"]
        self.assertEqual([(one["peer"], one["kind"]) for one in waiting],
                         [("laptop", "bench")])
        self.assertIn("nothing is kept", waiting[0]["text"])
        self.assertEqual(desk.tactus("approve", str(waiting[0]["id"]))[0], 0)
        thread.join(_PATIENCE)
        self.assertEqual((answer["is"][0], answer["is"][2]), (0, ""))
        # That was said of no file that is kept.
        self.write("f", b"abc")
        sending = self.begin(laptop, "f", "desk")
        waiting = desk.until(lambda s: s["waiting"])["waiting"]
        self.assertEqual(waiting[0]["kind"], "files")
        self.assertEqual(
            desk.tactus("approve", str(waiting[0]["id"]), "--refuse")[0], 0)
        self.assertEqual(self.finish(sending)[0], 1)

    def ask(self, device, method, params):
        """A request and its answer, past `tactus`."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(_PATIENCE)
            client.connect(os.path.join(device.home, "tactus", "control.sock"))
            client.sendall(json.dumps(
                {"jsonrpc": "2.0", "id": 1, "method": method,
                 "params": params}).encode() + b"\n")
            for line in client.makefile("rb"):
                answer = json.loads(line)
                if answer.get("id") == 1:
                    return answer
        raise AssertionError("the daemon closed")

    def test_WhatIsSentToNothingIsOneFileAndNotTooLarge(self):
        desk, laptop = self.accepting()
        large = self.write("large", b"")
        os.truncate(large, (128 << 20) + 1)
        self.write("folder/f", b"x")
        small = self.write("small", b"x")
        for paths in ([large], [os.path.join(self.source, "folder"), small]):
            result = self.ask(laptop, "files.send", {
                "peer": "desk", "paths": paths, "discard": True})["result"]
            self.assertEqual(result["outcome"], "refused")
            self.assertIn("only one file of at most 134217728 bytes",
                          result["reason"])
        # A folder of one file looks like that file, until it comes.
        result = self.ask(laptop, "files.send", {
            "peer": "desk", "paths": [os.path.join(self.source, "folder")],
            "discard": True})["result"]
        self.assertEqual(result["outcome"], "failed")
        result = self.ask(laptop, "files.send", {
            "peer": "desk", "paths": [small], "discard": True})["result"]
        self.assertEqual((result["outcome"], result["bytes"]), ("done", 1))
        self.assertEqual(os.listdir(self.inbox), [])
        # The same goes to a folder where it is not said.
        self.assertEqual(self.finish(self.begin(laptop, "small", "desk"))[0], 0)
        self.assertEqual(os.listdir(self.inbox), ["small"])

    def test_WhatIsNotOptimizedIsNotRecordedAndRowsAreWhole(self):
        _, laptop = self.accepting()
        ledger = os.path.join(self.scratch, "ledger")
        os.mkdir(ledger)
        code, told, err = self.bench(laptop, "--record", ledger)
        if code == 3:
            # Told before anything is measured.
            self.assertIn("not optimized", err)
            self.assertEqual(os.listdir(ledger), [])
            return
        self.assertEqual((code, err, told["recorded"]), (0, "", 6))
        rows = []
        for name in os.listdir(ledger):
            with open(os.path.join(ledger, name), encoding="utf-8") as file:
                rows += [json.loads(line) for line in file]
        self.assertEqual(len(rows), 6)
        for row, one in zip(rows, told["series"]):
            self.assertEqual(row["instrument"]["name"], "//tools/tactus:bench")
            self.assertEqual(row["series"], one["series"])
            self.assertEqual(row["samples"], one["samples"])
            pair = row["configuration"].pop("pair")
            self.assertRegex(pair, "^[0-9a-f]{16}$")
            self.assertEqual(row["configuration"], one["configuration"])

    def test_ReceiverThatStopsAndStartsIsGoneOnWith(self):
        desk, laptop = self.accepting()
        self.write("f", os.urandom(64 << 20))
        process = self.begin(laptop, "--json", "f", "desk")
        # In the midst, as far as the machine lets us.
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] == "ended" or event.get("bytes", 0) > 4 << 20:
                break
        desk.stop()
        desk.start()
        code, out, err = self.finish(process)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(tree(self.inbox), tree(self.source))

    def test_KilledAtAnyTimeItEndsInAWholeFile(self):
        desk, laptop = self.accepting()
        seed = random.randrange(1 << 32)
        print("seed", seed, flush=True)
        chance = random.Random(seed)
        for i in range(200):
            self.write("t/small/%d" % i, b"%d" % i * 50)
        took = 0.5
        for i in range(_ROUNDS):
            self.write("t/big", os.urandom(16 << 20))
            process = self.begin(laptop, "t", "desk")
            time.sleep(chance.random() * took)
            victim = chance.choice([desk, laptop])
            victim.daemon.kill()
            victim.daemon.wait(_PATIENCE)
            if victim is laptop:
                # It had ended, had not begun, or nobody can know.
                self.assertIn(self.finish(process)[0], (0, 1, 3, 4))
            # Under its name there is a whole file, or none.
            if i > 0:
                self.assertIn(
                    os.path.getsize(os.path.join(self.inbox, "t", "big")),
                    (16 << 20,))
            victim.start()
            if victim is desk:
                code, out, err = self.finish(process)
                self.assertEqual(code, 0, err)
            begun = time.monotonic()
            code, out, err = self.finish(self.begin(laptop, "t", "desk"))
            took = max(took, time.monotonic() - begun)
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(tree(self.inbox), tree(self.source))


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Files)
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
