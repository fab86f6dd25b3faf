#!/usr/bin/env python3
"""`tactus_ledger` as a program, in git repositories that the test makes.

    command_test.py TACTUS_LEDGER
"""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

_PROGRAM = os.path.abspath(sys.argv.pop(1))

# Nothing of whoever runs the test: no configuration, no name, no clock.
_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}

_DEVICE = {"processor": "Other 1", "cores": 8, "memory": "8-16 GiB",
           "kernel": "6.2", "virtualization": "none"}

# Within which each command ends, however busy the machine is.
_DEADLINE = 120


def draft(**more):
    return json.dumps({"instrument": "//x:load_test", "series": "login/cold",
                       "unit": "ms", "direction": "less",
                       "samples": [212.5, 198, 204], **more})


class Command(unittest.TestCase):
    """Each test has a repository of its own, with one commit."""

    def setUp(self):
        self.top = tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(shutil.rmtree, self.top)
        self.repository = os.path.join(self.top, "repository")
        os.mkdir(self.repository)
        self.git("init", "-q", "-b", "main")
        self.write("README", "a foreign repository\n")
        self.commit("first")

    def git(self, *arguments, cwd=None):
        done = subprocess.run(
            ("git",) + arguments, cwd=cwd or self.repository, check=True,
            env=_ENVIRONMENT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, timeout=_DEADLINE)
        return done.stdout.decode().strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def path(self, name):
        return os.path.join(self.repository, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return file.read()

    def run_it(self, *arguments, stdin="", cwd=None, code=0, out=None):
        """Answers the standard output, and keeps the standard error."""
        done = subprocess.run(
            (_PROGRAM,) + arguments, cwd=cwd or self.repository,
            env=_ENVIRONMENT, input=stdin.encode(), timeout=_DEADLINE,
            check=False, stderr=subprocess.PIPE,
            stdout=out if out is not None else subprocess.PIPE)
        self.err = done.stderr.decode()
        text = "" if out is not None else done.stdout.decode()
        self.assertEqual(done.returncode, code, text + self.err)
        return text

    def append(self, **more):
        return self.run_it("append", stdin=draft(**more))

    FILE = "docs/perf/data/x.load_test.jsonl"

    def rows(self, *arguments):
        return [json.loads(line) for line in
                self.run_it("show", "--json", *arguments).splitlines()]


class UsageTest(Command):

    def test_wrong_usage_exits_2_and_says_how_on_standard_error(self):
        for words in ("", "nonsense", "show --nonsense", "show extra",
                      "show --commit xyz", "show --commit abc",
                      "show --device ABCD", "import", "import runs.json",
                      "import --from ledger", "import --from cargo runs.json",
                      "import --from ledger a --commit HEAD",
                      "import --from ledger a --device-from abcd",
                      "import --from hyperfine a --dirty",
                      "import --from hyperfine a --device-from x",
                      "append extra", "verify --json"):
            with self.subTest(words):
                self.assertEqual(self.run_it(*words.split(), code=2), "")
                self.assertIn("--help", self.err)

    def test_help_tells_every_command_and_exit_code(self):
        text = self.run_it("--help")
        for word in ("append", "show", "verify", "export", "import",
                     "Exit codes", "  0  ", "  1  ", "  2  ",
                     "docs/ledger.md"):
            self.assertIn(word, text)
        for command in ("append", "show", "verify", "export", "import"):
            self.assertIn("--ledger", self.run_it(command, "--help"))

    def test_missing_ledger_is_an_error_and_not_an_empty_one(self):
        for words in (("show",), ("show", "--json"), ("verify",), ("export",)):
            with self.subTest(words):
                self.run_it(*words, code=1)
                self.assertIn("docs/perf/data", self.err)
                self.run_it(*words, "--ledger", "elsewhere", code=1)
                self.assertIn("elsewhere", self.err)

    def test_outside_of_a_repository_the_ledger_must_be_named(self):
        self.run_it("show", cwd=self.top, code=1)
        self.assertIn("--ledger DIR", self.err)
        self.run_it("append", "--ledger", "there", cwd=self.top,
                    stdin=draft())
        row = json.loads(self.run_it("show", "--json", "--ledger", "there",
                                     cwd=self.top))
        self.assertNotIn("commit", row)
        self.assertTrue(row["dirty"])
        self.assertIn("unknown: whether commits exist", self.run_it(
            "verify", "--ledger", "there", cwd=self.top))

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.append()
        for words in (("show",), ("export",), ("verify",), ("--help",)):
            with self.subTest(words), open("/dev/full", "w") as full:
                self.run_it(*words, out=full, code=1)
                self.assertIn("standard output", self.err)


class AppendTest(Command):

    def test_row_is_completed_with_commit_device_and_summary(self):
        commit = self.git("rev-parse", "HEAD")
        self.assertEqual(
            self.append(),
            f"1 row appended to {self.path(self.FILE)}\n")
        [row] = self.rows()
        self.assertEqual(row["commit"], commit)
        self.assertFalse(row["dirty"])
        self.assertEqual(row["summary"]["p50"], 204)
        self.assertEqual(row["label"], "measured")
        self.assertEqual(row["origin"], "append")
        self.assertRegex(row["device"]["id"], "^[0-9a-f]{16}$")
        self.assertNotIn(os.uname().nodename.encode() + b'"',
                         json.dumps(row["device"]).encode())

    def test_tree_is_dirty_by_all_but_the_ledger(self):
        self.append()
        self.append(samples=[1])
        self.assertEqual([row["dirty"] for row in self.rows()], [False] * 2)
        self.write("README", "changed\n")
        self.append(samples=[2])
        self.assertTrue(self.rows()[2]["dirty"])

    def test_repository_that_is_a_ledger_itself_is_dirty_by_the_rest(self):
        for samples in ([1], [2]):
            self.run_it("append", "--ledger", ".",
                        stdin=draft(samples=samples))
        self.write("README", "changed\n")
        self.run_it("append", "--ledger", ".", stdin=draft(samples=[3]))
        self.assertEqual([row["dirty"]
                          for row in self.rows("--ledger", ".")],
                         [False, False, True])
        self.commit("rows")
        self.assertIn("3 rows in 1 file: 0 findings",
                      self.run_it("verify", "--ledger", "."))

    def test_it_works_below_the_top_of_the_repository(self):
        self.write("a/b/c", "")
        self.run_it("append", stdin=draft(), cwd=self.path("a/b"))
        self.assertTrue(os.path.exists(self.path(self.FILE)))

    def test_several_rows_are_appended_or_none(self):
        self.run_it("append", stdin=draft() + draft(series="Wrong"), code=1)
        self.assertIn("row 2: series: ", self.err)
        self.assertFalse(os.path.exists(self.path("docs")))
        self.run_it("append", stdin=draft() + "\n" +
                    draft(instrument="other", samples=[3]))
        self.assertEqual(len(self.rows()), 2)
        self.assertTrue(
            os.path.exists(self.path("docs/perf/data/other.jsonl")))
        self.assertEqual(len({row["run"] for row in self.rows()}), 1)

    def test_verified_and_suspected_rows_bring_what_they_must(self):
        self.run_it("append", stdin=draft(label="verified"), code=1)
        self.append(label="verified", citation="RFC 9293", device=_DEVICE)
        self.append(label="suspected", hypothesis="it is slow",
                    plan="measure it")
        verified, suspected = self.rows()
        self.assertEqual(verified["citation"], "RFC 9293")
        self.assertNotIn("commit", verified)
        self.assertEqual(verified["device"]["processor"], "Other 1")
        self.assertEqual(suspected["plan"], "measure it")

    def test_torn_tail_is_repaired_and_told(self):
        self.append()
        before = self.read(self.FILE)
        self.write(self.FILE, before + '{"schema":1,"id"')
        self.append(samples=[2])
        self.assertIn(".torn", self.err)
        self.assertTrue(self.read(self.FILE).startswith(before))
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(self.read(self.FILE + ".torn"),
                         '{"schema":1,"id"\n')

    def test_nothing_on_standard_input_is_a_failure(self):
        self.run_it("append", stdin="", code=1)
        self.assertIn("no row", self.err)


class ShowTest(Command):

    def test_filters_choose_and_none_is_told(self):
        self.append()
        self.append(series="login/warm", samples=[1])
        self.append(series="loginx", instrument="other", device=_DEVICE)
        self.assertEqual(len(self.rows("--series", "login")), 2)
        self.assertEqual(len(self.rows("--series", "login/warm")), 1)
        self.assertEqual(len(self.rows("--instrument", "other")), 1)
        device = self.rows("--instrument", "other")[0]["device"]["id"]
        self.assertEqual(len(self.rows("--device", device[:6])), 1)
        commit = self.git("rev-parse", "HEAD")
        self.assertEqual(len(self.rows("--commit", commit[:7])), 3)
        self.assertEqual(self.rows("--series", "log"), [])
        self.assertIn("none of the 3 rows", self.err)

    def test_json_is_the_lines_as_they_stand(self):
        self.append()
        self.assertEqual(self.run_it("show", "--json"), self.read(self.FILE))

    def test_table_has_a_line_for_each_row(self):
        self.append(configuration={"users": "40"}, failures=2)
        lines = self.run_it("show").splitlines()
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[0].split(), [
            "date", "min", "p50", "p99", "max", "unit", "n", "label",
            "commit", "device", "series"])
        self.assertTrue(
            lines[1].endswith("login/cold users=40  (2 failed)"), lines[1])
        self.assertEqual(lines[1].split()[1:7],
                         ["198", "204", "212.5", "212.5", "ms", "3"])

    def test_text_that_is_no_text_for_a_terminal_is_escaped(self):
        self.append(configuration={"a": "x\u202ey\u009b31m"})
        self.assertIn("x\\u{202e}y\\u{9b}31m", self.run_it("show"))

    def test_line_that_is_no_row_is_told_and_exits_1(self):
        self.append()
        self.write(self.FILE, "nonsense\n" + self.read(self.FILE))
        self.assertEqual(len(self.run_it("show", code=1).splitlines()), 2)
        self.assertIn(f"{self.FILE}:1: row: not JSON", self.err)


class VerifyTest(Command):

    def verify(self, code):
        return self.run_it("verify", code=code)

    def test_ledger_that_only_grew_has_no_finding(self):
        self.append()
        self.commit("one")
        self.append(samples=[2])
        self.append(instrument="other")
        self.commit("two")
        self.append(samples=[3])
        self.assertEqual(self.verify(0), "4 rows in 2 files: 0 findings\n")

    def test_changed_row_has_not_its_id(self):
        self.append()
        self.write(self.FILE, self.read(self.FILE).replace("212.5", "112.5"))
        self.assertIn(f"{self.FILE}:1: ", self.verify(1))

    def test_row_that_was_written_anew_after_a_commit_is_found(self):
        self.append()
        self.append(samples=[2])
        self.commit("two rows")
        first, second = self.read(self.FILE).splitlines(keepends=True)
        self.write(self.FILE, first)
        self.append(samples=[3])
        self.assertIn(f"{self.FILE}:2: this line was changed, or taken away, "
                      "since HEAD", self.verify(1))
        self.commit("rewritten")
        text = self.verify(1)
        self.assertIn(f"{self.FILE}:2: commit ", text)
        self.assertIn("changed this line, or took it away", text)
        # What came later does not hide it, nor does putting it back.
        self.write(self.FILE, first + second)
        self.commit("put back")
        self.assertIn("2 findings", self.verify(1))

    def test_file_that_was_removed_is_found(self):
        self.append()
        self.append(instrument="other")
        self.commit("two files")
        os.remove(self.path(self.FILE))
        self.assertIn(f"{self.FILE}: HEAD has it, and the disk has not",
                      self.verify(1))
        commit = self.commit("one file")
        self.assertIn(f"{self.FILE}: commit {commit[:12]} removed it",
                      self.verify(1))

    def merged(self, how):
        """Two branches that both append, merged by `how` (ours, theirs)."""
        self.append()
        self.commit("base")
        base = self.read(self.FILE)
        self.git("checkout", "-q", "-b", "side")
        self.append(samples=[2])
        self.commit("side")
        side = self.read(self.FILE)[len(base):]
        self.git("checkout", "-q", "main")
        self.append(samples=[3])
        self.commit("main")
        main = self.read(self.FILE)[len(base):]
        self.git("merge", "-q", "-s", "ours", "--no-commit", "side")
        self.write(self.FILE, base + how(main, side))
        self.commit("merge")

    def test_merge_that_keeps_both_sides_has_no_finding(self):
        self.merged(lambda main, side: main + side)
        self.assertEqual(self.verify(0), "3 rows in 1 file: 0 findings\n")

    def test_merge_that_drops_a_side_is_found(self):
        self.merged(lambda main, side: main)
        self.assertIn(f"{self.FILE}:2: commit ", self.verify(1))
        self.assertIn("a merge, lost this line", self.verify(1))

    def test_commit_that_nobody_has_is_found(self):
        self.append(commit="0123456789abcdef" * 2 + "01234567")
        self.assertIn("is in the history of no branch and no tag",
                      self.verify(1))

    def test_in_a_shallow_clone_old_commits_are_unknown(self):
        self.append()
        self.commit("one")
        self.append(samples=[2])
        self.commit("two")
        clone = os.path.join(self.top, "clone")
        self.git("clone", "-q", "--depth", "1", "file://" + self.repository,
                 clone)
        text = self.run_it("verify", cwd=clone)
        self.assertIn("note: unknown: whether 2 of 2 commits exist", text)
        self.assertIn("0 findings, 2 notes", text)

    def test_series_of_two_units_or_directions_is_found(self):
        self.append()
        self.append(unit="s")
        self.append(direction="more")
        text = self.verify(1)
        self.assertIn(f"{self.FILE}:2: unit: 's', but of the same series 'ms'",
                      text)
        self.assertIn(f"{self.FILE}:3: direction: 'more'", text)

    def test_ledger_without_a_row_is_found(self):
        self.write(self.FILE, "")
        self.assertIn("holds no row", self.verify(1))

    def test_row_that_is_there_twice_is_a_note(self):
        self.append()
        self.write(self.FILE, self.read(self.FILE) * 2)
        self.assertIn("1 row in 1 file: 0 findings, 2 notes", self.verify(0))

    def test_ledger_elsewhere_is_held_to_the_repository_around_it(self):
        self.run_it("append", "--ledger", "other place", stdin=draft())
        self.commit("one")
        self.write("other place/x.load_test.jsonl", "")
        self.assertIn("other place/x.load_test.jsonl:1: this line was changed",
                      self.run_it("verify", "--ledger", "other place", code=1))


class ExportTest(Command):

    def test_csv_reads_back_and_computes_nothing(self):
        self.append(configuration={"a": "=1+1", "b": 'x "y", z'},
                    label="verified", citation="=HYPERLINK(\"x\")",
                    device={**_DEVICE, "processor": "@SUM(A1)"})
        text = self.run_it("export", "--samples")
        self.assertEqual(text.count("\r\n"), 2)
        self.assertEqual(text.count("\n"), 2)
        [row] = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        self.assertEqual(row["citation"], "'=HYPERLINK(\"x\")")
        self.assertEqual(row["processor"], "'@SUM(A1)")
        self.assertEqual(row["configuration"], 'a==1+1 b=x "y", z')
        self.assertEqual(row["p50"], "204")
        self.assertEqual(row["samples"], "212.5 198 204")
        self.assertEqual(row["unit"], "ms")
        self.assertNotIn("samples", self.run_it("export").splitlines()[0])

    def test_filters_choose(self):
        self.append()
        self.append(series="other")
        self.assertEqual(
            len(self.run_it("export", "--series", "other").splitlines()), 2)


HYPERFINE = {"results": [{"command": "sleep 1", "times": [1.01, 1.02],
                          "exit_codes": [0, 0]}]}
GOOGLE = {"context": {"date": "2026-01-01T10:00:00+01:00",
                      "executable": "/a/b/copy_benchmark"},
          "benchmarks": [{"name": "BM_Copy", "run_name": "BM_Copy",
                          "run_type": "iteration", "real_time": 1.5,
                          "cpu_time": 1.25, "time_unit": "us", "own": 1}]}


class ImportTest(Command):

    def test_hyperfine_is_dated_by_its_file(self):
        self.write("runs.json", json.dumps(HYPERFINE))
        os.utime(self.path("runs.json"), (1_700_000_000, 1_700_000_000))
        self.run_it("import", "--from", "hyperfine", "runs.json")
        [row] = self.rows()
        self.assertEqual(row["date"], "2023-11-14T22:13:20Z")
        self.assertEqual(row["instrument"], {"name": "hyperfine"})
        self.assertEqual(row["origin"], "hyperfine")
        self.assertEqual(row["samples"], [1.01, 1.02])
        self.assertEqual((row["unit"], row["direction"]), ("s", "less"))
        self.assertNotIn("commit", row)
        self.assertTrue(row["dirty"])

    def test_commit_and_device_are_those_that_are_named(self):
        self.append(device=_DEVICE)
        [other] = self.rows()
        self.write("runs.json", json.dumps(HYPERFINE))
        self.run_it("import", "--from", "hyperfine", "runs.json", "--commit",
                    "HEAD", "--device-from", other["id"][:8],
                    "--instrument", "sleeper")
        [row] = self.rows("--instrument", "sleeper")
        self.assertEqual(row["commit"], self.git("rev-parse", "HEAD"))
        self.assertFalse(row["dirty"])
        self.assertEqual(row["device"], other["device"])
        for words, message in (
                (("--commit", "nonsense"), "no such commit"),
                (("--commit", "--all"), "no such commit"),
                (("--device-from", "0" * 32), "no row of")):
            with self.subTest(words):
                self.run_it("import", "--from", "hyperfine", "runs.json",
                            *words, code=1)
                self.assertIn(message, self.err)

    def test_same_document_imported_again_changes_nothing(self):
        self.write("runs.json", json.dumps(HYPERFINE))
        self.run_it("import", "--from", "hyperfine", "runs.json")
        before = self.read("docs/perf/data/hyperfine.jsonl")
        self.assertEqual(
            self.run_it("import", "--from", "hyperfine", "runs.json"),
            "1 of 1 rows were there already\n")
        self.assertEqual(self.read("docs/perf/data/hyperfine.jsonl"), before)

    def test_google_benchmark_leaves_out_with_a_note(self):
        self.write("runs.json", json.dumps(GOOGLE))
        self.run_it("import", "--from", "google-benchmark", "runs.json")
        self.assertIn("the counter 'own' is left out", self.err)
        self.assertEqual([row["configuration"]["clock"]
                          for row in self.rows()], ["real", "cpu"])
        self.assertEqual(self.rows()[0]["date"], "2026-01-01T09:00:00Z")

    def criterion(self, name, time):
        folder = f"target/criterion/{name}/new/"
        self.write(folder + "benchmark.json", json.dumps({"full_id": name}))
        self.write(folder + "sample.json",
                   json.dumps({"iters": [10.0, 20.0],
                               "times": [10 * time, 20 * time]}))
        self.write(folder + "estimates.json",
                   json.dumps({"mean": {"point_estimate": time}}))
        # Figures of the run before: not to be read.
        self.write(f"target/criterion/{name}/base/sample.json", "nonsense")

    def test_criterion_is_a_tree_of_benchmarks(self):
        self.criterion("Parse/a", 8.0)
        self.criterion("Parse/b", 16.0)
        self.run_it("import", "--from", "criterion", "target/criterion")
        self.assertEqual([(row["series"], row["summary"]["p50"])
                          for row in self.rows()],
                         [("parse/a", 8), ("parse/b", 16)])
        self.run_it("import", "--from", "criterion",
                    "target/criterion/Parse/b/new", "--instrument", "again")
        self.assertEqual(len(self.rows()), 3)
        self.write("target/criterion/Parse/b/new/estimates.json", "{}")
        self.run_it("import", "--from", "criterion", "target/criterion",
                    code=1)
        self.assertIn("Parse/b/new: estimates.json: mean: is missing",
                      self.err)
        self.assertEqual(len(self.rows()), 3)

    def test_what_is_no_such_document_is_named_and_appends_nothing(self):
        self.write("empty", "")
        self.write("binary", "\x00\x01")
        self.write("other.json", '{"a": [1, 2, 3]}')
        self.write("deep.json", "[" * 100_000)
        os.mkfifo(self.path("pipe"))
        for tool in ("google-benchmark", "hyperfine", "criterion"):
            for name in ("none", "empty", "binary", "other.json", "deep.json",
                         "pipe", "."):
                with self.subTest(tool=tool, name=name):
                    self.assertEqual(self.run_it(
                        "import", "--from", tool, name, code=1), "")
                    self.assertIn(self.path(name).rstrip("."), self.err)
        self.assertFalse(os.path.exists(self.path("docs")))


class MergeTest(Command):

    def setUp(self):
        super().setUp()
        self.append(samples=[1])
        self.append(samples=[2], instrument="other")
        self.append(samples=[3], label="verified", citation="x",
                    device=_DEVICE)
        self.theirs = self.path("docs/perf/data")
        self.ours = os.path.join(self.top, "ours")

    def merge(self, code=0):
        return self.run_it("import", "--from", "ledger", self.theirs,
                           "--ledger", self.ours, code=code)

    def test_lines_are_taken_as_they_are_and_once(self):
        self.assertEqual(self.merge(), "3 rows appended, 0 were there already,"
                                       " 0 lines were no rows\n")
        self.assertEqual(self.merge(), "0 rows appended, 3 were there already,"
                                       " 0 lines were no rows\n")
        for name in ("x.load_test.jsonl", "other.jsonl"):
            with open(os.path.join(self.ours, name), encoding="utf-8") as file:
                self.assertEqual(file.read(),
                                 self.read("docs/perf/data/" + name))
        self.append(samples=[4])
        self.assertEqual(self.merge(), "1 row appended, 3 were there already,"
                                       " 0 lines were no rows\n")

    def test_line_that_is_no_row_is_told_and_the_others_are_taken(self):
        self.write(self.FILE, "nonsense\n" + self.read(self.FILE))
        self.assertEqual(self.merge(1), "3 rows appended, 0 were there "
                                        "already, 1 lines were no rows\n")
        self.assertIn("x.load_test.jsonl:1: ", self.err)

    def test_folder_that_is_not_there_is_an_error(self):
        self.theirs = self.path("none")
        self.assertEqual(self.merge(1), "")
        self.assertIn("none", self.err)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
