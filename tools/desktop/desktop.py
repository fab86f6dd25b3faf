"""The private desktop: display, buses, window manager, and what runs on it."""

import os
import select
import shutil
import signal
import subprocess
import sys
import time

import accessibility
import applications
from applications import NotAvailable
from bus import Bus, BusError
from processes import Processes, descendants

_PATH = "/usr/local/bin:/usr/bin:/bin"

# Deadlines in seconds. An application that starts with an empty profile on a
# busy machine takes up to 20 s (LibreOffice); nothing else takes 5.
_START = 20
_APPLICATION = 90

# What would make the command see the caller's desktop, not this one.
_CALLERS = ("DBUS_", "XDG_", "WAYLAND_", "AT_SPI_", "GTK_", "GDK_", "QT_",
            "GNOME_", "KDE_")
_CALLERS_EXACT = {"DISPLAY", "XAUTHORITY", "SESSION_MANAGER", "HOME",
                  "SSH_AUTH_SOCK", "DESKTOP_SESSION", "WINDOWID",
                  "NO_AT_BRIDGE"}


class Desktop:
    def __init__(self, scratch):
        self.scratch = scratch
        self.applications = []
        self._processes = Processes()
        self._display = None
        self._command = None
        self._accessibility = None
        self.environment = {
            "PATH": _PATH,
            "LANG": "C.UTF-8",
            "USER": "tactus",
            "HOME": self._folder("home"),
            "TMPDIR": self._folder("tmp"),
            "XDG_RUNTIME_DIR": self._folder("runtime"),
            "XDG_SESSION_TYPE": "x11",
            "XDG_CURRENT_DESKTOP": "tactus",
            "GDK_BACKEND": "x11",
            "QT_QPA_PLATFORM": "xcb",
            # Settings of a person do not exist here, so neither need the
            # services that keep them.
            "GSETTINGS_BACKEND": "memory",
            "GIO_USE_VFS": "local",
            "GTK_USE_PORTAL": "0",
            # GTK 4 otherwise looks for a graphics card.
            "GSK_RENDERER": "cairo",
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }

    def _folder(self, name):
        path = os.path.join(self.scratch, name)
        os.mkdir(path, 0o700)
        return path

    def _log(self, name):
        return os.path.join(self.scratch, name + ".log")

    # Start and end.

    def start(self):
        for program in ("Xvfb", "dbus-daemon", "openbox", "xdotool"):
            self.need(program)
        try:
            self._start()
        except BusError as error:
            raise NotAvailable(
                "accessibility did not start: %s. Is at-spi2-core installed? "
                "Run tools/setup --test." % error)

    def _start(self):
        display_out, display_in = os.pipe()
        bus_out, bus_in = os.pipe()
        self._display = self._processes.start(
            ["Xvfb", "-displayfd", str(display_in), "-screen", "0",
             "1280x900x24", "-nolisten", "tcp", "-noreset"],
            self.environment, self._log("Xvfb"), fds=(display_in,))
        bus = self._processes.start(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile",
             "--address=unix:path=%s/runtime/bus" % self.scratch,
             "--print-address=%d" % bus_in],
            self.environment, self._log("dbus-daemon"), fds=(bus_in,))
        os.close(display_in)
        os.close(bus_in)
        address = self._line(bus_out, bus, "dbus-daemon")
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.environment["DISPLAY"] = ":" + self._line(
            display_out, self._display, "Xvfb")
        session = Bus(address)
        # What the bus starts must draw here as well.
        session.call("org.freedesktop.DBus", "/org/freedesktop/DBus",
                     "org.freedesktop.DBus", "UpdateActivationEnvironment",
                     "a{ss}", self.environment)
        session.close()
        openbox = self._processes.start(
            ["openbox", "--sm-disable"], self.environment, self._log("openbox"))
        self._accessibility = accessibility.Accessibility(
            accessibility.switch_on(address))
        self.wait_until(self._managed, _START, "openbox", openbox)
        # Answered only when the registry runs, which applications register at.
        self._accessibility.applications()

    def _line(self, fd, pid, name):
        """The first line that the process `pid` writes to `fd`, then closed."""
        line, deadline = b"", time.monotonic() + _START
        try:
            while not line.endswith(b"\n"):
                left = deadline - time.monotonic()
                readable = left > 0 and select.select([fd], [], [], left)[0]
                piece = os.read(fd, 256) if readable else b""
                if not piece:
                    raise NotAvailable("%s did not start: %s" % (
                        name, self._why(name, pid)))
                line += piece
        finally:
            os.close(fd)
        return line.decode().strip()

    def _managed(self):
        """Whether a window manager has announced itself."""
        return "window id" in self._output(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"])

    def stop(self):
        if self._accessibility:
            self._accessibility.close()
        # The display goes last, and politely: it removes its lock and socket.
        return self._processes.end_all(last=self._display)

    # Applications.

    def open(self, name, text, kind="text", page=None, text_given=True):
        """Starts an application, without waiting for it."""
        directory = self._folder("%d-%s" % (len(self.applications), name))
        application = applications.BY_NAME[name](
            self, directory, text, kind, page, text_given)
        application.pid = self._processes.start(
            application.command(),
            {**self.environment, **application.environment()},
            self._log(os.path.basename(directory)))
        application.window_pid = None
        self.applications.append(application)
        return application

    def wait_for_window(self, application):
        """Waits until it has a window; notes who owns that."""
        def shown():
            return any(self._owns(application, pid)
                       for pid in self._windows().values())
        self._wait_for(application, shown, "show a window")

    def _wait_for_active(self, application):
        def active():
            return self._owns(application, self._active_pid())
        self._wait_for(application, active, "get the active window",
                       again=lambda: self._activate(application))

    def _owns(self, application, pid):
        if pid and (pid == application.pid or
                    pid in descendants(application.pid)):
            application.window_pid = pid
            return True
        return False

    def wait_for_focus(self, application):
        self._wait_for_active(application)
        self._wait_for(application, application.ready,
                       "hold the text in its focused field")
        field = []

        def focused():
            found = self._accessibility.focused_text(
                {application.window_pid},
                typed_into=application.takes_page and not application.page and
                application.kind != "readonly")
            field[:] = [found]
            return found is not None
        self._wait_for(application, focused,
                       "show its focused text to accessibility")
        if application.key_to_the_end:
            def to_the_end():
                self.key(application.key_to_the_end)

            # Some editors have the focus before they have read the file.
            last_line = application.text.rpartition("\n")[2]
            to_the_end()
            self._wait_for(
                application,
                lambda: focused() and self._accessibility.caret_at_end(
                    field[0], at_least=1 if last_line else 0),
                "move its caret to the end", again=to_the_end)

    def _wait_for(self, application, condition, what, again=None):
        try:
            self.wait_until(condition, _APPLICATION, application.name,
                            application.pid, what, again)
        except BusError as error:
            raise NotAvailable("lost the accessibility bus while waiting for "
                               "%s: %s" % (application.name, error))

    def _activate(self, application):
        for window, pid in self._windows().items():
            if self._owns(application, pid):
                self._output(["xdotool", "windowactivate", window])
                return

    def _active_pid(self):
        return _number(self._output(
            ["xdotool", "getactivewindow", "getwindowpid"]))

    def _windows(self):
        """The window manager's windows, each with the process that owns it."""
        answer = self._output(["xprop", "-root", "_NET_CLIENT_LIST"])
        windows = answer.partition("#")[2].replace(",", " ").split()
        return {window: _number(self._output(
            ["xdotool", "getwindowpid", window])) for window in windows}

    def key(self, key):
        self._output(["xdotool", "key", "--clearmodifiers", key])

    def wait_until(self, condition, seconds, name, pid, what="start",
                   again=None):
        """Polls `condition`; calls `again` for each second it stays false."""
        start = time.monotonic()
        nudged = start
        while not condition():
            now = time.monotonic()
            if self._processes.exit_code(pid) is not None:
                raise NotAvailable("%s ended before it could %s: %s" % (
                    name, what, self._why(name, pid)))
            if now - start > seconds:
                raise NotAvailable("%s did not %s within %g s: %s" % (
                    name, what, seconds, self._why(name, pid)))
            if again and now - nudged > 1:
                nudged = now
                again()
            # Asking costs what a slow application needs to get ready.
            time.sleep(0.005 if now - start < 0.5 else 0.03)

    def _why(self, name, pid):
        """What is known of a process that is not as it should be."""
        code = self._processes.exit_code(pid)
        said = "it still runs" if code is None else "it ended with %d" % code
        for entry in sorted(os.listdir(self.scratch)):
            if entry.endswith(name + ".log"):
                with open(os.path.join(self.scratch, entry),
                          errors="replace") as log:
                    lines = [line.strip() for line in log if line.strip()]
                if lines:
                    said += " and said: " + " / ".join(lines[-5:])
        return said

    # The command.

    def command_environment(self):
        theirs = {key: value for key, value in os.environ.items()
                  if key not in _CALLERS_EXACT and not key.startswith(_CALLERS)}
        ours = {key: self.environment[key] for key in (
            "DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME")}
        return {"PATH": _PATH, "LANG": "C.UTF-8", **theirs, **ours,
                "TACTUS_DESKTOP": "1", "TACTUS_DESKTOP_DIR": self.scratch}

    def run(self, command, environment, seconds):
        """The exit code of the command, or None when out of time."""
        # It stays in the caller's session, so that it may be a shell.
        self._command = self._processes.start(
            command, environment, own_session=False)
        code = self._processes.wait(self._command, seconds)
        for application in self.applications:
            ended = self._processes.exit_code(application.pid)
            if ended is not None:
                print("tools/desktop/run: %s ended with %d before the command "
                      "did" % (application.name, ended), file=sys.stderr)
        return code

    def pass_on(self, number):
        """Gives the command a moment to end by itself."""
        if self._command and self._processes.exit_code(self._command) is None:
            os.kill(self._command, number)
            self._processes.wait(self._command, 1)

    def show(self, path):
        self.need("import", "imagemagick")
        try:
            subprocess.run(["import", "-window", "root", path], check=True,
                           env=self.environment, timeout=20)
        except (OSError, subprocess.SubprocessError) as error:
            raise NotAvailable("no picture of the desktop: %s" % error)

    # Small help.

    def need(self, program, package=None):
        """The program's path; an error that says how to get it."""
        path = shutil.which(program, path=_PATH)
        if path is None:
            raise NotAvailable("no program '%s'%s. Run tools/setup --test." % (
                program, " (package %s)" % package if package else ""))
        return path

    def _output(self, command):
        try:
            return subprocess.run(
                command, env=self.environment, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                timeout=5).stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return ""


def _number(text):
    return int(text) if text.strip().isdigit() else None
