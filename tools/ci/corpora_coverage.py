#!/usr/bin/env python3
"""Judges what the fuzzers' corpora alone cover.

    corpora_coverage.py LIST < EXPORT.json

LIST is fuzz/coverage.txt, which says what it looks like; EXPORT.json is what
`llvm-cov export --summary-only` prints. Prints a line for each group, and below
it the files that have most lines which no input reaches.

Exit codes: 0 every group is covered as it is to be; 1 one is not, or a line of
LIST fits no file; 2 usage or unreadable input.
"""

import json
import os
import sys

WORST = 5


class Bad(Exception):
    """What is wrong with an input."""


def read_list(lines):
    """(groups, unreachable): name -> (percent, paths), and paths."""
    groups, unreachable = {}, []
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if parts[0] == "group" and len(parts) == 4 and parts[2].isdigit():
            groups[parts[1]] = (int(parts[2]), parts[3].split())
        elif parts[0] == "unreachable" and len(parts) == 3 and parts[2]:
            unreachable.append(parts[1])
        else:
            raise Bad(f"line {number} is none: {line}")
    return groups, unreachable


def files_of(export):
    """path -> (lines, lines that were run), from the root of the tree."""
    files = {}
    for data in export["data"]:
        for file in data["files"]:
            path = os.path.normpath(file["filename"])
            lines = file["summary"]["lines"]
            files[path] = (lines["count"], lines["covered"])
    return files


def holds(path, file):
    return file == path or file.startswith(path + "/")


def judge(groups, unreachable, files):
    """(what is printed, whether all is well)."""
    said, well = [], True
    for path in unreachable:
        if not any(holds(path, file) for file in files):
            # What a run never links is not in the export either.
            said.append(f"note: nothing of {path} is in the report")
    for name, (percent, paths) in groups.items():
        of = {file: count for file, count in files.items()
              if any(holds(path, file) for path in paths) and
              not any(holds(path, file) for path in unreachable)}
        for path in paths:
            if not any(holds(path, file) for file in files):
                said.append(f"{path}, of the group {name}, is not in the report")
                well = False
        lines = sum(count for count, _ in of.values())
        run = sum(covered for _, covered in of.values())
        got = 100 * run / lines if lines else 0
        enough = got >= percent
        well &= enough
        said.append(f"{name}: {got:.1f} % of {lines} lines, "
                    f"{'at least' if enough else 'NOT'} {percent} %")
        worst = sorted(of.items(), key=lambda item: item[1][1] - item[1][0])
        for file, (count, covered) in worst[:WORST]:
            if covered < count:
                said.append(f"  {count - covered:5d} of {count:5d} not reached: "
                            f"{file}")
    return "\n".join(said), well


def main(argv):
    if len(argv) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        with open(argv[0], encoding="utf-8") as file:
            groups, unreachable = read_list(file)
        files = files_of(json.load(sys.stdin))
    except (OSError, ValueError, KeyError, Bad) as error:
        print(f"corpora_coverage: {error}", file=sys.stderr)
        return 2
    said, well = judge(groups, unreachable, files)
    print(said)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
