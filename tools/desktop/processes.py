"""Starting processes so that every one of them, and of theirs, can be ended.

The buses start services, browsers start helpers, and some of them leave their
parent. The runner therefore adopts whatever its descendants abandon, and ends
descendants by process id until none is left.
"""

import ctypes
import os
import signal
import subprocess
import time

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


class Processes:
    def __init__(self):
        if _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(),
                          "cannot adopt abandoned processes")
        self._ended = {}
        # Waiting for a child and for a signal must be the same wait.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})

    def start(self, command, environment, log=None, own_session=True, fds=(),
              directory=None):
        """Starts `command`; its output goes to the file `log`, or to ours."""
        parent = os.getpid()

        def in_child():
            signal.pthread_sigmask(signal.SIG_SETMASK, set())
            # If we are killed outright nothing else would end the display,
            # and with it everything that draws there.
            _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)

        out = open(log, "ab") if log else None
        try:
            child = subprocess.Popen(
                command, env=environment, cwd=directory, pass_fds=fds,
                stdin=subprocess.DEVNULL if log else None, stdout=out,
                stderr=out, start_new_session=own_session,
                preexec_fn=in_child)
        finally:
            if out:
                out.close()
        pid = child.pid
        # The one who reaps is `reap`, since it must also reap the adopted.
        child.returncode = 0
        return pid

    def reap(self):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            self._ended[pid] = os.waitstatus_to_exitcode(status)

    def exit_code(self, pid):
        """None while it runs; a negative number is the signal that ended it."""
        self.reap()
        return self._ended.get(pid)

    def wait(self, pid, seconds):
        """The exit code, or None after `seconds`. Reaps others meanwhile."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while self.exit_code(pid) is None:
            left = 3600.0 if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return None
            signal.sigtimedwait({signal.SIGCHLD}, left)
        return self._ended[pid]

    def end_all(self, last=None):
        """Ends every descendant; `last` goes after all others, and politely."""
        # Nothing that they hold is worth a farewell, and a farewell takes time.
        self._end({last} if last else set(), signal.SIGKILL, 10)
        if last and last not in self._ended:
            try:
                os.kill(last, signal.SIGTERM)
            except ProcessLookupError:
                pass
            self.wait(last, 3)
        return self._end(set(), signal.SIGKILL, 10)

    def _end(self, spared, how, seconds):
        deadline = time.monotonic() + seconds
        while True:
            self.reap()
            left = descendants(os.getpid()) - spared
            if not left:
                return True
            if time.monotonic() > deadline:
                return False
            for pid in left:
                try:
                    os.kill(pid, how)
                except ProcessLookupError:
                    pass
            signal.sigtimedwait({signal.SIGCHLD}, 0.02)


def parents():
    """The parent of every process that can be seen."""
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name, "rb") as stat:
                    # The command may hold spaces and parentheses.
                    table[int(name)] = int(
                        stat.read().rpartition(b")")[2].split()[1])
            except (OSError, IndexError):
                pass
    return table


def descendants(root):
    table = parents()
    found, grew = {root}, True
    while grew:
        more = {pid for pid, parent in table.items()
                if parent in found and pid not in found}
        found |= more
        grew = bool(more)
    return found - {root}
