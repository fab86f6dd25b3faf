#!/usr/bin/env python3
"""Two daemons that are paired, and messages between them: two_peers_test.py TACTUSD
TACTUS LINK.
"""

import os
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
for _folder in ("tools/netns", "tools/two_peers"):
    sys.path.insert(0, _folder)
import netns  # noqa: E402
import two_peers  # noqa: E402

_TACTUSD, _TACTUS, _LINK = map(os.path.abspath, sys.argv[1:4])


class TwoPeersTest(unittest.TestCase):
    def pair(self, link=None):
        # Short, since the name of a socket must be.
        folder = tempfile.TemporaryDirectory(prefix="tactus", dir="/tmp")
        self.addCleanup(folder.cleanup)
        pair = two_peers.Pair(_TACTUSD, _TACTUS, folder.name, link)
        self.addCleanup(pair.close)
        pair.__enter__()
        pair.connect()
        return pair

    def echo(self, device, peer, **more):
        return device.ask("peers.echo", dict(more, peer=peer))["round_trip_us"]

    def reached(self, device, peer):
        """That it answers again, within a minute: a peer that was gone is tried
        again later."""
        until = time.monotonic() + 60
        while True:
            try:
                return self.echo(device, peer, deadline_ms=5000)
            except RuntimeError:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.1)

    def test_AMessageGoesToThePeerAndBackFromEitherSide(self):
        pair = self.pair()
        self.assertGreater(self.echo(pair.near, "far", message="x" * 4096), 0)
        self.assertGreater(self.echo(pair.far, "near"), 0)

    def test_WhatIsNoMessageOrNoPeerIsAnErrorThatNamesIt(self):
        pair = self.pair()
        for wrong, said in (
                (dict(peer="far", message=""), "message"),
                (dict(peer="far", message="x" * 4097), "message"),
                (dict(), "peer"), (dict(peer="nobody"), "nobody"),
                (dict(peer="far", more=1), "more")):
            with self.assertRaisesRegex(RuntimeError, said):
                pair.near.ask("peers.echo", wrong)
        self.assertGreater(self.echo(pair.near, "far"), 0)

    def test_AfterThePeerWasStartedAnewAMessageGoesOnAnotherStream(self):
        pair = self.pair()
        self.echo(pair.near, "far")
        pair.far.kill()
        pair.far.start()
        self.assertGreater(self.reached(pair.near, "far"), 0)

    def test_APeerThatIsGoneIsToldWithinTheDeadline(self):
        pair = self.pair()
        self.echo(pair.near, "far")
        pair.far.stop()
        with self.assertRaises(RuntimeError):
            self.echo(pair.near, "far", deadline_ms=500)

    def test_InNamespacesADelayIsSeen(self):
        link = netns.open_link(_LINK)
        self.addCleanup(link.close)
        pair = self.pair(link)
        link.set(delay_ms=30)
        self.assertGreaterEqual(self.echo(pair.near, "far"), 60000)

    def test_OverTheRelayOfLoopbackTheyPairAndCanBeCut(self):
        link = netns.Loopback()
        self.addCleanup(link.close)
        pair = self.pair(link)
        before = link.counts()["a_to_b"]["bytes"]
        self.echo(pair.near, "far")
        self.assertGreater(link.counts()["a_to_b"]["bytes"], before)
        link.cut()
        with self.assertRaises(RuntimeError):
            self.echo(pair.near, "far", deadline_ms=500)
        link.join()
        self.assertGreater(self.reached(pair.near, "far"), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
