"""Prints exactly what an application itself holds in its field."""

import os
import subprocess
import sys
import time

import browsers
import ctl

# How long an application may take to save, in seconds.
_SAVE = 10
# How long it is given to show that Ctrl+S changed nothing on the disk.
_UNCHANGED = 0.3


class Unknown(Exception):
    """It cannot be told; the text says why."""


def widget(socket_path):
    state = ctl.ask(socket_path, {"do": "state"})
    if not state["focused"]:
        raise Unknown("no field of the widget has the focus")
    return state["text"].encode()


def chromium(profile):
    return _page(browsers.Chromium(profile))


def firefox(profile):
    return _page(browsers.Firefox(profile))


def _page(page):
    try:
        text = page.evaluate(browsers.TEXT)
    finally:
        page.close()
    if text is None:
        raise Unknown("no field of the page has the focus")
    # JavaScript's text may hold half a character, which is told as it is.
    return text.encode(errors="surrogatepass")


def recorded(path):
    with open(path, "rb") as record:
        return record.read()


def saved(path, changed, mark, final):
    """Has the active window save to `path`; what is between mark and final."""
    title = _xdotool("getactivewindow", "getwindowname")
    if os.path.basename(path) not in title:
        raise Unknown("the editor's window is not the active one but '%s'" %
                      title)
    before = os.stat(path)
    start = time.monotonic()
    _xdotool("key", "--clearmodifiers", "ctrl+s")
    while True:
        try:
            after = os.stat(path)
            with open(path, "rb") as file:
                content = file.read()
        except FileNotFoundError:
            after = before  # Between the removal and the renaming.
        waited = time.monotonic() - start
        written = (after.st_mtime_ns, after.st_ino) != (before.st_mtime_ns,
                                                        before.st_ino)
        clean = not changed or changed not in _xdotool("getactivewindow",
                                                       "getwindowname")
        # Where nothing has changed some editors do not write.
        if clean and (written or (changed and waited > _UNCHANGED)):
            time.sleep(0.02)
            if _same(os.stat(path), after):
                return content.removeprefix(mark.encode()).removesuffix(
                    final.encode())
        if waited > _SAVE:
            raise Unknown("the editor did not save within %d s" % _SAVE)
        time.sleep(0.005)


def _same(one, other):
    return (one.st_mtime_ns, one.st_ino, one.st_size) == (
        other.st_mtime_ns, other.st_ino, other.st_size)


def _xdotool(*arguments):
    return subprocess.run(["xdotool", *arguments], timeout=5,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          ).stdout.decode(errors="replace").strip()


def main(how, *arguments):
    ask = {"widget": widget, "chromium": chromium, "firefox": firefox,
           "recorded": recorded, "saved": saved}[how]
    try:
        text = ask(*arguments)
    except (Unknown, subprocess.SubprocessError, *browsers.FAILURES) as error:
        print("cannot tell what the application holds: %s" % error,
              file=sys.stderr)
        return 1
    sys.stdout.buffer.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
