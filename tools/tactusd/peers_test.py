#!/usr/bin/python3
"""Two daemons with homes of their own, on loopback: peers_test.py TACTUSD TACTUS.

How they pair, who is refused, what is told. No desktop is needed.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

_TACTUSD = os.path.abspath(sys.argv[1])
_TACTUS = os.path.abspath(sys.argv[2])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60


class Device:
    """A home, and the daemon that runs in it."""

    def __init__(self, test, config=None):
        self.test = test
        # Short, since the name of a socket must be.
        self.home = tempfile.mkdtemp(prefix="tactus", dir="/tmp")
        test.addCleanup(shutil.rmtree, self.home, True)
        self.state = os.path.join(self.home, "state", "tactus")
        self.environment = {"XDG_RUNTIME_DIR": self.home,
                            "XDG_CONFIG_HOME": os.path.join(self.home, "c"),
                            "XDG_STATE_HOME": os.path.dirname(self.state),
                            # Not that of this machine.
                            "DBUS_SYSTEM_BUS_ADDRESS":
                            "unix:path=" + os.path.join(self.home, "no-bus")}
        folder = os.path.join(self.home, "c", "tactus")
        os.makedirs(folder)
        path = os.path.join(folder, "config.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config or {"listen": ["127.0.0.1:0"]}, file)
        os.chmod(path, 0o600)
        self.daemon = None
        self.logged = []

    def start(self):
        self.daemon = subprocess.Popen([_TACTUSD], env=self.environment,
                                       stderr=subprocess.PIPE)
        daemon = self.daemon
        self.test.addCleanup(daemon.stderr.close)
        self.test.addCleanup(daemon.wait)
        self.test.addCleanup(daemon.kill)
        ready = threading.Event()

        def read():
            for line in daemon.stderr:
                self.logged.append(line.decode())
                if ": ready" in self.logged[-1]:
                    ready.set()
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        # It is done before the pipe is closed: cleanups run last to first.
        self.test.addCleanup(reader.join)
        self.test.addCleanup(daemon.kill)
        self.test.assertTrue(ready.wait(_PATIENCE), self.logged)
        return self

    def stop(self):
        self.daemon.send_signal(signal.SIGTERM)
        self.test.assertEqual(self.daemon.wait(_PATIENCE), 0)

    def tactus(self, *arguments):
        done = subprocess.run([_TACTUS, *arguments], env=self.environment,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=_PATIENCE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def status(self):
        code, out, err = self.tactus("status", "--json")
        self.test.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def peers(self):
        return {peer["name"]: peer for peer in self.status()["peers"]}

    def until(self, what):
        """The first status of which `what` is so."""
        end = time.monotonic() + _PATIENCE
        while True:
            status = self.status()
            if what(status):
                return status
            self.test.assertLess(time.monotonic(), end, status)
            time.sleep(0.05)

    def offer(self, *arguments):
        """A `tactus pair` that waits, its code, and where."""
        process = subprocess.Popen([_TACTUS, "pair", "--json", *arguments],
                                   env=self.environment,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.test.addCleanup(process.stdout.close)
        self.test.addCleanup(process.stderr.close)
        self.test.addCleanup(process.wait)
        self.test.addCleanup(process.kill)
        offered = json.loads(process.stdout.readline())
        self.test.assertEqual(offered["event"], "offered")
        self.test.assertEqual(len(offered["at"]), 1)
        return process, offered["code"], offered["at"][0]


class Peers(unittest.TestCase):
    maxDiff = None

    def finish(self, process):
        out, err = process.communicate(timeout=_PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def paired(self):
        """Two that are: the desk showed the code to the laptop."""
        desk, laptop = Device(self).start(), Device(self).start()
        offer, code, at = desk.offer("--name", "laptop")
        done = laptop.tactus("pair", code, "--at", at, "--name", "desk")
        self.assertEqual((done[0], done[2]), (0, ""))
        self.assertEqual(self.finish(offer)[0], 0)
        return desk, laptop

    def test_WithTheCodeEachIsInTheListOfTheOtherAndReached(self):
        desk, laptop = Device(self).start(), Device(self).start()
        offer, code, at = desk.offer("--name", "laptop")
        # As a person would type it.
        code, out, err = laptop.tactus("pair", *code.upper().split("-"),
                                       "--at", at, "--name", "desk")
        desk_id = desk.status()["device"]["id"]
        laptop_id = laptop.status()["device"]["id"]
        self.assertEqual((code, out, err),
                         (0, "paired with  desk, %s\n" % desk_id, ""))
        code, out, err = self.finish(offer)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), {
            "event": "paired", "confirmed": True,
            "peer": {"name": "laptop", "id": laptop_id}})
        # Each keeps connections to the other, whose address it has learned.
        for device, name, other in ((desk, "laptop", laptop),
                                    (laptop, "desk", desk)):
            status = device.until(lambda s: s["peers"][0]["warm"] > 0)
            peer = status["peers"][0]
            self.assertEqual(peer["name"], name)
            self.assertEqual(peer["id"], other.status()["device"]["id"])
            self.assertEqual(peer["addresses"], other.status()["listening"])
            self.assertEqual(peer["path"], other.status()["listening"][0])
            self.assertGreater(peer["round_trip_us"], 0)
            self.assertEqual(peer["files"], "ask")
            self.assertIsNone(peer["trouble"])
            _, out, _ = device.tactus("status")
            self.assertRegex(out, r"(?m)^peer         %s, .*, at 127\.0\.0\.1:"
                             r"\d+, [0-9.e-]+ ms round trip$" % name)

    def test_PairsAreThereAfterBothDaemonsStartAnew(self):
        desk, laptop = self.paired()
        port = desk.status()["listening"][0]
        desk.stop()
        laptop.stop()
        # The port it had, since the laptop knows it so.
        with open(os.path.join(desk.home, "c", "tactus", "config.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"listen": [port]}, file)
        desk.start()
        laptop.start()
        laptop.until(lambda s: s["peers"][0]["warm"] > 0)
        self.assertEqual(desk.status()["listening"], [port])

    def test_WrongCodeBurnsTheOffer(self):
        desk, laptop = Device(self).start(), Device(self).start()
        offer, code, at = desk.offer()
        wrong = "%03d%s" % (100 + (int(code[:3]) - 99) % 900, code[3:])
        self.assertNotEqual(wrong, code)
        done = laptop.tactus("pair", wrong, "--at", at)
        self.assertEqual((done[0], done[1]), (1, ""))
        self.assertIn("have it show a new one", done[2])
        done = self.finish(offer)
        self.assertEqual((done[0], done[1]), (1, ""))
        self.assertIn("this code is spent", done[2])
        # The right one comes too late.
        done = laptop.tactus("pair", code, "--at", at)
        self.assertEqual((done[0], done[1]), (3, ""))
        self.assertIn("cannot pair at " + at, done[2])
        self.assertEqual((desk.peers(), laptop.peers()), ({}, {}))
        # And another offer works.
        offer, code, at = desk.offer()
        self.assertEqual(laptop.tactus("pair", code, "--at", at)[0], 0)

    def test_SlipOfTheFingerIsToldBeforeAnybodyIsAsked(self):
        desk, laptop = Device(self).start(), Device(self).start()
        offer, code, at = desk.offer()
        for typed in ("417-maple", "417-mapple-otter", "maple"):
            done = laptop.tactus("pair", typed, "--at", at)
            self.assertEqual((done[0], done[1]), (2, ""), typed)
        self.assertIsNone(offer.poll())
        self.assertEqual(laptop.tactus("pair", code, "--at", at)[0], 0)

    def test_ForgottenPeerIsRefusedAndSaysSo(self):
        desk, laptop = self.paired()
        laptop.until(lambda s: s["peers"][0]["warm"] > 0)
        code, out, err = desk.tactus("forget", "laptop")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "forgot       laptop, %s\n"
                         % laptop.status()["device"]["id"])
        self.assertEqual(desk.peers(), {})
        status = laptop.until(
            lambda s: s["peers"][0]["warm"] == 0 and
            s["peers"][0]["trouble"] and
            s["peers"][0]["trouble"]["code"] == "PERMISSION_DENIED")
        self.assertIn("pair", status["peers"][0]["trouble"]["message"])
        code, out, err = desk.tactus("forget", "laptop")
        self.assertEqual((code, out), (1, ""))
        # The laptop forgets too, by the id, and both can pair again.
        self.assertEqual(laptop.tactus(
            "forget", desk.status()["device"]["id"].lower())[0], 0)
        offer, code, at = desk.offer("--name", "laptop")
        self.assertEqual(laptop.tactus("pair", code, "--at", at)[0], 0)

    def new_key(self, device):
        device.stop()
        os.unlink(os.path.join(device.state, "identity.pem"))
        device.start()

    def test_ChangedKeyIsRefusedWithWhatToDo(self):
        desk, laptop = self.paired()
        port = desk.status()["listening"][0]
        old = desk.status()["device"]["id"]
        # The desk comes back with another key, at the same place.
        with open(os.path.join(desk.home, "c", "tactus", "config.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"listen": [port]}, file)
        self.new_key(desk)
        new = desk.status()["device"]["id"]
        self.assertNotEqual(old, new)
        status = laptop.until(
            lambda s: s["peers"][0]["trouble"] and
            s["peers"][0]["trouble"]["code"] == "PERMISSION_DENIED")
        message = status["peers"][0]["trouble"]["message"]
        self.assertIn(old, message)
        self.assertIn(new, message)
        self.assertIn("`tactus forget` it and pair again", message)
        # Pairing again under the old name is refused as well, by either side.
        offer, code, at = desk.offer()
        done = laptop.tactus("pair", code, "--at", at, "--name", "desk")
        self.assertEqual((done[0], done[1]), (1, ""))
        self.assertIn("tactus forget desk", done[2])
        done = self.finish(offer)
        self.assertEqual((done[0], done[1]), (3, ""))
        self.assertIn("does not take this one", done[2])
        self.assertEqual(laptop.peers()["desk"]["id"], old)
        # What the message says works.
        self.assertEqual(laptop.tactus("forget", "desk")[0], 0)
        desk.tactus("forget", "laptop")
        offer, code, at = desk.offer("--name", "laptop")
        self.assertEqual(laptop.tactus("pair", code, "--at", at, "--name",
                                       "desk")[0], 0)
        self.assertEqual(laptop.peers()["desk"]["id"], new)

    def test_PairingAgainWithTheSameKeysKeepsTheNames(self):
        desk, laptop = self.paired()
        offer, code, at = desk.offer("--name", "other")
        self.assertEqual(laptop.tactus("pair", code, "--at", at)[0], 0)
        self.assertEqual(self.finish(offer)[0], 0)
        self.assertEqual((list(desk.peers()), list(laptop.peers())),
                         (["laptop"], ["desk"]))

    def test_NoPortIsOpenBeforeSomebodyPairs(self):
        device = Device(self, {"listen": ["127.0.0.1:0"]}).start()
        self.assertEqual(device.status()["listening"], [])
        with open("/proc/%d/net/tcp" % device.daemon.pid,
                  encoding="ascii") as file:
            inodes = {line.split()[9] for line in file if line.split()[3] == "0A"}
        held = set()
        for fd in os.listdir("/proc/%d/fd" % device.daemon.pid):
            found = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(
                "/proc/%d/fd/%s" % (device.daemon.pid, fd)))
            if found:
                held.add(found.group(1))
        self.assertEqual(inodes & held, set())
        device.offer()
        self.assertEqual(len(device.status()["listening"]), 1)

    def test_OfferEndsWithItsTimeOrItsCommandAndIsAloneMeanwhile(self):
        desk = Device(self).start()
        offer, _, _ = desk.offer("--for", "1s")
        code, out, err = self.finish(offer)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("nobody typed the code in time", err)
        offer, _, _ = desk.offer()
        code, out, err = desk.tactus("pair")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("an offer to pair is open already", err)
        offer.kill()
        offer.wait(_PATIENCE)
        end = time.monotonic() + _PATIENCE
        while True:
            code, out, err = desk.tactus("pair", "--for", "1s")
            if "already" not in err:
                break
            self.assertLess(time.monotonic(), end)
        self.assertIn("nobody typed the code in time", err)

    def test_DaemonEndsWhileAnOfferIsOpen(self):
        desk = Device(self).start()
        offer, _, _ = desk.offer()
        desk.stop()
        code, out, err = self.finish(offer)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("the daemon is ending", err)

    def test_WhereNobodyListensIsTold(self):
        laptop = Device(self).start()
        done = laptop.tactus("pair", "417-maple-otter", "--at", "127.0.0.1:1")
        self.assertEqual((done[0], done[1]), (1, ""))
        self.assertIn("cannot pair at 127.0.0.1:1", done[2])
        done = laptop.tactus("pair", "417-maple-otter")
        self.assertEqual((done[0], done[1]), (3, ""))
        self.assertIn("Avahi", done[2])
        self.assertIn("--at HOST:PORT", done[2])

    def test_PairingIsCancelledWhileItConnects(self):
        laptop = Device(self).start()
        # Who takes the connection and says nothing.
        with socket.create_server(("127.0.0.1", 0)) as silent, socket.socket(
                socket.AF_UNIX) as client:
            silent.settimeout(_PATIENCE)
            client.settimeout(_PATIENCE)
            client.connect(os.path.join(laptop.home, "tactus", "control.sock"))
            client.sendall(json.dumps({
                "jsonrpc": "2.0", "id": 1, "method": "peers.pair", "params": {
                    "code": "417-maple-otter", "deadline_ms": 60000,
                    "at": "127.0.0.1:%d" % silent.getsockname()[1]}}
            ).encode() + b"\n")
            connection, _ = silent.accept()
            self.addCleanup(connection.close)
            # Its first bytes are there: it waits for an answer.
            connection.settimeout(_PATIENCE)
            self.assertTrue(connection.recv(1))
            client.sendall(b'{"jsonrpc":"2.0","method":"$/cancel",'
                           b'"params":{"id":1}}\n')
            answer = json.loads(client.makefile("rb").readline())
            self.assertEqual(answer["error"]["data"]["status"],
                             {"code": "CANCELLED", "message": "cancelled"})
            # Told while the connection was still there, and not when it had
            # run out of time.
            connection.setblocking(False)
            with self.assertRaises(BlockingIOError):
                while connection.recv(65536):
                    pass
        self.assertEqual(laptop.peers(), {})
        laptop.stop()

    def test_WhoListensNowhereCannotOfferAndCanPair(self):
        desk, phone = Device(self).start(), Device(self, {"listen": []}).start()
        code, out, err = phone.tactus("pair")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("listen nowhere", err)
        offer, code, at = desk.offer("--name", "phone")
        self.assertEqual(phone.tactus("pair", code, "--at", at)[0], 0)
        self.assertEqual(desk.peers()["phone"]["addresses"], [])

    def test_NothingWaitsForApproval(self):
        desk = Device(self).start()
        self.assertEqual(desk.status()["waiting"], [])
        for arguments in (["7"], ["7", "--refuse"]):
            code, out, err = desk.tactus("approve", *arguments)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("nothing waits for approval under number 7", err)
        self.assertEqual(desk.tactus("approve", "0")[0], 2)
        self.assertEqual(desk.tactus("approve")[0], 2)

    def test_WithoutASafeFolderThereAreNoPeersAndTheRestIsServed(self):
        device = Device(self)
        os.makedirs(device.state)
        os.chmod(device.state, 0o755)
        device.start()
        status = device.status()
        self.assertIn(device.state, status["no_peers"])
        self.assertNotIn("peers", status)
        for command in (["pair"], ["forget", "laptop"], ["approve", "1"]):
            code, out, err = device.tactus(*command)
            self.assertEqual((code, out), (1, ""), command)
            self.assertIn(device.state, err)

    def test_KeyIsForItsOwnerAloneAndNoCodeIsLogged(self):
        desk, laptop = Device(self).start(), Device(self).start()
        offer, code, at = desk.offer()
        self.assertEqual(laptop.tactus("pair", code, "--at", at)[0], 0)
        self.finish(offer)
        self.assertEqual(os.stat(desk.state).st_mode & 0o777, 0o700)
        for name in ("identity.pem", "peers.json"):
            path = os.path.join(desk.state, name)
            self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        desk.stop()
        laptop.stop()
        for device in desk, laptop:
            log = "".join(device.logged)
            self.assertIn("paired with", log)
            for part in code.split("-")[1:]:
                self.assertNotIn(part, log)


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Peers)
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
