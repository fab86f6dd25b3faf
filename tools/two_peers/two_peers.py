"""Two devices of one person, each with a daemon and a home of its own, paired.

For tests, benchmarks and the demo: whatever they need of two machines. The two are
the sides of a link of tools/netns, or share this machine's loopback; nothing of the
person who runs it is seen or touched.

    with two_peers.Pair(tactusd, tactus, folder) as pair:
        pair.connect()
        pair.near.tactus("send", path, "far", check=True)
        os.path.join(pair.far.inbox, name)     # where it has arrived

`link` is a netns.Link or netns.Loopback, for whoever wants to cut it.
"""

import json
import os
import re
import signal
import socket
import subprocess
import time

# Seconds. What takes longer hangs.
_PATIENCE = 60
# Of a transfer.
_LONG = 900


class Device:
    """A daemon with a home of its own; `name` is what the other calls it."""

    def __init__(self, name, other, folder, tactusd, tactus, port, side, link):
        self.name = name
        self.home = os.path.join(folder, name)
        self.inbox = os.path.join(self.home, "inbox")
        self._tactusd = tactusd
        self._tactus = tactus
        self._side = side
        self._link = link
        self.process = None
        for part in ("run", "config/tactus", "state", "inbox"):
            os.makedirs(os.path.join(self.home, part), mode=0o700)
        self.environment = {
            "HOME": self.home,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": os.path.join(self.home, "run"),
            "XDG_CONFIG_HOME": os.path.join(self.home, "config"),
            "XDG_STATE_HOME": os.path.join(self.home, "state"),
            # That of this machine is not to tell anybody of these devices.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + os.path.join(
                self.home, "no-bus"),
        }
        self.socket = os.path.join(self.home, "run/tactus/control.sock")
        self.log = os.path.join(self.home, "log")
        address = "127.0.0.1"
        if link is not None and link.shaped:
            address = getattr(link, side).address
        self.port = port
        self._listen = address
        self.configure({other: {"files": "accept", "folder": self.inbox}})

    def configure(self, peers):
        """What peers may do; read when the daemon starts."""
        path = os.path.join(self.home, "config/tactus/config.json")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
                  "w") as file:
            json.dump({"listen": ["%s:%d" % (self._listen, self.port)],
                       "peers": peers}, file)

    def command(self, *words):
        """What runs on this device."""
        if self._link is None:
            return list(words)
        return self._link.command(self._side, words)

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command(self._tactusd), env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        until = time.monotonic() + _PATIENCE
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("the daemon of %s does not start: %s" % (
                    self.name, self.last_words()))
            time.sleep(0.005)

    def _answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(self.socket)
            except OSError:
                return False
        return True

    def last_words(self):
        try:
            with open(self.log, errors="replace") as log:
                lines = log.read().strip().splitlines()
        except OSError:
            lines = []
        return lines[-1] if lines else "it says nothing"

    def stop(self):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def kill(self):
        """As if the power were cut."""
        self.process.kill()
        self.process.wait()
        self.process = None

    def popen(self, *words, **arguments):
        """`tactus` on this device."""
        return subprocess.Popen(self.command(self._tactus, *words),
                                env=self.environment, **arguments)

    def tactus(self, *words, check=True, timeout=_LONG, **arguments):
        """Runs `tactus` to its end: its exit code and its output."""
        arguments.setdefault("stdin", subprocess.DEVNULL)
        arguments.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run(self.command(self._tactus, *words),
                              env=self.environment, stderr=subprocess.PIPE,
                              timeout=timeout, **arguments)
        if check and done.returncode != 0:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            raise RuntimeError("tactus %s: exit code %d%s" % (
                words[0], done.returncode, ": " + said[-1] if said else ""))
        return done

    def ask(self, method, params=None, timeout=_PATIENCE):
        """A request to the daemon: its result. Raises RuntimeError."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method}
        if params is not None:
            request["params"] = params
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(timeout)
            client.connect(self.socket)
            client.sendall(json.dumps(request).encode() + b"\n")
            with client.makefile("rb") as lines:
                for line in lines:
                    answer = json.loads(line)
                    if answer.get("id") == 1:
                        break
                else:
                    raise RuntimeError("%s: the daemon closed" % method)
        if "error" in answer:
            raise RuntimeError("%s: %s" % (method,
                                           answer["error"].get("message")))
        return answer["result"]

    def ask_until(self, method, params, notification):
        """A request whose answer comes later: what `notification` says first, and
        a function that waits for the answer."""
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(_PATIENCE)
        client.connect(self.socket)
        client.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                                   "params": params}).encode() + b"\n")
        lines = client.makefile("rb")

        def until(found):
            for line in lines:
                answer = json.loads(line)
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (
                        method, answer["error"].get("message")))
                if found(answer):
                    return answer
            raise RuntimeError("%s: the daemon closed" % method)

        def finish():
            with client, lines:
                return until(lambda answer: answer.get("id") == 1)["result"]

        said = until(lambda answer: answer.get("method") == notification)
        return said["params"], finish

    def peak_memory(self):
        """VmHWM of the daemon, in bytes."""
        with open("/proc/%d/status" % self.process.pid) as status:
            return 1024 * int(re.search(r"^VmHWM:\s*(\d+) kB", status.read(),
                                        re.M)[1])

    def wake_ups(self):
        """How often its threads have been given a processor, so far."""
        total = 0
        folder = "/proc/%d/task" % self.process.pid
        for task in os.listdir(folder):
            with open("%s/%s/status" % (folder, task)) as status:
                total += sum(map(int, re.findall(
                    r"^\w*voluntary_ctxt_switches:\s*(\d+)$", status.read(),
                    re.M)))
        return total


class Pair:
    """`folder` is empty, and whoever made it takes it away.

    In namespaces each listens at the usual port of its own side; on loopback at
    two that are free."""

    def __init__(self, tactusd, tactus, folder, link=None):
        if link is not None and link.shaped:
            ports = (7411, 7411)
        else:
            # Both at once, so that they differ.
            held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
            ports = [one.getsockname()[1] for one in held]
            for one in held:
                one.close()
        self.link = link
        self.near = Device("near", "far", folder, tactusd, tactus, ports[0],
                           "a", link)
        self.far = Device("far", "near", folder, tactusd, tactus, ports[1],
                          "b", link)

    def __enter__(self):
        try:
            self.far.start()
            self.near.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for device in (self.near, self.far):
            device.stop()

    def connect(self):
        """Pairs them, and waits until each can reach the other."""
        offered, finish = self.far.ask_until("peers.offer", {"name": "near"},
                                             "peers.offered")
        self.near.ask("peers.pair", {"code": offered["code"], "name": "far",
                                     "at": self.far_address()})
        finish()
        self.near.ask("peers.echo", {"peer": "far"})

    def echo_request(self):
        """A line that asks the near daemon for a message to the far one and
        back."""
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "peers.echo",
                           "params": {"peer": "far", "message": "m" * 64}})

    def send_request(self, path):
        """A line that asks the near daemon to send a file to the far one."""
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "files.send",
                           "params": {"peer": "far", "paths": [path]}})

    def send(self, *paths):
        """Sends files to the far device, where they are in its inbox."""
        self.near.tactus("send", *paths, "far")

    def far_address(self):
        if self.link is None:
            return "127.0.0.1:%d" % self.far.port
        return self.link.at("b", self.far.port)
