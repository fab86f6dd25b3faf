#!/usr/bin/env python3
"""Measures MCP carried between two devices beside its floors and the peers, and holds
it to its goals.

A native server that echoes is called directly over its pipes and through the whole
chain: bridge, daemon, channel, far daemon. README.md in tools/mcp/benchmark says what
is compared and why that is fair.

Exit: 0 every goal was met; 1 one was missed; 2 usage; 3 none was missed, but one
could not be measured here.
"""

import argparse
import json
import os
import subprocess
import sys
import time

# It may run from a tree that is not to be written to.
sys.dont_write_bytecode = True


def runfiles():
    """The folder in which //tools/... lies."""
    for folder in (os.getcwd(), os.path.abspath(sys.argv[0]) +
                   ".runfiles/tactus"):
        if os.path.exists(os.path.join(folder, "tools/mcp/benchmark/agent")):
            return folder
    sys.exit("benchmark: run it with bazel run -c opt //tools/mcp:benchmark")


_ROOT = runfiles()
for _folder in ("transfer/benchmark", "tools/two_peers"):
    sys.path.insert(0, os.path.join(_ROOT, _folder))
import parts  # noqa: E402
import peers  # noqa: E402
import two_peers  # noqa: E402
from judge import Goal, Series  # noqa: E402

_HERE = os.path.join(_ROOT, "tools/mcp/benchmark")
_AGENT = os.path.join(_HERE, "agent")
_ECHO = os.path.join(_HERE, "echo_server")
_EDITS = os.path.join(_HERE, "edits.py")
_RECORD = os.path.join(_HERE, "record")
_DESKTOP = os.path.join(_ROOT, "tools/desktop/run")
_TACTUSD = os.path.join(_ROOT, "tools/tactusd/tactusd")
_TACTUS = os.path.join(_ROOT, "tools/tactus/tactus")
_BRIDGE = os.path.join(os.path.dirname(_ROOT), "mcp_bridge")

_MIB = 2**20
# Of the file whose rate large messages stand beside: long enough that the start of
# the command is little of it.
_FILE_MIB = 256
# Seconds for a bridge to listen.
_START = 120
# Of a measurement as a whole; what takes longer hangs.
_LONG = 3600

PARTS = {
    "calls": "A call through the chain and directly, and the parts of the chain",
    "large": "Messages of 1 and 16 MiB one way, beside the rate of a file",
    "many": "Many agents at once, each with a server of its own",
    "edits": "A remote edit, from the agent's call to its proof in the editor",
    "typing": "Remote edits while a process types into the same field",
}


def goals(options):
    """What the chain adds to a call that it shares with the direct one: its own
    parts, of which each is measured in this run."""
    parts = ("calls.pipe", "calls.unix", "calls.openssl")
    found = [
        Goal("calls", "added to a call, median", "calls.tactus",
             ("calls.direct",), "added", 0.25, 20),
        Goal("calls", "added to a call, 95 of 100", "calls.tactus_p95",
             ("calls.direct_p95",), "added", 0.6, 20),
        Goal("calls", "added, in sums of its parts", "calls.tactus",
             ("calls.direct",) + parts, "floors", 3, 20),
        Goal("calls", "times as fast as ssh -T", "calls.tactus",
             ("calls.ssh",), "faster", None, 20),
        Goal("calls", "times as fast as supergateway", "calls.tactus",
             ("calls.supergateway",), "faster", None, 20),
        Goal("large", " 1 MiB, of the rate of a file", "large.tactus_1",
             ("large.file_1",), "faster", 0.5),
        Goal("large", "16 MiB, of the rate of a file", "large.tactus_16",
             ("large.file_16",), "faster", 0.5),
        Goal("large", "16 MiB, of the rate of ssh -T", "large.tactus_16",
             ("large.ssh_16",), "faster", None),
        Goal("many", "calls that were lost", "many.lost", (), "count", 0, 1),
        Goal("many", "answers of another call", "many.crossed", (), "count", 0,
             1),
        Goal("edits", "remote edit, proved in the editor", "edits.remote", (),
             "milliseconds", 15, 20),
        Goal("edits", "of the same edit without the way", "edits.remote",
             ("edits.local",), "share", None, 20),
        Goal("typing", "outcomes that the editor contradicts",
             "typing.disagreed", (), "count", 0, 1),
    ]
    return [goal for goal in found if goal.part in options.only]


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="benchmark", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    parser.add_argument("--only", metavar="PART,...", default="",
                        help="only these of " + ", ".join(PARTS))
    parser.add_argument("--blocks", type=int, default=40, metavar="N",
                        help="of 100 calls each (default: 40)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N",
                        help="of large messages (default: 7)")
    parser.add_argument("--agents", type=int, default=64, metavar="N",
                        help="of the part many (default: 64)")
    parser.add_argument("--each", type=int, default=1000, metavar="N",
                        help="calls of each agent (default: 1000)")
    parser.add_argument("--edits", type=int, default=200, metavar="N",
                        help="of the part edits (default: 200)")
    parser.add_argument("--typing", type=int, default=1000, metavar="N",
                        help="edits of the part typing (default: 1000)")
    parser.add_argument("--alone", action="store_true",
                        help="without the peers: as the gate measures")
    parser.add_argument("--folder", metavar="DIR", default="/dev/shm",
                        help="where files and homes are made (default: "
                        "/dev/shm)")
    parser.add_argument("--lines", action="store_true",
                        help="print the samples, a line of JSON a series, and "
                        "judge nothing")
    parser.add_argument("--record", action="store_true",
                        help="append rows to the ledger, docs/perf/data")
    parser.add_argument("--ledger", metavar="DIR", default="",
                        help="append them to the ledger in this folder")
    options = parser.parse_args(arguments)
    options.only = [part for part in options.only.split(",") if part]
    for part in options.only:
        if part not in PARTS:
            parser.error("--only: no '%s' among %s" % (part, ", ".join(PARTS)))
    options.only = options.only or list(PARTS)
    for name, least in (("blocks", 5), ("rounds", 1), ("agents", 1),
                        ("each", 1), ("edits", 1), ("typing", 1)):
        if getattr(options, name) < least:
            parser.error("--%s: at least %d" % (name, least))
    return options


class Supergateway:
    """A stdio server offered over HTTP and taken from there to stdio again, which is
    how this package carries one to another machine."""

    def __init__(self, folder):
        self._folder = folder
        self._process = None

    def __enter__(self):
        program = os.path.join(_BRIDGE,
                               "node_modules/supergateway/dist/index.js")
        try:
            with open(os.path.join(_BRIDGE, "STATE")) as file:
                state = file.read().strip()
        except OSError:
            state = "the package is not there"
        if state != "ok" or not os.path.exists(program):
            raise peers.NotMeasured("supergateway: " + state)
        self._program = os.path.realpath(program)
        self._port = peers.free_port()
        os.makedirs(self._folder, mode=0o700)
        with open(os.path.join(self._folder, "log"), "wb") as log:
            self._process = subprocess.Popen(
                ["node", self._program, "--stdio", _ECHO, "--outputTransport",
                 "streamableHttp", "--stateful", "--port", str(self._port),
                 "--logLevel", "none"], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)
        until = time.monotonic() + _START
        while not self._listens():
            if self._process.poll() is not None or time.monotonic() > until:
                self.__exit__()
                raise peers.NotMeasured("supergateway does not start")
            time.sleep(0.05)
        return self

    def _listens(self):
        with open("/proc/net/tcp") as ipv4, open("/proc/net/tcp6") as ipv6:
            return (":%04X " % self._port) in ipv4.read() + ipv6.read()

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def command(self):
        return ["node", self._program, "--streamableHttp",
                "http://127.0.0.1:%d/mcp" % self._port, "--logLevel", "none"]


class Benchmark(parts.Parts):
    def pair(self):
        """Two paired daemons on loopback; the far one has the server exposed."""
        if self._pair is None:
            pair = two_peers.Pair(_TACTUSD, _TACTUS, self._new_folder("pair"))
            self._pair = pair.__enter__()
            pair.connect()
            pair.far.tactus("expose", "echo", "--to", "near", "--allow", "--",
                            _ECHO)
        return self._pair

    def _chain(self):
        """The command of an agent on the near device."""
        near = self.pair().near
        return ["env", "-i"] + ["%s=%s" % one
                                for one in near.environment.items()] + [
            _TACTUS, "mcp", "connect", "far/echo"]

    def _take(self, part, line, *row, **configuration):
        """Keeps what a line of a program's tells."""
        self._keep(Series("%s.%s" % (part, line["series"]), line["unit"],
                          line["samples"], line.get("failures", 0),
                          line.get("failure", "")), *row, **configuration)

    @staticmethod
    def _lines(command, **arguments):
        """What a program of ours prints. Raises RuntimeError."""
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=_LONG,
                              **arguments)
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()
            raise RuntimeError(said[-1] if said else "%s failed" % command[0])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def _agent(self, ways, *arguments):
        return self._lines([_AGENT, *arguments],
                           input="".join("\t".join([name] + command) + "\n"
                                         for name, command in ways))

    def _optional(self, peer):
        """A peer, or None with a note where it cannot be had."""
        return parts.Optional(None if self._options.alone else peer, self.notes)

    # ---- The parts.

    def _part_calls(self):
        ways = [("tactus", self._chain()), ("direct", [_ECHO])]
        with self._optional(peers.Ssh(self._new_path("ssh"))) as ssh, \
                self._optional(Supergateway(self._new_path("gateway"))) as one:
            if ssh:
                ways.append(("ssh", ssh.command(_ECHO)))
            if one:
                ways.append(("supergateway", one.command()))
            lines = self._agent(ways, "calls", "--blocks",
                                str(self._options.blocks))
        for line in lines:
            self._take("calls", line, "mcp/call/" + line["series"],
                       calls_of_a_block=100)
        # Of each round, since its blocks were taken one after the other. For the
        # gate, whose floor is named after what it is the floor of.
        for end in "", "_p95":
            ours, direct, floor = (self.series["calls.%s%s" % (name, end)]
                                   for name in ("tactus", "direct", "openssl"))
            self._take("calls", {
                "series": "added" + end, "unit": "us",
                "samples": [one - other for one, other in zip(
                    ours.samples, direct.samples)]},
                "mcp/added" + end, calls_of_a_block=100)
            self._take("calls", {"series": "floor" + end, "unit": "us",
                                 "samples": floor.samples},
                       "mcp/added%s/openssl" % end, calls_of_a_block=100)

    def _part_large(self):
        pair = self.pair()
        source = self._new_path("file")
        with open(source, "wb") as file:
            for _ in range(_FILE_MIB):
                file.write(os.urandom(_MIB))
        rates = []
        for _ in range(3):
            begun = time.monotonic()
            pair.send(source)
            rates.append(_FILE_MIB * _MIB / (time.monotonic() - begun))
            os.unlink(os.path.join(pair.far.inbox, os.path.basename(source)))
        os.unlink(source)
        with self._optional(peers.Ssh(self._new_path("ssh"))) as ssh:
            ways = [("tactus", self._chain()), ("direct", [_ECHO])]
            if ssh:
                ways.append(("ssh", ssh.command(_ECHO)))
            for mebibytes in 1, 16:
                for line in self._agent(ways, "large", "--bytes",
                                        str(mebibytes * _MIB), "--rounds",
                                        str(self._options.rounds)):
                    line["series"] += "_%d" % mebibytes
                    self._take("large", line, "mcp/large/" + line["series"],
                               size="%d MiB" % mebibytes)
                self._take("large", {
                    "series": "file_%d" % mebibytes, "unit": "s",
                    "samples": [mebibytes * _MIB / rate for rate in rates]})
        self.notes.append("a file of %d MiB goes at %.0f MB/s" % (
            _FILE_MIB, sorted(rates)[1] / 1e6))

    def _part_many(self):
        for line in self._agent([("tactus", self._chain())], "many",
                                "--agents", str(self._options.agents),
                                "--calls", str(self._options.each)):
            more = line["series"] == "rate"
            self._take("many", line, "mcp/many/" + line["series"],
                       "more" if more else "less",
                       agents=self._options.agents, calls=self._options.each)
            if more:
                self.notes.append("%d agents, %.0f calls a second in all" % (
                    self._options.agents, line["samples"][0]))

        wrong = sum(self.series["many." + name].worst
                    for name in ("lost", "crossed"))
        if wrong and self._options.lines:
            raise RuntimeError("%d calls were lost or crossed" % wrong)

    def _edits(self, part, *arguments):
        folder = self._new_path("edits")
        os.mkdir(folder)
        for line in self._lines(
                [_DESKTOP, "--app", "gtk3", "--text", "one two end",
                 "--timeout", "0", "--", sys.executable, _EDITS, _TACTUSD,
                 _TACTUS, folder, *arguments]):
            name = line["series"].split(".")[1]
            line["series"] = name
            self._take(part, line, "mcp/%s/%s" % (part, name),
                       "more" if name == "verified" else "less",
                       application="gtk3")
            if "outcomes" in line:
                self.notes.append("%s; %d keys typed" % (", ".join(
                    "%d %s" % (count, outcome) for outcome, count in sorted(
                        line["outcomes"].items())), line["keys"]))

    def _part_edits(self):
        self._edits("edits", "--edits", str(self._options.edits))

    def _part_typing(self):
        self._edits("typing", "--typing", str(self._options.typing))


def main():
    options = _parse(sys.argv[1:])
    return parts.run(options, Benchmark, PARTS, goals(options), _RECORD)


if __name__ == "__main__":
    sys.exit(main())
