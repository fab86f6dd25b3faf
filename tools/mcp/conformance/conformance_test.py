#!/usr/bin/env python3
"""Packaged servers behave through the chain as they do directly, message by message.

    conformance_test.py TACTUSD TACTUS

Two paired daemons with homes of their own are on loopback; the far one exposes the
servers, and the clients of conformance_test.mjs start `tactus mcp connect` as an agent
does. Both ways have the environment of the far device, so that a server finds the same.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
_MCP = os.path.dirname(_HERE)
sys.path[:0] = [_MCP, os.path.join(os.path.dirname(_MCP), "two_peers")]
import node_packages  # noqa: E402
import two_peers  # noqa: E402

_SCRIPTS = ("conformance_test.mjs", "exchanges.mjs", "paged_server.mjs",
            "stateless_server.mjs", "tap.mjs")
_PATIENCE = 600


def main():
    tactusd, tactus = (os.path.abspath(path) for path in sys.argv[1:3])
    node = shutil.which("node")
    with tempfile.TemporaryDirectory(prefix="tactus-") as scratch:
        node_packages.stage(scratch, [os.path.join(_HERE, script)
                                      for script in _SCRIPTS])
        modules = os.path.join(scratch, "node_modules/@modelcontextprotocol")
        folder = os.path.join(scratch, "files")
        start = [node, *node_packages.OPTIONS]
        commands = {
            "everything": start + [
                os.path.join(modules, "server-everything/dist/index.js"),
                "stdio"],
            "filesystem": start + [
                os.path.join(modules, "server-filesystem/dist/index.js"),
                folder],
            "paged": start + [os.path.join(scratch, "paged_server.mjs")],
            "stateless": start + [os.path.join(scratch,
                                               "stateless_server.mjs")],
        }
        os.mkdir(folder)
        with two_peers.Pair(tactusd, tactus, scratch) as pair:
            pair.connect()
            servers = {}
            for name, command in commands.items():
                pair.far.tactus("expose", name, "--to", "near", "--allow",
                                "--", *command)
                near = ["%s=%s" % one for one in pair.near.environment.items()]
                servers[name] = {
                    "direct": command,
                    "carried": ["/usr/bin/env", "-i", *near, tactus, "mcp",
                                "connect", "far/" + name],
                    "env": pair.far.environment,
                }
            servers["filesystem"]["folder"] = folder
            told = os.path.join(scratch, "servers.json")
            with open(told, "w") as file:
                json.dump(servers, file)
            done = subprocess.run(
                [node, *node_packages.OPTIONS,
                 os.path.join(scratch, "conformance_test.mjs"), told],
                timeout=_PATIENCE)
            return done.returncode


if __name__ == "__main__":
    sys.exit(main())
