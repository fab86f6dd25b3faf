#!/usr/bin/env python3
"""Agents here, MCP servers there, between two daemons on loopback:
mcp_test.py TACTUSD TACTUS SERVER.

Who may start what, what arrives, and what is left when somebody is killed. No desktop
is needed.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
for _folder in ("tools/netns", "tools/two_peers"):
    sys.path.insert(0, _folder)
import two_peers  # noqa: E402

_TACTUSD, _TACTUS, _SERVER = map(os.path.abspath, sys.argv[1:4])
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 60


def running(mark):
    """The processes whose command line holds the word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as file:
                words = file.read().split(b"\0")
            with open("/proc/%s/stat" % pid) as file:
                state = file.read().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in words and state != "Z":
            found.append(int(pid))
    return found


class Agent:
    """A `tactus mcp connect` as an agent has it: two pipes."""

    def __init__(self, test, device, target, *options, env=None):
        self.test = test
        self.process = device.popen("mcp", "connect", target, *options,
                                    stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        for end in self.process.stdin, self.process.stdout, self.process.stderr:
            test.addCleanup(self.close, end)

    @staticmethod
    def close(end):
        try:
            end.close()
        except OSError:
            pass

    def say(self, line):
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self):
        return self.process.stdout.readline()

    def ask(self, number, method="tools/call", **params):
        """What is answered to a request; its result or its error."""
        self.say(json.dumps({"jsonrpc": "2.0", "id": number, "method": method,
                             "params": params}).encode() + b"\n")
        heard = self.hear()
        if not heard:
            raise AssertionError("it has ended: %r" % (self.end(),))
        answer = json.loads(heard)
        self.test.assertEqual(answer["id"], number)
        return answer.get("result", answer.get("error"))

    def end(self):
        """At the end of its input: exit code, what else was said, and errors."""
        out, err = self.process.communicate(timeout=_PATIENCE)
        return self.process.returncode, out, err.decode()


class Mcp(unittest.TestCase):
    maxDiff = None

    def pair(self):
        # Short, since the name of a socket must be.
        folder = tempfile.TemporaryDirectory(prefix="tactus", dir="/tmp")
        self.addCleanup(folder.cleanup)
        pair = two_peers.Pair(_TACTUSD, _TACTUS, folder.name)
        self.addCleanup(pair.close)
        pair.__enter__()
        pair.connect()
        self.mark = os.path.join(folder.name, "mark")
        return pair

    def expose(self, pair, name, *command, how="--allow"):
        pair.far.tactus("expose", name, "--to", "near", how, "--", *command)

    def served(self, pair, how="answer", consent="--allow"):
        """A server there, and its name."""
        self.expose(pair, "notes", sys.executable, _SERVER, how, self.mark,
                    how=consent)
        return "far/notes"

    def until(self, what, describe=None):
        end = time.monotonic() + _PATIENCE
        while True:
            found = what()
            if found:
                return found
            self.assertLess(time.monotonic(), end,
                            describe() if describe else "")
            time.sleep(0.02)

    def nothing_is_left(self, pair):
        self.until(lambda: not running(self.mark), lambda: running(self.mark))
        self.until(lambda: pair.far.ask("status")["mcp"]["served"] == [])
        self.until(lambda: pair.near.ask("status")["mcp"]["carried"] == 0)

    # --- what arrives

    def test_BytesOfBothSidesArriveAsTheyWereSent(self):
        pair = self.pair()
        self.expose(pair, "cat", "/bin/cat")
        lines = [
            b'{"a": 9007199254740993,"b":1.0,  "b":1.00,"c":1e400}\n',
            '{"id":null,"x":"é👩‍👩‍👧\u2028"}\r\n'.encode(),
            b'{"id":0,"result":"\\u0070ing"}\n',
            b"no json at all, \xff\xfe and [\n",
            b"\n",
            b"{" + b"x" * (1 << 20) + b"}\n",
        ]
        agent = Agent(self, pair.near, "far/cat")
        for line in lines:
            agent.say(line)
            self.assertEqual(agent.hear(), line)
        # The last one has no end.
        agent.say(b"{} ")
        self.assertEqual(agent.end(), (0, b"{} ", ""))
        self.nothing_is_left(pair)

    def test_Utf8SplitAtEachByteArrivesWhole(self):
        pair = self.pair()
        self.expose(pair, "cat", "/bin/cat")
        agent = Agent(self, pair.near, "far/cat")
        text = '{"t":"aé€👩‍👧"}\n'.encode()
        for at in range(1, len(text)):
            agent.say(text[:at])
            # What is there goes on before the rest comes.
            self.assertEqual(agent.process.stdout.read(at), text[:at])
            agent.say(text[at:])
            self.assertEqual(agent.hear(), text[at:])
        self.assertEqual(agent.end()[0], 0)

    def test_LinesOfEachSizeArriveHoweverTheyAreWritten(self):
        pair = self.pair()
        self.expose(pair, "cat", "/bin/cat")
        agent = Agent(self, pair.near, "far/cat")
        for byte in b"one byte at a time\n":
            agent.say(bytes([byte]))
        self.assertEqual(agent.hear(), b"one byte at a time\n")
        for size in (1, 2, 4095, 4096, 4097, 65535, 65536, 65537, 1 << 24):
            line = b"x" * (size - 1) + b"\n"
            writer = threading.Thread(target=agent.say, args=(line,))
            writer.start()
            self.assertEqual(agent.hear(), line)
            writer.join()
        self.assertEqual(agent.end(), (0, b"", ""))

    def test_EachAgentHasAServerOfItsOwnAndIdsAreNotCrossed(self):
        pair = self.pair()
        target = self.served(pair)
        agents = [Agent(self, pair.near, target) for _ in range(64)]
        failures = []

        def talk(number, agent):
            try:
                pids = set()
                for call in range(20):
                    # The same ids and tokens in all of them.
                    said = agent.ask(call, token=number)
                    pids.add(said["pid"])
                    if said["echo"] != {"token": number}:
                        failures.append((number, call, said))
                if len(pids) != 1:
                    failures.append((number, pids))
            except (AssertionError, ValueError, OSError) as error:
                failures.append((number, error))
        threads = [threading.Thread(target=talk, args=one)
                   for one in enumerate(agents)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(len(running(self.mark)), 64)
        status = pair.near.ask("status")["mcp"]
        self.assertEqual(status["carried"], 64)
        self.assertIn(b"\nagents       64 of this device use servers of peers\n",
                      pair.near.tactus("status").stdout)
        self.assertIn(b"\nserver       notes, used by near, 64 times\n",
                      pair.far.tactus("status").stdout)
        for agent in agents:
            self.assertEqual(agent.end(), (0, b"", ""))
        self.nothing_is_left(pair)

    def test_MuchOnStandardErrorHoldsNothingUpAndIsOfferedApart(self):
        pair = self.pair()
        target = self.served(pair, "loud")
        quiet = Agent(self, pair.near, target)
        self.assertIn("pid", quiet.ask(1))
        code, out, err = quiet.end()
        self.assertEqual((code, out, err), (0, b"", ""))
        told = Agent(self, pair.near, target, "--stderr")
        heard = []
        reader = threading.Thread(
            target=lambda: heard.append(told.process.stderr.read()))
        reader.start()
        self.assertIn("pid", told.ask(1))
        self.assertIn("pid", told.ask(2))
        told.process.stdin.close()
        self.assertEqual(told.process.wait(_PATIENCE), 0)
        reader.join()
        self.assertRegex(heard[0].decode(), r"e{1000,}")
        # Who does not read them hears answers all the same.
        deaf = Agent(self, pair.near, target, "--stderr")
        for number in range(5):
            self.assertIn("pid", deaf.ask(number))

    def test_RelayCarriesTheSame(self):
        pair = self.pair()
        self.expose(pair, "cat", "/bin/cat")
        agent = Agent(self, pair.near, "far/cat", "--relay")
        line = b"{" + b"x" * (1 << 18) + b"}\n"
        agent.say(line)
        self.assertEqual(agent.hear(), line)
        self.assertEqual(agent.end(), (0, b"", ""))
        self.nothing_is_left(pair)

    # --- who may

    def refused(self, pair, target, *, code=3):
        """The error that a pending request ends with, and what a person is told."""
        agent = Agent(self, pair.near, target)
        error = agent.ask(7, "initialize")
        ended = agent.end()
        self.assertEqual(ended[:2], (code, b""), ended)
        # That it was not carried out is known.
        self.assertEqual(error["data"], {"sent": "no"})
        self.assertEqual("tactus: %s\n" % error["message"].replace(
            ": the request was not sent", ""), ended[2])
        self.nothing_is_left(pair)
        return error["message"]

    def test_NothingIsServedBeforeItIsExposedToThatPeer(self):
        pair = self.pair()
        unknown = self.refused(pair, "far/notes")
        self.assertIn("no such server is exposed to this device", unknown)
        # Kept, and granted to nobody.
        pair.far.tactus("expose", "notes", "--", sys.executable, _SERVER,
                        "answer", self.mark)
        self.assertEqual(self.refused(pair, "far/notes"), unknown)
        self.assertEqual(running(self.mark), [])
        pair.far.tactus("expose", "notes", "--to", "near", "--allow")
        agent = Agent(self, pair.near, "far/notes")
        self.assertIn("pid", agent.ask(1))
        # Another name is another server.
        self.assertEqual(self.refused_beside(pair, "far/note"), unknown)
        self.assertEqual(agent.end()[0], 0)

    def refused_beside(self, pair, target):
        agent = Agent(self, pair.near, target)
        message = agent.ask(7, "initialize")["message"]
        self.assertEqual(agent.end()[0], 3)
        return message

    def test_UnexposedServerEndsAtOnceAndIsRefusedFromThenOn(self):
        pair = self.pair()
        target = self.served(pair, "mute")
        agent = Agent(self, pair.near, target)
        agent.say(b'{"jsonrpc":"2.0","id":"a","method":"tools/call"}\n')
        self.until(lambda: running(self.mark))
        pair.far.tactus("unexpose", "notes", "--to", "near")
        error = json.loads(agent.hear())
        self.assertEqual((error["id"], error["error"]["code"]), ("a", -32000))
        self.assertEqual(agent.end()[0], 1)
        self.nothing_is_left(pair)
        self.assertIn("no such server", self.refused(pair, target))
        exposed = json.loads(pair.far.tactus("exposed", "--json").stdout)
        self.assertEqual(exposed["servers"][0]["peers"], [])
        pair.far.tactus("unexpose", "notes")
        exposed = json.loads(pair.far.tactus("exposed", "--json").stdout)
        self.assertEqual(exposed, {"servers": []})

    def test_WhatIsExposedIsListedAndKeptForItsOwnerAlone(self):
        pair = self.pair()
        self.served(pair, consent="--ask")
        pair.far.tactus("expose", "--focused-text", "--to", "near", "--write")
        near = pair.near.ask("status")["device"]["id"]
        exposed = json.loads(pair.far.tactus("exposed", "--json").stdout)
        self.assertEqual(exposed, {"servers": [
            {"name": "focused-text", "command": [os.path.realpath(_TACTUS)],
             "focused_text": True,
             "peers": [{"name": "near", "id": near, "ask": True,
                        "write": True}]},
            {"name": "notes",
             "command": [sys.executable, _SERVER, "answer", self.mark],
             "focused_text": False,
             "peers": [{"name": "near", "id": near, "ask": True,
                        "write": False}]}]})
        path = os.path.join(pair.far.home, "config/tactus/servers.json")
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        text = pair.far.tactus("exposed").stdout.decode()
        self.assertIn("server       focused-text, the focused text\n"
                      "  for        near, to read and edit, when asked for\n",
                      text)
        # Another command under the name would be what nobody has granted.
        done = pair.far.tactus("expose", "notes", "--to", "near", "--",
                               "/bin/cat", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"another server is kept under this name", done.stderr)
        done = pair.far.tactus("expose", "x", "--to", "nobody", "--",
                               "/bin/cat", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"nobody", done.stderr)
        done = pair.far.tactus("expose", "x", "--to", "near", "--",
                               "no-such-program-at-all", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"no program that can be run", done.stderr)

    def question(self, pair):
        return self.until(lambda: pair.far.ask("status")["waiting"])[0]

    def test_WhereAPersonIsAskedNothingRunsBeforeItIsApproved(self):
        pair = self.pair()
        target = self.served(pair, consent="--ask")
        agent = Agent(self, pair.near, target)
        agent.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        question = self.question(pair)
        self.assertEqual((question["peer"], question["kind"]), ("near", "mcp"))
        self.assertIn("notes", question["text"])
        self.assertEqual(running(self.mark), [])
        pair.far.tactus("approve", str(question["id"]))
        # What was said meanwhile is answered.
        self.assertEqual(json.loads(agent.hear())["id"], 1)
        self.assertEqual(agent.end()[0], 0)
        # And it is asked again the next time.
        agent = Agent(self, pair.near, target)
        agent.say(b'{"jsonrpc":"2.0","id":2,"method":"initialize"}\n')
        pair.far.tactus("approve", str(self.question(pair)["id"]), "--refuse")
        error = json.loads(agent.hear())
        self.assertEqual(error["id"], 2)
        self.assertIn("it was refused there", error["error"]["message"])
        self.assertEqual(agent.end()[0], 3)
        self.nothing_is_left(pair)

    def test_QuestionOfAnAgentThatWasKilledIsAskedNoMore(self):
        pair = self.pair()
        agent = Agent(self, pair.near, self.served(pair, consent="--ask"))
        agent.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        self.question(pair)
        agent.process.kill()
        self.until(lambda: not pair.far.ask("status")["waiting"])
        self.nothing_is_left(pair)

    def test_QuestionEndsWhenWhatItIsOfIsExposedNoMore(self):
        pair = self.pair()
        agent = Agent(self, pair.near, self.served(pair, consent="--ask"))
        agent.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        self.question(pair)
        pair.far.tactus("unexpose", "notes")
        self.until(lambda: not pair.far.ask("status")["waiting"])
        self.assertIn("error", json.loads(agent.hear()))
        self.assertNotEqual(agent.end()[0], 0)
        self.assertEqual(running(self.mark), [])
        self.nothing_is_left(pair)

    def test_WhatIsChangedWhileAPersonIsAskedIsWhatTheyHaveApproved(self):
        pair = self.pair()
        target = self.served(pair, consent="--ask")
        path = os.path.join(pair.far.home, "config/tactus/servers.json")

        def connect(servers):
            agent = Agent(self, pair.near, target)
            agent.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
            number = self.question(pair)["id"]
            # By its owner, past the daemon, which cuts nothing for it.
            with open(path, "w") as file:
                json.dump({"servers": servers}, file)
            pair.far.tactus("approve", str(number))
            return agent, json.loads(agent.hear())
        other = self.mark + "-other"
        agent, heard = connect({"notes": {
            "command": [sys.executable, _SERVER, "answer", other]}})
        self.assertIn("result", heard)
        self.assertEqual(running(self.mark), [])
        self.assertEqual(len(running(other)), 1)
        self.assertEqual(agent.end()[0], 0)
        self.until(lambda: not running(other))
        # Taken out.
        agent, heard = connect({})
        self.assertIn("no such server", heard["error"]["message"])
        self.assertEqual(agent.end()[0], 3)
        self.nothing_is_left(pair)

    def cut(self, agent):
        """By the other side: it has not closed its own."""
        self.until(lambda: agent.process.poll() is not None)
        self.assertEqual(agent.process.returncode, 1)

    def test_ConnectionThatNobodyWasAskedForEndsWhenAPersonIsToBe(self):
        pair = self.pair()
        target = self.served(pair)
        agent = Agent(self, pair.near, target)
        self.assertIn("pid", agent.ask(1))
        # The same once more takes nothing away.
        pair.far.tactus("expose", "notes", "--to", "near", "--allow")
        self.assertIn("pid", agent.ask(2))
        pair.far.tactus("expose", "notes", "--to", "near", "--ask")
        self.cut(agent)
        self.nothing_is_left(pair)
        # And one that a person has let in stays.
        agent = Agent(self, pair.near, target)
        agent.say(b'{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')
        number = self.question(pair)["id"]
        pair.far.tactus("expose", "notes", "--to", "near", "--ask")
        pair.far.tactus("approve", str(number))
        self.assertEqual(json.loads(agent.hear())["id"], 1)
        for how in "--allow", "--ask":
            pair.far.tactus("expose", "notes", "--to", "near", how)
        self.assertIn("pid", agent.ask(2))
        self.assertEqual(agent.end()[0], 0)

    def test_ServerThatWasReplacedInTheFileEndsAndItsGrantWithIt(self):
        pair = self.pair()
        agent = Agent(self, pair.near, self.served(pair))
        self.assertIn("pid", agent.ask(1))
        path = os.path.join(pair.far.home, "config/tactus/servers.json")
        with open(path, "w") as file:
            file.write('{"servers": {}}')
        pair.far.tactus("expose", "notes", "--", "/bin/cat")
        self.cut(agent)
        self.nothing_is_left(pair)
        self.assertIn("no such server", self.refused(pair, "far/notes"))

    def test_PausedDaemonStartsNoServer(self):
        pair = self.pair()
        target = self.served(pair)
        pair.far.tactus("pause")
        self.assertIn("paused", self.refused(pair, target))
        pair.far.tactus("resume")
        agent = Agent(self, pair.near, target)
        self.assertIn("pid", agent.ask(1))

    def test_WhatCannotBeReachedIsToldBeforeAnythingIsCarried(self):
        pair = self.pair()
        for target, code, said in (("nobody/notes", 1, "nobody"),
                                   ("far/a b", 2, "no name of a server")):
            agent = Agent(self, pair.near, target)
            ended = agent.end()
            self.assertEqual(ended[:2], (code, b""), ended)
            self.assertIn(said, ended[2])
        pair.near.stop()
        agent = Agent(self, pair.near, "far/notes")
        ended = agent.end()
        self.assertEqual(ended[:2], (3, b""))
        self.assertIn("no daemon runs", ended[2])

    def test_ProgramThatCannotBeRunIsTold(self):
        pair = self.pair()
        gone = os.path.join(pair.far.home, "gone")
        with open(gone, "w") as file:
            file.write("#!/bin/sh\n")
        os.chmod(gone, 0o700)
        self.expose(pair, "gone", gone)
        os.unlink(gone)
        self.assertIn("was not started", self.refused(pair, "far/gone"))

    # --- the focused text, where no desktop is

    def text(self, pair, *options):
        pair.far.tactus("expose", "--focused-text", "--to", "near", *options)
        agent = Agent(self, pair.near, "far/focused-text")
        started = agent.ask(0, "initialize", protocolVersion="2025-11-25",
                            capabilities={},
                            clientInfo={"name": "t", "version": "1"})
        self.assertEqual(started["serverInfo"]["name"], "tactus")
        return agent

    def tools(self, agent):
        return [tool["name"] for tool in agent.ask(1, "tools/list")["tools"]]

    def kept(self, pair):
        """What is kept of what the peer did: tools and outcomes."""
        lines = pair.far.tactus("audit").stdout.decode().splitlines()
        entries = [json.loads(line) for line in lines]
        for entry in entries:
            self.assertEqual(list(entry),
                             ["time", "peer", "server", "tool", "outcome"])
            self.assertRegex(entry["time"],
                             r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
            self.assertEqual((entry["peer"], entry["server"]),
                             ("near", "focused-text"))
        return [(entry["tool"], entry["outcome"]) for entry in entries]

    def test_ReadingAloneShowsNoToolThatEditsAndRefusesThem(self):
        pair = self.pair()
        agent = self.text(pair, "--allow")
        self.assertEqual(self.tools(agent),
                         ["read_focused_text", "list_text_fields",
                          "list_applications"])
        for tool in ("insert_text", "replace_text", "undo_edit",
                     "focus_text_field"):
            error = agent.ask(2, name=tool, arguments={"text": "x"})
            self.assertEqual(error["code"], -32602)
        self.assertEqual(self.kept(pair), [])
        # There is no desktop to read from.
        read = agent.ask(3, name="read_focused_text", arguments={})
        self.assertTrue(read["isError"])
        self.assertEqual(self.kept(pair), [("read_focused_text", "refused")])
        path = os.path.join(pair.far.home, "state/tactus/audit.jsonl")
        self.assertEqual(os.stat(path).st_mode & 0o7777, 0o600)
        self.assertEqual(agent.end()[0], 0)

    def test_WritingIsGrantedApartAndTakenAwayAtOnce(self):
        pair = self.pair()
        agent = self.text(pair, "--write", "--allow")
        self.assertEqual(len(self.tools(agent)), 7)
        edit = agent.ask(2, name="insert_text", arguments={"text": "secret"})
        self.assertEqual(edit["structuredContent"]["reason"], "not-connected")
        # Of the connection that is there as well.
        pair.far.tactus("expose", "--focused-text", "--to", "near", "--read",
                        "--allow")
        edit = agent.ask(3, name="insert_text", arguments={"text": "secret"})
        said = edit["structuredContent"]
        self.assertEqual((said["outcome"], said["reason"], said["next_step"]),
                         ("refused", "not-permitted", "ask_user"))
        self.assertIn("and not edit it", said["message"])
        self.assertEqual(self.kept(pair), [
            ("insert_text", "begun"), ("insert_text", "refused"),
            ("insert_text", "refused")])
        pair.far.tactus("unexpose", "focused-text")
        self.assertNotEqual(agent.end()[0], 0)
        with open(os.path.join(pair.far.home, "state/tactus/audit.jsonl")) as log:
            self.assertNotIn("secret", log.read())

    def test_PersonIsAskedOnceForReadingAndSilenceIsNoLeave(self):
        pair = self.pair()
        agent = self.text(pair)
        # To connect and to look at the tools nobody is asked.
        self.tools(agent)
        self.assertEqual(pair.far.ask("status")["waiting"], [])

        def read(number, approve):
            agent.say(b'{"jsonrpc":"2.0","id":%d,"method":"tools/call",'
                      b'"params":{"name":"read_focused_text"}}\n' % number)
            if approve is not None:
                question = self.question(pair)
                self.assertEqual(question["kind"], "mcp")
                pair.far.tactus("approve", str(question["id"]),
                                *([] if approve else ["--refuse"]))
            return json.loads(agent.hear())["result"]["content"][0]["text"]
        self.assertIn("it was refused there", read(2, False))
        # Nobody is asked again at once.
        time.sleep(5)
        # It has no desktop; but it was let try.
        self.assertNotIn("refused there", read(3, True))
        self.assertNotIn("refused there", read(4, None))
        self.assertEqual(agent.end()[0], 0)

    def test_PausedDaemonLetsNobodyReadOrConnect(self):
        pair = self.pair()
        agent = self.text(pair, "--allow")
        pair.far.tactus("pause")
        for tool in ("read_focused_text", "list_applications"):
            read = agent.ask(2, name=tool, arguments={})
            self.assertIn("is paused", read["content"][0]["text"])
        self.assertIn("is paused",
                      self.refused_beside(pair, "far/focused-text"))
        pair.far.tactus("resume")
        read = agent.ask(3, name="read_focused_text", arguments={})
        self.assertNotIn("is paused", read["content"][0]["text"])

    # --- what is left

    def test_AgentsThatAreKilledLeaveNoProcess(self):
        pair = self.pair()
        target = self.served(pair, "children")
        for _ in range(10):
            agents = [Agent(self, pair.near, target) for _ in range(10)]
            for agent in agents:
                self.assertIn("pid", agent.ask(1))
            for agent in agents:
                agent.process.kill()
            self.nothing_is_left(pair)

    def test_AgentThatClosesItsPipesAndDiesLeavesNoProcess(self):
        pair = self.pair()
        # The command lives: it is the agent that is gone.
        target = self.served(pair, "stays")
        agent = Agent(self, pair.near, target)
        self.assertIn("pid", agent.ask(1))
        agent.process.stdin.close()
        agent.process.stdout.close()
        # SIGTERM, after the grace that a server has to finish.
        self.assertEqual(agent.process.wait(_PATIENCE), 128 + signal.SIGTERM)
        self.nothing_is_left(pair)

    def test_ServerThatDiesEndsEachPendingRequestOnce(self):
        pair = self.pair()
        target = self.served(pair, "mute")
        agent = Agent(self, pair.near, target)
        for number in ("1", '"a"', "9007199254740993"):
            agent.say(b'{"jsonrpc":"2.0","id":%s,"method":"m"}\n'
                      % number.encode())
        agent.say(b'{"jsonrpc":"2.0","method":"notifications/x"}\n')
        server = self.until(lambda: [
            pid for pid in running(self.mark)
            if b"mute" in open("/proc/%d/cmdline" % pid, "rb").read()])
        time.sleep(0.2)
        for pid in server:
            os.kill(pid, signal.SIGKILL)
        code, out, err = agent.end()
        self.assertEqual(code, 128 + signal.SIGKILL, err)
        lines = out.splitlines()
        self.assertEqual(len(lines), 3, out)
        for line, number in zip(lines, (b"1", b'"a"', b"9007199254740993")):
            self.assertIn(b'"id":' + number + b",", line)
            self.assertIn("killed by signal 9",
                          json.loads(line)["error"]["message"])
        self.nothing_is_left(pair)

    def test_ServersExitCodeIsThatOfTheCommand(self):
        pair = self.pair()
        agent = Agent(self, pair.near, self.served(pair, "die"))
        self.assertIn("ended with code 3", agent.ask(5)["message"])
        self.assertEqual(agent.end()[0], 3)

    def test_DaemonThatEndsEndsWhatItCarriedAndItWorksAfterwards(self):
        pair = self.pair()
        target = self.served(pair, "mute")
        for side in ("near", "far"):
            for how in ("stop", "kill"):
                agent = Agent(self, pair.near, target)
                agent.say(b'{"jsonrpc":"2.0","id":4,"method":"m"}\n')
                self.until(lambda: running(self.mark))
                device = getattr(pair, side)
                getattr(device, how)()
                code, out, err = agent.end()
                self.assertNotEqual(code, 0, (side, how))
                if (side, how) == ("near", "kill"):
                    # Who could have told is gone: the end of the pipe tells.
                    self.assertEqual(out, b"")
                else:
                    lines = out.splitlines()
                    self.assertEqual(len(lines), 1, (side, how, out, err))
                    self.assertEqual(json.loads(lines[0])["id"], 4)
                self.until(lambda: not running(self.mark))
                device.start()
                self.until(lambda: self.reaches(pair))
        self.nothing_is_left(pair)

    def reaches(self, pair):
        try:
            pair.near.ask("peers.echo", {"peer": "far"})
            return True
        except RuntimeError:
            return False

    def test_ForgottenPeersAgentIsCutDuringACall(self):
        pair = self.pair()
        target = self.served(pair, "mute")
        agent = Agent(self, pair.near, target)
        agent.say(b'{"jsonrpc":"2.0","id":4,"method":"m"}\n')
        self.until(lambda: running(self.mark))
        pair.far.tactus("forget", "near")
        self.assertEqual(json.loads(agent.hear())["id"], 4)
        self.assertEqual(agent.end()[0], 1)
        self.nothing_is_left(pair)
        # Paired again it may no more than a stranger that is paired.
        pair.near.tactus("forget", "far")
        try:
            pair.connect()
        except RuntimeError:
            # A message that was under way when it was forgotten.
            self.until(lambda: self.reaches(pair))
        self.assertIn("no such server", self.refused(pair, target))

    def test_AgentThatDoesNotReadStopsNeitherDaemon(self):
        pair = self.pair()
        self.expose(pair, "cat", "/bin/cat", self.mark + "-not-there", "-")
        agent = Agent(self, pair.near, "far/cat")
        # More than all pipes and sockets on the way hold.
        writer = threading.Thread(target=self.flood, args=(agent,))
        writer.start()
        other = Agent(self, pair.near, "far/cat")
        other.say(b"{}\n")
        self.assertEqual(other.hear(), b"{}\n")
        pair.near.stop()
        pair.far.stop()
        agent.process.kill()
        writer.join(_PATIENCE)
        self.assertFalse(writer.is_alive())

    @staticmethod
    def flood(agent):
        try:
            for _ in range(64):
                agent.say(b"x" * (1 << 20))
        except OSError:
            pass

    def test_CancellationDoesNotWaitForAFileThatIsSent(self):
        pair = self.pair()
        log = os.path.join(pair.far.home, "said")
        self.expose(pair, "log", sys.executable, _SERVER, "log", log)
        agent = Agent(self, pair.near, "far/log")
        self.assertIn("pid", agent.ask(1))
        path = os.path.join(pair.near.home, "bulk")
        with open(path, "wb") as file:
            file.truncate(1 << 29)
        sending = pair.near.popen("send", path, "far",
                                  stdout=subprocess.DEVNULL)
        self.addCleanup(sending.wait)
        self.addCleanup(sending.kill)
        self.until(lambda: pair.near.ask("status")["moving"] or
                   sending.poll() is not None)
        agent.say(b'{"jsonrpc":"2.0","method":"notifications/cancelled",'
                  b'"params":{"requestId":7}}\n')
        self.assertIn("pid", agent.ask(2))
        self.assertIsNone(sending.poll())
        with open(log, "rb") as file:
            self.assertIn(b'"requestId":7', file.read())

    # --- for people

    def test_ConfigurationIsWhatAnAgentCanStart(self):
        pair = self.pair()
        target = self.served(pair)
        config = json.loads(pair.near.tactus("mcp", "config", target).stdout)
        self.assertEqual(list(config), ["mcpServers"])
        server = config["mcpServers"]["far-notes"]
        self.assertEqual(server["args"], ["mcp", "connect", target])
        self.assertTrue(os.path.isabs(server["command"]))
        # With nothing else of the environment, as many agents do it.
        done = subprocess.run(
            [server["command"], *server["args"]], env=server["env"],
            input=b'{"jsonrpc":"2.0","id":1,"method":"m"}\n',
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=_PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(json.loads(done.stdout)["id"], 1)

    def test_LogHoldsNothingOfWhatWasSaid(self):
        pair = self.pair()
        agent = Agent(self, pair.near, self.served(pair))
        self.assertIn("pid", agent.ask(1, text="a-secret-word"))
        self.assertEqual(agent.end()[0], 0)
        self.nothing_is_left(pair)
        for device in pair.near, pair.far:
            with open(device.log, encoding="utf-8") as file:
                log = file.read()
            self.assertNotIn("secret", log)
        self.assertIn("near uses notes\n", log)
        self.assertIn("near uses notes no more\n", log)


if __name__ == "__main__":
    # How to run a few of them: bazel test --test_arg=Mcp.test_...
    names = [one for one in sys.argv[4:]]
    loader = unittest.defaultTestLoader
    tests = (loader.loadTestsFromNames(names, sys.modules[__name__]) if names
             else loader.loadTestsFromTestCase(Mcp))
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
