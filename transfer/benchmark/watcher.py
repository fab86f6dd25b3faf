"""An instrument at both ends of a transfer on one machine: the kernel says when the
sender opens the file, and when it stands under its name where it was sent.

    with Watcher(source, arrived) as watch:
        send(source)
        seconds = watch.seconds()

It knows nothing of who moves the file, so it is the same for all. What it adds is a
thread that is woken.
"""

import ctypes
import os
import select
import struct
import threading
import time

_IN_OPEN = 0x20
_IN_MOVED_TO = 0x80
_IN_CREATE = 0x100
_EVENT = struct.Struct("iIII")
# Seconds. After the sender has ended the file is there, or never.
_PATIENCE = 5

_libc = ctypes.CDLL(None, use_errno=True)


class Missed(RuntimeError):
    """The machine was too busy to tell the ends apart: no sample."""


class Watcher:
    def __init__(self, source, arrived):
        """`arrived` is not there yet; its folder is."""
        self._source = source
        self._folder, name = os.path.split(arrived)
        self._name = name.encode()
        self._opened = self._there = None
        self._done = threading.Event()

    def __enter__(self):
        self._fd = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._stop_read, self._stop_write = os.pipe()
        self._source_watch = self._watch(self._source, _IN_OPEN)
        self._watch(self._folder, _IN_MOVED_TO | _IN_CREATE)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def _watch(self, path, mask):
        number = _libc.inotify_add_watch(self._fd, os.fsencode(path), mask)
        if number < 0:
            raise OSError(ctypes.get_errno(), "inotify", path)
        return number

    def _run(self):
        while not self._done.is_set():
            ready = select.select([self._fd, self._stop_read], [], [])[0]
            now = time.monotonic()
            if self._stop_read in ready:
                return
            events = os.read(self._fd, 65536)
            while events:
                number, _, _, size = _EVENT.unpack_from(events)
                name = events[_EVENT.size:_EVENT.size + size].rstrip(b"\0")
                events = events[_EVENT.size + size:]
                if number == self._source_watch:
                    self._opened = self._opened or now
                elif name == self._name:
                    self._there = now
                    self._done.set()

    def seconds(self):
        """From the first opening to the last arrival. Raises RuntimeError."""
        if not self._done.wait(_PATIENCE) or self._opened is None:
            raise RuntimeError("the file was not seen to %s" % (
                "arrive" if self._opened else "be opened"))
        if self._there <= self._opened:
            raise Missed("both were seen at once: this thread was woken late")
        return self._there - self._opened

    def __exit__(self, *_):
        os.write(self._stop_write, b"x")
        self._thread.join()
        for fd in (self._fd, self._stop_read, self._stop_write):
            os.close(fd)
