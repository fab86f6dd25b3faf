#!/usr/bin/python3
"""Runs a command on a private desktop with a chosen application in focus."""

import argparse
import os
import shutil
import signal
import sys
import tempfile

import applications
from applications import NotAvailable
from desktop import Desktop

_USAGE_ERROR = 2
_NOT_AVAILABLE = 3
_TIMED_OUT = 124

_EPILOG = """\
The command inherits the caller's environment without the caller's display, bus
and desktop settings, and with DISPLAY, DBUS_SESSION_BUS_ADDRESS,
XDG_RUNTIME_DIR and HOME of the private desktop, TACTUS_DESKTOP=1 and:

  TACTUS_DESKTOP_APP      the name given to --app
  TACTUS_DESKTOP_APP_PID  the process that owns its window
  TACTUS_DESKTOP_ALSO_PIDS  the same of each --also, in order
  TACTUS_DESKTOP_DIR      a scratch folder, gone afterwards
  TACTUS_DESKTOP_DUMP     prints what the application itself holds, exactly
  TACTUS_DESKTOP_CTL      drives our own widgets; run it for its usage

Exit: what the command exits with; 2 usage; 3 this machine or this application
cannot, with the reason; 124 out of time.
"""


class _Stopped(Exception):
    def __init__(self, number):
        super().__init__(signal.Signals(number).name)
        self.number = number


def _parse(arguments):
    parser = argparse.ArgumentParser(
        prog="tools/desktop/run", description=__doc__, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    names = sorted(applications.BY_NAME)
    parser.add_argument("--app", required=True, choices=names + ["none"],
                        metavar="APP", help=", ".join(names + ["none"]))
    parser.add_argument("--text", help="the text of the focused field")
    parser.add_argument("--text-file", metavar="FILE",
                        help="the same from a file: no limit of length")
    parser.add_argument("--kind", choices=applications.KINDS, default="text",
                        help="the focused field: text (several lines), entry, "
                        "password, readonly")
    parser.add_argument("--also", action="append", default=[],
                        metavar="APP[=TEXT]",
                        help="another application, without the focus; may be "
                        "given again")
    parser.add_argument("--page", metavar="FILE.html",
                        help="a page for the browser, in place of a bare field")
    parser.add_argument("--show", metavar="OUT.png",
                        help="a picture of the desktop after the command")
    parser.add_argument("--timeout", type=float, default=600, metavar="S",
                        help="seconds for the command; 0 for no limit "
                        "(default: 600)")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    if "--" not in arguments:
        parser.parse_args([a for a in arguments if a in ("-h", "--help")] or
                          arguments)
        parser.error("put -- before the command")
    split = arguments.index("--")
    command = arguments[split + 1:]
    options = parser.parse_args(arguments[:split] + (["x"] if command else []))
    options.command = command

    if options.text is not None and options.text_file is not None:
        parser.error("--text and --text-file exclude each other")
    if options.text_file is not None:
        try:
            with open(options.text_file, "rb") as file:
                options.text = file.read().decode()
        except (OSError, UnicodeDecodeError) as error:
            parser.error("--text-file: %s" % error)
    options.others = []
    for also in options.also:
        name, given, text = also.partition("=")
        if name not in applications.BY_NAME:
            parser.error("--also: unknown application '%s'" % name)
        options.others.append((name, text if given else None))
    for text in [options.text] + [text for _, text in options.others]:
        try:
            (text or "").encode()
        except UnicodeEncodeError:
            parser.error("the text is not UTF-8")
    if options.app == "none":
        if options.text is not None or options.page or options.kind != "text":
            parser.error("--app none takes no --text, --kind or --page")
    else:
        chosen = applications.BY_NAME[options.app]
        if options.kind not in chosen.kinds:
            parser.error("%s has no field of kind %s" %
                         (options.app, options.kind))
        if options.page and not chosen.takes_page:
            parser.error("--page is for chromium and firefox")
    if options.page and not os.path.isfile(options.page):
        parser.error("--page: no file %s" % options.page)
    return options


def _run(desktop, options):
    if shutil.which(options.command[0]) is None:
        raise NotAvailable("no program '%s' to run" % options.command[0])
    desktop.start()
    for name, text in options.others:
        desktop.open(name, text or "")
    for application in desktop.applications:
        desktop.wait_for_window(application)
    environment = desktop.command_environment()
    environment["TACTUS_DESKTOP_APP"] = options.app
    environment["TACTUS_DESKTOP_ALSO_PIDS"] = " ".join(
        str(application.window_pid) for application in desktop.applications)
    if options.app != "none":
        main = desktop.open(options.app, options.text or "", options.kind,
                            options.page and os.path.abspath(options.page),
                            text_given=options.text is not None)
        desktop.wait_for_focus(main)
        environment.update({
            "TACTUS_DESKTOP_APP_PID": str(main.window_pid),
            "TACTUS_DESKTOP_DUMP": main.dump_script,
            "TACTUS_DESKTOP_CTL": main.ctl_script,
        })
    code = desktop.run(options.command, environment, options.timeout or None)
    if options.show:
        desktop.show(os.path.abspath(options.show))
    if code is None:
        print("tools/desktop/run: '%s' did not end within %g s" %
              (options.command[0], options.timeout), file=sys.stderr)
        return _TIMED_OUT
    return code if code >= 0 else 128 - code


def main():
    options = _parse(sys.argv[1:])

    stopping = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

    def ignore():
        for number in stopping:
            signal.signal(number, signal.SIG_IGN)

    def stop(number, _):
        ignore()
        raise _Stopped(number)

    scratch = desktop = None
    try:
        for number in stopping:
            signal.signal(number, stop)
        # The path of a Unix socket may have 107 bytes: a short folder it is.
        scratch = tempfile.mkdtemp(prefix="tactus-desktop-", dir="/tmp")
        desktop = Desktop(scratch)
        return _run(desktop, options)
    except NotAvailable as error:
        print("tools/desktop/run: %s" % error, file=sys.stderr)
        return _NOT_AVAILABLE
    except _Stopped as stopped:
        if desktop:
            desktop.pass_on(stopped.number)
        return 128 + stopped.number
    finally:
        ignore()
        if desktop and not desktop.stop():
            print("tools/desktop/run: some process would not end",
                  file=sys.stderr)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
