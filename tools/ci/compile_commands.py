#!/usr/bin/env python3
"""Writes compile_commands.json from what Bazel would run.

    bazel aquery --output=jsonproto 'mnemonic("CppCompile", //...)' |
        compile_commands.py WORKSPACE EXECUTION_ROOT OUTPUT_BASE

prints, for clang-tidy and for editors, one command for each source file of the
workspace, as if compiled there: paths into Bazel's own folders become absolute.
What only Bazel's own bookkeeping needs (dependency files, module maps of the
layering check, the output) is left out, so the commands work without a build,
as long as no source includes a generated header.

Exit codes: 0 written, 1 the actions name no source, 2 usage or unreadable input.
"""

import json
import os
import sys

# Options that take the next argument, and are dropped together with it.
DROPPED_WITH_VALUE = ("-MF", "-o")
DROPPED_PREFIXES = ("-MD", "-frandom-seed=", "-fmodule-name=",
                    "-fmodule-map-file=", "-fmodules-strict-decluse",
                    "-Wprivate-header")
# Prefixes of an argument that end where a path begins.
PATH_OPTIONS = ("", "-I", "-isystem", "-iquote", "-F", "-include",
                "--sysroot=", "-fsanitize-ignorelist=")


def rebase(argument, execution_root, output_base):
    """`argument` with a path into Bazel's folders made absolute."""
    for option in PATH_OPTIONS:
        path = argument[len(option):]
        if not argument.startswith(option):
            continue
        # external/ is planted in the execution root only when a build runs; in
        # the output base it is always there.
        if path.startswith("external/"):
            return f"{option}{output_base}/{path}"
        if path.startswith("bazel-out/"):
            return f"{option}{execution_root}/{path}"
    return argument


def command_of(arguments, execution_root, output_base):
    """(source, arguments) of one compile action; None if it compiles none."""
    source = None
    kept = []
    skip = False
    for position, argument in enumerate(arguments):
        if skip:
            skip = False
        elif argument in DROPPED_WITH_VALUE:
            skip = True
        elif argument.startswith(DROPPED_PREFIXES):
            pass
        else:
            kept.append(rebase(argument, execution_root, output_base))
            if position > 0 and arguments[position - 1] == "-c":
                source = argument
    return None if source is None else (source, kept)


def commands(actions, workspace, execution_root, output_base):
    """The entries of compile_commands.json, sorted by file. A file in several
    targets has the command of the first that Bazel names."""
    entries = {}
    for action in actions:
        command = command_of(action.get("arguments", []), execution_root,
                             output_base)
        if command is None:
            continue
        source, arguments = command
        # Headers are compiled alone where Bazel checks them, generated and
        # others' sources are not ours to judge.
        if (not source.endswith(".cc") or os.path.isabs(source) or
                source.startswith(("bazel-out/", "external/"))):
            continue
        entries.setdefault(source, {"directory": workspace, "file": source,
                                    "arguments": arguments})
    return [entries[source] for source in sorted(entries)]


def main(argv):
    if len(argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        actions = json.load(sys.stdin).get("actions", [])
    except (ValueError, AttributeError) as error:
        print(f"compile_commands: standard input is no list of actions "
              f"({error}); did `bazel aquery` fail?", file=sys.stderr)
        return 2
    entries = commands(actions, *argv)
    json.dump(entries, sys.stdout, indent=1)
    print()
    if not entries:
        print("compile_commands: the actions compile no .cc file of the "
              "workspace", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
