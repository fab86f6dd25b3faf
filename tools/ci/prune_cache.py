#!/usr/bin/env python3
"""Keeps a Bazel disk cache within a bound.

    prune_cache.py DIRECTORY GIBIBYTES

Bazel 4.2.3 adds to its disk cache and never takes away. When the cache is over
the bound, this deletes what was unused longest until it is a quarter below, so
that not every run has to. An entry that is gone is built again, no more.

Only files that Bazel named (64 hexadecimal digits, in ac/ or cas/) are ever
deleted, so a wrong DIRECTORY loses nothing.

Exit codes: 0 the cache is within its bound, or does not exist yet; 1 an entry
cannot be deleted; 2 usage.
"""

import os
import re
import sys

ENTRY = re.compile(r"[0-9a-f]{64}")


def entries(directory):
    """The (last use, bytes, path) of each entry of the cache."""
    for kind in ("ac", "cas"):
        for folder, _, names in os.walk(os.path.join(directory, kind)):
            for name in names:
                if not ENTRY.fullmatch(name):
                    continue
                path = os.path.join(folder, name)
                try:
                    status = os.lstat(path)
                except FileNotFoundError:
                    continue  # another run pruned it in the meantime
                # A file system mounted without access times says when the
                # entry was made, which is next best.
                yield (max(status.st_atime, status.st_mtime), status.st_size,
                       path)


def prune(directory, bound):
    """Deletes from the cache until it is within `bound` bytes. Returns how
    many bytes it deleted."""
    found = sorted(entries(directory))
    total = sum(size for _, size, _ in found)
    if total <= bound:
        return 0
    deleted = 0
    for _, size, path in found:
        if total - deleted <= bound * 3 // 4:
            break
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        deleted += size
    return deleted


def main(argv):
    if len(argv) != 2 or not argv[1].isdigit() or not argv[0]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    directory, gibibytes = argv
    try:
        deleted = prune(directory, int(gibibytes) << 30)
    except OSError as error:
        print(f"prune_cache: cannot delete {error.filename}: {error.strerror}",
              file=sys.stderr)
        return 1
    if deleted:
        print(f"disk cache {directory}: over {gibibytes} GiB, deleted the "
              f"{deleted >> 20} MiB that were unused longest")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
