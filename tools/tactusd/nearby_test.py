#!/usr/bin/python3
"""Devices that find each other: nearby_test.py TACTUSD TACTUS LINK FAKE_AVAHI.

Two daemons in two network namespaces, and between them a message bus of the test's
own with a fake of Avahi on it. No desktop is needed.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
for _folder in ("tools/netns", "tools/two_peers"):
    sys.path.insert(0, _folder)
import netns  # noqa: E402
import two_peers  # noqa: E402

_TACTUSD, _TACTUS, _LINK, _FAKE = map(os.path.abspath, sys.argv[1:5])
_PATIENCE = 60
# Ids that a device may have, their last character included.
_OTHER = "0000-0000-0000-0000-0000-0000"


class Nearby(unittest.TestCase):
    def setUp(self):
        # Short, since the name of a socket must be.
        self.folder = tempfile.mkdtemp(prefix="tactus", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.link = netns.open_link(_LINK)
        self.addCleanup(self.link.close)
        self.pair = two_peers.Pair(_TACTUSD, _TACTUS, self.folder, self.link)
        self.addCleanup(self.pair.close)

    def started(self, *fake):
        """Both daemons, and what a fake Avahi with these options tells."""
        bus = self.start(["dbus-daemon", "--session", "--nofork",
                          "--print-address"])
        address = self.line(bus)
        for device in (self.pair.near, self.pair.far):
            device.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        self.avahi = self.start([_FAKE, "--bus", address, "--host",
                                 self.link.b.address, *fake])
        self.assertEqual(self.line(self.avahi), "ready")
        self.pair.__enter__()

    def start(self, command):
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def line(self, process):
        # Unbuffered, or a line that is read ahead would not be waited for.
        line = b""
        while not line.endswith(b"\n"):
            self.assertTrue(
                select.select([process.stdout], [], [], _PATIENCE)[0])
            one = os.read(process.stdout.fileno(), 1)
            if not one:
                break
            line += one
        return line.decode().strip()

    def offer(self, *words):
        process = self.pair.far.popen("pair", "--json", "--name", "near",
                                      *words, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
        for pipe in (process.stdout, process.stderr):
            self.addCleanup(pipe.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        offered = json.loads(self.line(process))
        self.assertEqual(offered["event"], "offered")
        return process, offered

    def find(self, code):
        done = self.pair.near.tactus("pair", code, "--name", "far",
                                     check=False, timeout=_PATIENCE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def id_of(self, device):
        return device.ask("status")["device"]["id"]

    def test_ACodeIsEnoughWhereAvahiRuns(self):
        self.started()
        far = self.id_of(self.pair.far)
        offer, offered = self.offer()
        self.assertEqual(offered["announced"], True)
        # What the network is told: the id and the port, and nothing else.
        self.assertEqual(json.loads(self.line(self.avahi)), {"added": {
            "interface": -1, "protocol": -1, "flags": 0, "name": far,
            "type": "_tactus._tcp", "domain": "", "host": "",
            "port": self.pair.far.port, "texts": 0}})
        self.assertEqual(self.find(offered["code"]),
                         (0, "paired with  far, %s\n" % far, ""))
        self.assertEqual(offer.wait(_PATIENCE), 0)
        # With the offer its announcement has gone.
        self.assertEqual(json.loads(self.line(self.avahi)), {"removed": far})
        peers = self.pair.near.ask("status")["peers"]
        self.assertEqual(peers[0]["addresses"], ["%s:%d" % (
            self.link.b.address, self.pair.far.port)])

    def test_AnOfferThatEndsIsToldOfNoMore(self):
        self.started()
        offer, _ = self.offer()
        self.assertIn("added", self.line(self.avahi))
        offer.kill()
        self.assertIn("removed", self.line(self.avahi))
        # Nobody is found then.
        code, out, err = self.find("417-maple-otter")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no device nearby shows a code", err)
        self.assertIn("--at HOST:PORT", err)

    def test_WithoutAvahiTheMessageNamesAt(self):
        self.started()
        self.avahi.kill()
        self.avahi.wait()
        code, out, err = self.find("417-maple-otter")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("Avahi, which finds devices nearby, does not run here",
                      err)
        self.assertIn("--at HOST:PORT", err)
        # The offer is made all the same, and --at completes it.
        offer, offered = self.offer()
        self.assertEqual(offered["announced"], False)
        done = self.pair.near.tactus("pair", offered["code"], "--at",
                                     offered["at"][0])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(offer.wait(_PATIENCE), 0)

    def test_WithoutABusTheMessageNamesAt(self):
        # As the devices are set up.
        self.pair.__enter__()
        code, out, err = self.find("417-maple-otter")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("no system bus", err)
        self.assertIn("--at HOST:PORT", err)

    def test_OfSeveralDevicesNoneIsTried(self):
        self.started("--also", _OTHER, "192.0.2.7", "7411")
        far = self.id_of(self.pair.far)
        _, offered = self.offer()
        code, out, err = self.find(offered["code"])
        self.assertEqual((code, out), (3, ""))
        self.assertIn("more than one device nearby", err)
        self.assertIn("%s at 192.0.2.7:7411" % _OTHER, err)
        self.assertIn("%s at %s:%d" % (far, self.link.b.address,
                                       self.pair.far.port), err)
        # The code was given to nobody, and is good still.
        done = self.pair.near.tactus("pair", offered["code"], "--at",
                                     offered["at"][0])
        self.assertEqual(done.returncode, 0)

    def test_WhatIsNoDeviceOrNoAddressIsPassedOver(self):
        self.started("--also", "somebody\x1b[2J", "192.0.2.7", "7411",
                     "--also", _OTHER, "127.0.0.1", "7411",
                     "--also", _OTHER, "fe80::1", "7411",
                     "--also", _OTHER, "evil.example", "7411",
                     "--also", _OTHER, "192.0.2.7", "0")
        _, offered = self.offer()
        self.assertEqual(self.find(offered["code"])[0], 0)

    def test_WhoHasAnotherKeyIsNotGivenTheCode(self):
        # Somebody tells of an id that is not there, at an address that is.
        self.started("--also", _OTHER, self.link.b.address, "7411")
        far = self.id_of(self.pair.far)
        self.pair.far.stop()
        self.pair.far.environment["DBUS_SYSTEM_BUS_ADDRESS"] = (
            "unix:path=" + os.path.join(self.folder, "none"))
        self.pair.far.start()
        _, offered = self.offer()
        self.assertEqual(offered["announced"], False)
        code, out, err = self.find(offered["code"])
        self.assertEqual((code, out), (1, ""))
        self.assertIn("is not the device %s that was told of" % _OTHER, err)
        # So it is good still.
        done = self.pair.near.tactus("pair", offered["code"], "--at",
                                     offered["at"][0])
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.pair.near.ask("status")["peers"][0]["id"], far)


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Nearby)
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
