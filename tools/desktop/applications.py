"""The applications that the desktop can show, and how each is asked.

An application is a class here: how it is started with the text, when it is
ready, and what its dump is. See README.md for how to add one.
"""

import html
import json
import os
import shlex
import sys

import browsers
import ctl

KINDS = ("text", "entry", "password", "readonly")

_HERE = os.path.dirname(os.path.abspath(__file__))


class NotAvailable(Exception):
    """It cannot be had here; the text says why and what helps."""


class Application:
    name = ""
    kinds = ("text",)
    takes_page = False
    # For an editor that opens a file with its caret at the start.
    key_to_the_end = None

    def __init__(self, desktop, directory, text, kind, page, text_given):
        self.desktop = desktop
        self.directory = directory
        self.text = text
        self.kind = kind
        self.page = page
        self.text_given = text_given
        self.dump_script = self._script("dump", "dump.py", *self.dump())
        self.ctl_script = self._script("ctl", "ctl.py", self.path("control"))

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", newline="") as file:
            file.write(content)
        return path

    def _script(self, name, program, *arguments):
        command = [sys.executable, os.path.join(_HERE, program), *arguments]
        path = self.write(name, '#!/bin/sh\nexec %s "$@"\n' %
                          shlex.join(command))
        os.chmod(path, 0o700)
        return path

    def command(self):
        raise NotImplementedError

    def environment(self):
        return {}

    def dump(self):
        """The arguments of dump.py."""
        raise NotImplementedError

    def ready(self):
        """Whether the application itself holds the text in its focus."""
        return True

    def cannot_hold(self):
        return NotAvailable("the field of %s cannot hold this text unchanged" %
                            self.name)


class Widget(Application):
    """One of our own, which answers on a control socket."""

    kinds = KINDS

    def command(self):
        return [self._binary(), "--control", self.path("control"), "--kind",
                self.kind, "--text-file", self.write("text", self.text)]

    def _binary(self):
        # In the runfiles of a test the widgets lie beside the script.
        script = os.path.dirname(os.path.abspath(sys.argv[0]))
        folders = [os.environ.get("TACTUS_DESKTOP_BIN"), script,
                   os.path.join(_HERE, "../../bazel-bin/tools/desktop")]
        for folder in folders:
            path = folder and os.path.join(folder, self.name + "_field")
            if path and os.access(path, os.X_OK):
                return os.path.abspath(path)
        raise NotAvailable(
            "the widget %s_field is not built. Run bazel build "
            "//tools/desktop:%s_field, or name its folder in "
            "TACTUS_DESKTOP_BIN." % (self.name, self.name))

    def dump(self):
        return "widget", self.path("control")

    def ready(self):
        try:
            state = ctl.ask(self.path("control"), {"do": "state"})
        except OSError:
            return False
        if state["fields"][self.kind]["text"] != self.text:
            raise self.cannot_hold()
        return state["active"] and state["focused"] == self.kind


class Gtk3(Widget):
    name = "gtk3"


class Gtk4(Widget):
    name = "gtk4"


class Qt5(Widget):
    name = "qt5"


class Qt6(Widget):
    name = "qt6"


class Editor(Application):
    """An editor of files: its dump is what it saves."""

    key_to_the_end = "ctrl+End"
    # In the title of the window while there are changes.
    changed = "*"
    # What the file has before and after the text.
    mark = ""
    final = ""

    def file(self):
        return self.write("text.txt", self.mark + self.text + self.final)

    def dump(self):
        return ("saved", self.path("text.txt"), self.changed, self.mark,
                self.final)


class Mousepad(Editor):
    name = "mousepad"

    def command(self):
        return [self.desktop.need("mousepad"), "--disable-server", self.file()]


class FeatherPad(Editor):
    name = "featherpad"

    def command(self):
        self.write("config/featherpad/fp.conf",
                   "[text]\nappendEmptyLine=false\n")
        return [self.desktop.need("featherpad"), "--standalone", self.file()]

    def environment(self):
        return {"XDG_CONFIG_HOME": self.path("config")}


class GnomeTextEditor(Editor):
    name = "gnome-text-editor"
    changed = "\N{BULLET}"
    # It takes the last line's end off on reading and adds it on saving.
    final = "\n"

    def command(self):
        return [self.desktop.need("gnome-text-editor"), "--standalone",
                "--ignore-session", self.file()]


class LibreOffice(Editor):
    name = "libreoffice"
    # Its title never tells; it is told below to save whether changed or not.
    changed = ""
    # It keeps a byte order mark, but without one it sometimes adds one.
    mark = "\N{ZERO WIDTH NO-BREAK SPACE}"
    # Its last paragraph always ends.
    final = "\n"

    def command(self):
        line = ('<item oor:path="%s"><prop oor:name="%s" oor:op="fuse">'
                '<value>%s</value></prop></item>\n')
        items = "".join(
            line % tuple(map(html.escape, item)) for item in [
                # No question about keeping the plain text format.
                ("/org.openoffice.Office.Common/Save/Document",
                 "WarnAlienFormat", "false"),
                ("/org.openoffice.Office.Common/Save/Document",
                 "AlwaysAllowSave", "true"),
                ("/org.openoffice.Office.Common/Misc", "ShowTipOfTheDay",
                 "false"),
                ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
                ("/org.openoffice.Setup/Product", "ooSetupLastVersion", "99"),
                ("/org.openoffice.Setup/Office", "OfficeRestartInProgress",
                 "false"),
            ])
        self.write("profile/user/registrymodifications.xcu",
                   '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items '
                   'xmlns:oor="http://openoffice.org/2001/registry">\n' +
                   items + "</oor:items>\n")
        return [self.desktop.need("soffice", "libreoffice-writer"), "--writer",
                "--norestore", "--nologo", "--nofirststartwizard",
                "-env:UserInstallation=file://" + self.path("profile"),
                "--infilter=Text (encoded):UTF8,LF,,", self.file()]

    def environment(self):
        return {"SAL_USE_VCLPLUGIN": "gtk3"}


class Vte(Application):
    """A terminal in which a program records what it reads."""

    name = "vte"

    def command(self):
        return [self.desktop.need("xfce4-terminal"), "--disable-server", "-x",
                sys.executable, os.path.join(_HERE, "record.py"),
                self.write("text", self.text), self.path("record")]

    def dump(self):
        return "recorded", self.path("record")

    def ready(self):
        try:
            with open(self.path("record"), newline="") as record:
                return record.read() == self.text
        except OSError:
            return False


class Browser(Application):
    kinds = KINDS
    takes_page = True

    _FIELDS = {
        "text": "<textarea id=field rows=20 cols=80></textarea>",
        "entry": "<input id=field type=text size=80>",
        "password": "<input id=field type=password size=80>",
        "readonly": "<textarea id=field rows=20 cols=80 readonly></textarea>",
    }

    def url(self):
        if self.page:
            return "file://" + self.page
        # The text comes through the debugger: no quoting can spoil it.
        return "file://" + self.write(
            "page.html", "<!DOCTYPE html><meta charset=utf-8>"
            "<title>Tactus field</title>%s<script>field.focus()</script>\n" %
            self._FIELDS[self.kind])

    def connect(self):
        raise NotImplementedError

    _given = False

    def ready(self):
        try:
            page = self.connect()
        except browsers.FAILURES:
            return False
        try:
            if not page.evaluate(browsers.HAS_FOCUS):
                return False
            if self.page and not self.text_given:
                return True
            if not self._given:
                page.evaluate(browsers.SET_TEXT % json.dumps(self.text))
                self._given = True
            if page.evaluate(browsers.TEXT) != self.text:
                raise self.cannot_hold()
            return True
        except browsers.FAILURES:
            return False
        finally:
            page.close()


class Chromium(Browser):
    name = "chromium"

    def command(self):
        return [
            self.desktop.need("chromium"),
            "--user-data-dir=" + self.path("profile"),
            "--remote-debugging-port=0",
            "--force-renderer-accessibility",
            "--no-sandbox",
            # No bar about the flag above.
            "--test-type",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--no-default-browser-check",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-default-apps",
            "--disable-sync",
            "--disable-search-engine-choice-screen",
            "--password-store=basic",
            "--ozone-platform=x11",
            self.url(),
        ]

    def dump(self):
        return "chromium", self.path("profile")

    def connect(self):
        return browsers.Chromium(self.path("profile"))


class Firefox(Browser):
    name = "firefox"

    _PREFERENCES = {
        "accessibility.force_disabled": 0,
        "app.normandy.enabled": False,
        "app.update.enabled": False,
        "browser.aboutwelcome.enabled": False,
        "browser.shell.checkDefaultBrowser": False,
        "browser.startup.homepage_override.mstone": "ignore",
        "datareporting.policy.dataSubmissionEnabled": False,
        "datareporting.policy.dataSubmissionPolicyBypassNotification": True,
        "marionette.port": 0,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
        # They would make every window believe that it has the focus.
        "remote.prefs.recommended": False,
        "signon.rememberSignons": False,
        "termsofuse.bypassNotification": True,
        "toolkit.telemetry.reportingpolicy.firstRun": False,
        "trailhead.firstrun.didSeeAboutWelcome": True,
    }

    def command(self):
        self.write("profile/user.js", "".join(
            "user_pref(%s, %s);\n" % (json.dumps(name), json.dumps(value))
            for name, value in self._PREFERENCES.items()))
        return [self.desktop.need("firefox-esr"), "--no-remote", "--profile",
                self.path("profile"), "--marionette", self.url()]

    def environment(self):
        return {"MOZ_CRASHREPORTER_DISABLE": "1"}

    def dump(self):
        return "firefox", self.path("profile")

    def connect(self):
        return browsers.Firefox(self.path("profile"))


BY_NAME = {kind.name: kind for kind in (
    Gtk3, Gtk4, Qt5, Qt6, Mousepad, FeatherPad, GnomeTextEditor, LibreOffice,
    Vte, Chromium, Firefox)}
