"""How an action of Bazel becomes a compile command."""

import unittest

import compile_commands


def commands(*actions):
    return compile_commands.commands(
        [{"arguments": a.split()} for a in actions], "/w", "/x/root", "/x")


class CompileCommandsTest(unittest.TestCase):

    def test_paths_into_the_folders_of_bazel_become_absolute(self):
        self.assertEqual(
            commands("clang -iquote . -iquote bazel-out/k8/bin "
                     "-isystem external/absl/include -Ibazel-out/k8/gen "
                     "-c ax/a.cc"),
            [{"directory": "/w", "file": "ax/a.cc",
              "arguments": "clang -iquote . -iquote /x/root/bazel-out/k8/bin "
                           "-isystem /x/external/absl/include "
                           "-I/x/root/bazel-out/k8/gen -c ax/a.cc".split()}])

    def test_bookkeeping_of_bazel_is_left_out(self):
        entry, = commands(
            "clang -MD -MF bazel-out/a.d -frandom-seed=bazel-out/a.o -Wall "
            "-fmodule-name=//ax:a -fmodule-map-file=bazel-out/a.cppmap "
            "-fmodules-strict-decluse -c ax/a.cc -o bazel-out/a.o")
        self.assertEqual(entry["arguments"],
                         "clang -Wall -c ax/a.cc".split())

    def test_source_that_is_not_ours_is_left_out(self):
        self.assertEqual(
            commands("clang -c external/x/a.cc", "clang -c bazel-out/g.cc",
                     "clang -c /usr/src/a.cc", "clang -c ax/a.h", "clang -v"),
            [])

    def test_source_in_two_targets_has_one_command_and_files_are_sorted(self):
        entries = commands("clang -DONE -c b.cc", "clang -DTWO -c b.cc",
                           "clang -c a.cc")
        self.assertEqual([e["file"] for e in entries], ["a.cc", "b.cc"])
        self.assertIn("-DONE", entries[1]["arguments"])


if __name__ == "__main__":
    unittest.main()
