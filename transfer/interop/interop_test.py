#!/usr/bin/python3
"""tactusd and the second implementation of its protocol: interop_test.py TACTUSD
TACTUS.

What docs/protocol.md promises, held by somebody who knows that page alone (peer.py).
On loopback; no desktop is needed.
"""

import concurrent.futures
import os
import secrets
import shutil
import socket
import struct
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
for _folder in ("tools/two_peers", "transfer/interop"):
    sys.path.insert(0, _folder)
import peer  # noqa: E402
import two_peers  # noqa: E402

_TACTUSD, _TACTUS = map(os.path.abspath, sys.argv[1:3])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as held:
        return held.getsockname()[1]


def tree_of(root):
    """What is beneath `root`, to compare: kind, mode, time, content."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if os.path.islink(path):
                what = ("link", os.readlink(path))
            elif os.path.isdir(path):
                what = ("folder", status.st_mode & 0o777, status.st_mtime_ns)
            else:
                with open(path, "rb") as file:
                    what = ("file", status.st_mode & 0o777, status.st_mtime_ns,
                            file.read())
            found[os.path.relpath(path, root)] = what
    return found


def cut_after(channel, size):
    """Cuts the connection when `size` bytes more have been written to it."""
    write = channel.write
    end = channel.sent + size

    def limited(data):
        if channel.sent + len(data) <= end:
            return write(data)
        write(data[:end - channel.sent])
        channel.close()
        raise peer.Cut("by the test")
    channel.write = limited


def file_entry(name=b"f", size=100, mode=0o644, nanoseconds=0, flag=0, more=b""):
    return peer.frame(peer.ENTRY, b"\1", peer.text(name),
                      struct.pack(">HqIQB", mode, 0, nanoseconds, size, flag),
                      more)


def chunk(data):
    return peer.frame(peer.CHUNK, peer.content_hash(data), data)


def file_end(*chunks):
    return peer.frame(peer.FILE_END, b"\1",
                      struct.pack(">Q", sum(map(len, chunks))),
                      peer.content_hash(b"".join(map(peer.content_hash,
                                                     chunks))))


def end(entries):
    return peer.frame(peer.END, struct.pack(">Q", entries))


class Interop(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Short, since the name of a socket must be.
        self.folder = tempfile.mkdtemp(prefix="tactus", dir="/tmp")
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.port = free_port()
        self.daemon = two_peers.Device("desk", "second", self.folder, _TACTUSD,
                                       _TACTUS, self.port, "b", None)
        self.addCleanup(self.daemon.stop)
        self.daemon.start()
        self.address = ("127.0.0.1", self.port)
        self.me = peer.Peer("second")
        self.addCleanup(self.me.close)

    def paired(self):
        """The daemon, as the peer knows it."""
        offered, finish = self.daemon.ask_until("peers.offer", {},
                                                "peers.offered")
        known = self.me.pair(self.address, offered["code"], "desk")
        self.assertTrue(finish()["confirmed"])
        return known

    def listening(self):
        """The same, and the peer takes what the daemon opens: its inbox."""
        known = self.paired()
        inbox = os.path.join(self.folder, "taken")
        os.mkdir(inbox)
        self.me.listen(inbox)
        return known, inbox

    def logged(self, words):
        """Waits until the daemon has logged them."""
        until = time.monotonic() + _PATIENCE
        while True:
            with open(self.daemon.log, encoding="utf-8") as log:
                said = log.read()
            if words in said:
                return
            self.assertLess(time.monotonic(), until, said)
            time.sleep(0.02)

    def source(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def offered(self, known, name="f"):
        """A stream on which one file was offered and is accepted."""
        channel = self.me.open(known, peer.FILE)
        self.addCleanup(channel.close)
        sending = peer.Sending([self.source(name, b"x" * 100)])
        channel.write(sending.offer())
        peer.expect(channel, peer.ACCEPT)
        return channel, sending

    def verdict(self, channel):
        """The next frame, which must be one, and the last."""
        kind, body = peer.read_frame(channel)
        self.assertEqual(kind, peer.VERDICT)
        self.assertTrue(channel.at_end())
        return peer.read_verdict(body)

    def in_thread(self, function, *arguments):
        """Runs it beside: what waits for its result, or raises what it did."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        running = pool.submit(function, *arguments)
        return lambda: running.result(_PATIENCE)

    # Pairing

    def test_TheRightCodePairsAndBothReadTheSameIdsAloud(self):
        known = self.paired()
        said = self.daemon.ask("peers.list")
        self.assertEqual(said["device"]["id"], peer.device_id(known.digest))
        theirs, = said["peers"]
        self.assertEqual(theirs["name"], "second")
        self.assertEqual(theirs["id"],
                         peer.device_id(self.me.identity.digest))
        self.assertEqual(theirs["addresses"],
                         ["127.0.0.1:%d" % self.me.port])
        self.assertEqual(known.address, self.address)

    def test_AWrongCodeIsRefusedAndSpendsTheRightOne(self):
        offered, finish = self.daemon.ask_until("peers.offer", {},
                                                "peers.offered")
        right = offered["code"]
        wrong = "%d-%s" % (100 + (int(right[:3]) - 99) % 900, right[4:])
        with self.assertRaisesRegex(peer.Refused, "^refused: 1$"):
            self.me.pair(self.address, wrong, "desk")
        with self.assertRaises(RuntimeError):
            finish()
        with self.assertRaises((peer.Refused, peer.Cut, OSError)):
            self.me.pair(self.address, right, "desk")
        self.assertEqual(self.daemon.ask("peers.list")["peers"], [])

    def test_TheDaemonPairsWithACodeThatTheOtherShows(self):
        pairing = self.in_thread(self.me.offer, "417-maple-otter", "desk")
        said = self.daemon.ask("peers.pair", {
            "code": "417 Maple Otter", "name": "second",
            "at": "127.0.0.1:%d" % self.me.port})
        self.assertTrue(said["confirmed"])
        self.assertEqual(said["peer"]["id"],
                         peer.device_id(self.me.identity.digest))
        with self.me.open(pairing(), peer.MESSAGE, "echo") as channel:
            self.assertEqual(peer.ask_echo(channel, b"well?"), b"well?")

    def test_TheDaemonIsToldThatItsCodeIsWrong(self):
        pairing = self.in_thread(self.me.offer, "417-maple-otter", "desk")
        with self.assertRaisesRegex(RuntimeError, "code"):
            self.daemon.ask("peers.pair", {
                "code": "418-maple-otter", "name": "second",
                "at": "127.0.0.1:%d" % self.me.port})
        with self.assertRaisesRegex(peer.Refused, "the code is wrong"):
            pairing()
        self.assertEqual(self.daemon.ask("peers.list")["peers"], [])

    def test_ANameThatIsTakenByAnotherKeyIsRefusedThoughTheCodeIsRight(self):
        self.paired()
        offered, finish = self.daemon.ask_until("peers.offer", {},
                                                "peers.offered")
        other = peer.Peer("second")
        self.addCleanup(other.close)
        with self.assertRaisesRegex(peer.Refused, "^refused: 2$"):
            other.pair(self.address, offered["code"], "desk")
        with self.assertRaises(RuntimeError):
            finish()
        only, = self.daemon.ask("peers.list")["peers"]
        self.assertEqual(only["id"], peer.device_id(self.me.identity.digest))

    def test_WhatIsOutOfTurnWhilePairingIsAnsweredAsSuch(self):
        _, finish = self.daemon.ask_until("peers.offer", {"for_ms": 2000},
                                          "peers.offered")
        with self.me.connect(peer.Known("desk", None, self.address),
                             b"tactus-pair/1") as channel:
            channel.write(bytes([peer.PROOF]) + bytes(64))
            self.assertEqual(channel.read(2), bytes([peer.REFUSED, 3]))
            self.assertTrue(channel.at_end())
            channel.finish()
        with self.assertRaises(RuntimeError):
            finish()

    # Who is let in

    def test_AnotherKeyThanThePinnedOneIsRefusedByTheDaemon(self):
        known = self.paired()
        self.me.identity = peer.Identity()
        with self.assertRaisesRegex(peer.Refused, "bad certificate"):
            self.me.open(known, peer.MESSAGE, "echo")

    def test_WhoSendsNoCertificateIsToldThatOneIsRequired(self):
        known = self.paired()
        self.me.identity = None
        with self.assertRaisesRegex(peer.Refused, "certificate required"):
            self.me.open(known, peer.MESSAGE, "echo")

    def test_ADaemonWithAnotherKeyThanThePinnedOneIsRefused(self):
        known = self.paired()
        with self.assertRaises(peer.Refused):
            self.me.open(known._replace(digest=bytes(32)), peer.MESSAGE,
                         "echo")

    def test_TheDaemonOpensNothingToAKeyThatHasChanged(self):
        self.paired()
        before = peer.device_id(self.me.identity.digest)
        self.me.identity = peer.Identity()
        after = peer.device_id(self.me.identity.digest)
        self.me.listen(self.folder)
        with self.assertRaises(RuntimeError) as refused:
            self.daemon.ask("peers.echo", {"peer": "second"})
        self.assertIn(before, str(refused.exception))
        self.assertIn(after, str(refused.exception))

    def test_AConnectionWithoutTheProtocolsNameIsRefused(self):
        known = self.paired()
        with self.assertRaises((peer.Refused, peer.Cut)):
            self.me.connect(known, b"tactus/2")

    # Streams

    def test_WhoIsThereIsAnsweredAlsoAfterTheStreamHasBegun(self):
        with self.me.connect(self.paired()) as channel:
            channel.write(b"\0\0")
            self.assertEqual(channel.read(2), b"\0\0")
            channel.write(b"\0" + peer.header(peer.MESSAGE, "echo"))
            self.assertEqual(channel.read(1), b"\0")
            self.assertEqual(peer.ask_echo(channel, b"x" * 4096), b"x" * 4096)
            channel.finish()

    def test_AMessageGoesToThePeerAndBackFromTheDaemon(self):
        self.listening()
        for size in (1, 4096):
            said = self.daemon.ask("peers.echo", {"peer": "second",
                                                  "message": "m" * size})
            self.assertGreater(said["round_trip_us"], 0)

    def test_WhatIsNoHeaderOrServedByNobodyIsCut(self):
        known = self.paired()
        for wrong in (b"\1\0\0", b"\1\5\0", b"\2\2\4echo",
                      b"\1\2\x81" + b"a" * 129, b"\1\2\5ec ho",
                      peer.header(peer.CONTROL),
                      peer.header(peer.MESSAGE, "nonsense"),
                      peer.header(peer.FILE, "nonsense")):
            with self.subTest(wrong), self.me.connect(known) as channel:
                channel.write(wrong)
                with self.assertRaises(peer.Cut):
                    channel.at_end()

    def test_WhatIsNoMessageCutsItsStream(self):
        known = self.paired()
        for wrong in (b"\0\0", struct.pack(">H", 4097) + b"x" * 4097):
            with self.subTest(wrong[:2]), self.me.open(
                    known, peer.MESSAGE, "echo") as channel:
                channel.write(wrong)
                with self.assertRaises(peer.Cut):
                    channel.at_end()

    # Files

    def test_AFileGoesThereAndBack(self):
        known, inbox = self.listening()
        content = secrets.token_bytes(3 * peer.CHUNK_SIZE + 77)
        path = self.source("photo", content)
        os.chmod(path, 0o640)
        os.utime(path, ns=(1, 1234567890123456789))
        verdict = self.me.send(known, [path])
        self.assertEqual(verdict[1:],
                         (peer.DONE, 1, len(content), 0, 0, b""))
        there = os.path.join(self.daemon.inbox, "photo")
        self.daemon.tactus("send", "--sha256", there, "second")
        back = os.path.join(inbox, "photo")
        self.assertEqual(sorted(os.listdir(inbox)), ["photo"])
        for one in (there, back):
            status = os.stat(one)
            self.assertEqual((status.st_mode & 0o777, status.st_mtime_ns),
                             (0o640, 1234567890123456789))
            with open(one, "rb") as file:
                self.assertEqual(file.read(), content)
        self.assertEqual([one.outcome for one in
                          self.me.inbox.verdicts.values()], [peer.DONE])

    def test_AFolderGoesThereAndBack(self):
        known, inbox = self.listening()
        root = os.path.join(self.folder, "tree")
        os.makedirs(os.path.join(root, "deep", "empty"))
        # More than are declared at a time.
        for number in range(peer.AT_A_TIME + 9):
            self.source("tree/deep/%03d" % number, b"%d" % number * number)
        # A name in no encoding, and one that a terminal would take amiss.
        self.source("tree/\udcff\x1b[31m", b"red")
        with open(os.path.join(root, "holes"), "wb") as file:
            file.write(b"a" * 4096)
            file.truncate(2 * peer.CHUNK_SIZE + 5)
        os.symlink("deep/003", os.path.join(root, "link"))
        os.chmod(os.path.join(root, "deep"), 0o750)
        os.utime(os.path.join(root, "deep"), ns=(1, 1000000000000000002))
        verdict = self.me.send(known, [root])
        files = peer.AT_A_TIME + 11
        self.assertEqual((verdict.outcome, verdict.files, verdict.left_out),
                         (peer.DONE, files, 0))
        there = os.path.join(self.daemon.inbox, "tree")
        self.assertEqual(tree_of(there), tree_of(root))
        done = self.daemon.ask("files.send", {"peer": "second",
                                              "paths": [there]})
        self.assertEqual((done["outcome"], done["files"], done["left_out"]),
                         ("done", files, 0))
        self.assertEqual(tree_of(os.path.join(inbox, "tree")), tree_of(root))

    def test_WhatIsReadOnceHasNoSizeBeforeItsEnd(self):
        _, inbox = self.listening()
        content = secrets.token_bytes(peer.CHUNK_SIZE + 5)
        process = self.daemon.popen("send", "-", "second:sub", stdin=-1)
        process.communicate(content, _PATIENCE)
        self.assertEqual(process.returncode, 0)
        name, = os.listdir(os.path.join(inbox, "sub"))
        with open(os.path.join(inbox, "sub", name), "rb") as file:
            self.assertEqual(file.read(), content)

    def test_TheReceiverMakesTheFolderOfTheOffer(self):
        known = self.paired()
        sending = peer.Sending([self.source("one", b"1")], b"new/deep")
        self.assertEqual(self.me.resume(known, sending).outcome, peer.DONE)
        self.assertEqual(tree_of(self.daemon.inbox)["new/deep/one"][3], b"1")

    def test_WhatThisPeerCutsIsGoneOnWithByTheDaemon(self):
        known = self.paired()
        content = secrets.token_bytes(5 * peer.CHUNK_SIZE + 77)
        sending = peer.Sending([self.source("big", content)])
        with self.me.open(known, peer.FILE) as channel:
            cut_after(channel, 5 * peer.CHUNK_SIZE // 2)
            with self.assertRaises(peer.Cut):
                sending.run(channel)
        self.logged("cut, to be gone on with")
        self.assertEqual(self.me.resume(known, sending)[1:],
                         (peer.DONE, 1, len(content), 0, 0, b""))
        self.assertEqual(sending.kept, 2)
        with open(os.path.join(self.daemon.inbox, "big"), "rb") as file:
            self.assertEqual(file.read(), content)

    def test_WhatThisPeerCutsIsGoneOnWithByTheDaemonsSender(self):
        _, inbox = self.listening()
        content = secrets.token_bytes(5 * peer.CHUNK_SIZE + 77)
        seen = []

        def cut_at_the_third(kind):
            seen.append(kind)
            if seen.count(peer.CHUNK) == 3 and kind == peer.CHUNK:
                raise peer.Cut("by the test")
        self.me.inbox.before = cut_at_the_third
        done = self.daemon.ask("files.send", {
            "peer": "second", "paths": [self.source("big", content)]})
        self.assertEqual((done["outcome"], done["tries"], done["kept"]),
                         ("done", 2, 2 * peer.CHUNK_SIZE))
        self.assertEqual(self.me.inbox.kept, 2)
        self.assertEqual(seen.count(peer.CHUNK), 3 + 4)
        with open(os.path.join(inbox, "big"), "rb") as file:
            self.assertEqual(file.read(), content)
        self.assertEqual(os.listdir(inbox), ["big"])

    def test_AHaveThatIsFullIsFollowedByAnotherAlsoAtTheEndOfTheFile(self):
        _, inbox = self.listening()
        size = peer.WINDOW * peer.CHUNK_SIZE
        path = os.path.join(self.folder, "sparse")
        with open(path, "wb") as file:
            file.truncate(size)
        cuts = [peer.FILE_END]

        def cut_before_its_end(kind):
            if kind in cuts:
                cuts.remove(kind)
                raise peer.Cut("by the test")
        self.me.inbox.before = cut_before_its_end
        done = self.daemon.ask("files.send", {"peer": "second",
                                              "paths": [path]})
        self.assertEqual((done["outcome"], done["tries"]), ("done", 2))
        self.assertEqual((self.me.inbox.kept, self.me.inbox.haves),
                         (peer.WINDOW, [0, peer.WINDOW, 0]))
        self.assertEqual(os.stat(os.path.join(inbox, "sparse")).st_size, size)

    def test_AnOfferOfWhatHasEndedIsAnsweredWithItsVerdict(self):
        known = self.paired()
        sending = peer.Sending([self.source("once", b"content")])
        first = self.me.resume(known, sending)
        self.assertEqual(first.outcome, peer.DONE)
        os.unlink(os.path.join(self.daemon.inbox, "once"))
        self.assertEqual(self.me.resume(known, sending), first)
        self.assertEqual(self.me.settle(known, sending.id), first)
        self.assertEqual(os.listdir(self.daemon.inbox), [])

    def test_SettleAsksAndEnds(self):
        known = self.paired()
        sending = peer.Sending([self.source("never", b"content")])
        self.assertEqual(self.me.settle(known, sending.id).outcome,
                         peer.UNKNOWN)
        self.assertEqual(self.me.resume(known, sending).outcome,
                         peer.CANCELLED)
        self.assertEqual(os.listdir(self.daemon.inbox), [])
        channel, sending = self.offered(known)
        channel.write(file_entry())
        self.assertEqual(self.me.settle(known, sending.id).outcome,
                         peer.CANCELLED)

    def test_AFrameThatIsNotAsItShouldBeEndsTheTransferAsFailed(self):
        known = self.paired()
        for what, wrong in {
                "too short": peer.frame(peer.ENTRY, b"\1\0"),
                "followed by more": file_entry(more=b"\0"),
                "no type": peer.frame(0x77),
                "too long": b"\x11\xff\xff\xff\xff",
                "one byte too long": struct.pack(
                    ">BI", peer.CHUNK, 16 + peer.CHUNK_SIZE + 1),
                "alive with a body": peer.frame(peer.ALIVE, b"\0"),
                "a mode of more": file_entry(mode=0o1777),
                "no nanoseconds": file_entry(nanoseconds=10**9),
                "no flag": file_entry(flag=2),
                "hole of none": file_entry() + peer.frame(peer.HOLE, bytes(8)),
                "keep of none": peer.frame(peer.KEEP, bytes(4)),
                "a path that climbs": file_entry(name=b"f/../g"),
                "a path of ours": file_entry(name=b"f/.tactus-1.part"),
                "no target": peer.frame(peer.ENTRY, b"\3", peer.text(b"f"),
                                        peer.time_of(0), peer.text(b"")),
                "another count": end(1)}.items():
            with self.subTest(what):
                channel, sending = self.offered(known)
                channel.write(wrong)
                verdict = self.verdict(channel)
                self.assertEqual((verdict.id, verdict.outcome, verdict.files),
                                 (sending.id, peer.FAILED, 0))
                # It is remembered.
                self.assertEqual(self.me.settle(known, sending.id), verdict)
        self.assertEqual(os.listdir(self.daemon.inbox), [])

    def test_ContentThatIsNotWhatWasReadEndsTheTransferAsFailed(self):
        known = self.paired()
        other = peer.content_hash(b"another")
        for what, frames in {
                "another hash": (file_entry(), peer.frame(
                    peer.CHUNK, other, b"x" * 100), file_end(b"x" * 100)),
                "another root": (file_entry(), chunk(b"x" * 100), peer.frame(
                    peer.FILE_END, b"\1", struct.pack(">Q", 100), other)),
                "kept what is not there": (file_entry(), peer.frame(
                    peer.KEEP, struct.pack(">I", 1)), file_end(b"x" * 100)),
                "not offered": (file_entry(name=b"g"), chunk(b"x"),
                                file_end(b"x"))}.items():
            with self.subTest(what):
                channel, _ = self.offered(known)
                channel.write(b"".join(frames) + end(1))
                verdict = self.verdict(channel)
                self.assertEqual((verdict.outcome, verdict.files),
                                 (peer.FAILED, 0))
        # But for what is there to be gone on with.
        self.assertEqual([name for name in os.listdir(self.daemon.inbox)
                          if not name.endswith(".part")], [])

    def test_AFrameThatIsCutIsNoEnd(self):
        known = self.paired()
        channel, sending = self.offered(known)
        channel.write(file_entry() + chunk(b"x" * 100)[:50])
        channel.finish()
        self.logged("cut, to be gone on with")
        self.assertEqual(self.me.resume(known, sending).outcome, peer.DONE)
        with open(os.path.join(self.daemon.inbox, "f"), "rb") as file:
            self.assertEqual(file.read(), b"x" * 100)

    def test_WhatIsNoFirstFrameOfATransferIsCut(self):
        known = self.paired()
        for wrong in (peer.frame(peer.SETTLE, b"short"),
                      peer.frame(peer.ACCEPT, b"\1"), peer.frame(peer.ALIVE),
                      struct.pack(">BI", peer.OFFER, 1 << 20)):
            with self.subTest(wrong), self.me.open(
                    known, peer.FILE) as channel:
                channel.write(wrong)
                with self.assertRaises(peer.Cut):
                    channel.at_end()

    def test_LinksThatLeadOutsideAreLeftOut(self):
        known = self.paired()
        root = os.path.join(self.folder, "links")
        os.mkdir(root)
        for name, target in {"a": "../../out", "b": "/etc/passwd",
                             "c": "x/../y", "d": "../links/d", "e": "x"}.items():
            os.symlink(target, os.path.join(root, name))
        verdict = self.me.send(known, [root])
        self.assertEqual((verdict.outcome, verdict.files, verdict.left_out),
                         (peer.DONE, 0, 3))
        self.assertEqual(sorted(os.listdir(os.path.join(
            self.daemon.inbox, "links"))), ["d", "e"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
