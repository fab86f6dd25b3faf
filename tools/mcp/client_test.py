#!/usr/bin/env python3
"""The official clients drive `tactus mcp serve` on a private desktop, on the spot and
from another device.

    client_test.py client_test.mjs TACTUS TACTUSD

Two paired daemons with homes of their own are on loopback. The far one has the desktop
and exposes its focused text; the near one has neither display nor bus.
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
_HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
sys.path[:0] = [_HERE, os.path.join(os.path.dirname(_HERE), "two_peers")]
import node_packages  # noqa: E402
import two_peers  # noqa: E402

_PATIENCE = 800


def main():
    driver = os.path.abspath(sys.argv[1])
    tactus, tactusd = (os.path.abspath(path) for path in sys.argv[2:4])
    scratch = os.path.join(os.environ["TACTUS_DESKTOP_DIR"], "client")
    os.mkdir(scratch)
    script, = node_packages.stage(scratch, [driver])
    pair = two_peers.Pair(tactusd, tactus, scratch)
    for name in "DISPLAY", "DBUS_SESSION_BUS_ADDRESS":
        pair.far.environment[name] = os.environ[name]
    with pair:
        pair.connect()
        pair.far.tactus("expose", "--focused-text", "--to", "near", "--write",
                        "--allow")
        carried = {"command": tactus,
                   "args": ["mcp", "connect", "far/focused-text"],
                   "env": pair.near.environment}
        return subprocess.run(
            ["node", *node_packages.OPTIONS, script, tactus, tactusd,
             json.dumps(carried)],
            timeout=_PATIENCE).returncode


if __name__ == "__main__":
    sys.exit(main())
