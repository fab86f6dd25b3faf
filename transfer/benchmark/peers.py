"""The tools that a user would pick instead, each run as it is meant to be.

Each is a context: entering it starts what the tool needs (an sshd of its own, a
mailbox) on loopback or in a namespace, with keys and folders that are thrown away;
leaving it ends just that. `copy(source, target)` is what is timed, process start
included. `NotMeasured` says what is missing: a peer that is not there is not beaten.
"""

import getpass
import os
import shutil
import socket
import subprocess
import time

# Seconds, of anything here; what takes longer hangs.
_PATIENCE = 600
_START = 20


class NotMeasured(Exception):
    """This peer cannot be measured here; the text says why."""


def _need(*programs):
    for program in programs:
        path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
        if not shutil.which(program, path=path):
            raise NotMeasured("%s is not installed: tools/setup --test"
                              % program)


def free_port():
    """A port that nothing listens at. Another may take it; then a start fails."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


def _run(command, **arguments):
    """Runs it to its end, or raises RuntimeError with its last words."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=_PATIENCE, **arguments)
    if done.returncode != 0:
        said = done.stdout.decode(errors="replace").strip().splitlines()
        raise RuntimeError("%s: exit code %d%s" % (
            os.path.basename(command[0]), done.returncode,
            ": " + said[-1] if said else ""))


def _await(ready, process, what):
    until = time.monotonic() + _START
    while not ready():
        if process.poll() is not None or time.monotonic() > until:
            raise NotMeasured("%s does not start" % what)
        time.sleep(0.02)


class _Peer:
    def __init__(self, folder):
        self._folder = folder
        self._started = []

    def _start(self, command, **arguments):
        log = open(os.path.join(self._folder, "log"), "ab")
        with log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                       stdout=log, stderr=log, **arguments)
        self._started.append(process)
        return process

    def __exit__(self, *_):
        for process in self._started:
            process.terminate()
        for process in self._started:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Scp(_Peer):
    """scp to an sshd of its own, with keys of its own.

    With `link`, a netns.Link, the sshd is at its side b and scp at its side a.
    """

    def __init__(self, folder, link=None):
        super().__init__(folder)
        self._link = link
        self.cipher = ""

    def __enter__(self):
        _need("scp", "sshd", "ssh-keygen")
        os.makedirs(self._folder, mode=0o700)
        for key in "host", "user":
            _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key,
                  "-f", self._path(key)])
        shutil.copy(self._path("user.pub"), self._path("authorized"))
        self._address = self._link.b.address if self._link else "127.0.0.1"
        self._port = 2222 if self._link else free_port()
        with open(self._path("host.pub")) as public:
            kind, key = public.read().split()[:2]
        with open(self._path("known"), "w") as known:
            known.write("[%s]:%d %s %s\n" % (self._address, self._port, kind,
                                             key))
        with open(self._path("config"), "w") as config:
            config.write("""
Port %d
ListenAddress %s
HostKey %s
AuthorizedKeysFile %s
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
UseDNS no
PrintMotd no
Subsystem sftp internal-sftp
""" % (self._port, self._address, self._path("host"),
                self._path("authorized")))
        server = [shutil.which("sshd", path="/usr/sbin:/usr/bin"), "-D", "-e",
                  "-f", self._path("config")]
        if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
            # It wants an empty folder there: in a mount namespace of its own,
            # so that nothing is left behind.
            server = ["unshare", "--mount", "sh", "-c",
                      "mount -t tmpfs none /run && mkdir -m 0755 /run/sshd && "
                      'exec "$@"', "sh"] + server
        process = self._start(self._link.command("b", server) if self._link
                              else server)

        def listens():
            with open(os.path.join(self._folder, "log"), "rb") as log:
                return b"Server listening" in log.read()
        _await(listens, process, "sshd")
        return self

    def _path(self, name):
        return os.path.join(self._folder, name)

    def copy(self, source, target, recursive=False):
        command = ["scp", "-q", "-P", str(self._port)] + self._options()
        if self.cipher:
            command += ["-c", self.cipher]
        if recursive:
            command.append("-r")
        command += [source, "%s@%s:%s" % (getpass.getuser(), self._address,
                                          target)]
        _run(self._link.command("a", command) if self._link else command)


    def _options(self):
        return ["-F", "none", "-i", self._path("user"),
                "-o", "IdentitiesOnly=yes",
                "-o", "UserKnownHostsFile=" + self._path("known"),
                "-o", "GlobalKnownHostsFile=none", "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=yes"]


class Ssh(Scp):
    """ssh to the same kind of sshd, by one connection that stays: what a user sets
    up who calls a program of another machine often."""

    def __enter__(self):
        super().__enter__()
        self._start(self._ssh("-M", "-N"))
        until = time.monotonic() + _START
        while subprocess.run(self._ssh("-O", "check"), stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL).returncode != 0:
            if time.monotonic() > until:
                raise NotMeasured("ssh does not connect")
            time.sleep(0.05)
        return self

    def _ssh(self, *more):
        return (["ssh", "-p", str(self._port)] + self._options() +
                ["-o", "ControlPath=" + self._path("control"), *more,
                 "%s@%s" % (getpass.getuser(), self._address)])

    def command(self, *words):
        """What runs `words` there, without a terminal."""
        return self._ssh("-T") + list(words)


class WormholeWilliam(_Peer):
    """wormhole-william, with the mailbox and the relay that it would use on the
    internet, on the loopback of a namespace: its relay's name is fixed, and so is
    mapped there in a hosts file of its own."""

    _RELAY = "transit.magic-wormhole.io"

    def __init__(self, folder, link):
        super().__init__(folder)
        self._link = link
        self._copies = 0

    def __enter__(self):
        _need("wormhole-william", "twistd3")
        os.makedirs(self._folder, mode=0o700)
        hosts = os.path.join(self._folder, "hosts")
        with open(hosts, "w") as file:
            file.write("127.0.0.1 localhost %s\n" % self._RELAY)
        self._enter = self._link.command("a", [
            "unshare", "--mount", "sh", "-c",
            'mount --bind "$0" /etc/hosts && exec "$@"', hosts])
        environment = dict(os.environ, HOME=self._folder)
        self._mailbox = self._start(self._enter + [
            "twistd3", "--nodaemon", "--pidfile=", "wormhole-mailbox",
            "--port=tcp:4000:interface=127.0.0.1",
            "--channel-db=" + os.path.join(self._folder, "channels.sqlite"),
            "--usage-db=" + os.path.join(self._folder, "usage.sqlite")],
            cwd=self._folder, env=environment)
        relay = self._start(self._enter + [
            "twistd3", "--nodaemon", "--pidfile=", "transitrelay",
            "--port=tcp:4001:interface=127.0.0.1"],
            cwd=self._folder, env=environment)
        for port, process in (4000, self._mailbox), (4001, relay):
            _await(lambda: self._listens(port), process, "the mailbox")
        return self

    def _listens(self, port):
        # The listening sockets of that namespace.
        done = self._link.run("a", ["cat", "/proc/net/tcp"],
                              stdout=subprocess.PIPE)
        return b":%04X 00000000:0000 0A" % port in done.stdout

    def copy(self, source, target):
        """`target` is a folder that is empty."""
        self._copies += 1
        code = "%d-tactus-benchmark" % self._copies
        url = ["--relay-url", "ws://127.0.0.1:4000/v1"]
        sender = subprocess.Popen(
            self._enter + ["wormhole-william", "send"] + url +
            ["--code", code, source], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            receiver = subprocess.Popen(
                self._enter + ["wormhole-william", "recv"] + url + [code],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, cwd=target)
            try:
                # It asks whether the file is wanted.
                said = receiver.communicate(b"y\n", timeout=_PATIENCE)[0]
            finally:
                if receiver.poll() is None:
                    receiver.kill()
                    receiver.wait()
            said += sender.communicate(timeout=_PATIENCE)[0]
        finally:
            if sender.poll() is None:
                sender.kill()
                sender.wait()
        if receiver.returncode or sender.returncode:
            raise RuntimeError("wormhole-william: " +
                               said.decode(errors="replace").strip()[-200:])
