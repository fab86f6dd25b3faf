#!/usr/bin/env python3
"""Holds the rules of who may depend on whom (CONTRIBUTING.md lists them).

    bazel query --noimplicit_deps --xml:default_values --output=xml //... |
        check_deps.py

reads the build graph and prints each edge that breaks a rule, for targets that
are not testonly: a test or a benchmark may use what it needs. Direct edges are
enough. Every target is looked at, and Bazel itself keeps a target that is not
testonly from one that is, so a path that breaks a rule has an edge that does.

Exit codes: 0 every edge is allowed, 1 one is not, 2 the graph cannot be read.
"""

import sys
import xml.etree.ElementTree

# The cost models, which take plain samples and so may be used by the folders
# that judge and show measurements.
COST_MODELS = ("ax/cost", "transfer/cost")

# What a folder may depend on beside itself: packages, each with all beneath
# it. The top level holds these folders and no other. docs/perf/data is the
# ledger itself, as data.
ALLOWED = {
    "ledger": (),
    "ax": (),
    "transfer": (),
    "gate": ("ledger", "docs") + COST_MODELS,
    "site": ("ledger", "docs") + COST_MODELS,
    "fuzz": ("ax", "transfer", "ledger", "site", "tools", "docs"),
    "tools": ("ax", "transfer", "ledger", "gate", "site", "fuzz", "docs"),
    "docs": (),
}

# Parts of tools that tests and benchmarks everywhere may use, so that they
# themselves must depend on nothing of ours.
LEAVES = ("tools/deps", "tools/desktop", "tools/netns")


def package_of(label):
    """The package of `label`; None for one of another repository."""
    if label.startswith("@") or not label.startswith("//"):
        return None
    package = label[2:].split(":")[0]
    # //external:x is how Bazel names what WORKSPACE binds.
    return None if package.split("/")[0] == "external" else package


def within(package, ancestors):
    """Whether `package` is one of `ancestors`, or beneath one."""
    return any(package == a or package.startswith(a + "/") for a in ancestors)


def broken_rule(source, target):
    """Why package `source` may not depend on `target`; None if it may."""
    for leaf in LEAVES:
        if within(source, (leaf,)):
            return (None if within(target, (leaf,)) else
                    f"{leaf} is a leaf and depends on nothing of ours")
    folder = source.split("/")[0]
    allowed = ALLOWED.get(folder, ())
    if within(target, (folder,) + allowed):
        return None
    if within(target, LEAVES):
        return "only tests and benchmarks may: mark the target testonly"
    return (f"{folder} may depend on " +
            (", ".join(allowed) if allowed else "nothing of ours"))


def is_testonly(rule):
    """Whether the <rule> is for tests alone: a test, or marked so."""
    kind = rule.get("class", "")
    marked = rule.find("boolean[@name='testonly']")
    return (kind.endswith("_test") or kind == "test_suite" or
            marked is not None and marked.get("value") == "true")


def problems(graph):
    """What breaks the rules in `graph`, a line each."""
    rules = {rule.get("name", ""): rule for rule in graph.iter("rule")}
    lines = []
    for source, rule in sorted(rules.items()):
        package = package_of(source)
        if package is None:
            continue
        folder = package.split("/")[0]
        if folder and folder not in ALLOWED:
            lines.append(f"{source}: the top level has no folder '{folder}': "
                         "move it, or give the folder a rule in "
                         "tools/ci/check_deps.py")
            continue
        # The root package composes, and so nothing may depend on its rules:
        # an alias there would be a way round. Its files anyone may read.
        if is_testonly(rule) or folder == "":
            continue
        for label in sorted(i.get("name", "") for i in rule.iter("rule-input")):
            target = package_of(label)
            if target is None or target == "" and label not in rules:
                continue
            why = broken_rule(package, target)
            if why is not None:
                lines.append(f"{source} depends on {label}: {why}")
    return lines


def main():
    if len(sys.argv) > 1:
        print(__doc__.strip(), file=sys.stderr)
        return 0 if sys.argv[1] in ("-h", "--help") else 2
    try:
        graph = xml.etree.ElementTree.fromstring(sys.stdin.buffer.read())
    except xml.etree.ElementTree.ParseError as error:
        print(f"check_deps: the graph on standard input does not parse "
              f"({error}); did `bazel query --output=xml` fail?",
              file=sys.stderr)
        return 2
    if graph.find("rule") is None:
        # An empty graph would hold every rule, and prove nothing.
        print("check_deps: the graph on standard input has no rule; did "
              "`bazel query --output=xml` fail?", file=sys.stderr)
        return 2
    lines = problems(graph)
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
