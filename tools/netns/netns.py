"""Two network namespaces and a link between them, for tests and benchmarks.

    with netns.open_link(program, delay_ms=20, loss_permille=1) as link:
        server = link.popen("b", ["server", "--at", link.b.address + ":7411"])
        link.run("a", ["client", link.b.address + ":7411"], check=True)
        link.cut()
        ...
        link.join()

`program` is the path of tools/netns/link. What was started with popen is ended
with the link, and nothing else is. `NotAllowed` says that there can be no
namespaces here, and why; `Loopback` then has the same verbs on this machine's
loopback, but for delay and loss.
"""

import json
import select
import socket
import subprocess
import threading

# The exit code of tools/netns/link for it.
_NOT_ALLOWED = 3
# Seconds. A link that says nothing for so long hangs.
_PATIENCE = 10


class NotAllowed(Exception):
    """There can be no namespaces here; the text says what was refused."""


class Side:
    """One end: where it is, and what stands before a command to run there."""

    def __init__(self, address, address6="", enter=()):
        self.address = address
        self.address6 = address6
        self.enter = list(enter)


class _Processes:
    """What was started on either side."""

    # Whether delay and loss are real here.
    shaped = True

    def __init__(self):
        self._started = []

    def command(self, side, command):
        return getattr(self, side).enter + list(command)

    def popen(self, side, command, **arguments):
        process = subprocess.Popen(self.command(side, command), **arguments)
        self._started.append(process)
        return process

    def run(self, side, command, **arguments):
        return subprocess.run(self.command(side, command), **arguments)

    def _end_processes(self):
        for process in self._started:
            if process.poll() is None:
                process.terminate()
        for process in self._started:
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()
        self._started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Link(_Processes):
    """Use open_link."""

    def __init__(self, program, delay_ms, loss_permille, seed):
        super().__init__()
        self._process = subprocess.Popen(
            [program, "--delay-ms", str(delay_ms),
             "--loss-permille", str(loss_permille), "--seed", str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        try:
            ends = self._answer()
        except RuntimeError as error:
            if self._process.wait() == _NOT_ALLOWED:
                raise NotAllowed(str(error)) from None
            raise
        self.a = Side(**ends["a"])
        self.b = Side(**ends["b"])

    def _answer(self):
        out = self._process.stdout
        line = b""
        if select.select([out], [], [], _PATIENCE)[0]:
            line = out.readline()
        if not line.endswith(b"\n"):
            self._process.kill()
            said = self._process.stderr.read().decode(errors="replace")
            raise RuntimeError(said.strip() or "the link does not answer")
        return json.loads(line)

    def _tell(self, line):
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def set(self, delay_ms=None, loss_permille=None):
        """Each way, for packets from now on."""
        if delay_ms is not None:
            self._tell("delay %d" % delay_ms)
        if loss_permille is not None:
            self._tell("loss %d" % loss_permille)

    def cut(self):
        """As a cable that is pulled: nobody is told."""
        self._tell("cut")

    def join(self):
        self._tell("join")

    def counts(self):
        """{"a_to_b": {"carried", "bytes", "lost", "cut", "full"}, "b_to_a"}"""
        return self._tell("counts")

    def at(self, side, port):
        """Where the other side finds what listens there at `port`."""
        return "%s:%d" % (getattr(self, side).address, port)

    def close(self):
        self._end_processes()
        if self._process.poll() is None:
            self._process.stdin.close()
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for pipe in (self._process.stdout, self._process.stderr):
            pipe.close()


class Loopback(_Processes):
    """The same where there can be no namespaces: both sides are this machine.

    What the sides say to each other through `at` goes through a relay, so that
    it can be cut; packets are neither delayed nor lost."""

    shaped = False

    def __init__(self):
        super().__init__()
        self.a = self.b = Side("127.0.0.1")
        self._lock = threading.Lock()
        self._cut = False
        self._sockets = set()
        self._listeners = []
        self._bytes = {"a_to_b": 0, "b_to_a": 0}

    def at(self, side, port):
        listener = socket.create_server(("127.0.0.1", 0))
        self._listeners.append(listener)
        threading.Thread(target=self._accept, args=(listener, side, port),
                         daemon=True).start()
        return "127.0.0.1:%d" % listener.getsockname()[1]

    def _accept(self, listener, side, port):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            with self._lock:
                cut = self._cut
            try:
                if cut:
                    raise OSError("cut")
                far = socket.create_connection(("127.0.0.1", port))
            except OSError:
                near.close()
                continue
            for one in (near, far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self._sockets |= {near, far}
            there, back = (("a_to_b", "b_to_a") if side == "b" else
                           ("b_to_a", "a_to_b"))
            for source, sink, way in ((near, far, there), (far, near, back)):
                threading.Thread(target=self._carry, args=(source, sink, way),
                                 daemon=True).start()

    def _carry(self, source, sink, way):
        try:
            while True:
                part = source.recv(1 << 18)
                if not part:
                    sink.shutdown(socket.SHUT_WR)
                    return
                sink.sendall(part)
                with self._lock:
                    self._bytes[way] += len(part)
        except OSError:
            self._drop(source, sink)

    def _drop(self, *sockets):
        with self._lock:
            self._sockets -= set(sockets)
        for one in sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def set(self, delay_ms=None, loss_permille=None):
        if delay_ms or loss_permille:
            raise NotAllowed("loopback has neither delay nor loss")

    def cut(self):
        with self._lock:
            self._cut = True
            sockets = list(self._sockets)
        self._drop(*sockets)

    def join(self):
        with self._lock:
            self._cut = False

    def counts(self):
        with self._lock:
            return {way: {"bytes": count}
                    for way, count in self._bytes.items()}

    def close(self):
        self._end_processes()
        for listener in self._listeners:
            listener.close()
        with self._lock:
            sockets = list(self._sockets)
        self._drop(*sockets)


def open_link(program, delay_ms=0, loss_permille=0, seed=1):
    """Raises NotAllowed."""
    return Link(program, delay_ms, loss_permille, seed)


def open_link_or_loopback(program):
    """And, where it is loopback, why."""
    try:
        return open_link(program), ""
    except NotAllowed as error:
        return Loopback(), str(error)
