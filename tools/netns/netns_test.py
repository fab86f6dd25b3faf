#!/usr/bin/env python3
"""The link on this machine: netns_test.py LINK."""

import socket
import subprocess
import sys
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, "tools/netns")
import netns  # noqa: E402

_LINK = sys.argv[1]

# Answers "pong" once to each connection, and says when it listens.
_SERVER = """
import socket, sys
server = socket.create_server((sys.argv[1], 7411),
    family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print("ready", flush=True)
while True:
    client, _ = server.accept()
    if client.recv(4): client.sendall(b"pong")
    client.close()
"""
# Exits with 0 where an answer came, and prints how long it took.
_CLIENT = """
import socket, sys, time
begun = time.monotonic()
client = socket.create_connection((sys.argv[1], 7411), timeout=float(sys.argv[2]))
client.sendall(b"ping")
ok = client.recv(4) == b"pong"
print(time.monotonic() - begun)
sys.exit(0 if ok else 1)
"""


class LinkTest(unittest.TestCase):
    def open(self, **arguments):
        link = netns.open_link(_LINK, **arguments)
        self.addCleanup(link.close)
        return link

    def serve(self, link, address):
        server = link.popen("b", [sys.executable, "-c", _SERVER, address],
                            stdout=subprocess.PIPE)
        self.assertEqual(server.stdout.readline(), b"ready\n")
        return server

    def ask(self, link, address, timeout=20):
        done = link.run("a", [sys.executable, "-c", _CLIENT, address,
                              str(timeout)], stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL)
        return float(done.stdout) if done.returncode == 0 else None

    def test_WhatListensOnOneSideIsReachedFromTheOtherByBothFamilies(self):
        link = self.open()
        self.serve(link, link.b.address)
        self.assertIsNotNone(self.ask(link, link.b.address))
        if link.b.address6:
            link = self.open()
            self.serve(link, link.b.address6)
            self.assertIsNotNone(self.ask(link, link.b.address6))

    def test_ADelayIsAddedEachWay(self):
        link = self.open(delay_ms=50)
        self.serve(link, link.b.address)
        # The handshake of TCP, and the question: two trips there and back.
        self.assertGreaterEqual(self.ask(link, link.b.address), 0.2)

    def test_TheTwoSidesAreNotThisMachinesNetwork(self):
        link = self.open()
        self.serve(link, "127.0.0.1")
        self.assertIsNone(self.ask(link, "127.0.0.1"))
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", 7411), timeout=5)

    def test_ACutLinkCarriesNothingUntilItIsJoined(self):
        link = self.open()
        self.serve(link, link.b.address)
        link.cut()
        self.assertIsNone(self.ask(link, link.b.address, timeout=0.3))
        cut = link.counts()["a_to_b"]["cut"]
        self.assertGreater(cut, 0)
        link.join()
        self.assertIsNotNone(self.ask(link, link.b.address))

    def test_LossIsCounted(self):
        link = self.open(loss_permille=300, seed=3)
        self.serve(link, link.b.address)
        for _ in range(5):
            self.ask(link, link.b.address)
        counts = link.counts()
        self.assertGreater(counts["a_to_b"]["lost"], 0)
        self.assertGreater(counts["a_to_b"]["carried"], 0)

    def test_WhatWasStartedEndsWithTheLink(self):
        link = self.open()
        server = self.serve(link, link.b.address)
        link.close()
        self.assertIsNotNone(server.returncode)

    def test_TheLinkEndsWithItsInput(self):
        process = subprocess.Popen([_LINK], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.assertTrue(process.stdout.readline().startswith(b'{"a":'))
        process.stdin.close()
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()

    def test_AWrongCommandIsAnsweredAndChangesNothing(self):
        link = self.open()
        with self.assertRaises(ValueError):
            link.set(delay_ms=5000)
        self.serve(link, link.b.address)
        self.assertIsNotNone(self.ask(link, link.b.address))

    def test_UsageIsTwo(self):
        done = subprocess.run([_LINK, "--delay", "1"],
                              stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)


class LoopbackTest(unittest.TestCase):
    def setUp(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        threading.Thread(target=self.serve, daemon=True).start()
        self.link = netns.Loopback()
        self.addCleanup(self.link.close)
        where = self.link.at("b", self.server.getsockname()[1])
        host, port = where.split(":")
        self.address = (host, int(port))

    def serve(self):
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.echo, args=(client,),
                             daemon=True).start()

    @staticmethod
    def echo(client):
        with client:
            try:
                while part := client.recv(100):
                    client.sendall(part)
            except OSError:
                pass

    def test_TheRelayCarriesBothWaysAndCounts(self):
        with socket.create_connection(self.address, timeout=10) as client:
            client.sendall(b"ping")
            self.assertEqual(client.recv(4), b"ping")
        # It counts after it has carried.
        until = time.monotonic() + 10
        while (self.link.counts()["b_to_a"]["bytes"] < 4 and
               time.monotonic() < until):
            time.sleep(0.01)
        self.assertEqual(self.link.counts(), {"a_to_b": {"bytes": 4},
                                              "b_to_a": {"bytes": 4}})

    def test_ACutEndsConnectionsAndRefusesNewOnesUntilItIsJoined(self):
        with socket.create_connection(self.address, timeout=10) as client:
            client.sendall(b"ping")
            self.assertEqual(client.recv(4), b"ping")
            self.link.cut()
            self.assertEqual(client.recv(4), b"")
        with socket.create_connection(self.address, timeout=10) as client:
            self.assertEqual(client.recv(4), b"")
        self.link.join()
        with socket.create_connection(self.address, timeout=10) as client:
            client.sendall(b"ping")
            self.assertEqual(client.recv(4), b"ping")

    def test_DelayIsRefusedAndNotPretended(self):
        with self.assertRaises(netns.NotAllowed):
            self.link.set(delay_ms=1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
