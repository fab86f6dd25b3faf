#!/usr/bin/python3
"""An agent of a peer on a private desktop: mcp_desktop_check.py TACTUSD TACTUS.

What it edits is looked at as the application itself holds it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
for _folder in ("tools/mcp", "tools/netns", "tools/two_peers"):
    sys.path.insert(0, _folder)
import agent  # noqa: E402
import two_peers  # noqa: E402

_TACTUSD, _TACTUS = map(os.path.abspath, sys.argv[1:3])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60


def _held():
    """What the application holds, as it tells itself."""
    return subprocess.run([os.environ["TACTUS_DESKTOP_DUMP"]], check=True,
                          stdout=subprocess.PIPE,
                          timeout=_PATIENCE).stdout.decode()


class PeerOnADesktop(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        # Short, since the name of a socket must be.
        folder = tempfile.TemporaryDirectory(prefix="tactus", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.pair = two_peers.Pair(_TACTUSD, _TACTUS, folder.name)
        self.addCleanup(self.pair.close)
        # The far one is on this desktop.
        own = self.pair.far.environment
        self.pair.far.environment = dict(
            os.environ, **{name: own[name] for name in (
                "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME")})
        self.pair.__enter__()
        self.pair.connect()
        self.until(lambda: self.far("status")["state"] == "connected")

    def far(self, method):
        return self.pair.far.ask(method)

    def until(self, what):
        end = time.monotonic() + _PATIENCE
        while True:
            found = what()
            if found:
                return found
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def agent(self, *options):
        self.pair.far.tactus("expose", "--focused-text", "--to", "near",
                             *options)
        return self.enterContext(agent.Agent(
            self.pair.near.command(_TACTUS, "mcp", "connect",
                                   "far/focused-text"),
            self.pair.near.environment))

    @staticmethod
    def begin(one, tool, **arguments):
        # The machine may be busy.
        one.begin(tool, {"deadline_ms": 20000, **arguments})

    @staticmethod
    def told(one):
        return one.end()["structuredContent"]

    def approve(self, refuse=False):
        question = self.until(lambda: self.far("status")["waiting"])[0]
        self.pair.far.tactus("approve", str(question["id"]),
                             *(["--refuse"] if refuse else []))

    def kept(self):
        lines = self.pair.far.tactus("audit").stdout.decode().splitlines()
        return [(entry["tool"], entry["outcome"])
                for entry in map(json.loads, lines)]

    def test_AgentReadsAndEditsWhatIsGrantedAndTheApplicationHoldsIt(self):
        one = self.agent("--write", "--allow")
        self.begin(one, "read_focused_text")
        read = self.told(one)
        self.assertEqual(read["untrusted"]["text"], _held())
        self.begin(one, "replace_text", old_text="alt", new_text="neu",
                  snapshot=read["snapshot"]["token"])
        self.assertEqual(self.told(one)["outcome"], "verified")
        self.assertEqual(_held(), read["untrusted"]["text"].replace(
            "alt", "neu"))
        self.assertEqual(self.kept(), [
            ("read_focused_text", "read"), ("replace_text", "begun"),
            ("replace_text", "verified")])
        self.begin(one, "undo_edit")
        self.assertEqual(self.told(one)["outcome"], "verified")

    def test_EditIsTiedToWhatWasThereBeforeThePersonWasAsked(self):
        one = self.agent("--write", "--ask")
        before = _held()
        self.begin(one, "insert_text", text="von fern")
        self.until(lambda: self.far("status")["waiting"])
        # While it waits somebody writes.
        self.pair.far.tactus("insert", "hier", "--deadline", "20s")
        self.approve()
        edit = self.told(one)
        self.assertEqual(edit["outcome"], "refused", edit)
        self.assertEqual(edit["next_step"], "read_again", edit)
        self.assertEqual(len(_held()), len(before) + len("hier"))
        # Nobody does, and it is done.
        self.begin(one, "insert_text", text="von fern")
        self.assertNotIn("fern", _held())
        self.approve()
        self.assertEqual(self.told(one)["outcome"], "verified")
        self.assertIn("von fern", _held())
        # And a refusal is one.
        held = _held()
        self.begin(one, "insert_text", text="noch")
        self.approve(refuse=True)
        edit = self.told(one)
        self.assertEqual((edit["outcome"], edit["reason"]),
                         ("refused", "not-permitted"))
        self.assertEqual(_held(), held)
        self.assertEqual(self.kept(), [
            ("insert_text", "begun"), ("insert_text", "refused"),
            ("insert_text", "begun"), ("insert_text", "verified"),
            ("insert_text", "refused")])


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(PeerOnADesktop)
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
