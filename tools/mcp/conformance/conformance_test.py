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
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(_HERE)),
                                "two_peers"))
import two_peers  # noqa: E402

_SCRIPTS = ("conformance_test.mjs", "exchanges.mjs", "paged_server.mjs",
            "stateless_server.mjs", "tap.mjs")
_PATIENCE = 600


def main():
    tactusd, tactus = (os.path.abspath(path) for path in sys.argv[1:3])
    packages = os.path.abspath("../mcp_client")
    if not os.path.isdir(packages):
        packages = os.path.abspath("external/mcp_client")
    with open(os.path.join(packages, "STATE")) as file:
        state = file.read().strip()
    if state != "ok":
        sys.exit("FAILED: the packages are not there: " + state)
    node = shutil.which("node")
    with tempfile.TemporaryDirectory(prefix="tactus-") as scratch:
        # Modules are looked for beside the file that asks for them.
        for script in _SCRIPTS:
            shutil.copy(os.path.join(_HERE, script), scratch)
        os.symlink(os.path.join(packages, "node_modules"),
                   os.path.join(scratch, "node_modules"))
        modules = os.path.join(scratch, "node_modules/@modelcontextprotocol")
        folder = os.path.join(scratch, "files")
        start = [node, "--preserve-symlinks", "--preserve-symlinks-main"]
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
                [node, "--preserve-symlinks", "--preserve-symlinks-main",
                 os.path.join(scratch, "conformance_test.mjs"), told],
                timeout=_PATIENCE)
            return done.returncode


if __name__ == "__main__":
    sys.exit(main())
