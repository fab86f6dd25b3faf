#!/usr/bin/env python3
"""An MCP server as bad as one can be, for tests: mcp_server.py HOW [MARK].

It answers `{"jsonrpc":"2.0","id":ID,"result":{...}}` to each line with an id, as HOW
says. MARK stands in its command line, so that a test finds the process.
"""

import json
import os
import subprocess
import sys
import time


def answer(line, result):
    message = json.loads(line)
    if "id" not in message:
        return
    said = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
    sys.stdout.buffer.write(said.encode() + b"\n")
    sys.stdout.buffer.flush()


def main():
    how = sys.argv[1]
    mark = sys.argv[2] if len(sys.argv) > 2 else ""
    if how == "children":
        # One that stays in the group, and one that leaves it.
        code = "import time; time.sleep(600)"
        subprocess.Popen([sys.executable, "-c", code, mark],
                         stdin=subprocess.DEVNULL)
        subprocess.Popen([sys.executable, "-c", code, mark],
                         stdin=subprocess.DEVNULL, start_new_session=True)
    for line in sys.stdin.buffer:
        if how == "mute":
            continue
        if how == "die":
            os._exit(3)
        if how == "loud":
            sys.stderr.write("e" * (1 << 20))
            sys.stderr.flush()
        if how == "deaf":
            # Reads no more, and stays.
            time.sleep(600)
        if how == "log":
            with open(mark, "ab") as log:
                log.write(line)
        answer(line, {"pid": os.getpid(), "echo": json.loads(line).get("params")})
    if how == "stays":
        time.sleep(600)


if __name__ == "__main__":
    main()
