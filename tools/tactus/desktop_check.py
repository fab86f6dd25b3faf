#!/usr/bin/python3
"""Runs `tactus` on a private desktop: desktop_check.py TACTUS CASE [CLIPBOARD].

What it says is compared with what the application itself holds, which
TACTUS_DESKTOP_DUMP tells.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

_TACTUS = os.path.abspath(sys.argv[1])
_CLIPBOARD = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
# Of each wait, in seconds. Long enough for a busy machine; what is late fails.
_PATIENCE = 30


def _tactus(*arguments, text=b""):
    """(exit code, standard output, standard error); `text` for its input."""
    if "--deadline" not in arguments:
        # It is not what is tested, and the machine may be busy.
        arguments += ("--deadline", "10s")
    done = subprocess.run([_TACTUS, *arguments], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=_PATIENCE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def _held():
    """What the application holds, as it tells itself."""
    return subprocess.run([os.environ["TACTUS_DESKTOP_DUMP"]], check=True,
                          stdout=subprocess.PIPE,
                          timeout=_PATIENCE).stdout.decode()


def _control(*arguments):
    subprocess.run([os.environ["TACTUS_DESKTOP_CTL"], *arguments], check=True,
                   stdout=subprocess.DEVNULL, timeout=_PATIENCE)


def _until(wanted):
    """Whether the application comes to hold what is `wanted`."""
    end = time.monotonic() + _PATIENCE
    while not wanted(_held()):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def _user_types(keys):
    """As the user does; returns when the application holds it."""
    before = _held()
    subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], check=True,
                   timeout=_PATIENCE)
    if not _until(lambda held: len(held) == len(before) + len(keys)):
        raise AssertionError("the application did not take the user's keys")
    return _held()


def _end(process):
    process.kill()
    process.wait(_PATIENCE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            pipe.close()


class _Case(unittest.TestCase):
    maxDiff = None

    def result(self, *arguments, text=b""):
        """The one line of JSON that a command prints."""
        code, out, err = _tactus(*arguments, "--json", text=text)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("\n"), 1)
        return json.loads(out)

    def refused(self, reason, *arguments, text=b""):
        """The same of an edit that must be refused, and must change nothing."""
        held = _held()
        code, out, err = _tactus(*arguments, "--json", text=text)
        result = json.loads(out)
        self.assertEqual((code, result["outcome"], result["reason"]),
                         (1, "refused", reason), result)
        self.assertEqual(err, "tactus: refused: %s\n" % result["message"])
        self.assertEqual(result["attempts"], [])
        self.assertIsNone(result["written"])
        self.assertEqual(_held(), held)
        return result


class Snapshot(_Case):
    def test_ValueIsWhatTheApplicationHolds(self):
        text = _held()
        self.assertGreater(len(text), 3)
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["value"], text)
        self.assertEqual(snapshot["errors"], {})
        self.assertEqual(
            {key: snapshot[key] for key in (
                "schema", "value_status", "value_exact", "window", "whole",
                "character_count", "caret", "selection", "selected_text",
                "context_before", "context_after", "secure", "ambiguous")},
            {"schema": "tactus.snapshot/1", "value_status": None,
             "value_exact": True, "window": {"begin": 0, "end": len(text)},
             "whole": True, "character_count": len(text), "caret": len(text),
             "selection": {"begin": len(text), "end": len(text)},
             "selected_text": "", "context_before": text, "context_after": "",
             "secure": False, "ambiguous": False})
        self.assertEqual(snapshot["application"]["pid"],
                         int(os.environ["TACTUS_DESKTOP_APP_PID"]))
        self.assertTrue(snapshot["token"].startswith("t1."))
        self.assertGreater(snapshot["traffic"]["flights"], 0)

    def test_LongTextIsReadAsAWindowAroundTheCaret(self):
        text = _held()
        snapshot = self.result("snapshot", "--max-text", "3", "--context", "2")
        begin, end = len(text) - 3, len(text)
        self.assertEqual(snapshot["window"], {"begin": begin, "end": end})
        self.assertEqual(snapshot["value"], text[begin:end])
        self.assertFalse(snapshot["whole"])
        self.assertEqual(snapshot["character_count"], len(text))
        self.assertEqual(snapshot["context_before"], text[-2:])

    def test_PersonReadsTheSameOnOneLineEach(self):
        code, out, err = _tactus("snapshot")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\ntext         %s\n" % _held(), out)
        self.assertIn("\ncaret        %d\n" % len(_held()), out)


class Edit(_Case):
    def test_RangeIsReplacedAndNothingElse(self):
        before = _held()
        edit = self.result("replace", "--range", "1:3", "--text", "Ω🙂")
        after = before[:1] + "Ω🙂" + before[3:]
        self.assertEqual(_held(), after)
        self.assertEqual(
            {key: edit[key] for key in (
                "schema", "outcome", "reason", "before", "expected", "after",
                "replaced", "written", "window_begin")},
            {"schema": "tactus.edit/1", "outcome": "verified",
             "reason": "none", "before": before, "expected": after,
             "after": after, "replaced": {"begin": 1, "end": 3},
             "written": {"begin": 1, "end": 3}, "window_begin": 0})
        by = ("paste" if os.environ["TACTUS_DESKTOP_APP"] == "chromium"
              else "range")
        self.assertEqual(edit["rung"], by)
        self.assertEqual(edit["attempts"][-1]["rung"], by)
        self.assertEqual(edit["application"]["pid"],
                         int(os.environ["TACTUS_DESKTOP_APP_PID"]))
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["value"], after)
        self.assertEqual(snapshot["element"], edit["element"])
        self.assertEqual(snapshot["caret"], 3)

    def test_PersonIsToldTheOutcomeAndNoText(self):
        code, out, err = _tactus("insert", "קוף")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\Aoutcome      verified\n")
        self.assertNotIn("קוף", out)
        self.assertIn("קוף", _held())

    def test_TokenOfAnotherTextIsRefusedAndThatOfThisOneIsNot(self):
        token = self.result("snapshot")["token"]
        edit = self.result("insert", "--snapshot", token, "a")
        self.assertEqual(edit["outcome"], "verified")
        self.refused("text-changed", "insert", "--snapshot", token, "b")
        token = self.result("snapshot")["token"]
        self.refused("text-changed", "set", "--expect", "another", "c")
        held = _held()
        self.assertEqual(
            self.result("insert", "--expect", held, "d")["outcome"],
            "verified")
        self.assertEqual(len(_held()), len(held) + 1)

    def test_TokenOfAnotherCaretIsRefused(self):
        token = self.result("snapshot")["token"]
        caret = self.result("snapshot")["caret"]
        subprocess.run(["xdotool", "key", "--clearmodifiers", "ctrl+Home"],
                       check=True, timeout=_PATIENCE)
        end = time.monotonic() + _PATIENCE
        while self.result("snapshot")["caret"] == caret:
            self.assertLess(time.monotonic(), end)
        self.refused("selection-changed", "insert", "--snapshot", token, "b")

    def test_TextOfStandardInputComesWithoutItsLastNewline(self):
        self.result("set", text="שלום 🙂\nzwei\n".encode())
        self.assertEqual(_held(), "שלום 🙂\nzwei")
        for text in "zwei\n", "", "\n", "eins\n\n":
            self.result("set", text=text.encode() + b"\n")
            self.assertEqual(_held(), text)

    def test_TextThatIsThereOnceIsReplaced(self):
        self.result("set", "the teh the")
        self.result("replace", "--old", "teh", "the")
        self.assertEqual(_held(), "the the the")
        self.refused("not-unique", "replace", "--old", "the", "a")
        self.refused("not-found", "replace", "--old", "teh", "a")
        self.refused("out-of-range", "replace", "--range", "3:99", "a")

    def test_EmptyTextDeletes(self):
        self.result("set", "abcd")
        self.assertEqual(
            self.result("replace", "--range", "1:3", "--text", "")["outcome"],
            "verified")
        self.assertEqual(_held(), "ad")

    def test_UndoRestoresOnce(self):
        self.result("set", "before 👩‍👩‍👧")
        edit = self.result("replace", "--range", "0:6", "after it")
        self.assertEqual(_held(), "after it 👩‍👩‍👧")
        undo = self.result("undo")
        self.assertEqual(undo["schema"], "tactus.edit/1")
        self.assertEqual(undo["element"], edit["element"])
        self.assertEqual(_held(), "before 👩‍👩‍👧")
        self.assertEqual(self.refused("nothing-to-undo", "undo")["element"],
                         None)

    def test_UndoIsRefusedWhenTheFieldWasChangedSince(self):
        self.result("set", "one")
        self.result("insert", " two")
        kept = os.path.join(os.environ["XDG_RUNTIME_DIR"], "tactus/undo.json")
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)
        _user_types(["x"])
        self.refused("text-changed", "undo")
        self.assertTrue(os.path.exists(kept))

    def test_ApplicationThatDoesNotAnswerIsRefusedAndUntouched(self):
        held = _held()
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        os.kill(mine, signal.SIGSTOP)
        try:
            code, out, err = _tactus("insert", "geheim", "--json",
                                     "--deadline", "2s")
        finally:
            os.kill(mine, signal.SIGCONT)
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["outcome"], "refused")
        self.assertNotIn("geheim", err)
        self.assertEqual(_held(), held)


class EditSecure(_Case):
    def test_SecureFieldIsNeverEdited(self):
        text = _held()
        for arguments in (("insert", "a"), ("set", "a"), ("replace", "a"),
                          ("replace", "--range", "0:1", "a"),
                          ("replace", "--old", text, "a")):
            result = self.refused("secure", *arguments, "--whole-value",
                                  "--keystrokes")
            self.assertIsNone(result["before"])
            self.assertNotIn(text, json.dumps(result, ensure_ascii=False))
        code, out, _ = _tactus("stream", text=b'{"final": "a"}\n')
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["reason"], "secure")
        self.assertEqual(_held(), text)


class EditIgnored(_Case):
    def test_PasteThatNeverLandsIsNeverVerified(self):
        held = _held()
        code, out, err = _tactus("insert", "geheim", "--json")
        result = json.loads(out)
        self.assertEqual((code, result["outcome"], result["reason"]),
                         (4, "unknown", "not-consumed"), result)
        self.assertEqual([attempt["rung"] for attempt in result["attempts"]],
                         ["paste"])
        self.assertEqual(result["before"], result["after"])
        self.assertEqual(err, "tactus: unknown: %s\n" % result["message"])
        self.assertNotIn("geheim", err)
        self.assertEqual(_held(), held)
        # And it is not what an undo would take back.
        self.refused("nothing-to-undo", "undo")

    def test_WithoutAPasteNothingIsSent(self):
        self.refused("no-way", "insert", "--no-paste", "a")


class Stream(_Case):
    def setUp(self):
        self.result("set", "> ")
        self.stream = None
        signal.alarm(2 * _PATIENCE)
        self.addCleanup(signal.alarm, 0)

    def start(self, *arguments):
        self.stream = subprocess.Popen(
            [_TACTUS, "stream", "--deadline", "10s", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.addCleanup(_end, self.stream)

    def say(self, line):
        self.stream.stdin.write(line.encode() + b"\n")
        self.stream.stdin.flush()

    def answer(self):
        return json.loads(self.stream.stdout.readline())

    def told(self, line, answers, held):
        """`line` is answered as verified, and the application holds `held`."""
        self.say(line)
        answer = self.answer()
        self.assertEqual((answer["answers"], answer["outcome"]),
                         (answers, "verified"), answer)
        self.assertEqual(_held(), held)

    def ended(self, code):
        self.assertEqual(self.stream.wait(_PATIENCE), code)
        self.assertEqual(self.stream.stdout.read(), b"")
        self.assertEqual(self.stream.stderr.read(), b"")

    def test_PlainLinesReplaceOneAnotherAndTheEndMakesTheLastFinal(self):
        self.start()
        self.told("the quick", "partial", "> the quick")
        self.told("the quiet שלום", "partial", "> the quiet שלום")
        self.told("The quiet 👩‍👩‍👧.", "partial", "> The quiet 👩‍👩‍👧.")
        self.stream.stdin.close()
        answer = self.answer()
        self.assertEqual((answer["answers"], answer["outcome"]),
                         ("final", "verified"))
        self.ended(0)
        self.assertEqual(_held(), "> The quiet 👩‍👩‍👧.")
        self.result("undo")
        self.assertEqual(_held(), "> ")

    def test_JsonLinesAreAnsweredOneByOne(self):
        self.start()
        self.told('{"partial": "one"}', "partial", "> one")
        self.told('{"final": "One. "}', "final", "> One. ")
        self.told('{"partial": "\\u05e9"}', "partial", "> One. ש")
        self.told('{"cancel": true}', "cancel", "> One. ")
        self.told('{"final": "Two."}', "final", "> One. Two.")
        self.stream.stdin.close()
        self.ended(0)
        # All that it wrote in one piece, both finals of it.
        self.result("undo")
        self.assertEqual(_held(), "> ")

    def test_UserWhoEditsEndsItAndKeepsHisText(self):
        self.start()
        self.told("hello wor", "partial", "> hello wor")
        held = _user_types(["x"])
        self.say("hello world")
        answer = self.answer()
        self.assertEqual((answer["outcome"], answer["reason"]),
                         ("refused", "text-changed"), answer)
        self.assertEqual(answer["expected"], "> hello wor")
        self.assertEqual(answer["after"], held)
        self.say('{"final": "hello world"}')
        self.assertEqual(self.answer()["reason"], "ended")
        self.stream.stdin.close()
        self.ended(1)
        self.assertEqual(_held(), held)

    def test_InterruptMakesTheLastPartialFinal(self):
        self.start()
        self.told("stopped here", "partial", "> stopped here")
        self.stream.send_signal(signal.SIGINT)
        answer = self.answer()
        self.assertEqual((answer["answers"], answer["outcome"]),
                         ("final", "verified"))
        self.ended(0)
        self.assertEqual(_held(), "> stopped here")
        self.result("undo")
        self.assertEqual(_held(), "> ")


class StreamMoved(_Case):
    """With a field to go to: our own widgets alone."""

    def setUp(self):
        self.addCleanup(_control, "focus", "text")
        signal.alarm(2 * _PATIENCE)
        self.addCleanup(signal.alarm, 0)
        _control("focus", "entry")
        self.other = _held()
        _control("focus", "text")
        self.result("set", "> ")

    def stream(self, *arguments):
        stream = subprocess.Popen(
            [_TACTUS, "stream", "--deadline", "10s", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(_end, stream)
        return stream

    def told(self, stream, line):
        stream.stdin.write(line.encode() + b"\n")
        stream.stdin.flush()
        answer = json.loads(stream.stdout.readline())
        return answer["outcome"], answer["reason"]

    def moved(self, stream):
        """The answer to a final after the user has gone to another field."""
        self.assertEqual(self.told(stream, '{"final": "One."}'),
                         ("verified", "none"))
        _control("focus", "entry")
        return self.told(stream, '{"final": " Two."}')

    def test_HeldTextIsWrittenWhenTheFocusIsBack(self):
        stream = self.stream()
        self.assertEqual(self.moved(stream), ("refused", "stale"))
        self.assertEqual(_held(), self.other)
        _control("focus", "text")
        self.assertEqual(_held(), "> One.")
        stream.stdin.close()
        self.assertEqual(json.loads(stream.stdout.readline())["outcome"],
                         "verified")
        self.assertEqual(stream.wait(_PATIENCE), 0)
        self.assertEqual(_held(), "> One. Two.")

    def test_RefusalEndsIt(self):
        stream = self.stream("--when-moved", "refuse")
        self.assertEqual(self.moved(stream), ("refused", "stale"))
        _control("focus", "text")
        self.assertEqual(self.told(stream, '{"final": " Three."}'),
                         ("refused", "ended"))
        stream.stdin.close()
        self.assertEqual(stream.wait(_PATIENCE), 1)
        self.assertEqual(_held(), "> One.")

    def test_NewFieldIsFollowed(self):
        stream = self.stream("--when-moved", "follow")
        self.assertEqual(self.moved(stream), ("verified", "none"))
        self.assertEqual(_held(), self.other + " Two.")
        stream.stdin.close()
        self.assertEqual(stream.wait(_PATIENCE), 0)
        _control("focus", "text")
        self.assertEqual(_held(), "> One.")


class Clipboard(_Case):
    """Where an edit is a paste."""

    def clipboard(self, *arguments):
        return subprocess.run([_CLIPBOARD, *arguments], check=True,
                              stdout=subprocess.PIPE,
                              timeout=_PATIENCE).stdout.decode()

    def own(self, text):
        owner = subprocess.Popen([_CLIPBOARD, "own", text],
                                 stdout=subprocess.PIPE)
        self.addCleanup(_end, owner)
        self.assertEqual(owner.stdout.readline(), b"ready\n")
        return owner

    def keepers(self):
        """Processes that keep the clipboard of this desktop."""
        display = b"DISPLAY=" + os.environ["DISPLAY"].encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().split(b"\0")
                with open("/proc/%s/environ" % pid, "rb") as file:
                    here = display in file.read().split(b"\0")
            except OSError:
                continue
            if here and b"keep-clipboard" in words:
                found.append(int(pid))
        return found

    def test_WhatTheUserCopiedOutlivesAPasteAndTheCommand(self):
        owner = self.own("the user's שלום")
        before = _held()
        edit = self.result("insert", "pasted 🙂")
        self.assertEqual((edit["outcome"], edit["rung"]),
                         ("verified", "paste"))
        self.assertEqual(_held(), before + "pasted 🙂")
        self.assertEqual(self.clipboard("get"), "the user's שלום")
        # The one who copied it may go as well.
        owner.kill()
        owner.wait(_PATIENCE)
        self.assertEqual(self.clipboard("get"), "the user's שלום")
        keeper, = self.keepers()
        # It is there for as long as it is needed, and no longer.
        self.own("another")
        end = time.monotonic() + _PATIENCE
        while os.path.exists("/proc/%d" % keeper):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        self.assertEqual(self.clipboard("get"), "another")

    def test_SecondEditTakesOverFromTheFirstOnesKeeper(self):
        self.own("the user's")
        self.result("insert", "a")
        self.result("insert", "b")
        self.assertEqual(self.clipboard("get"), "the user's")
        self.assertEqual(len(self.keepers()), 1)

    def test_StreamGivesItBackToo(self):
        self.own("the user's")
        code, _, err = _tactus("stream", text="a\nab\n".encode())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.clipboard("get"), "the user's")


class Selection(_Case):
    def test_SelectionIsToldInCodePoints(self):
        text = _held()
        _control("select", "2", "8")
        snapshot = self.result("snapshot")
        self.assertEqual(snapshot["selection"], {"begin": 2, "end": 8})
        self.assertEqual(snapshot["selected_text"], text[2:8])
        self.assertEqual(snapshot["context_before"], text[:2])
        self.assertEqual(snapshot["context_after"], text[8:])


class Secure(_Case):
    def test_TextOfASecureFieldIsNowhere(self):
        text = _held()
        self.assertGreater(len(text), 3)
        for arguments in (("snapshot", "--json"), ("snapshot",),
                          ("watch", "--text", "--count", "1"), ("doctor",)):
            code, out, err = _tactus(*arguments)
            self.assertEqual((code, err), (0, ""), arguments)
            self.assertNotIn(text, out, arguments)
        snapshot = self.result("snapshot")
        self.assertTrue(snapshot["secure"])
        self.assertIsNone(snapshot["value"])
        self.assertEqual(snapshot["value_status"]["code"], "PERMISSION_DENIED")
        for attribute in ("value", "character_count", "caret", "selection",
                          "selected_text"):
            self.assertIsNone(snapshot[attribute])
            self.assertIn(attribute, snapshot["errors"])


class Watch(_Case):
    def setUp(self):
        self.watch = subprocess.Popen(
            [_TACTUS, "watch", "--text", "--deadline", "10s"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self._end)
        # A line that never comes must not hang the test.
        signal.alarm(_PATIENCE)

    def _end(self):
        signal.alarm(0)
        self.watch.kill()
        self.watch.communicate()

    def _next(self):
        return json.loads(self.watch.stdout.readline())

    def _until(self, wanted):
        """The first line that is `wanted`; those before are part of the way."""
        while True:
            line = self._next()
            if wanted(line):
                return line

    def test_EachChangeIsALineAndASignalEndsItWell(self):
        first = self._next()
        self.assertEqual(first["schema"], "tactus.event/1")
        self.assertEqual(first["kind"], "focus")
        self.assertEqual(first["snapshot"]["value"], _held())
        self.assertEqual(first["application"]["pid"],
                         int(os.environ["TACTUS_DESKTOP_APP_PID"]))

        _control("set", "a new שלום")
        line = self._until(lambda line: line["kind"] == "text" and
                           line["snapshot"]["value"] == "a new שלום")
        self.assertEqual(line["element"], first["element"])
        self.assertGreater(line["events"], 0)

        _control("select", "2", "5")
        line = self._until(lambda line: line["kind"] == "selection" and
                           line["snapshot"]["selection"] ==
                           {"begin": 2, "end": 5})

        _control("focus", "entry")
        line = self._until(lambda line: line["kind"] == "focus")
        self.assertNotEqual(line["element"], first["element"])
        self.assertGreaterEqual(line["at_ms"], first["at_ms"])

        self.watch.send_signal(signal.SIGINT)
        self.assertEqual(self.watch.wait(_PATIENCE), 0)
        self.assertEqual(self.watch.stderr.read(), b"")

    def test_TerminationEndsItWell(self):
        self._next()
        self.watch.terminate()
        self.assertEqual(self.watch.wait(_PATIENCE), 0)

    def test_ReaderThatGoesAwayEndsItWell(self):
        self._next()
        self.watch.stdout.close()
        _control("set", "nobody reads this")
        self.assertEqual(self.watch.wait(_PATIENCE), 0)
        self.watch.stdout = None

    def test_CountAndTimeEndIt(self):
        code, out, _ = _tactus("watch", "--count", "1")
        self.assertEqual((code, out.count("\n")), (0, 1))
        code, out, _ = _tactus("watch", "--for", "50ms")
        self.assertEqual((code, out.count("\n")), (0, 1))


class Apps(_Case):
    def test_EveryApplicationIsToldAndTheFocusedOneMarked(self):
        apps = self.result("apps")["applications"]
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        by_toolkit = {app["application"]["toolkit"]: app for app in apps}
        self.assertIn("gtk", by_toolkit)
        self.assertIn("Qt", by_toolkit)
        for app in apps:
            self.assertTrue(app["answers"])
            self.assertEqual(app["focused"], app["application"]["pid"] == mine)
        self.assertTrue(by_toolkit["gtk"]["own_socket"])
        self.assertFalse(by_toolkit["Qt"]["own_socket"])

    def test_StoppedApplicationIsNamedAndTheOthersAreToldAllTheSame(self):
        apps = self.result("apps")["applications"]
        other = next(app["application"]["pid"] for app in apps
                     if app["application"]["toolkit"] == "Qt")
        os.kill(other, signal.SIGSTOP)
        try:
            stopped = self.result("apps", "--deadline", "2s")["applications"]
            _, person, _ = _tactus("apps", "--deadline", "2s")
        finally:
            os.kill(other, signal.SIGCONT)
        apps = {app["application"]["pid"]: app for app in stopped}
        self.assertFalse(apps[other]["answers"])
        self.assertIn("field", apps[other]["process"])
        mine = apps[int(os.environ["TACTUS_DESKTOP_APP_PID"])]
        self.assertTrue(mine["answers"])
        self.assertTrue(mine["focused"])
        self.assertRegex(person, r"process %d \(.*field\): DOES NOT ANSWER" % other)


class Doctor(_Case):
    def test_DesktopThatLacksNothingIsWell(self):
        doctor = self.result("doctor")
        self.assertTrue(doctor["ok"])
        self.assertEqual({check["state"] for check in doctor["checks"]}, {"ok"})
        self.assertRegex(doctor["checks"][-1]["found"],
                         r"^%d characters: " % len(_held()))
        code, out, _ = _tactus("doctor")
        self.assertEqual(code, 0)
        self.assertNotIn(_held(), out)

    def test_SwitchThatIsOffIsMendedByTheCommandThatIsTold(self):
        off = ["busctl", "--user", "set-property", "org.a11y.Bus",
               "/org/a11y/bus", "org.a11y.Status", "IsEnabled", "b", "false"]
        subprocess.run(off, check=True, timeout=_PATIENCE)
        code, out, _ = _tactus("doctor")
        self.assertEqual(code, 3)
        remedy = re.search(r"^missing  accessibility switch .*\n"
                           r" *mend it: (.*)$", out, re.MULTILINE).group(1)
        subprocess.run(remedy.split(), check=True, timeout=_PATIENCE)
        self.assertEqual(_tactus("doctor")[0], 0)

    def test_StoppedApplicationIsAFailureAndNotAMissingPart(self):
        mine = int(os.environ["TACTUS_DESKTOP_APP_PID"])
        os.kill(mine, signal.SIGSTOP)
        try:
            doctor, found, _ = _tactus("doctor", "--deadline", "2s")
            snapshot, out, err = _tactus("snapshot", "--deadline", "2s")
        finally:
            os.kill(mine, signal.SIGCONT)
        self.assertEqual(doctor, 1)
        self.assertIn("\nfailed   a real read", found)
        self.assertEqual((snapshot, out), (1, ""))
        self.assertIn("does not answer", err)


class Browser(_Case):
    def _start(self):
        browser = subprocess.Popen(
            ["chromium", "--no-sandbox", "--disable-gpu", "--disable-quic",
             "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync",
             "--user-data-dir=" + os.environ["TACTUS_DESKTOP_DIR"] + "/profile",
             "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(browser.wait, _PATIENCE)
        self.addCleanup(browser.terminate)
        return browser.pid

    def _found(self):
        """What the doctor says of browsers, once it has seen one."""
        # A browser with a fresh profile takes long on a busy machine.
        end = time.monotonic() + 3 * _PATIENCE
        while time.monotonic() < end:
            _, out, _ = _tactus("doctor", "--json", "--deadline", "1s")
            check, = [check for check in json.loads(out)["checks"]
                      if check["name"] == "Chromium and Electron"]
            if check["found"] != "none runs here":
                return check
            time.sleep(0.1)
        self.fail("no browser was seen")

    def test_BrowserWithoutTheFlagIsMissingIt(self):
        pid = self._start()
        check = self._found()
        self.assertEqual(check["state"], "missing")
        self.assertIn("chromium (process %d)" % pid, check["found"])
        self.assertIn("--launcher-override chromium", check["remedy"])


if __name__ == "__main__":
    tests = unittest.defaultTestLoader.loadTestsFromTestCase(
        globals()[sys.argv[2]])
    outcome = unittest.TextTestRunner(verbosity=2).run(tests)
    sys.exit(0 if outcome.wasSuccessful() and outcome.testsRun else 1)
