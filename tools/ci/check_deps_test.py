"""The dependency rules, on made-up graphs with one edge each."""

import subprocess
import sys
import unittest
import xml.etree.ElementTree

import check_deps


def graph(*rules):
    """A graph of rules, each (class, label, testonly, dependencies)."""
    text = "<query>"
    for kind, label, testonly, inputs in rules:
        text += f'<rule class="{kind}" name="{label}">'
        text += f'<boolean name="testonly" value="{str(testonly).lower()}"/>'
        text += "".join(f'<rule-input name="{i}"/>' for i in inputs)
        text += "</rule>"
    return xml.etree.ElementTree.fromstring(text + "</query>")


def library_edge(source, target):
    return check_deps.problems(graph(("cc_library", source, False, [target])))


class CheckDepsTest(unittest.TestCase):

    def test_edge_that_breaks_a_rule_is_named_with_the_rule(self):
        self.assertEqual(
            library_edge("//ax/read:read", "//transfer/stream:stream"),
            ["//ax/read:read depends on //transfer/stream:stream: "
             "ax may depend on nothing of ours"])

    def test_every_pair_of_folders_is_as_the_design_says(self):
        # The table of the design, written a second time as a picture:
        # a row depends on a column. x allowed, c its cost model alone.
        picture = """
                 ledger ax transfer gate site fuzz tools
        ledger   x      .  .        .    .    .    .
        ax       .      x  .        .    .    .    .
        transfer .      .  x        .    .    .    .
        gate     x      c  c        x    .    .    .
        site     x      c  c        .    x    .    .
        fuzz     x      x  x        .    x    x    x
        tools    x      x  x        x    x    x    x
        """
        head, *rows = [l.split() for l in picture.strip().splitlines()]
        for source, *cells in rows:
            for target, cell in zip(head, cells):
                with self.subTest(source=source, target=target):
                    self.assertEqual(
                        not library_edge(f"//{source}/p:a", f"//{target}/q:b"),
                        cell == "x")
                    if target in ("ax", "transfer"):
                        self.assertEqual(
                            not library_edge(f"//{source}/p:a",
                                             f"//{target}/cost/model:b"),
                            cell in "xc")

    def test_folder_whose_name_only_begins_like_an_allowed_one_is_refused(self):
        self.assertNotEqual(
            library_edge("//gate/p:a", "//ax/costume:b"), [])

    def test_test_or_testonly_target_may_use_anything(self):
        self.assertEqual(check_deps.problems(graph(
            ("cc_test", "//ax/read:read_test", False, ["//tools/desktop:run"]),
            ("cc_binary", "//ax/read:read_benchmark", True,
             ["//ledger:append"]))), [])

    def test_desktop_under_a_target_that_is_not_testonly_is_refused(self):
        self.assertEqual(
            library_edge("//ax/atspi:server", "//tools/desktop:run"),
            ["//ax/atspi:server depends on //tools/desktop:run: only tests "
             "and benchmarks may: mark the target testonly"])

    def test_leaf_depends_on_nothing_of_ours(self):
        self.assertEqual(
            library_edge("//tools/desktop:run", "//ax/types:types"),
            ["//tools/desktop:run depends on //ax/types:types: tools/desktop "
             "is a leaf and depends on nothing of ours"])
        for leaf in "deps", "netns":
            self.assertNotEqual(
                library_edge(f"//tools/{leaf}:a", "//tools/tactus:tactus"), [])
            self.assertNotEqual(
                library_edge("//ax/atspi:server", f"//tools/{leaf}:run"), [])

    def test_library_of_the_system_is_anyones(self):
        self.assertEqual(library_edge("//ledger:a", "@absl//:status"), [])
        self.assertEqual(
            library_edge("//ledger:a", "//external:cc_toolchain"), [])

    def test_root_file_is_anyones_but_root_rule_is_no_way_round(self):
        self.assertEqual(library_edge("//site:page", "//:LICENSE"), [])
        self.assertEqual(len(check_deps.problems(graph(
            ("alias", "//:way_round", False, ["//ax/types:types"]),
            ("cc_library", "//ledger:a", False, ["//:way_round"])))), 1)

    def test_unknown_folder_at_the_top_is_refused_even_for_a_test(self):
        lines = check_deps.problems(graph(("cc_test", "//misc:t", True, [])))
        self.assertEqual(len(lines), 1)
        self.assertIn("no folder 'misc'", lines[0])

    def test_graph_that_is_empty_or_broken_is_no_pass(self):
        for text in ("", "<query/>", "<query"):
            with self.subTest(text=text):
                done = subprocess.run(
                    [sys.executable, check_deps.__file__], input=text,
                    capture_output=True, encoding="utf-8", check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn("bazel query", done.stderr)


if __name__ == "__main__":
    unittest.main()
