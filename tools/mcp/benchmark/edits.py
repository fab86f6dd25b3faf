#!/usr/bin/env python3
"""Edits the focused text of another device as an agent does, and holds what it is
told against what the application itself then holds.

Runs inside of tools/desktop/run, whose desktop is that of the far device:

    edits.py TACTUSD TACTUS FOLDER --edits N --typing N

Prints series, a line of JSON each. With --typing a process types into the same field
meanwhile. What is typed are letters that no text of ours has, so that what is held
without them must be what was held before with the edit carried out where it was
called verified, and without it where it was refused or failed. Ends with 1 and a line
of why where nothing could be measured.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(sys.argv[0])))))
for _folder in ("tools/mcp", "tools/two_peers"):
    sys.path.insert(0, os.path.join(_ROOT, _folder))
import agent  # noqa: E402
import two_peers  # noqa: E402

# What the typist types, in whichever case the application makes of it.
_TYPED = set("jkmpqvwxyzJKMPQVWXYZ")
_DIGITS = "jkmpqvwx"        # between two z: how many
_TEXT = "one héllo 👩‍👩‍👧 שלום end."
# Of bytes; then a text is begun anew.
_LONGEST = 600
_PATIENCE = 20


def show(name, unit, samples, **more):
    print(json.dumps({"series": name, "unit": unit, "samples": samples,
                      **more}), flush=True)


def desktop(name):
    return os.environ["TACTUS_DESKTOP_" + name]


def control(*words):
    subprocess.run([desktop("CTL"), *words], check=True,
                   stdout=subprocess.DEVNULL)


def dump():
    return subprocess.run([desktop("DUMP")], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def until(ready, what):
    end = time.monotonic() + _PATIENCE
    while not ready():
        if time.monotonic() > end:
            raise RuntimeError(what)
        time.sleep(0.005)


def edit(one, tool, arguments):
    """The outcome of a call and what it took, in seconds."""
    begun = time.monotonic()
    result = one.call(tool, arguments)
    took = time.monotonic() - begun
    if "structuredContent" not in result:
        raise RuntimeError("%s: %s" % (tool, result["content"][0]["text"]))
    return result["structuredContent"], took


class Typist:
    """Types letters, for as long as it is told to."""

    def __init__(self):
        if not shutil.which("xdotool"):
            raise RuntimeError("xdotool is not installed: tools/setup --test")
        self._keys = subprocess.Popen(["xdotool", "-"], stdin=subprocess.PIPE,
                                      text=True)
        self._thread = None
        self._stop = threading.Event()
        self.typed = 0

    def press(self, letters):
        self._keys.stdin.write("type --delay 0 %s\n" % letters)
        self._keys.stdin.flush()
        self.typed += len(letters)

    def start(self, chance, longest):
        self._stop.clear()

        def go():
            while not self._stop.is_set():
                self.press(chance.choice("xy"))
                self._stop.wait(chance.uniform(0, longest))
        self._thread = threading.Thread(target=go)
        self._thread.start()

    def stop(self):
        if self._thread:
            self._stop.set()
            self._thread.join()
            self._thread = None

    def close(self):
        self.stop()
        self._keys.stdin.close()
        self._keys.wait()


def time_edits(remote, local, count):
    """From the call to the answer, by the far device and on the spot in turn."""
    control("set", "one two end")
    until(lambda: dump() == "one two end", "the text is not there")
    samples = {"remote": [], "local": []}
    words = ["two", "2222"]
    wrong = 0
    for turn in range(count + 5):
        for name, one in (("remote", remote), ("local", local)):
            old, new = words
            words.reverse()
            data, took = edit(one, "replace_text",
                              {"old_text": old, "new_text": new})
            held = dump()
            if data["outcome"] != "verified" or held != "one %s end" % new:
                wrong += 1
                control("set", "one %s end" % new)
                until(lambda: dump() == "one %s end" % new, "no text")
                continue
            # The first ones find everything cold.
            if turn >= 5:
                samples[name].append(took * 1e3)
    for name in samples:
        show("edit." + name, "ms", samples[name], failures=wrong,
             failure="an edit was not verified" if wrong else "")


class Meanwhile:
    def __init__(self, remote, seed):
        self._remote = remote
        self._chance = random.Random(seed)
        self._typist = Typist()
        self._held = ""

    def _anew(self):
        def there():
            # What was typed before may come yet.
            control("set", _TEXT)
            time.sleep(0.02)
            return dump() == _TEXT
        until(there, "the text is not there")
        self._held = _TEXT

    @staticmethod
    def _without_typed(text):
        return "".join(c for c in text if c not in _TYPED)

    def _caught_up(self, number):
        """What it holds when it has got to the last key."""
        last = ""
        while number > 0 or not last:
            last += _DIGITS[number % 8]
            number //= 8
        last = "z%sz" % last
        self._typist.press(last)
        held = [""]

        def there():
            held[0] = dump()
            return last in held[0].lower()
        until(there, "the keys %s never came" % last)
        return held[0]

    def _word(self):
        words = self._without_typed(self._held).split()
        if len(words) < 3:
            return ""
        word = self._chance.choice(words)
        return word if self._without_typed(self._held).count(word) == 1 else ""

    def _some_edit(self, number):
        inner = self._chance.choice(["", "👩‍👩‍👧🦊", "e\u0301", "שלום"])
        marker = "‹%d%s›" % (number, inner)
        word = self._word()
        choice = self._chance.randrange(8) if word else 0
        if choice < 3:
            return "insert_text", {"text": marker}, "", marker
        if choice < 6:
            return ("replace_text", {"old_text": word, "new_text": marker},
                    word, marker)
        return "replace_text", {"old_text": word, "new_text": ""}, word, ""

    @staticmethod
    def _landed(word, marker, before, now):
        # The caret was wherever the typist had it.
        if not word:
            return now.count(marker) == 1 and now.replace(marker, "") == before
        return now == before.replace(word, marker, 1)

    def run(self, count):
        outcomes = {}
        disagreed = []
        self._anew()
        for number in range(1, count + 1):
            tool, arguments, word, marker = self._some_edit(number)
            # From faster than anybody types to now and then.
            self._typist.start(self._chance,
                               self._chance.choice([.004, .02, .08, .3]))
            time.sleep(self._chance.uniform(0, .03))
            try:
                data, _ = edit(self._remote, tool, arguments)
            finally:
                time.sleep(self._chance.uniform(0, .005))
                self._typist.stop()
            held = self._caught_up(number)
            before = self._without_typed(self._held)
            now = self._without_typed(held)
            outcome = data["outcome"]
            if outcome == "verified":
                agrees = self._landed(word, marker, before, now)
            elif outcome in ("refused", "failed"):
                agrees = now == before
            else:
                agrees = not marker or now.count(marker) <= 1
            if not agrees:
                disagreed.append("%d %s %s by %s: before %r, now %r" % (
                    number, tool, outcome, data["way"], self._held, held))
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            self._held = held
            if (outcome in ("diverged", "unknown") or len(now) < 10 or
                    (outcome == "refused" and data["way"] == "paste") or
                    len(held.encode()) > _LONGEST):
                self._anew()
        self._typist.close()
        for one in disagreed[:5]:
            print("edits: " + one, file=sys.stderr)
        show("typing.disagreed", "count", [len(disagreed)],
             outcomes=outcomes, keys=self._typist.typed)
        # Else nothing was tried: both sides have to have been at work.
        show("typing.verified", "count", [outcomes.get("verified", 0)])


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("tactusd")
    parser.add_argument("tactus")
    parser.add_argument("folder")
    parser.add_argument("--edits", type=int, default=0)
    parser.add_argument("--typing", type=int, default=0)
    parser.add_argument("--seed", type=int,
                        default=random.SystemRandom().randrange(2**31))
    options = parser.parse_args()
    pair = two_peers.Pair(options.tactusd, options.tactus, options.folder)
    for name in "DISPLAY", "DBUS_SESSION_BUS_ADDRESS":
        pair.far.environment[name] = os.environ[name]
    with pair:
        pair.connect()
        pair.far.tactus("expose", "--focused-text", "--to", "near", "--write",
                        "--allow")
        control("focus", "text")
        with agent.Agent(pair.near.command(options.tactus, "mcp", "connect",
                                           "far/focused-text"),
                         pair.near.environment) as remote:
            if options.edits:
                with agent.Agent(pair.far.command(options.tactus, "mcp",
                                                  "serve"),
                                 pair.far.environment) as local:
                    time_edits(remote, local, options.edits)
            if options.typing:
                print("edits: seed %d" % options.seed, file=sys.stderr)
                Meanwhile(remote, options.seed).run(options.typing)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, KeyError,
            subprocess.SubprocessError) as error:
        print("edits: %s" % error, file=sys.stderr)
        sys.exit(1)
