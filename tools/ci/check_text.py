#!/usr/bin/env python3
"""Finds text that must not be in the repository: paths of one machine, and
hosts of package registries.

    check_text.py FILE...

Both work for whoever wrote them and for nobody else: a build reads the
system's packages from wherever that system is set to, and a path of a person's
home exists on one machine. A line that needs such a path as data (a hostile
name in a test) ends with a comment that holds NOLINT(machine-path).

Exit codes: 0 nothing found, 1 something found, 2 a file cannot be read.
"""

import os
import re
import sys

MARK = b"NOLINT(machine-path)"

# A path is one that starts here: not the tail of a longer path or of a URL.
# "[.]" keeps the second pattern from finding itself.
FORBIDDEN = (
    ("a path of one machine", re.compile(
        rb"(?:file://|(?<![\w./$}~-]))"
        rb"/(?:(?:root|work)/[\w.-]|(?:home|Users)/[\w.-]+)")),
    ("a host of a package registry", re.compile(
        rb"(?i)\b(?:(?:deb|security|ftp)[.]debian[.]org|"
        rb"registry[.](?:npmjs[.]org|yarnpkg[.]com)|"
        rb"(?:files[.])?pythonhosted[.]org|pypi[.]org|"
        rb"(?:static[.])?crates[.]io|proxy[.]golang[.]org)")),
)


def problems(name, content):
    """What is forbidden in `content`, bytes of the file `name`: a line each.
    The place is given and the text is not, since it may be binary."""
    lines = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if MARK in line:
            continue
        for what, pattern in FORBIDDEN:
            found = pattern.search(line)
            if found:
                lines.append(f"{name}:{number}:{found.start() + 1}: {what}: "
                             f"{found.group().decode('ascii', 'replace')}")
    return lines


def main(argv):
    if not argv or argv[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    lines = []
    for name in argv:
        # A link is text too: the path that it holds.
        try:
            if os.path.islink(name):
                content = os.fsencode(os.readlink(name))
            else:
                with open(name, "rb") as file:
                    content = file.read()
        except OSError as error:
            print(f"check_text: cannot read {name}: {error.strerror}",
                  file=sys.stderr)
            return 2
        lines += problems(name, content)
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
