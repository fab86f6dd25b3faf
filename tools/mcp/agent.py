"""An agent: calls the tools of an MCP server, one call after the other.

    with agent.Agent(command, environment) as one:
        result = one.call("replace_text", {"old_text": "a", "new_text": "b"})
        result["structuredContent"]["outcome"]

Each call waits for its answer, with a deadline; what goes wrong is a RuntimeError.
"""

import json
import select
import subprocess
import time

# Seconds, of a call; what takes longer hangs.
_PATIENCE = 60
# For a server to end when its input has ended.
_GRACE = 15


class Agent:
    def __init__(self, command, environment):
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._held = b""
        self._ids = 0
        self._method = ""

    def __enter__(self):
        try:
            self.ask("initialize", {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "tactus-agent", "version": "1"}})
            self._write({"method": "notifications/initialized"})
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self._process.stdin.close()
        except OSError:
            pass                # it has gone
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for pipe in self._process.stdout, self._process.stderr:
            pipe.close()

    def _write(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()

    def _line(self, until):
        while b"\n" not in self._held:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [],
                                              left)[0]:
                raise RuntimeError("the server does not answer")
            data = self._process.stdout.read1(1 << 20)
            if not data:
                said = self._process.stderr.read().decode(errors="replace")
                raise RuntimeError("the server has gone: " +
                                   said.strip()[-500:])
            self._held += data
        line, self._held = self._held.split(b"\n", 1)
        return json.loads(line)

    def ask(self, method, params):
        """The result of a request."""
        self._begin(method, params)
        return self.end()

    def _begin(self, method, params):
        self._ids += 1
        self._method = method
        self._write({"id": self._ids, "method": method, "params": params})

    def end(self):
        """The result of the last request. What is told in between is left out."""
        until = time.monotonic() + _PATIENCE
        while True:
            message = self._line(until)
            if message.get("id") == self._ids and "method" not in message:
                break
        if "error" in message:
            raise RuntimeError("%s: %s" % (self._method,
                                           message["error"].get("message")))
        return message["result"]

    def call(self, tool, arguments):
        self.begin(tool, arguments)
        return self.end()

    def begin(self, tool, arguments):
        """A call that something is to happen in before its `end`."""
        self._begin("tools/call", {"name": tool, "arguments": arguments})
