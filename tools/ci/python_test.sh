#!/usr/bin/env bash
# Runs MODULE.py, a test beside this file, in the folder that Bazel laid out:
# what the test imports and BUILD.bazel does not name is not there.
#
# Bazel's own py_test would do, but for a Python toolchain that Debian's Bazel
# does not bring.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
exec python3 -B -m unittest --verbose "$1"
